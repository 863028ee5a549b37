package io.millrace.block.file;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.IoUring;
import io.millrace.bindings.linux.MessageHeader;
import io.millrace.bindings.linux.SubmissionEntry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.memory.Segments;

/**
 * Fills the submission entries of one channel. An entry's cookie is the number of the slot it is for. Single-threaded.
 */
final class EntryWriter
{
    /** Room for the vectors of one slot. */
    static final int IOVECS_BYTES = Segments.COUNT_MAX * MessageHeader.IOVEC_SIZE_BYTES;
    // Linux uapi/linux/fs.h: this write is as stable as after fdatasync.
    private static final int RWF_DSYNC = 2;
    // Linux uapi/linux/blkdev.h, _IO(0x12, 0): discard through io_uring.
    private static final int BLOCK_URING_CMD_DISCARD = 0x1200;

    private final RingPair rings;
    private final RegisteredBuffers registered;
    private final long iovecsAddress;
    private final int blockShift;
    private final int polledBytesMax;
    private final boolean isDirect;
    private final int fd;
    private final int entryFlags;
    /** What is left of the request that an entry is filled for. */
    private final Segments rest = new Segments();

    /**
     * Registers the file with the rings.
     *
     * @param device        whose file it is.
     * @param deviceFd      the channel's descriptor of the file.
     * @param rings         to fill.
     * @param registered    buffers of the first ring.
     * @param iovecsAddress of {@link #IOVECS_BYTES} for each slot.
     */
    EntryWriter(
        final FileDevice device,
        final int deviceFd,
        final RingPair rings,
        final RegisteredBuffers registered,
        final long iovecsAddress)
    {
        this.rings = rings;
        this.registered = registered;
        this.iovecsAddress = iovecsAddress;
        blockShift = device.geometry().blockShift();
        isDirect = device.isDirect();
        polledBytesMax = device.capabilities().polledBytesMax();
        final boolean isRegistered = RegisteredBuffers.registerFile(rings.first(), deviceFd) &&
            (!rings.hasTwoRings() || RegisteredBuffers.registerFile(rings.control(), deviceFd));
        fd = isRegistered ? 0 : deviceFd;
        entryFlags = isRegistered ? IoUring.IOSQE_FIXED_FILE : 0;
    }

    /**
     * A read or write of what is left of a request. A direct write with FUA is stable when it has completed, a buffered
     * one needs a {@link #sync}.
     *
     * @param slot      of the request.
     * @param request   with segments.
     * @param doneBytes already transferred; a multiple of the block size, less than all.
     */
    void transfer(final int slot, final BlockRequest request, final long doneBytes)
    {
        final Segments segments = request.segments();
        final long offset = (request.lba() << blockShift) + doneBytes;
        final boolean isWrite = BlockOperation.WRITE == request.operation();
        final int rwFlags = isDirect && isWrite && request.forceUnitAccess() ? RWF_DSYNC : 0;
        segments.slice((int)doneBytes, segments.totalBytes() - (int)doneBytes, rest);
        final Ring ring = rings.dataRing(1 == rest.count() && rest.totalBytes() <= polledBytesMax);
        if (rest.count() > 1)
        {
            final int opcode = isWrite ? IoUring.IORING_OP_WRITEV : IoUring.IORING_OP_READV;
            data(ring, opcode, slot, offset, fillIovecs(slot), rest.count(), rwFlags, 0);
            return;
        }
        final long address = rest.address(0);
        final int length = rest.totalBytes();
        final int buffer = ring == rings.first() ? registered.find(address, length) : -1;
        if (buffer >= 0)
        {
            final int opcode = isWrite ? IoUring.IORING_OP_WRITE_FIXED : IoUring.IORING_OP_READ_FIXED;
            data(ring, opcode, slot, offset, address, length, rwFlags, buffer);
        }
        else
        {
            final int opcode = isWrite ? IoUring.IORING_OP_WRITE : IoUring.IORING_OP_READ;
            data(ring, opcode, slot, offset, address, length, rwFlags, 0);
        }
    }

    /**
     * Makes the file's data stable, and what is needed to find it.
     *
     * @param slot of the request.
     */
    void sync(final int slot)
    {
        SubmissionEntry.set(rings.nextControlEntry(), IoUring.IORING_OP_FSYNC, entryFlags, fd, 0, 0, 0,
            IoUring.IORING_FSYNC_DATASYNC, slot, 0);
    }

    /**
     * Zeroes a range or gives it back.
     *
     * @param slot        of the request.
     * @param offsetBytes in the file.
     * @param lengthBytes of the range.
     * @param mode        of {@link FallocateMode}.
     */
    void fallocate(final int slot, final long offsetBytes, final long lengthBytes, final int mode)
    {
        // The length travels in the address field, the mode in the length field (io_uring_prep_fallocate(3)).
        SubmissionEntry.set(rings.nextControlEntry(), IoUring.IORING_OP_FALLOCATE, entryFlags, fd, offsetBytes,
            lengthBytes, mode, 0, slot, 0);
    }

    /**
     * Has the drive discard a range.
     *
     * @param slot        of the request.
     * @param offsetBytes in the device.
     * @param lengthBytes of the range.
     */
    void discard(final int slot, final long offsetBytes, final long lengthBytes)
    {
        final long address = rings.nextControlEntry();
        // The command travels in the offset field, the range in the two address fields. On a worker thread: tried
        // without waiting first, it fails for good on drivers that cannot do without.
        SubmissionEntry.set(address, IoUring.IORING_OP_URING_CMD, entryFlags | IoUring.IOSQE_ASYNC, fd,
            BLOCK_URING_CMD_DISCARD, offsetBytes, 0, 0, slot, 0);
        NativeMemory.putLong(address + SubmissionEntry.ADDR3_OFFSET, lengthBytes);
    }

    private long fillIovecs(final int slot)
    {
        final long start = iovecsAddress + (long)slot * IOVECS_BYTES;
        for (int i = 0; i < rest.count(); i++)
        {
            MessageHeader.setIovec(start + (long)i * MessageHeader.IOVEC_SIZE_BYTES,
                rest.address(i), rest.lengthBytes(i));
        }
        return start;
    }

    private void data(
        final Ring ring,
        final int opcode,
        final int slot,
        final long offset,
        final long address,
        final int length,
        final int operationFlags,
        final int bufferIndex)
    {
        SubmissionEntry.set(rings.nextDataEntry(ring),
            opcode, entryFlags, fd, offset, address, length, operationFlags, slot, bufferIndex);
    }
}
