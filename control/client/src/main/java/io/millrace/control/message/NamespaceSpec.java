package io.millrace.control.message;

import java.util.Objects;
import java.util.UUID;

/**
 * A namespace to add: shows a device in a subsystem.
 *
 * @param nqn      of the subsystem.
 * @param nsid     from 1.
 * @param uuid     that hosts see; all zero: made from NQN and NSID.
 * @param device   that it shows.
 * @param anaGroup whose ANA states it has, from 1.
 */
public record NamespaceSpec(String nqn, int nsid, UUID uuid, String device, int anaGroup)
{
    /** ANA group of a namespace that is given none. */
    public static final int ANA_GROUP_DEFAULT = 1;

    /**
     * Rejects null.
     */
    public NamespaceSpec
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(uuid, "uuid");
        Objects.requireNonNull(device, "device");
    }

    /**
     * A namespace in the default ANA group.
     *
     * @param nqn    of the subsystem.
     * @param nsid   from 1.
     * @param uuid   that hosts see; all zero: made from NQN and NSID.
     * @param device that it shows.
     */
    public NamespaceSpec(final String nqn, final int nsid, final UUID uuid, final String device)
    {
        this(nqn, nsid, uuid, device, ANA_GROUP_DEFAULT);
    }

    /**
     * A namespace in the default ANA group whose UUID is made from NQN and NSID.
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
