package io.millrace.block.nvme;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceServices;
import io.millrace.block.DeviceStatus;
import io.millrace.block.GrowableDevice;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.nvme.identify.ControllerInfo;
import java.util.List;

/**
 * A namespace of a drive that this process drives itself, with no kernel in between: one I/O queue pair a reactor for
 * all namespaces of the drive, polled.
 * <p>
 * A write completes when the drive has taken it; with a volatile write cache it is stable when it was sent with FUA or
 * when a later flush completes. A drive that is reset gets commands again that it had not completed; one that is given
 * up ends requests with {@link io.millrace.block.BlockStatus#DEVICE_ERROR}.
 */
public final class NvmeDevice implements GrowableDevice
{
    private final NvmeDeviceConfig config;
    private final NvmeController controller;
    private final ControllerInfo info;
    private volatile DriveNamespace namespace;
    private volatile BlockGeometry geometry;
    private volatile DeviceServices services = DeviceServices.NONE;
    private Runnable onClose = NvmeDevice::nothing;

    /**
     * Made by its controller.
     *
     * @param config     configuration.
     * @param controller of the drive.
     * @param namespace  that it is.
     * @param info       of the controller.
     * @param limits     of commands to the namespace.
     */
    NvmeDevice(
        final NvmeDeviceConfig config,
        final NvmeController controller,
        final DriveNamespace namespace,
        final ControllerInfo info,
        final TransferLimits limits)
    {
        this.config = config;
        this.controller = controller;
        this.info = info;
        namespace(namespace, limits);
    }

    /**
     * Makes a device of a namespace of a controller that stays its owner's.
     *
     * @param config     of the device.
     * @param controller of the drive; closed after the device.
     * @return the device.
     * @throws BlockDeviceException saying why the namespace cannot be used.
     */
    public static NvmeDevice open(final NvmeDeviceConfig config, final NvmeController controller)
    {
        return controller.openDevice(config);
    }

    @Override
    public String name()
    {
        return config.name();
    }

    @Override
    public String location()
    {
        return config.address();
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    /**
     * {@inheritDoc}
     * That of the drive: what its controller is doing, and its health warnings.
     */
    @Override
    public DeviceStatus status()
    {
        return controller.status();
    }

    @Override
    public void start(final DeviceServices newServices)
    {
        services = newServices;
    }

    /** The status of the drive has changed. On the controller's thread. */
    void onStatusChanged()
    {
        services.onStatusChanged();
    }

    /**
     * {@return the drive's controller}
     */
    public NvmeController controller()
    {
        return controller;
    }

    /**
     * {@return what an operator should know of the drive, each a sentence; any thread}
     */
    public List<String> notes()
    {
        return controller.notes();
    }

    /**
     * {@inheritDoc}
     * A namespace is made larger by the drive's own tools; this takes the new size in.
     */
    @Override
    public void grow(final long sizeBytes)
    {
        geometry.grown(config.name(), sizeBytes);
        controller.refresh(this);
        final long presentBytes = namespace.info().sizeBytes();
        if (presentBytes < sizeBytes)
        {
            throw new BlockDeviceException("device " + config.name() + ": size " + sizeBytes +
                " bytes is more than namespace " + config.nsid() + " of drive " + config.address() + " has, " +
                presentBytes + ": make the namespace larger first");
        }
        geometry = geometry.grown(config.name(), sizeBytes);
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        controller.open(this, context, listener);
    }

    @Override
    public void close()
    {
        controller.remove(this);
        onClose.run();
    }

    NvmeDeviceConfig config()
    {
        return config;
    }

    DriveNamespace namespace()
    {
        return namespace;
    }

    /**
     * The namespace was identified, or identified again.
     *
     * @param found  what it is.
     * @param limits of commands to it.
     */
    void namespace(final DriveNamespace found, final TransferLimits limits)
    {
        namespace = found;
        if (null == geometry)
        {
            geometry = found.geometry(info, limits);
        }
    }

    /**
     * Sets an action that runs when the device was closed.
     *
     * @param action to do.
     */
    void onClose(final Runnable action)
    {
        onClose = action;
    }

    private static void nothing()
    {
        // Whoever opened the device closes the controller.
    }
}
