package io.millrace.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * One of the sides that are compared: it does as many operations as it is asked to, on the thread that asks. Its cost
 * is the CPU time of that thread, so that what else runs on the machine is not counted.
 */
abstract class LoadSide implements AutoCloseable
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    private final String name;
    private long allocatedBytes;

    /**
     * A side that has done nothing.
     *
     * @param name of the side.
     */
    LoadSide(final String name)
    {
        this.name = name;
    }

    final String name()
    {
        return name;
    }

    /**
     * Does operations, and returns when all have ended.
     *
     * @param count how many.
     */
    abstract void run(long count);

    /**
     * {@return nanoseconds of CPU time that one operation took}
     *
     * @param count operations to do.
     */
    final double measure(final long count)
    {
        final long allocated = THREADS.getCurrentThreadAllocatedBytes();
        final long start = THREADS.getCurrentThreadCpuTime();
        run(count);
        final long took = THREADS.getCurrentThreadCpuTime() - start;
        allocatedBytes = THREADS.getCurrentThreadAllocatedBytes() - allocated;
        return (double)took / count;
    }

    /**
     * {@return what the last {@link #measure} allocated, its own reading of the clock included}
     */
    final long allocatedBytes()
    {
        return allocatedBytes;
    }

    @Override
    public void close()
    {
        // Devices belong to the rig.
    }
}
