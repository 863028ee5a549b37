package io.millrace.nvmf.request;

import io.millrace.block.BlockDevice;
import io.millrace.block.EmulationBuffers;
import io.millrace.memory.BufferPool;
import io.millrace.nvmf.config.DeviceError;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.reactor.DeferredRemovalList;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.status.StatusPart;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * One reactor's channels to devices. A few are opened in each cycle, and retried after a delay when that failed;
 * released ones are kept until their device has closed them. Polls the channels that have requests or queued ones:
 * unused devices cost nothing in a cycle, however many there are. Single-threaded; other threads may read its numbers.
 */
public final class DeviceChannels implements Poller
{
    /** Time of a cycle for opening devices; at least one is opened. */
    private static final long OPEN_BUDGET_NS = 100_000;
    /** How many devices are asked in turn before they have answered: one that a command asks for need not wait long. */
    private static final int OPENING_MAX = 16;
    private static final long TICK_NS = 50_000_000;
    private static final long RETRY_NS_MIN = 1_000_000_000L;
    private static final int RETRY_DOUBLINGS_MAX = 5;
    /** The part of the buffers that one device may have in quarantine before it gets no commands. */
    public static final int QUARANTINE_SHARE = 8;

    /** Distinct errors of all devices of a reactor: somebody looks through them every second. */
    static final int ERRORS_MAX = 1024;

    private final Reactor reactor;
    private final BufferPool buffers;
    private final EmulationBuffers emulationBuffers;
    private final TargetListener listener;
    private final StatusPart status;
    private final Map<BlockDevice, DeviceChannel> byDevice = new IdentityHashMap<>();
    private final ArrayDeque<DeviceChannel> waiting = new ArrayDeque<>();
    private final List<DeviceChannel> leaving = new ArrayList<>();
    private final DeferredRemovalList<DeviceChannel> busy = new DeferredRemovalList<>();
    private boolean isPolled;
    private int openingCount;
    private boolean isTicking;
    private long budgetCycleNs;
    private long spentNs;
    private long quarantinedBytes;
    private int errorCount;

    /**
     * Creates an empty instance.
     *
     * @param reactor  whose thread uses it.
     * @param buffers  of the reactor.
     * @param status   of the reactor.
     * @param listener notified of what an operator should know.
     */
    public DeviceChannels(
        final Reactor reactor, final BufferPool buffers, final StatusPart status, final TargetListener listener)
    {
        this.reactor = reactor;
        this.buffers = buffers;
        emulationBuffers = new EmulationBuffers(buffers);
        this.status = status;
        this.listener = listener;
    }

    Reactor reactor()
    {
        return reactor;
    }

    BufferPool buffers()
    {
        return buffers;
    }

    /**
     * {@return buffers of operations that devices do not do themselves}
     */
    public EmulationBuffers emulationBuffers()
    {
        return emulationBuffers;
    }

    StatusPart status()
    {
        return status;
    }

    /**
     * {@return whether there is room for one more distinct error of a device}
     */
    boolean mayAddError()
    {
        return errorCount < ERRORS_MAX;
    }

    void onError(final DeviceError error)
    {
        errorCount++;
        listener.onDeviceError(error);
    }

    void onErrorRemoved(final DeviceError error)
    {
        errorCount--;
        listener.onDeviceErrorRemoved(error);
    }

    /**
     * A channel to a device, which is opened in one of the next cycles unless it is open; the caller releases it later.
     *
     * @param device to open.
     * @return its channel.
     */
    public DeviceChannel acquire(final BlockDevice device)
    {
        DeviceChannel channel = byDevice.get(device);
        if (null == channel)
        {
            channel = new DeviceChannel(this, device);
            byDevice.put(device, channel);
            addWaiting(channel);
            if (!isPolled)
            {
                isPolled = true;
                // At the end of the cycle: what connections submitted in it is handed to devices in it.
                reactor.addPoller(this);
            }
        }
        channel.retain();
        return channel;
    }

    /**
     * A namespace no longer needs a channel. It has closed when {@link DeviceChannelState#isLeaving()} is false.
     *
     * @param channel that was acquired.
     */
    public void release(final DeviceChannel channel)
    {
        if (channel.release())
        {
            byDevice.remove(channel.device());
            leaving.add(channel);
            channel.close();
        }
    }

    /**
     * A channel is to be opened.
     *
     * @param channel that waits for its turn.
     */
    void addWaiting(final DeviceChannel channel)
    {
        waiting.add(channel);
    }

    /**
     * A device could not be opened. It is reported once, until the device has been opened.
     *
     * @param channel  to be tried again later.
     * @param failures in succession.
     * @param reason   a sentence.
     */
    void onOpenFailed(final DeviceChannel channel, final int failures, final String reason)
    {
        final long delayNs = RETRY_NS_MIN << Math.min(failures - 1, RETRY_DOUBLINGS_MAX);
        reactor.schedule(reactor.nowNs() + delayNs, (nowNs) -> channel.retry());
        if (1 == failures)
        {
            listener.onError("device " + channel.device().name() + " on reactor " + reactor.config().name() +
                " cannot be opened, which is tried again: " + reason);
        }
    }

    /**
     * A device has closed a channel.
     *
     * @param channel that was released.
     */
    void onClosed(final DeviceChannel channel)
    {
        leaving.remove(channel);
        if (channel.quarantinedBytes() > 0)
        {
            listener.onError("device " + channel.device().name() + " on reactor " + reactor.config().name() +
                " was closed and did not complete all requests: " + channel.quarantinedBytes() +
                " bytes of memory are quarantined until it does");
        }
    }

    /**
     * {@return bytes that one device may have in quarantine before it gets no commands}
     */
    long quarantineBytesMax()
    {
        return null == buffers ? Long.MAX_VALUE : buffers.lengthBytes() / QUARANTINE_SHARE;
    }

    /**
     * A device has more memory in quarantine than its share.
     *
     * @param channel to the device.
     */
    void onSuspended(final DeviceChannel channel)
    {
        listener.onError("device " + channel.device().name() + " on reactor " + reactor.config().name() + " has " +
            channel.quarantinedBytes() + " bytes of memory in quarantine, more than its share of " +
            quarantineBytesMax() + ": it gets no commands until it completes what it has or is reset");
    }

    /**
     * A device began, or ended, to use memory of requests that have ended.
     *
     * @param differenceBytes to what it was.
     */
    void onQuarantined(final long differenceBytes)
    {
        quarantinedBytes += differenceBytes;
    }

    /**
     * {@return bytes that devices may still use though their requests have ended; any thread}
     */
    public long quarantinedBytes()
    {
        return quarantinedBytes;
    }

    /**
     * {@return how many wait for their turn to be opened}
     */
    public int waiting()
    {
        return waiting.size();
    }

    /**
     * {@return names of the devices that have not closed a released channel yet}
     */
    public List<String> leaving()
    {
        return leaving.stream().map((each) -> each.device().name()).toList();
    }

    /**
     * {@return whether no device has a channel}
     */
    public boolean isEmpty()
    {
        return byDevice.isEmpty() && leaving.isEmpty();
    }

    /** A command waits for a device to open: from now on the reactor wakes up often enough to end that in time. */
    void onAwaited()
    {
        if (!isTicking)
        {
            isTicking = true;
            reactor.schedule(reactor.nowNs() + TICK_NS, this::onTick);
        }
    }

    private void onTick(final long nowNs)
    {
        isTicking = false;
        if (openingCount > 0 || !waiting.isEmpty())
        {
            onAwaited();
        }
    }

    /** A device answered whether it is open. */
    void onAnswered()
    {
        openingCount--;
    }

    /**
     * A channel that was idle has work from now on.
     *
     * @param channel to poll.
     */
    void addBusy(final DeviceChannel channel)
    {
        busy.add(channel);
    }

    /**
     * {@return how often a command had to wait for room at a device, of those devices that are open}
     */
    public long waitCount()
    {
        long count = 0;
        for (final DeviceChannel channel : byDevice.values())
        {
            count += channel.waitCount();
        }
        return count;
    }

    /**
     * {@return whether a device has all the buffers that it may have, and requests wait for it}
     */
    public boolean isAnyAtBufferLimit()
    {
        for (int i = 0; i < busy.limit(); i++)
        {
            final DeviceChannel channel = busy.get(i);
            if (null != channel && channel.isAtBufferLimit())
            {
                return true;
            }
        }
        return false;
    }

    @Override
    public int poll()
    {
        int work = 0;
        if (!waiting.isEmpty())
        {
            work += openSome();
        }
        for (int i = 0; i < busy.limit(); i++)
        {
            final DeviceChannel channel = busy.get(i);
            if (null != channel)
            {
                work += channel.poll();
                if (channel.isIdle() && channel == busy.get(i))
                {
                    channel.onIdle();
                    busy.removeAt(i);
                }
            }
        }
        busy.compact();
        if (isEmpty() && 0 == busy.size())
        {
            isPolled = false;
            reactor.removePoller(this);
        }
        return work;
    }

    private int openSome()
    {
        int opened = 0;
        while (!waiting.isEmpty() && openingCount < OPENING_MAX && hasBudget())
        {
            final DeviceChannel channel = waiting.poll();
            if (DeviceChannelState.WAITING == channel.state())
            {
                open(channel);
                opened++;
            }
        }
        return opened;
    }

    /**
     * Opens a channel before its turn, as a command asks for it, unless enough was opened in this cycle.
     *
     * @param channel that waits for its turn.
     */
    void openNow(final DeviceChannel channel)
    {
        if (hasBudget())
        {
            open(channel);
        }
    }

    private boolean hasBudget()
    {
        if (budgetCycleNs != reactor.nowNs())
        {
            budgetCycleNs = reactor.nowNs();
            spentNs = 0;
        }
        return spentNs < OPEN_BUDGET_NS;
    }

    private void open(final DeviceChannel channel)
    {
        final long beginNs = reactor.clockNs();
        openingCount++;
        channel.open();
        spentNs += reactor.clockNs() - beginNs;
    }

    @Override
    public boolean canSleep()
    {
        if (!waiting.isEmpty() && openingCount < OPENING_MAX)
        {
            return false;
        }
        for (int i = 0; i < busy.limit(); i++)
        {
            final DeviceChannel channel = busy.get(i);
            if (null != channel && !channel.canSleep())
            {
                return false;
            }
        }
        return true;
    }
}
