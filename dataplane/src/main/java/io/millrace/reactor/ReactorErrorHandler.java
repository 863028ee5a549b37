package io.millrace.reactor;

/**
 * Handles errors on a {@link Reactor}. Called on the reactor's thread only.
 */
public interface ReactorErrorHandler
{
    /** Exit code of a process that stops itself: an internal software error, after {@code sysexits.h}. */
    int EXIT_CODE_BROKEN_INVARIANT = 70;

    /**
     * A command threw. The reactor goes on.
     *
     * @param reactor that ran it.
     * @param command that threw.
     * @param error   it threw.
     */
    void onCommandError(Reactor reactor, Runnable command, Throwable error);

    /**
     * A poller or listener threw, which none of them does by design: the state of the data path is undefined. When this
     * returns, the reactor's thread ends; commands that are outstanding then fail.
     *
     * @param reactor that cannot go on.
     * @param source  the poller or listener, or the reactor itself.
     * @param error   it threw.
     */
    void onBrokenInvariant(Reactor reactor, Object source, Throwable error);

    /**
     * The default handler: writes a line to standard error for a command; for a broken invariant the stack trace, then
     * the process stops at once, so that it is restarted and initiators reconnect.
     *
     * @return the handler; stateless.
     */
    static ReactorErrorHandler standard()
    {
        return HaltingErrorHandler.INSTANCE;
    }
}
