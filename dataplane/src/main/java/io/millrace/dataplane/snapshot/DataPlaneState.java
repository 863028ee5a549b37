package io.millrace.dataplane.snapshot;

/**
 * States of a data plane.
 */
public enum DataPlaneState
{
    /** Serves all commands. */
    SERVING,
    /** Serves connected hosts; new controllers are refused with Controller Busy. */
    DRAINING,
    /** Holds I/O commands; admin commands and keep alive continue. */
    PAUSED,
    /** Is being closed. */
    STOPPING
}
