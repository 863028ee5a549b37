package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kill -9 at a random moment loses nothing that was acknowledged as stable. What power loss does to a drive's cache
 * this cannot show.
 */
class FileDeviceCrashTest
{
    private static final int BATCHES_MIN = 50;
    private static final int BATCHES_SPREAD = 150;

    @TempDir
    private Path directory;

    @Test
    void shouldHaveWhatWasAcknowledgedWhenTheProcessWasKilled() throws Exception
    {
        final long seed = TestSeeds.seed();
        final Path path = directory.resolve("crash.img");
        final long acknowledged = writeAndKill(path, seed);
        try (FileDevice device = FileDevice.open(FileDeviceConfig.of("crash", path, 0, CrashedWriter.BLOCK));
            Initiator initiator = new Initiator("verifier", device);
            DmaMemory memory = DmaMemory.map(CrashedWriter.BLOCK))
        {
            final long[] expected = new long[CrashedWriter.BLOCKS];
            for (long batch = 1; batch <= acknowledged; batch++)
            {
                for (int i = 0; i < CrashedWriter.BATCH; i++)
                {
                    expected[CrashedWriter.lbaOf(batch, i)] = batch;
                }
            }
            for (int lba = 0; lba < CrashedWriter.BLOCKS; lba++)
            {
                assertEquals(BlockStatus.SUCCESS, initiator.run(
                    BlockOperation.READ, lba, 1, false, memory.address(), CrashedWriter.BLOCK));
                verify(memory.address(), lba, expected[lba], acknowledged, seed);
            }
        }
    }

    private static void verify(
        final long address, final int lba, final long expected, final long acknowledged, final long seed)
    {
        final long found = NativeMemory.getLong(address);
        // The batch that was under way when the process was killed may be there or not.
        final boolean isUnderWay = found == acknowledged + 1;
        assertTrue(found == expected || isUnderWay, () -> "block " + lba + " has batch " + found +
            ", acknowledged was " + expected + "; -Dmillrace.seed=" + seed);
        if (found > 0 && !isUnderWay)
        {
            for (int offset = 0; offset < CrashedWriter.BLOCK; offset += 2 * Long.BYTES)
            {
                assertEquals(found, NativeMemory.getLong(address + offset));
                assertEquals(lba, NativeMemory.getLong(address + offset + Long.BYTES));
            }
        }
    }

    private static long writeAndKill(final Path path, final long seed) throws IOException, InterruptedException
    {
        final Process writer = new ProcessBuilder(
            ChildJvm.command(CrashedWriter.class, path.toString(), Long.toString(seed)))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
        try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(writer.getInputStream(), StandardCharsets.US_ASCII)))
        {
            final long killAfter = BATCHES_MIN + Math.floorMod(seed, BATCHES_SPREAD);
            long acknowledged = 0;
            String line = lines.readLine();
            while (null != line)
            {
                acknowledged = Long.parseLong(line);
                if (acknowledged == killAfter)
                {
                    // Through the handle, which leaves the pipe open: the last lines are still to be read.
                    writer.toHandle().destroyForcibly();
                }
                line = lines.readLine();
            }
            assertTrue(writer.waitFor(20, TimeUnit.SECONDS), "the writer does not end");
            assertTrue(acknowledged >= killAfter, "the writer ended by itself");
            return acknowledged;
        }
    }
}
