package io.millrace.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * State of the kernel's 2 MiB pages ({@code hugetlbpage.rst}, {@code transhuge.rst}). Read again at each call; any
 * thread, off the reactors.
 */
public final class Hugepages
{
    /** Size of a page. */
    public static final long PAGE_BYTES = 2L << 20;

    private static final Hugepages SYSTEM = new Hugepages(Path.of("/sys/kernel/mm"));

    private final Path root;

    /**
     * Made over another directory in tests.
     *
     * @param root as {@code /sys/kernel/mm}.
     */
    Hugepages(final Path root)
    {
        this.root = root;
    }

    /**
     * {@return those of the running kernel}
     */
    public static Hugepages system()
    {
        return SYSTEM;
    }

    /**
     * {@return pages in the kernel's pool ({@code vm.nr_hugepages}), or -1 when it has no pool of this size}
     */
    public long poolCount()
    {
        return number("nr_hugepages");
    }

    /**
     * {@return pages of the pool that no mapping has claimed, or -1 when it has no pool of this size}
     */
    public long freeCount()
    {
        final long free = number("free_hugepages");
        return free < 0 ? -1 : Math.max(0, free - Math.max(0, number("resv_hugepages")));
    }

    /**
     * {@return whether ordinary memory that asks for it is made of huge pages}
     */
    public boolean isTransparentEnabled()
    {
        final String modes = text(root.resolve("transparent_hugepage/enabled"));
        return modes.contains("[always]") || modes.contains("[madvise]");
    }

    private long number(final String name)
    {
        final String text = text(root.resolve("hugepages/hugepages-2048kB").resolve(name));
        // Unsigned: the kernel's count of reservations falls below zero for a moment while others map and unmap.
        return text.isEmpty() ? -1 : Long.parseUnsignedLong(text);
    }

    private static String text(final Path file)
    {
        try
        {
            return Files.readString(file).strip();
        }
        catch (final IOException missing)
        {
            return "";
        }
    }
}
