package io.millrace.pci;

import io.millrace.bindings.linux.ResourceLimit;
import io.millrace.bindings.linux.Threads;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The limit of locked memory of this process, which bounds its DMA mappings. Processes with CAP_IPC_LOCK have no limit.
 * Set-up only; stateless.
 */
public final class LockedMemory
{
    private static final int CAP_IPC_LOCK = 14;
    private static final int HEX = 16;
    private static final int SHIFT_MIB = 20;
    private static final Path STATUS = Path.of("/proc/self/status");

    private LockedMemory()
    {
    }

    /**
     * Raises the soft limit to the hard limit.
     *
     * @return the limit in bytes; {@link Long#MAX_VALUE} when there is none.
     */
    public static long raiseLimit()
    {
        if (0 != (number("CapEff:", HEX) >>> CAP_IPC_LOCK & 1))
        {
            return Long.MAX_VALUE;
        }
        try (Arena arena = Arena.ofConfined())
        {
            final long limit = arena.allocate(ResourceLimit.SIZE_BYTES, Long.BYTES).address();
            if (Threads.getrlimit(Threads.RLIMIT_MEMLOCK, limit) < 0)
            {
                return Long.MAX_VALUE;
            }
            final long hard = ResourceLimit.hard(limit);
            if (ResourceLimit.soft(limit) != hard)
            {
                ResourceLimit.set(limit, hard, hard);
                Threads.setrlimit(Threads.RLIMIT_MEMLOCK, limit);
            }
            return hard < 0 ? Long.MAX_VALUE : hard;
        }
    }

    /**
     * Message about memory that could not be mapped because of the limit.
     *
     * @param address     of the function it was to be mapped for.
     * @param lengthBytes that was to be mapped.
     * @return one sentence.
     */
    static String refusal(final String address, final long lengthBytes)
    {
        final long limit = raiseLimit();
        final String what = mebibytes(lengthBytes) + " of memory cannot be mapped for " + address + ": ";
        if (Long.MAX_VALUE == limit)
        {
            return what + "the kernel has not so much memory that it can keep resident; free memory, or lower " +
                "memory.size";
        }
        final long locked = number("VmLck:", 10) << 10;
        return what + "the locked-memory limit of this process is " + mebibytes(limit) + " and " + mebibytes(locked) +
            " are locked already; raise memlock in /etc/security/limits.conf or LimitMEMLOCK= of the service to " +
            mebibytes(locked + lengthBytes) + " or more";
    }

    private static String mebibytes(final long bytes)
    {
        return (bytes + (1L << SHIFT_MIB) - 1 >> SHIFT_MIB) + " MiB";
    }

    /** The number in a line of this process's status, 0 when there is none. */
    private static long number(final String name, final int radix)
    {
        try
        {
            return Files.readAllLines(STATUS).stream()
                .filter((line) -> line.startsWith(name))
                .mapToLong((line) -> Long.parseUnsignedLong(line.substring(name.length()).strip().split(" ")[0], radix))
                .findFirst().orElse(0);
        }
        catch (final IOException e)
        {
            return 0;
        }
    }
}
