/* Java's part of a reactor, for programs without Java. */
#ifndef MILLRACE_SPDK_TEST_FAKE_JAVA_H
#define MILLRACE_SPDK_TEST_FAKE_JAVA_H

#include "../internal.h"

#include "../../ring/test/memory.h"

#define PLACES 1024

typedef struct fake_java
{
    ring_memory memory;
    millrace_ring native_end;
    millrace_ring java;
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
    ring_memory_make(&fake->memory, PLACES, MILLRACE_RING_ONE_PRODUCER);
    CHECK(0 == millrace_ring_attach(&fake->native_end, fake->memory.address, fake->memory.bytes));
    fake->java = java_end(&fake->native_end);
    int32_t error;
    fake->reactor = millrace_spdk_reactor_create(name, fake->memory.address, fake->memory.bytes, &error);
    CHECK(NULL != fake->reactor && 0 == error);
}

static inline void close_reactor(fake_java *fake)
{
    millrace_spdk_reactor_exit(fake->reactor);
    while (!millrace_spdk_reactor_ended(fake->reactor))
    {
        CHECK(millrace_spdk_reactor_poll(fake->reactor) >= 0);
    }
    millrace_spdk_reactor_free(fake->reactor);
    millrace_ring_detach(&fake->native_end);
    ring_memory_free(&fake->memory);
}

static inline void await_done(fake_java *fake, const int32_t operation)
{
    millrace_descriptor one;
    for (;;)
    {
        CHECK(millrace_spdk_reactor_poll(fake->reactor) >= 0);
        if (1 == millrace_queue_read(&fake->java.to_native, &one, 1))
        {
            CHECK(MILLRACE_SPDK_DONE == one.type && operation == one.slot && 0 == one.word0);
            return;
        }
    }
}

static inline void write_request(
    fake_java *fake, const int32_t type, const int32_t slot, const uint64_t address, const int32_t length,
    const int64_t first, const millrace_spdk_bdev *bdev)
{
    int error;
    millrace_descriptor *const record = millrace_queue_claim(&fake->java.to_java, type, &error);
    CHECK(NULL != record);
    record->slot = slot;
    record->address = address;
    record->length = length;
    record->word0 = first;
    record->word1 = (int64_t)(uintptr_t)bdev;
    millrace_queue_commit(record);
}

#endif
