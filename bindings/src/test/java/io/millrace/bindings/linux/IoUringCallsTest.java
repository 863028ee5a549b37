package io.millrace.bindings.linux;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IoUringCallsTest
{
    private static final int ENTRIES = 8;

    private final Arena arena = Arena.ofConfined();
    private final long params = arena.allocate(RingParams.SIZE_BYTES, 8).address();
    private final long scratch = arena.allocate(16384, 4096).address();
    private int ringFd = -1;
    private long ringsBytes;
    private long rings;
    private long entries;

    @BeforeEach
    void open()
    {
        final Capability capability = IoUringProbe.run().ring();
        require(capability.isAvailable(), capability.reason(), capability.remedy());
        RingParams.flags(params, IoUring.IORING_SETUP_CQSIZE);
        RingParams.cqEntries(params, 4 * ENTRIES);
        ringFd = NativeException.check("io_uring_setup", IoUringCalls.setup(ENTRIES, params));
        ringsBytes = RingParams.cqCqesOffset(params) +
            (long)RingParams.cqEntries(params) * CompletionEntry.SIZE_BYTES;
        rings = map(ringsBytes, IoUring.IORING_OFF_SQ_RING);
        entries = map((long)ENTRIES * SubmissionEntry.SIZE_BYTES, IoUring.IORING_OFF_SQES);
        for (int i = 0; i < ENTRIES; i++)
        {
            NativeMemory.putInt(rings + RingParams.sqArrayOffset(params) + 4L * i, i);
        }
    }

    @AfterEach
    void close()
    {
        if (ringFd >= 0)
        {
            Mappings.munmap(rings, ringsBytes);
            Mappings.munmap(entries, (long)ENTRIES * SubmissionEntry.SIZE_BYTES);
            Files.close(ringFd);
        }
        arena.close();
    }

    @Test
    void shouldSizeQueuesWhenAskedTo()
    {
        assertEquals(ENTRIES, RingParams.sqEntries(params));
        assertEquals(4 * ENTRIES, RingParams.cqEntries(params));
        assertEquals(ENTRIES - 1, NativeMemory.getInt(rings + RingParams.sqRingMaskOffset(params)));
        assertEquals(4 * ENTRIES - 1, NativeMemory.getInt(rings + RingParams.cqRingMaskOffset(params)));
        assertEquals(ENTRIES, NativeMemory.getInt(rings + RingParams.sqRingEntriesOffset(params)));
        assertEquals(4 * ENTRIES, NativeMemory.getInt(rings + RingParams.cqRingEntriesOffset(params)));
        assertEquals(0, NativeMemory.getInt(rings + RingParams.sqDroppedOffset(params)));
        assertEquals(0, NativeMemory.getInt(rings + RingParams.cqOverflowOffset(params)));
        assertEquals(0, NativeMemory.getInt(rings + RingParams.cqFlagsOffset(params)));
        assertEquals(IoUring.IORING_SETUP_CQSIZE, RingParams.flags(params) & IoUring.IORING_SETUP_CQSIZE);
        assertTrue(0 != (RingParams.features(params) & IoUring.IORING_FEAT_SINGLE_MMAP));
    }

    @Test
    void shouldHandBackUserDataWhenNothingIsDone()
    {
        NativeMemory.fill(entries, SubmissionEntry.SIZE_BYTES, (byte)0xFF);
        SubmissionEntry.set(entries, IoUring.IORING_OP_NOP, 0, -1, 0, 0, 0, 0, 0x1234_5678_9ABC_DEF0L, 0);

        final long completion = submitAndWait(true);

        assertEquals(0x1234_5678_9ABC_DEF0L, CompletionEntry.userData(completion));
        assertEquals(0, CompletionEntry.result(completion));
        assertEquals(0, CompletionEntry.flags(completion));
    }

    @Test
    void shouldReadBackWhenWrittenThroughRegisteredBufferAndFile(@TempDir final Path folder)
    {
        final int fd = NativeException.check("open", Files.open(
            arena.allocateFrom(folder.resolve("data").toString()).address(), Files.O_RDWR | Files.O_CREAT, 0600));
        MessageHeader.setIovec(scratch, scratch + 4096, 8192);
        assertEquals(0, IoUringCalls.register(ringFd, IoUring.IORING_REGISTER_BUFFERS, scratch, 1));
        NativeMemory.putInt(scratch, fd);
        assertEquals(0, IoUringCalls.register(ringFd, IoUring.IORING_REGISTER_FILES, scratch, 1));
        assertEquals(0, Files.close(fd));

        NativeMemory.putLong(scratch + 4096, 77L);
        SubmissionEntry.set(entries, IoUring.IORING_OP_WRITE_FIXED, IoUring.IOSQE_FIXED_FILE, 0,
            512, scratch + 4096, 4096, 0, 1, 0);
        assertEquals(4096, CompletionEntry.result(submitAndWait(false)));
        SubmissionEntry.set(nextEntry(), IoUring.IORING_OP_FSYNC, IoUring.IOSQE_FIXED_FILE, 0,
            0, 0, 0, IoUring.IORING_FSYNC_DATASYNC, 2, 0);
        assertEquals(0, CompletionEntry.result(submitAndWait(false)));
        SubmissionEntry.set(nextEntry(), IoUring.IORING_OP_READ_FIXED, IoUring.IOSQE_FIXED_FILE, 0,
            512, scratch + 8192, 4096, 0, 3, 0);
        final long completion = submitAndWait(false);

        assertEquals(3, CompletionEntry.userData(completion));
        assertEquals(4096, CompletionEntry.result(completion));
        assertEquals(77L, NativeMemory.getLong(scratch + 8192));
        assertEquals(0, IoUringCalls.register(ringFd, IoUring.IORING_UNREGISTER_BUFFERS, 0, 0));
        assertEquals(-6, IoUringCalls.register(ringFd, IoUring.IORING_UNREGISTER_BUFFERS, 0, 0), "ENXIO");
    }

    @Test
    void shouldAnswerErrorNumberWhenRingIsNone()
    {
        final int fd = NativeException.check("eventfd", Files.eventfd(0, 0));
        assertEquals(-Errno.EOPNOTSUPP, IoUringCalls.enter(fd, 0, 0, 0));
        assertEquals(-Errno.EOPNOTSUPP, IoUringCalls.enterNoWait(fd, 0, 0));
        assertEquals(-Errno.EOPNOTSUPP, IoUringCalls.register(fd, IoUring.IORING_REGISTER_PROBE, scratch, 1));
        assertEquals(0, Files.close(fd));
        NativeMemory.fill(scratch, RingParams.SIZE_BYTES, (byte)0);
        assertEquals(-Errno.EINVAL, IoUringCalls.setup(0, scratch));
    }

    private long nextEntry()
    {
        final int tail = NativeMemory.getInt(rings + RingParams.sqTailOffset(params));
        return entries + (long)(tail & (ENTRIES - 1)) * SubmissionEntry.SIZE_BYTES;
    }

    /** Submits the one entry behind the tail and answers where its completion is, which stays valid until the next. */
    private long submitAndWait(final boolean twice)
    {
        final long tailAddress = rings + RingParams.sqTailOffset(params);
        NativeMemory.putIntRelease(tailAddress, NativeMemory.getInt(tailAddress) + 1);
        if (twice)
        {
            assertEquals(1, IoUringCalls.enterNoWait(ringFd, 1, 0));
            assertEquals(0, IoUringCalls.enter(ringFd, 0, 1, IoUring.IORING_ENTER_GETEVENTS));
        }
        else
        {
            assertEquals(1, IoUringCalls.enter(ringFd, 1, 1, IoUring.IORING_ENTER_GETEVENTS));
        }
        assertEquals(NativeMemory.getInt(tailAddress),
            NativeMemory.getIntAcquire(rings + RingParams.sqHeadOffset(params)));
        final long headAddress = rings + RingParams.cqHeadOffset(params);
        final int head = NativeMemory.getInt(headAddress);
        // The JVM signals its threads at times, which ends a wait early.
        while (head == NativeMemory.getIntAcquire(rings + RingParams.cqTailOffset(params)))
        {
            final int entered = IoUringCalls.enter(ringFd, 0, 1, IoUring.IORING_ENTER_GETEVENTS);
            assertTrue(0 == entered || -Errno.EINTR == entered, () -> Errno.describe(-entered));
        }
        assertEquals(head + 1, NativeMemory.getIntAcquire(rings + RingParams.cqTailOffset(params)));
        NativeMemory.putIntRelease(headAddress, head + 1);
        return rings + RingParams.cqCqesOffset(params) +
            (long)(head & (RingParams.cqEntries(params) - 1)) * CompletionEntry.SIZE_BYTES;
    }

    private long map(final long lengthBytes, final long offset)
    {
        return NativeException.check("mmap", Mappings.mmap(0, lengthBytes,
            Mappings.PROT_READ | Mappings.PROT_WRITE, Mappings.MAP_SHARED | Mappings.MAP_POPULATE, ringFd, offset));
    }
}
