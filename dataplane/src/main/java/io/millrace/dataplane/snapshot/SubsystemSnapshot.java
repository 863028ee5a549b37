package io.millrace.dataplane.snapshot;

/**
 * A subsystem as it is now. Immutable.
 *
 * @param nqn          its name.
 * @param serial       as hosts see it.
 * @param model        as hosts see it.
 * @param allowAnyHost whether every host may connect.
 * @param namespaces   how many it has.
 * @param controllers  that hosts have on it.
 */
public record SubsystemSnapshot(
    String nqn,
    String serial,
    String model,
    boolean allowAnyHost,
    int namespaces,
    int controllers)
{
}
