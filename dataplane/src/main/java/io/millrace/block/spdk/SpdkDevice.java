package io.millrace.block.spdk;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.generated.spdk.spdk_h;
import io.millrace.bindings.spdk.SpdkBdev;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceServices;
import io.millrace.block.DeviceStatus;
import io.millrace.block.GrowableDevice;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.spdk.SpdkBdevListener;
import io.millrace.spdk.SpdkReactor;
import io.millrace.spdk.SpdkRuntime;
import java.util.Set;

/**
 * A bdev of SPDK. Each reactor has a channel of its own to it, on the SPDK thread that the reactor polls; payload is
 * handed to SPDK where it lies.
 * <p>
 * A write completes when the bdev has taken it. A write with FUA is flushed before it completes where the bdev can
 * flush, and hosts see a volatile write cache then, since few bdevs say whether they have one. A bdev that is
 * deleted or removed fails the device: requests end with {@link io.millrace.block.BlockStatus#DEVICE_ERROR}.
 */
public final class SpdkDevice implements GrowableDevice, SpdkBdevListener
{
    /**
     * Product names of bdevs that copy and compare by themselves. Others say that they do where the bdev below them
     * does, and fail it or end it with another status, as those of delay and error do in SPDK 26.05.
     */
    private static final Set<String> COPIES_AND_COMPARES = Set.of("Malloc disk", "NVMe disk");
    /** SPDK's accel framework begins anew with the tweak of a block in each piece of memory. */
    private static final String CRYPTO = "crypto";

    private final String name;
    private final String bdevName;
    private final SpdkRuntime runtime;
    private final BdevSource source;
    private volatile BlockGeometry geometry;
    private volatile long presentBlocks;
    private volatile DeviceStatus status = DeviceStatus.ONLINE;
    /** Whether all paths lead to another namespace. */
    private volatile boolean isRefused;
    private volatile DeviceServices services = DeviceServices.NONE;
    /** Of SPDK's application thread: it says when the bdev changes. Null when that has closed it. */
    private SpdkBdev observed;

    private SpdkDevice(final String name, final BdevSource source, final SpdkRuntime runtime)
    {
        this.name = name;
        this.source = source;
        this.runtime = runtime;
        bdevName = source.bdevName();
    }

    /**
     * Makes a device of a bdev. Off the reactors.
     *
     * @param name     of the device.
     * @param bdevName of the bdev.
     * @param runtime  SPDK, which runs.
     * @return the device.
     * @throws BlockDeviceException saying why the bdev cannot be used.
     */
    public static SpdkDevice open(final String name, final String bdevName, final SpdkRuntime runtime)
    {
        return open(name, new ExistingBdev(bdevName), runtime);
    }

    /**
     * Makes a device of a bdev that comes from somewhere. Off the reactors.
     *
     * @param name    of the device.
     * @param source  of the bdev, which is released when the device is closed, or was not made.
     * @param runtime SPDK, which runs.
     * @return the device.
     * @throws BlockDeviceException saying why the bdev cannot be used.
     */
    public static SpdkDevice open(final String name, final BdevSource source, final SpdkRuntime runtime)
    {
        final SpdkDevice device = new SpdkDevice(name, source, runtime);
        try
        {
            runtime.onApplication(device::observe);
        }
        catch (final BlockDeviceException e)
        {
            source.release();
            throw e;
        }
        return device;
    }

    private Void observe()
    {
        final SpdkReactor application = runtime.application();
        try
        {
            // For writing, which SPDK refuses where a module has claimed the bdev.
            observed = application.open(bdevName, true, 0, this);
        }
        catch (final NativeException e)
        {
            throw openFailure(e);
        }
        try
        {
            if (runtime.claim(observed, this) instanceof final SpdkDevice other)
            {
                throw new BlockDeviceException("device " + name + ": bdev " + bdevName + " is used by device " +
                    other.name + ", as " + other.bdevName + ": a bdev has one device");
            }
            geometry = geometryOf(observed);
            presentBlocks = geometry.blockCount();
        }
        catch (final BlockDeviceException e)
        {
            closeObserved();
            throw e;
        }
        return null;
    }

    /**
     * {@return why the bdev cannot be opened, with the remedy}
     *
     * @param e with SPDK's errno.
     */
    BlockDeviceException openFailure(final NativeException e)
    {
        final String reason = Errno.ENODEV == e.errno() ? "is not a bdev of SPDK: " + source.remedyWhenMissing() :
            Errno.EPERM == e.errno() ?
            "has been claimed by a module of SPDK: use the bdev that the module makes of it" :
            Errno.ENOLINK == e.errno() ?
            "is a namespace that cannot be identified now, as none of its paths is connected: try again later" :
            "cannot be opened (" + e.getMessage() + ')';
        return new BlockDeviceException("device " + name + ": bdev " + bdevName + ' ' + reason, e);
    }

    private BlockGeometry geometryOf(final SpdkBdev bdev)
    {
        if (bdev.isZoned() || bdev.metadataBytes() > 0)
        {
            throw new BlockDeviceException("device " + name + ": bdev " + bdevName + " has " +
                (bdev.isZoned() ? "zones" : bdev.metadataBytes() + " bytes of metadata a block") +
                ", which is not supported: use a bdev without");
        }
        if (CRYPTO.equals(bdev.productName()))
        {
            throw new BlockDeviceException("device " + name + ": bdev " + bdevName + " encrypts each piece of a " +
                "block by itself, so that data of requests in other pieces reads back wrong: use one that is not of " +
                "type crypto");
        }
        if (bdev.writeUnitBlocks() > 1)
        {
            throw new BlockDeviceException("device " + name + ": bdev " + bdevName + " takes writes of " +
                bdev.writeUnitBlocks() + " blocks only (write_unit_size): use a bdev that takes each block by itself");
        }
        final int blockSizeBytes = bdev.blockSizeBytes();
        if (512 != blockSizeBytes && 4096 != blockSizeBytes)
        {
            throw new BlockDeviceException("device " + name + ": bdev " + bdevName + " has blocks of " +
                blockSizeBytes + " bytes: use one with 512 or 4096");
        }
        final boolean doesItself = COPIES_AND_COMPARES.contains(bdev.productName());
        final boolean canWrite = bdev.supports(spdk_h.SPDK_BDEV_IO_TYPE_WRITE());
        return BlockGeometry.builder(blockSizeBytes, bdev.blockCount())
            .memoryAlignmentBytes((int)Math.max(1, bdev.alignmentBytes()))
            .volatileWriteCache(bdev.hasWriteCache() || bdev.supports(spdk_h.SPDK_BDEV_IO_TYPE_FLUSH()))
            .supportsWriteZeroes(canWrite && bdev.supports(spdk_h.SPDK_BDEV_IO_TYPE_WRITE_ZEROES()))
            .supportsDeallocate(bdev.supports(spdk_h.SPDK_BDEV_IO_TYPE_UNMAP()))
            .supportsCopy(canWrite && doesItself && bdev.supports(spdk_h.SPDK_BDEV_IO_TYPE_COPY()))
            .supportsCompare(doesItself && bdev.supports(spdk_h.SPDK_BDEV_IO_TYPE_COMPARE()))
            .readOnly(!canWrite)
            .build();
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public String location()
    {
        return bdevName;
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public DeviceStatus status()
    {
        return status;
    }

    @Override
    public void start(final DeviceServices newServices)
    {
        services = newServices;
    }

    /** {@inheritDoc} Where the source does not, the bdev was made larger before. */
    @Override
    public void grow(final long sizeBytes)
    {
        final BlockGeometry grown = geometry.grown(name, sizeBytes);
        if (grown.blockCount() > presentBlocks && source.grow(sizeBytes))
        {
            runtime.onApplication(this::measure);
        }
        if (grown.blockCount() > presentBlocks)
        {
            throw new BlockDeviceException("device " + name + ": size " + sizeBytes + " bytes is more than bdev " +
                bdevName + " has, " + presentBlocks * geometry.blockSizeBytes() + ": make the bdev larger first");
        }
        geometry = grown;
    }

    /** SPDK tells of it later. */
    private Void measure()
    {
        if (null != observed)
        {
            presentBlocks = observed.blockCount();
        }
        return null;
    }

    @Override
    public long availableBytes()
    {
        return Math.max(geometry.blockCount(), presentBlocks) * geometry.blockSizeBytes();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        final SpdkReactor spdkReactor;
        final SpdkChannel channel;
        try
        {
            spdkReactor = runtime.reactors().acquire(context.reactor());
        }
        catch (final NativeException e)
        {
            listener.onOpenFailed(new BlockDeviceException("device " + name + ": no SPDK thread for reactor " +
                context.reactor().config().name() + " (" + e.getMessage() + "): give SPDK more memory", e));
            return;
        }
        try
        {
            channel = new SpdkChannel(this, context, spdkReactor);
        }
        catch (final NativeException e)
        {
            runtime.reactors().release(spdkReactor, SpdkDevice::nothing);
            listener.onOpenFailed(openFailure(e));
            return;
        }
        listener.onOpened(channel);
    }

    /** The channel has closed its bdev. */
    void release(final SpdkReactor spdkReactor, final Runnable onReleased)
    {
        runtime.reactors().release(spdkReactor, onReleased);
    }

    String bdevName()
    {
        return bdevName;
    }

    @Override
    public void onCompletion(final int slot, final int completionStatus, final int errno)
    {
        throw new IllegalStateException("device " + name + ": completion " + slot + " of a bdev without requests");
    }

    /** Nobody else needs this one open, and the bdev is there until all have closed it. */
    @Override
    public void onRemoved()
    {
        closeObserved();
        status = new DeviceStatus(DeviceHealth.FAILED,
            "bdev " + bdevName + " was deleted or its drive removed; delete the device, or make the bdev again and " +
            "start the data plane again");
        services.onStatusChanged();
        runtime.report("device " + name + " is " + status.health() + ": " + status.reason());
    }

    /** {@return whether requests end with an error, since they would reach another namespace} */
    boolean isRefused()
    {
        return isRefused;
    }

    @Override
    public void onRefused(final boolean refused)
    {
        status = refused ? new DeviceStatus(DeviceHealth.FAILED, "all paths of bdev " + bdevName +
            " lead to another namespace than the one that it was opened with, or its controller has another in place " +
            "of one that is in use: bring that back, or delete the device and create it again") : DeviceStatus.ONLINE;
        isRefused = refused;
        services.onStatusChanged();
        runtime.report("device " + name + " is " + status.health() + (refused ? ": " + status.reason() : " again"));
    }

    @Override
    public void onResized(final long blockCount)
    {
        presentBlocks = blockCount;
        services.onStatusChanged();
    }

    @Override
    public void close()
    {
        runtime.onApplication(() ->
        {
            closeObserved();
            return null;
        });
        source.release();
    }

    private void closeObserved()
    {
        if (null != observed)
        {
            runtime.release(observed, this);
            runtime.application().close(observed, this);
            observed = null;
        }
    }

    private static void nothing()
    {
        // Who acquired it does not wait.
    }
}
