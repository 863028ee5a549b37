/*
 * Round trips over a ring between two threads of C, what a ring costs without Java:
 *
 *     round_trip spin|sleep [TRIPS [CPU CPU]]
 *
 * prints the median and the 99th percentile of a trip in nanoseconds. With sleep each side sleeps at once when there is
 * nothing for it, so a trip has two wake-ups.
 */
#define _GNU_SOURCE
#include "../test/memory.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

typedef struct side
{
    millrace_ring end;
    int sleeps;
    int cpu;
} side;

static int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void stay_on(const int cpu)
{
    if (cpu >= 0)
    {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)cpu, &set);
        CHECK(0 == pthread_setaffinity_np(pthread_self(), sizeof(set), &set));
    }
}

static int await_one(const side *self, millrace_descriptor *descriptor)
{
    for (;;)
    {
        const int read = millrace_queue_read(&self->end.to_native, descriptor, 1);
        CHECK(read >= 0);
        if (read > 0)
        {
            return 1;
        }
        if (millrace_ring_is_closed(&self->end))
        {
            return 0;
        }
        if (self->sleeps)
        {
            CHECK(millrace_ring_sleep(&self->end, -1) >= 0);
        }
#if defined(__x86_64__)
        else
        {
            __builtin_ia32_pause();
        }
#endif
    }
}

static void send_one(const side *self, const millrace_descriptor *descriptor)
{
    CHECK(1 == millrace_queue_write(&self->end.to_java, descriptor, 1));
    CHECK(millrace_queue_wake(&self->end.to_java) >= 0);
}

static void *echo(void *argument)
{
    const side *const self = (const side *)argument;
    millrace_descriptor descriptor;
    stay_on(self->cpu);
    while (await_one(self, &descriptor))
    {
        send_one(self, &descriptor);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(int count, char **arguments)
{
    const int sleeps = count > 1 && 0 == strcmp("sleep", arguments[1]);
    const int64_t trips = count > 2 ? strtoll(arguments[2], NULL, 10) : sleeps ? 20000 : 1000000;
    CHECK(trips > 0);
    ring_memory memory;
    millrace_ring ring;
    ring_memory_make(&memory, 256, MILLRACE_RING_ONE_PRODUCER);
    CHECK(0 == millrace_ring_attach(&ring, memory.address, memory.bytes));
    side native = {ring, sleeps, count > 4 ? (int)strtol(arguments[4], NULL, 10) : -1};
    const side java = {java_end(&ring), sleeps, count > 3 ? (int)strtol(arguments[3], NULL, 10) : -1};
    pthread_t thread;
    CHECK(0 == pthread_create(&thread, NULL, echo, &native));
    stay_on(java.cpu);
    int64_t *const taken = (int64_t *)calloc((size_t)trips, sizeof(int64_t));
    CHECK(NULL != taken);
    millrace_descriptor descriptor;
    memset(&descriptor, 0, sizeof(descriptor));
    descriptor.type = 1;
    for (int64_t trip = -trips / 10; trip < trips; trip++)
    {
        const int64_t start = now_ns();
        send_one(&java, &descriptor);
        CHECK(await_one(&java, &descriptor));
        if (trip >= 0)
        {
            taken[trip] = now_ns() - start;
        }
    }
    ring_memory_request_detach(&ring);
    CHECK(0 == pthread_join(thread, NULL));
    qsort(taken, (size_t)trips, sizeof(int64_t), compare);
    printf("%lld %lld\n", (long long)taken[trips / 2], (long long)taken[trips * 99 / 100]);
    free(taken);
    millrace_ring_detach(&ring);
    ring_memory_free(&memory);
    return 0;
}
