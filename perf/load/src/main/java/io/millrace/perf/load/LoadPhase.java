package io.millrace.perf.load;

/**
 * Phases of a load, in order; phases that are not configured are skipped.
 */
public enum LoadPhase
{
    /** Connecting. */
    CONNECT,
    /** Load runs and is not counted. */
    WARM_UP,
    /** Load runs and is counted. */
    MEASURE,
    /** Nothing new is sent, outstanding commands are awaited. */
    DRAIN,
    /** Everything that was written is read back and verified. */
    READ_BACK,
    /** Over. */
    DONE;

    boolean isLoad()
    {
        return WARM_UP == this || MEASURE == this;
    }
}
