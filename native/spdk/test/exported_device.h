/* A device of a fake Java as a bdev of SPDK. It answers late, out of order and with errors. */
#ifndef MILLRACE_SPDK_TEST_EXPORTED_DEVICE_H
#define MILLRACE_SPDK_TEST_EXPORTED_DEVICE_H

#include "fake_java.h"

#include <sys/uio.h>

#include "spdk/bdev_module.h"

#define BLOCK 512
#define BLOCKS 16384
#define SLOTS 300
/* Blocks that a slot has to itself. */
#define SHARE 16
#define TRANSFER_BYTES (1 << 20)
#define VECTORS 16
#define FUA (1u << 30)
#define MISCOMPARE (2 << 8 | 0x85)
#define UNRECOVERED_READ (2 << 8 | 0x81)
#define NONE (-1)

static const char config[] =
    "{\"subsystems\":[{\"subsystem\":\"bdev\",\"config\":["
    "{\"method\":\"bdev_set_options\",\"params\":{\"bdev_io_pool_size\":4096,\"bdev_io_cache_size\":32}}]}]}";

static uint8_t store[BLOCKS * BLOCK];

/* A reactor and what it was told. */
typedef struct side
{
    fake_java fake;
    /* Requests to the device, by their slots, and the slots in the order in which they came. */
    millrace_spdk_io *shown[MILLRACE_SPDK_EXPORTED_IOS_MAX];
    int32_t order[MILLRACE_SPDK_EXPORTED_IOS_MAX];
    int count;
    int count_max;
    uint64_t told;
    /* Of requests of ours to the bdev: NONE while under way. */
    int32_t status[SLOTS];
    int completed;
    int32_t done_operation;
    int64_t resized;
    bool is_removed;
} side;

static inline void open_side(side *one, const char *name)
{
    memset(one, 0, sizeof(*one));
    one->done_operation = NONE;
    open_reactor(&one->fake, name);
}

/* Polls, and takes what there is; returns how much that was. */
static inline int pump(side *one)
{
    millrace_spdk_message batch[64];
    CHECK(millrace_spdk_reactor_poll(one->fake.reactor, 0) >= 0);
    const int read = take(&one->fake, batch, 64);
    CHECK(read >= 0);
    for (int i = 0; i < read; i++)
    {
        const millrace_spdk_message *const each = &batch[i];
        if (MILLRACE_SPDK_EXPORTED_IO == each->type)
        {
            millrace_spdk_io *const io = (millrace_spdk_io *)(uintptr_t)each->word0;
            CHECK(each->slot >= 0 && each->slot < MILLRACE_SPDK_EXPORTED_IOS_MAX && NULL == one->shown[each->slot]);
            CHECK(io->export_number == each->word1);
            one->shown[each->slot] = io;
            one->order[one->count++] = each->slot;
            one->count_max = spdk_max(one->count_max, one->count);
            one->told++;
        }
        else if (MILLRACE_SPDK_COMPLETION == each->type)
        {
            CHECK(NONE == one->status[each->slot]);
            one->status[each->slot] = (int32_t)each->word0;
            one->completed++;
        }
        else if (MILLRACE_SPDK_DONE == each->type)
        {
            CHECK(0 == each->word0);
            one->done_operation = each->slot;
        }
        else if (MILLRACE_SPDK_RESIZED == each->type)
        {
            one->resized = each->word0;
        }
        else
        {
            CHECK(MILLRACE_SPDK_REMOVED == each->type);
            one->is_removed = true;
        }
    }
    return read;
}

static inline void pump_for_a_while(side *one)
{
    for (int i = 0; i < 200; i++)
    {
        pump(one);
    }
}

static inline void begin_request(
    side *one, const int32_t type, const int32_t slot, const void *address, const int32_t length, const int64_t first,
    const millrace_spdk_bdev *bdev)
{
    one->status[slot] = NONE;
    write_request(&one->fake, type, slot, (uint64_t)(uintptr_t)address, length, first, bdev);
}

static inline void await_shown(side *one, const int count)
{
    while (count != one->count)
    {
        pump(one);
    }
}

static inline int32_t await_status(side *one, const int32_t slot)
{
    while (NONE == one->status[slot])
    {
        pump(one);
    }
    return one->status[slot];
}

static inline millrace_spdk_io *shown(const side *one, const int index)
{
    return one->shown[one->order[index]];
}

/* Ends a request, by its place in the order of those that are left. */
static inline void answer(side *one, const int index, const int32_t status)
{
    const int32_t slot = one->order[index];
    millrace_spdk_message *const message = add_message(&one->fake);
    message->type = MILLRACE_SPDK_EXPORTED_DONE;
    message->slot = slot;
    message->word0 = status;
    message->word1 = (int64_t)(uintptr_t)one->shown[slot];
    one->shown[slot] = NULL;
    one->count--;
    memmove(&one->order[index], &one->order[index + 1], (size_t)(one->count - index) * sizeof(int32_t));
}

/* Does what a request asks for. Returns its status. */
static inline int32_t carry_out(const millrace_spdk_io *io)
{
    CHECK(io->first + io->blocks <= BLOCKS);
    uint8_t *data = store + io->first * BLOCK;
    const struct iovec *const vectors = (const struct iovec *)(uintptr_t)io->vectors;
    uint64_t bytes = 0;
    switch (io->type)
    {
        case MILLRACE_SPDK_READV:
        case MILLRACE_SPDK_WRITEV:
        case MILLRACE_SPDK_COMPAREV:
            CHECK(io->vector_count > 0 && io->vector_count <= VECTORS && io->blocks <= TRANSFER_BYTES / BLOCK);
            for (int i = 0; i < io->vector_count; i++)
            {
                if (MILLRACE_SPDK_READV == io->type)
                {
                    memcpy(vectors[i].iov_base, data + bytes, vectors[i].iov_len);
                }
                else if (MILLRACE_SPDK_WRITEV == io->type)
                {
                    memcpy(data + bytes, vectors[i].iov_base, vectors[i].iov_len);
                }
                else if (0 != memcmp(data + bytes, vectors[i].iov_base, vectors[i].iov_len))
                {
                    return MISCOMPARE;
                }
                bytes += vectors[i].iov_len;
            }
            CHECK(io->blocks * BLOCK == bytes);
            return 0;
        case MILLRACE_SPDK_WRITE_ZEROES:
            CHECK(1 == io->is_forced);
            memset(data, 0, io->blocks * BLOCK);
            return 0;
        case MILLRACE_SPDK_UNMAP:
            CHECK(0 == io->is_forced);
            memset(data, 0, io->blocks * BLOCK);
            return 0;
        case MILLRACE_SPDK_COPY:
            CHECK(0 == io->is_forced);
            memmove(data, store + io->source * BLOCK, io->blocks * BLOCK);
            return 0;
        case MILLRACE_SPDK_FLUSH:
            return 0;
        default:
            CHECK(!"type of a request");
            return 0;
    }
}

static inline void serve(side *one)
{
    answer(one, 0, carry_out(shown(one, 0)));
}

/* One request from its begin to its end, which the device carries out. */
static inline int32_t run(
    side *one, const int32_t type, const void *address, const int32_t length, const int64_t first,
    const millrace_spdk_bdev *bdev)
{
    begin_request(one, type, 0, address, length, first, bdev);
    while (NONE == one->status[0])
    {
        pump(one);
        if (one->count > 0)
        {
            serve(one);
        }
    }
    return one->status[0];
}

static inline millrace_spdk_limits limits_of(const uint32_t alignment_bytes, const uint8_t id)
{
    millrace_spdk_limits limits = {
        .block_count = BLOCKS, .block_bytes = BLOCK, .alignment_bytes = alignment_bytes,
        .transfer_bytes_max = TRANSFER_BYTES, .vectors_max = VECTORS, .unmap_blocks_max = INT32_MAX,
        .has_write_cache = 1, .writes_zeroes = 1, .unmaps = 1, .copies = 1, .compares = 1};
    memset(limits.uuid, id, sizeof(limits.uuid));
    return limits;
}

static inline void on_examined(void *context)
{
    *(bool *)context = true;
}

/* Modules of SPDK read the first blocks of every new bdev. */
static inline void await_examination(side *application)
{
    bool is_examined = false;
    millrace_spdk_enter(application->fake.reactor);
    CHECK(0 == spdk_bdev_wait_for_examine(on_examined, &is_examined));
    millrace_spdk_leave();
    while (!is_examined)
    {
        pump(application);
        while (application->count > 0)
        {
            serve(application);
        }
    }
}

static inline millrace_spdk_export *add(side *application, const char *name, const int32_t number, const uint32_t alignment)
{
    const millrace_spdk_limits limits = limits_of(alignment, (uint8_t)(number + 1));
    int32_t error;
    millrace_spdk_export *const export =
        millrace_spdk_export_add(application->fake.reactor, name, number, &limits, &error);
    CHECK(NULL != export && 0 == error);
    await_examination(application);
    return export;
}

static inline millrace_spdk_bdev *open_bdev(side *one, const char *name, const int32_t slots)
{
    int32_t error;
    millrace_spdk_bdev *const bdev = millrace_spdk_bdev_open(one->fake.reactor, name, 1, slots, 7, &error);
    CHECK(NULL != bdev);
    return bdev;
}

static inline void remove_and_wait(side *application, millrace_spdk_export *export, const int32_t operation)
{
    millrace_spdk_export_remove(application->fake.reactor, export, operation);
    while (operation != application->done_operation)
    {
        pump(application);
    }
    application->done_operation = NONE;
}

static inline bool has_bdev(side *application, const char *name)
{
    millrace_spdk_enter(application->fake.reactor);
    const bool has = NULL != spdk_bdev_get_by_name(name);
    millrace_spdk_leave();
    return has;
}

#endif
