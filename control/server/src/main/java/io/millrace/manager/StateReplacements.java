package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Effect;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.PlanStepInfo;
import io.millrace.control.service.Caller;
import io.millrace.control.service.Reply;
import io.millrace.control.setting.Units;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.HostImpact;
import io.millrace.control.state.StateDocument;
import io.millrace.control.state.StatePlan;
import io.millrace.control.state.StateStep;
import io.millrace.manager.change.ChangeRequest;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.change.WorkThread;
import io.millrace.manager.plane.ManagedPlane;
import io.millrace.settings.ConfigException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.agrona.concurrent.NanoClock;

/**
 * Replaces the desired state of a data plane by a document of a session, or by an earlier version. The plan leads from
 * the current desired state to the new one, so it can be made while the data plane is down. The manager's thread;
 * documents are parsed and planned sequentially on another thread, which bounds the heap.
 *
 * <p>A dry run is allowed in every session and delays no change: it is planned on the desired state at the time of the
 * request, out of order with changes. Other requests of its session wait or are refused.
 */
final class StateReplacements implements AutoCloseable
{
    /** Idle time after which a document of a session without permission to apply is dropped. */
    static final long IDLE_MAX_NS = TimeUnit.SECONDS.toNanos(30);
    private static final int PLANNERS_MAX = 32;
    /** How often a dry run is replanned if changes are written in between. */
    private static final int PLANS_MAX = 4;

    /** Document of a session and its plan. */
    private static final class Draft
    {
        private final Caller caller;
        private StringBuilder text = new StringBuilder();
        private long lengthBytes;
        private StateDocument document;
        private List<PlanStepInfo> steps = List.of();
        /** Null while nothing is read or planned. */
        private CompletableFuture<Void> planning;
        private boolean isAbandoned;
        private long usedNs;

        private Draft(final Caller caller)
        {
            this.caller = caller;
        }

        private boolean mayApply()
        {
            return caller.role().value() >= Role.ADMIN.value();
        }
    }

    /** The target state and its plan. */
    private record Outcome(DesiredState base, DesiredState target, StatePlan plan, StateDocument document)
    {
    }

    /** A request to replace the state or to plan it. */
    private record Request(
        Caller caller,
        CommandId id,
        ManagedPlane plane,
        Command.ReplaceState command,
        DesiredState earlier,
        Map<String, Set<String>> hosts,
        CompletableFuture<Reply> future)
    {
        private Request of(final DesiredState version)
        {
            return new Request(caller, id, plane, command, version, hosts, future);
        }

        private Request withHosts(final Map<String, Set<String>> connected)
        {
            return new Request(caller, id, plane, command, earlier, connected, future);
        }
    }

    /** Answers a refused change. */
    @FunctionalInterface
    interface Refusal
    {
        /** The reply, after it was written to the audit log. */
        CompletableFuture<Reply> answer(ManagedPlane plane, ChangeRequest change, Reply reply);
    }

    private final BiFunction<ManagedPlane, ChangeRequest, CompletableFuture<Reply>> accept;
    private final Refusal refusal;
    private final NanoClock clock;
    private final WorkThread planner = new WorkThread("millrace-plan");
    private final Map<Long, Draft> drafts = new HashMap<>();
    private final DocumentBytes bytes = new DocumentBytes();
    private int planners;

    /**
     * @param accept  takes a change into the ledger of its data plane.
     * @param refusal answers a refused change.
     * @param clock   of the manager.
     */
    StateReplacements(
        final BiFunction<ManagedPlane, ChangeRequest, CompletableFuture<Reply>> accept,
        final Refusal refusal,
        final NanoClock clock)
    {
        this.accept = accept;
        this.refusal = refusal;
        this.clock = clock;
    }

    /** Steps of the session's last plan, when they are known. */
    CompletableFuture<List<PlanStepInfo>> steps(final Caller caller)
    {
        final Draft draft = drafts.get(caller.sessionId());
        return null == draft ? CompletableFuture.completedFuture(List.of()) :
            null == draft.planning ? CompletableFuture.completedFuture(draft.steps) :
            draft.planning.thenApply((_) -> draft.steps);
    }

    /** A document in use is kept until its plan is made. */
    void onSessionClosed(final Caller caller)
    {
        final Draft draft = drafts.remove(caller.sessionId());
        if (null != draft)
        {
            draft.isAbandoned = true;
            releaseAbandoned(draft);
        }
    }

    private void releaseAbandoned(final Draft draft)
    {
        if (draft.isAbandoned && null == draft.planning)
        {
            hold(draft, -draft.lengthBytes);
        }
    }

    private void hold(final Draft draft, final long lengthBytes)
    {
        draft.lengthBytes += lengthBytes;
        bytes.hold(draft.mayApply(), lengthBytes);
    }

    Reply add(final Caller caller, final Command.AddDocumentPart part)
    {
        final Draft before = drafts.get(caller.sessionId());
        if (null != before && null != before.planning)
        {
            return isPlanning();
        }
        if (0 == part.position())
        {
            onSessionClosed(caller);
            drafts.put(caller.sessionId(), new Draft(caller));
        }
        final Draft draft = drafts.get(caller.sessionId());
        if (null == draft || null == draft.text || draft.lengthBytes != part.position())
        {
            return Reply.refused(Code.INVALID, "document part at byte " + part.position() + " does not follow the " +
                (null == draft ? 0 : draft.lengthBytes) + " bytes of this session: restart at byte 0");
        }
        final int lengthBytes = part.content().getBytes(StandardCharsets.UTF_8).length;
        final String tooLong = bytes.refusal(draft.mayApply(), draft.lengthBytes, lengthBytes);
        if (null != tooLong)
        {
            onSessionClosed(caller);
            return Reply.refused(Code.OVERLOADED, tooLong);
        }
        draft.text.append(part.content());
        draft.usedNs = clock.nanoTime();
        hold(draft, lengthBytes);
        return Reply.OK;
    }

    private static Reply isPlanning()
    {
        return Reply.refused(Code.OVERLOADED,
            "the document that this session sent is being read or planned: wait for the answer to that");
    }

    CompletableFuture<Reply> replace(
        final Caller caller, final CommandId id, final ManagedPlane plane, final Command.ReplaceState command)
    {
        final Reply forbidden = plane.refusalOfChanges();
        if (null != forbidden)
        {
            return CompletableFuture.completedFuture(forbidden);
        }
        final Draft draft = drafts.computeIfAbsent(caller.sessionId(), (_) -> new Draft(caller));
        if (null != draft.planning)
        {
            return CompletableFuture.completedFuture(isPlanning());
        }
        if (!draft.mayApply() && PLANNERS_MAX == planners)
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.OVERLOADED, PLANNERS_MAX +
                " sessions without permission to apply wait for their plans: try again later"));
        }
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        planners += draft.mayApply() ? 0 : 1;
        draft.planning = new CompletableFuture<>();
        draft.steps = List.of();
        final Request request = new Request(caller, id, plane, command, null, HostImpact.NONE, future);
        final BiConsumer<Map<String, Set<String>>, Throwable> then = (hosts, failure) ->
            begin(null == failure ? request.withHosts(hosts) : request, draft);
        // A data plane that does not answer has no hosts that could lose anything.
        if (command.isDryRun())
        {
            plane.connectedHosts().whenComplete(then);
        }
        else
        {
            plane.order().await(plane.connectedHosts(), then);
        }
        return future;
    }

    private void begin(final Request request, final Draft draft)
    {
        final Command.ReplaceState command = request.command();
        if (0 == command.fromVersion())
        {
            plan(request, draft, 1);
            return;
        }
        final BiConsumer<DesiredState, Throwable> then = (earlier, failure) ->
        {
            if (null == failure)
            {
                plan(request.of(earlier), draft, 1);
            }
            else
            {
                endPlanning(draft);
                request.future().complete(refusal(command, failure));
            }
        };
        if (command.isDryRun())
        {
            request.plane().order().readBeside(command.fromVersion(), then);
        }
        else
        {
            request.plane().order().read(command.fromVersion(), then);
        }
    }

    private void plan(final Request request, final Draft draft, final int count)
    {
        final Command.ReplaceState command = request.command();
        final Ledger ledger = request.plane().ledger();
        final DesiredState base = ledger.tipState();
        final long version = ledger.version();
        final Callable<Outcome> task = () -> outcome(request, draft, base);
        final BiConsumer<Outcome, Throwable> then = (outcome, failure) ->
        {
            if (null != failure)
            {
                if (0 == command.fromVersion())
                {
                    // Another attempt would fail, too.
                    hold(draft, -draft.lengthBytes);
                    draft.text = new StringBuilder();
                    draft.document = null;
                }
                endPlanning(draft);
                request.future().complete(refusal(command, failure));
                return;
            }
            if (0 == command.fromVersion())
            {
                draft.document = outcome.document();
                draft.text = null;
            }
            if (version != ledger.version() && (!command.isDryRun() || count < PLANS_MAX))
            {
                // Earlier changes were written or reverted in between.
                plan(request, draft, count + 1);
                return;
            }
            draft.steps = records(outcome);
            endPlanning(draft);
            end(request, outcome, version).thenAccept(request.future()::complete);
        };
        if (command.isDryRun())
        {
            planner.run(task, then);
        }
        else
        {
            request.plane().order().run(planner, task, then);
        }
    }

    private void endPlanning(final Draft draft)
    {
        final CompletableFuture<Void> planned = draft.planning;
        draft.planning = null;
        draft.usedNs = clock.nanoTime();
        planners -= draft.mayApply() ? 0 : 1;
        releaseAbandoned(draft);
        planned.complete(null);
    }

    /** Publishes finished plans and drops idle documents; returns the work count. */
    int poll()
    {
        final int count = planner.poll();
        if (!drafts.isEmpty())
        {
            dropIdle(clock.nanoTime());
        }
        return count;
    }

    private void dropIdle(final long nowNs)
    {
        drafts.values().removeIf((draft) ->
        {
            if (draft.mayApply() || null != draft.planning || nowNs - draft.usedNs < DocumentBytes.IDLE_MAX_NS)
            {
                return false;
            }
            draft.isAbandoned = true;
            releaseAbandoned(draft);
            return true;
        });
    }

    /** Ends what was begun. */
    @Override
    public void close()
    {
        planner.close();
    }

    private static Outcome outcome(final Request request, final Draft draft, final DesiredState base)
    {
        final Command.ReplaceState command = request.command();
        final StateDocument document = null != request.earlier() ?
            new StateDocument(request.earlier(), List.of(), List.of()) :
            null != draft.document ? draft.document : read(command, draft);
        final DesiredState target = (command.prunes() ? document.state() : document.state().including(base))
            .following(base, (_) -> UUID.randomUUID());
        final StatePlan plan = HostImpact.mark(StatePlan.between(base, target), target, request.hosts());
        return new Outcome(base, target, plan, document);
    }

    private static StateDocument read(final Command.ReplaceState command, final Draft draft)
    {
        if (null == draft.text || 0 == draft.lengthBytes)
        {
            throw new ConfigException("document", 0, "none was sent in this session; send one first");
        }
        return StateDocument.read(command.name().isEmpty() ? "document" : command.name(), draft.text.toString());
    }

    private static Reply refusal(final Command.ReplaceState command, final Throwable failure)
    {
        return failure instanceof final ConfigException e ? Reply.refused(Code.INVALID, e.getMessage()) :
            Reply.refused(Code.FAILED, (0 == command.fromVersion() ? "the document" :
            "version " + command.fromVersion()) + " cannot be read: " + Ledger.reason(failure));
    }

    private CompletableFuture<Reply> end(final Request request, final Outcome outcome, final long version)
    {
        final Command.ReplaceState command = request.command();
        final ManagedPlane plane = request.plane();
        final ChangeRequest change = ChangeRequest.toState(
            request.caller(), request.id(), command, outcome.target(), comment(command, outcome));
        final Reply refused = refusal(plane, command, outcome);
        if (null != refused)
        {
            plane.ledger().refusals().add(request.id(), refused);
            return command.isDryRun() ? CompletableFuture.completedFuture(refused) :
                refusal.answer(plane, change, refused);
        }
        final String text = String.join("; ", outcome.document().notes(outcome.base(), command.prunes()));
        if (command.isDryRun() || outcome.target().equals(outcome.base()))
        {
            return CompletableFuture.completedFuture(new Reply(Code.OK, version, text));
        }
        return accept.apply(plane, change);
    }

    private static Reply refusal(
        final ManagedPlane plane, final Command.ReplaceState command, final Outcome outcome)
    {
        final Ledger ledger = plane.ledger();
        final boolean isLatest = ledger.version() == command.ifVersion() && ledger.isWritten();
        if (0 != command.ifVersion() && !isLatest)
        {
            return Reply.refused(Code.INVALID, "the desired state of data plane " + plane.name() + " is version " +
                ledger.version() + (ledger.isWritten() ? "" : ", and another change to it is being written") +
                ", not version " + command.ifVersion() +
                " as asked: see 'millrace history' for newer versions, then try again");
        }
        if (command.isDryRun())
        {
            return null;
        }
        if (!outcome.plan().obstacles().isEmpty())
        {
            return Reply.refused(Code.INVALID, outcome.plan().obstacles().getFirst());
        }
        final List<StateStep> destructive =
            outcome.plan().steps().stream().filter(StateStep::destructive).toList();
        return destructive.isEmpty() || command.allowsDestroy() ? null : Reply.refused(Code.INVALID,
            destructive.size() + (1 == destructive.size() ? " step destroys data or takes" :
            " steps destroy data or take") + " a resource from hosts that use it, first: " +
            destructive.getFirst().sentence() +
            "; add --allow-destroy to confirm; nothing was done");
    }

    private static String comment(final Command.ReplaceState command, final Outcome outcome)
    {
        if (!command.comment().isEmpty())
        {
            return command.comment();
        }
        return (0 == command.fromVersion() ? "applied " + (command.name().isEmpty() ? "a document" : command.name()) :
            "rolled back to version " + command.fromVersion()) + ", " +
            Units.count(outcome.plan().steps().size(), "step");
    }

    private static List<PlanStepInfo> records(final Outcome outcome)
    {
        final List<PlanStepInfo> records = new ArrayList<>(outcome.plan().records());
        if (records.isEmpty() && !outcome.target().equals(outcome.base()))
        {
            records.add(new PlanStepInfo(Effect.CHANGE, false,
                "save settings without effect on the data plane: preallocate, or the size of a file"));
        }
        return records;
    }
}
