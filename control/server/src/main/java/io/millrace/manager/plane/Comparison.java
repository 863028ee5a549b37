package io.millrace.manager.plane;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.service.Reply;
import io.millrace.control.setting.Units;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateStep;
import io.millrace.manager.change.CommandDescriptions;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.change.WorkThread;
import io.millrace.manager.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One comparison of actual and desired state: reads the actual state and applies the difference, except for refused
 * steps, and steps withheld because they would remove resources without a request. The manager's thread; plans are made
 * on another thread.
 */
final class Comparison
{
    /** What it is for. */
    enum Purpose
    {
        /** The difference is applied; resources are removed only if this desired state created them. */
        REPAIR,
        /** The difference is applied including all removals, as confirmed by an operator. */
        REPAIR_ALL,
        /** The actual state becomes the desired state. */
        ADOPT
    }

    /** State of the comparison; all but the first two end it. */
    enum State
    {
        /** The actual state is read. */
        LISTING,
        /** The difference is planned and applied. */
        REPAIRING,
        /** A manager with a later term is active. */
        FENCED,
        /** Not all lists were answered. */
        INCOMPLETE,
        /** {@link #found()} becomes the desired state. */
        OBSERVED,
        /** All possible steps are done. */
        REPAIRED
    }

    private final Ledger ledger;
    private final PlaneLink link;
    private final WorkThread work;
    private final RequestOrder order;
    private final Leadership leadership;
    private final VersionReporter versions;
    private final ServedFiles files;
    private final Purpose purpose;
    private final ObservedState observedState;
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
        final VersionReporter versions,
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
        observedState = new ObservedState(link::submit, peer);
    }

    Purpose purpose()
    {
        return purpose;
    }

    /** Advances as far as possible; returns the work count. */
    int poll()
    {
        if (State.LISTING == state && observedState.isDone())
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
        if (null != observedState.refusal())
        {
            return Code.STALE_TERM == observedState.refusal().code() ? State.FENCED : State.INCOMPLETE;
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
                hasBase ? asked(base, desired) : RequestedChanges.NONE);
            return repair.plan();
        }, StageRunner.OnRefusal.CONTINUE, (command) -> link.submit(files.fitting(command)), PlaneLink.WINDOW);
        return State.REPAIRING;
    }

    /** Unknown changes are not applied without a request. */
    private RequestedChanges asked(final long base, final DesiredState desired)
    {
        try
        {
            return RequestedChanges.between(order.stateOf(base), desired);
        }
        catch (final IOException | StoreException _)
        {
            return RequestedChanges.NONE;
        }
    }

    private boolean isInHistory(final StatePosition held)
    {
        return ledger.history().stream().anyMatch((each) -> each.position().equals(held));
    }

    /** Whether all resources were created by this desired state: extra ones were removed from it since. */
    private boolean isOwn()
    {
        final StatePosition held = observed().position();
        return held.isRelatedTo(ledger.position()) && !held.isAfter(ledger.position()) &&
            !isChangedDirectly();
    }

    private boolean isChangedDirectly()
    {
        return observed().directChanges() != observed().directChangesSeen() ||
            observed().directChanges() != observedState.directChangesBefore();
    }

    private State ended()
    {
        if (null != run.refusal() && Code.STALE_TERM == run.refusal().code())
        {
            return State.FENCED;
        }
        if (0 == left())
        {
            versions.onInSync(ledger.position(), observedState.directChangesBefore(), observed().directChangesSeen());
        }
        else if (observed().position().isKnown() && !observed().position().isRelatedTo(ledger.position()))
        {
            // An operator confirmed the take-over already; it is not asked for again.
            versions.begin(ledger.position());
        }
        return State.REPAIRED;
    }

    State state()
    {
        return state;
    }

    /** Reason of the failure, or null. */
    String reason()
    {
        return null != refusal() ? refusal().text() : "term " + observed().term() + " of manager " +
            observed().managerName() + " is above " + leadership.term();
    }

    private Reply refusal()
    {
        return null == run ? observedState.refusal() : run.refusal();
    }

    /** Leadership of the data plane. */
    LeadershipInfo observed()
    {
        return observedState.leadership();
    }

    /** The actual state. */
    DesiredState found()
    {
        return DesiredState.of(observedState.resources());
    }

    /** Number of steps. */
    int steps()
    {
        return null == run.plan() ? 0 : run.plan().steps().size();
    }

    /** Description of the steps. */
    String words()
    {
        return CommandDescriptions.of(run.plan().steps().stream().map(StateStep::command).toList());
    }

    /** Number of refused steps. */
    int refusedCount()
    {
        return run.refusedCount();
    }

    /** Number of remaining differences: refused, withheld, or not applied because data would be lost. */
    int left()
    {
        return run.refusedCount() +
            (null == run.plan() ? 0 : run.plan().obstacles().size() + repair.withheld().size());
    }

    /** Reason of the first remaining difference. */
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
        return withheld(repair.withheld());
    }

    /** Each reason with the steps that have it. */
    static String withheld(final List<StateStep> steps)
    {
        final Map<String, List<Command>> byReason = new LinkedHashMap<>();
        for (final StateStep step : steps)
        {
            byReason.computeIfAbsent(DriftRepair.reason(step), (reason) -> new ArrayList<>()).add(step.command());
        }
        return Units.count(steps.size(), "step") + (1 == steps.size() ? " needs" : " need") + " confirmation: " +
            byReason.entrySet().stream().map((each) -> CommandDescriptions.of(each.getValue()) +
                (1 == each.getValue().size() ? " (" : " (each ") + each.getKey() + ")")
                .collect(Collectors.joining(", ")) + "; see 'millrace dataplane drift'";
    }

    /** Remaining differences, with only the first refused step. */
    List<DriftInfo> drift(final String dataPlane)
    {
        final List<DriftInfo> drift = new ArrayList<>();
        if (null != run.plan())
        {
            repair.withheld().forEach((step) -> drift.add(new DriftInfo(true, step.destructive(), dataPlane,
                step.sentence(), DriftRepair.reason(step))));
            run.plan().obstacles().forEach((each) -> drift.add(new DriftInfo(false, false, dataPlane, each,
                "no command resolves it without loss of data")));
        }
        if (null != refusal())
        {
            drift.add(new DriftInfo(false, false, dataPlane,
                Units.count(run.refusedCount(), "step") + (1 == run.refusedCount() ? " was" : " were") + " refused",
                refusal().text()));
        }
        return drift;
    }
}
