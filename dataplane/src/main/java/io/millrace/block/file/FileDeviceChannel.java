package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.CompletionEntry;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.IoUring;
import io.millrace.bindings.linux.SubmissionEntry;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.Reactor;
import java.util.concurrent.locks.LockSupport;

/**
 * One reactor's way to a {@link FileDevice}. A request takes a slot, whose number is the cookie of its one entry in the
 * ring; its life is
 * <pre>
 *   READ, WRITE                   TRANSFER, again for what a short transfer left
 *   FLUSH                         SYNC
 *   WRITE_ZEROES, DEALLOCATE      ALLOCATE or WRITE_OF_ZEROES, then SYNC when forced
 *   COMPARE                       READ_TO_COMPARE, once a buffer of 128 KiB
 * </pre>
 * With polled completions there is a second ring for what cannot be polled for; should the drive refuse to be polled
 * after all, everything goes there.
 */
final class FileDeviceChannel implements BlockChannel
{
    private static final int PAGE_BYTES = 4096;
    private static final int IOVEC_BYTES = 16;
    private static final int IOVECS_BYTES = BlockRequest.SEGMENT_COUNT_MAX * IOVEC_BYTES;
    private static final int COMPARE_BYTES = 128 << 10;
    private static final int COMPARE_BUFFER_COUNT = 8;
    private static final int ZEROES_BYTES = 256 << 10;
    private static final long CANCEL_COOKIE = -1;
    // Linux uapi/linux/fs.h: this write is as stable as after fdatasync.
    private static final int RWF_DSYNC = 2;
    // Linux uapi/linux/blkdev.h, _IO(0x12, 0): discard through io_uring.
    private static final int BLOCK_URING_CMD_DISCARD = 0x1200;
    // About 10 s in all.
    private static final int CLOSE_PARKS = 100_000;
    private static final long CLOSE_PARK_NS = 100_000;

    /** What a slot's entry in the ring does. */
    private enum Stage
    {
        FREE, TRANSFER, SYNC, ALLOCATE, WRITE_OF_ZEROES, READ_TO_COMPARE
    }

    /** How ranges are zeroed; found out by trying, in this order. */
    private enum ZeroWay
    {
        ZERO_RANGE, PUNCH_HOLE, WRITES
    }

    private final FileDevice device;
    private final Reactor reactor;
    private final Ring ring;
    private final Ring controlRing;
    private final RegisteredBuffers registered;
    private Ring dataRing;
    private final DmaMemory memory;
    private final long iovecsAddress;
    private final long zeroesAddress;
    private final long compareAddress;
    private final int fd;
    private final int entryFlags;
    private final int blockShift;
    private final boolean readOnly;

    private final BlockRequest[] requests;
    private final Stage[] stages;
    private final long[] doneBytes;
    private final int[] compareBuffers;
    private final ZeroWay[] triedZeroWays;
    private final int[] freeSlots;
    private int freeCount;
    private final int[] freeCompareBuffers = new int[COMPARE_BUFFER_COUNT];
    private int freeCompareCount = COMPARE_BUFFER_COUNT;
    private ZeroWay zeroWay = ZeroWay.ZERO_RANGE;
    private boolean canDiscard = true;
    private int polledInFlight;

    private FileDeviceChannel(
        final FileDevice device,
        final Reactor reactor,
        final Ring ring,
        final Ring controlRing,
        final DmaMemory memory)
    {
        this.device = device;
        this.reactor = reactor;
        this.ring = ring;
        this.controlRing = controlRing;
        dataRing = ring;
        this.memory = memory;
        final int depth = device.config().queueDepth();
        blockShift = device.geometry().blockShift();
        readOnly = device.geometry().readOnly();
        requests = new BlockRequest[depth];
        stages = new Stage[depth];
        doneBytes = new long[depth];
        compareBuffers = new int[depth];
        triedZeroWays = new ZeroWay[depth];
        freeSlots = new int[depth];
        freeCount = depth;
        for (int i = 0; i < depth; i++)
        {
            stages[i] = Stage.FREE;
            freeSlots[i] = depth - 1 - i;
            compareBuffers[i] = -1;
        }
        for (int i = 0; i < COMPARE_BUFFER_COUNT; i++)
        {
            freeCompareBuffers[i] = i;
        }
        zeroesAddress = memory.allocate(ZEROES_BYTES, PAGE_BYTES);
        compareAddress = memory.allocate((long)COMPARE_BUFFER_COUNT * COMPARE_BYTES, PAGE_BYTES);
        iovecsAddress = memory.allocate((long)depth * IOVECS_BYTES, PAGE_BYTES);
        registered = new RegisteredBuffers(ring, device.config().registeredMemory());
        if (null != registered.note())
        {
            device.addNote(registered.note());
        }
        final boolean isRegistered = RegisteredBuffers.registerFile(ring, device.fd()) &&
            (ring == controlRing || RegisteredBuffers.registerFile(controlRing, device.fd()));
        fd = isRegistered ? 0 : device.fd();
        entryFlags = isRegistered ? IoUring.IOSQE_FIXED_FILE : 0;
        if (controlRing.eventFd() >= 0)
        {
            // Edge-triggered: the counter is never read.
            reactor.register(controlRing.eventFd(), Epoll.EPOLLIN | Epoll.EPOLLET, FileDeviceChannel::onSignal);
        }
    }

    /**
     * Makes rings and slots.
     *
     * @param device  to reach.
     * @param reactor whose thread this is.
     * @return the channel.
     * @throws NativeException when a ring or memory cannot be had.
     */
    static FileDeviceChannel open(final FileDevice device, final Reactor reactor)
    {
        final int depth = device.config().queueDepth();
        DmaMemory memory = null;
        Ring ring = null;
        Ring controlRing = null;
        try
        {
            memory = DmaMemory.map(
                (long)depth * IOVECS_BYTES + ZEROES_BYTES + COMPARE_BUFFER_COUNT * COMPARE_BYTES + PAGE_BYTES);
            ring = Ring.open(depth, device.isPolled());
            controlRing = device.isPolled() ? Ring.open(depth, false) : ring;
            return new FileDeviceChannel(device, reactor, ring, controlRing, memory);
        }
        catch (final RuntimeException e)
        {
            if (null != controlRing && ring != controlRing)
            {
                controlRing.close();
            }
            if (null != ring)
            {
                ring.close();
            }
            if (null != memory)
            {
                memory.close();
            }
            throw e;
        }
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        final BlockOperation operation = request.operation();
        if (readOnly && BlockOperation.READ != operation && BlockOperation.COMPARE != operation &&
            BlockOperation.FLUSH != operation)
        {
            request.complete(BlockStatus.WRITE_PROTECTED);
            return true;
        }
        if (0 == freeCount || BlockOperation.COMPARE == operation && 0 == freeCompareCount)
        {
            return false;
        }
        final int slot = freeSlots[--freeCount];
        requests[slot] = request;
        doneBytes[slot] = 0;
        switch (operation)
        {
            case READ, WRITE -> transfer(slot);
            case FLUSH -> sync(slot);
            case WRITE_ZEROES -> zero(slot);
            case DEALLOCATE -> deallocate(slot);
            case COMPARE ->
            {
                compareBuffers[slot] = freeCompareBuffers[--freeCompareCount];
                readToCompare(slot);
            }
        }
        return true;
    }

    @Override
    public int poll()
    {
        if (freeCount == freeSlots.length)
        {
            return 0;
        }
        int work = poll(ring);
        if (ring != controlRing)
        {
            work += poll(controlRing);
        }
        return work;
    }

    @Override
    public boolean canSleep()
    {
        if (freeCount == freeSlots.length)
        {
            return true;
        }
        if (polledInFlight > 0)
        {
            return false;
        }
        return 0 == controlRing.unsubmitted() && controlRing.arm();
    }

    @Override
    public int inFlight()
    {
        return freeSlots.length - freeCount;
    }

    @Override
    public void close()
    {
        boolean isCancelled = false;
        for (int i = 0; i < CLOSE_PARKS && freeCount < freeSlots.length; i++)
        {
            if (0 == poll())
            {
                if (i > CLOSE_PARKS / 2 && !isCancelled)
                {
                    isCancelled = true;
                    cancelAll(ring);
                    if (ring != controlRing)
                    {
                        cancelAll(controlRing);
                    }
                }
                LockSupport.parkNanos(CLOSE_PARK_NS);
            }
        }
        final boolean isQuiet = freeCount == freeSlots.length;
        if (controlRing.eventFd() >= 0)
        {
            reactor.deregister(controlRing.eventFd());
        }
        ring.close();
        if (ring != controlRing)
        {
            controlRing.close();
        }
        for (int slot = 0; slot < requests.length; slot++)
        {
            if (Stage.FREE != stages[slot])
            {
                finish(slot, BlockStatus.ABORTED);
            }
        }
        if (isQuiet)
        {
            memory.close();
        }
        else
        {
            device.addNote("requests were given up when a channel was closed: the drive does not answer");
        }
    }

    private static void onSignal(final int events)
    {
        // It was only there to wake the reactor; the next poll finds what came.
        assert 0 != events;
    }

    private int poll(final Ring polled)
    {
        if (polled.isArmed())
        {
            polled.disarm();
        }
        polled.enter();
        int work = 0;
        for (long completion = polled.completion(); 0 != completion; completion = polled.completion())
        {
            final long cookie = CompletionEntry.userData(completion);
            final int result = CompletionEntry.result(completion);
            polled.consume();
            if (CANCEL_COOKIE != cookie)
            {
                if (polled == ring && ring != controlRing)
                {
                    polledInFlight--;
                    stopPollingWhenRefused(result);
                }
                onCompletion((int)cookie, polled, result);
            }
            work++;
        }
        return work;
    }

    private void stopPollingWhenRefused(final int result)
    {
        if (-Errno.EOPNOTSUPP == result && dataRing == ring)
        {
            dataRing = controlRing;
            device.addNote("the drive refused to be polled: its interrupts are waited for");
        }
    }

    private void onCompletion(final int slot, final Ring source, final int result)
    {
        final boolean isRefusedPoll = -Errno.EOPNOTSUPP == result && source != controlRing;
        if (isRefusedPoll || result < 0 && ErrnoStatus.isTransient(-result))
        {
            again(slot);
            return;
        }
        switch (stages[slot])
        {
            case TRANSFER -> onTransferred(slot, result);
            case SYNC -> finish(slot, statusOf(result));
            case ALLOCATE -> onAllocated(slot, result);
            case WRITE_OF_ZEROES -> onZeroesWritten(slot, result);
            case READ_TO_COMPARE -> onReadToCompare(slot, result);
            case FREE -> throw new IllegalStateException("completion for free slot " + slot + ", result " + result);
        }
    }

    private void again(final int slot)
    {
        switch (stages[slot])
        {
            case TRANSFER -> transfer(slot);
            case SYNC -> sync(slot);
            case ALLOCATE ->
            {
                if (BlockOperation.DEALLOCATE == requests[slot].operation())
                {
                    deallocate(slot);
                }
                else
                {
                    zero(slot);
                }
            }
            case WRITE_OF_ZEROES -> writeZeroes(slot);
            case READ_TO_COMPARE -> readToCompare(slot);
            case FREE -> throw new IllegalStateException("free slot " + slot);
        }
    }

    private void onTransferred(final int slot, final int result)
    {
        if (advance(slot, result))
        {
            if (doneBytes[slot] == totalBytes(slot))
            {
                finish(slot, BlockStatus.SUCCESS);
            }
            else
            {
                transfer(slot);
            }
        }
    }

    private void onZeroesWritten(final int slot, final int result)
    {
        if (advance(slot, result))
        {
            if (doneBytes[slot] < totalBytes(slot))
            {
                writeZeroes(slot);
            }
            else if (requests[slot].forceUnitAccess())
            {
                sync(slot);
            }
            else
            {
                finish(slot, BlockStatus.SUCCESS);
            }
        }
    }

    private void onReadToCompare(final int slot, final int result)
    {
        final long before = doneBytes[slot];
        if (advance(slot, result))
        {
            if (!equalsSegments(requests[slot], before, compareBuffer(slot), (int)(doneBytes[slot] - before)))
            {
                finish(slot, BlockStatus.COMPARE_FAILURE);
            }
            else if (doneBytes[slot] < totalBytes(slot))
            {
                readToCompare(slot);
            }
            else
            {
                finish(slot, BlockStatus.SUCCESS);
            }
        }
    }

    private void onAllocated(final int slot, final int result)
    {
        final BlockRequest request = requests[slot];
        if (-Errno.EOPNOTSUPP == result || -Errno.EINVAL == result)
        {
            if (BlockOperation.WRITE_ZEROES == request.operation())
            {
                if (triedZeroWays[slot] == zeroWay)
                {
                    zeroWay = ZeroWay.ZERO_RANGE == zeroWay ? ZeroWay.PUNCH_HOLE : ZeroWay.WRITES;
                }
                zero(slot);
                return;
            }
            if (DeallocateWay.DISCARD == device.deallocateWay())
            {
                // To deallocate is a hint, and the geometry promises nothing of what is read afterwards.
                canDiscard = false;
                finish(slot, BlockStatus.SUCCESS);
                return;
            }
        }
        if (0 == result && request.forceUnitAccess())
        {
            sync(slot);
            return;
        }
        finish(slot, statusOf(result));
    }

    /**
     * Counts what was transferred.
     *
     * @return false when the request has ended with an error.
     */
    private boolean advance(final int slot, final int result)
    {
        // Direct I/O goes on at a block's start, so a torn block is transferred again.
        final int whole = result > 0 ? result & -(1 << blockShift) : 0;
        if (0 == whole)
        {
            // Nothing at all is the end of a file that somebody cut.
            finish(slot, result < 0 ? statusOf(result) : BlockStatus.DEVICE_ERROR);
            return false;
        }
        doneBytes[slot] += whole;
        return true;
    }

    private void transfer(final int slot)
    {
        stages[slot] = Stage.TRANSFER;
        final BlockRequest request = requests[slot];
        final long done = doneBytes[slot];
        final long offset = (request.lba() << blockShift) + done;
        final boolean isWrite = BlockOperation.WRITE == request.operation();
        final int rwFlags = isWrite && request.forceUnitAccess() ? RWF_DSYNC : 0;
        int segment = 0;
        int skip = (int)done;
        while (skip >= request.segmentLength(segment))
        {
            skip -= request.segmentLength(segment);
            segment++;
        }
        final long address = request.segmentAddress(segment) + skip;
        final int length = request.segmentLength(segment) - skip;
        final int segmentsLeft = request.segmentCount() - segment;
        if (segmentsLeft > 1)
        {
            final int opcode = isWrite ? IoUring.IORING_OP_WRITEV : IoUring.IORING_OP_READV;
            entry(dataRing, opcode, slot, offset, fillIovecs(slot, request, segment, skip), segmentsLeft, rwFlags, 0);
            return;
        }
        final int buffer = ring == dataRing ? registered.find(address, length) : -1;
        if (buffer >= 0)
        {
            final int opcode = isWrite ? IoUring.IORING_OP_WRITE_FIXED : IoUring.IORING_OP_READ_FIXED;
            entry(dataRing, opcode, slot, offset, address, length, rwFlags, buffer);
        }
        else
        {
            final int opcode = isWrite ? IoUring.IORING_OP_WRITE : IoUring.IORING_OP_READ;
            entry(dataRing, opcode, slot, offset, address, length, rwFlags, 0);
        }
    }

    private long fillIovecs(final int slot, final BlockRequest request, final int firstSegment, final int skip)
    {
        final long start = iovecsAddress + (long)slot * IOVECS_BYTES;
        long iovec = start;
        for (int i = firstSegment; i < request.segmentCount(); i++)
        {
            final int skipped = i == firstSegment ? skip : 0;
            NativeMemory.putLong(iovec, request.segmentAddress(i) + skipped);
            NativeMemory.putLong(iovec + Long.BYTES, request.segmentLength(i) - skipped);
            iovec += IOVEC_BYTES;
        }
        return start;
    }

    private void sync(final int slot)
    {
        stages[slot] = Stage.SYNC;
        entry(controlRing, IoUring.IORING_OP_FSYNC, slot, 0, 0, 0, IoUring.IORING_FSYNC_DATASYNC, 0);
    }

    private void zero(final int slot)
    {
        triedZeroWays[slot] = zeroWay;
        switch (zeroWay)
        {
            case ZERO_RANGE -> fallocate(slot, FallocateMode.ZERO_RANGE);
            case PUNCH_HOLE -> fallocate(slot, FallocateMode.PUNCH_HOLE);
            case WRITES -> writeZeroes(slot);
        }
    }

    private void deallocate(final int slot)
    {
        switch (device.deallocateWay())
        {
            case PUNCH_HOLE -> fallocate(slot, FallocateMode.PUNCH_HOLE);
            case DISCARD -> discard(slot);
            case NONE -> finish(slot, BlockStatus.NOT_SUPPORTED);
        }
    }

    private void fallocate(final int slot, final int mode)
    {
        stages[slot] = Stage.ALLOCATE;
        // The length travels in the address field, the mode in the length field (io_uring_prep_fallocate(3)).
        entry(controlRing, IoUring.IORING_OP_FALLOCATE, slot,
            requests[slot].lba() << blockShift, totalBytes(slot), mode, 0, 0);
    }

    private void discard(final int slot)
    {
        if (!canDiscard)
        {
            finish(slot, BlockStatus.SUCCESS);
            return;
        }
        stages[slot] = Stage.ALLOCATE;
        final long address = controlRing.nextEntry();
        SubmissionEntry.set(address, IoUring.IORING_OP_URING_CMD, entryFlags, fd, BLOCK_URING_CMD_DISCARD,
            requests[slot].lba() << blockShift, 0, 0, slot, 0);
        NativeMemory.putLong(address + SubmissionEntry.ADDR3_OFFSET, totalBytes(slot));
    }

    private void writeZeroes(final int slot)
    {
        stages[slot] = Stage.WRITE_OF_ZEROES;
        final long done = doneBytes[slot];
        final int length = (int)Math.min(ZEROES_BYTES, totalBytes(slot) - done);
        entry(dataRing, IoUring.IORING_OP_WRITE, slot, (requests[slot].lba() << blockShift) + done, zeroesAddress,
            length, 0, 0);
    }

    private void readToCompare(final int slot)
    {
        stages[slot] = Stage.READ_TO_COMPARE;
        final long done = doneBytes[slot];
        final int length = (int)Math.min(COMPARE_BYTES, totalBytes(slot) - done);
        entry(dataRing, IoUring.IORING_OP_READ, slot,
            (requests[slot].lba() << blockShift) + done, compareBuffer(slot), length, 0, 0);
    }

    private void entry(
        final Ring target,
        final int opcode,
        final int slot,
        final long offset,
        final long address,
        final int length,
        final int operationFlags,
        final int bufferIndex)
    {
        if (target != controlRing)
        {
            polledInFlight++;
        }
        SubmissionEntry.set(target.nextEntry(),
            opcode, entryFlags, fd, offset, address, length, operationFlags, slot, bufferIndex);
    }

    private static void cancelAll(final Ring cancelled)
    {
        SubmissionEntry.set(cancelled.nextEntry(), IoUring.IORING_OP_ASYNC_CANCEL, 0, -1, 0, 0, 0,
            IoUring.IORING_ASYNC_CANCEL_ALL | IoUring.IORING_ASYNC_CANCEL_ANY, CANCEL_COOKIE, 0);
    }

    private void finish(final int slot, final BlockStatus status)
    {
        final BlockRequest request = requests[slot];
        requests[slot] = null;
        stages[slot] = Stage.FREE;
        freeSlots[freeCount++] = slot;
        if (compareBuffers[slot] >= 0)
        {
            freeCompareBuffers[freeCompareCount++] = compareBuffers[slot];
            compareBuffers[slot] = -1;
        }
        request.complete(status);
    }

    private long totalBytes(final int slot)
    {
        return (long)requests[slot].blocks() << blockShift;
    }

    private long compareBuffer(final int slot)
    {
        return compareAddress + (long)compareBuffers[slot] * COMPARE_BYTES;
    }

    private static boolean equalsSegments(
        final BlockRequest request, final long skipBytes, final long address, final int lengthBytes)
    {
        long skip = skipBytes;
        int compared = 0;
        for (int i = 0; compared < lengthBytes; i++)
        {
            final int segmentLength = request.segmentLength(i);
            if (skip >= segmentLength)
            {
                skip -= segmentLength;
                continue;
            }
            final int length = (int)Math.min(segmentLength - skip, lengthBytes - compared);
            if (-1 != NativeMemory.mismatch(address + compared, request.segmentAddress(i) + skip, length))
            {
                return false;
            }
            compared += length;
            skip = 0;
        }
        return true;
    }

    private static BlockStatus statusOf(final int result)
    {
        return result >= 0 ? BlockStatus.SUCCESS : ErrnoStatus.of(-result);
    }
}
