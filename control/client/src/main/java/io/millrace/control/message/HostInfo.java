package io.millrace.control.message;

import java.util.Objects;

/**
 * A host that a subsystem lets in.
 *
 * @param nqn     of the subsystem.
 * @param hostNqn of the host.
 */
public record HostInfo(String nqn, String hostNqn) implements Resource
{
    /**
     * Refuses null.
     */
    public HostInfo
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(hostNqn, "hostNqn");
    }
}
