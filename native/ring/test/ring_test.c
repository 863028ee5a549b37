/*
 * Tests of millrace_ring.h. Prints what it runs; ends with abort() at the first thing that does not hold. An argument
 * is the seed, else one is drawn.
 */
#include "memory.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#define THREADS 4
#ifdef SHORT
#define MESSAGES 60000
#else
#define MESSAGES 400000
#endif
/* On a busy machine a turn that two threads take together lasts until both have a processor. */
#define CROSSING_NS INT64_C(5000000000)
#define CROSSING_OVER (-1)

static uint64_t seed;

static uint64_t random_of(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void pause_ns(const long ns)
{
    const struct timespec time = {0, ns};
    nanosleep(&time, NULL);
}

static int64_t now_ns(void)
{
    struct timespec time;
    CHECK(0 == clock_gettime(CLOCK_MONOTONIC, &time));
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static millrace_descriptor descriptor(const int64_t number)
{
    millrace_descriptor made;
    memset(&made, 0, sizeof(made));
    made.type = 1 + (int32_t)(number % 1000);
    made.address = (uint64_t)number * 4096;
    made.length = (int32_t)(number % 7);
    made.slot = -(int32_t)number;
    made.word0 = number;
    made.word1 = ~number;
    made.reserved[2] = number ^ 5;
    return made;
}

static void check_descriptor(const millrace_descriptor *seen, const int64_t number)
{
    const millrace_descriptor expected = descriptor(number);
    CHECK(MILLRACE_RING_RECORD_BYTES == seen->record_bytes);
    CHECK(0 == memcmp(&expected.type, &seen->type, sizeof(expected) - sizeof(expected.record_bytes)));
}

static void test_attach_refuses(void)
{
    ring_memory memory;
    millrace_ring ring;
    ring_memory_make(&memory, 16, MILLRACE_RING_ONE_PRODUCER);
    millrace_ring_header *const header = (millrace_ring_header *)memory.address;
    const millrace_ring_header sound = *header;
#define REFUSES(error, change) \
    do \
    { \
        change; \
        CHECK((error) == millrace_ring_attach(&ring, memory.address, memory.bytes)); \
        *header = sound; \
    } \
    while (0)
    CHECK(MILLRACE_RING_BAD_MEMORY == millrace_ring_attach(&ring, NULL, memory.bytes));
    CHECK(MILLRACE_RING_BAD_MEMORY == millrace_ring_attach(&ring, (uint8_t *)memory.address + 64, memory.bytes));
    CHECK(MILLRACE_RING_BAD_MEMORY == millrace_ring_attach(&ring, memory.address, memory.bytes - 1));
    CHECK(MILLRACE_RING_BAD_MEMORY == millrace_ring_attach(&ring, memory.address, 8));
    REFUSES(MILLRACE_RING_BAD_MAGIC, header->magic ^= 1);
    REFUSES(MILLRACE_RING_BAD_VERSION, header->version++);
    REFUSES(MILLRACE_RING_BAD_VERSION, header->header_bytes += 128);
    REFUSES(MILLRACE_RING_BAD_VERSION, header->record_bytes = 128);
    REFUSES(MILLRACE_RING_BAD_VERSION, header->trailer_bytes = 1536);
    REFUSES(MILLRACE_RING_BAD_MEMORY, header->total_bytes++);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->total_bytes--);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->to_native_capacity = 15 * 64);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->to_native_capacity = 8 * 64);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->to_native_capacity = UINT64_C(1) << 63);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->to_java_capacity = 32 * 64);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->to_native_offset = 0);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->to_native_offset += 64);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->to_native_offset = UINT64_MAX - 127);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->to_java_offset = header->to_native_offset);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->to_java_offset -= 128);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->to_java_producers = 3);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->java_sleeping = 0);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->java_sleeping++);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->java_event = -1);
    REFUSES(MILLRACE_RING_BAD_LAYOUT, header->native_event = -1);
    REFUSES(MILLRACE_RING_IS_CLOSED, header->attachments |= MILLRACE_RING_CLOSED);
    REFUSES(MILLRACE_RING_IS_CORRUPT, header->attachments = INT32_MAX);
    millrace_ring second;
    CHECK(0 == millrace_ring_attach(&ring, memory.address, memory.bytes));
    CHECK(0 == millrace_ring_attach(&second, memory.address, memory.bytes + 4096));
    CHECK(2 == header->attachments);
    millrace_ring_detach(&second);
    millrace_ring_detach(&ring);
    CHECK(0 == header->attachments);
    ring_memory_free(&memory);
}

/* Fills and empties by parts of any length, so that the end of the memory comes at each of them. */
static void test_wrap_and_full(const uint32_t producers)
{
    ring_memory memory;
    millrace_ring ring;
    ring_memory_make(&memory, 16, producers);
    CHECK(0 == millrace_ring_attach(&ring, memory.address, memory.bytes));
    const int capacity = MILLRACE_RING_ONE_PRODUCER == producers ? 15 : 16;
    CHECK(capacity == millrace_queue_capacity(&ring.to_java));
    uint64_t state = seed;
    millrace_descriptor out[20];
    millrace_descriptor in[20];
    int64_t sent = 0;
    int64_t received = 0;
    for (int turn = 0; turn < 20000; turn++)
    {
        const int wanted = (int)(random_of(&state) % 20);
        for (int i = 0; i < wanted; i++)
        {
            out[i] = descriptor(sent + i);
        }
        const int room = capacity - (int)(sent - received);
        const int written = millrace_queue_write(&ring.to_java, out, wanted);
        CHECK(written == (wanted < room ? wanted : room));
        sent += written;
        CHECK(millrace_queue_size(&ring.to_java) == (int)(sent - received));
        if (0 == random_of(&state) % 3)
        {
            int error = 1;
            millrace_descriptor *const claimed = millrace_queue_claim(&ring.to_java, 1, &error);
            CHECK((NULL == claimed) == (sent - received == capacity));
            if (NULL == claimed)
            {
                CHECK(0 == error);
            }
            else
            {
                /* Seen by nobody, and neither is what comes behind it, until it is committed. */
                CHECK((int)(sent - received) == millrace_queue_read(&ring.to_java, in, 20));
                for (int64_t number = received; number < sent; number++)
                {
                    check_descriptor(in + (number - received), number);
                }
                received = sent;
                CHECK(0 == millrace_queue_read(&ring.to_java, in, 20));
                CHECK(1 == millrace_queue_size(&ring.to_java));
                millrace_queue_abort(claimed);
                CHECK(0 == millrace_queue_read(&ring.to_java, in, 20));
                CHECK(0 == millrace_queue_size(&ring.to_java));
            }
        }
        const int limit = (int)(random_of(&state) % 20);
        const int on_queue = (int)(sent - received);
        const int read = millrace_queue_read(&ring.to_java, in, limit);
        CHECK(read == (limit < on_queue ? limit : on_queue));
        for (int i = 0; i < read; i++)
        {
            check_descriptor(in + i, received++);
        }
    }
    CHECK(MILLRACE_RING_BAD_ARGUMENT == millrace_queue_write(&ring.to_java, out, -1));
    CHECK(MILLRACE_RING_BAD_ARGUMENT == millrace_queue_read(&ring.to_java, in, -1));
    out[0].type = 0;
    CHECK(MILLRACE_RING_BAD_ARGUMENT == millrace_queue_write(&ring.to_java, out, 1));
    millrace_ring_detach(&ring);
    ring_memory_free(&memory);
}

/* Positions beyond 2^63 are as good as others. */
static void test_positions_wrap(void)
{
    ring_memory memory;
    millrace_ring ring;
    ring_memory_make(&memory, 16, MILLRACE_RING_ONE_PRODUCER);
    CHECK(0 == millrace_ring_attach(&ring, memory.address, memory.bytes));
    const int64_t start = INT64_MAX - 1023;
    *millrace_queue_word(&ring.to_java, MILLRACE_RING_TAIL_OFFSET) = start;
    *millrace_queue_word(&ring.to_java, MILLRACE_RING_HEAD_OFFSET) = start;
    *millrace_queue_word(&ring.to_java, MILLRACE_RING_HEAD_CACHE_OFFSET) = start;
    for (int64_t number = 0; number < 100; number++)
    {
        const millrace_descriptor out = descriptor(number);
        millrace_descriptor in;
        CHECK(1 == millrace_queue_write(&ring.to_java, &out, 1));
        CHECK(1 == millrace_queue_read(&ring.to_java, &in, 1));
        check_descriptor(&in, number);
    }
    CHECK(*millrace_queue_word(&ring.to_java, MILLRACE_RING_HEAD_OFFSET) < 0);
    millrace_ring_detach(&ring);
    ring_memory_free(&memory);
}

/* Bytes of a ring are overwritten at random; calls answer, and a sanitizer sees what reaches beyond the memory. */
static void test_corrupt(const uint32_t producers)
{
    uint64_t state = seed ^ 77;
    int corrupt = 0;
    for (int turn = 0; turn < 3000; turn++)
    {
        ring_memory memory;
        millrace_ring ring;
        ring_memory_make(&memory, 16, producers);
        CHECK(0 == millrace_ring_attach(&ring, memory.address, memory.bytes));
        const millrace_ring_header sound = *ring.header;
        millrace_descriptor batch[64];
        for (int i = 0; i < 64; i++)
        {
            batch[i] = descriptor(i);
        }
        CHECK(millrace_queue_write(&ring.to_java, batch, (int)(random_of(&state) % 16)) >= 0);
        for (int change = 0; change < 4; change++)
        {
            const int64_t value = random_of(&state) % 2 ? (int64_t)random_of(&state) :
                (int64_t)(random_of(&state) % 4096) - 2048;
            switch (random_of(&state) % 4)
            {
                case 0:
                    *millrace_queue_word(&ring.to_java, MILLRACE_RING_TAIL_OFFSET) = value;
                    break;
                case 1:
                    *millrace_queue_word(&ring.to_java, MILLRACE_RING_HEAD_OFFSET) = value;
                    break;
                case 2:
                    *millrace_queue_word(&ring.to_java, MILLRACE_RING_HEAD_CACHE_OFFSET) = value;
                    break;
                default:
                    millrace_queue_record(&ring.to_java, (int64_t)(random_of(&state) % 16 * 64))->record_bytes =
                        (int32_t)value;
                    break;
            }
        }
        /* Each turn is bounded by its limit, whatever it finds. */
        for (int call = 0; call < 20; call++)
        {
            const int read = millrace_queue_read(&ring.to_java, batch, 64);
            CHECK((read >= 0 && read <= 64) || MILLRACE_RING_IS_CORRUPT == read);
            const millrace_descriptor out = descriptor(call);
            const int written = millrace_queue_write(&ring.to_java, &out, 1);
            CHECK((written >= 0 && written <= 1) || MILLRACE_RING_IS_CORRUPT == written);
            const int size = millrace_queue_size(&ring.to_java);
            CHECK((size >= 0 && size <= 16) || MILLRACE_RING_IS_CORRUPT == size);
            corrupt += (read < 0) + (written < 0) + (size < 0);
        }
        /* What is written into the header once it is attached changes nothing. */
        uint8_t *const bytes = (uint8_t *)ring.header;
        bytes[random_of(&state) % offsetof(millrace_ring_header, attachments)] ^= 0xff;
        const millrace_descriptor out = descriptor(1);
        CHECK(1 == millrace_queue_write(&ring.to_native, &out, 1));
        CHECK(1 == millrace_queue_read(&ring.to_native, batch, 64));
        millrace_ring probe;
        if (0 == millrace_ring_attach(&probe, memory.address, memory.bytes))
        {
            millrace_ring_detach(&probe);
        }
        *ring.header = sound;
        ring_memory_free(&memory);
    }
    CHECK(corrupt > 1000);
}

static void test_types_and_misplaced_positions_are_corrupt(void)
{
    ring_memory memory;
    millrace_ring ring;
    ring_memory_make(&memory, 16, MILLRACE_RING_ONE_PRODUCER);
    CHECK(0 == millrace_ring_attach(&ring, memory.address, memory.bytes));
    millrace_descriptor in[4];
    const millrace_descriptor out = descriptor(1);
    CHECK(1 == millrace_queue_write(&ring.to_java, &out, 1));
    millrace_descriptor *const record = millrace_queue_record(&ring.to_java, 0);
    record->type = 0;
    CHECK(MILLRACE_RING_IS_CORRUPT == millrace_queue_read(&ring.to_java, in, 4));
    record->type = 1;
    record->record_bytes = 72;
    CHECK(MILLRACE_RING_IS_CORRUPT == millrace_queue_read(&ring.to_java, in, 4));
    record->record_bytes = 64;
    CHECK(1 == millrace_queue_read(&ring.to_java, in, 4));
    *millrace_queue_word(&ring.to_java, MILLRACE_RING_HEAD_OFFSET) = 72;
    CHECK(MILLRACE_RING_IS_CORRUPT == millrace_queue_read(&ring.to_java, in, 4));
    *millrace_queue_word(&ring.to_native, MILLRACE_RING_TAIL_OFFSET) = 64 * 17;
    CHECK(MILLRACE_RING_IS_CORRUPT == millrace_ring_sleep(&ring, 0));
    CHECK(0 == ring.header->native_sleeping);
    millrace_ring_detach(&ring);
    ring_memory_free(&memory);
}

/* A side that reads in batches, sleeps when there is nothing, and checks order. */
typedef struct reader
{
    millrace_ring end;
    int64_t expected[THREADS];
    int64_t received;
    int64_t sleeps;
    uint64_t state;
} reader;

static void *read_all(void *argument)
{
    reader *const self = (reader *)argument;
    millrace_descriptor in[32];
    const int64_t all = self->received;
    self->received = 0;
    while (self->received < all)
    {
        const int read = millrace_queue_read(&self->end.to_native, in, 1 + (int)(random_of(&self->state) % 32));
        CHECK(read >= 0);
        for (int i = 0; i < read; i++)
        {
            const int producer = (int)(in[i].word0 % THREADS);
            CHECK(in[i].word0 == self->expected[producer]);
            check_descriptor(in + i, in[i].word0);
            self->expected[producer] += THREADS;
        }
        self->received += read;
        if (0 == read && self->received < all)
        {
            /* Without end: a wake-up that is lost is a test that does not end. */
            CHECK(1 == millrace_ring_sleep(&self->end, -1));
            self->sleeps++;
        }
        if (0 == random_of(&self->state) % 512)
        {
            pause_ns((long)(random_of(&self->state) % 20000));
        }
    }
    return NULL;
}

typedef struct writer
{
    millrace_queue queue;
    int64_t first;
    int64_t count;
    int64_t signals;
    uint64_t state;
} writer;

static void *write_all(void *argument)
{
    writer *const self = (writer *)argument;
    millrace_descriptor out[32];
    int64_t sent = 0;
    while (sent < self->count)
    {
        const int wanted = 1 + (int)(random_of(&self->state) % 32);
        const int count = wanted < self->count - sent ? wanted : (int)(self->count - sent);
        for (int i = 0; i < count; i++)
        {
            out[i] = descriptor(self->first + (sent + i) * THREADS);
        }
        const int written = millrace_queue_write(&self->queue, out, count);
        CHECK(written >= 0);
        sent += written;
        const int signalled = millrace_queue_wake(&self->queue);
        CHECK(signalled >= 0);
        self->signals += signalled;
        if (written < count)
        {
            pause_ns(1000);
        }
        else if (0 == random_of(&self->state) % 64)
        {
            pause_ns((long)(random_of(&self->state) % 20000));
        }
    }
    return NULL;
}

/* From native code to Java by one or several threads; both directions at once when there is one. */
static void test_threads(const uint32_t producers)
{
    ring_memory memory;
    millrace_ring ring;
    ring_memory_make(&memory, 64, producers);
    CHECK(0 == millrace_ring_attach(&ring, memory.address, memory.bytes));
    const int writers = MILLRACE_RING_ONE_PRODUCER == producers ? 1 : THREADS;
    pthread_t threads[THREADS + 3];
    int started = 0;
    writer to_java[THREADS];
    reader java = {java_end(&ring), {0}, (int64_t)writers * (MESSAGES / writers), 0, seed + 1};
    for (int i = 0; i < THREADS; i++)
    {
        java.expected[i] = i;
    }
    CHECK(0 == pthread_create(threads + started++, NULL, read_all, &java));
    for (int i = 0; i < writers; i++)
    {
        to_java[i] = (writer){ring.to_java, i, MESSAGES / writers, 0, seed + 10 + (uint64_t)i};
        CHECK(0 == pthread_create(threads + started++, NULL, write_all, to_java + i));
    }
    writer to_native = {ring.to_native, 0, MESSAGES, 0, seed + 2};
    reader native = {ring, {0, 1, 2, 3}, MESSAGES, 0, seed + 3};
    CHECK(0 == pthread_create(threads + started++, NULL, read_all, &native));
    CHECK(0 == pthread_create(threads + started++, NULL, write_all, &to_native));
    for (int i = 0; i < started; i++)
    {
        CHECK(0 == pthread_join(threads[i], NULL));
    }
    int64_t signals = to_native.signals;
    for (int i = 0; i < writers; i++)
    {
        signals += to_java[i].signals;
    }
    CHECK(java.sleeps > 0 && native.sleeps > 0 && signals > 0);
    CHECK(0 == millrace_queue_size(&ring.to_java) && 0 == millrace_queue_size(&ring.to_native));
    printf("  %lld and %lld sleeps, %lld signals for %d descriptors\n", (long long)java.sleeps,
        (long long)native.sleeps, (long long)signals, 2 * MESSAGES);
    millrace_ring_detach(&ring);
    ring_memory_free(&memory);
}

static void test_signals_only_who_sleeps(void)
{
    ring_memory memory;
    millrace_ring ring;
    ring_memory_make(&memory, 16, MILLRACE_RING_MANY_PRODUCERS);
    CHECK(0 == millrace_ring_attach(&ring, memory.address, memory.bytes));
    const millrace_ring java = java_end(&ring);
    const millrace_descriptor out = descriptor(1);
    millrace_descriptor in;
    CHECK(1 == millrace_queue_write(&ring.to_java, &out, 1));
    CHECK(0 == millrace_queue_wake(&ring.to_java));
    /* There is something: nobody sleeps. */
    CHECK(0 == millrace_ring_prepare_sleep(&java));
    CHECK(0 == *memory.java_sleeping);
    CHECK(1 == millrace_queue_read(&ring.to_java, &in, 1));
    CHECK(1 == millrace_ring_prepare_sleep(&java));
    CHECK(1 == *memory.java_sleeping);
    /* The first of several producers signals. */
    CHECK(1 == millrace_queue_write(&ring.to_java, &out, 1));
    CHECK(1 == millrace_queue_wake(&ring.to_java));
    CHECK(0 == millrace_queue_wake(&ring.to_java));
    uint64_t counter = 0;
    CHECK(sizeof(counter) == read(ring.to_java.event, &counter, sizeof(counter)) && 1 == counter);
    millrace_ring_awake(&java);
    /* Time over, and a descriptor that is none. */
    CHECK(0 == millrace_ring_sleep(&ring, 1));
    millrace_ring broken = ring;
    broken.to_native.event = 1 << 20;
    CHECK(MILLRACE_RING_BAD_EVENT == millrace_ring_sleep(&broken, 1));
    broken.to_java.event = 1 << 20;
    *memory.java_sleeping = 1;
    CHECK(MILLRACE_RING_BAD_EVENT == millrace_queue_wake(&broken.to_java));
    millrace_ring_detach(&ring);
    ring_memory_free(&memory);
}

/* Both sides do their half at the same moment, again and again: at least one of them sees the other. */
typedef struct crossing
{
    millrace_ring ring;
    int64_t at_consumer;
    int64_t at_producer;
    int sleeps;
} crossing;

/* Returns the turn, or that it is over. */
static int64_t await_turn(const int64_t *word, const int64_t turn)
{
    for (int i = 0;; i++)
    {
        const int64_t at = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (turn == at || CROSSING_OVER == at)
        {
            return at;
        }
        if (i > 20000)
        {
            sched_yield();
        }
    }
}

static void *prepare_at_once(void *argument)
{
    crossing *const self = (crossing *)argument;
    for (int64_t turn = 1; turn == await_turn(&self->at_producer, turn); turn++)
    {
        self->sleeps = millrace_ring_prepare_sleep(&self->ring);
        __atomic_store_n(&self->at_consumer, turn, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void test_one_of_two_that_cross_sees_the_other(void)
{
    ring_memory memory;
    crossing both;
    memset(&both, 0, sizeof(both));
    ring_memory_make(&memory, 16, MILLRACE_RING_ONE_PRODUCER);
    CHECK(0 == millrace_ring_attach(&both.ring, memory.address, memory.bytes));
    const millrace_ring java = java_end(&both.ring);
    pthread_t thread;
    CHECK(0 == pthread_create(&thread, NULL, prepare_at_once, &both));
    uint64_t state = seed;
    const int64_t end_ns = now_ns() + CROSSING_NS;
    for (int64_t turn = 1; turn <= MESSAGES && now_ns() < end_ns; turn++)
    {
        const millrace_descriptor out = descriptor(turn);
        millrace_descriptor in;
        __atomic_store_n(&both.at_producer, turn, __ATOMIC_RELEASE);
        /* About as long as the other side takes to see it. */
        for (volatile uint64_t wait = random_of(&state) % 128; wait > 0; wait--)
        {
        }
        CHECK(1 == millrace_queue_write(&java.to_java, &out, 1));
        const int signalled = millrace_queue_wake(&java.to_java);
        await_turn(&both.at_consumer, turn);
        CHECK(1 == signalled || 0 == both.sleeps);
        millrace_ring_awake(&both.ring);
        CHECK(1 == millrace_queue_read(&both.ring.to_native, &in, 1));
    }
    __atomic_store_n(&both.at_producer, CROSSING_OVER, __ATOMIC_RELEASE);
    CHECK(0 == pthread_join(thread, NULL));
    millrace_ring_detach(&both.ring);
    ring_memory_free(&memory);
}

static void *sleep_until_closed(void *argument)
{
    millrace_ring *const ring = (millrace_ring *)argument;
    while (!millrace_ring_is_closed(ring))
    {
        CHECK(1 == millrace_ring_sleep(ring, -1));
    }
    millrace_ring_detach(ring);
    return NULL;
}

static void test_closing_wakes(void)
{
    uint64_t state = seed;
    for (int turn = 0; turn < 200; turn++)
    {
        ring_memory memory;
        millrace_ring ring;
        ring_memory_make(&memory, 16, MILLRACE_RING_ONE_PRODUCER);
        CHECK(0 == millrace_ring_attach(&ring, memory.address, memory.bytes));
        millrace_ring java = ring;
        pthread_t thread;
        CHECK(0 == pthread_create(&thread, NULL, sleep_until_closed, &ring));
        pause_ns((long)(random_of(&state) % 100000));
        ring_memory_request_detach(&java);
        CHECK(0 == pthread_join(thread, NULL));
        CHECK(MILLRACE_RING_CLOSED == java.header->attachments);
        CHECK(0 == millrace_ring_prepare_sleep(&java));
        CHECK(MILLRACE_RING_IS_CLOSED == millrace_ring_attach(&java, memory.address, memory.bytes));
        ring_memory_free(&memory);
    }
}

#define RUN(call) \
    do \
    { \
        printf("%s\n", #call); \
        fflush(stdout); \
        call; \
    } \
    while (0)

int main(int count, char **arguments)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed = count > 1 ? strtoull(arguments[1], NULL, 10) : (uint64_t)now.tv_nsec;
    printf("seed %llu\n", (unsigned long long)seed);
    RUN(test_attach_refuses());
    RUN(test_wrap_and_full(MILLRACE_RING_ONE_PRODUCER));
    RUN(test_wrap_and_full(MILLRACE_RING_MANY_PRODUCERS));
    RUN(test_positions_wrap());
    RUN(test_types_and_misplaced_positions_are_corrupt());
    RUN(test_corrupt(MILLRACE_RING_ONE_PRODUCER));
    RUN(test_corrupt(MILLRACE_RING_MANY_PRODUCERS));
    RUN(test_signals_only_who_sleeps());
    RUN(test_one_of_two_that_cross_sees_the_other());
    RUN(test_closing_wakes());
    RUN(test_threads(MILLRACE_RING_ONE_PRODUCER));
    RUN(test_threads(MILLRACE_RING_MANY_PRODUCERS));
    printf("all hold\n");
    return 0;
}
