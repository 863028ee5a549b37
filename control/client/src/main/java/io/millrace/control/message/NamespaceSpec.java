package io.millrace.control.message;

import java.util.Objects;
import java.util.UUID;

/**
 * A namespace to add: shows a device in a subsystem.
 *
 * @param nqn    of the subsystem.
 * @param nsid   from 1.
 * @param uuid   that hosts see; all zero: made from NQN and NSID.
 * @param device that it shows.
 */
public record NamespaceSpec(String nqn, int nsid, UUID uuid, String device)
{
    /**
     * Refuses null.
     */
    public NamespaceSpec
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(uuid, "uuid");
        Objects.requireNonNull(device, "device");
    }

    /**
     * A namespace whose UUID is made from NQN and NSID.
     *
     * @param nqn    of the subsystem.
     * @param nsid   from 1.
     * @param device that it shows.
     */
    public NamespaceSpec(final String nqn, final int nsid, final String device)
    {
        this(nqn, nsid, new UUID(0, 0), device);
    }
}
