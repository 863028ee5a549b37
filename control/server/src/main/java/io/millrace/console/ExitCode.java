package io.millrace.console;

/**
 * Exit codes of the process.
 */
public final class ExitCode
{
    /** Done. */
    public static final int OK = 0;
    /** It was tried and failed. */
    public static final int FAILURE = 1;
    /** Usage or configuration is wrong; nothing was started. */
    public static final int USAGE = 2;

    /** A dry run or comparison found changes. */
    public static final int CHANGES = 3;

    private ExitCode()
    {
    }
}
