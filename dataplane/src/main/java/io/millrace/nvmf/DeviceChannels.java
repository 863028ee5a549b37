package io.millrace.nvmf;

import io.millrace.block.BlockDevice;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * One reactor's channels to devices. It polls those that have requests or somebody in line: a device that nobody uses
 * costs nothing in a cycle, however many there are. Single-threaded.
 */
final class DeviceChannels implements Poller
{
    private final Reactor reactor;
    private final Map<BlockDevice, DeviceChannel> byDevice = new IdentityHashMap<>();
    private DeviceChannel[] busy = new DeviceChannel[16];
    private int busyCount;

    DeviceChannels(final Reactor reactor)
    {
        this.reactor = reactor;
    }

    /**
     * Opens a device on this reactor unless it is open; the caller releases it later.
     *
     * @param device to open.
     * @return its channel.
     * @throws io.millrace.block.BlockDeviceException when it cannot be opened here.
     */
    DeviceChannel acquire(final BlockDevice device)
    {
        DeviceChannel channel = byDevice.get(device);
        if (null == channel)
        {
            channel = new DeviceChannel(this, device, reactor);
            if (byDevice.isEmpty())
            {
                // At the end of the cycle: what connections submitted in it is handed to devices in it.
                reactor.addPoller(this);
            }
            byDevice.put(device, channel);
        }
        channel.retain();
        return channel;
    }

    /**
     * A namespace needs a channel no more.
     *
     * @param channel that was acquired.
     */
    void release(final DeviceChannel channel)
    {
        if (channel.release())
        {
            byDevice.remove(channel.device());
            removeBusy(channel);
            if (byDevice.isEmpty())
            {
                reactor.removePoller(this);
            }
            channel.close();
        }
    }

    /**
     * A channel that was idle has work from now on.
     *
     * @param channel to poll.
     */
    void addBusy(final DeviceChannel channel)
    {
        if (busyCount == busy.length)
        {
            busy = Arrays.copyOf(busy, 2 * busyCount);
        }
        busy[busyCount++] = channel;
    }

    /**
     * {@return how often a command had to wait for room at a device, of those devices that are open}
     */
    long waitCount()
    {
        long count = 0;
        for (final DeviceChannel channel : byDevice.values())
        {
            count += channel.waitCount();
        }
        return count;
    }

    @Override
    public int poll()
    {
        int work = 0;
        // Downwards: what ends its last request is replaced by the last, which has had its turn or comes in the next.
        for (int i = busyCount - 1; i >= 0; i--)
        {
            final DeviceChannel channel = busy[i];
            work += channel.poll();
            if (channel.isIdle())
            {
                channel.onIdle();
                removeBusyAt(i);
            }
        }
        return work;
    }

    @Override
    public boolean canSleep()
    {
        for (int i = 0; i < busyCount; i++)
        {
            if (!busy[i].canSleep())
            {
                return false;
            }
        }
        return true;
    }

    private void removeBusy(final DeviceChannel channel)
    {
        for (int i = 0; i < busyCount; i++)
        {
            if (busy[i] == channel)
            {
                removeBusyAt(i);
                return;
            }
        }
    }

    private void removeBusyAt(final int index)
    {
        busyCount--;
        busy[index] = busy[busyCount];
        busy[busyCount] = null;
    }
}
