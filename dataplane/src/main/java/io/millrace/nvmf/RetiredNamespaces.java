package io.millrace.nvmf;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.queue.CommandRefusal;
import io.millrace.nvmf.queue.DrainTimer;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.queue.ReactorResources;
import io.millrace.nvmf.request.DeviceChannel;
import io.millrace.nvmf.request.DeviceChannels;
import io.millrace.nvmf.request.NamespaceChannel;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Removed namespaces of a reactor, until they are no longer used by a command or the device. Commands that wait for
 * resources of the target end at once, responses that wait for their host release the namespace. A host that was asked
 * for data, or that borrows memory of the device, has {@link DrainTimer#HOST_LIMIT_NS}; then its connection ends. A
 * device that has commands has {@link DrainTimer#DEVICE_LIMIT_NS}; then its channel is closed, which ends them. Its
 * reactor only; control path.
 */
final class RetiredNamespaces
{
    /** Time of a cycle for removed namespaces; at least one is processed. */
    private static final long BUDGET_NS = 100_000;
    private static final int STATUS = NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY;
    private static final CommandRefusal RETIRED =
        (request) -> request.namespace().isRetired() ? STATUS : NvmeStatus.SUCCESS;
    private static final CommandRefusal OVERDUE =
        (request) -> request.namespace().isOverdue() ? STATUS : NvmeStatus.SUCCESS;

    private static final class Retired
    {
        private final Subsystem subsystem;
        private final NamespaceChannel channel;
        private final long sinceNs;
        private RetiredState state = RetiredState.IN_USE;

        Retired(final Subsystem subsystem, final NamespaceChannel channel, final long sinceNs)
        {
            this.subsystem = subsystem;
            this.channel = channel;
            this.sinceNs = sinceNs;
        }
    }

    private enum RetiredState
    {
        /** Commands use it, and the device. */
        IN_USE,
        /** Commands at the released device use it. */
        DEVICE_RELEASED,
        /** No command uses it; the device may not have closed yet. */
        RELEASED
    }

    /** A waiter for the release of a retired channel, or of all channels of a subsystem when the channel is null. */
    private record Drain(Subsystem subsystem, NamespaceChannel channel, CompletableFuture<Void> done)
    {
    }

    private final ReactorResources resources;
    private final Reactor reactor;
    private final DeviceChannels devices;
    private final DrainTimer timer;
    private final List<Retired> retired = new ArrayList<>();
    private final List<Drain> drains = new ArrayList<>();
    private boolean hasMoreToRelease;

    /**
     * Creates an empty instance.
     *
     * @param resources of the reactor whose commands use them.
     * @param devices   channels of the reactor.
     */
    RetiredNamespaces(final ReactorResources resources, final DeviceChannels devices)
    {
        this.resources = resources;
        this.devices = devices;
        reactor = resources.reactor();
        timer = new DrainTimer(reactor, this::onCheck);
    }

    /**
     * Adds a namespace whose commands are refused from now on. After one or some, {@link #endWaiting}.
     *
     * @param subsystem that it was of.
     * @param channel   to it.
     */
    void add(final Subsystem subsystem, final NamespaceChannel channel)
    {
        channel.retire();
        channel.device().openQueue().fail(channel, STATUS);
        retired.add(new Retired(subsystem, channel, reactor.nowNs()));
    }

    /**
     * Ends commands that use a removed namespace, as far as that is possible now.
     */
    void endWaiting()
    {
        if (isAnyInUse())
        {
            for (final QueuePair queuePair : resources.ioQueues())
            {
                queuePair.outstandingCommands().endWaiting(RETIRED);
            }
            if (isAnyInUse())
            {
                timer.start();
            }
        }
    }

    /**
     * Waits until nothing of a namespace, or of a subsystem, is in use.
     *
     * @param subsystem its subsystem.
     * @param channel   to the namespace; null for all removed ones of the subsystem.
     * @param done      completed then; maybe before this returns.
     */
    void await(final Subsystem subsystem, final NamespaceChannel channel, final CompletableFuture<Void> done)
    {
        drains.add(new Drain(subsystem, channel, done));
        settle();
    }

    /**
     * {@return whether there are none, and no waiter}
     */
    boolean isEmpty()
    {
        return retired.isEmpty() && drains.isEmpty();
    }

    /**
     * {@return whether some could be released in the next cycle}
     */
    boolean hasMoreToRelease()
    {
        return hasMoreToRelease;
    }

    /**
     * Releases unused namespaces and completes their waiters; runs in every poll until none is left, so it allocates
     * nothing. A waiter is removed from the list before it is completed, since its completion may change the list.
     */
    void settle()
    {
        hasMoreToRelease = false;
        long endNs = 0;
        for (int i = retired.size() - 1; i >= 0; i--)
        {
            final Retired each = retired.get(i);
            if (RetiredState.RELEASED != each.state && 0 == each.channel.active())
            {
                final long nowNs = reactor.clockNs();
                endNs = 0 == endNs ? nowNs + BUDGET_NS : endNs;
                if (nowNs - endNs >= 0)
                {
                    hasMoreToRelease = true;
                    break;
                }
                release(each);
            }
            if (RetiredState.RELEASED == each.state && !each.channel.device().state().isLeaving())
            {
                retired.remove(i);
            }
        }
        for (Drain drain = takeDrained(); null != drain; drain = takeDrained())
        {
            drain.done().complete(null);
        }
    }

    /**
     * Releases all devices: every connection is closed, and requests at a device end with its channel.
     */
    void releaseAll()
    {
        retired.forEach(this::release);
    }

    /**
     * Completes all waiters, whatever is left.
     */
    void end()
    {
        retired.clear();
        settle();
    }

    private boolean isAnyInUse()
    {
        for (final Retired each : retired)
        {
            if (0 != each.channel.active())
            {
                return true;
            }
        }
        return false;
    }

    private void onCheck(final long nowNs)
    {
        endWaiting();
        boolean isHostOverdue = false;
        for (int i = retired.size() - 1; i >= 0; i--)
        {
            final Retired each = retired.get(i);
            if (0 != each.channel.active() && DrainTimer.isHostOverdue(each.sinceNs, nowNs))
            {
                each.channel.becomeOverdue();
                isHostOverdue = true;
            }
        }
        if (isHostOverdue)
        {
            for (final QueuePair queuePair : resources.ioQueues())
            {
                if (queuePair.outstandingCommands().isAnyWithHost(OVERDUE))
                {
                    DrainTimer.endConnection(queuePair, "a namespace was removed");
                }
            }
        }
        for (int i = retired.size() - 1; i >= 0; i--)
        {
            final Retired each = retired.get(i);
            if (RetiredState.IN_USE == each.state && 0 != each.channel.active() &&
                DrainTimer.isDeviceOverdue(each.sinceNs, nowNs))
            {
                giveUpDevice(each);
            }
        }
    }

    private void giveUpDevice(final Retired each)
    {
        final DeviceChannel device = each.channel.device();
        resources.listener().onError("device " + device.device().name() + " on reactor " +
            reactor.config().name() + " has not completed " + each.channel.active() + " commands to namespace " +
            each.channel.namespace().nsid() + " of " + each.subsystem.nqn() + " within " +
            TimeUnit.NANOSECONDS.toSeconds(DrainTimer.DEVICE_LIMIT_NS) +
            " s of its removal: the device is closed, unless another namespace uses it, which aborts them");
        each.state = RetiredState.DEVICE_RELEASED;
        devices.release(device);
    }

    private void release(final Retired each)
    {
        if (RetiredState.IN_USE == each.state)
        {
            each.state = RetiredState.DEVICE_RELEASED;
            devices.release(each.channel.device());
        }
        if (RetiredState.DEVICE_RELEASED == each.state)
        {
            each.state = RetiredState.RELEASED;
            each.subsystem.retireCounters(each.channel.counters());
            each.channel.counters().release();
        }
    }

    private Drain takeDrained()
    {
        for (int i = drains.size() - 1; i >= 0; i--)
        {
            if (!isRetired(drains.get(i)))
            {
                return drains.remove(i);
            }
        }
        return null;
    }

    private boolean isRetired(final Drain drain)
    {
        for (int i = 0; i < retired.size(); i++)
        {
            final Retired each = retired.get(i);
            if (null == drain.channel() ? each.subsystem == drain.subsystem() : each.channel == drain.channel())
            {
                return true;
            }
        }
        return false;
    }
}
