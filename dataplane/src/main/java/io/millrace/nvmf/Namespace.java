package io.millrace.nvmf;

import io.millrace.block.BlockDevice;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * A block device as a subsystem shows it. Immutable; shared by all reactors.
 *
 * @param nsid   its number in the subsystem, from 1 to {@link #NSID_MAX}.
 * @param device what holds the blocks; may be shared with other namespaces.
 * @param uuid   its identity, the same for every controller and after every restart; also its NGUID.
 */
public record Namespace(int nsid, BlockDevice device, UUID uuid)
{
    /** Largest namespace id. A subsystem's tables are as long as its largest id, on every reactor. */
    public static final int NSID_MAX = 16_384;
    /** Stands for all namespaces. */
    public static final int NSID_ALL = 0xFFFFFFFF;

    /**
     * Checks the number.
     */
    public Namespace
    {
        if (nsid < 1 || nsid > NSID_MAX)
        {
            throw new IllegalArgumentException("nsid " + nsid + " is not within 1 to " + NSID_MAX + ": choose another");
        }
    }

    /**
     * A namespace whose identity follows from where it is.
     *
     * @param nqn    of its subsystem.
     * @param nsid   its number.
     * @param device what holds the blocks.
     * @return the namespace.
     */
    public static Namespace of(final String nqn, final int nsid, final BlockDevice device)
    {
        final String name = nqn + '\n' + nsid + '\n' + device.name();
        return new Namespace(nsid, device, UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)));
    }
}
