package io.millrace.nvmf.initiator;

/**
 * Treatment of commands while a controller is unreachable and being reconnected.
 */
public enum OutagePolicy
{
    /**
     * Commands that were outstanding are sent again after the reconnect; new ones are not taken meanwhile. Where one of
     * them changes data, the controller is connected again only when its former association cannot execute commands any
     * more ({@link io.millrace.nvme.identify.ControllerInfo#commandEndMs}, unless it has confirmed a reset), so that a
     * late first try overwrites nothing. Needs a keep-alive time-out: without one a controller has no time by which it
     * ends its commands.
     */
    WAIT,
    /** Commands are completed with {@link HostRequest#STATUS_HOST_PATH_ERROR} at once. */
    FAIL
}
