package io.millrace.dataplane;

/**
 * What a data plane does for its hosts.
 */
public enum DataPlaneState
{
    /** Everything. */
    SERVING,
    /** Serves who is connected; new controllers are told to try again later. */
    DRAINING,
    /** Takes I/O commands in and holds them; admin commands and keep alive go on. */
    PAUSED,
    /** Is being closed. */
    STOPPING
}
