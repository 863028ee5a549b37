/* Devices of a data plane as bdevs of SPDK: requests of whatever is in front of a bdev reach Java by a queue. */
#include "internal.h"

#include "spdk/bdev_module.h"
#include "spdk/util.h"

#include <sys/uio.h>

/* NVM command set: bit 30 of command dword 12 of Write. */
#define FORCE_UNIT_ACCESS (1u << 30)
/* How long SPDK waits, when a bdev is reset, for what is under way to end by itself. */
#define DRAIN_S 30
/* Generic command statuses of NVMe. */
#define INVALID_OPCODE 0x01
#define INVALID_FIELD 0x02
#define WRITE_PROTECTED 0x20

struct millrace_spdk_export
{
    struct spdk_bdev bdev;
    /* Who is told when it is gone, with that operation; NULL when nobody waits. */
    millrace_spdk_reactor *remover;
    int32_t operation;
    int32_t number;
    uint32_t types;
};

typedef struct export_channel
{
    millrace_spdk_reactor *reactor;
} export_channel;

/* Of a struct spdk_bdev_io, in its driver context. */
struct millrace_spdk_exported_io
{
    /* What Java sees of it. */
    millrace_spdk_io shown;
    millrace_spdk_reactor *reactor;
    /* Memory that stands for SPDK's; NULL where SPDK's is used. */
    struct iovec whole;
    STAILQ_ENTRY(millrace_spdk_exported_io) link;
};

static int start_module(void)
{
    return 0;
}

static int context_bytes(void)
{
    return (int)sizeof(millrace_spdk_exported_io);
}

static struct spdk_bdev_module module = {
    .name = "millrace",
    .module_init = start_module,
    .get_ctx_size = context_bytes,
};

SPDK_BDEV_MODULE_REGISTER(millrace, &module)

static uint32_t bit_of(const enum spdk_bdev_io_type type, const int32_t is_supported)
{
    return 0 != is_supported ? 1u << type : 0;
}

static int32_t type_of(const struct spdk_bdev_io *io)
{
    switch (io->type)
    {
        case SPDK_BDEV_IO_TYPE_READ:
            return MILLRACE_SPDK_READV;
        case SPDK_BDEV_IO_TYPE_WRITE:
            return MILLRACE_SPDK_WRITEV;
        case SPDK_BDEV_IO_TYPE_FLUSH:
            return MILLRACE_SPDK_FLUSH;
        case SPDK_BDEV_IO_TYPE_WRITE_ZEROES:
            return MILLRACE_SPDK_WRITE_ZEROES;
        case SPDK_BDEV_IO_TYPE_UNMAP:
            return MILLRACE_SPDK_UNMAP;
        case SPDK_BDEV_IO_TYPE_COPY:
            return MILLRACE_SPDK_COPY;
        case SPDK_BDEV_IO_TYPE_COMPARE:
            return MILLRACE_SPDK_COMPAREV;
        default:
            return 0;
    }
}

/* Places are kept for all that may be under way, so that one is there whenever a slot is. */
static void tell(millrace_spdk_exported_io *io)
{
    millrace_spdk_reactor *const reactor = io->reactor;
    const int32_t slot = reactor->export_slots[--reactor->export_slots_free];
    const bool is_told = millrace_spdk_tell(reactor, MILLRACE_SPDK_EXPORTED_IO, slot, 0,
        (int64_t)(uintptr_t)&io->shown, io->shown.export_number);
    if (!is_told)
    {
        SPDK_ERRLOG("no place on the queue for a request\n");
        abort();
    }
}

static void hand_over(millrace_spdk_exported_io *io)
{
    if (0 == io->reactor->export_slots_free || !STAILQ_EMPTY(&io->reactor->exported_waiting))
    {
        STAILQ_INSERT_TAIL(&io->reactor->exported_waiting, io, link);
        return;
    }
    tell(io);
}

/* A device that needs aligned memory takes no pieces that end within a block; SPDK looks at their beginnings only. */
static bool has_parts_of_blocks(const struct spdk_bdev_io *io)
{
    for (int i = 0; i < io->u.bdev.iovcnt && io->bdev->required_alignment > 0; i++)
    {
        if (0 != io->u.bdev.iovs[i].iov_len % io->bdev->blocklen)
        {
            return true;
        }
    }
    return false;
}

/* Rare, so that the memory is allocated. */
static bool gather(millrace_spdk_exported_io *exported, const struct spdk_bdev_io *io)
{
    const size_t bytes = io->u.bdev.num_blocks * io->bdev->blocklen;
    exported->whole.iov_base = spdk_dma_malloc(bytes, spdk_bdev_get_buf_align(io->bdev), NULL);
    exported->whole.iov_len = bytes;
    if (NULL == exported->whole.iov_base)
    {
        return false;
    }
    if (SPDK_BDEV_IO_TYPE_WRITE == io->type)
    {
        spdk_copy_iovs_to_buf(exported->whole.iov_base, bytes, io->u.bdev.iovs, io->u.bdev.iovcnt);
    }
    exported->shown.vectors = (uint64_t)(uintptr_t)&exported->whole;
    exported->shown.vector_count = 1;
    return true;
}

static void scatter(millrace_spdk_exported_io *exported, const struct spdk_bdev_io *io, const int status)
{
    if (0 == status && SPDK_BDEV_IO_TYPE_READ == io->type)
    {
        spdk_copy_buf_to_iovs(
            io->u.bdev.iovs, io->u.bdev.iovcnt, exported->whole.iov_base, exported->whole.iov_len);
    }
    spdk_dma_free(exported->whole.iov_base);
}

static void on_buffer(struct spdk_io_channel *channel, struct spdk_bdev_io *io, bool success)
{
    (void)channel;
    millrace_spdk_exported_io *const exported = (millrace_spdk_exported_io *)io->driver_ctx;
    if (!success)
    {
        /* It is longer than any buffer of SPDK: with NOMEM it would be tried again for ever. */
        spdk_bdev_io_complete(io, SPDK_BDEV_IO_STATUS_FAILED);
        return;
    }
    /* SPDK may have put a buffer of its own in place of what was there. */
    exported->shown.vectors = (uint64_t)(uintptr_t)io->u.bdev.iovs;
    exported->shown.vector_count = io->u.bdev.iovcnt;
    if (has_parts_of_blocks(io) && !gather(exported, io))
    {
        spdk_bdev_io_complete(io, SPDK_BDEV_IO_STATUS_FAILED);
        return;
    }
    hand_over(exported);
}

/* SPDK splits what is too long or has too many pieces, but not what is compared. */
static bool is_comparable(const struct spdk_bdev_io *io)
{
    return io->u.bdev.num_blocks <= io->bdev->max_rw_size && io->u.bdev.iovcnt <= (int)io->bdev->max_num_segments;
}

static void submit_request(struct spdk_io_channel *channel, struct spdk_bdev_io *io)
{
    const struct millrace_spdk_export *const export = (const struct millrace_spdk_export *)io->bdev->ctxt;
    const export_channel *const mine = (const export_channel *)spdk_io_channel_get_ctx(channel);
    millrace_spdk_exported_io *const exported = (millrace_spdk_exported_io *)io->driver_ctx;
    const int32_t type = type_of(io);
    if (0 == type)
    {
        /* SPDK resets when what was under way has not ended within DRAIN_S: then it cannot be ended. */
        spdk_bdev_io_complete(io, SPDK_BDEV_IO_STATUS_FAILED);
        return;
    }
    /* SPDK hands on writes and deallocations to a bdev that has none. */
    if (0 == (export->types & bit_of(io->type, 1)) && SPDK_BDEV_IO_TYPE_FLUSH != io->type)
    {
        const bool can_write = 0 != (export->types & bit_of(SPDK_BDEV_IO_TYPE_WRITE, 1));
        spdk_bdev_io_complete_nvme_status(
            io, 0, SPDK_NVME_SCT_GENERIC, can_write ? INVALID_OPCODE : WRITE_PROTECTED);
        return;
    }
    if (SPDK_BDEV_IO_TYPE_COMPARE == io->type && !is_comparable(io))
    {
        spdk_bdev_io_complete_nvme_status(io, 0, SPDK_NVME_SCT_GENERIC, INVALID_FIELD);
        return;
    }
    exported->whole.iov_base = NULL;
    exported->reactor = mine->reactor;
    exported->shown.export_number = export->number;
    exported->shown.type = type;
    /* SPDK's target drops the bit of Write Zeroes. */
    exported->shown.is_forced = SPDK_BDEV_IO_TYPE_WRITE_ZEROES == io->type ||
        (SPDK_BDEV_IO_TYPE_WRITE == io->type && 0 != (io->u.bdev.nvme_cdw12.raw & FORCE_UNIT_ACCESS));
    exported->shown.first = io->u.bdev.offset_blocks;
    exported->shown.blocks = io->u.bdev.num_blocks;
    exported->shown.source = SPDK_BDEV_IO_TYPE_COPY == io->type ? io->u.bdev.copy.src_offset_blocks : 0;
    exported->shown.vectors = (uint64_t)(uintptr_t)io->u.bdev.iovs;
    exported->shown.vector_count = io->u.bdev.iovcnt;
    if (SPDK_BDEV_IO_TYPE_READ == io->type || SPDK_BDEV_IO_TYPE_WRITE == io->type)
    {
        /* Where there is no memory yet, or none with the alignment that the device needs. */
        spdk_bdev_io_get_buf(io, on_buffer, io->u.bdev.num_blocks * io->bdev->blocklen);
        return;
    }
    hand_over(exported);
}

void millrace_spdk_export_complete(millrace_spdk_reactor *reactor, const millrace_spdk_message *message)
{
    millrace_spdk_exported_io *const exported = SPDK_CONTAINEROF(
        (millrace_spdk_io *)(uintptr_t)message->word1, millrace_spdk_exported_io, shown);
    struct spdk_bdev_io *const io = spdk_bdev_io_from_ctx(exported);
    reactor->export_slots[reactor->export_slots_free++] = message->slot;
    if (!STAILQ_EMPTY(&reactor->exported_waiting))
    {
        millrace_spdk_exported_io *const next = STAILQ_FIRST(&reactor->exported_waiting);
        STAILQ_REMOVE_HEAD(&reactor->exported_waiting, link);
        tell(next);
    }
    spdk_set_thread(spdk_bdev_io_get_thread(io));
    const int status = (int)message->word0;
    if (NULL != exported->whole.iov_base)
    {
        scatter(exported, io, status);
    }
    if (0 == status)
    {
        spdk_bdev_io_complete(io, SPDK_BDEV_IO_STATUS_SUCCESS);
    }
    else
    {
        spdk_bdev_io_complete_nvme_status(io, 0, status >> 8 & 0x7, status & 0xFF);
    }
}

static bool is_type_supported(void *context, enum spdk_bdev_io_type type)
{
    const struct millrace_spdk_export *const export = (const struct millrace_spdk_export *)context;
    return 0 != (export->types & 1u << type);
}

static struct spdk_io_channel *get_channel(void *context)
{
    return spdk_get_io_channel(context);
}

static int open_channel(void *device, void *context)
{
    (void)device;
    millrace_spdk_reactor *const reactor = millrace_spdk_current();
    if (NULL == reactor)
    {
        return -ENOTSUP;
    }
    ((export_channel *)context)->reactor = reactor;
    return 0;
}

static void close_channel(void *device, void *context)
{
    (void)device;
    (void)context;
}

static void on_device_gone(void *device)
{
    struct millrace_spdk_export *const export = (struct millrace_spdk_export *)device;
    spdk_bdev_destruct_done(&export->bdev, 0);
    if (NULL != export->remover)
    {
        millrace_spdk_tell(export->remover, MILLRACE_SPDK_DONE, export->operation, 0, 0, 0);
    }
    free(export->bdev.name);
    free(export);
}

/* Returns 1: it goes on until the channels are closed. */
static int destruct(void *context)
{
    spdk_io_device_unregister(context, on_device_gone);
    return 1;
}

static const struct spdk_bdev_fn_table functions = {
    .destruct = destruct,
    .submit_request = submit_request,
    .io_type_supported = is_type_supported,
    .get_io_channel = get_channel,
};

millrace_spdk_export *millrace_spdk_export_add(
    millrace_spdk_reactor *reactor, const char *name, const int32_t number, const millrace_spdk_limits *limits,
    int32_t *error)
{
    struct millrace_spdk_export *const export = calloc(1, sizeof(*export));
    char *const own_name = NULL == export ? NULL : strdup(name);
    if (NULL == own_name)
    {
        free(export);
        *error = -ENOMEM;
        return NULL;
    }
    export->number = number;
    export->types = bit_of(SPDK_BDEV_IO_TYPE_READ, 1) | bit_of(SPDK_BDEV_IO_TYPE_RESET, 1) |
        bit_of(SPDK_BDEV_IO_TYPE_WRITE, !limits->is_read_only) |
        bit_of(SPDK_BDEV_IO_TYPE_FLUSH, limits->has_write_cache) |
        bit_of(SPDK_BDEV_IO_TYPE_WRITE_ZEROES, limits->writes_zeroes) |
        bit_of(SPDK_BDEV_IO_TYPE_UNMAP, limits->unmaps) | bit_of(SPDK_BDEV_IO_TYPE_COPY, limits->copies) |
        /* SPDK brings writes to an aligned place, but not what is compared. */
        bit_of(SPDK_BDEV_IO_TYPE_COMPARE, limits->compares && limits->alignment_bytes <= 1);
    struct spdk_bdev *const bdev = &export->bdev;
    bdev->ctxt = export;
    bdev->name = own_name;
    bdev->product_name = "Millrace device";
    bdev->module = &module;
    bdev->fn_table = &functions;
    bdev->write_cache = 0 != limits->has_write_cache;
    bdev->blocklen = limits->block_bytes;
    bdev->phys_blocklen = limits->block_bytes;
    bdev->blockcnt = limits->block_count;
    bdev->required_alignment = (uint8_t)spdk_u32log2(limits->alignment_bytes);
    bdev->max_num_segments = limits->vectors_max;
    bdev->max_segment_size = limits->transfer_bytes_max;
    bdev->max_rw_size = limits->transfer_bytes_max / limits->block_bytes;
    bdev->max_write_zeroes = limits->transfer_bytes_max / limits->block_bytes;
    bdev->max_copy = limits->transfer_bytes_max / limits->block_bytes;
    bdev->max_unmap = limits->unmap_blocks_max;
    bdev->max_unmap_segments = 1;
    bdev->reset_io_drain_timeout = DRAIN_S;
    memcpy(&bdev->uuid, limits->uuid, sizeof(bdev->uuid));
    millrace_spdk_enter(reactor);
    spdk_io_device_register(export, open_channel, close_channel, sizeof(export_channel), own_name);
    *error = spdk_bdev_register(bdev);
    if (0 != *error)
    {
        spdk_io_device_unregister(export, NULL);
    }
    millrace_spdk_leave();
    if (0 != *error)
    {
        free(own_name);
        free(export);
        return NULL;
    }
    return export;
}

int32_t millrace_spdk_export_resize(
    millrace_spdk_reactor *reactor, millrace_spdk_export *export, const int64_t block_count)
{
    millrace_spdk_enter(reactor);
    const int result = spdk_bdev_notify_blockcnt_change(&export->bdev, (uint64_t)block_count);
    millrace_spdk_leave();
    return result;
}

void millrace_spdk_export_remove(
    millrace_spdk_reactor *reactor, millrace_spdk_export *export, const int32_t operation)
{
    export->remover = reactor;
    export->operation = operation;
    millrace_spdk_enter(reactor);
    spdk_bdev_unregister(&export->bdev, NULL, NULL);
    millrace_spdk_leave();
}

typedef struct found_memory
{
    uint64_t *ranges;
    int32_t max;
    int32_t count;
    uint64_t end;
} found_memory;

static int on_memory(
    void *context, struct spdk_mem_map *map, enum spdk_mem_map_notify_action action, void *address, size_t bytes)
{
    (void)map;
    found_memory *const found = (found_memory *)context;
    const uint64_t start = (uint64_t)(uintptr_t)address;
    if (SPDK_MEM_MAP_NOTIFY_REGISTER != action)
    {
        return 0;
    }
    if (start != found->end || 0 == found->count)
    {
        found->count++;
        if (found->count <= found->max)
        {
            found->ranges[2 * (found->count - 1)] = start;
            found->ranges[2 * (found->count - 1) + 1] = 0;
        }
    }
    if (found->count <= found->max)
    {
        found->ranges[2 * (found->count - 1) + 1] += bytes;
    }
    found->end = start + bytes;
    return 0;
}

int32_t millrace_spdk_memory(uint64_t *ranges, const int32_t max)
{
    static const struct spdk_mem_map_ops operations = {.notify_cb = on_memory, .are_contiguous = NULL};
    found_memory found = {.ranges = ranges, .max = max, .count = 0, .end = 0};
    struct spdk_mem_map *map = spdk_mem_map_alloc(0, &operations, &found);
    if (NULL == map)
    {
        return -ENOMEM;
    }
    spdk_mem_map_free(&map);
    return found.count;
}
