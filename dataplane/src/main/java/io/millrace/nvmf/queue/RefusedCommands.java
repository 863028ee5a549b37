package io.millrace.nvmf.queue;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPhase;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Those who wait, after a change of ANA states, until no command of a queue pair uses a namespace any more to which
 * such commands are refused now. Commands that wait for something of ours end at once with the status of their path. A
 * host that was asked for data, or that is being sent a part of it, has {@link DrainTimer#HOST_LIMIT_NS}; then its
 * connection ends. An answer is final, whether its host takes it or not. A device that has commands has
 * {@link DrainTimer#DEVICE_LIMIT_NS}; then who waits is told what it has not completed. Its channel stays open, as the
 * namespace may be used by other paths, and the commands are answered when they complete. Its reactor only; control
 * path.
 */
public final class RefusedCommands
{
    private static final class Wait implements CommandRefusal
    {
        private final QueuePair queuePair;
        private final BitSet groups;
        private final long sinceNs;
        private final CompletableFuture<List<UnfinishedCommands>> done;

        Wait(
            final QueuePair queuePair,
            final BitSet groups,
            final long sinceNs,
            final CompletableFuture<List<UnfinishedCommands>> done)
        {
            this.queuePair = queuePair;
            this.groups = groups;
            this.sinceNs = sinceNs;
            this.done = done;
        }

        @Override
        public int status(final Request request)
        {
            final int group = request.namespace().anaGroup();
            return RequestPhase.RESPONDING == request.phase() || !groups.get(group) ? NvmeStatus.SUCCESS :
                queuePair.association().anaPath().refusal(group);
        }
    }

    private final Reactor reactor;
    private final DrainTimer timer;
    private final List<Wait> waits = new ArrayList<>();

    /**
     * Nobody waits yet.
     *
     * @param reactor of the queue pairs.
     */
    RefusedCommands(final Reactor reactor)
    {
        this.reactor = reactor;
        timer = new DrainTimer(reactor, this::onCheck);
    }

    /**
     * Ends what can be ended now, and waits for the rest.
     *
     * @param queuePair of this reactor whose controller has other states.
     * @param groups    whose states have changed; those to which commands are not refused do not matter.
     * @param done      completed with what devices have not completed in time; maybe before this returns.
     */
    public void await(
        final QueuePair queuePair, final BitSet groups, final CompletableFuture<List<UnfinishedCommands>> done)
    {
        final Wait wait = new Wait(queuePair, groups, reactor.nowNs(), done);
        queuePair.outstandingCommands().endWaiting(wait);
        final Wait same = findSame(wait);
        if (null == same)
        {
            waits.add(wait);
        }
        else
        {
            same.done.thenAccept(done::complete);
        }
        settle();
        if (!waits.isEmpty())
        {
            timer.start();
        }
    }

    /** One that began a moment ago, for the same commands: each wait is looked at in every poll. */
    private Wait findSame(final Wait wait)
    {
        for (int i = waits.size() - 1; i >= 0; i--)
        {
            final Wait each = waits.get(i);
            if (each.queuePair == wait.queuePair && wait.sinceNs - each.sinceNs < DrainTimer.CHECK_INTERVAL_NS &&
                each.groups.equals(wait.groups))
            {
                return each;
            }
        }
        return null;
    }

    /**
     * {@return number of waits, each of one queue pair}
     */
    public int size()
    {
        return waits.size();
    }

    /**
     * {@return whether nobody waits}
     */
    public boolean isEmpty()
    {
        return waits.isEmpty();
    }

    /**
     * Tells those who need not wait any more; runs in every poll while somebody waits, so it makes no objects. Who
     * waits leaves the list before being told, which may change the list.
     */
    public void settle()
    {
        for (Wait wait = takeSettled(); null != wait; wait = takeSettled())
        {
            wait.done.complete(List.of());
        }
    }

    private Wait takeSettled()
    {
        for (int i = waits.size() - 1; i >= 0; i--)
        {
            if (!waits.get(i).queuePair.outstandingCommands().isAnyRefused(waits.get(i)))
            {
                return waits.remove(i);
            }
        }
        return null;
    }

    private void onCheck(final long nowNs)
    {
        final List<Wait> overdue = new ArrayList<>();
        // What ends here may change the list.
        for (final Wait wait : List.copyOf(waits))
        {
            final OutstandingCommands commands = wait.queuePair.outstandingCommands();
            commands.endWaiting(wait);
            if (DrainTimer.isHostOverdue(wait.sinceNs, nowNs) && commands.isAnyWithHost(wait))
            {
                DrainTimer.endConnection(wait.queuePair, "ANA states were changed");
            }
            if (DrainTimer.isDeviceOverdue(wait.sinceNs, nowNs))
            {
                overdue.add(wait);
            }
        }
        settle();
        for (final Wait wait : overdue)
        {
            if (waits.remove(wait))
            {
                wait.done.complete(wait.queuePair.outstandingCommands().unfinished(wait));
            }
        }
        if (!waits.isEmpty())
        {
            timer.start();
        }
    }
}
