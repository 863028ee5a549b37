package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.StatePosition;
import io.millrace.control.service.Caller;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateEditor;
import io.millrace.manager.store.AuditEntry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A requested change in progress: one command, several commands, or a whole state. The manager's thread.
 */
final class ChangeRequest
{
    /** State of the change. */
    private enum State
    {
        /** Undecided. */
        OPEN,
        /** Accepted. */
        CONFIRMED,
        /** Refused. */
        REFUSED
    }

    private final Caller caller;
    private final CommandId id;
    private final Command request;
    private final List<Command> commands;
    private final DesiredState target;
    private final String comment;
    private final UUID salt = UUID.randomUUID();
    private final CompletableFuture<Reply> future = new CompletableFuture<>();
    private State state = State.OPEN;
    private Reply pendingRejection;
    private long version;
    private StatePosition position;

    private ChangeRequest(
        final Caller caller,
        final CommandId id,
        final Command request,
        final List<Command> commands,
        final DesiredState target,
        final String comment)
    {
        this.caller = caller;
        this.id = id;
        this.request = request;
        this.commands = commands;
        this.target = target;
        this.comment = comment;
    }

    static ChangeRequest ofOne(final Caller caller, final CommandId id, final Command command)
    {
        final Command named = named(command);
        return new ChangeRequest(caller, id, named, List.of(named), null, CommandDescriptions.of(command));
    }

    static ChangeRequest ofMany(
        final Caller caller,
        final CommandId id,
        final Command request,
        final List<Command> commands,
        final String comment)
    {
        return new ChangeRequest(
            caller, id, request, commands.stream().map(ChangeRequest::named).toList(), null, comment);
    }

    static ChangeRequest toState(
        final Caller caller,
        final CommandId id,
        final Command request,
        final DesiredState target,
        final String comment)
    {
        return new ChangeRequest(caller, id, request, List.of(), target, comment);
    }

    /** A created device gets a new incarnation, whatever the client sent. */
    private static Command named(final Command command)
    {
        return command instanceof final Command.CreateDevice create && create.device().hasIncarnation() ?
            new Command.CreateDevice(create.device().with(UUID.randomUUID())) : command;
    }

    /** Deterministic, as the state is computed more than once. */
    private UUID incarnationOf(final DeviceSpec device)
    {
        return UUID.nameUUIDFromBytes((salt + " " + device.name()).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Applies the change to a state. Changes the given editor only for a single command that succeeds.
     *
     * @throws ControlException if it cannot be applied.
     */
    StateEditor applyTo(final StateEditor editor)
    {
        if (isOne())
        {
            editor.apply(commands.getFirst());
            return editor;
        }
        if (null != target)
        {
            return target.following(editor.state(), this::incarnationOf).edit();
        }
        final StateEditor copy = editor.state().edit();
        commands.forEach(copy::apply);
        return copy;
    }

    boolean isOne()
    {
        return null == target && 1 == commands.size() && commands.getFirst() == request;
    }

    Caller caller()
    {
        return caller;
    }

    String author()
    {
        return AuditEntry.client(caller.clientName(), caller.keyName());
    }

    CommandId id()
    {
        return id;
    }

    /** The original request. */
    Command request()
    {
        return request;
    }

    List<Command> commands()
    {
        return commands;
    }

    String comment()
    {
        return comment;
    }

    CompletableFuture<Reply> future()
    {
        return future;
    }

    /** Version that contains it; 0: none yet. */
    long version()
    {
        return version;
    }

    /** Position of that version; null: none yet. */
    StatePosition position()
    {
        return position;
    }

    void position(final StatePosition value)
    {
        position = value;
        version = value.version();
    }

    /** Refusal to send when the write in progress has ended; null: none. */
    Reply pendingRejection()
    {
        return pendingRejection;
    }

    void pendingRejection(final Reply value)
    {
        pendingRejection = value;
    }

    boolean isSettled()
    {
        return State.OPEN != state;
    }

    boolean isConfirmed()
    {
        return State.CONFIRMED == state;
    }

    boolean isRefused()
    {
        return State.REFUSED == state;
    }

    void confirm()
    {
        state = State.CONFIRMED;
    }

    void refuse()
    {
        state = State.REFUSED;
    }

    /** A successful reply with an optional message. */
    Reply ok(final String text)
    {
        return new Reply(Code.OK, isOne() ? valueOf(request, 0) : version, text);
    }

    /** Value of a successful reply. */
    static long valueOf(final Command command, final long version)
    {
        return switch (command)
        {
            case final Command.AddListener add -> add.listener().port();
            case Command.CommitChange _, Command.Rollback _, Command.ReplaceState _ -> version;
            default -> 0;
        };
    }
}
