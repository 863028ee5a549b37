package io.millrace.block.raid;

/** How a {@link MemberDisk} answers. */
public enum MemberState
{
    /** Serves requests. */
    ONLINE,
    /** Ends every request with an error of the device; stores nothing. */
    FAILING,
    /** Keeps requests until the state changes or the channel closes. */
    HANGING
}
