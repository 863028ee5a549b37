package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.parity.ParityEngine;
import io.millrace.parity.ParityEngineType;
import io.millrace.parity.ParityEngines;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which strip of two parities is wrong. */
class PqSyndromeTest
{
    private static final int LENGTH = 4096;
    private static final int DATA_MAX = 62;

    private final Random random = TestSeeds.random();
    private final DmaMemory memory = DmaMemory.map((DATA_MAX + 2) * LENGTH);
    private final ParityEngine engine = ParityEngines.create(ParityEngineType.SCALAR);
    private long[] strips;

    @BeforeEach
    void fill()
    {
        for (long at = memory.address(); at < memory.address() + (DATA_MAX + 2) * LENGTH; at += Long.BYTES)
        {
            NativeMemory.putLong(at, random.nextLong());
        }
    }

    @AfterEach
    void close()
    {
        engine.close();
        memory.close();
    }

    private void stripe(final int dataCount)
    {
        strips = new long[dataCount + 2];
        for (int i = 0; i < strips.length; i++)
        {
            strips[i] = memory.address() + (long)i * LENGTH;
        }
        engine.generatePq(strips, dataCount, LENGTH);
    }

    /** Changes some bytes of a strip for sure. */
    private void corrupt(final int index, final int count)
    {
        final int from = random.nextInt(LENGTH - count + 1);
        for (int i = from; i < from + count; i++)
        {
            final long at = strips[index] + i;
            NativeMemory.putByte(at, (byte)(NativeMemory.getByte(at) ^ 1 + random.nextInt(255)));
        }
    }

    @Test
    void shouldTellOfNoStripWhenNoneIsWrong()
    {
        for (final int dataCount : new int[]{2, 3, 4, 7, 20, DATA_MAX})
        {
            stripe(dataCount);
            assertEquals(StripeCode.UNKNOWN, PqSyndrome.wrongStrip(strips, dataCount, LENGTH));
        }
    }

    @Test
    void shouldTellTheStripWhenOneIsWrong()
    {
        for (final int dataCount : new int[]{2, 3, 4, 7, 20, DATA_MAX})
        {
            for (int index = 0; index < dataCount + 2; index++)
            {
                for (final int count : new int[]{1, 2, 512, LENGTH})
                {
                    stripe(dataCount);
                    corrupt(index, count);
                    assertEquals(index, PqSyndrome.wrongStrip(strips, dataCount, LENGTH));
                }
            }
        }
    }

    @Test
    void shouldTellOfNoStripWhenTwoAreWrong()
    {
        for (final int dataCount : new int[]{2, 3, 4, 7, 20, DATA_MAX})
        {
            for (int run = 0; run < 50; run++)
            {
                stripe(dataCount);
                final int first = random.nextInt(dataCount + 2);
                final int second = (first + 1 + random.nextInt(dataCount + 1)) % (dataCount + 2);
                // So many bytes that no ratio is common to all of them by chance.
                corrupt(first, LENGTH);
                corrupt(second, LENGTH);
                assertEquals(StripeCode.UNKNOWN, PqSyndrome.wrongStrip(strips, dataCount, LENGTH));
            }
        }
    }
}
