package io.millrace.console;

/**
 * What the process answers its caller.
 */
public final class ExitCode
{
    /** Done. */
    public static final int OK = 0;
    /** It was tried and failed. */
    public static final int FAILURE = 1;
    /** Usage or configuration is wrong; nothing was started. */
    public static final int USAGE = 2;

    /** What is differs from what should be. */
    public static final int DIFFERENT = 3;

    private ExitCode()
    {
    }
}
