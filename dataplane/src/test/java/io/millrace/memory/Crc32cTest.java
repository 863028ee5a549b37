package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.bindings.NativeMemory;
import io.millrace.seed.TestSeeds;
import io.millrace.testing.AllocationWindows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class Crc32cTest
{
    private static final int LENGTH_BYTES = 16 * 1024;

    private final Arena arena = Arena.ofConfined();
    private MemorySegment memory;
    private byte[] bytes;

    @BeforeEach
    void fill()
    {
        bytes = new byte[LENGTH_BYTES];
        TestSeeds.fixed(42).nextBytes(bytes);
        memory = arena.allocate(LENGTH_BYTES, 64);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, LENGTH_BYTES);
    }

    @AfterEach
    void free()
    {
        arena.close();
    }

    @Test
    void shouldUseTheIntrinsicWhenTheTestJvmOpensIt()
    {
        assertTrue(Crc32c.isIntrinsic());
    }

    @Test
    void shouldGiveThePublishedCheckValue()
    {
        final byte[] digits = "123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        MemorySegment.copy(digits, 0, memory, ValueLayout.JAVA_BYTE, 0, digits.length);

        assertEquals(0xE3069283, Crc32c.digest(memory.address(), digits.length));
        assertEquals(0xE3069283,
            Crc32c.finish(Crc32c.updateTables(Crc32c.INITIAL, memory.address(), digits.length)));
    }

    @Test
    void shouldAgreeWithTheJdkForEveryShortLengthAndAlignment()
    {
        for (int start = 0; start < 16; start++)
        {
            for (int length = 0; length < 300; length++)
            {
                check(start, length);
            }
        }
    }

    @Test
    void shouldAgreeWithTheJdkForLongRanges()
    {
        for (int length = 512; length <= LENGTH_BYTES - 7; length += 509)
        {
            check(7, length);
        }
    }

    @Test
    void shouldContinueOverPieces()
    {
        final int whole = Crc32c.digest(memory.address(), LENGTH_BYTES);
        for (int cut = 0; cut <= LENGTH_BYTES; cut += 97)
        {
            final int first = Crc32c.update(Crc32c.INITIAL, memory.address(), cut);
            assertEquals(whole,
                Crc32c.finish(Crc32c.update(first, memory.address() + cut, LENGTH_BYTES - cut)), "cut " + cut);
            assertEquals(whole,
                Crc32c.finish(Crc32c.updateTables(first, memory.address() + cut, LENGTH_BYTES - cut)), "cut " + cut);
        }
    }

    @Test
    void shouldAllocateNothing()
    {
        final long address = memory.address();
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final AllocationWindows windows = new AllocationWindows(1, 100);
        int sum = 0;
        while (!windows.isOver())
        {
            final long before = threads.getCurrentThreadAllocatedBytes();
            sum += digestMany(address, 20_000);
            windows.end(threads.getCurrentThreadAllocatedBytes() - before);
        }
        NativeMemory.putInt(address, sum);
        windows.assertClean("20000 digests");
    }

    private static int digestMany(final long address, final int count)
    {
        int sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum += Crc32c.update(sum, address, 256) + Crc32c.updateTables(sum, address, 64);
        }
        return sum;
    }

    private void check(final int start, final int length)
    {
        final CRC32C expected = new CRC32C();
        expected.update(bytes, start, length);
        final String where = "start " + start + " length " + length;
        assertEquals((int)expected.getValue(), Crc32c.digest(memory.address() + start, length), where);
        assertEquals((int)expected.getValue(),
            Crc32c.finish(Crc32c.updateTables(Crc32c.INITIAL, memory.address() + start, length)), where);
    }
}
