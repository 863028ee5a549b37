/* Java's part of a reactor, for programs without Java. */
#ifndef MILLRACE_SPDK_TEST_FAKE_JAVA_H
#define MILLRACE_SPDK_TEST_FAKE_JAVA_H

#include "../internal.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
    do \
    { \
        if (!(condition)) \
        { \
            fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
            abort(); \
        } \
    } \
    while (0)

typedef struct fake_java
{
    millrace_spdk_queues *queues;
    millrace_spdk_reactor *reactor;
} fake_java;

static inline void start_environment(const char *name)
{
    millrace_spdk_log_open();
    struct spdk_env_opts opts;
    opts.opts_size = sizeof(opts);
    spdk_env_opts_init(&opts);
    opts.name = name;
    opts.core_mask = "0x1";
    opts.no_huge = true;
    opts.no_pci = true;
    opts.mem_size = 320;
    opts.shm_id = -1;
    CHECK(0 == spdk_env_init(&opts));
    CHECK(0 == millrace_spdk_threads_start());
}

static inline void open_reactor(fake_java *fake, const char *name)
{
    int32_t error;
    fake->reactor = millrace_spdk_reactor_create(name, &error);
    CHECK(NULL != fake->reactor && 0 == error);
    fake->queues = millrace_spdk_reactor_queues(fake->reactor);
}

static inline void close_reactor(fake_java *fake)
{
    millrace_spdk_reactor_exit(fake->reactor);
    while (!millrace_spdk_reactor_ended(fake->reactor))
    {
        CHECK(millrace_spdk_reactor_poll(fake->reactor, 0) >= 0);
    }
    millrace_spdk_reactor_free(fake->reactor);
}

/* Takes messages, as many as there are and fit; returns how many. */
static inline int take(fake_java *fake, millrace_spdk_message *messages, const int max)
{
    millrace_spdk_queue *const queue = &fake->queues->to_java;
    CHECK(queue->tail - queue->head <= MILLRACE_SPDK_PLACES);
    int count = 0;
    while (count < max && queue->head != queue->tail)
    {
        messages[count++] = queue->messages[queue->head++ % MILLRACE_SPDK_PLACES];
    }
    if (queue->head == queue->tail)
    {
        queue->head = 0;
        queue->tail = 0;
    }
    return count;
}

static inline millrace_spdk_message *add_message(fake_java *fake)
{
    millrace_spdk_queue *const queue = &fake->queues->to_native;
    CHECK(queue->tail - queue->head < MILLRACE_SPDK_PLACES);
    return &queue->messages[queue->tail++ % MILLRACE_SPDK_PLACES];
}

/* Returns 0 or a negated errno. */
static inline int32_t await_result(fake_java *fake, const int32_t operation)
{
    millrace_spdk_message one;
    for (;;)
    {
        CHECK(millrace_spdk_reactor_poll(fake->reactor, 0) >= 0);
        if (1 == take(fake, &one, 1))
        {
            CHECK(MILLRACE_SPDK_DONE == one.type && operation == one.slot);
            return (int32_t)one.word0;
        }
    }
}

static inline void await_done(fake_java *fake, const int32_t operation)
{
    CHECK(0 == await_result(fake, operation));
}

static inline void write_request(
    fake_java *fake, const int32_t type, const int32_t slot, const uint64_t address, const int32_t length,
    const int64_t first, const millrace_spdk_bdev *bdev)
{
    millrace_spdk_message *const message = add_message(fake);
    message->type = type;
    message->slot = slot;
    message->address = address;
    message->length = length;
    message->word0 = first;
    message->word1 = (int64_t)(uintptr_t)bdev;
}

#endif
