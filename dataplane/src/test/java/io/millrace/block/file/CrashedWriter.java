package io.millrace.block.file;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A process that is killed while it writes. Writes blocks of known content, each batch either forced or followed by a
 * flush, and prints the number of a batch once it is acknowledged as stable.
 */
final class CrashedWriter
{
    static final int BLOCK = 4096;
    static final int BLOCKS = 256;
    static final int BATCH = 8;

    private CrashedWriter()
    {
    }

    public static void main(final String[] args)
    {
        final Random random = TestSeeds.fixed(Long.parseLong(args[1]));
        final PrintStream out = System.out;
        try (FileDevice device = FileDevice.open(FileDeviceConfig.of("crash", Path.of(args[0]), BLOCKS * BLOCK, BLOCK));
            Initiator initiator = new Initiator("writer", device);
            DmaMemory memory = DmaMemory.map(BATCH * BLOCK))
        {
            for (long batch = 1; true; batch++)
            {
                final boolean forced = random.nextBoolean();
                final List<Initiator.Io> ios = new ArrayList<>();
                for (int i = 0; i < BATCH; i++)
                {
                    final Initiator.Io io = initiator.io();
                    final long address = memory.address() + (long)i * BLOCK;
                    final int lba = lbaOf(batch, i);
                    fill(address, batch, lba);
                    Initiator.fill(io.request(), BlockOperation.WRITE, lba, 1, forced, address, BLOCK);
                    ios.add(io);
                }
                initiator.send(ios);
                for (final Initiator.Io io : ios)
                {
                    check(initiator.await(io));
                }
                if (!forced)
                {
                    check(initiator.run(BlockOperation.FLUSH, 0, 0, false));
                }
                out.println(batch);
                out.flush();
            }
        }
    }

    /** Distinct within a batch, and spread over the device. */
    static int lbaOf(final long batch, final int index)
    {
        return (int)((batch * 31 + index * 37L) % BLOCKS);
    }

    private static void fill(final long address, final long batch, final int lba)
    {
        for (int offset = 0; offset < BLOCK; offset += 2 * Long.BYTES)
        {
            NativeMemory.putLong(address + offset, batch);
            NativeMemory.putLong(address + offset + Long.BYTES, lba);
        }
    }

    private static void check(final BlockStatus status)
    {
        if (BlockStatus.SUCCESS != status)
        {
            throw new IllegalStateException("ended with " + status);
        }
    }
}
