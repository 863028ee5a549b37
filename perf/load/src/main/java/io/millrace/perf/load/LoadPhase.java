package io.millrace.perf.load;

/**
 * What a load does at present, in the order of doing it; phases that are not asked for are left out.
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
