/*
 * The C side of a ring between a reactor of Millrace and native code.
 *
 * A ring is one piece of memory that Java makes (io.millrace.reactor.NativeRing) and whose address and length it hands
 * to C. It holds two queues of fixed 64-byte descriptors, one each way, in the layout of Agrona's ring buffers, and
 * what is needed to sleep and to wake. Nothing here allocates, locks, waits or calls back into Java. C11 or C++11, gcc
 * or clang, Linux on a little-endian 64-bit processor; no library but the C library.
 *
 *     millrace_ring ring;
 *     int error = millrace_ring_attach(&ring, memory, bytes);
 *
 *     millrace_descriptor in[64];
 *     int n = millrace_queue_read(&ring.to_native, in, 64);         // what Java sent; 0: nothing now
 *     ...
 *     int w = millrace_queue_write(&ring.to_java, out, n);          // fewer than n: full now, the rest later
 *     millrace_queue_wake(&ring.to_java);                           // once, after the last of a batch
 *     ...
 *     if (nothing_to_do)
 *         millrace_ring_sleep(&ring, -1);                           // until Java sends something
 *
 *     if (millrace_ring_is_closed(&ring))                           // Java asks for the memory back
 *         millrace_ring_detach(&ring);
 *
 * Threads. One thread reads ring.to_native, sleeps and detaches. ring.to_java has one writing thread, or any number
 * when Java made the ring for many producers. Reading and writing thread may be two.
 *
 * Full. A write into a full queue writes less than was asked for, or nothing, and returns at once. Whoever has more to
 * write keeps it and tries again when it is polled next; it does not sleep meanwhile, since nothing announces room.
 *
 * Waking. Whoever publishes calls millrace_queue_wake() after the last descriptor of a batch: a full fence, and a
 * system call only when the consumer sleeps. A consumer raises its flag, has a full fence, looks at its queue again and
 * only then blocks; of two that cross, at least one sees what the other stored, so no wake-up is lost.
 *
 * Memory. It is read with the bounds that were checked when attaching; what anybody has since written into the header
 * does not matter. Positions and records are checked each time: what cannot be is MILLRACE_RING_IS_CORRUPT, never an
 * access outside of the memory or an endless loop. After that the ring is of no use any more: detach.
 */
#ifndef MILLRACE_RING_H
#define MILLRACE_RING_H

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !defined(__LP64__)
#error "millrace_ring.h is for little-endian 64-bit processors"
#endif

/* "MILLRING" as it lies in memory. */
#define MILLRACE_RING_MAGIC UINT64_C(0x474e49524c4c494d)
/* Of the layout below. Another one is refused. */
#define MILLRACE_RING_VERSION 1

/* What a descriptor takes, its header of 8 bytes included; a cache line. */
#define MILLRACE_RING_RECORD_BYTES 64
/* What a word has to itself: processors fetch lines of 64 bytes in pairs. */
#define MILLRACE_RING_LINE_BYTES 128
/* Behind the records of a queue: positions, as RingBufferDescriptor of Agrona has them. */
#define MILLRACE_RING_TAIL_OFFSET 128
#define MILLRACE_RING_HEAD_CACHE_OFFSET 256
#define MILLRACE_RING_HEAD_OFFSET 384
#define MILLRACE_RING_TRAILER_BYTES 768
/* Descriptors that a queue has places for; a power of two. */
#define MILLRACE_RING_PLACES_MIN 16
#define MILLRACE_RING_PLACES_MAX 1048576
/* Type of a record that carries nothing. */
#define MILLRACE_RING_PADDING (-1)

/* How many threads write to_java. */
#define MILLRACE_RING_ONE_PRODUCER 1
#define MILLRACE_RING_MANY_PRODUCERS 2

/* In millrace_ring_header.attachments: Java wants the memory back. The other bits count who is attached. */
#define MILLRACE_RING_CLOSED INT32_MIN

/* Errors are negative. */
enum
{
    /* The address is not aligned to 128, or there are fewer bytes than the header says. */
    MILLRACE_RING_BAD_MEMORY = -1,
    /* Not such a ring. */
    MILLRACE_RING_BAD_MAGIC = -2,
    /* A ring of another version or with other sizes: header and Java side do not belong together. */
    MILLRACE_RING_BAD_VERSION = -3,
    /* Places, capacities or offsets in the header cannot be. */
    MILLRACE_RING_BAD_LAYOUT = -4,
    /* Java has closed the ring, or is about to. */
    MILLRACE_RING_IS_CLOSED = -5,
    /* A position or a record cannot be: somebody has written where it should not. */
    MILLRACE_RING_IS_CORRUPT = -6,
    /* A type below 1, or a count below 0. */
    MILLRACE_RING_BAD_ARGUMENT = -7,
    /* The event descriptor cannot be written, read or waited for: see errno. */
    MILLRACE_RING_BAD_EVENT = -8
};

/* One record. A payload stays where it is; only its address crosses. */
typedef struct millrace_descriptor
{
    /* Written by the queue: 64, and not positive while the record is being written. */
    int32_t record_bytes;
    /* What it says: 1 or more, agreed between both sides. */
    int32_t type;
    /* Of the payload, or 0. */
    uint64_t address;
    /* Of the payload in bytes. */
    int32_t length;
    /* Index of a request or another preallocated thing. */
    int32_t slot;
    /* For the type's own use. */
    int64_t word0;
    int64_t word1;
    /* Zero. */
    int64_t reserved[3];
} millrace_descriptor;

/* The first bytes of a ring. Java writes them before it hands out the address; the last two words change later. */
typedef struct millrace_ring_header
{
    uint64_t magic;
    uint32_t version;
    /* sizeof(millrace_ring_header), MILLRACE_RING_RECORD_BYTES, MILLRACE_RING_TRAILER_BYTES. */
    uint32_t header_bytes;
    uint32_t record_bytes;
    uint32_t trailer_bytes;
    /* Of all. */
    uint64_t total_bytes;
    /* Where the queues are, from the start of the memory, and how many bytes of records each has. */
    uint64_t to_native_offset;
    uint64_t to_native_capacity;
    uint64_t to_java_offset;
    uint64_t to_java_capacity;
    /* Address of the reactor's sleeping flag, an int32_t that is its own and all its rings share. Always there. */
    uint64_t java_sleeping;
    /* Event descriptors: one wakes the reactor, the other is what native code waits for. */
    int32_t java_event;
    int32_t native_event;
    /* MILLRACE_RING_ONE_PRODUCER or MILLRACE_RING_MANY_PRODUCERS. */
    uint32_t to_java_producers;
    uint32_t reserved0;
    uint8_t reserved1[40];
    /* How many are attached, and MILLRACE_RING_CLOSED. */
    int32_t attachments;
    uint8_t reserved2[124];
    /* 1 while native code sleeps, else 0. */
    int32_t native_sleeping;
    uint8_t reserved3[124];
} millrace_ring_header;

/* One direction. Filled in by millrace_ring_attach(). */
typedef struct millrace_queue
{
    /* Records, and behind them the positions. */
    uint8_t *buffer;
    uint64_t capacity;
    /* The consumer's. */
    int32_t *sleeping;
    int32_t event;
    uint32_t producers;
} millrace_queue;

/* A ring as native code holds it. */
typedef struct millrace_ring
{
    millrace_ring_header *header;
    /* To be read. */
    millrace_queue to_native;
    /* To be written. */
    millrace_queue to_java;
} millrace_ring;

#define MILLRACE_RING_INLINE static inline __attribute__((unused))

MILLRACE_RING_INLINE int64_t *millrace_queue_word(const millrace_queue *queue, const uint64_t offset)
{
    return (int64_t *)(void *)(queue->buffer + queue->capacity + offset);
}

MILLRACE_RING_INLINE millrace_descriptor *millrace_queue_record(const millrace_queue *queue, const int64_t position)
{
    return (millrace_descriptor *)(void *)(queue->buffer + ((uint64_t)position & (queue->capacity - 1)));
}

/* Whether positions can be: whole records, and no more of them than there are places. */
MILLRACE_RING_INLINE int millrace_queue_is_sound(const millrace_queue *queue, const int64_t head, const int64_t tail)
{
    const uint64_t used = (uint64_t)tail - (uint64_t)head;
    return used <= queue->capacity && 0 == (((uint64_t)head | (uint64_t)tail) & (MILLRACE_RING_RECORD_BYTES - 1));
}

/*
 * How many descriptors are on a queue, those included that are claimed and not committed yet, or
 * MILLRACE_RING_IS_CORRUPT. Any thread; a moment old.
 */
MILLRACE_RING_INLINE int millrace_queue_size(const millrace_queue *queue)
{
    /* The head first: the tail is never behind a head that was read before it. */
    const int64_t head = __atomic_load_n(millrace_queue_word(queue, MILLRACE_RING_HEAD_OFFSET), __ATOMIC_ACQUIRE);
    const int64_t tail = __atomic_load_n(millrace_queue_word(queue, MILLRACE_RING_TAIL_OFFSET), __ATOMIC_ACQUIRE);
    const uint64_t used = (uint64_t)tail - (uint64_t)head;
    if (millrace_queue_is_sound(queue, head, tail))
    {
        return (int)(used / MILLRACE_RING_RECORD_BYTES);
    }
    /* For a thread that is neither producer nor consumer both may have gone on between the two loads. */
    return head != __atomic_load_n(millrace_queue_word(queue, MILLRACE_RING_HEAD_OFFSET), __ATOMIC_ACQUIRE) &&
        0 == (((uint64_t)head | (uint64_t)tail) & (MILLRACE_RING_RECORD_BYTES - 1)) ?
        (int)(queue->capacity / MILLRACE_RING_RECORD_BYTES) : MILLRACE_RING_IS_CORRUPT;
}

/* How many descriptors fit: one place stays free when there is one producer. */
MILLRACE_RING_INLINE int millrace_queue_capacity(const millrace_queue *queue)
{
    return (int)(queue->capacity / MILLRACE_RING_RECORD_BYTES) -
        (MILLRACE_RING_ONE_PRODUCER == queue->producers ? 1 : 0);
}

/*
 * Places a descriptor for the one producer. The record behind it is made empty first, where the consumer will stop.
 */
MILLRACE_RING_INLINE millrace_descriptor *millrace_queue_claim_one(const millrace_queue *queue, int *error)
{
    int64_t *const tail_word = millrace_queue_word(queue, MILLRACE_RING_TAIL_OFFSET);
    int64_t *const cache_word = millrace_queue_word(queue, MILLRACE_RING_HEAD_CACHE_OFFSET);
    const int64_t tail = __atomic_load_n(tail_word, __ATOMIC_RELAXED);
    int64_t head = __atomic_load_n(cache_word, __ATOMIC_RELAXED);
    const uint64_t needed = 2 * MILLRACE_RING_RECORD_BYTES;
    if (queue->capacity - ((uint64_t)tail - (uint64_t)head) < needed || !millrace_queue_is_sound(queue, head, tail))
    {
        head = __atomic_load_n(millrace_queue_word(queue, MILLRACE_RING_HEAD_OFFSET), __ATOMIC_ACQUIRE);
        if (!millrace_queue_is_sound(queue, head, tail))
        {
            *error = MILLRACE_RING_IS_CORRUPT;
            return NULL;
        }
        if (queue->capacity - ((uint64_t)tail - (uint64_t)head) < needed)
        {
            *error = 0;
            return NULL;
        }
        __atomic_store_n(cache_word, head, __ATOMIC_RELAXED);
    }
    const int64_t next = (int64_t)((uint64_t)tail + MILLRACE_RING_RECORD_BYTES);
    __atomic_store_n(&millrace_queue_record(queue, next)->record_bytes, 0, __ATOMIC_RELAXED);
    __atomic_store_n(tail_word, next, __ATOMIC_RELEASE);
    return millrace_queue_record(queue, tail);
}

/*
 * Places a descriptor for one of many producers. The consumer leaves only zeroes behind.
 */
MILLRACE_RING_INLINE millrace_descriptor *millrace_queue_claim_many(const millrace_queue *queue, int *error)
{
    int64_t *const tail_word = millrace_queue_word(queue, MILLRACE_RING_TAIL_OFFSET);
    int64_t *const cache_word = millrace_queue_word(queue, MILLRACE_RING_HEAD_CACHE_OFFSET);
    int64_t head = __atomic_load_n(cache_word, __ATOMIC_ACQUIRE);
    int64_t tail = __atomic_load_n(tail_word, __ATOMIC_ACQUIRE);
    for (;;)
    {
        /* Each further turn is one in which another producer has claimed a place. */
        if ((uint64_t)tail - (uint64_t)head >= queue->capacity || !millrace_queue_is_sound(queue, head, tail))
        {
            head = __atomic_load_n(millrace_queue_word(queue, MILLRACE_RING_HEAD_OFFSET), __ATOMIC_ACQUIRE);
            const int64_t seen = tail;
            tail = __atomic_load_n(tail_word, __ATOMIC_ACQUIRE);
            if (!millrace_queue_is_sound(queue, head, tail))
            {
                if (seen != tail)
                {
                    continue;
                }
                *error = MILLRACE_RING_IS_CORRUPT;
                return NULL;
            }
            if ((uint64_t)tail - (uint64_t)head >= queue->capacity)
            {
                *error = 0;
                return NULL;
            }
            __atomic_store_n(cache_word, head, __ATOMIC_RELEASE);
        }
        const int64_t next = (int64_t)((uint64_t)tail + MILLRACE_RING_RECORD_BYTES);
        if (__atomic_compare_exchange_n(tail_word, &tail, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE))
        {
            return millrace_queue_record(queue, tail);
        }
    }
}

/*
 * Claims the next place, to be filled in and committed soon: the consumer sees nothing behind it before.
 *
 * queue  written by the caller's thread.
 * type   1 or more.
 * error  0 when the queue is full now, else why there is no place.
 * Returns the place, of which address, length, slot, word0, word1 and reserved are the caller's to write; else NULL.
 */
MILLRACE_RING_INLINE millrace_descriptor *millrace_queue_claim(
    const millrace_queue *queue, const int32_t type, int *error)
{
    if (type < 1)
    {
        *error = MILLRACE_RING_BAD_ARGUMENT;
        return NULL;
    }
    millrace_descriptor *const record = MILLRACE_RING_ONE_PRODUCER == queue->producers ?
        millrace_queue_claim_one(queue, error) : millrace_queue_claim_many(queue, error);
    if (NULL != record)
    {
        __atomic_store_n(&record->record_bytes, -MILLRACE_RING_RECORD_BYTES, __ATOMIC_RELEASE);
        __atomic_thread_fence(__ATOMIC_RELEASE);
        record->type = type;
    }
    return record;
}

/* Publishes a claimed place. It is the consumer's from now on. */
MILLRACE_RING_INLINE void millrace_queue_commit(millrace_descriptor *record)
{
    __atomic_store_n(&record->record_bytes, MILLRACE_RING_RECORD_BYTES, __ATOMIC_RELEASE);
}

/* Publishes a claimed place as one that carries nothing. */
MILLRACE_RING_INLINE void millrace_queue_abort(millrace_descriptor *record)
{
    record->type = MILLRACE_RING_PADDING;
    millrace_queue_commit(record);
}

/*
 * Writes descriptors in order, as many as fit. Follow it with millrace_queue_wake().
 *
 * queue        written by the caller's thread.
 * descriptors  to copy; record_bytes is not looked at.
 * count        0 or more.
 * Returns how many were written, less than count when the queue is full now; else an error, before which some may have
 * been written.
 */
MILLRACE_RING_INLINE int millrace_queue_write(
    const millrace_queue *queue, const millrace_descriptor *descriptors, const int count)
{
    if (count < 0)
    {
        return MILLRACE_RING_BAD_ARGUMENT;
    }
    int written = 0;
    for (; written < count; written++)
    {
        int error = 0;
        const millrace_descriptor *const from = descriptors + written;
        millrace_descriptor *const record = millrace_queue_claim(queue, from->type, &error);
        if (NULL == record)
        {
            if (0 != error)
            {
                return error;
            }
            break;
        }
        memcpy(&record->address, &from->address,
            MILLRACE_RING_RECORD_BYTES - offsetof(millrace_descriptor, address));
        millrace_queue_commit(record);
    }
    return written;
}

/*
 * Reads descriptors in order.
 *
 * queue        read by the caller's thread.
 * descriptors  room for so many.
 * limit        at most so many; 0 or more.
 * Returns how many were read, 0 when there is nothing now; else an error, with which nothing is read.
 */
MILLRACE_RING_INLINE int millrace_queue_read(
    const millrace_queue *queue, millrace_descriptor *descriptors, const int limit)
{
    if (limit < 0)
    {
        return MILLRACE_RING_BAD_ARGUMENT;
    }
    int64_t *const head_word = millrace_queue_word(queue, MILLRACE_RING_HEAD_OFFSET);
    const int64_t head = __atomic_load_n(head_word, __ATOMIC_RELAXED);
    if (!millrace_queue_is_sound(queue, head, head))
    {
        return MILLRACE_RING_IS_CORRUPT;
    }
    int read = 0;
    /* Records that carry nothing count too, so that a turn is bounded whatever lies there; none is read twice. */
    const int places = (int)(queue->capacity / MILLRACE_RING_RECORD_BYTES);
    const int records_max = limit < places ? limit : places;
    int records = 0;
    while (records < records_max)
    {
        millrace_descriptor *const record =
            millrace_queue_record(queue, (int64_t)((uint64_t)head + (uint64_t)records * MILLRACE_RING_RECORD_BYTES));
        const int32_t length = __atomic_load_n(&record->record_bytes, __ATOMIC_ACQUIRE);
        if (length <= 0)
        {
            break;
        }
        if (MILLRACE_RING_RECORD_BYTES != length || (record->type < 1 && MILLRACE_RING_PADDING != record->type))
        {
            return MILLRACE_RING_IS_CORRUPT;
        }
        if (MILLRACE_RING_PADDING != record->type)
        {
            descriptors[read++] = *record;
        }
        records++;
    }
    if (records > 0)
    {
        if (MILLRACE_RING_MANY_PRODUCERS == queue->producers)
        {
            for (int i = 0; i < records; i++)
            {
                memset(millrace_queue_record(
                    queue, (int64_t)((uint64_t)head + (uint64_t)i * MILLRACE_RING_RECORD_BYTES)), 0,
                    MILLRACE_RING_RECORD_BYTES);
            }
        }
        __atomic_store_n(
            head_word, (int64_t)((uint64_t)head + (uint64_t)records * MILLRACE_RING_RECORD_BYTES), __ATOMIC_RELEASE);
    }
    return read;
}

/*
 * Wakes the consumer when it sleeps. To be called after what was written, once for a batch.
 *
 * Returns 1 when the consumer was signalled, 0 when it is awake, or MILLRACE_RING_BAD_EVENT.
 */
MILLRACE_RING_INLINE int millrace_queue_wake(const millrace_queue *queue)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (0 == __atomic_load_n(queue->sleeping, __ATOMIC_ACQUIRE))
    {
        return 0;
    }
    int32_t up = 1;
    if (!__atomic_compare_exchange_n(queue->sleeping, &up, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE))
    {
        /* Another producer signals. */
        return 0;
    }
    const uint64_t one = 1;
    const ssize_t result = write(queue->event, &one, sizeof(one));
    /* A counter that is full is as good as a signal. */
    return (ssize_t)sizeof(one) == result || (result < 0 && EAGAIN == errno) ? 1 : MILLRACE_RING_BAD_EVENT;
}

/* Whether Java wants the memory back: stop, and detach. Any thread. */
MILLRACE_RING_INLINE int millrace_ring_is_closed(const millrace_ring *ring)
{
    return 0 != (__atomic_load_n(&ring->header->attachments, __ATOMIC_ACQUIRE) & MILLRACE_RING_CLOSED);
}

/*
 * The first half of sleeping, for those that wait for more than one descriptor: raises the flag and looks again. At 1,
 * wait until ring->header's native_event is readable (its counter need not be read when it is watched
 * edge-triggered), then call millrace_ring_awake() in any case.
 *
 * Returns 1 when the caller may block, 0 when there is something to do, or an error; the flag is down then.
 */
MILLRACE_RING_INLINE int millrace_ring_prepare_sleep(const millrace_ring *ring)
{
    __atomic_store_n(ring->to_native.sleeping, 1, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const int size = millrace_queue_size(&ring->to_native);
    if (0 == size && !millrace_ring_is_closed(ring))
    {
        return 1;
    }
    __atomic_store_n(ring->to_native.sleeping, 0, __ATOMIC_RELEASE);
    return size < 0 ? size : 0;
}

/* The second half: lowers the flag. */
MILLRACE_RING_INLINE void millrace_ring_awake(const millrace_ring *ring)
{
    __atomic_store_n(ring->to_native.sleeping, 0, __ATOMIC_RELEASE);
}

/*
 * Blocks until Java sends something, closes the ring, or the time is over. The thread that reads to_native.
 *
 * timeout_ms  -1 for none.
 * Returns 1 when there is, or may be, something to do, 0 when the time is over, or an error.
 */
MILLRACE_RING_INLINE int millrace_ring_sleep(const millrace_ring *ring, const int timeout_ms)
{
    const int ready = millrace_ring_prepare_sleep(ring);
    if (1 != ready)
    {
        return 0 == ready ? 1 : ready;
    }
    struct pollfd event;
    event.fd = ring->to_native.event;
    event.events = POLLIN;
    event.revents = 0;
    const int polled = poll(&event, 1, timeout_ms);
    millrace_ring_awake(ring);
    if (polled < 0)
    {
        return EINTR == errno ? 1 : MILLRACE_RING_BAD_EVENT;
    }
    if (polled > 0)
    {
        uint64_t counter;
        if (0 == (event.revents & POLLIN) ||
            (read(ring->to_native.event, &counter, sizeof(counter)) < 0 && EAGAIN != errno && EINTR != errno))
        {
            return MILLRACE_RING_BAD_EVENT;
        }
    }
    return polled > 0 ? 1 : 0;
}

/* Whether a queue lies within the memory, aligned, with a capacity that can be. */
MILLRACE_RING_INLINE int millrace_ring_has_queue(
    const uint64_t total, const uint64_t offset, const uint64_t capacity)
{
    return capacity >= MILLRACE_RING_PLACES_MIN * MILLRACE_RING_RECORD_BYTES &&
        capacity <= (uint64_t)MILLRACE_RING_PLACES_MAX * MILLRACE_RING_RECORD_BYTES &&
        0 == (capacity & (capacity - 1)) &&
        0 == offset % MILLRACE_RING_LINE_BYTES &&
        offset >= sizeof(millrace_ring_header) &&
        offset <= total &&
        capacity + MILLRACE_RING_TRAILER_BYTES <= total - offset;
}

/*
 * Takes part in a ring. From then on the memory stays until millrace_ring_detach().
 *
 * ring    filled in.
 * memory  as Java handed it out; Java has not closed it yet.
 * bytes   of the memory.
 * Returns 0 or an error, with which ring is not usable.
 */
MILLRACE_RING_INLINE int millrace_ring_attach(millrace_ring *ring, void *memory, const uint64_t bytes)
{
    if (NULL == memory || 0 != (uintptr_t)memory % MILLRACE_RING_LINE_BYTES || bytes < sizeof(millrace_ring_header))
    {
        return MILLRACE_RING_BAD_MEMORY;
    }
    millrace_ring_header *const shared = (millrace_ring_header *)memory;
    /* A copy of what does not change: what is checked is what is used. */
    millrace_ring_header header;
    memcpy(&header, shared, offsetof(millrace_ring_header, attachments));
    if (MILLRACE_RING_MAGIC != header.magic)
    {
        return MILLRACE_RING_BAD_MAGIC;
    }
    if (MILLRACE_RING_VERSION != header.version || sizeof(millrace_ring_header) != header.header_bytes ||
        MILLRACE_RING_RECORD_BYTES != header.record_bytes || MILLRACE_RING_TRAILER_BYTES != header.trailer_bytes)
    {
        return MILLRACE_RING_BAD_VERSION;
    }
    if (header.total_bytes > bytes)
    {
        return MILLRACE_RING_BAD_MEMORY;
    }
    const uint64_t to_native_end =
        header.to_native_offset + header.to_native_capacity + MILLRACE_RING_TRAILER_BYTES;
    const uint64_t to_java_end = header.to_java_offset + header.to_java_capacity + MILLRACE_RING_TRAILER_BYTES;
    if (!millrace_ring_has_queue(header.total_bytes, header.to_native_offset, header.to_native_capacity) ||
        !millrace_ring_has_queue(header.total_bytes, header.to_java_offset, header.to_java_capacity) ||
        (header.to_java_offset < to_native_end && header.to_native_offset < to_java_end) ||
        (MILLRACE_RING_ONE_PRODUCER != header.to_java_producers &&
        MILLRACE_RING_MANY_PRODUCERS != header.to_java_producers) ||
        0 == header.java_sleeping || 0 != header.java_sleeping % sizeof(int32_t) ||
        header.java_event < 0 || header.native_event < 0)
    {
        return MILLRACE_RING_BAD_LAYOUT;
    }
    int32_t attachments = __atomic_load_n(&shared->attachments, __ATOMIC_ACQUIRE);
    do
    {
        if (0 != (attachments & MILLRACE_RING_CLOSED))
        {
            return MILLRACE_RING_IS_CLOSED;
        }
        if (INT32_MAX == attachments)
        {
            return MILLRACE_RING_IS_CORRUPT;
        }
    }
    while (!__atomic_compare_exchange_n(
        &shared->attachments, &attachments, attachments + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
    ring->header = shared;
    ring->to_native.buffer = (uint8_t *)memory + header.to_native_offset;
    ring->to_native.capacity = header.to_native_capacity;
    ring->to_native.sleeping = &shared->native_sleeping;
    ring->to_native.event = header.native_event;
    ring->to_native.producers = MILLRACE_RING_ONE_PRODUCER;
    ring->to_java.buffer = (uint8_t *)memory + header.to_java_offset;
    ring->to_java.capacity = header.to_java_capacity;
    ring->to_java.sleeping = (int32_t *)(uintptr_t)header.java_sleeping;
    ring->to_java.event = header.java_event;
    ring->to_java.producers = header.to_java_producers;
    return 0;
}

/*
 * Gives the memory back: the ring, and every copy of it, is not used by any thread any more. Once for each attachment.
 */
MILLRACE_RING_INLINE void millrace_ring_detach(millrace_ring *ring)
{
    millrace_ring_header *const header = ring->header;
    memset(ring, 0, sizeof(*ring));
    __atomic_fetch_sub(&header->attachments, 1, __ATOMIC_SEQ_CST);
}

#ifdef __cplusplus
}
#endif

#endif
