package io.millrace.control.service;

import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.PeerInfo;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * What commands are carried out on: a data plane, or a manager of several. All is called on the thread of the {@link
 * ControlService}, but for {@link #carryOut} of a command that may take long; nothing else may block.
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
     * {@return what clients are told of it and of what it knows}
     */
    PeerInfo peer();

    /**
     * Finds what a session is about when it is opened.
     *
     * @param wanted name that the client gave; empty: the only one.
     * @return name of the data plane; empty when the session is about none in particular.
     * @throws io.millrace.control.message.ControlException saying why the client is not let in.
     */
    String dataPlane(String wanted);

    /**
     * {@return whether a command may wait for a file system or the like: it is carried out on a thread of its own, and
     * what comes behind it waits}
     *
     * @param command that changes something.
     */
    boolean mayTakeLong(Command command);

    /**
     * Carries out a command that changes something. Commands come one at a time; a later one may come before the answer
     * of one before.
     *
     * @param caller  who wants it, with a role that may do so.
     * @param id      of the command; not one that was carried out lately.
     * @param term    of the manager that sends it; 0: not from a manager; {@link
     *                io.millrace.control.message.CommandHeader#DIRECT}: past the manager in charge, on purpose.
     * @param command to carry out.
     * @return how it went; may be completed by any thread, and never exceptionally.
     */
    CompletableFuture<Reply> carryOut(Caller caller, CommandId id, long term, Command command);

    /**
     * {@return whether a command is taken from managers only: over UDP, from sessions with a key of role {@code
     * manager}}
     *
     * @param term    that it has, as for {@link #carryOut}.
     * @param command that was sent.
     */
    default boolean isOfManagers(final long term, final Command command)
    {
        return command instanceof Command.TakeTerm;
    }

    /**
     * {@return the term that a manager took of this, which sessions are told; 0: none}
     */
    default long term()
    {
        return 0;
    }

    /**
     * A command failed with what nobody expected: it was answered, and is to be kept for whoever looks for the cause.
     * Called where {@link #carryOut} was.
     *
     * @param command that failed.
     * @param error   that it threw.
     */
    default void onFailed(final Command command, final Throwable error)
    {
    }

    /**
     * Looks at resources.
     *
     * @param caller who wants them.
     * @param list   which.
     * @return what was found; may be completed by any thread. Exceptionally with a {@link
     * io.millrace.control.message.ControlException} when it is refused.
     */
    CompletableFuture<Listing<?>> list(Caller caller, Command.List list);

    /**
     * {@return the next thing that happened, or null}
     */
    ServiceEvent pollEvent();

    /**
     * {@return how many events were lost since it was asked last}
     */
    long takeLostEvents();

    /**
     * Does what else is due; called over and over.
     *
     * @return how much was done; 0 when the thread may idle.
     */
    default int poll()
    {
        return 0;
    }

    /**
     * A command was refused before it came here, since the session's role is too low, or the session no manager's.
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
     * The service ends; called on its thread, last of all.
     */
    @Override
    default void close()
    {
    }
}
