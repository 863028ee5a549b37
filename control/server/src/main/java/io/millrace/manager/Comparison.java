package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;

/**
 * One comparison of what a data plane is with what it should be: all that is kept of it is listed, and the difference
 * carried out as far as it is not refused. The manager's thread; plans are made beside it.
 */
final class Comparison
{
    /** How far it is; all but the first two end it. */
    enum State
    {
        /** The data plane is asked. */
        LISTING,
        /** The difference is planned and carried out. */
        MENDING,
        /** A later manager is in charge. */
        OVERRULED,
        /** The data plane did not tell all. */
        UNTOLD,
        /** It is not known what should be: {@link #found()} may become it. */
        FOUND,
        /** What can be is done. */
        MENDED
    }

    private final Ledger ledger;
    private final PlaneLink link;
    private final WorkThread work;
    private final Census census;
    private final PeerInfo peer;
    private State state = State.LISTING;
    private PlanRun run;

    /** Asks at once. */
    Comparison(final Ledger ledger, final PlaneLink link, final WorkThread work)
    {
        this.ledger = ledger;
        this.link = link;
        this.work = work;
        peer = link.peer();
        census = new Census(link::submit, peer);
    }

    /** Takes it as far as it goes now; answers how much was done. */
    int poll()
    {
        if (State.LISTING == state && census.isDone())
        {
            state = null != census.refusal() ? ending(State.UNTOLD) : ledger.isKnown() ? mend() : State.FOUND;
        }
        if (State.MENDING != state)
        {
            return 0;
        }
        final int count = run.poll();
        state = run.isDone() ? ending(State.MENDED) : state;
        return count;
    }

    private State ending(final State otherwise)
    {
        return null != refusal() && Code.STALE_TERM == refusal().code() ? State.OVERRULED : otherwise;
    }

    private State mend()
    {
        final DesiredState desired = ledger.keptState();
        run = new PlanRun(work, () -> Mending.plan(found(), desired, peer),
            StageRunner.OnRefusal.GO_ON, link::submit, PlaneLink.WINDOW);
        return State.MENDING;
    }

    State state()
    {
        return state;
    }

    /** The first refusal, or that a later manager is in charge; null: none. */
    Reply refusal()
    {
        return null == run ? census.refusal() : run.refusal();
    }

    /** All that is kept of it. */
    DesiredState found()
    {
        return DesiredState.of(census.resources());
    }

    /** How many differences there were to be carried out. */
    int steps()
    {
        return null == run.plan() ? 0 : run.plan().steps().size();
    }

    /** How many of them were refused. */
    int refusedCount()
    {
        return run.refusedCount();
    }

    /** How many differences are left: refused, or not carried out because of what would be lost. */
    int left()
    {
        return run.refusedCount() + (null == run.plan() ? 0 : run.plan().obstacles().size());
    }

    /** Why the first of them is left, in one sentence. */
    String firstLeft()
    {
        return null == refusal() ? run.plan().obstacles().getFirst() : refusal().text();
    }
}
