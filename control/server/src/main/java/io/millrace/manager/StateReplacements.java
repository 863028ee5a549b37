package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Effect;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.PlanStepInfo;
import io.millrace.control.service.Caller;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import io.millrace.control.state.StatePlan;
import io.millrace.control.state.StateStep;
import io.millrace.settings.ConfigException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * Replaces the desired state of a data plane by a document that a session has sent, or by an earlier version. The plan
 * leads from the desired state to the new one, so that it can be made while the data plane is down. The manager's
 * thread; documents are read and plans made beside it.
 */
final class StateReplacements
{
    /** What reading and planning a byte of a document takes of the heap, half as much again. */
    private static final int HEAP_BYTES_PER_BYTE = 60;
    private static final long DOCUMENT_MAX_BYTES =
        Math.min(StateDocument.LENGTH_MAX, Runtime.getRuntime().maxMemory() / HEAP_BYTES_PER_BYTE);
    private static final long ALL_MAX_BYTES = 2 * DOCUMENT_MAX_BYTES;

    /** What a session has sent, and what came of it. */
    private static final class Draft
    {
        private StringBuilder text = new StringBuilder();
        private long lengthBytes;
        private StateDocument document;
        private List<PlanStepInfo> steps = List.of();
    }

    /** The state that is wanted, and the way to it. */
    private record Outcome(DesiredState base, DesiredState target, StatePlan plan, StateDocument document)
    {
    }

    /** Answers a change that is not taken in. */
    @FunctionalInterface
    interface Refusal
    {
        /** The reply, when it is in the audit log. */
        CompletableFuture<Reply> answer(ManagedPlane plane, ChangeRequest change, Reply reply);
    }

    private final BiFunction<ManagedPlane, ChangeRequest, CompletableFuture<Reply>> accept;
    private final Refusal refusal;
    private final Map<Long, Draft> drafts = new HashMap<>();
    private long heldBytes;

    /**
     * @param accept  takes a change into the ledger of its data plane.
     * @param refusal answers a change that is not taken in.
     */
    StateReplacements(
        final BiFunction<ManagedPlane, ChangeRequest, CompletableFuture<Reply>> accept,
        final Refusal refusal)
    {
        this.accept = accept;
        this.refusal = refusal;
    }

    /** The steps of what a session replaced or planned last. */
    List<PlanStepInfo> steps(final Caller caller)
    {
        final Draft draft = drafts.get(caller.sessionId());
        return null == draft ? List.of() : draft.steps;
    }

    void onSessionClosed(final Caller caller)
    {
        final Draft draft = drafts.remove(caller.sessionId());
        heldBytes -= null == draft ? 0 : draft.lengthBytes;
    }

    Reply add(final Caller caller, final Command.AddDocumentPart part)
    {
        if (0 == part.position())
        {
            onSessionClosed(caller);
            drafts.put(caller.sessionId(), new Draft());
        }
        final Draft draft = drafts.get(caller.sessionId());
        if (null == draft || null == draft.text || draft.lengthBytes != part.position())
        {
            return Reply.refused(Code.INVALID, "document part at byte " + part.position() + " does not follow the " +
                (null == draft ? 0 : draft.lengthBytes) + " bytes that this session sent: begin again at byte 0");
        }
        final int lengthBytes = part.content().getBytes(StandardCharsets.UTF_8).length;
        if (draft.lengthBytes + lengthBytes > DOCUMENT_MAX_BYTES)
        {
            onSessionClosed(caller);
            return Reply.refused(Code.OVERLOADED, "the document is longer than " + DOCUMENT_MAX_BYTES +
                " bytes, the most that is read: leave out what is the default, or give the manager more heap");
        }
        if (heldBytes + lengthBytes > ALL_MAX_BYTES)
        {
            onSessionClosed(caller);
            return Reply.refused(Code.OVERLOADED, "the documents of all sessions are longer than " + ALL_MAX_BYTES +
                " bytes: try again when the other sessions have ended");
        }
        draft.text.append(part.content());
        draft.lengthBytes += lengthBytes;
        heldBytes += lengthBytes;
        return Reply.OK;
    }

    CompletableFuture<Reply> replace(
        final Caller caller, final CommandId id, final ManagedPlane plane, final Command.ReplaceState command)
    {
        final Reply forbidden = plane.refusalOfChanges();
        if (null != forbidden)
        {
            return CompletableFuture.completedFuture(forbidden);
        }
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        final Draft draft = drafts.computeIfAbsent(caller.sessionId(), (_) -> new Draft());
        draft.steps = List.of();
        plan(caller, id, plane, command, draft, future);
        return future;
    }

    private void plan(
        final Caller caller,
        final CommandId id,
        final ManagedPlane plane,
        final Command.ReplaceState command,
        final Draft draft,
        final CompletableFuture<Reply> future)
    {
        final Ledger ledger = plane.ledger();
        final DesiredState base = ledger.tipState();
        final long version = ledger.version();
        plane.order().run(() -> outcome(plane, command, draft, base), (outcome, failure) ->
        {
            if (null != failure)
            {
                future.complete(refusal(command, failure));
                return;
            }
            if (0 == command.fromVersion())
            {
                draft.document = outcome.document();
                draft.text = null;
            }
            if (version != ledger.version())
            {
                // Changes before this one were written, or taken back.
                plan(caller, id, plane, command, draft, future);
                return;
            }
            draft.steps = records(outcome);
            end(caller, id, plane, command, outcome).thenAccept(future::complete);
        });
    }

    private static Outcome outcome(
        final ManagedPlane plane, final Command.ReplaceState command, final Draft draft, final DesiredState base)
        throws Exception
    {
        final StateDocument document = 0 != command.fromVersion() ?
            new StateDocument(plane.order().stateOf(command.fromVersion()), List.of()) :
            null != draft.document ? draft.document : read(command, draft);
        final DesiredState target = (command.prunes() ? document.state() : document.state().including(base))
            .following(base, (_) -> UUID.randomUUID());
        return new Outcome(base, target, StatePlan.between(base, target), document);
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

    private CompletableFuture<Reply> end(
        final Caller caller,
        final CommandId id,
        final ManagedPlane plane,
        final Command.ReplaceState command,
        final Outcome outcome)
    {
        final Ledger ledger = plane.ledger();
        final ChangeRequest change =
            ChangeRequest.toState(caller, id, command, outcome.target(), comment(command, outcome));
        final Reply refused = refusal(plane, command, outcome);
        if (null != refused)
        {
            ledger.refusals().add(id, refused);
            return command.isDryRun() ? CompletableFuture.completedFuture(refused) :
                refusal.answer(plane, change, refused);
        }
        final List<String> skipped = outcome.document().skipped();
        final String text = skipped.isEmpty() ? "" :
            "skipped, since they belong to a process: " + String.join(", ", skipped);
        if (command.isDryRun() || outcome.target().equals(outcome.base()))
        {
            return CompletableFuture.completedFuture(new Reply(Code.OK, ledger.version(), text));
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
                " as asked: see 'millrace history' for what came since, then try again");
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
            destructive.size() + (1 == destructive.size() ? " step destroys" : " steps destroy") +
            " data or replaces what hosts use, first: " + destructive.getFirst().sentence() +
            "; add --allow-destroy if that is meant; nothing was done");
    }

    private static String comment(final Command.ReplaceState command, final Outcome outcome)
    {
        if (!command.comment().isEmpty())
        {
            return command.comment();
        }
        return (0 == command.fromVersion() ? "applied " + (command.name().isEmpty() ? "a document" : command.name()) :
            "rolled back to version " + command.fromVersion()) + ", " + outcome.plan().steps().size() +
            (1 == outcome.plan().steps().size() ? " step" : " steps");
    }

    private static List<PlanStepInfo> records(final Outcome outcome)
    {
        final List<PlanStepInfo> records = new ArrayList<>(outcome.plan().records());
        if (records.isEmpty() && !outcome.target().equals(outcome.base()))
        {
            records.add(new PlanStepInfo(Effect.CHANGE, false,
                "write settings down that change nothing on the data plane: preallocate, or the size of a file"));
        }
        return records;
    }
}
