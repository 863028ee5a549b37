package io.millrace.dataplane;

/**
 * What happened to a resource.
 */
public enum ResourceChange
{
    /** It is there now. */
    CREATED,
    /** It is no longer there. */
    DELETED,
    /** It is another way now. */
    CHANGED,
    /** A host has a controller. */
    CONNECTED,
    /** A host has lost its controller. */
    DISCONNECTED,
    /** A host was refused a controller. */
    REFUSED,
    /** It had an error that it has not had lately. */
    FAILED
}
