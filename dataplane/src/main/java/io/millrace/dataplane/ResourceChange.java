package io.millrace.dataplane;

/**
 * Kinds of change of a resource.
 */
public enum ResourceChange
{
    /** It was created. */
    CREATED,
    /** It was deleted. */
    DELETED,
    /** It was modified. */
    CHANGED,
    /** A host has a controller. */
    CONNECTED,
    /** A host has lost its controller. */
    DISCONNECTED,
    /** A host was refused a controller. */
    REFUSED,
    /** It had an error that was not reported recently. */
    FAILED
}
