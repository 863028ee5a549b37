package io.millrace.block.nvme;

import io.millrace.bindings.linux.Epoll;
import io.millrace.block.BlockStatus;
import io.millrace.block.nvme.queue.CompletionQueue;
import io.millrace.block.nvme.queue.QueuePair;
import io.millrace.block.nvme.queue.SlotShares;
import io.millrace.block.nvme.queue.SubmissionQueue;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;

/**
 * The I/O queue pair of a reactor and a controller, shared by the reactor's channels to all of the controller's
 * namespaces. Made by the controller's thread with the first of them and deleted when the last has closed. Any polled
 * channel processes the completions of all. This class has the {@link QueuePairState}.
 * <p>
 * A completion may do anything with any channel: submit, close, open. So a slot is released and a completion queue
 * entry consumed before the request completes, and channels are looked through in a copy of the list.
 * <p>
 * Reactor only, unless said otherwise; nothing is allocated while channels neither open nor close.
 */
final class ReactorQueuePair implements Runnable
{
    private static final int COMPLETIONS_PER_POLL = 64;
    private static final int STATUS_SHIFT = 17;
    private static final int NO_DESCRIPTOR = -1;
    private static final long NO_TIMER = -1;
    /** How often completions of commands are looked for that only channels have which nobody polls any more. */
    private static final long ABANDONED_POLL_NS = 50_000_000L;

    private final Reactor reactor;
    private final NvmeController controller;
    private final ControllerRecovery recovery;
    private final QueuePair queuePair;
    private final SubmissionQueue submissions;
    private final CompletionQueue completions;
    private final CommandSlots slots;
    private final SlotShares shares;
    private final int queueId;
    private final List<NvmeChannel> channels = new ArrayList<>();
    private volatile QueuePairState requestedState = QueuePairState.RUNNING;
    private volatile QueuePairState state = QueuePairState.RUNNING;
    private boolean isAnyClosing;
    private int watchedFd = NO_DESCRIPTOR;
    private long abandonedTimer = NO_TIMER;

    /**
     * Creates an instance for a queue pair that exists on the controller. On the controller's thread.
     *
     * @param reactor    whose it is.
     * @param controller that has it.
     * @param recovery     recovery of its controller.
     * @param queuePair  itself.
     */
    ReactorQueuePair(
        final Reactor reactor, final NvmeController controller, final ControllerRecovery recovery,
            final QueuePair queuePair)
    {
        this.reactor = reactor;
        this.controller = controller;
        this.recovery = recovery;
        this.queuePair = queuePair;
        submissions = queuePair.submissions();
        completions = queuePair.completions();
        queueId = queuePair.id();
        slots = new CommandSlots(queuePair.depth());
        shares = new SlotShares(queuePair.depth(), reactor::nowNs);
    }

    Reactor reactor()
    {
        return reactor;
    }

    QueuePair queuePair()
    {
        return queuePair;
    }

    CommandSlots slots()
    {
        return slots;
    }

    SlotShares shares()
    {
        return shares;
    }

    /**
     * {@return the channels that share it; on the reactor, or on the controller's thread when the reactor has ended}
     */
    List<NvmeChannel> channels()
    {
        return channels;
    }

    /**
     * A channel shares it from now on, and closes by {@link NvmeChannel#close} whatever this throws.
     *
     * @param channel that does.
     * @throws io.millrace.bindings.NativeException when the reactor cannot be woken by its interrupts.
     */
    void attach(final NvmeChannel channel)
    {
        channels.add(channel);
        shares.join(channel.requests().share());
        final int fd = queuePair.interruptFd();
        if (fd != watchedFd)
        {
            // Edge-triggered: the counter is never read.
            reactor.register(fd, Epoll.EPOLLIN | Epoll.EPOLLET, ReactorQueuePair::onInterrupt);
            watchedFd = fd;
        }
    }

    /**
     * {@return whether commands may be sent}
     */
    boolean isLive()
    {
        return QueuePairState.RUNNING == state;
    }

    /**
     * {@return the state it is in; any thread}
     */
    QueuePairState state()
    {
        return state;
    }

    /**
     * Requests a state. Any thread; the reactor is to be woken to apply it.
     *
     * @param wanted state to go to.
     */
    void requestState(final QueuePairState wanted)
    {
        requestedState = wanted;
    }

    /** Applies the state that was requested. */
    @Override
    public void run()
    {
        applyState();
        ring();
    }

    /**
     * Rings the doorbell for new entries and processes completions, of all channels.
     *
     * @return how many completions there were.
     */
    int poll()
    {
        if (requestedState != state)
        {
            applyState();
        }
        if (!isLive())
        {
            return 0;
        }
        submissions.ring();
        final int done = takeCompletions(COMPLETIONS_PER_POLL);
        // A completion may have closed the last channel.
        if (isLive())
        {
            completions.acknowledgeWhenDue();
            if (isAnyClosing)
            {
                releaseClosed();
            }
        }
        return done;
    }

    /** Rings the doorbell for new entries. */
    void ring()
    {
        if (isLive())
        {
            submissions.ring();
        }
    }

    /**
     * {@return whether the reactor may sleep though commands are outstanding}
     */
    boolean canSleep()
    {
        final QueuePairState present = state;
        if (QueuePairState.RETIRED == present)
        {
            return true;
        }
        if (requestedState != present)
        {
            return false;
        }
        if (QueuePairState.RUNNING != present)
        {
            return true;
        }
        if (NO_DESCRIPTOR == watchedFd)
        {
            return false;
        }
        // What comes after this look is announced.
        completions.acknowledge();
        return CompletionQueue.NONE == completions.poll();
    }

    private int takeCompletions(final int most)
    {
        int done = 0;
        while (done < most)
        {
            final long entry = completions.poll();
            if (CompletionQueue.NONE == entry)
            {
                break;
            }
            final int word = CompletionQueue.statusAndCommand(entry);
            final int submissionQueueId = CompletionQueue.queueAndHead(entry) >>> 16;
            completions.consume();
            done++;
            final int commandId = word & 0xFFFF;
            final int slot = slots.find(commandId);
            if (CommandSlots.NONE == slot || queueId != submissionQueueId)
            {
                onUnexpected(commandId, submissionQueueId);
            }
            else
            {
                slots.owner(slot).onCompletion(slot, word >>> STATUS_SHIFT);
            }
        }
        return done;
    }

    /** The completed command is unknown, and others may be affected: only a reset restores a known state. */
    private void onUnexpected(final int commandId, final int submissionQueueId)
    {
        recovery.reset("completed command " + commandId + " of submission queue " + submissionQueueId +
            " on completion queue " + queueId + ", which is not outstanding");
    }

    private void applyState()
    {
        final QueuePairState wanted = requestedState;
        if (wanted == state || QueuePairState.RETIRED == state)
        {
            return;
        }
        switch (wanted)
        {
            case QUIESCED -> state = QueuePairState.QUIESCED;
            case DRAINED ->
            {
                takeCompletions(Integer.MAX_VALUE);
                endClosing();
                queuePair.reset();
                state = QueuePairState.DRAINED;
            }
            case RUNNING ->
            {
                // Whose time has passed since the controller was stopped.
                endClosing();
                resend();
                state = QueuePairState.RUNNING;
            }
            case FAILED ->
            {
                takeCompletions(Integer.MAX_VALUE);
                state = QueuePairState.FAILED;
                endAll(BlockStatus.DEVICE_ERROR);
            }
            case RETIRED -> throw new IllegalStateException("queues are retired by their channels, not as " + wanted);
        }
        releaseClosed();
    }

    private void endClosing()
    {
        List.copyOf(channels).forEach(NvmeChannel::onStopped);
    }

    private void resend()
    {
        for (int slot = 0; slot < slots.count(); slot++)
        {
            if (slots.isBusy(slot))
            {
                slots.owner(slot).resend(slot);
            }
        }
    }

    private void endAll(final BlockStatus status)
    {
        for (final NvmeChannel channel : List.copyOf(channels))
        {
            channel.requests().endAll(status);
        }
    }

    /** Its reactor has ended: its queues are unused. On the controller's thread. */
    void onReactorEnded()
    {
        state = QueuePairState.RETIRED;
    }

    /** A channel begins to close. */
    void onClosing()
    {
        isAnyClosing = true;
        releaseClosed();
    }

    /** The grace period of a closing channel is over: the queues are deleted unless another channel needs them. */
    void onGraceOver()
    {
        if (QueuePairState.RETIRED != state && !isUsed())
        {
            retire();
        }
    }

    /** A channel has ended its requests, but the controller may still have their commands, and nobody polls for it. */
    void onAbandoned()
    {
        if (QueuePairState.RETIRED != state)
        {
            reactor.cancel(abandonedTimer);
            abandonedTimer = reactor.schedule(reactor.nowNs() + ABANDONED_POLL_NS, (nowNs) -> pollAbandoned());
        }
    }

    private void pollAbandoned()
    {
        poll();
        boolean isAny = false;
        for (final NvmeChannel channel : channels)
        {
            if (ChannelState.ABANDONED == channel.state())
            {
                isAny = true;
                channel.checkTimeouts();
            }
        }
        if (isAny)
        {
            onAbandoned();
        }
    }

    /** Releases closed channels, and the queues with the last one. */
    void releaseClosed()
    {
        while (isAnyClosing && QueuePairState.RETIRED != state)
        {
            if (!isUsed())
            {
                // In between, the controller's thread has the queues.
                if (isLive() || QueuePairState.FAILED == state)
                {
                    retire();
                }
                return;
            }
            final NvmeChannel done = findClosed();
            if (null == done)
            {
                return;
            }
            release(done);
        }
    }

    private boolean isUsed()
    {
        for (final NvmeChannel channel : channels)
        {
            if (channel.isUsing())
            {
                return true;
            }
        }
        return false;
    }

    private NvmeChannel findClosed()
    {
        NvmeChannel closed = null;
        boolean isAnyLeft = false;
        for (final NvmeChannel channel : channels)
        {
            if (ChannelState.OPEN != channel.state())
            {
                isAnyLeft |= null != closed || !channel.isIdle();
                closed = null == closed && channel.isIdle() ? channel : closed;
            }
        }
        isAnyClosing = isAnyLeft || null != closed;
        return closed;
    }

    private void release(final NvmeChannel channel)
    {
        channels.remove(channel);
        shares.leave(channel.requests().share());
        channel.onReleased();
    }

    /** Retires the queues, and has the controller delete them. */
    private void retire()
    {
        if (NO_DESCRIPTOR != watchedFd)
        {
            reactor.deregister(watchedFd);
            watchedFd = NO_DESCRIPTOR;
        }
        reactor.cancel(abandonedTimer);
        final boolean hadFailed = QueuePairState.FAILED == state;
        state = QueuePairState.RETIRED;
        channels.forEach(NvmeChannel::onRetired);
        controller.remove(this, () -> onRemoved(hadFailed));
    }

    /** The controller has none of its commands any more. */
    private void onRemoved(final boolean hadFailed)
    {
        if (!hadFailed)
        {
            takeCompletions(Integer.MAX_VALUE);
        }
        endAll(BlockStatus.ABORTED);
        controller.free(queuePair.memory());
        while (!channels.isEmpty())
        {
            release(channels.getFirst());
        }
    }

    private static void onInterrupt(final int events)
    {
        // It was only there to wake the reactor; the next poll finds what came.
        assert 0 != events;
    }
}
