package io.millrace.rdma.model;

import io.millrace.seed.TestSeeds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Two processes with a device each, on a network that runs in real time. Any thread.
 */
public final class RdmaModel implements RdmaProcesses
{
    private final ThreadClock clock = new ThreadClock();
    private final ModelNetwork network = new ModelNetwork(clock, TestSeeds.random());
    private final ModelRdmaCore hostCore = new ModelRdmaCore(network, new LinuxDescriptors());
    private final ModelRdmaCore targetCore = new ModelRdmaCore(network, new LinuxDescriptors());
    private final ModelDevice hostDevice = hostCore.addDevice(address(1));
    private final ModelDevice targetDevice = targetCore.addDevice(address(2));

    /** Starts the network. */
    public RdmaModel()
    {
        // With devices as above.
    }

    /**
     * {@return an address of the model's networks}
     *
     * @param number 1 to 250.
     */
    public static InetAddress address(final int number)
    {
        try
        {
            return InetAddress.getByAddress(new byte[]{10, 0, 0, (byte)number});
        }
        catch (final UnknownHostException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /**
     * {@return the network}
     */
    public ModelNetwork network()
    {
        return network;
    }

    @Override
    public ModelRdmaCore hostCore()
    {
        return hostCore;
    }

    @Override
    public ModelRdmaCore targetCore()
    {
        return targetCore;
    }

    @Override
    public InetSocketAddress targetAddress()
    {
        return new InetSocketAddress(targetDevice.address(), 0);
    }

    /**
     * {@return the device of the first process}
     */
    public ModelDevice hostDevice()
    {
        return hostDevice;
    }

    /**
     * {@return the device of the other process}
     */
    public ModelDevice targetDevice()
    {
        return targetDevice;
    }

    @Override
    public void close()
    {
        clock.close();
        final int left = hostCore.resources() + targetCore.resources();
        if (!network.violations().isEmpty() || 0 != left)
        {
            throw new AssertionError(network.violations() + ", not freed: " + left);
        }
    }
}
