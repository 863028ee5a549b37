package io.millrace.control.device;

/**
 * What becomes of the data when a device is deleted.
 */
public enum DeviceContent
{
    /** It is lost. */
    VOLATILE,
    /** The device stores no data. */
    NONE,
    /** It stays where it is: in a file, on a drive, at another target. */
    PERSISTENT,
    /** It is that of the devices below. */
    OF_BASE
}
