package io.millrace.remote;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.FailureCause;
import io.millrace.block.status.CommandStatus;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.HostMemory;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.reactor.Reactor;
import java.util.List;

/**
 * One reactor's channel to a remote namespace. Each request is sent on the best path of the moment; while there is none
 * it waits, until the controller loss time-out of the device. The package says what is sent again, and when.
 */
final class RemoteChannel implements BlockChannel
{
    private static final long CLOSE_GRACE_NS_MAX = 5_000_000_000L;
    private static final long CLOSE_RECHECK_NS = 100_000_000;
    private static final long NO_TIMER = -1;
    private static final long NO_LIMIT = -1;

    private enum State
    {
        /** Requests are taken. */
        OPEN,
        /** Requests that were sent have some time to end; those that change data have until they can end no more. */
        DRAINING,
        /** The queues are being closed, which ends what is left. */
        DISCONNECTING,
        /** Nothing is left. */
        CLOSED
    }

    private final RemoteDevice device;
    private final Reactor reactor;
    private final HostPollGroup group;
    private final PathQueue[] queues;
    private final HostMemory memory;
    private final RemoteRequest[] slots;
    private final RemoteRequest[] free;
    private final RemoteRequests waiting = new RemoteRequests();
    private final int blockShift;
    private final long lossTimeoutNs;
    private int freeCount;
    private State state = State.OPEN;
    private PathQueue current;
    private long outageNs;
    private boolean isExpiryDue;
    private long expiryTimer = NO_TIMER;
    private long closeTimer = NO_TIMER;
    private int attachedQueues;
    private CloseListener closeListener;

    /**
     * Made on the reactor.
     *
     * @param device  of the channel.
     * @param reactor of the channel.
     * @param group   of the reactor; released when the channel has closed.
     * @param paths   of the device.
     */
    RemoteChannel(
        final RemoteDevice device, final Reactor reactor, final HostPollGroup group, final List<RemotePath> paths)
    {
        this.device = device;
        this.reactor = reactor;
        this.group = group;
        blockShift = device.geometry().blockShift();
        final RemoteDeviceConfig config = device.config();
        lossTimeoutNs = config.controllerLossTimeoutMs() < 0 ? NO_LIMIT : config.controllerLossTimeoutMs() * 1_000_000L;
        memory = new HostMemory(config.queueDepth() * RemoteRequest.RANGE_BYTES);
        free = new RemoteRequest[config.queueDepth()];
        slots = new RemoteRequest[config.queueDepth()];
        while (freeCount < free.length)
        {
            free[freeCount] = new RemoteRequest(
                this::onCommandComplete, memory.address() + (long)freeCount * RemoteRequest.RANGE_BYTES);
            slots[freeCount] = free[freeCount];
            freeCount++;
        }
        queues = paths.stream().map((path) -> new PathQueue(this, path)).toArray(PathQueue[]::new);
        attachedQueues = queues.length;
        outageNs = reactor.nowNs();
    }

    PathQueue[] queues()
    {
        return queues;
    }

    HostPollGroup group()
    {
        return group;
    }

    Reactor reactor()
    {
        return reactor;
    }

    int blockShift()
    {
        return blockShift;
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        if (0 == freeCount)
        {
            return false;
        }
        final RemoteRequest slot = free[--freeCount];
        slot.begin(request, device.geometry().volatileWriteCache());
        if (null == current || !waiting.isEmpty() || !send(slot))
        {
            await(slot);
        }
        return true;
    }

    /**
     * Sends what comes next of a request on the present path.
     *
     * @return false when it has to wait.
     */
    private boolean send(final RemoteRequest slot)
    {
        final PathQueue path = current;
        if (!slot.fill(path))
        {
            finish(slot, BlockStatus.NOT_SUPPORTED);
            return true;
        }
        return path.submit(slot);
    }

    private void await(final RemoteRequest slot)
    {
        if (null == current)
        {
            device.onHeld();
        }
        hold(slot);
    }

    /** Has a request wait; one that need not is ended by {@link #poll}, since its submitter may submit it again. */
    private void hold(final RemoteRequest slot)
    {
        isExpiryDue |= isHopeless(slot, reactor.nowNs());
        waiting.add(slot);
        watchExpiry();
    }

    private void onCommandComplete(final HostRequest command)
    {
        final RemoteRequest slot = (RemoteRequest)command.owner();
        final int status = command.status();
        if (0 == status)
        {
            onSuccess(slot);
        }
        else if (!slot.queue().isLive())
        {
            onLost(slot);
        }
        else if (isOfPath(status))
        {
            slot.queue().suspend();
            retry(slot);
        }
        else
        {
            slot.request().failedWithNvme(status);
            finish(slot, CommandStatus.of(status));
        }
        pump();
    }

    private void onSuccess(final RemoteRequest slot)
    {
        if (slot.advance())
        {
            finish(slot, BlockStatus.SUCCESS);
        }
        else if (State.OPEN != state)
        {
            finish(slot, BlockStatus.ABORTED);
        }
        else if (null == current || !send(slot))
        {
            waiting.addFirst(slot);
            watchExpiry();
        }
    }

    private void onLost(final RemoteRequest slot)
    {
        if (slot.queue() == current)
        {
            choosePath();
        }
        if (slot.changesData())
        {
            slot.failed(reactor.nowNs());
            slot.queue().keep(slot);
        }
        else
        {
            retry(slot);
        }
    }

    /**
     * {@return whether another controller, or the same one later, may execute a command}
     */
    private static boolean isOfPath(final int status)
    {
        final int code = NvmeStatus.code(status);
        if (NvmeStatus.INVALID_NAMESPACE == code)
        {
            // Gone, or not there yet after a restart of the target: the path finds out which.
            return true;
        }
        return NvmeStatus.isRetryable(status) && (NvmeStatus.isPathRelated(status) ||
            NvmeStatus.ABORTED_SQ_DELETION == code || NvmeStatus.NAMESPACE_NOT_READY == code ||
            NvmeStatus.TRANSIENT_TRANSPORT_ERROR == code);
    }

    /**
     * Sends a request again as soon as there is a path; {@link #pump} or {@link #onPathsChanged} follows.
     *
     * @param slot whose command is not executed any more, or may be executed twice.
     */
    void retry(final RemoteRequest slot)
    {
        if (State.OPEN != state)
        {
            finish(slot, BlockStatus.ABORTED);
            return;
        }
        slot.failed(reactor.nowNs());
        device.onRetried();
        hold(slot);
    }

    /** Sends requests that wait, while the present path takes them. */
    private void pump()
    {
        while (null != current && !waiting.isEmpty())
        {
            final RemoteRequest slot = waiting.poll();
            if (!send(slot))
            {
                waiting.addFirst(slot);
                return;
            }
        }
    }

    /** Chooses the path that requests are sent on from now on. */
    void choosePath()
    {
        PathQueue best = null;
        for (final PathQueue queue : queues)
        {
            if (queue.isUsable() && (null == best || queue.access().compareTo(best.access()) < 0))
            {
                best = queue;
            }
        }
        if (null == best && null != current)
        {
            outageNs = reactor.nowNs();
        }
        current = best;
    }

    /**
     * {@return index of the path that requests are sent on now; -1 when there is none}
     */
    int currentPath()
    {
        for (int i = 0; i < queues.length; i++)
        {
            if (queues[i] == current)
            {
                return i;
            }
        }
        return -1;
    }

    /** A path became better or worse, or requests wait that did not before. */
    void onPathsChanged()
    {
        choosePath();
        pump();
        isExpiryDue |= null == current && !waiting.isEmpty();
    }

    /**
     * {@return whether a request that has no path fails now: it has waited for long enough, or what would come again is
     * another namespace}
     */
    private boolean isHopeless(final RemoteRequest slot, final long nowNs)
    {
        if (NO_LIMIT != lossTimeoutNs && (null == current && nowNs - outageNs >= lossTimeoutNs ||
            0 != slot.failedNs() && nowNs - slot.failedNs() >= lossTimeoutNs))
        {
            return true;
        }
        for (final PathQueue queue : queues)
        {
            if (PathAccess.FOREIGN != queue.access())
            {
                return false;
            }
        }
        return true;
    }

    private void fail(final RemoteRequest slot)
    {
        device.onFailed();
        slot.request().failed(FailureCause.NVME_STATUS, NvmeStatus.HOST_PATHING_ERROR);
        finish(slot, BlockStatus.DEVICE_ERROR);
    }

    private void watchExpiry()
    {
        if (NO_TIMER == expiryTimer && NO_LIMIT != lossTimeoutNs)
        {
            expiryTimer = reactor.schedule(
                Math.max(reactor.nowNs(), outageNs) + Math.max(lossTimeoutNs / 8, 1_000_000), this::onExpiryTimer);
        }
    }

    private void onExpiryTimer(final long nowNs)
    {
        expiryTimer = NO_TIMER;
        isExpiryDue = true;
        if (!waiting.isEmpty())
        {
            watchExpiry();
        }
    }

    /** Fails the requests that have waited for long enough. */
    private void expire()
    {
        final long nowNs = reactor.nowNs();
        isExpiryDue = false;
        final RemoteRequests all = waiting.takeAll();
        for (RemoteRequest slot = all.poll(); null != slot; slot = all.poll())
        {
            if (isHopeless(slot, nowNs))
            {
                fail(slot);
            }
            else
            {
                waiting.add(slot);
            }
        }
    }

    private void finish(final RemoteRequest slot, final BlockStatus status)
    {
        final BlockRequest request = slot.end();
        free[freeCount++] = slot;
        request.complete(status);
        if (State.DRAINING == state && 0 == inFlight())
        {
            disconnect();
        }
    }

    /**
     * {@inheritDoc} Completions come with the turns of the reactor's poll group.
     */
    @Override
    public int poll()
    {
        if (isExpiryDue)
        {
            expire();
            return 1;
        }
        return 0;
    }

    @Override
    public boolean canSleep()
    {
        return !isExpiryDue;
    }

    @Override
    public int inFlight()
    {
        return free.length - freeCount;
    }

    /**
     * {@inheritDoc} Requests that were not sent, or change nothing and have no connection, end at once; those at a
     * controller have at most 5 s. A request that changes data does not end before its controller has answered it or
     * cannot execute it any more, since its submitter may overwrite the blocks then, through another data plane too:
     * controllers that have not answered by then are reset, which takes at most as long as after the loss of a path.
     */
    @Override
    public void close(final CloseListener listener)
    {
        closeListener = listener;
        state = State.DRAINING;
        for (RemoteRequest slot = waiting.poll(); null != slot; slot = waiting.poll())
        {
            finish(slot, BlockStatus.ABORTED);
        }
        if (State.DRAINING == state && 0 == inFlight())
        {
            disconnect();
        }
        else if (State.DRAINING == state)
        {
            closeTimer = reactor.schedule(reactor.nowNs() +
                Math.min(CLOSE_GRACE_NS_MAX, device.config().commandTimeoutMs() * 1_000_000L), this::onCloseTimer);
        }
    }

    private void onCloseTimer(final long nowNs)
    {
        boolean changesData = false;
        for (final RemoteRequest slot : slots)
        {
            if (slot.changesData())
            {
                changesData = true;
                if (slot.queue().isLive())
                {
                    slot.queue().path().endAssociation(slot.association());
                }
            }
        }
        if (changesData)
        {
            closeTimer = reactor.schedule(nowNs + CLOSE_RECHECK_NS, this::onCloseTimer);
        }
        else
        {
            disconnect();
        }
    }

    private void disconnect()
    {
        state = State.DISCONNECTING;
        cancel(closeTimer);
        cancel(expiryTimer);
        for (final PathQueue queue : queues)
        {
            queue.path().detach(queue);
        }
    }

    private void cancel(final long timer)
    {
        if (NO_TIMER != timer)
        {
            reactor.cancel(timer);
        }
    }

    /** A path has closed the queue of this channel, or never had one. */
    void onDetached()
    {
        attachedQueues--;
        if (0 == attachedQueues)
        {
            state = State.CLOSED;
            memory.close();
            device.groups().release(group);
            closeListener.onClosed(this);
        }
    }
}
