package io.millrace.block.nvme;

/**
 * How a controller is.
 */
public enum ControllerState
{
    /** It is being enabled and asked what it is. */
    STARTING,
    /** It works. */
    LIVE,
    /** It is stopped and started again; requests wait. */
    RESETTING,
    /** It was given up and is stopped, or gone; requests end with an error. */
    FAILED,
    /** It was shut down. */
    CLOSED
}
