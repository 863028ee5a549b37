package io.millrace.block;

/**
 * Health of a device, from good to bad.
 */
public enum DeviceHealth
{
    /** It works. */
    ONLINE,
    /** It is being reset or reconnected; requests wait. */
    RECOVERING,
    /** It works with errors, warnings or without all of its members: an operator should look at it. */
    DEGRADED,
    /** It does not work, and does not recover by itself: requests end with errors. */
    FAILED
}
