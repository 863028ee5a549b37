package io.millrace.block.nvme;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.ReactorContext;
import io.millrace.block.nvme.queue.PayloadMemory;
import io.millrace.reactor.Reactor;
import java.util.List;

/**
 * One reactor's channel to a namespace: a user of the {@link ReactorQueuePair} that it shares with the controller's
 * other namespaces, without locks. {@code submit} fills entries, {@code poll} takes in completions, also those of the
 * other channels, and shows the controller new entries once; {@link ChannelRequests} processes the requests. This class
 * has the {@link ChannelState}.
 * <p>
 * A command whose time is up is aborted; if that does not help ({@link CommandTimeouts}) the controller is reset, and
 * its commands are sent again, up to a maximum number of tries. Memory of a request is its submitter's again only when
 * the controller completed its command or was stopped.
 */
final class NvmeChannel implements BlockChannel
{
    private static final long CLOSE_GRACE_NS_MAX = 10_000_000_000L;
    private static final long NO_TIMER = -1;

    private final NvmeDevice device;
    private final Reactor reactor;
    private final MemoryQuarantine quarantine;
    private final ReactorQueuePair pair;
    private final ChannelMemory memory;
    private final ChannelRequests requests;
    private final CommandTimeouts timeouts;
    private final long closeGraceNs;
    private ChannelState state = ChannelState.OPEN;
    private CloseListener closeListener;
    private long closeTimer = NO_TIMER;
    private List<MemoryHold> holds;

    /**
     * Made on the controller's thread; {@link ReactorQueuePair#attach} follows on the reactor.
     *
     * @param device  of the channel.
     * @param context of the channel.
     * @param recovery  recovery of its controller.
     * @param pair    of the reactor.
     * @param limits  of its commands.
     * @param payload memory that requests point into.
     * @param memory  of the channel.
     */
    NvmeChannel(
        final NvmeDevice device,
        final ReactorContext context,
        final ControllerRecovery recovery,
        final ReactorQueuePair pair,
        final TransferLimits limits,
        final PayloadMemory payload,
        final ChannelMemory memory)
    {
        this.device = device;
        this.pair = pair;
        this.memory = memory;
        reactor = context.reactor();
        quarantine = context.quarantine();
        final long timeoutNs = device.config().timeoutNs();
        closeGraceNs = Math.min(timeoutNs, CLOSE_GRACE_NS_MAX);
        requests = new ChannelRequests(this, recovery, pair, limits, payload, memory);
        timeouts = new CommandTimeouts(
            pair.slots(), requests, recovery, pair.queuePair().id(), timeoutNs, reactor.nowNs());
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        return pair.isLive() ? requests.submit(request) : submitWhileStopped(request);
    }

    private boolean submitWhileStopped(final BlockRequest request)
    {
        if (QueuePairState.FAILED == pair.state())
        {
            request.complete(BlockStatus.DEVICE_ERROR);
            return true;
        }
        return false;
    }

    @Override
    public int poll()
    {
        final int done = pair.poll();
        if (pair.isLive())
        {
            if (ChannelState.ABORTING == state)
            {
                requests.endUnsent(BlockStatus.ABORTED);
            }
            else
            {
                requests.advance();
            }
            pair.ring();
            if (requests.count() > 0)
            {
                checkTimeouts();
            }
            else if (ChannelState.OPEN != state)
            {
                pair.releaseClosed();
            }
        }
        return done;
    }

    /** Checks the time-outs of its commands. */
    void checkTimeouts()
    {
        timeouts.poll(reactor.nowNs());
    }

    /**
     * {@return whether commands may be sent}
     */
    boolean isLive()
    {
        return pair.isLive();
    }

    /**
     * {@return whether commands that fail are not to be sent again, since their requests end}
     */
    boolean isAborting()
    {
        return ChannelState.ABORTING == state;
    }

    @Override
    public boolean canSleep()
    {
        return 0 == requests.count() || pair.canSleep();
    }

    @Override
    public int inFlight()
    {
        return requests.count();
    }

    Reactor reactor()
    {
        return reactor;
    }

    ReactorQueuePair pair()
    {
        return pair;
    }

    NvmeDevice device()
    {
        return device;
    }

    ChannelMemory memory()
    {
        return memory;
    }

    ChannelRequests requests()
    {
        return requests;
    }

    ChannelState state()
    {
        return state;
    }

    /**
     * {@return whether it has no requests, and the controller none of its commands}
     */
    boolean isIdle()
    {
        return 0 == requests.count() && 0 == requests.share().used();
    }

    /**
     * {@return whether it needs the queues}
     */
    boolean isUsing()
    {
        return ChannelState.OPEN == state || ChannelState.CLOSING == state && !isIdle();
    }

    /**
     * {@inheritDoc} What the controller does not complete in time is aborted, and the controller reset when that does
     * not help. Where no other namespace uses the queues they are deleted instead, which ends their commands. When that
     * takes too long the requests end nevertheless, and their memory is quarantined until the controller has none of
     * the commands.
     */
    @Override
    public void close(final CloseListener listener)
    {
        closeListener = listener;
        state = ChannelState.CLOSING;
        closeTimer = reactor.schedule(reactor.nowNs() + closeGraceNs, (nowNs) -> onGraceOver());
        pair.onClosing();
    }

    private void onGraceOver()
    {
        state = ChannelState.ABORTING;
        awaitRemoval();
        timeouts.expire(reactor.nowNs(), closeGraceNs);
        pair.onGraceOver();
    }

    /** From now on {@link NvmeController#removeNs} bounds the close. */
    private void awaitRemoval()
    {
        reactor.cancel(closeTimer);
        closeTimer =
            reactor.schedule(reactor.nowNs() + device.controller().removeNs(), (nowNs) -> giveUp());
    }

    /** The controller did not end in time: it may still use the memory of requests. */
    private void giveUp()
    {
        state = ChannelState.ABANDONED;
        holds = requests.giveUp(quarantine);
        pair.onAbandoned();
        closeListener.onClosed(this);
    }

    /** Its queues are being deleted. */
    void onRetired()
    {
        if (ChannelState.ABANDONED != state)
        {
            state = ChannelState.ABORTING;
            awaitRemoval();
        }
    }

    /** The controller was stopped: commands of abandoned requests need not be sent again. */
    void onStopped()
    {
        if (ChannelState.ABORTING == state || ChannelState.ABANDONED == state)
        {
            requests.endAll(BlockStatus.ABORTED);
        }
    }

    /** The queue pair has none of its commands any more. */
    void onReleased()
    {
        reactor.cancel(closeTimer);
        state = ChannelState.CLOSED;
        if (null != memory.memory())
        {
            device.controller().free(memory.memory());
        }
        if (null == holds)
        {
            closeListener.onClosed(this);
        }
        else
        {
            holds.forEach(MemoryHold::release);
        }
    }
}
