package io.millrace.control.message;

import java.util.Objects;

/**
 * A subsystem to create.
 *
 * @param nqn          its name.
 * @param allowAnyHost let hosts in that are not on its list.
 * @param serial       at most 20 characters; empty: made from the name.
 * @param model        at most 40 characters; empty: the default.
 */
public record SubsystemSpec(String nqn, boolean allowAnyHost, String serial, String model)
{
    /**
     * Rejects null.
     */
    public SubsystemSpec
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(serial, "serial");
        Objects.requireNonNull(model, "model");
    }

    /**
     * A subsystem with a serial number made from its name, and the default model.
     *
     * @param nqn          its name.
     * @param allowAnyHost let hosts in that are not on its list.
     */
    public SubsystemSpec(final String nqn, final boolean allowAnyHost)
    {
        this(nqn, allowAnyHost, "", "");
    }
}
