package io.millrace.dataplane.snapshot;

/**
 * Use of a device.
 */
public enum DeviceState
{
    /** Nothing uses it. */
    AVAILABLE,
    /** A namespace or another device uses it. */
    IN_USE,
    /** Its namespace is being removed, and has commands on it. */
    RELEASING,
    /** It is deleted when its own work has ended; nothing can use or modify it. */
    DELETING
}
