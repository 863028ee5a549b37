package io.millrace.reactor;

/**
 * Writes to standard error, and stops the process when an invariant is broken.
 */
final class HaltingErrorHandler implements ReactorErrorHandler
{
    static final HaltingErrorHandler INSTANCE = new HaltingErrorHandler();
    private static final Runtime RUNTIME = Runtime.getRuntime();

    static
    {
        try
        {
            // Runtime.halt() needs it. Loading a class takes memory, and there may be none left then.
            Class.forName("java.lang.Shutdown");
        }
        catch (final ClassNotFoundException e)
        {
            throw new ExceptionInInitializerError(e);
        }
    }

    private HaltingErrorHandler()
    {
    }

    @Override
    public void onCommandError(final Reactor reactor, final Runnable command, final Throwable error)
    {
        System.err.println("reactor " + reactor.config().name() + ": command " + command.getClass().getName() +
            " failed: " + error);
    }

    @Override
    public void onBrokenInvariant(final Reactor reactor, final Object source, final Throwable error)
    {
        try
        {
            System.err.println("reactor " + reactor.config().name() + ": " + source.getClass().getName() +
                " broke an invariant, the process stops: " + error);
            error.printStackTrace();
            System.err.flush();
        }
        finally
        {
            // No shutdown hooks: they would run over a state that is in doubt.
            RUNTIME.halt(EXIT_CODE_BROKEN_INVARIANT);
        }
    }
}
