package io.millrace.console;

/**
 * Errors after which a process is unreliable: the JVM is out of memory, out of stack, or broken. The process ends at
 * once, to be restarted, instead of continuing without the thread that failed.
 */
public final class FatalError
{
    /** Exit code of a process that stops itself: an internal software error, after {@code sysexits.h}. */
    public static final int EXIT_CODE = 70;

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

    private FatalError()
    {
    }

    /**
     * Ends the process when a thread dies of such an error that nobody caught. Other errors are printed as the JVM
     * does.
     */
    public static void haltOnUncaught()
    {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) ->
        {
            haltIfFatal(thread.getName(), error);
            System.err.print("Exception in thread \"" + thread.getName() + "\" ");
            error.printStackTrace();
        });
    }

    /**
     * Ends the process, without shutdown hooks, when an error or one of its causes is such an error.
     *
     * @param where  it happened, for the message.
     * @param thrown by anybody.
     */
    public static void haltIfFatal(final String where, final Throwable thrown)
    {
        for (Throwable each = thrown; null != each; each = each.getCause())
        {
            if (each instanceof VirtualMachineError)
            {
                halt(where, each);
            }
        }
    }

    /**
     * Ends the process, without shutdown hooks.
     *
     * @param where it happened, for the message.
     * @param error that nobody survives.
     */
    public static void halt(final String where, final Throwable error)
    {
        try
        {
            System.err.println(where + ": the process stops: " + error);
            error.printStackTrace();
            System.err.flush();
        }
        finally
        {
            RUNTIME.halt(EXIT_CODE);
        }
    }
}
