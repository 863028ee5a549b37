package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceProperties;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.remote.RemoteDevice;
import io.millrace.remote.RemoteDeviceConfig;
import java.util.List;

/**
 * Namespaces of other NVMe-oF targets. I/O queues are on the reactors of the data plane; admin queues, which do little
 * and allocate, share a sleeping reactor of their own, which runs while there are remote devices.
 */
final class RemoteFactory implements DeviceFactory
{
    private Reactor adminReactor;
    private int users;

    @Override
    public String type()
    {
        return "remote";
    }

    @Override
    public String description(final DeviceProperties properties)
    {
        return "remote " + place(properties) + " at " + properties.texts(RemoteDeviceConfig.ADDRESSES).getFirst();
    }

    @Override
    public String location(final DeviceProperties properties)
    {
        return "namespace " + place(properties);
    }

    private static String place(final DeviceProperties properties)
    {
        final int nsid = properties.integer(RemoteDeviceConfig.NSID, 0);
        return properties.text(RemoteDeviceConfig.SUBSYSTEM) + '/' +
            (0 == nsid ? properties.text(RemoteDeviceConfig.UUID, "") : nsid);
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        final RemoteDeviceConfig config;
        try
        {
            config = RemoteDeviceConfig.of(name, properties);
        }
        catch (final InitiatorException e)
        {
            throw new BlockDeviceException("device " + name + ": " + e.getMessage(), e);
        }
        final Reactor reactor = acquire();
        try
        {
            final RemoteDevice device = RemoteDevice.connect(config, dependencies.hosts(), List.of(reactor));
            device.onClose(this::release);
            return device;
        }
        catch (final BlockDeviceException e)
        {
            release();
            throw e;
        }
    }

    private synchronized Reactor acquire()
    {
        if (0 == users)
        {
            adminReactor = new Reactor(
                new ReactorConfig("remote-admin", -1, ReactorConfig.IdleMode.SLEEP, 0));
            adminReactor.start();
        }
        users++;
        return adminReactor;
    }

    private synchronized void release()
    {
        users--;
        if (0 == users)
        {
            adminReactor.close();
        }
    }
}
