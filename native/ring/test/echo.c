/*
 * Native code at the other end of a ring, as a shared library that Java loads: threads that send back what they get,
 * and threads that only write. Tests and measurements use it; nothing of it is needed to run Millrace.
 */
#define _GNU_SOURCE
#include "../millrace_ring.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#define BATCH 64
#define NS_PER_S INT64_C(1000000000)

typedef struct echo
{
    millrace_ring ring;
    pthread_t thread;
    uint64_t state;
    /* Reads that find nothing before it sleeps; negative: it never does. */
    int64_t spins;
    /* Once in so many batches it does nothing for up to 50 us; 0: never. */
    uint64_t pause_interval;
    /* To be on, or -1. */
    int cpu;
    int tid;
    int64_t sleeps;
    int64_t echoed;
    /* 0, or why it ended. */
    int error;
} echo;

static uint64_t random_of(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void stay_on(const int cpu)
{
    if (cpu >= 0)
    {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)cpu, &set);
        pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
    }
}

static void pause_sometimes(echo *self)
{
    if (0 != self->pause_interval && 0 == random_of(&self->state) % self->pause_interval)
    {
        const struct timespec time = {0, (long)(random_of(&self->state) % 50000)};
        nanosleep(&time, NULL);
    }
}

static int write_all(echo *self, const millrace_descriptor *descriptors, const int count)
{
    int written = 0;
    while (written < count && !millrace_ring_is_closed(&self->ring))
    {
        const int result = millrace_queue_write(&self->ring.to_java, descriptors + written, count - written);
        if (result < 0)
        {
            return result;
        }
        written += result;
        const int woken = millrace_queue_wake(&self->ring.to_java);
        if (woken < 0)
        {
            return woken;
        }
        if (written < count)
        {
            /* Full now: the reactor has work. */
            sched_yield();
        }
    }
    return written;
}

static int turn(echo *self, int64_t *idle)
{
    millrace_descriptor batch[BATCH];
    const int read = millrace_queue_read(&self->ring.to_native, batch, BATCH);
    if (read > 0)
    {
        *idle = 0;
        const int written = write_all(self, batch, read);
        __atomic_store_n(&self->echoed, self->echoed + (written > 0 ? written : 0), __ATOMIC_RELEASE);
        pause_sometimes(self);
        return written < 0 ? written : 0;
    }
    if (0 == read && self->spins >= 0 && ++*idle > self->spins)
    {
        *idle = 0;
        __atomic_store_n(&self->sleeps, self->sleeps + 1, __ATOMIC_RELEASE);
        const int slept = millrace_ring_sleep(&self->ring, -1);
        return slept < 0 ? slept : 0;
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    return read;
}

static void *run(void *argument)
{
    echo *const self = (echo *)argument;
    stay_on(self->cpu);
    __atomic_store_n(&self->tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
    int64_t idle = 0;
    while (0 == self->error && !millrace_ring_is_closed(&self->ring))
    {
        self->error = turn(self, &idle);
    }
    millrace_ring_detach(&self->ring);
    return NULL;
}

/* Attaches and starts the thread. Returns its handle, or an error of millrace_ring_attach() or 1 as one. */
int64_t echo_start(
    void *memory, const int64_t bytes, const int64_t seed, const int64_t spins, const int64_t pause_interval,
    const int cpu)
{
    echo *const self = (echo *)calloc(1, sizeof(echo));
    const int error = NULL == self ? 1 : millrace_ring_attach(&self->ring, memory, (uint64_t)bytes);
    if (0 != error)
    {
        free(self);
        return error;
    }
    self->state = (uint64_t)seed;
    self->spins = spins;
    self->pause_interval = (uint64_t)pause_interval;
    self->cpu = cpu;
    if (0 != pthread_create(&self->thread, NULL, run, self))
    {
        millrace_ring_detach(&self->ring);
        free(self);
        return 1;
    }
    while (0 == __atomic_load_n(&self->tid, __ATOMIC_ACQUIRE))
    {
        sched_yield();
    }
    return (int64_t)(intptr_t)self;
}

int echo_thread_id(const int64_t handle)
{
    return ((const echo *)(intptr_t)handle)->tid;
}

int64_t echo_sleeps(const int64_t handle)
{
    return __atomic_load_n(&((const echo *)(intptr_t)handle)->sleeps, __ATOMIC_ACQUIRE);
}

/* Processor time of the thread, which has not ended. */
int64_t echo_cpu_ns(const int64_t handle)
{
    clockid_t clock;
    struct timespec time;
    if (0 != pthread_getcpuclockid(((const echo *)(intptr_t)handle)->thread, &clock) ||
        0 != clock_gettime(clock, &time))
    {
        return -1;
    }
    return time.tv_sec * NS_PER_S + time.tv_nsec;
}

/* Waits until the thread has ended, as it does when Java asks. Returns how many it sent back, or an error. */
int64_t echo_join(const int64_t handle)
{
    echo *const self = (echo *)(intptr_t)handle;
    pthread_join(self->thread, NULL);
    const int64_t result = self->error < 0 ? self->error : self->echoed;
    free(self);
    return result;
}

typedef struct flood
{
    millrace_queue queue;
    pthread_t thread;
    uint64_t state;
    int slot;
    int count;
    int error;
} flood;

static void *run_flood(void *argument)
{
    flood *const self = (flood *)argument;
    millrace_descriptor descriptor;
    memset(&descriptor, 0, sizeof(descriptor));
    descriptor.type = 1;
    descriptor.slot = self->slot;
    while (descriptor.word0 < self->count && self->error >= 0)
    {
        const int written = millrace_queue_write(&self->queue, &descriptor, 1);
        self->error = written < 0 ? written : millrace_queue_wake(&self->queue);
        descriptor.word0 += written > 0 ? written : 0;
        if (0 == written || 0 == random_of(&self->state) % 64)
        {
            sched_yield();
        }
    }
    return NULL;
}

/* So many threads, at most 16, write so many descriptors each, numbered in word0. Returns 0 then, or an error. */
int flood_run(void *memory, const int64_t bytes, const int64_t seed, const int threads, const int count)
{
    millrace_ring ring;
    flood floods[16];
    int error = threads > 16 ? 1 : millrace_ring_attach(&ring, memory, (uint64_t)bytes);
    if (0 != error)
    {
        return error;
    }
    int started = 0;
    for (; started < threads; started++)
    {
        floods[started] = (flood){ring.to_java, 0, (uint64_t)seed + (uint64_t)started, started, count, 0};
        if (0 != pthread_create(&floods[started].thread, NULL, run_flood, floods + started))
        {
            error = 1;
            break;
        }
    }
    for (int i = 0; i < started; i++)
    {
        pthread_join(floods[i].thread, NULL);
        error = floods[i].error < 0 ? floods[i].error : error;
    }
    millrace_ring_detach(&ring);
    return error;
}
