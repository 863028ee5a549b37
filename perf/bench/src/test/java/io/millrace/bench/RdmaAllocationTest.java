package io.millrace.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/**
 * A command over NVMe/RDMA allocates nothing on the reactor's thread, from its capsule to its answer.
 */
class RdmaAllocationTest
{
    private static final int ENTRIES = 32;
    private static final int COMMANDS = 10_000;
    private static final int LARGE_BLOCKS = 16;
    private static final long DEVICE_BYTES = 16L << 20;
    private static final int WINDOWS_MIN = 50;

    private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    @Test
    void shouldAllocateNothingPerCommand()
    {
        try (LocalRdmaTarget target = new LocalRdmaTarget(
            MemoryDevice.create("mem0", DEVICE_BYTES, LocalRdmaTarget.BLOCK_BYTES)))
        {
            final int inCapsuleBytes = SubmissionQueueEntry.SIZE_BYTES + LocalRdmaTarget.BLOCK_BYTES;
            verify(target, target.keyed(1, ENTRIES, IoOpcode.READ, 1), SubmissionQueueEntry.SIZE_BYTES, 2);
            verify(target, target.keyed(2, ENTRIES, IoOpcode.WRITE, 1), SubmissionQueueEntry.SIZE_BYTES, 2);
            verify(target, target.inCapsule(3, ENTRIES, IoOpcode.WRITE), inCapsuleBytes, 1);
            verify(target, target.keyed(4, ENTRIES, IoOpcode.READ, LARGE_BLOCKS), SubmissionQueueEntry.SIZE_BYTES, 2);
        }
    }

    /** The device lends in pieces of a block: four RDMA WRITEs of four segments each. */
    @Test
    void shouldAllocateNothingPerReadOfSegments()
    {
        try (LocalRdmaTarget target = new LocalRdmaTarget(new PiecesDevice(DEVICE_BYTES, LocalRdmaTarget.BLOCK_BYTES)))
        {
            verify(target, target.keyed(1, ENTRIES, IoOpcode.READ, LARGE_BLOCKS), SubmissionQueueEntry.SIZE_BYTES, 5);
        }
    }

    private void verify(
        final LocalRdmaTarget target, final LocalRdmaQueue queue, final int capsuleBytes, final int requests)
    {
        final long thread = target.reactor().call(() -> Thread.currentThread().threadId()).join();
        final AllocationWindows windows = new AllocationWindows(1, WINDOWS_MIN);
        // What is rare is still interpreted now and then; an allocation per command falls into each attempt.
        while (!windows.isOver())
        {
            final long before = threads.getThreadAllocatedBytes(thread);
            assertTrue(before > 0);
            queue.run(target.reactor(), capsuleBytes, COMMANDS);
            windows.end(threads.getThreadAllocatedBytes(thread) - before);
            assertEquals((long)requests * COMMANDS, queue.posted(), "requests of the send queue");
        }
        windows.assertClean(COMMANDS + " commands");
    }
}
