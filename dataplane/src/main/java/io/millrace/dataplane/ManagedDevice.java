package io.millrace.dataplane;

import io.millrace.block.BlockDevice;
import io.millrace.dataplane.device.DeviceFactory;
import io.millrace.nvmf.Subsystem;
import java.util.concurrent.CompletableFuture;

/**
 * A device and its user. A user is set by operations, one at a time; it is removed on any thread, a reactor's too.
 */
final class ManagedDevice
{
    /**
     * User of a device: a namespace, or a device that wraps it.
     *
     * @param wrapper   the wrapping device, or null.
     * @param subsystem of the namespace, or null.
     * @param nsid      of the namespace, or 0.
     */
    record User(ManagedDevice wrapper, Subsystem subsystem, int nsid)
    {
        String describe()
        {
            return null == wrapper ? "namespace " + subsystem.nqn() + '/' + nsid : "device " + wrapper.name();
        }
    }

    private final BlockDevice device;
    private final DeviceFactory factory;
    private DeviceConfig config;
    private volatile User user;
    private volatile CompletableFuture<Void> leaving = CompletableFuture.completedFuture(null);

    ManagedDevice(final DeviceConfig config, final DeviceFactory factory, final BlockDevice device)
    {
        this.factory = factory;
        this.config = config;
        this.device = device;
    }

    String name()
    {
        return config.name();
    }

    DeviceConfig config()
    {
        return config;
    }

    void config(final DeviceConfig changed)
    {
        config = changed;
    }

    DeviceFactory factory()
    {
        return factory;
    }

    String description()
    {
        return factory.description(config.properties());
    }

    BlockDevice device()
    {
        return device;
    }

    User user()
    {
        return user;
    }

    void user(final User newUser)
    {
        user = newUser;
    }

    /**
     * {@return done when a user that is being removed has released the device; done already when none is}
     */
    CompletableFuture<Void> leaving()
    {
        return leaving;
    }

    void leaving(final CompletableFuture<Void> done)
    {
        leaving = done;
    }

    DeviceSnapshot snapshot()
    {
        final User present = user;
        return new DeviceSnapshot(
            config, description(), device.geometry(), null == present ? null : present.describe());
    }
}
