/*
 * A device of a fake Java as a bdev of SPDK: two threads with random requests to it, against a model. Prints its seed; an
 * argument repeats a run.
 */
#include "exported_device.h"

#include <time.h>

typedef struct worker
{
    int index;
    unsigned int seed;
    /* That the bdev has been removed and this one has closed it. */
    int32_t has_closed;
    uint64_t requests;
    uint64_t failed;
    int count_max;
} worker;

typedef struct expectation
{
    int32_t type;
    int32_t blocks;
    /* What the whole share has. */
    uint8_t value;
    /* What the device answered; NONE until it has. */
    int32_t status;
} expectation;

static int64_t first_of(const worker *mine, const int slot)
{
    return (int64_t)(mine->index * SLOTS + slot) * SHARE;
}

static void submit_random(
    worker *mine, side *one, const int slot, expectation *expected, uint8_t *data, struct iovec *vectors,
    const millrace_spdk_bdev *bdev)
{
    static const int32_t types[] = {
        MILLRACE_SPDK_READ, MILLRACE_SPDK_READV, MILLRACE_SPDK_WRITE, MILLRACE_SPDK_WRITEV, MILLRACE_SPDK_WRITE_FUA,
        MILLRACE_SPDK_WRITEV_FUA, MILLRACE_SPDK_WRITE_ZEROES, MILLRACE_SPDK_UNMAP, MILLRACE_SPDK_COMPARE};
    const int32_t type = types[rand_r(&mine->seed) % 9];
    const int64_t first = first_of(mine, slot);
    expected->type = type;
    expected->status = NONE;
    expected->blocks = SHARE;
    vectors[0] = (struct iovec){data, 40};
    vectors[1] = (struct iovec){data + 40, SHARE * BLOCK - 40};
    switch (type)
    {
        case MILLRACE_SPDK_READ:
        case MILLRACE_SPDK_READV:
            memset(data, 0xee, SHARE * BLOCK);
            break;
        case MILLRACE_SPDK_COMPARE:
            memset(data, expected->value, SHARE * BLOCK);
            break;
        default:
            memset(data, rand_r(&mine->seed) % 200, SHARE * BLOCK);
            break;
    }
    const bool has_vectors =
        MILLRACE_SPDK_READV == type || MILLRACE_SPDK_WRITEV == type || MILLRACE_SPDK_WRITEV_FUA == type;
    const bool is_range = MILLRACE_SPDK_WRITE_ZEROES == type || MILLRACE_SPDK_UNMAP == type;
    begin_request(one, type, slot, has_vectors ? (void *)vectors : is_range ? (void *)SHARE : (void *)data,
        has_vectors ? 2 : SHARE * BLOCK, first, bdev);
    mine->requests++;
}

static void check_random(const worker *mine, const side *one, const int slot, expectation *expected, const uint8_t *data)
{
    CHECK(expected->status == one->status[slot]);
    if (0 != expected->status)
    {
        return;
    }
    switch (expected->type)
    {
        case MILLRACE_SPDK_READ:
        case MILLRACE_SPDK_READV:
            for (int i = 0; i < SHARE * BLOCK; i++)
            {
                CHECK(expected->value == data[i]);
            }
            break;
        case MILLRACE_SPDK_WRITE_ZEROES:
        case MILLRACE_SPDK_UNMAP:
            expected->value = 0;
            break;
        case MILLRACE_SPDK_COMPARE:
            break;
        default:
            expected->value = data[0];
            break;
    }
    (void)mine;
}

static void *work(void *argument)
{
    worker *const mine = (worker *)argument;
    side *const one = calloc(1, sizeof(side));
    char name[16];
    snprintf(name, sizeof(name), "worker%d", mine->index);
    open_side(one, name);
    millrace_spdk_bdev *const bdev = open_bdev(one, "shared", SLOTS);
    uint8_t *const data = calloc(SLOTS, SHARE * BLOCK);
    struct iovec *const vectors = calloc(SLOTS * 2, sizeof(struct iovec));
    expectation *const expected = calloc(SLOTS, sizeof(expectation));
    bool *const is_busy = calloc(SLOTS, sizeof(bool));
    int under_way = 0;
    bool is_holding = false;
    while (!one->is_removed || under_way > 0)
    {
        for (int slot = 0; slot < SLOTS && !one->is_removed; slot++)
        {
            if (!is_busy[slot])
            {
                is_busy[slot] = true;
                under_way++;
                submit_random(mine, one, slot, &expected[slot], data + (size_t)slot * SHARE * BLOCK,
                    &vectors[2 * slot], bdev);
            }
        }
        pump(one);
        for (int slot = 0; slot < SLOTS; slot++)
        {
            if (is_busy[slot] && NONE != one->status[slot])
            {
                check_random(mine, one, slot, &expected[slot], data + (size_t)slot * SHARE * BLOCK);
                is_busy[slot] = false;
                under_way--;
            }
        }
        /* It answers nothing until it has as many as it may have, then some, in any order. */
        is_holding = is_holding ? one->count < spdk_min(under_way, MILLRACE_SPDK_EXPORTED_IOS_MAX) :
            0 == rand_r(&mine->seed) % 16;
        for (int left = is_holding ? 0 : rand_r(&mine->seed) % 32; left > 0 && one->count > 0; left--)
        {
            const int index = rand_r(&mine->seed) % one->count;
            const millrace_spdk_io *const io = shown(one, index);
            const int slot = (int)(io->first / SHARE) - mine->index * SLOTS;
            CHECK(is_busy[slot] && SHARE == io->blocks && 9 == io->export_number);
            const bool is_failing = 0 == rand_r(&mine->seed) % 32;
            expected[slot].status = is_failing ? UNRECOVERED_READ : carry_out(io);
            if (MILLRACE_SPDK_FLUSH == io->type)
            {
                /* The write before it was carried out. */
                expected[slot].value = is_failing ? data[(size_t)slot * SHARE * BLOCK] : expected[slot].value;
            }
            mine->failed += is_failing;
            answer(one, index, expected[slot].status);
        }
        CHECK(!one->is_removed || mine->requests > 0);
    }
    CHECK(0 == one->count);
    mine->count_max = one->count_max;
    __atomic_store_n(&mine->has_closed, 1, __ATOMIC_SEQ_CST);
    millrace_spdk_bdev_close(bdev);
    close_reactor(&one->fake);
    free(is_busy);
    free(expected);
    free(vectors);
    free(data);
    free(one);
    return NULL;
}

/* Two threads, and a removal while both have requests under way. */
static void check_threads(side *application, const unsigned int seed)
{
    memset(store, 0, sizeof(store));
    millrace_spdk_export *const export = add(application, "shared", 9, 1);
    worker workers[] = {{.index = 0, .seed = seed}, {.index = 1, .seed = seed + 1}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
    {
        CHECK(0 == pthread_create(&threads[i], NULL, work, &workers[i]));
    }
    const time_t end = time(NULL) + 3;
    while (time(NULL) < end)
    {
        pump(application);
    }
    millrace_spdk_export_remove(application->fake.reactor, export, 20);
    while (20 != application->done_operation)
    {
        pump(application);
        CHECK(NONE == application->done_operation ||
            (__atomic_load_n(&workers[0].has_closed, __ATOMIC_SEQ_CST) &&
            __atomic_load_n(&workers[1].has_closed, __ATOMIC_SEQ_CST)));
    }
    for (int i = 0; i < 2; i++)
    {
        CHECK(0 == pthread_join(threads[i], NULL));
        printf("worker %d: %llu requests, %llu failed, %d at a time\n", i, (unsigned long long)workers[i].requests,
            (unsigned long long)workers[i].failed, workers[i].count_max);
        CHECK(MILLRACE_SPDK_EXPORTED_IOS_MAX == workers[i].count_max && workers[i].failed > 0);
    }
    application->done_operation = NONE;
}

int main(int count, char **arguments)
{
    const unsigned int seed = count > 1 ? (unsigned int)strtoul(arguments[1], NULL, 10) : (unsigned int)time(NULL);
    printf("seed %u, %s\n", seed, millrace_spdk_version());
    start_environment("export_load_test");
    side *const application = calloc(1, sizeof(side));
    open_side(application, "application");
    CHECK(0 == millrace_spdk_subsystems_start(application->fake.reactor, config, sizeof(config) - 1, 3));
    await_done(&application->fake, 3);
    check_threads(application, seed);
    CHECK(0 == millrace_spdk_subsystems_stop(application->fake.reactor, 4));
    await_done(&application->fake, 4);
    close_reactor(&application->fake);
    free(application);
    printf("done\n");
    return 0;
}
