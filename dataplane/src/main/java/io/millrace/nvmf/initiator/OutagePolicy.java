package io.millrace.nvmf.initiator;

/**
 * What becomes of commands while a controller cannot be reached and reconnecting goes on.
 */
public enum OutagePolicy
{
    /** Commands that were outstanding are sent again after the reconnect; new ones are not taken meanwhile. */
    WAIT,
    /** Commands are completed with {@link HostRequest#STATUS_HOST_PATH_ERROR} at once. */
    FAIL
}
