package io.millrace.export;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.spdk.SpdkExportCalls;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.memory.BufferPool;
import io.millrace.memory.Segments;
import io.millrace.reactor.Reactor;
import io.millrace.spdk.SpdkExport;
import io.millrace.spdk.SpdkExportChannel;
import io.millrace.spdk.SpdkExportSource;
import io.millrace.spdk.SpdkReactor;
import io.millrace.spdk.SpdkRuntime;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Function;

/**
 * A device that SPDK has as a bdev of the same name. Made and closed off the reactors.
 * <p>
 * SPDK's request is handed to the device on the reactor that polls the SPDK thread it came from, with the memory it
 * came with: front ends have SPDK's own thread, bdevs that SPDK's modules make of this one may be used by any reactor.
 */
public final class ExportedDevice implements SpdkExportSource, AutoCloseable
{
    private final BlockDevice device;
    private final Function<Reactor, BufferPool> buffers;
    private SpdkExport export;

    private ExportedDevice(final BlockDevice device, final Function<Reactor, BufferPool> buffers)
    {
        this.device = device;
        this.buffers = buffers;
    }

    /**
     * Makes a bdev of a device.
     *
     * @param device  that nobody else closes before this.
     * @param uuid    text that the UUID of the bdev is made of: the same for the same data.
     * @param runtime SPDK, which runs.
     * @param buffers of a reactor, for the device's own use; on the reactor.
     * @return the exported device.
     * @throws BlockDeviceException when SPDK cannot have it.
     */
    public static ExportedDevice export(
        final BlockDevice device,
        final String uuid,
        final SpdkRuntime runtime,
        final Function<Reactor, BufferPool> buffers)
    {
        final ExportedDevice exported = new ExportedDevice(device, buffers);
        try
        {
            exported.export = runtime.exports().add(device.name(), limits(device.geometry(), uuid), exported);
        }
        catch (final NativeException e)
        {
            throw new BlockDeviceException("device " + device.name() + " cannot be a bdev of SPDK (" +
                Errno.describe(e.errno()) + ')' + (Errno.EEXIST == e.errno() ?
                ": SPDK has a bdev with this name or UUID: give the device another name" : ""), e);
        }
        return exported;
    }

    private static SpdkExportCalls.Limits limits(final BlockGeometry geometry, final String uuid)
    {
        return new SpdkExportCalls.Limits(
            geometry.blockCount(),
            geometry.blockSizeBytes(),
            Integer.highestOneBit(geometry.memoryAlignmentBytes()),
            geometry.maxTransferBytes(),
            Segments.COUNT_MAX,
            geometry.readOnly(),
            geometry.volatileWriteCache(),
            geometry.supportsWriteZeroes(),
            geometry.supportsDeallocate(),
            geometry.supportsCopy(),
            geometry.supportsCompare(),
            UUID.nameUUIDFromBytes(uuid.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * {@return the device}
     */
    public BlockDevice device()
    {
        return device;
    }

    /** Gives the bdev the device's larger size, of which SPDK notifies the front ends. */
    public void onGrown()
    {
        export.resize(device.geometry().blockCount());
    }

    @Override
    public SpdkExportChannel open(final SpdkReactor spdkReactor)
    {
        return new ExportChannel(device, spdkReactor, buffers);
    }

    /** Refuses requests from now on, and closes the channels to the device, which ends those that it has. */
    public void refuse()
    {
        export.refuse();
    }

    /**
     * Removes the bdev, then closes the channels to the device.
     *
     * @throws io.millrace.spdk.SpdkException when something in SPDK keeps it open, or the device does not close.
     */
    @Override
    public void close()
    {
        export.remove();
    }
}
