package io.millrace.control.service;

import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.PeerInfo;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Executes commands: a data plane, or a manager of several. Called on the thread of the {@link ControlService}, except
 * {@link #carryOut} of a command that may take long; nothing else may block.
 */
public interface ControlBackend extends AutoCloseable
{
    /**
     * {@return name that clients see}
     */
    String name();

    /**
     * {@return new at each start of the process}
     */
    UUID id();

    /**
     * {@return type and capabilities, which clients get}
     */
    PeerInfo peer();

    /**
     * Resolves the data plane of a session when it is opened.
     *
     * @param wanted name that the client gave; empty: the only one.
     * @return name of the data plane; empty if the session has none in particular.
     * @throws io.millrace.control.message.ControlException with the reason why the session is refused.
     */
    String dataPlane(String wanted);

    /**
     * {@return whether a command may block, such as on a file system: it runs on a separate thread, and later commands
     * wait; other sessions may {@link #list} meanwhile}
     *
     * @param command that changes something.
     */
    boolean mayTakeLong(Command command);

    /**
     * Executes a modifying command. Called for one command at a time, but possibly before earlier ones have completed.
     *
     * @param caller  client with a sufficient role.
     * @param id      of the command; not one that was executed recently.
     * @param term    of the manager that sends it; 0: not from a manager;
     *                {@link io.millrace.control.message.CommandHeader#DIRECT}: a direct change that bypasses the
     *                manager.
     * @param command to carry out.
     * @return the reply; may be completed by any thread, and never exceptionally.
     */
    CompletableFuture<Reply> carryOut(Caller caller, CommandId id, long term, Command command);

    /**
     * {@return whether a command is accepted from managers only: over UDP, from sessions with a key of role
     * {@code manager}}
     *
     * @param term    that it has, as for {@link #carryOut}.
     * @param command that was sent.
     */
    default boolean isManagerOnly(final long term, final Command command)
    {
        return command instanceof Command.TakeTerm;
    }

    /**
     * {@return the term of the active manager, which clients get; 0: none}
     */
    default long term()
    {
        return 0;
    }

    /**
     * Records the unexpected failure of a command, which was answered, for diagnosis. Called on the thread of
     * {@link #carryOut}.
     *
     * @param command that failed.
     * @param error   that it threw.
     */
    default void onFailed(final Command command, final Throwable error)
    {
    }

    /**
     * Lists resources.
     *
     * @param caller who wants them.
     * @param list   which.
     * @return the listing; may be completed by any thread. Exceptionally with a
     *     {@link io.millrace.control.message.ControlException} when it is refused.
     */
    CompletableFuture<Listing<?>> list(Caller caller, Command.List list);

    /**
     * {@return the next event, or null}
     */
    ServiceEvent pollEvent();

    /**
     * {@return number of events lost since the last call}
     */
    long takeLostEvents();

    /**
     * Performs periodic work; called repeatedly.
     *
     * @return the work count; 0 if the thread may idle.
     */
    default int poll()
    {
        return 0;
    }

    /**
     * A command was refused because the session's role is too low, or it is not a manager's session.
     *
     * @param caller  who wanted it.
     * @param command that was refused.
     * @param reply   given.
     */
    default void onRefused(final Caller caller, final Command command, final Reply reply)
    {
    }

    /**
     * A session that was open has ended.
     *
     * @param caller whose.
     */
    default void onSessionClosed(final Caller caller)
    {
    }

    /**
     * The service ends; the last call on its thread.
     */
    @Override
    default void close()
    {
    }
}
