package io.millrace.spdk;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.spdk.SpdkExportCalls;
import java.lang.foreign.MemorySegment;

/**
 * A bdev that SPDK has of a device of this process. Off the reactors.
 */
public final class SpdkExport
{
    private final SpdkRuntime runtime;
    private final int number;
    private final MemorySegment export;

    SpdkExport(final SpdkRuntime runtime, final int number, final MemorySegment export)
    {
        this.runtime = runtime;
        this.number = number;
        this.export = export;
    }

    /**
     * Changes the size; whoever has the bdev open is told.
     *
     * @param blockCount of the device now.
     * @throws NativeException when SPDK refuses.
     */
    public void resize(final long blockCount)
    {
        runtime.onApplication(() ->
        {
            SpdkExportCalls.resize(runtime.application().nativeReactor(), export, blockCount);
            return null;
        });
    }

    /**
     * Removes the bdev: front ends let go of it, and requests under way end first.
     *
     * @throws SpdkException when somebody keeps it open, or a request does not end, for longer than SPDK is waited for.
     */
    public void remove()
    {
        runtime.exports().remove(number, export);
    }
}
