package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.parity.ParityEngineType;
import io.millrace.parity.ParityEngines;
import io.millrace.parity.SlowField;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What all codes have in common: parity that is updated is that of the data, and any strips recover the others. */
class StripeCodeTest
{
    private static final int LENGTH = 5000;
    private static final int DATA = 4;

    private final Random random = TestSeeds.random();

    @ParameterizedTest
    @CsvSource({"RAID5", "RAID6", "EC1", "EC2", "EC3"})
    void shouldUpdateAndRecover(final RaidLevel level)
    {
        final int count = DATA + level.parityCount();
        try (DmaMemory memory = DmaMemory.map((count + 1) * LENGTH);
            StripeCode code = StripeCode.of(level, ParityEngines.create(ParityEngineType.SCALAR)))
        {
            final long[] strips = new long[count];
            final byte[][] expected = new byte[count][];
            for (int index = 0; index < count; index++)
            {
                strips[index] = memory.address() + (long)index * LENGTH;
                store(strips[index], LENGTH);
            }
            code.generate(strips, DATA, LENGTH);
            for (int run = 0; run < 20; run++)
            {
                final int row = random.nextInt(LENGTH);
                final int length = 1 + random.nextInt(LENGTH - row);
                final long fresh = memory.address() + (long)count * LENGTH;
                store(fresh, length);
                code.update(strips[run % DATA] + row, fresh, run % DATA, strips, DATA, row, length);
                NativeMemory.copy(fresh, strips[run % DATA] + row, length);
                assertTrue(code.isRight(strips, DATA, LENGTH));
            }
            for (int index = 0; index < count; index++)
            {
                expected[index] = NativeMemory.bytes(strips[index], LENGTH);
            }
            checkParity(level, expected);
            for (long readable = 0; readable < 1 << count; readable++)
            {
                if (Long.bitCount(readable) >= DATA)
                {
                    for (int index = 0; index < count; index++)
                    {
                        if (0 == (readable & 1L << index))
                        {
                            store(strips[index], LENGTH);
                        }
                    }
                    code.recover(strips, DATA, readable, LENGTH);
                    code.generate(strips, DATA, LENGTH);
                    for (int index = 0; index < count; index++)
                    {
                        assertArrayEquals(expected[index], NativeMemory.bytes(strips[index], LENGTH));
                    }
                }
            }
            NativeMemory.putByte(strips[1] + 77, (byte)~NativeMemory.getByte(strips[1] + 77));
            assertFalse(code.isRight(strips, DATA, LENGTH));
            assertEquals(1 == level.parityCount() ? StripeCode.UNKNOWN : 1, code.wrongStrip(strips, DATA, LENGTH));
        }
    }

    /** By the sums of the format. */
    private static void checkParity(final RaidLevel level, final byte[][] strips)
    {
        final byte[] data = new byte[DATA];
        for (int row = 0; row < LENGTH; row++)
        {
            byte p = 0;
            int q = 0;
            for (int index = DATA - 1; index >= 0; index--)
            {
                data[index] = strips[index][row];
                p ^= data[index];
                q = SlowField.product(q, 2) ^ data[index] & 0xff;
            }
            assertEquals(level.isErasureCode() ? SlowField.parity(0, data) : p, strips[DATA][row]);
            if (level.parityCount() > 1)
            {
                assertEquals(level.isErasureCode() ? SlowField.parity(1, data) : (byte)q, strips[DATA + 1][row]);
            }
        }
    }

    private void store(final long address, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        NativeMemory.asByteBuffer(address, length).put(bytes);
    }
}
