/*
 * Two threads that stand for reactors of Java, each with bdevs of SPDK: random reads and writes against a model, with
 * data in one piece and in several, more requests than SPDK has memory for, resets; events of many bdevs at once.
 * Prints its seed; an argument repeats a run.
 */
#include "fake_java.h"

#include <sys/uio.h>
#include <time.h>

#include "spdk/bdev_module.h"
#include "spdk/util.h"

#define BLOCK 512
#define BLOCKS 4096
#define SLOTS 64
#define PIECE_MAX 16
#define ROUNDS 20000

static const char config[] =
    "{\"subsystems\":[{\"subsystem\":\"bdev\",\"config\":["
    "{\"method\":\"bdev_set_options\",\"params\":{\"bdev_io_pool_size\":64,\"bdev_io_cache_size\":16}},"
    "{\"method\":\"bdev_malloc_create\",\"params\":{\"name\":\"M0\",\"num_blocks\":4096,\"block_size\":512}},"
    "{\"method\":\"bdev_malloc_create\",\"params\":{\"name\":\"M1\",\"num_blocks\":4096,\"block_size\":512}},"
    "{\"method\":\"bdev_null_create\",\"params\":{\"name\":\"N0\",\"num_blocks\":4096,\"block_size\":512}}]}]}";

typedef struct worker
{
    const char *bdev;
    unsigned int seed;
    uint64_t completed;
    /* Writes that a reset ended. */
    uint64_t ended;
} worker;

static int32_t opened;
static int32_t finished;

/* Blocks that a slot has to itself, so that what is read is known. */
static int64_t first_of(const int slot)
{
    return (int64_t)slot * (BLOCKS / SLOTS);
}

/* More requests than there is memory for; nothing but their ends has the others submitted. */
static void check_waiting(fake_java *fake, millrace_spdk_bdev *bdev, uint8_t *data)
{
    for (int slot = 0; slot < SLOTS; slot++)
    {
        write_request(fake, MILLRACE_SPDK_READ, slot, (uint64_t)(uintptr_t)(data + (size_t)slot * PIECE_MAX * BLOCK), BLOCK,
            first_of(slot), bdev);
    }
    int ended = 0;
    while (ended < SLOTS)
    {
        millrace_spdk_message one;
        CHECK(millrace_spdk_reactor_poll(fake->reactor, 0) >= 0);
        if (1 == take(fake, &one, 1))
        {
            CHECK(MILLRACE_SPDK_COMPLETION == one.type && 0 == one.word0);
            ended++;
        }
    }
}

static void *work(void *argument)
{
    worker *const mine = (worker *)argument;
    fake_java fake;
    open_reactor(&fake, mine->bdev);
    int32_t error;
    millrace_spdk_bdev *const bdev = millrace_spdk_bdev_open(fake.reactor, mine->bdev, 1, SLOTS + 1, 7, &error);
    CHECK(NULL != bdev);
    /* A channel takes its part of the memory for requests before others use all. */
    __atomic_fetch_add(&opened, 1, __ATOMIC_SEQ_CST);
    while (2 != __atomic_load_n(&opened, __ATOMIC_SEQ_CST))
    {
        CHECK(millrace_spdk_reactor_poll(fake.reactor, 0) >= 0);
    }
    CHECK(BLOCKS == spdk_bdev_get_num_blocks(millrace_spdk_bdev_get(bdev)));
    CHECK(NULL == millrace_spdk_bdev_open(fake.reactor, "none", 1, 1, 8, &error) && -ENODEV == error);
    uint8_t *const data = aligned_alloc(4096, (size_t)SLOTS * PIECE_MAX * BLOCK);
    struct iovec *const vectors = calloc(SLOTS * 2, sizeof(struct iovec));
    uint8_t expected[SLOTS];
    int blocks[SLOTS];
    int busy[SLOTS];
    /* Not what a write that a reset ended has left. */
    bool is_known[SLOTS];
    memset(expected, 0, sizeof(expected));
    memset(is_known, 1, sizeof(is_known));
    memset(busy, 0, sizeof(busy));
    bool is_resetting = false;
    int under_way = 0;
    uint64_t submitted = 0;
    while (submitted < ROUNDS || under_way > 0)
    {
        for (int slot = 0; slot < SLOTS && submitted < ROUNDS; slot++)
        {
            if (0 != busy[slot])
            {
                continue;
            }
            uint8_t *const payload = data + (size_t)slot * PIECE_MAX * BLOCK;
            const int kind = rand_r(&mine->seed) % 8;
            const bool is_read = kind < 3;
            if (!is_read)
            {
                blocks[slot] = PIECE_MAX;
                expected[slot] = (uint8_t)(1 + rand_r(&mine->seed) % 255);
                memset(payload, expected[slot], (size_t)PIECE_MAX * BLOCK);
            }
            else
            {
                blocks[slot] = 1 + rand_r(&mine->seed) % PIECE_MAX;
                memset(payload, 0, (size_t)PIECE_MAX * BLOCK);
            }
            const int32_t bytes = blocks[slot] * BLOCK;
            busy[slot] = is_read ? 1 : 2;
            if (blocks[slot] > 1 && 0 == kind % 2)
            {
                vectors[2 * slot].iov_base = payload;
                vectors[2 * slot].iov_len = BLOCK;
                vectors[2 * slot + 1].iov_base = payload + BLOCK;
                vectors[2 * slot + 1].iov_len = (size_t)(bytes - BLOCK);
                write_request(&fake, is_read ? MILLRACE_SPDK_READV : kind < 6 ? MILLRACE_SPDK_WRITEV : MILLRACE_SPDK_WRITEV_FUA,
                    slot, (uint64_t)(uintptr_t)&vectors[2 * slot], 2, first_of(slot), bdev);
            }
            else
            {
                write_request(&fake, is_read ? MILLRACE_SPDK_READ : kind < 6 ? MILLRACE_SPDK_WRITE : MILLRACE_SPDK_WRITE_FUA,
                    slot, (uint64_t)(uintptr_t)payload, bytes, first_of(slot), bdev);
            }
            under_way++;
            submitted++;
        }
        CHECK(millrace_spdk_reactor_poll(fake.reactor, 0) >= 0);
        millrace_spdk_message batch[16];
        const int read = take(&fake, batch, 16);
        CHECK(read >= 0);
        for (int i = 0; i < read; i++)
        {
            const int slot = batch[i].slot;
            CHECK(MILLRACE_SPDK_COMPLETION == batch[i].type && 7 == batch[i].word1);
            if (SLOTS == slot)
            {
                is_resetting = false;
                continue;
            }
            CHECK(0 != busy[slot]);
            const bool is_done = 0 == batch[i].word0;
            CHECK(is_done || 0x06 == batch[i].word0 || 0x07 == batch[i].word0);
            if (2 == busy[slot])
            {
                is_known[slot] = is_done;
                mine->ended += !is_done;
            }
            else if (is_done && is_known[slot])
            {
                const uint8_t *const payload = data + (size_t)slot * PIECE_MAX * BLOCK;
                for (int k = 0; k < blocks[slot] * BLOCK; k++)
                {
                    CHECK(expected[slot] == payload[k]);
                }
            }
            busy[slot] = 0;
            under_way--;
            mine->completed++;
        }
        if (!is_resetting && 0 == rand_r(&mine->seed) % 4096)
        {
            is_resetting = true;
            write_request(&fake, MILLRACE_SPDK_RESET, SLOTS, 0, 0, 0, bdev);
        }
    }
    while (is_resetting)
    {
        millrace_spdk_message one;
        CHECK(millrace_spdk_reactor_poll(fake.reactor, 0) >= 0);
        is_resetting = 1 != take(&fake, &one, 1);
    }
    check_waiting(&fake, bdev, data);
    /* Ranges that are not the bdev's, and what it cannot do. */
    write_request(&fake, MILLRACE_SPDK_READ, 0, (uint64_t)(uintptr_t)data, BLOCK, BLOCKS, bdev);
    write_request(&fake, MILLRACE_SPDK_UNMAP, 1, BLOCKS + 1, 0, 0, bdev);
    write_request(&fake, 99, 2, 0, 0, 0, bdev);
    int refused = 0;
    while (refused < 3)
    {
        millrace_spdk_message one;
        CHECK(millrace_spdk_reactor_poll(fake.reactor, 0) >= 0);
        if (1 == take(&fake, &one, 1))
        {
            CHECK((2 == one.slot ? 0x01 : 0x80) == one.word0);
            refused++;
        }
    }
    millrace_spdk_bdev_close(bdev);
    CHECK(millrace_spdk_reactor_threads(fake.reactor) == 1);
    close_reactor(&fake);
    free(vectors);
    free(data);
    __atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Events leave places on the queue for completions, however many bdevs change, and none is lost. */
static void check_events(fake_java *fake)
{
    millrace_spdk_bdev *opened[MILLRACE_SPDK_EVENTS + 8];
    bool is_told[MILLRACE_SPDK_EVENTS + 8];
    const int bdevs = MILLRACE_SPDK_EVENTS + 8;
    int32_t error;
    memset(is_told, 0, sizeof(is_told));
    for (int i = 0; i < bdevs; i++)
    {
        opened[i] = millrace_spdk_bdev_open(fake->reactor, "N0", 0, 0, i, &error);
        CHECK(NULL != opened[i]);
    }
    struct spdk_bdev *const bdev = (struct spdk_bdev *)millrace_spdk_bdev_get(opened[0]);
    spdk_set_thread(fake->reactor->thread);
    CHECK(0 == spdk_bdev_notify_blockcnt_change(bdev, 2 * BLOCKS));
    spdk_set_thread(NULL);
    for (int i = 0; i < 1000; i++)
    {
        CHECK(millrace_spdk_reactor_poll(fake->reactor, 0) >= 0);
        CHECK(fake->queues->to_java.tail - fake->queues->to_java.head <= MILLRACE_SPDK_EVENTS);
    }
    CHECK(MILLRACE_SPDK_EVENTS == fake->queues->to_java.tail - fake->queues->to_java.head);
    millrace_spdk_message one;
    int told = 0;
    while (told < bdevs)
    {
        CHECK(millrace_spdk_reactor_poll(fake->reactor, 0) >= 0);
        if (1 == take(fake, &one, 1))
        {
            CHECK(MILLRACE_SPDK_RESIZED == one.type && 2 * BLOCKS == one.word0 && !is_told[one.word1]);
            is_told[one.word1] = true;
            told++;
        }
    }
    for (int i = 0; i < bdevs; i++)
    {
        millrace_spdk_bdev_close(opened[i]);
    }
}

/* What is no configuration, and what SPDK would carry out in part. */
static void check_configurations(void)
{
    static const struct
    {
        const char *json;
        int32_t result;
    } each[] = {
        {config, 0}, {"{}", 0}, {" {\"subsystems\": []}\n\n", 0}, {"// 1\n{/* 2 */} /* 3 */ // 4", 0},
        {"", -ENODATA}, {" \t\n", -ENODATA}, {"// none\n/* {} */", -ENODATA}, {"// none", -ENODATA},
        {"{\"subsystems\": [", -EBADMSG}, {"[]", -EBADMSG}, {"1", -EBADMSG}, {"{\"subsystems\": {}}", -EBADMSG},
        {"{\"subsystems\": [],}", -EBADMSG}, {"]", -EBADMSG}, {"/* {}", -EBADMSG},
        {"{} {}", 1}, {"{\n}\n\n{\"subsystems\": []}\n", 4}, {"{}\n]", 2}, {"{}\n] [", 2}, {"{}}", 1}, {"{} /* {}", 1},
        {"{}\n// {}\n{}", 2}};
    for (size_t i = 0; i < SPDK_COUNTOF(each); i++)
    {
        const int32_t result = millrace_spdk_configuration_check(each[i].json, (int64_t)strlen(each[i].json));
        if (each[i].result != result)
        {
            fprintf(stderr, "%s: %d where %d was expected\n", each[i].json, result, each[i].result);
        }
        CHECK(each[i].result == result);
    }
    CHECK(1 == millrace_spdk_configuration_check("{}\0", 3));
}

#define NQN "nqn.2026-11.io.millrace:guarded"

/* By a call of the data plane, or as others do. */
static int32_t run_method(fake_java *fake, const bool is_own, const char *method, const char *more)
{
    char params[256];
    char json[512];
    snprintf(params, sizeof(params), "\"nqn\": \"" NQN "\"%s", more);
    const int bytes = snprintf(json, sizeof(json),
        "{\"subsystems\": [{\"subsystem\": \"nvmf\", \"config\": [{\"method\": \"%s\", \"params\": {%s}}]}]}", method, params);
    CHECK(0 == (is_own ? millrace_spdk_call(fake->reactor, method, params, 5) :
        millrace_spdk_configure(fake->reactor, json, bytes, 5)));
    return await_result(fake, 5);
}

/* As others do, with the secret of a call. */
static int32_t run_with_secret(fake_java *fake, const millrace_spdk_own_call *call)
{
    char json[512];
    const int bytes = snprintf(json, sizeof(json), "{\"subsystems\": [{\"subsystem\": \"nvmf\", \"config\": [{\"method\": "
        "\"nvmf_subsystem_allow_any_host\", \"params\": {\"" MILLRACE_SPDK_SECRET "\": \"%s\", \"nqn\": \"" NQN
        "\", \"allow_any_host\": true}}]}]}", call->secret);
    CHECK(0 == millrace_spdk_configure(fake->reactor, json, bytes, 5));
    return await_result(fake, 5);
}

/* A secret is good for one request, and until its call ends. */
static void check_secret(fake_java *fake)
{
    millrace_spdk_own_call call;
    memset(&call, 0, sizeof(call));
    CHECK(0 != run_with_secret(fake, &call));
    CHECK(0 == millrace_spdk_own_begin(&call, "nvmf_subsystem_allow_any_host"));
    CHECK(0 == run_with_secret(fake, &call));
    CHECK(0 != run_with_secret(fake, &call));
    millrace_spdk_own_end(&call);
    CHECK(0 == millrace_spdk_own_begin(&call, "nvmf_subsystem_allow_any_host"));
    millrace_spdk_own_end(&call);
    CHECK(0 != run_with_secret(fake, &call));
}

/* A subsystem that a call made is changed by calls alone, as long as SPDK has it. */
static void check_guard(fake_java *fake)
{
    CHECK(0 == run_method(fake, false, "nvmf_create_subsystem", ""));
    CHECK(0 != run_method(fake, true, "nvmf_create_subsystem", ""));
    CHECK(0 == run_method(fake, false, "nvmf_subsystem_allow_any_host", ", \"allow_any_host\": true"));
    CHECK(0 == run_method(fake, false, "nvmf_delete_subsystem", ""));
    CHECK(0 == run_method(fake, true, "nvmf_create_subsystem", ", \"allow_any_host\": true"));
    CHECK(0 != run_method(fake, true, "nvmf_create_subsystem", ""));
    CHECK(0 != run_method(fake, false, "nvmf_subsystem_allow_any_host", ", \"allow_any_host\": false"));
    CHECK(0 == run_method(fake, true, "nvmf_subsystem_allow_any_host", ", \"allow_any_host\": false"));
    check_secret(fake);
    CHECK(0 != run_method(fake, true, "nvmf_delete_subsystem", ", \"none\": 1"));
    CHECK(0 != run_method(fake, false, "nvmf_delete_subsystem", ""));
    CHECK(0 == run_method(fake, true, "nvmf_delete_subsystem", ""));
    CHECK(0 != run_method(fake, true, "nvmf_delete_subsystem", ""));
    CHECK(0 == run_method(fake, false, "nvmf_create_subsystem", ""));
    CHECK(0 == run_method(fake, false, "nvmf_delete_subsystem", ""));
}

int main(int count, char **arguments)
{
    const unsigned int seed = count > 1 ? (unsigned int)strtoul(arguments[1], NULL, 10) : (unsigned int)time(NULL);
    printf("seed %u, %s\n", seed, millrace_spdk_version());
    CHECK(MILLRACE_SPDK_INTERFACE == millrace_spdk_interface());
    start_environment("spdk_test");
    fake_java fake;
    open_reactor(&fake, "application");
    check_configurations();
    CHECK(0 == millrace_spdk_subsystems_start(fake.reactor, config, sizeof(config) - 1, 3));
    await_done(&fake, 3);
    CHECK(millrace_spdk_reactor_idle_ns(fake.reactor) >= 0);
    check_events(&fake);
    check_guard(&fake);
    worker workers[] = {{"M0", seed, 0, 0}, {"M1", seed + 1, 0, 0}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
    {
        CHECK(0 == pthread_create(&threads[i], NULL, work, &workers[i]));
    }
    /* The application thread has its part in what the others do. */
    while (2 != __atomic_load_n(&finished, __ATOMIC_SEQ_CST))
    {
        CHECK(millrace_spdk_reactor_poll(fake.reactor, 0) >= 0);
    }
    for (int i = 0; i < 2; i++)
    {
        CHECK(0 == pthread_join(threads[i], NULL));
        printf("%s: %llu requests, %llu writes ended by resets\n", workers[i].bdev,
            (unsigned long long)workers[i].completed, (unsigned long long)workers[i].ended);
        CHECK(workers[i].ended < ROUNDS / 10);
    }
    CHECK(0 == millrace_spdk_subsystems_stop(fake.reactor, 4));
    await_done(&fake, 4);
    close_reactor(&fake);
    char text[512];
    int32_t level = millrace_spdk_log_read(text, sizeof(text));
    while (-1 != level)
    {
        level = millrace_spdk_log_read(text, sizeof(text));
    }
    printf("done\n");
    return 0;
}
