/*
 * Devices of a fake Java as bdevs of SPDK. It answers late, out of order and with errors. First each case by itself, on
 * one thread that polls two reactors in turn; then two threads with random requests to one export, against a model.
 * Prints its seed; an argument repeats a run.
 */
#include "fake_java.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>

#include "spdk/bdev_module.h"

#define BLOCK 512
#define BLOCKS 16384
#define SLOTS 300
/* Blocks that a slot has to itself. */
#define SHARE 16
#define ROUNDS 20000
#define TRANSFER_BYTES (1 << 20)
#define VECTORS 16
#define FUA (1u << 30)
#define MISCOMPARE (2 << 8 | 0x85)
#define UNRECOVERED_READ (2 << 8 | 0x81)
#define NONE (-1)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

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

static void open_side(side *one, const char *name)
{
    memset(one, 0, sizeof(*one));
    one->done_operation = NONE;
    open_reactor(&one->fake, name);
}

/* Polls, and takes what there is; returns how much that was. */
static int pump(side *one)
{
    millrace_descriptor batch[64];
    CHECK(millrace_spdk_reactor_poll(one->fake.reactor) >= 0);
    const int read = millrace_queue_read(&one->fake.java.to_native, batch, 64);
    CHECK(read >= 0);
    for (int i = 0; i < read; i++)
    {
        const millrace_descriptor *const each = &batch[i];
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

static void pump_for_a_while(side *one)
{
    for (int i = 0; i < 200; i++)
    {
        pump(one);
    }
}

static void begin_request(
    side *one, const int32_t type, const int32_t slot, const void *address, const int32_t length, const int64_t first,
    const millrace_spdk_bdev *bdev)
{
    one->status[slot] = NONE;
    write_request(&one->fake, type, slot, (uint64_t)(uintptr_t)address, length, first, bdev);
}

static void await_shown(side *one, const int count)
{
    while (count != one->count)
    {
        pump(one);
    }
}

static int32_t await_status(side *one, const int32_t slot)
{
    while (NONE == one->status[slot])
    {
        pump(one);
    }
    return one->status[slot];
}

static millrace_spdk_io *shown(const side *one, const int index)
{
    return one->shown[one->order[index]];
}

/* Ends a request, by its place in the order of those that are left. */
static void answer(side *one, const int index, const int32_t status)
{
    const int32_t slot = one->order[index];
    int error;
    millrace_descriptor *const record = millrace_queue_claim(&one->fake.java.to_java, MILLRACE_SPDK_EXPORTED_DONE, &error);
    CHECK(NULL != record);
    record->slot = slot;
    record->word0 = status;
    record->word1 = (int64_t)(uintptr_t)one->shown[slot];
    millrace_queue_commit(record);
    one->shown[slot] = NULL;
    one->count--;
    memmove(&one->order[index], &one->order[index + 1], (size_t)(one->count - index) * sizeof(int32_t));
}

/* Does what a request asks for. Returns its status. */
static int32_t carry_out(const millrace_spdk_io *io)
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

static void serve(side *one)
{
    answer(one, 0, carry_out(shown(one, 0)));
}

/* One request from its begin to its end, which the device carries out. */
static int32_t run(
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

static millrace_spdk_limits limits_of(const uint32_t alignment_bytes, const uint8_t id)
{
    millrace_spdk_limits limits = {
        .block_count = BLOCKS, .block_bytes = BLOCK, .alignment_bytes = alignment_bytes,
        .transfer_bytes_max = TRANSFER_BYTES, .vectors_max = VECTORS, .unmap_blocks_max = INT32_MAX,
        .has_write_cache = 1, .writes_zeroes = 1, .unmaps = 1, .copies = 1, .compares = 1};
    memset(limits.uuid, id, sizeof(limits.uuid));
    return limits;
}

static void on_examined(void *context)
{
    *(bool *)context = true;
}

/* Modules of SPDK read the first blocks of every new bdev. */
static void await_examination(side *application)
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

static millrace_spdk_export *add(side *application, const char *name, const int32_t number, const uint32_t alignment)
{
    const millrace_spdk_limits limits = limits_of(alignment, (uint8_t)(number + 1));
    int32_t error;
    millrace_spdk_export *const export =
        millrace_spdk_export_add(application->fake.reactor, name, number, &limits, &error);
    CHECK(NULL != export && 0 == error);
    await_examination(application);
    return export;
}

static millrace_spdk_bdev *open_bdev(side *one, const char *name, const int32_t slots)
{
    int32_t error;
    millrace_spdk_bdev *const bdev = millrace_spdk_bdev_open(one->fake.reactor, name, 1, slots, 7, &error);
    CHECK(NULL != bdev);
    return bdev;
}

static void remove_and_wait(side *application, millrace_spdk_export *export, const int32_t operation)
{
    millrace_spdk_export_remove(application->fake.reactor, export, operation);
    while (operation != application->done_operation)
    {
        pump(application);
    }
    application->done_operation = NONE;
}

static bool has_bdev(side *application, const char *name)
{
    millrace_spdk_enter(application->fake.reactor);
    const bool has = NULL != spdk_bdev_get_by_name(name);
    millrace_spdk_leave();
    return has;
}

/* A name or a UUID is taken: refused, nothing is left of it, and the name is free when its bdev is gone. */
static void check_names(side *application)
{
    millrace_spdk_export *const first = add(application, "same", 0, 1);
    const millrace_spdk_limits other = limits_of(1, 99);
    const millrace_spdk_limits same_uuid = limits_of(1, 1);
    int32_t error;
    size_t used = 0;
    for (int i = 0; i < 300; i++)
    {
        if (100 == i)
        {
            used = mallinfo2().uordblks;
        }
        CHECK(NULL == millrace_spdk_export_add(application->fake.reactor, "same", 1, &other, &error));
        CHECK(-EEXIST == error);
        CHECK(NULL == millrace_spdk_export_add(application->fake.reactor, "other", 1, &same_uuid, &error));
        CHECK(-EEXIST == error);
        pump(application);
    }
    CHECK(IS_SANITIZED || mallinfo2().uordblks < used + 200 * 64);
    CHECK(!has_bdev(application, "other"));
    remove_and_wait(application, first, 5);
    CHECK(!has_bdev(application, "same"));
    remove_and_wait(application, add(application, "same", 0, 1), 6);
}

/* As many as there are slots are shown; others wait, and follow one by one in their order. */
static void check_order(side *application)
{
    millrace_spdk_export *const export = add(application, "order", 3, 1);
    millrace_spdk_bdev *const bdev = open_bdev(application, "order", SLOTS);
    uint8_t *const data = calloc(SLOTS, BLOCK);
    for (int i = 0; i < SLOTS; i++)
    {
        begin_request(application, MILLRACE_SPDK_READ, i, data + (size_t)i * BLOCK, BLOCK, i, bdev);
    }
    pump_for_a_while(application);
    CHECK(MILLRACE_SPDK_EXPORTED_IOS_MAX == application->count);
    for (int i = 0; i < MILLRACE_SPDK_EXPORTED_IOS_MAX; i++)
    {
        CHECK((uint64_t)i == shown(application, i)->first && MILLRACE_SPDK_READV == shown(application, i)->type);
    }
    const int last = MILLRACE_SPDK_EXPORTED_IOS_MAX - 1;
    for (int i = MILLRACE_SPDK_EXPORTED_IOS_MAX; i < SLOTS; i++)
    {
        /* The newest ends first. */
        const int32_t ended = (int32_t)shown(application, last)->first;
        answer(application, last, 0);
        await_shown(application, MILLRACE_SPDK_EXPORTED_IOS_MAX);
        CHECK((uint64_t)i == shown(application, last)->first);
        CHECK(0 == await_status(application, ended));
        pump_for_a_while(application);
        CHECK(MILLRACE_SPDK_EXPORTED_IOS_MAX == application->count);
    }
    while (application->count > 0)
    {
        answer(application, 0, UNRECOVERED_READ);
    }
    for (int i = 0; i < SLOTS; i++)
    {
        CHECK(await_status(application, i) == (i < last || i == SLOTS - 1 ? UNRECOVERED_READ : 0));
    }
    CHECK(0 == application->count);
    millrace_spdk_bdev_close(bdev);
    remove_and_wait(application, export, 7);
    free(data);
}

static void on_forced(struct spdk_bdev_io *io, bool success, void *context)
{
    CHECK(success);
    spdk_bdev_free_io(io);
    *(bool *)context = true;
}

/* Every type with its range, what is forced, payload in several pieces, and statuses as Java says them. */
static void check_types(side *application)
{
    millrace_spdk_export *const export = add(application, "types", 4, 1);
    millrace_spdk_bdev *const bdev = open_bdev(application, "types", SLOTS);
    uint8_t data[4 * BLOCK];
    uint8_t back[4 * BLOCK];
    for (size_t i = 0; i < sizeof(data); i++)
    {
        data[i] = (uint8_t)(i * 7 + i / BLOCK);
    }
    /* Pieces that end within blocks. */
    const struct iovec vectors[] = {{data, 100}, {data + 100, BLOCK}, {data + 612, sizeof(data) - 612}};
    const struct iovec backs[] = {{back, 3 * BLOCK + 1}, {back + 3 * BLOCK + 1, BLOCK - 1}};
    CHECK(0 == run(application, MILLRACE_SPDK_WRITEV, vectors, 3, 8, bdev));
    CHECK(0 == memcmp(store + 8 * BLOCK, data, sizeof(data)));
    CHECK(0 == run(application, MILLRACE_SPDK_READV, backs, 2, 8, bdev));
    CHECK(0 == memcmp(back, data, sizeof(data)));
    CHECK(0 == run(application, MILLRACE_SPDK_COMPAREV, vectors, 3, 8, bdev));
    CHECK(MISCOMPARE == run(application, MILLRACE_SPDK_COMPARE, data, 4 * BLOCK, 9, bdev));
    CHECK(0 == run(application, MILLRACE_SPDK_COPY, (void *)8, 4, 40, bdev));
    CHECK(0 == memcmp(store + 40 * BLOCK, data, sizeof(data)));
    CHECK(0 == run(application, MILLRACE_SPDK_UNMAP, (void *)1, 0, 40, bdev));
    CHECK(0 == store[40 * BLOCK + 1] && data[BLOCK] == store[41 * BLOCK]);
    CHECK(0 == run(application, MILLRACE_SPDK_WRITE_ZEROES, (void *)2, 0, 41, bdev));
    CHECK(0 == store[41 * BLOCK + 1] && 0 == store[42 * BLOCK + 1] && data[3 * BLOCK] == store[43 * BLOCK]);
    begin_request(application, MILLRACE_SPDK_FLUSH, 0, (void *)BLOCKS, 0, 0, bdev);
    await_shown(application, 1);
    CHECK(MILLRACE_SPDK_FLUSH == shown(application, 0)->type && 0 == shown(application, 0)->is_forced);
    answer(application, 0, 0);
    CHECK(0 == await_status(application, 0));
    begin_request(application, MILLRACE_SPDK_WRITE, 0, data, BLOCK, 8, bdev);
    await_shown(application, 1);
    CHECK(0 == shown(application, 0)->is_forced);
    answer(application, 0, 0x20);
    CHECK(0x20 == await_status(application, 0));
    /* A forced write that SPDK splits: so is each part. */
    struct spdk_bdev_ext_io_opts opts = {.size = sizeof(opts), .nvme_cdw12 = {.raw = FUA}};
    uint8_t *const large = calloc(2, TRANSFER_BYTES);
    struct iovec whole = {large, 2 * (size_t)TRANSFER_BYTES};
    bool is_done = false;
    millrace_spdk_enter(application->fake.reactor);
    CHECK(0 == spdk_bdev_writev_blocks_ext(bdev->desc, bdev->channel, &whole, 1, 0,
        2 * TRANSFER_BYTES / BLOCK, on_forced, &is_done, &opts));
    millrace_spdk_leave();
    await_shown(application, 2);
    CHECK(1 == shown(application, 0)->is_forced && 1 == shown(application, 1)->is_forced);
    while (!is_done)
    {
        if (application->count > 0)
        {
            serve(application);
        }
        pump(application);
    }
    free(large);
    millrace_spdk_bdev_close(bdev);
    remove_and_wait(application, export, 8);
}

/* SPDK splits what is too long or has too many pieces, but not what is compared, which Java never gets to see. */
static void check_limits(side *application)
{
    millrace_spdk_export *const export = add(application, "limits", 0, 1);
    millrace_spdk_bdev *const bdev = open_bdev(application, "limits", SLOTS);
    uint8_t *const data = calloc(3, TRANSFER_BYTES);
    struct iovec vectors[2 * VECTORS];
    for (int i = 0; i < 2 * VECTORS; i++)
    {
        vectors[i].iov_base = data + (size_t)i * BLOCK;
        vectors[i].iov_len = BLOCK;
    }
    memset(store, 0, sizeof(store));
    application->told = 0;
    CHECK(0 == run(application, MILLRACE_SPDK_WRITEV, vectors, 2 * VECTORS, 0, bdev));
    CHECK(2 == application->told);
    CHECK(0 == run(application, MILLRACE_SPDK_READ, data, 3 * TRANSFER_BYTES, 0, bdev));
    CHECK(5 == application->told);
    CHECK(0 == run(application, MILLRACE_SPDK_COMPARE, data, TRANSFER_BYTES, 0, bdev));
    CHECK(0 == run(application, MILLRACE_SPDK_COMPAREV, vectors, VECTORS, 0, bdev));
    application->told = 0;
    CHECK(0x02 == run(application, MILLRACE_SPDK_COMPARE, data, TRANSFER_BYTES + BLOCK, 0, bdev));
    CHECK(0x02 == run(application, MILLRACE_SPDK_COMPAREV, vectors, VECTORS + 1, 0, bdev));
    CHECK(0 == application->told);
    free(data);
    millrace_spdk_bdev_close(bdev);
    remove_and_wait(application, export, 9);
}

/* Memory that is not aligned, and pieces that end within blocks, are brought to a place that is, however long. */
static void check_alignment(side *application)
{
    millrace_spdk_export *const export = add(application, "aligned", 0, 4096);
    millrace_spdk_bdev *const bdev = open_bdev(application, "aligned", SLOTS);
    const int32_t lengths[] = {BLOCK, 8 * BLOCK, TRANSFER_BYTES / 2, TRANSFER_BYTES};
    uint8_t *const memory = aligned_alloc(4096, 2 * TRANSFER_BYTES);
    uint8_t *const data = memory + 8;
    for (int i = 0; i < 4; i++)
    {
        for (int k = 0; k < lengths[i]; k++)
        {
            data[k] = (uint8_t)(k * 3 + k / BLOCK + i);
        }
        begin_request(application, MILLRACE_SPDK_WRITE, 0, data, lengths[i], 5, bdev);
        begin_request(application, MILLRACE_SPDK_COMPARE, 1, data, BLOCK, BLOCKS - 8, bdev);
        while (NONE == application->status[0] || NONE == application->status[1])
        {
            pump(application);
            for (int k = 0; k < application->count; k++)
            {
                const millrace_spdk_io *const io = shown(application, k);
                const struct iovec *const vectors = (const struct iovec *)(uintptr_t)io->vectors;
                CHECK(1 == io->vector_count && 0 == (uintptr_t)vectors[0].iov_base % 4096);
                /* SPDK compares, with what it reads. */
                CHECK(MILLRACE_SPDK_COMPAREV != io->type);
            }
            while (application->count > 0)
            {
                serve(application);
            }
        }
        CHECK(0 == application->status[0]);
        CHECK(0 == memcmp(store + 5 * BLOCK, data, (size_t)lengths[i]));
        memset(data, 0, (size_t)lengths[i]);
        CHECK(0 == run(application, MILLRACE_SPDK_READ, data, lengths[i], 5, bdev));
        CHECK(0 == memcmp(store + 5 * BLOCK, data, (size_t)lengths[i]));
    }
    memset(memory, 0x5a, 4 * BLOCK);
    /* Both begin at an aligned place. */
    const struct iovec pieces[] = {{memory, 100}, {memory + 4096, 2 * BLOCK - 100}};
    memset(memory + 4096, 0xa5, 2 * BLOCK);
    begin_request(application, MILLRACE_SPDK_WRITEV, 0, pieces, 2, 5, bdev);
    await_shown(application, 1);
    CHECK(1 == shown(application, 0)->vector_count);
    serve(application);
    CHECK(0 == await_status(application, 0));
    CHECK(0x5a == store[5 * BLOCK + 99] && 0xa5 == store[5 * BLOCK + 100]);
    memset(memory, 0, 8192);
    begin_request(application, MILLRACE_SPDK_READV, 0, pieces, 2, 5, bdev);
    await_shown(application, 1);
    CHECK(1 == shown(application, 0)->vector_count);
    serve(application);
    CHECK(0 == await_status(application, 0));
    CHECK(0x5a == memory[99] && 0 == memory[100] && 0xa5 == memory[4096 + 2 * BLOCK - 101]);
    free(memory);
    millrace_spdk_bdev_close(bdev);
    remove_and_wait(application, export, 10);
}

/* What a read-only device without a cache has: it reads, and compares. */
static void check_read_only(side *application)
{
    millrace_spdk_limits limits = limits_of(1, 44);
    limits.is_read_only = 1;
    limits.has_write_cache = 0;
    limits.writes_zeroes = 0;
    limits.unmaps = 0;
    limits.copies = 0;
    int32_t error;
    millrace_spdk_export *const export =
        millrace_spdk_export_add(application->fake.reactor, "constant", 2, &limits, &error);
    CHECK(NULL != export);
    await_examination(application);
    millrace_spdk_bdev *const bdev = open_bdev(application, "constant", SLOTS);
    CHECK(!spdk_bdev_has_write_cache(bdev->bdev));
    uint8_t data[BLOCK];
    application->told = 0;
    CHECK(0 == run(application, MILLRACE_SPDK_READ, data, BLOCK, 1, bdev));
    CHECK(0 == run(application, MILLRACE_SPDK_COMPARE, data, BLOCK, 1, bdev));
    CHECK(2 == application->told);
    CHECK(0x01 == run(application, MILLRACE_SPDK_WRITE_ZEROES, (void *)1, 0, 0, bdev));
    CHECK(0x20 == run(application, MILLRACE_SPDK_UNMAP, (void *)1, 0, 0, bdev));
    CHECK(0x20 == run(application, MILLRACE_SPDK_WRITE, data, BLOCK, 1, bdev));
    CHECK(2 == application->told);
    millrace_spdk_bdev_close(bdev);
    remove_and_wait(application, export, 11);
}

/* SPDK hands on deallocations without a look at what a device can do. */
static void check_missing_types(side *application)
{
    millrace_spdk_limits limits = limits_of(1, 45);
    limits.unmaps = 0;
    int32_t error;
    millrace_spdk_export *const export =
        millrace_spdk_export_add(application->fake.reactor, "keeps", 2, &limits, &error);
    CHECK(NULL != export);
    await_examination(application);
    millrace_spdk_bdev *const bdev = open_bdev(application, "keeps", SLOTS);
    application->told = 0;
    CHECK(0x01 == run(application, MILLRACE_SPDK_UNMAP, (void *)1, 0, 0, bdev));
    CHECK(0 == application->told);
    millrace_spdk_bdev_close(bdev);
    remove_and_wait(application, export, 15);
}

/* Whoever has it open is told of another size, and may use it. */
static void check_resize(side *application, side *other)
{
    millrace_spdk_limits limits = limits_of(1, 46);
    limits.block_count = BLOCKS / 2;
    int32_t error;
    millrace_spdk_export *const export =
        millrace_spdk_export_add(application->fake.reactor, "grows", 0, &limits, &error);
    CHECK(NULL != export);
    await_examination(application);
    uint8_t data[BLOCK];
    millrace_spdk_bdev *const bdev = open_bdev(other, "grows", SLOTS);
    CHECK(-EBUSY == millrace_spdk_export_resize(application->fake.reactor, export, BLOCKS / 4));
    CHECK(0x80 == run(other, MILLRACE_SPDK_READ, data, BLOCK, BLOCKS - 1, bdev));
    CHECK(0 == millrace_spdk_export_resize(application->fake.reactor, export, BLOCKS));
    while (BLOCKS != other->resized)
    {
        pump(other);
        pump(application);
    }
    CHECK(0 == run(other, MILLRACE_SPDK_READ, data, BLOCK, BLOCKS - 1, bdev));
    millrace_spdk_bdev_close(bdev);
    pump_for_a_while(other);
    remove_and_wait(application, export, 12);
}

/* It ends when all have closed it, and not before; requests go on to the device until then. */
static void check_removal(side *application, side *other)
{
    millrace_spdk_export *const export = add(application, "leaves", 0, 1);
    millrace_spdk_bdev *const bdev = open_bdev(other, "leaves", SLOTS);
    millrace_spdk_bdev *const watching = open_bdev(application, "leaves", 0);
    uint8_t data[BLOCK];
    other->completed = 0;
    other->is_removed = false;
    application->is_removed = false;
    for (int i = 0; i < SLOTS; i++)
    {
        begin_request(other, MILLRACE_SPDK_READ, i, data, BLOCK, i, bdev);
    }
    await_shown(other, MILLRACE_SPDK_EXPORTED_IOS_MAX);
    millrace_spdk_export_remove(application->fake.reactor, export, 13);
    while (!other->is_removed || !application->is_removed)
    {
        pump(application);
        pump(other);
    }
    while (other->completed < SLOTS)
    {
        if (other->count > 0)
        {
            serve(other);
        }
        pump(other);
        pump(application);
    }
    for (int i = 0; i < SLOTS; i++)
    {
        CHECK(0 == other->status[i]);
    }
    millrace_spdk_bdev_close(watching);
    pump_for_a_while(application);
    pump_for_a_while(other);
    CHECK(NONE == application->done_operation);
    /* A second opener of the name is refused. */
    int32_t error;
    CHECK(NULL == millrace_spdk_bdev_open(application->fake.reactor, "leaves", 0, 0, 1, &error));
    millrace_spdk_bdev_close(bdev);
    pump_for_a_while(application);
    /* The channel of the other reactor is closed by messages to it. */
    CHECK(NONE == application->done_operation);
    while (13 != application->done_operation)
    {
        pump(other);
        pump(application);
    }
    application->done_operation = NONE;
    CHECK(!has_bdev(application, "leaves"));
}

/* A reset waits for what is under way, and does not reach the device. */
static void check_reset(side *application)
{
    millrace_spdk_export *const export = add(application, "resets", 0, 1);
    millrace_spdk_bdev *const bdev = open_bdev(application, "resets", SLOTS);
    uint8_t data[BLOCK];
    begin_request(application, MILLRACE_SPDK_READ, 0, data, BLOCK, 0, bdev);
    await_shown(application, 1);
    begin_request(application, MILLRACE_SPDK_RESET, 1, NULL, 0, 0, bdev);
    pump_for_a_while(application);
    CHECK(1 == application->count && NONE == application->status[1] && NONE == application->status[0]);
    answer(application, 0, 0);
    CHECK(0 == await_status(application, 0));
    CHECK(0 == await_status(application, 1));
    CHECK(0 == run(application, MILLRACE_SPDK_READ, data, BLOCK, 0, bdev));
    millrace_spdk_bdev_close(bdev);
    remove_and_wait(application, export, 14);
}

static void check_memory(void)
{
    uint64_t ranges[2 * 64];
    const int32_t count = millrace_spdk_memory(ranges, 64);
    CHECK(count > 0 && count <= 64);
    void *const inside = spdk_dma_zmalloc(4096, 4096, NULL);
    uint64_t bytes = 0;
    bool is_found = false;
    for (int32_t i = 0; i < count; i++)
    {
        const uint64_t start = ranges[2 * i];
        const uint64_t length = ranges[2 * i + 1];
        CHECK(0 == start % 4096 && length > 0 && 0 == length % 4096);
        CHECK(0 == i || start > ranges[2 * i - 2] + ranges[2 * i - 1]);
        is_found |= (uintptr_t)inside >= start && (uintptr_t)inside + 4096 <= start + length;
        bytes += length;
    }
    CHECK(is_found && bytes >= 320ull << 20);
    /* Two ranges more, with a hole between them. */
    const size_t huge = 2 << 20;
    uint8_t *const mapped = mmap(NULL, 5 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *const start = (uint8_t *)(((uintptr_t)mapped + huge - 1) / huge * huge);
    CHECK(MAP_FAILED != mapped);
    CHECK(0 == spdk_mem_register(start, huge) && 0 == spdk_mem_register(start + 2 * huge, huge));
    uint64_t more[2 * 64];
    CHECK(count + 2 == millrace_spdk_memory(more, 64));
    /* Those that there is no room for are counted, and nothing is written behind the room. */
    uint64_t few[4] = {0, 0, 0, 0};
    CHECK(count + 2 == millrace_spdk_memory(few, 1));
    CHECK(more[0] == few[0] && more[1] == few[1] && 0 == few[2] && 0 == few[3]);
    CHECK(0 == spdk_mem_unregister(start, huge) && 0 == spdk_mem_unregister(start + 2 * huge, huge));
    CHECK(count == millrace_spdk_memory(more, 64));
    munmap(mapped, 5 * huge);
    spdk_dma_free(inside);
}

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
    start_environment("export_test");
    side *const application = calloc(1, sizeof(side));
    side *const other = calloc(1, sizeof(side));
    open_side(application, "application");
    CHECK(0 == millrace_spdk_subsystems_start(application->fake.reactor, config, sizeof(config) - 1, 3));
    await_done(&application->fake, 3);
    check_memory();
    check_names(application);
    check_order(application);
    check_types(application);
    check_limits(application);
    check_alignment(application);
    check_read_only(application);
    check_missing_types(application);
    check_reset(application);
    open_side(other, "other");
    check_resize(application, other);
    check_removal(application, other);
    close_reactor(&other->fake);
    check_threads(application, seed);
    /* A bdev that is left when SPDK stops goes with it. */
    add(application, "left", 0, 1);
    CHECK(0 == millrace_spdk_subsystems_stop(application->fake.reactor, 4));
    await_done(&application->fake, 4);
    close_reactor(&application->fake);
    free(other);
    free(application);
    printf("done\n");
    return 0;
}
