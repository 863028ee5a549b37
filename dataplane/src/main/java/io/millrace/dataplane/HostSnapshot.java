package io.millrace.dataplane;

/**
 * A host that a subsystem lets in by name. Immutable.
 *
 * @param nqn     of the subsystem.
 * @param hostNqn of the host.
 */
public record HostSnapshot(String nqn, String hostNqn)
{
}
