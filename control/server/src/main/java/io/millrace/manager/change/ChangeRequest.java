package io.millrace.manager.change;

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
public final class ChangeRequest
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

    /**
     * Makes a change of one command.
     *
     * @param caller  who asks.
     * @param id      of the command.
     * @param command that changes the desired state.
     * @return the change.
     */
    public static ChangeRequest ofOne(final Caller caller, final CommandId id, final Command command)
    {
        final Command named = named(command);
        return new ChangeRequest(caller, id, named, List.of(named), null, CommandDescriptions.of(command));
    }

    /**
     * Makes a change of several commands, all of which are applied or none.
     *
     * @param caller   who asks.
     * @param id       of the request.
     * @param request  that is answered.
     * @param commands in order.
     * @param comment  of the version.
     * @return the change.
     */
    public static ChangeRequest ofMany(
        final Caller caller,
        final CommandId id,
        final Command request,
        final List<Command> commands,
        final String comment)
    {
        return new ChangeRequest(
            caller, id, request, commands.stream().map(ChangeRequest::named).toList(), null, comment);
    }

    /**
     * Makes a change to a whole state.
     *
     * @param caller  who asks.
     * @param id      of the request.
     * @param request that is answered.
     * @param target  the desired state afterwards.
     * @param comment of the version.
     * @return the change.
     */
    public static ChangeRequest toState(
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
     * @param editor of the state before it.
     * @return editor of the state after it.
     * @throws ControlException if it cannot be applied.
     */
    public StateEditor applyTo(final StateEditor editor)
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

    /** {@return whether this is a change of one command} */
    public boolean isOne()
    {
        return null == target && 1 == commands.size() && commands.getFirst() == request;
    }

    /** {@return who asked} */
    public Caller caller()
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

    /** {@return the original request} */
    public Command request()
    {
        return request;
    }

    /** {@return the commands, in order} */
    public List<Command> commands()
    {
        return commands;
    }

    /** {@return the comment of the version; may be empty} */
    public String comment()
    {
        return comment;
    }

    /** {@return the reply, once it is decided} */
    public CompletableFuture<Reply> future()
    {
        return future;
    }

    /** {@return the version that contains it; 0: none yet} */
    public long version()
    {
        return version;
    }

    /** {@return position of the version that contains it; null: none yet} */
    public StatePosition position()
    {
        return position;
    }

    /**
     * Sets the version that contains it.
     *
     * @param value position of the version.
     */
    public void position(final StatePosition value)
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

    /** {@return whether it is confirmed or reverted} */
    public boolean isSettled()
    {
        return State.OPEN != state;
    }

    /** {@return whether it is confirmed} */
    public boolean isConfirmed()
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

    /**
     * Makes a successful reply.
     *
     * @param text message; may be empty.
     * @return the reply.
     */
    public Reply ok(final String text)
    {
        return new Reply(Code.OK, isOne() ? valueOf(request, 0) : version, text);
    }

    /**
     * Computes the value of a successful reply.
     *
     * @param command that is answered.
     * @param version that contains its change.
     * @return value of the reply.
     */
    public static long valueOf(final Command command, final long version)
    {
        return switch (command)
        {
            case final Command.AddListener add -> add.listener().port();
            case Command.CommitChange _, Command.Rollback _, Command.ReplaceState _ -> version;
            default -> 0;
        };
    }
}
