package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.InvalidSuperblockException;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.Superblock;
import io.millrace.memory.MemoryRegistry;

/**
 * Says what lies at the ends of a device, and erases that, so that the device can become a member of another array. Of
 * devices that nothing uses; off the reactors, waits. Stateless.
 */
public final class MemberErasure
{
    private static final String DAMAGED = "damaged superblocks of an array";

    private MemberErasure()
    {
    }

    /**
     * Says what a device holds.
     *
     * @param device   that nothing uses.
     * @param registry memory registry of the data plane; null without one.
     * @return a noun, such as {@code member 1 of 3 of array vol0}; empty: nothing that is known.
     * @throws BlockDeviceException when the device cannot be read, or is an array.
     */
    public static String describe(final BlockDevice device, final MemoryRegistry registry)
    {
        checkNoArray(device);
        try (MemberIo io = new MemberIo(registry))
        {
            return describe(io, device);
        }
    }

    private static void checkNoArray(final BlockDevice device)
    {
        if (MemberGeometries.hasArray(device))
        {
            throw new BlockDeviceException("device " + device.name() + " is an array or made of one: name a device " +
                "that was a member of an array");
        }
    }

    private static String describe(final MemberIo io, final BlockDevice device)
    {
        try
        {
            final FoundMember found = FoundMember.read(io, device);
            return null != found.superblock() ? describe(found.superblock()) :
                null == found.foreign() ? "" : found.foreign();
        }
        catch (final BlockDeviceException e)
        {
            if (e.getCause() instanceof InvalidSuperblockException)
            {
                return DAMAGED;
            }
            throw e;
        }
    }

    /**
     * {@return what a device is that has a superblock, as a noun}
     *
     * @param superblock of the device.
     */
    static String describe(final Superblock superblock)
    {
        final int slot = superblock.slotOf(superblock.member());
        return (JournalDeviceChecks.isJournalDevice(superblock) ? "the journal device" :
            slot < 0 ? "a spare, or a member that failed or was replaced," : "the member of slot " + slot) +
            " of array " + superblock.name() + " (" + superblock.level().title(superblock.slots().size()) + ", UUID " +
            superblock.array() + ", member " + superblock.member() + ')';
    }

    /**
     * Erases what is at the ends of a device: its first 1 MiB and its last 128 KiB.
     *
     * @param device   that nothing uses.
     * @param expected what it holds, by {@link #describe}.
     * @param registry memory registry of the data plane; null without one.
     * @throws BlockDeviceException when it holds something else, or cannot be written.
     */
    public static void erase(final BlockDevice device, final String expected, final MemoryRegistry registry)
    {
        checkNoArray(device);
        if (device.geometry().readOnly())
        {
            throw new BlockDeviceException(
                "device " + device.name() + " is read-only: open it for writing to erase it");
        }
        try (MemberIo io = new MemberIo(registry))
        {
            final String present = describe(io, device);
            if (present.isEmpty() || !present.equals(expected))
            {
                throw new BlockDeviceException("device " + device.name() + " holds " +
                    (present.isEmpty() ? "nothing that is known" : present) + ", and not " + expected +
                    ": look at it again");
            }
            if (device.geometry().sizeBytes() <= MemberArea.DATA_OFFSET_BYTES)
            {
                throw new BlockDeviceException("device " + device.name() + " is too small for a member of an array");
            }
            FoundMember.wipe(io, device);
        }
    }
}
