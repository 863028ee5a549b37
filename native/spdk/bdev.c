/* Bdevs: requests from a queue of a reactor, completions and events back. */
#include "internal.h"

#include <sys/uio.h>

/* Status codes of NVMe, generic command status unless said otherwise. */
#define INVALID_OPCODE 0x01
#define INVALID_FIELD 0x02
#define INTERNAL_ERROR 0x06
#define WRITE_PROTECTED 0x20
#define LBA_OUT_OF_RANGE 0x80

static void on_event(enum spdk_bdev_event_type type, struct spdk_bdev *bdev, void *context)
{
    (void)bdev;
    millrace_spdk_bdev *const opened = (millrace_spdk_bdev *)context;
    if (SPDK_BDEV_EVENT_REMOVE == type)
    {
        opened->is_removal_due = true;
    }
    else if (SPDK_BDEV_EVENT_RESIZE == type)
    {
        opened->is_resize_due = true;
    }
    else
    {
        return;
    }
    opened->reactor->has_events = true;
}

/* So few at a time that places are left for the completions of all requests under way. */
static bool tell_event(millrace_spdk_bdev *bdev, const int32_t type, const int64_t word0)
{
    const millrace_spdk_queue *const queue = &bdev->reactor->queues.to_java;
    return queue->tail - queue->head < MILLRACE_SPDK_EVENTS &&
        millrace_spdk_tell(bdev->reactor, type, 0, 0, word0, bdev->tag);
}

int millrace_spdk_bdev_report(millrace_spdk_reactor *reactor)
{
    if (!reactor->has_events)
    {
        return 0;
    }
    int reported = 0;
    bool is_full = false;
    millrace_spdk_bdev *each;
    TAILQ_FOREACH(each, &reactor->bdevs, link)
    {
        if (each->is_resize_due)
        {
            is_full =
                !tell_event(each, MILLRACE_SPDK_RESIZED, (int64_t)spdk_bdev_get_num_blocks(each->bdev));
            each->is_resize_due = is_full;
        }
        if (each->is_removal_due && !is_full)
        {
            is_full = !tell_event(each, MILLRACE_SPDK_REMOVED, 0);
            each->is_removal_due = is_full;
        }
        if (each->is_refusal_due && !is_full)
        {
            is_full = !tell_event(each, MILLRACE_SPDK_REFUSED, each->is_refused ? 1 : 0);
            each->is_refusal_due = is_full;
        }
        if (is_full)
        {
            break;
        }
        reported++;
    }
    reactor->has_events = is_full;
    return reported;
}

millrace_spdk_bdev *millrace_spdk_bdev_open(
    millrace_spdk_reactor *reactor,
    const char *name,
    const int32_t write,
    const int32_t slots,
    const int64_t tag,
    int32_t *error)
{
    millrace_spdk_bdev *const opened =
        calloc(1, sizeof(*opened) + (size_t)slots * sizeof(millrace_spdk_request));
    if (NULL == opened)
    {
        *error = -ENOMEM;
        return NULL;
    }
    opened->reactor = reactor;
    opened->tag = tag;
    opened->slots = slots;
    for (int32_t i = 0; i < slots; i++)
    {
        opened->requests[i].bdev = opened;
    }
    millrace_spdk_enter(reactor);
    *error = spdk_bdev_open_ext(name, 0 != write, on_event, opened, &opened->desc);
    if (0 == *error)
    {
        opened->bdev = spdk_bdev_desc_get_bdev(opened->desc);
        opened->block_shift = spdk_u32log2(spdk_bdev_desc_get_block_size(opened->desc));
        opened->can_flush = spdk_bdev_io_type_supported(opened->bdev, SPDK_BDEV_IO_TYPE_FLUSH);
        const bool is_known = reactor != millrace_spdk_application() || millrace_spdk_nvme_watch(opened);
        opened->channel = is_known && slots > 0 ? spdk_bdev_get_io_channel(opened->desc) : NULL;
        *error = !is_known ? -ENOLINK : slots > 0 && NULL == opened->channel ? -ENOMEM : 0;
        if (0 != *error)
        {
            spdk_bdev_close(opened->desc);
        }
    }
    millrace_spdk_leave();
    if (0 != *error)
    {
        free(opened);
        return NULL;
    }
    TAILQ_INSERT_TAIL(&reactor->bdevs, opened, link);
    return opened;
}

void *millrace_spdk_bdev_get(const millrace_spdk_bdev *bdev)
{
    return bdev->bdev;
}

void millrace_spdk_bdev_close(millrace_spdk_bdev *bdev)
{
    TAILQ_REMOVE(&bdev->reactor->bdevs, bdev, link);
    millrace_spdk_enter(bdev->reactor);
    if (NULL != bdev->channel)
    {
        spdk_put_io_channel(bdev->channel);
    }
    spdk_bdev_close(bdev->desc);
    millrace_spdk_leave();
    free(bdev);
}

/* There is a place for each completion: Java has no more requests under way than the queue has places. */
static void complete(millrace_spdk_request *request, const int32_t status, const int32_t error)
{
    request->is_submitted = false;
    const bool is_told = millrace_spdk_tell(request->bdev->reactor, MILLRACE_SPDK_COMPLETION, request->message.slot,
        error, status, request->bdev->tag);
    if (!is_told)
    {
        /* A lost completion is memory that is never given back, or a write that nobody knows of. */
        SPDK_ERRLOG("no place on the queue for a completion\n");
        abort();
    }
}


static void on_done(struct spdk_bdev_io *io, bool success, void *context)
{
    millrace_spdk_request *const request = (millrace_spdk_request *)context;
    if (success)
    {
        spdk_bdev_free_io(io);
        complete(request, 0, 0);
        return;
    }
    uint32_t cdw0;
    int type;
    int code;
    int error = 0;
    spdk_bdev_io_get_nvme_status(io, &cdw0, &type, &code);
    spdk_bdev_io_get_aio_status(io, &error);
    spdk_bdev_free_io(io);
    const int32_t status = (type & 0x7) << 8 | (code & 0xFF);
    /* EIO is what it says of whatever is not the kernel's error as well. */
    complete(request, 0 == status ? INTERNAL_ERROR : status, -EIO == error ? 0 : abs(error));
}

static uint64_t blocks_of(const millrace_spdk_request *request);
static int submit(millrace_spdk_request *request);

static bool is_inside(const millrace_spdk_request *request, const int64_t first)
{
    const uint64_t all = spdk_bdev_get_num_blocks(request->bdev->bdev);
    const uint64_t blocks = blocks_of(request);
    return blocks <= all && (uint64_t)first <= all - blocks;
}

/* SPDK refuses a range that is not the bdev's as it refuses anything else that is wrong. */
static void complete_refused(millrace_spdk_request *request, const int result)
{
    const millrace_spdk_message *const message = &request->message;
    const bool is_copy = MILLRACE_SPDK_COPY == message->type || MILLRACE_SPDK_COPY_FUA == message->type;
    const bool is_range_bad = !is_inside(request, message->word0) ||
        (is_copy && !is_inside(request, (int64_t)message->address));
    const int32_t status = -ENOTSUP == result ? INVALID_OPCODE :
        -EBADF == result ? WRITE_PROTECTED :
        -EINVAL != result ? INTERNAL_ERROR :
        is_range_bad ? LBA_OUT_OF_RANGE : INVALID_FIELD;
    complete(request, status, LBA_OUT_OF_RANGE == status ? 0 : -result);
}

static void submit_or_wait(millrace_spdk_request *request)
{
    /* Before: it may be done within. */
    request->is_submitted = true;
    const int result = submit(request);
    if (-ENOMEM == result)
    {
        STAILQ_INSERT_TAIL(&request->bdev->reactor->waiting, request, link);
    }
    else if (0 != result)
    {
        complete_refused(request, result);
    }
}

static uint64_t blocks_of(const millrace_spdk_request *request)
{
    const millrace_spdk_message *const message = &request->message;
    const struct iovec *const vectors = (const struct iovec *)(uintptr_t)message->address;
    uint64_t bytes = 0;
    switch (message->type)
    {
        case MILLRACE_SPDK_READ:
        case MILLRACE_SPDK_WRITE:
        case MILLRACE_SPDK_WRITE_FUA:
        case MILLRACE_SPDK_COMPARE:
            return (uint64_t)message->length >> request->bdev->block_shift;
        case MILLRACE_SPDK_COPY:
        case MILLRACE_SPDK_COPY_FUA:
            return (uint64_t)message->length;
        case MILLRACE_SPDK_READV:
        case MILLRACE_SPDK_WRITEV:
        case MILLRACE_SPDK_WRITEV_FUA:
        case MILLRACE_SPDK_COMPAREV:
            for (int32_t i = 0; i < message->length; i++)
            {
                bytes += vectors[i].iov_len;
            }
            return bytes >> request->bdev->block_shift;
        default:
            return message->address;
    }
}

/* What was changed is flushed before it counts as stable. */
static void on_changed(struct spdk_bdev_io *io, bool success, void *context)
{
    millrace_spdk_request *const request = (millrace_spdk_request *)context;
    if (!success || !request->bdev->can_flush)
    {
        on_done(io, success, context);
        return;
    }
    spdk_bdev_free_io(io);
    const uint64_t blocks = blocks_of(request);
    request->message.type = MILLRACE_SPDK_FLUSH;
    request->message.address = blocks;
    submit_or_wait(request);
}

static void end_abort(millrace_spdk_request *abort)
{
    if (0 == --abort->bdev->aborts)
    {
        complete(abort, 0, 0);
    }
}

static void on_aborted(struct spdk_bdev_io *io, bool success, void *context)
{
    /* One that was not aborted has ended, or ends by itself. */
    (void)success;
    spdk_bdev_free_io(io);
    end_abort((millrace_spdk_request *)context);
}

static int abort_all(millrace_spdk_request *abort)
{
    millrace_spdk_bdev *const bdev = abort->bdev;
    bdev->aborts = 1;
    for (int32_t i = 0; i < bdev->slots; i++)
    {
        millrace_spdk_request *const each = &bdev->requests[i];
        if (each->is_submitted && each != abort && MILLRACE_SPDK_RESET != each->message.type)
        {
            bdev->aborts++;
            if (0 != spdk_bdev_abort(bdev->desc, bdev->channel, each, on_aborted, abort))
            {
                bdev->aborts--;
            }
        }
    }
    end_abort(abort);
    return 0;
}

static int submit(millrace_spdk_request *request)
{
    const millrace_spdk_message *const message = &request->message;
    struct spdk_bdev_desc *const desc = request->bdev->desc;
    struct spdk_io_channel *const channel = request->bdev->channel;
    void *const payload = (void *)(uintptr_t)message->address;
    struct iovec *const vectors = (struct iovec *)payload;
    const uint64_t first = (uint64_t)message->word0;
    const uint64_t blocks = blocks_of(request);
    switch (message->type)
    {
        case MILLRACE_SPDK_READ:
            return spdk_bdev_read_blocks(desc, channel, payload, first, blocks, on_done, request);
        case MILLRACE_SPDK_WRITE:
            return spdk_bdev_write_blocks(desc, channel, payload, first, blocks, on_done, request);
        case MILLRACE_SPDK_WRITE_FUA:
            return spdk_bdev_write_blocks(desc, channel, payload, first, blocks, on_changed, request);
        case MILLRACE_SPDK_READV:
            return spdk_bdev_readv_blocks(
                desc, channel, vectors, message->length, first, blocks, on_done, request);
        case MILLRACE_SPDK_WRITEV:
            return spdk_bdev_writev_blocks(
                desc, channel, vectors, message->length, first, blocks, on_done, request);
        case MILLRACE_SPDK_WRITEV_FUA:
            return spdk_bdev_writev_blocks(
                desc, channel, vectors, message->length, first, blocks, on_changed, request);
        case MILLRACE_SPDK_COMPARE:
            return spdk_bdev_compare_blocks(desc, channel, payload, first, blocks, on_done, request);
        case MILLRACE_SPDK_COMPAREV:
            return spdk_bdev_comparev_blocks(
                desc, channel, vectors, message->length, first, blocks, on_done, request);
        case MILLRACE_SPDK_FLUSH:
            if (!request->bdev->can_flush)
            {
                /* It keeps nothing back. */
                complete(request, 0, 0);
                return 0;
            }
            return spdk_bdev_flush_blocks(desc, channel, first, blocks, on_done, request);
        case MILLRACE_SPDK_WRITE_ZEROES:
            return spdk_bdev_write_zeroes_blocks(desc, channel, first, blocks, on_done, request);
        case MILLRACE_SPDK_WRITE_ZEROES_FUA:
            return spdk_bdev_write_zeroes_blocks(desc, channel, first, blocks, on_changed, request);
        case MILLRACE_SPDK_UNMAP:
            return spdk_bdev_unmap_blocks(desc, channel, first, blocks, on_done, request);
        case MILLRACE_SPDK_UNMAP_FUA:
            return spdk_bdev_unmap_blocks(desc, channel, first, blocks, on_changed, request);
        case MILLRACE_SPDK_COPY:
            return spdk_bdev_copy_blocks(
                desc, channel, first, message->address, blocks, on_done, request);
        case MILLRACE_SPDK_COPY_FUA:
            return spdk_bdev_copy_blocks(
                desc, channel, first, message->address, blocks, on_changed, request);
        case MILLRACE_SPDK_RESET:
            return spdk_bdev_reset(desc, channel, on_done, request);
        case MILLRACE_SPDK_ABORT:
            return abort_all(request);
        default:
            return -ENOTSUP;
    }
}

void millrace_spdk_bdev_submit(const millrace_spdk_message *message)
{
    millrace_spdk_bdev *const bdev = (millrace_spdk_bdev *)(uintptr_t)message->word1;
    millrace_spdk_request *const request = &bdev->requests[message->slot];
    request->message = *message;
    submit_or_wait(request);
}

int millrace_spdk_bdev_retry(millrace_spdk_reactor *reactor)
{
    int submitted = 0;
    while (!STAILQ_EMPTY(&reactor->waiting))
    {
        millrace_spdk_request *const request = STAILQ_FIRST(&reactor->waiting);
        STAILQ_REMOVE_HEAD(&reactor->waiting, link);
        const int result = submit(request);
        if (-ENOMEM == result)
        {
            STAILQ_INSERT_HEAD(&reactor->waiting, request, link);
            break;
        }
        submitted++;
        if (0 != result)
        {
            complete_refused(request, result);
        }
    }
    return submitted;
}
