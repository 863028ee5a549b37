package io.millrace.control.device;

/**
 * What a change of a setting does to the device.
 */
public enum OnChange
{
    /** Applied while the device serves. */
    APPLIED,
    /** The device grows while it serves; it never shrinks. */
    GROWN,
    /** The device is deleted and created again: a person has to agree where data may be lost. */
    REPLACED,
    /** As {@link #REPLACED}, over other devices: those that it is made of hold the setting, and keep it. */
    FIXED
}
