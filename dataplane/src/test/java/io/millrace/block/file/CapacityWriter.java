package io.millrace.block.file;

import io.millrace.block.BlockOperation;
import io.millrace.block.Initiator;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.memory.DmaMemory;
import java.nio.file.Path;

/**
 * A process that may not write beyond the first 1 MiB of a file; prints how writes below, across and beyond
 * that end, through a device that wraps the file's.
 */
final class CapacityWriter
{
    static final int LIMIT_BYTES = 1 << 20;
    static final int BLOCK = 4096;

    private CapacityWriter()
    {
    }

    public static void main(final String[] args)
    {
        final long limit = LIMIT_BYTES / BLOCK;
        try (FileDevice file = FileDevice.open(
            FileDeviceConfig.of("full", Path.of(args[0]), 0, BLOCK).withPreallocate(false));
            FaultDevice device = FaultDevice.wrapBorrowed("wrapper", file, FaultPlan.NONE);
            Initiator initiator = new Initiator("writer", device);
            DmaMemory memory = DmaMemory.map(8 * BLOCK))
        {
            for (final long lba : new long[]{limit - 8, limit - 4, limit})
            {
                final Initiator.Io io = initiator.io();
                Initiator.fill(io.request(), BlockOperation.WRITE, lba, 8, false,
                    memory.address(), 4 * BLOCK, memory.address(), 4 * BLOCK);
                initiator.send(io);
                System.out.println(initiator.await(io) + " " + io.request().cause() + " " + io.request().causeCode() +
                    (null == io.request().failedDevice() ? "" : " of " + io.request().failedDevice().name()));
            }
            System.out.println(initiator.run(BlockOperation.READ, limit, 8, false, memory.address(), 8 * BLOCK));
        }
    }
}
