package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.service.Caller;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.change.AuditWriter;
import io.millrace.manager.change.ChangeRequest;
import io.millrace.manager.change.CommandDescriptions;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.change.RecentCommands;
import io.millrace.manager.change.StagedChange;
import io.millrace.manager.plane.ManagedPlane;
import io.millrace.manager.plane.ManagedPlanes;
import io.millrace.manager.plane.StageRunner;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.NanoClock;

/**
 * Commands of clients of a manager: changes of the desired state go through the ledger of the data plane, one by one or
 * staged in a session until they are committed; transient commands are forwarded. The thread of the service.
 */
final class ManagerCommands implements AutoCloseable
{
    private final ManagedPlanes planes;
    private final AuditWriter audit;
    private final RecentCommands recent;
    private final StateReplacements replacements;
    private final Map<Long, StagedChange> staged = new HashMap<>();

    ManagerCommands(
        final ManagedPlanes planes, final AuditWriter audit, final RecentCommands recent, final NanoClock clock)
    {
        this.planes = planes;
        this.audit = audit;
        this.recent = recent;
        replacements = new StateReplacements(this::accept, this::refuse, clock);
    }

    /** Documents of sessions and their plans. */
    StateReplacements replacements()
    {
        return replacements;
    }

    CompletableFuture<Reply> carryOut(final Caller caller, final CommandId commandId, final Command command)
    {
        final Reply known = recent.replyTo(commandId, command);
        if (null != known)
        {
            return CompletableFuture.completedFuture(known);
        }
        final ManagedPlane plane = planes.get(caller.dataPlane());
        if (null == plane)
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.INVALID, planes.nameRequired()));
        }
        return plane.order().inOrder(() -> carryOut(caller, commandId, plane, command));
    }

    private CompletableFuture<Reply> carryOut(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command command)
    {
        return switch (command)
        {
            case final Command.BeginChange begin -> begin(caller, plane, begin);
            case final Command.CommitChange commit -> commit(caller, commandId, plane, commit);
            case Command.AbandonChange _ -> CompletableFuture.completedFuture(
                null == staged.remove(caller.sessionId()) ? notBegun() : Reply.OK);
            case final Command.Reconcile reconcile -> reconcile(caller, plane, reconcile);
            case final Command.Rollback rollback -> rollback(caller, commandId, plane, rollback);
            case final Command.AddDocumentPart part ->
                CompletableFuture.completedFuture(replacements.add(caller, part));
            case final Command.ReplaceState replace -> replace(caller, commandId, plane, replace);
            default -> DesiredState.changesDesiredState(command) ?
                keep(caller, commandId, plane, command) : passOn(caller, commandId, plane, command);
        };
    }

    private CompletableFuture<Reply> replace(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command.ReplaceState replace)
    {
        if (staged.containsKey(caller.sessionId()))
        {
            return CompletableFuture.completedFuture(changeBegun());
        }
        final Reply unknown = 0 == replace.fromVersion() ? null :
            plane.ledger().unknownVersion(plane.name(), replace.fromVersion());
        if (null != unknown)
        {
            plane.ledger().refusals().add(commandId, unknown);
            return CompletableFuture.completedFuture(unknown);
        }
        return replacements.replace(caller, commandId, plane, replace);
    }

    private CompletableFuture<Reply> refuse(final ManagedPlane plane, final ChangeRequest change, final Reply reply)
    {
        finish(plane.name(), change, reply);
        return change.future();
    }

    private static Reply changeBegun()
    {
        return Reply.refused(Code.INVALID, "a change was begun in this session: commit or abandon it first");
    }

    private static Reply notBegun()
    {
        return Reply.refused(Code.INVALID, "no change was begun in this session: begin one first");
    }

    private CompletableFuture<Reply> begin(
        final Caller caller, final ManagedPlane plane, final Command.BeginChange begin)
    {
        if (staged.containsKey(caller.sessionId()))
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.INVALID,
                "a change was begun in this session already: commit or abandon it first"));
        }
        final Reply refused = plane.refusalOfChanges();
        if (null != refused)
        {
            return CompletableFuture.completedFuture(refused);
        }
        staged.put(caller.sessionId(), new StagedChange(begin.comment(), plane.ledger().tipState().edit()));
        return CompletableFuture.completedFuture(Reply.OK);
    }

    private CompletableFuture<Reply> keep(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command command)
    {
        final StagedChange change = staged.get(caller.sessionId());
        if (null == change)
        {
            final String noChange = plane.ledger().isKnown() && null == plane.refusalOfChanges() ?
                plane.ledger().noChange(command) : "";
            if (!noChange.isEmpty())
            {
                return unchanged(caller, commandId, plane, command, noChange);
            }
            return accept(plane, ChangeRequest.ofOne(caller, commandId, command));
        }
        if (change.isFull())
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.OVERLOADED,
                change.commands().size() + " commands in one change are too many: commit it and begin another"));
        }
        try
        {
            return CompletableFuture.completedFuture(new Reply(Code.OK, 0, change.add(command)));
        }
        catch (final ControlException e)
        {
            return CompletableFuture.completedFuture(Reply.refused(e.code(), e.getMessage()));
        }
    }

    /**
     * The command does not change the desired state. It is sent to the data plane nevertheless, since that may have
     * drifted. If the data plane does not answer, the next session compares it.
     */
    private CompletableFuture<Reply> unchanged(
        final Caller caller,
        final CommandId commandId,
        final ManagedPlane plane,
        final Command command,
        final String noChange)
    {
        final Reply same = new Reply(Code.OK, ChangeRequest.valueOf(command, 0), noChange);
        // Recorded, so that a repetition after a restart is not applied to a later state.
        plane.ledger().refusals().add(commandId, same);
        // Not after unsent changes: a later one could be sent with them and be reverted by it.
        final boolean isNext = plane.ledger().accepted() == plane.ledger().forwarded();
        final CompletableFuture<Reply> asked = isNext && plane.isConnected() ?
            plane.carryOut(plane.ledger().asDesired(command), commandId) : CompletableFuture.completedFuture(same);
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        asked.whenComplete((answer, failure) ->
        {
            final Reply reply = null == failure ? unchanged(plane, same, command, answer) : same;
            audit.add(caller, plane.name(), CommandDescriptions.of(command), 0, reply, () -> future.complete(reply));
        });
        return future;
    }

    /** A refusal does not affect the desired state: the data plane has drifted and is reconciled. */
    private static Reply unchanged(
        final ManagedPlane plane, final Reply same, final Command command, final Reply answer)
    {
        if (Code.STALE_TERM == answer.code())
        {
            // A term of another manager, or a later one of this manager in a new session.
            final Reply refusal = plane.refusalOfChanges();
            return null == refusal ? same : refusal;
        }
        if (Code.OK == answer.code())
        {
            return answer.text().isEmpty() ?
                new Reply(Code.OK, answer.value(), "drift of the data plane was repaired") :
                same;
        }
        return StageRunner.isGone(command, answer.code()) ? same :
            new Reply(Code.OK, same.value(), same.text() + "; the data plane has drifted: " + answer.text());
    }

    private CompletableFuture<Reply> commit(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command.CommitChange commit)
    {
        final StagedChange change = staged.remove(caller.sessionId());
        if (null == change)
        {
            return CompletableFuture.completedFuture(notBegun());
        }
        if (change.commands().isEmpty())
        {
            return CompletableFuture.completedFuture(
                new Reply(Code.OK, plane.ledger().version(), "no changes"));
        }
        return accept(plane,
            ChangeRequest.ofMany(caller, commandId, commit, change.commands(), change.comment()));
    }

    private CompletableFuture<Reply> reconcile(
        final Caller caller, final ManagedPlane plane, final Command.Reconcile reconcile)
    {
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        plane.reconcile(reconcile.mode()).thenAccept((reply) -> audit.add(caller, plane.name(),
            CommandDescriptions.of(reconcile), plane.ledger().version(), reply, () -> future.complete(reply)));
        return future;
    }

    private CompletableFuture<Reply> rollback(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command.Rollback rollback)
    {
        if (staged.containsKey(caller.sessionId()))
        {
            return CompletableFuture.completedFuture(changeBegun());
        }
        final Reply refused = plane.ledger().unknownVersion(plane.name(), rollback.version());
        if (null != refused)
        {
            plane.ledger().refusals().add(commandId, refused);
            return CompletableFuture.completedFuture(refused);
        }
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        plane.order().read(rollback.version(), (state, failure) ->
        {
            final CompletableFuture<Reply> done = null == failure ?
                accept(plane, ChangeRequest.toState(
                    caller, commandId, rollback, state, "rolled back to version " + rollback.version())) :
                CompletableFuture.completedFuture(Reply.refused(Code.FAILED,
                    "version " + rollback.version() + " cannot be read: " + Ledger.reason(failure)));
            done.thenAccept(future::complete);
        });
        return future;
    }

    private CompletableFuture<Reply> accept(final ManagedPlane plane, final ChangeRequest change)
    {
        final Reply refused = plane.accept(change);
        return null == refused ? change.future() : refuse(plane, change, refused);
    }

    /** Answers the client of a change, after its reply was written to the audit log. */
    void finish(final String dataPlane, final ChangeRequest change, final Reply reply)
    {
        final String words = change.isOne() ? CommandDescriptions.of(change.request()) :
            CommandDescriptions.of(change.request()) + ": " + change.comment();
        audit.add(change.caller(), dataPlane, words, change.version(), reply, () -> change.future().complete(reply));
    }

    private CompletableFuture<Reply> passOn(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command command)
    {
        if (staged.containsKey(caller.sessionId()))
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.INVALID, "'" + CommandDescriptions.of(command) +
                "' is transient and cannot be part of a change: commit or abandon the change first"));
        }
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        plane.carryOut(command, commandId).whenComplete((answer, failure) ->
        {
            final Reply reply = null == failure ? answer :
                failure instanceof final ControlException e ? Reply.refused(e.code(), e.getMessage()) :
                Reply.refused(Code.FAILED, Ledger.reason(failure));
            audit.add(caller, plane.name(), CommandDescriptions.of(command), 0, reply, () -> future.complete(reply));
        });
        return future;
    }

    void onSessionClosed(final Caller caller)
    {
        final ManagedPlane plane = planes.get(caller.dataPlane());
        if (null != plane)
        {
            // After its pending requests, which may begin a change.
            plane.order().inOrder(() ->
            {
                replacements.onSessionClosed(caller);
                return CompletableFuture.completedFuture(staged.remove(caller.sessionId()));
            });
        }
    }

    int poll()
    {
        return replacements.poll();
    }

    @Override
    public void close()
    {
        replacements.close();
    }
}
