package io.millrace.testing;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Assertions;

/**
 * Says when a test of allocation is over. Windows of the same work follow each other until some in a row have allocated
 * nothing: interpreted code boxes, and where the compilers get little time it stays interpreted for long. So the test
 * fails only after many windows and a minute, both: there are few windows of large requests in a minute, and many small
 * ones are over before anything is compiled. Work that allocates by itself never has a clean window.
 *
 * <p>One thread ends windows; any thread may ask whether it was the last.
 */
public final class AllocationWindows
{
    private static final long TIME_MIN_NS = TimeUnit.SECONDS.toNanos(60);

    private final int cleanCount;
    private final int windowsMin;
    private final LongSupplier clockNs;
    private final long startNs;
    private volatile int windows;
    private volatile int clean;
    private volatile long bytes;
    private volatile boolean isOver;

    /**
     * Begins now.
     *
     * @param cleanCount windows without allocation in a row that end the test.
     * @param windowsMin how many there are at least, unless the test has ended before.
     */
    public AllocationWindows(final int cleanCount, final int windowsMin)
    {
        this(cleanCount, windowsMin, System::nanoTime);
    }

    AllocationWindows(final int cleanCount, final int windowsMin, final LongSupplier clockNs)
    {
        this.cleanCount = cleanCount;
        this.windowsMin = windowsMin;
        this.clockNs = clockNs;
        startNs = clockNs.getAsLong();
    }

    /**
     * Ends a window. Does nothing once the last one has ended. Allocates nothing.
     *
     * @param allocatedBytes what was allocated in it; -1 for a window that does not count.
     */
    public void end(final long allocatedBytes)
    {
        if (isOver)
        {
            return;
        }
        windows++;
        bytes = allocatedBytes;
        clean = 0 == allocatedBytes ? clean + 1 : 0;
        isOver = clean == cleanCount || windows >= windowsMin && clockNs.getAsLong() - startNs >= TIME_MIN_NS;
    }

    /**
     * {@return whether the last window has ended}
     */
    public boolean isOver()
    {
        return isOver;
    }

    /**
     * {@return bytes that the last window has allocated, see {@link #end}; 0 before the first one has ended}
     */
    public long bytes()
    {
        return bytes;
    }

    /**
     * Fails unless the last windows have allocated nothing.
     *
     * @param work of a window.
     */
    public void assertClean(final String work)
    {
        Assertions.assertEquals(cleanCount, clean, () ->
            "windows without allocation: " + bytes + " bytes in the last one of " + work + ", after " + windows);
    }
}
