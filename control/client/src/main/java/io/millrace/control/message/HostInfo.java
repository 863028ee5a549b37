package io.millrace.control.message;

import java.util.Objects;

/**
 * A host allowed on a subsystem.
 *
 * @param nqn     of the subsystem.
 * @param hostNqn of the host.
 */
public record HostInfo(String nqn, String hostNqn) implements Resource
{
    /**
     * Rejects null.
     */
    public HostInfo
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(hostNqn, "hostNqn");
    }
}
