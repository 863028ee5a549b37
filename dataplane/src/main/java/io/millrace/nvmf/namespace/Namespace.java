package io.millrace.nvmf.namespace;

import io.millrace.block.BlockDevice;
import io.millrace.nvmf.ana.AnaTable;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * A block device exposed by a subsystem. Immutable; shared by all reactors.
 *
 * @param nsid     its number in the subsystem, from 1 to {@link #NSID_MAX}.
 * @param device   what holds the blocks; may be shared with other namespaces.
 * @param uuid     its identity, the same for every controller and after every restart; also its NGUID.
 * @param anaGroup whose ANA states it has, from 1 to {@link #ANA_GROUP_MAX}.
 */
public record Namespace(int nsid, BlockDevice device, UUID uuid, int anaGroup)
{
    /** Largest namespace id. A subsystem's tables are as long as its largest id, on every reactor. */
    public static final int NSID_MAX = 16_384;
    /** Stands for all namespaces. */
    public static final int NSID_ALL = 0xFFFFFFFF;
    /** ANA group of a namespace that was given none. */
    public static final int ANA_GROUP_DEFAULT = 1;
    /** Largest ANA group id. */
    public static final int ANA_GROUP_MAX = AnaTable.GROUPS_MAX;

    /**
     * Checks the numbers.
     */
    public Namespace
    {
        if (nsid < 1 || nsid > NSID_MAX)
        {
            throw new IllegalArgumentException("nsid " + nsid + " is not within 1 to " + NSID_MAX + ": choose another");
        }
        if (anaGroup < 1 || anaGroup > ANA_GROUP_MAX)
        {
            throw new IllegalArgumentException(
                "ANA group " + anaGroup + " is not within 1 to " + ANA_GROUP_MAX + ": choose another");
        }
    }

    /**
     * A namespace in the default ANA group.
     *
     * @param nsid   its number.
     * @param device what holds the blocks.
     * @param uuid   its identity.
     */
    public Namespace(final int nsid, final BlockDevice device, final UUID uuid)
    {
        this(nsid, device, uuid, ANA_GROUP_DEFAULT);
    }

    /**
     * A namespace in the default ANA group whose identity follows from where it is.
     *
     * @param nqn    of its subsystem.
     * @param nsid   its number.
     * @param device what holds the blocks.
     * @return the namespace.
     */
    public static Namespace of(final String nqn, final int nsid, final BlockDevice device)
    {
        return of(nqn, nsid, device, ANA_GROUP_DEFAULT);
    }

    /**
     * A namespace whose identity follows from where it is.
     *
     * @param nqn      of its subsystem.
     * @param nsid     its number.
     * @param device   what holds the blocks.
     * @param anaGroup whose ANA states it has.
     * @return the namespace.
     */
    public static Namespace of(final String nqn, final int nsid, final BlockDevice device, final int anaGroup)
    {
        final String name = nqn + '\n' + nsid + '\n' + device.name();
        return new Namespace(nsid, device, UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)), anaGroup);
    }
}
