package io.millrace.control.message;

import java.util.Objects;

/**
 * A subsystem of a data plane.
 *
 * @param nqn          its name.
 * @param allowAnyHost lets hosts in that are not on its list.
 * @param namespaces   how many it has.
 * @param controllers  hosts have on it.
 * @param serial       as hosts see it.
 * @param model        as hosts see it.
 */
public record SubsystemInfo(
    String nqn,
    boolean allowAnyHost,
    int namespaces,
    int controllers,
    String serial,
    String model)
    implements Resource
{
    /**
     * Rejects null.
     */
    public SubsystemInfo
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(serial, "serial");
        Objects.requireNonNull(model, "model");
    }
}
