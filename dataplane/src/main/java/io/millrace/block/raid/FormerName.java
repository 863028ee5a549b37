package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.Superblock;
import io.millrace.memory.MemoryRegistry;
import java.util.List;

/** Names that arrays had before they were renamed. Set-up only; the caller waits for the devices. Stateless. */
public final class FormerName
{
    private FormerName()
    {
    }

    /**
     * {@return the name of the array that devices hold when a name is one that it had before; else that name}
     *
     * @param name     by which it is going to be assembled.
     * @param devices  of the array; those that cannot be read are left out.
     * @param registry memory registry of the data plane; null without one.
     */
    public static String currentName(
        final String name, final List<BlockDevice> devices, final MemoryRegistry registry)
    {
        Superblock newest = null;
        try (MemberIo io = new MemberIo(registry))
        {
            for (final BlockDevice each : devices)
            {
                final Superblock superblock = superblock(io, each);
                newest = null == superblock || null != newest && newest.eventCount() >= superblock.eventCount() ?
                    newest : superblock;
            }
        }
        return null != newest && newest.formerNames().contains(name) ? newest.name() : name;
    }

    /** Null when it has none that can be read: who assembles the array says so. */
    static Superblock superblock(final MemberIo io, final BlockDevice device)
    {
        try
        {
            MemberGeometries.check(List.of(device));
            return FoundMember.read(io, device).superblock();
        }
        catch (final BlockDeviceException e)
        {
            return null;
        }
    }
}
