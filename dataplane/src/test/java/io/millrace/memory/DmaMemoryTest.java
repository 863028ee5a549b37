package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DmaMemoryTest
{
    private static final long PAGE = Hugepages.PAGE_BYTES;

    @TempDir
    private Path kernel;

    @Test
    void shouldMapZeroedAlignedMemoryThatCanBeWritten()
    {
        try (DmaMemory memory = DmaMemory.map(PAGE + 1))
        {
            assertEquals(2 * PAGE, memory.lengthBytes());
            assertEquals(2, memory.pageCount());
            assertEquals(0, memory.address() % PAGE);
            final long last = memory.address() + memory.lengthBytes() - 8;
            assertEquals(0, NativeMemory.getLong(memory.address()));
            assertEquals(0, NativeMemory.getLong(last));
            NativeMemory.putLong(last, 42);
            assertEquals(42, NativeMemory.getLong(last));
        }
    }

    @Test
    void shouldSayWhatPagesItGot()
    {
        final long free = Hugepages.system().freeCount();
        try (DmaMemory memory = DmaMemory.map(PAGE))
        {
            if (free > 0)
            {
                assertEquals(DmaMemory.Backing.HUGEPAGES, memory.backing());
                assertTrue(memory.note().contains("1 reserved hugepages"), memory.note());
            }
            else
            {
                assertEquals(DmaMemory.Backing.TRANSPARENT_HUGEPAGES, memory.backing());
                assertTrue(memory.note().contains("transparent huge pages, which is fine"), memory.note());
            }
        }
    }

    @Test
    void shouldBringAllPagesInWhenPreFaulted() throws IOException
    {
        try (DmaMemory memory = DmaMemory.map(8 * PAGE, true))
        {
            assertEquals(8 * PAGE, residentBytes(memory));
        }
    }

    @Test
    void shouldStayOutOfCoreDumps() throws IOException
    {
        try (DmaMemory memory = DmaMemory.map(4 * PAGE))
        {
            final String flags = describe(memory).stream().filter((line) -> line.startsWith("VmFlags:")).findFirst()
                .orElseThrow();
            assertTrue(flags.contains(" dd"), flags);
        }
    }

    @Test
    void shouldSetPartsAsideUntilNothingIsLeft()
    {
        try (DmaMemory memory = DmaMemory.map(PAGE))
        {
            final long first = memory.allocate(100, 64);
            assertEquals(memory.address(), first);
            final long second = memory.allocate(4096, 4096);
            assertEquals(memory.address() + 4096, second);
            assertEquals(8192, memory.allocatedBytes());
            final String message =
                assertThrows(IllegalStateException.class, () -> memory.allocate(PAGE, 1)).getMessage();
            assertTrue(message.contains("" + (PAGE - 8192)) && message.contains("memory.size"), message);
            memory.allocate(PAGE - 8192, 1);
            assertThrows(IllegalStateException.class, () -> memory.allocate(1, 1));
            assertThrows(IllegalStateException.class, () -> memory.allocate(1, 1L << 40));
        }
    }

    @Test
    void shouldAlignBeyondThePageSize()
    {
        try (DmaMemory memory = DmaMemory.map(8 * PAGE))
        {
            memory.allocate(1, 1);
            assertEquals(0, memory.allocate(PAGE, 4 * PAGE) % (4 * PAGE));
        }
    }

    @Test
    void shouldKnowWhatLiesInIt()
    {
        try (DmaMemory memory = DmaMemory.map(PAGE))
        {
            final long start = memory.address();
            assertTrue(memory.contains(start, PAGE));
            assertTrue(memory.contains(start + PAGE, 0));
            assertFalse(memory.contains(start - 1, 1));
            assertFalse(memory.contains(start + 1, PAGE));
            assertFalse(memory.contains(start, Long.MAX_VALUE));
            assertFalse(memory.contains(start, -1));
            assertFalse(memory.contains(0, 1));
        }
    }

    @Test
    void shouldRefuseLengthsOutOfBounds()
    {
        assertThrows(IllegalArgumentException.class, () -> DmaMemory.map(0));
        assertThrows(IllegalArgumentException.class, () -> DmaMemory.map(Long.MAX_VALUE));
        try (DmaMemory memory = DmaMemory.map(1))
        {
            assertThrows(IllegalArgumentException.class, () -> memory.allocate(0, 1));
            assertThrows(IllegalArgumentException.class, () -> memory.allocate(1, 3));
            assertThrows(IllegalArgumentException.class, () -> memory.allocate(1, Long.MIN_VALUE));
        }
    }

    @Test
    void shouldNameLengthAndRemedyWhenThereIsNotSoMuchMemory()
    {
        final NativeException refused = assertThrows(NativeException.class, () -> DmaMemory.map(1L << 46));
        assertEquals(Errno.ENOMEM, refused.errno());
        assertTrue(refused.getMessage().contains("" + (1L << 46)), refused.getMessage());
        assertTrue(refused.getMessage().contains("lower memory.size"), refused.getMessage());
    }

    @Test
    void shouldCloseOnce()
    {
        final DmaMemory memory = DmaMemory.map(1);
        memory.close();
        memory.close();
        assertThrows(IllegalStateException.class, () -> memory.allocate(1, 1));
    }

    @Test
    void shouldExplainTheFallback() throws IOException
    {
        final Hugepages hugepages = new Hugepages(kernel);
        assertEquals("I/O buffers use 4 KiB pages, which costs some throughput, as transparent huge pages are off; " +
            "this kernel has no reserved hugepages of 2 MiB", DmaMemory.fallbackNote(8, hugepages));
        kernelSays("transparent_hugepage/enabled", "always [madvise] never");
        kernelSays("hugepages/hugepages-2048kB/nr_hugepages", "10");
        kernelSays("hugepages/hugepages-2048kB/free_hugepages", "7");
        kernelSays("hugepages/hugepages-2048kB/resv_hugepages", "2");
        assertEquals("I/O buffers use transparent huge pages, which is fine; reserved hugepages would save some " +
            "address translation (8 of 2 MiB are needed, 5 are free): " +
            "sysctl vm.nr_hugepages=13", DmaMemory.fallbackNote(8, hugepages));
        assertTrue(DmaMemory.fallbackNote(5, hugepages).contains("control group"));
        kernelSays("transparent_hugepage/enabled", "always madvise [never]");
        assertFalse(hugepages.isTransparentEnabled());
    }

    private void kernelSays(final String file, final String text) throws IOException
    {
        final Path path = kernel.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    private static long residentBytes(final DmaMemory memory) throws IOException
    {
        long kilobytes = 0;
        for (final String line : describe(memory))
        {
            // Hugepages are not part of Rss.
            if (line.startsWith("Rss:") || line.startsWith("Private_Hugetlb:"))
            {
                kilobytes += Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return kilobytes * 1024;
    }

    /** What the kernel says of the mapping; it must not have been merged with a neighbour. */
    private static List<String> describe(final DmaMemory memory) throws IOException
    {
        final List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
        final String range =
            Long.toHexString(memory.address()) + "-" + Long.toHexString(memory.address() + memory.lengthBytes()) + " ";
        final int first = lines.indexOf(
            lines.stream().filter((line) -> line.startsWith(range)).findFirst().orElseThrow());
        int end = first + 1;
        while (end < lines.size() && !lines.get(end - 1).startsWith("VmFlags:"))
        {
            end++;
        }
        return lines.subList(first, end);
    }
}
