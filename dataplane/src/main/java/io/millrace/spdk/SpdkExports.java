package io.millrace.spdk;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.spdk.SpdkExportCalls;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * Devices of this process that SPDK has as bdevs, for whatever it has in front of bdevs: its NVMe-oF target, vhost, and
 * modules that make other bdevs of them.
 */
public final class SpdkExports
{
    private final SpdkRuntime runtime;
    /** By their numbers. Changed on the reactor of SPDK's application thread. */
    private volatile SpdkExportSource[] sources = {};

    SpdkExports(final SpdkRuntime runtime)
    {
        this.runtime = runtime;
    }

    /**
     * Makes a bdev of a device. Off the reactors.
     *
     * @param name   of the bdev.
     * @param limits of the device.
     * @param source that opens it on reactors.
     * @return the export.
     * @throws NativeException with EEXIST where there is a bdev of that name.
     */
    public SpdkExport add(final String name, final SpdkExportCalls.Limits limits, final SpdkExportSource source)
    {
        return runtime.onApplication(() ->
        {
            final SpdkExportSource[] present = sources;
            int number = 0;
            while (number < present.length && null != present[number])
            {
                number++;
            }
            final SpdkExportSource[] changed = Arrays.copyOf(present, Math.max(present.length, number + 1));
            changed[number] = source;
            // Before the bdev, which modules of SPDK read at once.
            sources = changed;
            try
            {
                return new SpdkExport(
                    runtime, number, SpdkExportCalls.add(runtime.application().nativeReactor(), name, number, limits));
            }
            catch (final NativeException e)
            {
                sources = present;
                throw e;
            }
        });
    }

    /** Closes the channels of an export on all reactors, and waits for it. Off the reactors. */
    void closeChannels(final int number)
    {
        for (final SpdkReactor each : runtime.spdkReactors())
        {
            close(number, each);
        }
    }

    private static void close(final int number, final SpdkReactor spdkReactor)
    {
        final CompletableFuture<Integer> closed = new CompletableFuture<>();
        spdkReactor.reactor().call(() ->
        {
            spdkReactor.exports().close(number, () -> closed.complete(0));
            return null;
        }).exceptionally((e) ->
        {
            // The reactor has ended, and what was open on it was closed before.
            closed.complete(0);
            return null;
        });
        SpdkRuntime.await(closed, "a device is not closed");
    }

    /** Puts another source in place of an export's: null when it has no bdev any more. Off the reactors. */
    void replace(final int number, final SpdkExportSource source)
    {
        runtime.onApplication(() ->
        {
            final SpdkExportSource[] changed = sources.clone();
            changed[number] = source;
            sources = changed;
            return null;
        });
    }

    /** {@return the device of an export; any thread} */
    SpdkExportSource source(final int number)
    {
        return sources[number];
    }
}
