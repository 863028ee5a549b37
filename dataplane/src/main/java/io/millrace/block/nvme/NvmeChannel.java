package io.millrace.block.nvme;

import io.millrace.bindings.linux.Epoll;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.ReactorContext;
import io.millrace.reactor.Reactor;
import java.util.List;

/**
 * One reactor's way to a namespace: one I/O queue pair, no locks. {@code submit} fills entries, {@code poll} takes in
 * completions and shows the controller new entries once; what becomes of a request is {@link ChannelRequests}'
 * business. Here is which {@link ChannelState} that goes on in.
 * <p>
 * A command whose time is up is aborted; if that does not help ({@link CommandTimeouts}) the controller is reset, and
 * what it had is sent again, so often and no oftener. Memory of a request is its submitter's again only when the
 * controller completed its command or was stopped.
 */
final class NvmeChannel implements BlockChannel, Runnable
{
    private static final int COMPLETIONS_PER_POLL = 64;
    private static final long CLOSE_GRACE_NS_MAX = 10_000_000_000L;
    private static final long NO_TIMER = -1;

    private final NvmeDevice device;
    private final Reactor reactor;
    private final MemoryQuarantine quarantine;
    private final QueuePair queuePair;
    private final SubmissionQueue submissions;
    private final CompletionQueue completions;
    private final ChannelRequests requests;
    private final CommandTimeouts timeouts;
    private final boolean hasInterrupts;
    private final long timeoutNs;
    private volatile ChannelState wished = ChannelState.RUNNING;
    private volatile ChannelState state = ChannelState.RUNNING;
    private CloseListener closeListener;
    private long closeTimer = NO_TIMER;
    private List<MemoryHold> holds;

    /**
     * Takes a queue pair that the controller knows.
     *
     * @param device    of the channel.
     * @param context   of the channel.
     * @param rescue    whom it asks for help.
     * @param queuePair of its own.
     * @param limits    of its commands.
     * @param payload   memory that requests point into.
     */
    NvmeChannel(
        final NvmeDevice device,
        final ReactorContext context,
        final Rescue rescue,
        final QueuePair queuePair,
        final TransferLimits limits,
        final PayloadMemory payload)
    {
        this.device = device;
        reactor = context.reactor();
        quarantine = context.quarantine();
        this.queuePair = queuePair;
        submissions = queuePair.submissions();
        completions = queuePair.completions();
        hasInterrupts = queuePair.interruptFd() >= 0;
        timeoutNs = device.config().timeoutNs();
        final CommandSlots slots = new CommandSlots(queuePair.depth());
        requests = new ChannelRequests(this, rescue, slots, limits, payload);
        timeouts = new CommandTimeouts(slots, rescue, queuePair.id(), timeoutNs, reactor.nowNs());
    }

    /** Has the reactor woken by interrupts, if there are any. On the reactor. */
    void watchInterrupts()
    {
        if (hasInterrupts)
        {
            // Edge-triggered: the counter is never read.
            reactor.register(queuePair.interruptFd(), Epoll.EPOLLIN | Epoll.EPOLLET, NvmeChannel::onInterrupt);
        }
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        return ChannelState.RUNNING == state ? requests.submit(request) : submitWhileStopped(request);
    }

    private boolean submitWhileStopped(final BlockRequest request)
    {
        if (ChannelState.FAILED == state)
        {
            request.complete(BlockStatus.DEVICE_ERROR);
            return true;
        }
        return false;
    }

    @Override
    public int poll()
    {
        if (wished != state)
        {
            obey();
        }
        if (!isLive())
        {
            return 0;
        }
        submissions.ring();
        final int done = requests.takeCompletions(COMPLETIONS_PER_POLL);
        completions.acknowledgeWhenDue();
        requests.advance();
        submissions.ring();
        if (requests.count() > 0)
        {
            timeouts.poll(reactor.nowNs());
        }
        else if (null != closeListener)
        {
            retire();
        }
        return done;
    }

    /**
     * {@return whether commands may be sent}
     */
    boolean isLive()
    {
        return ChannelState.RUNNING == state;
    }

    @Override
    public boolean canSleep()
    {
        if (wished != state)
        {
            return false;
        }
        if (0 == requests.count() || !isLive())
        {
            return true;
        }
        if (!hasInterrupts)
        {
            return false;
        }
        // What comes after this look is announced.
        completions.acknowledge();
        return CompletionQueue.NONE == completions.poll();
    }

    @Override
    public int inFlight()
    {
        return requests.count();
    }

    /**
     * Asks for a state. Any thread; the reactor is woken to go there.
     *
     * @param wish state to go to.
     */
    void wish(final ChannelState wish)
    {
        wished = wish;
    }

    /**
     * {@return the state it is in; any thread}
     */
    ChannelState state()
    {
        return state;
    }

    Reactor reactor()
    {
        return reactor;
    }

    NvmeDevice device()
    {
        return device;
    }

    QueuePair queuePair()
    {
        return queuePair;
    }

    /** Goes to the state that was asked for. On the reactor. */
    @Override
    public void run()
    {
        obey();
        if (isLive())
        {
            submissions.ring();
        }
        if (null != closeListener && 0 == requests.count() && (isLive() || ChannelState.FAILED == state))
        {
            retire();
        }
    }

    private void obey()
    {
        final ChannelState wish = wished;
        if (wish == state || ChannelState.RETIRED == state)
        {
            return;
        }
        switch (wish)
        {
            case QUIESCED -> state = ChannelState.QUIESCED;
            case DRAINED ->
            {
                requests.takeCompletions(Integer.MAX_VALUE);
                queuePair.reset();
                state = ChannelState.DRAINED;
            }
            case RUNNING ->
            {
                requests.sendAgain();
                state = ChannelState.RUNNING;
            }
            case FAILED ->
            {
                requests.takeCompletions(Integer.MAX_VALUE);
                state = ChannelState.FAILED;
                requests.endAll(BlockStatus.DEVICE_ERROR);
            }
            case RETIRED -> throw new IllegalStateException("a channel closes by itself, not as " + wish);
        }
    }

    /** Its reactor has ended: nobody uses its queues any more. On the controller's thread. */
    void onReactorEnded()
    {
        state = ChannelState.RETIRED;
    }

    /**
     * {@inheritDoc}
     * A controller that completes a request no more is told to delete the queues, which ends its commands, or is reset.
     * When that takes too long the requests end all the same, and their memory is quarantined until it is done.
     */
    @Override
    public void close(final CloseListener listener)
    {
        closeListener = listener;
        if (0 == requests.count() && (isLive() || ChannelState.FAILED == state))
        {
            retire();
        }
        else
        {
            closeTimer = reactor.schedule(
                reactor.nowNs() + Math.min(timeoutNs, CLOSE_GRACE_NS_MAX), (nowNs) -> retire());
        }
    }

    /** Takes its hands off the queues for good, and has the controller do so. */
    private void retire()
    {
        if (ChannelState.RETIRED == state)
        {
            return;
        }
        reactor.cancel(closeTimer);
        if (hasInterrupts)
        {
            reactor.deregister(queuePair.interruptFd());
        }
        final boolean hadFailed = ChannelState.FAILED == state;
        state = ChannelState.RETIRED;
        closeTimer = reactor.schedule(reactor.nowNs() + device.controller().removeNs(), (nowNs) -> giveUp());
        device.controller().remove(this, () -> onRemoved(hadFailed));
    }

    /** The controller's thread does not come to an end: the controller may still use the memory of requests. */
    private void giveUp()
    {
        holds = requests.giveUp(quarantine);
        closeListener.onClosed(this);
    }

    /** The controller has none of its commands any more. */
    private void onRemoved(final boolean hadFailed)
    {
        if (null != holds)
        {
            device.controller().free(queuePair);
            holds.forEach(MemoryHold::release);
            return;
        }
        reactor.cancel(closeTimer);
        if (!hadFailed)
        {
            requests.takeCompletions(Integer.MAX_VALUE);
        }
        requests.endAll(BlockStatus.ABORTED);
        device.controller().free(queuePair);
        closeListener.onClosed(this);
    }

    private static void onInterrupt(final int events)
    {
        // It was only there to wake the reactor; the next poll finds what came.
        assert 0 != events;
    }
}
