package io.millrace.nvmf.initiator;

/**
 * Treatment of commands while a controller is unreachable and being reconnected.
 */
public enum OutagePolicy
{
    /** Commands that were outstanding are sent again after the reconnect; new ones are not taken meanwhile. */
    WAIT,
    /** Commands are completed with {@link HostRequest#STATUS_HOST_PATH_ERROR} at once. */
    FAIL
}
