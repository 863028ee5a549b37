package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateStep;
import io.millrace.manager.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One comparison of what a data plane is with what it should be: all that is kept of it is listed, and the difference
 * carried out as far as it is not refused, or withheld since it takes something away that nobody asked for. The
 * manager's thread; plans are made beside it.
 */
final class Comparison
{
    /** What it is for. */
    enum Purpose
    {
        /** The difference is carried out; what takes something away only where this desired state made it. */
        REPAIR,
        /** The difference is carried out, whatever it takes away: a person said so. */
        REPAIR_ALL,
        /** What is there is to become what should be. */
        ADOPT
    }

    /** How far it is; all but the first two end it. */
    enum State
    {
        /** The data plane is asked. */
        LISTING,
        /** The difference is planned and carried out. */
        REPAIRING,
        /** A later manager is in charge. */
        FENCED,
        /** The data plane did not tell all. */
        INCOMPLETE,
        /** {@link #found()} is to become what should be. */
        OBSERVED,
        /** What can be is done. */
        REPAIRED
    }

    private final Ledger ledger;
    private final PlaneLink link;
    private final WorkThread work;
    private final RequestOrder order;
    private final Leadership leadership;
    private final VersionTeller versions;
    private final ServedFiles files;
    private final Purpose purpose;
    private final Census census;
    private final PeerInfo peer;
    private State state = State.LISTING;
    private DriftRepair repair;
    private PlanRun run;
    private boolean isBegun;

    /** Asks at once. */
    Comparison(
        final Ledger ledger,
        final PlaneLink link,
        final WorkThread work,
        final RequestOrder order,
        final Leadership leadership,
        final VersionTeller versions,
        final ServedFiles files,
        final Purpose purpose)
    {
        this.ledger = ledger;
        this.link = link;
        this.work = work;
        this.order = order;
        peer = link.peer();
        this.leadership = leadership;
        this.versions = versions;
        this.files = files;
        this.purpose = purpose;
        census = new Census(link::submit, peer);
    }

    Purpose purpose()
    {
        return purpose;
    }

    /** Takes it as far as it goes now; answers how much was done. */
    int poll()
    {
        if (State.LISTING == state && census.isDone())
        {
            state = listed();
        }
        if (State.REPAIRING != state || null == run.plan() && null == run.refusal())
        {
            return 0;
        }
        if (!isBegun)
        {
            isBegun = true;
            if (steps() > 0)
            {
                versions.begin(ledger.position());
            }
        }
        final int count = run.poll();
        state = run.isDone() ? ended() : state;
        return count;
    }

    private State listed()
    {
        if (null != census.refusal())
        {
            return Code.STALE_TERM == census.refusal().code() ? State.FENCED : State.INCOMPLETE;
        }
        if (!leadership.isOld() && leadership.isOther(observed()))
        {
            return State.FENCED;
        }
        if (Purpose.ADOPT == purpose)
        {
            return State.OBSERVED;
        }
        final DesiredState desired = ledger.keptState();
        final boolean mayRemove = Purpose.REPAIR_ALL == purpose || isOwn();
        final boolean mayUndo = mayRemove || !isChangedDirectly();
        final boolean hasBase = !mayRemove && isInHistory(observed().position());
        final long base = observed().position().version();
        run = new PlanRun(work, () ->
        {
            repair = DriftRepair.of(found(), desired, peer, mayRemove, mayUndo,
                hasBase ? asked(base, desired) : AskedChanges.NONE);
            return repair.plan();
        }, StageRunner.OnRefusal.GO_ON, (command) -> link.submit(files.fitting(command, peer)), PlaneLink.WINDOW);
        return State.REPAIRING;
    }

    /** What is not known is not carried out unasked. */
    private AskedChanges asked(final long base, final DesiredState desired)
    {
        try
        {
            return AskedChanges.between(order.stateOf(base), desired);
        }
        catch (final IOException | StoreException _)
        {
            return AskedChanges.NONE;
        }
    }

    private boolean isInHistory(final StatePosition held)
    {
        return ledger.history().stream().anyMatch((each) -> each.position().equals(held));
    }

    /** Whether all that is there came from this desired state: what it has besides was taken out of that since. */
    private boolean isOwn()
    {
        final StatePosition held = observed().position();
        return held.isKnown() && held.isRelatedTo(ledger.position()) && !held.isAfter(ledger.position()) &&
            !isChangedDirectly();
    }

    private boolean isChangedDirectly()
    {
        return observed().directChanges() != observed().directChangesSeen() ||
            observed().directChanges() != census.directChangesBefore();
    }

    private State ended()
    {
        if (null != run.refusal() && Code.STALE_TERM == run.refusal().code())
        {
            return State.FENCED;
        }
        if (0 == left())
        {
            versions.onInSync(ledger.position(), census.directChangesBefore(), observed().directChangesSeen());
        }
        else if (observed().position().isKnown() && !observed().position().isRelatedTo(ledger.position()))
        {
            // A person gave it to this manager, though nothing was done about it yet: that is not asked again.
            versions.begin(ledger.position());
        }
        return State.REPAIRED;
    }

    State state()
    {
        return state;
    }

    /** Why it did not go on, or null. */
    String reason()
    {
        return null != refusal() ? refusal().text() : "term " + observed().term() + " of manager " +
            observed().managerName() + " is above " + leadership.term();
    }

    private Reply refusal()
    {
        return null == run ? census.refusal() : run.refusal();
    }

    /** Who is in charge by the data plane. */
    LeadershipInfo observed()
    {
        return census.leadership();
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

    /** What was carried out, in words. */
    String words()
    {
        return CommandWords.of(run.plan().steps().stream().map(StateStep::command).toList());
    }

    /** How many of them were refused. */
    int refusedCount()
    {
        return run.refusedCount();
    }

    /** How many differences are left: refused, withheld, or not carried out because of what would be lost. */
    int left()
    {
        return run.refusedCount() +
            (null == run.plan() ? 0 : run.plan().obstacles().size() + repair.withheld().size());
    }

    /** Why the first of them is left, in one sentence. */
    String firstLeft()
    {
        if (null != refusal())
        {
            return refusal().text();
        }
        if (!run.plan().obstacles().isEmpty())
        {
            return run.plan().obstacles().getFirst();
        }
        final boolean takesAway = repair.withheld().stream().anyMatch(DriftRepair::takesAway);
        final boolean allows = repair.withheld().stream().anyMatch((each) -> DriftRepair.allows(each.command()));
        return repair.withheld().size() + (takesAway ?
            " steps take something away that this desired state did not bring, and wait for a person: " : allows ?
            " steps allow access that may have been revoked directly, and wait for a person: " :
            " steps undo what may have been set directly, and wait for a person: ") +
            CommandWords.of(repair.withheld().stream().map(StateStep::command).toList()) +
            "; see 'millrace dataplane drift'";
    }

    /** All that is left, but for what was refused beyond the first. */
    List<DriftInfo> drift(final String dataPlane)
    {
        final List<DriftInfo> drift = new ArrayList<>();
        if (null != run.plan())
        {
            repair.withheld().forEach((step) -> drift.add(new DriftInfo(true, step.destructive(), dataPlane,
                step.sentence(), DriftRepair.reason(step))));
            run.plan().obstacles().forEach((each) -> drift.add(new DriftInfo(false, false, dataPlane, each,
                "no command brings it about without a loss")));
        }
        if (null != refusal())
        {
            drift.add(new DriftInfo(false, false, dataPlane, run.refusedCount() + " steps were refused",
                refusal().text()));
        }
        return drift;
    }
}
