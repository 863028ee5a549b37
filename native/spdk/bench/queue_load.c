/*
 * The load of bdevperf by way of this library's queues, without Java: random reads or writes of one bdev, submitted again as
 * soon as they end. What it takes beyond bdevperf is what the queues cost. Arguments: malloc or null, read or write, how many at a time,
 * seconds.
 */
#include "../test/fake_java.h"

#include <sched.h>
#include <time.h>

#define BLOCK 4096
#define BLOCKS 8192
#define DEPTH_MAX 256
#define POLLS_A_LOOK 1024

static const char config[] =
    "{\"subsystems\":[{\"subsystem\":\"bdev\",\"config\":["
    "{\"method\":\"bdev_set_options\",\"params\":{\"bdev_io_pool_size\":4096,\"bdev_io_cache_size\":256}},"
    "{\"method\":\"bdev_malloc_create\",\"params\":{\"name\":\"malloc\",\"num_blocks\":8192,\"block_size\":4096}},"
    "{\"method\":\"bdev_null_create\",\"params\":{\"name\":\"null\",\"num_blocks\":8192,\"block_size\":4096}}]}]}";

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(int count, char **arguments)
{
    CHECK(5 == count);
    const int32_t type = 0 == strcmp("write", arguments[2]) ? MILLRACE_SPDK_WRITE : MILLRACE_SPDK_READ;
    const int depth = atoi(arguments[3]);
    const uint64_t seconds = strtoul(arguments[4], NULL, 10);
    CHECK(depth > 0 && depth <= DEPTH_MAX);
    cpu_set_t cpus;
    CHECK(0 == sched_getaffinity(0, sizeof(cpus), &cpus));
    start_environment("queue_load");
    /* DPDK has taken the first CPU. */
    CHECK(0 == sched_setaffinity(0, sizeof(cpus), &cpus));
    fake_java fake;
    open_reactor(&fake, "load");
    CHECK(0 == millrace_spdk_subsystems_start(fake.reactor, config, sizeof(config) - 1, 3));
    await_done(&fake, 3);
    int32_t error;
    millrace_spdk_bdev *const bdev = millrace_spdk_bdev_open(fake.reactor, arguments[1], 1, DEPTH_MAX, 7, &error);
    CHECK(NULL != bdev);
    uint8_t *const data = aligned_alloc(BLOCK, (size_t)depth * BLOCK);
    memset(data, 0, (size_t)depth * BLOCK);
    unsigned int seed = 1;
    for (int i = 0; i < depth; i++)
    {
        write_request(&fake, type, i, (uint64_t)(uintptr_t)(data + (size_t)i * BLOCK), BLOCK, i, bdev);
    }
    uint64_t done = 0;
    const uint64_t began = now_ns();
    uint64_t now = began;
    int under_way = depth;
    for (uint64_t polls = 0; under_way > 0; polls++)
    {
        CHECK(millrace_spdk_reactor_poll(fake.reactor, 0) >= 0);
        millrace_spdk_message batch[DEPTH_MAX];
        const int taken = take(&fake, batch, DEPTH_MAX);
        for (int i = 0; i < taken; i++)
        {
            CHECK(MILLRACE_SPDK_COMPLETION == batch[i].type && 0 == batch[i].word0);
            under_way--;
            done++;
            if (now - began < seconds * 1000000000)
            {
                under_way++;
                seed = seed * 1103515245 + 12345;
                write_request(&fake, type, batch[i].slot,
                    (uint64_t)(uintptr_t)(data + (size_t)batch[i].slot * BLOCK), BLOCK, (seed >> 8) % BLOCKS, bdev);
            }
        }
        if (0 == polls % POLLS_A_LOOK)
        {
            now = now_ns();
        }
    }
    printf("%s, %s, depth %d: %.1f ns an I/O\n", arguments[1], arguments[2], depth, (double)(now_ns() - began) / (double)done);
    millrace_spdk_bdev_close(bdev);
    free(data);
    CHECK(0 == millrace_spdk_subsystems_stop(fake.reactor, 4));
    await_done(&fake, 4);
    close_reactor(&fake);
    return 0;
}
