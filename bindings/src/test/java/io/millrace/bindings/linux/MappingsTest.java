package io.millrace.bindings.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappingsTest
{
    private static final long LENGTH_BYTES = 4 << 20;
    private static final int READ_WRITE = Mappings.PROT_READ | Mappings.PROT_WRITE;

    @Test
    void shouldMapZeroedMemoryWhenAnonymous()
    {
        final long address = NativeException.check("mmap",
            Mappings.mmap(0, LENGTH_BYTES, READ_WRITE, Mappings.MAP_PRIVATE | Mappings.MAP_ANONYMOUS, -1, 0));

        assertEquals(0L, NativeMemory.getLong(address + LENGTH_BYTES - 8));
        NativeMemory.putLong(address, 1L);
        assertEquals(0, Mappings.madvise(address, LENGTH_BYTES, Mappings.MADV_DONTDUMP));
        assertEquals(0, Mappings.munmap(address, LENGTH_BYTES));
    }

    @Test
    void shouldSeeSameBytesWhenFileIsMappedTwice(@TempDir final Path folder)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final int fd = NativeException.check("open", Files.open(
                arena.allocateFrom(folder.resolve("shared").toString()).address(), Files.O_RDWR | Files.O_CREAT, 0600));
            assertEquals(0, Files.ftruncate(fd, 8192));
            final long one = NativeException.check("mmap",
                Mappings.mmap(0, 8192, READ_WRITE, Mappings.MAP_SHARED | Mappings.MAP_POPULATE, fd, 0));
            final long other = NativeException.check("mmap",
                Mappings.mmap(0, 4096, Mappings.PROT_READ, Mappings.MAP_SHARED, fd, 4096));
            assertEquals(0, Files.close(fd));

            NativeMemory.putLong(one + 4096, 42L);

            assertNotEquals(one + 4096, other);
            assertEquals(42L, NativeMemory.getLong(other));
            assertEquals(0, Mappings.munmap(one, 8192));
            assertEquals(0, Mappings.munmap(other, 4096));
        }
    }

    @Test
    void shouldAnswerErrorNumberWhenRefused()
    {
        assertEquals(-Errno.EINVAL, Mappings.mmap(0, 0, READ_WRITE,
            Mappings.MAP_PRIVATE | Mappings.MAP_ANONYMOUS, -1, 0), "no length");
        assertEquals(-Errno.EBADF, Mappings.mmap(0, 4096, READ_WRITE, Mappings.MAP_SHARED, -1, 0), "no file");
        assertEquals(-Errno.EINVAL, Mappings.munmap(1, 4096), "not a page");
        assertEquals(-Errno.EINVAL, Mappings.madvise(0, 4096, -1), "no such advice");
        assertEquals(-Errno.ENOMEM, Mappings.mlock(4096, 4096), "not mapped");
    }

    @Test
    void shouldMapAlignedOrAnswerWhyNotWhenHugepagesAreAskedFor()
    {
        final long address = Mappings.mmap(0, LENGTH_BYTES, READ_WRITE,
            Mappings.MAP_PRIVATE | Mappings.MAP_ANONYMOUS | Mappings.MAP_HUGETLB | 21 << Mappings.MAP_HUGE_SHIFT,
            -1, 0);

        assertTrue(-Errno.ENOMEM == address || -Errno.EINVAL == address || 0 == (address & ((2 << 20) - 1)),
            () -> "mmap: " + address);
        if (address > 0)
        {
            assertEquals(0, Mappings.munmap(address, LENGTH_BYTES));
        }
    }

    @Test
    void shouldFaultPagesInWhenPopulated()
    {
        final long address = NativeException.check("mmap",
            Mappings.mmap(0, LENGTH_BYTES, READ_WRITE, Mappings.MAP_PRIVATE | Mappings.MAP_ANONYMOUS, -1, 0));
        final int advised = Mappings.madvise(address, LENGTH_BYTES, Mappings.MADV_HUGEPAGE);
        assertTrue(0 == advised || -Errno.EINVAL == advised, () -> "madvise: " + advised);

        final int populated = Mappings.madvise(address, LENGTH_BYTES, Mappings.MADV_POPULATE_WRITE);
        assertTrue(0 == populated || -Errno.EINVAL == populated, () -> "needs Linux 5.14: " + populated);
        assertEquals(0, Mappings.mlock(address, 4096));
        assertEquals(0, Mappings.munmap(address, LENGTH_BYTES));
    }
}
