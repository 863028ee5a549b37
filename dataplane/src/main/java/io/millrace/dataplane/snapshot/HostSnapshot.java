package io.millrace.dataplane.snapshot;

/**
 * A host on the list of allowed hosts of a subsystem. Immutable.
 *
 * @param nqn     of the subsystem.
 * @param hostNqn of the host.
 */
public record HostSnapshot(String nqn, String hostNqn)
{
}
