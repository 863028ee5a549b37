package io.millrace.spdk;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.spdk.SpdkExportCalls;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * A bdev that SPDK has of a device of this process. Off the reactors.
 */
public final class SpdkExport
{
    private static final long LATE_MS = 5_000;

    private final SpdkRuntime runtime;
    private final int number;
    private final MemorySegment export;
    /** Completes when SPDK has no bdev any more; null before it is removed. Then the native export is freed. */
    private CompletableFuture<Integer> gone;
    private boolean isRemoved;

    SpdkExport(final SpdkRuntime runtime, final int number, final MemorySegment export)
    {
        this.runtime = runtime;
        this.number = number;
        this.export = export;
    }

    /**
     * Changes the size, of which SPDK notifies the front ends. Does nothing when the bdev is being removed.
     *
     * @param blockCount of the device now.
     * @throws NativeException when SPDK refuses.
     */
    public synchronized void resize(final long blockCount)
    {
        if (null != gone)
        {
            return;
        }
        runtime.onApplication(() ->
        {
            SpdkExportCalls.resize(runtime.application().nativeReactor(), export, blockCount);
            return null;
        });
    }

    /**
     * Removes the bdev: front ends let go of it, and requests under way end first. When that takes longer than five
     * seconds, the device is closed, which ends them. A second call waits again for what was left.
     *
     * @throws SpdkException when somebody keeps it open, or a request does not end, for longer than SPDK is waited for.
     */
    public synchronized void remove()
    {
        if (isRemoved)
        {
            return;
        }
        if (null == gone)
        {
            gone = begin();
        }
        if (!SpdkRuntime.ends(gone, LATE_MS))
        {
            refuse();
        }
        SpdkRuntime.await(gone, "a bdev is still open in SPDK");
        runtime.exports().closeChannels(number);
        runtime.exports().replace(number, null);
        isRemoved = true;
    }

    /** Refuses requests from now on, and closes the device, which ends those that it has. The bdev stays. */
    public synchronized void refuse()
    {
        if (isRemoved)
        {
            return;
        }
        runtime.exports().replace(number, RemovedExport::new);
        runtime.exports().closeChannels(number);
    }

    private CompletableFuture<Integer> begin()
    {
        final CompletableFuture<Integer> removed = new CompletableFuture<>();
        runtime.onApplication(() ->
        {
            final SpdkReactor application = runtime.application();
            SpdkExportCalls.remove(application.nativeReactor(), export, application.begin(removed::complete));
            return null;
        });
        return removed;
    }
}
