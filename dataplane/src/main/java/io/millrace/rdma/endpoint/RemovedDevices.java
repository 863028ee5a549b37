package io.millrace.rdma.endpoint;

import io.millrace.rdma.core.RdmaCore;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Has librdmacm let go of devices that were removed. It keeps the contexts of all devices that the process has used,
 * also without identifiers, until it compares them with the kernel's; it does that when it meets a device that it does
 * not know, or is asked for all. Until then the kernel's removal waits, where the driver does not disassociate.
 * <p>
 * Librdmacm does not compare while the machine has no device at all: it is asked again with each new identifier. One
 * for each rdma-core, as the contexts are the process's. Any thread.
 */
final class RemovedDevices
{
    private static final Map<RdmaCore, RemovedDevices> PROCESSES = new WeakHashMap<>();

    private int removals;
    /** So many of the removals librdmacm knows. */
    private int known;
    private boolean isRunning;

    private RemovedDevices()
    {
    }

    static RemovedDevices of(final RdmaCore core)
    {
        synchronized (PROCESSES)
        {
            return PROCESSES.computeIfAbsent(core, (_) -> new RemovedDevices());
        }
    }

    /** A device is gone; identifiers may still be on it. */
    synchronized void add(final RdmaCore core)
    {
        removals++;
        release(core);
    }

    /** Tells librdmacm, on another thread, of removals that it does not know. */
    synchronized void release(final RdmaCore core)
    {
        if (removals == known || isRunning)
        {
            return;
        }
        final int told = removals;
        isRunning = true;
        try
        {
            Thread.ofPlatform().daemon().name("millrace-rdma-devices").start(() -> refresh(core, told));
        }
        catch (final OutOfMemoryError e)
        {
            // No more threads: it is tried again with the next identifier.
            isRunning = false;
        }
    }

    private void refresh(final RdmaCore core, final int told)
    {
        boolean isDone = false;
        try
        {
            isDone = core.refreshDevices();
        }
        finally
        {
            onRefreshed(core, told, isDone);
        }
    }

    private synchronized void onRefreshed(final RdmaCore core, final int told, final boolean isDone)
    {
        isRunning = false;
        if (isDone)
        {
            known = told;
            release(core);
        }
    }
}
