/* Devices of a fake Java as bdevs of SPDK: each case by itself, on one thread that polls two reactors in turn. */
#include "exported_device.h"

#include <malloc.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

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

int main(void)
{
    printf("%s\n", millrace_spdk_version());
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
