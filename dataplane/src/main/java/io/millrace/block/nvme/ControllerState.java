package io.millrace.block.nvme;

/**
 * States of a controller.
 */
public enum ControllerState
{
    /** It is being enabled and identified. */
    STARTING,
    /** It works. */
    LIVE,
    /** It is being restarted; requests wait. */
    RESETTING,
    /** It was stopped for good, or removed; requests end with an error. */
    FAILED,
    /** It was shut down. */
    CLOSED
}
