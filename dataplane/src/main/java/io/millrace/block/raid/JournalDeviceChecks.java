package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.JournalPlaces;
import io.millrace.block.raid.format.JournalState;
import io.millrace.block.raid.format.Superblock;
import java.util.List;
import java.util.UUID;

/** Whether a device can have the journal of an array, and what makes it the one that has. Stateless; set-up only. */
final class JournalDeviceChecks
{
    private JournalDeviceChecks()
    {
    }

    /**
     * Checks the geometry of a device.
     *
     * @param device that is to have the journal.
     * @param member of the array.
     * @throws BlockDeviceException naming the device, and why it cannot.
     */
    static void checkGeometry(final BlockDevice device, final BlockDevice member)
    {
        MemberGeometries.check(List.of(member, device));
        final long bytes = JournalPlaces.deviceBytes(device.geometry().sizeBytes());
        if (bytes < JournalPlaces.DEVICE_BYTES_MIN)
        {
            throw new BlockDeviceException("journal device " + device.name() + " of " +
                device.geometry().sizeBytes() + " bytes has room for " + Math.max(0, bytes) + " bytes of journal, " +
                "less than " + JournalPlaces.DEVICE_BYTES_MIN + ": use a larger device");
        }
    }

    /**
     * Checks what a device holds.
     *
     * @param found          on the device.
     * @param array          UUID of the array; null: it is new.
     * @param wipeSignatures whether other data is erased.
     * @throws BlockDeviceException naming the device, when that must not be overwritten.
     */
    static void checkContent(final FoundMember found, final UUID array, final boolean wipeSignatures)
    {
        final String name = found.device().name();
        final Superblock superblock = found.superblock();
        if (null != superblock && !superblock.array().equals(array))
        {
            throw new BlockDeviceException("journal device " + name + " is " + MemberErasure.describe(superblock) +
                ": use another, or erase its superblocks first (docs/raid.md, Erasing a member)");
        }
        if (null != superblock && superblock.slotOf(superblock.member()) >= 0)
        {
            throw new BlockDeviceException("journal device " + name + " is " + MemberErasure.describe(superblock) +
                ": name it in members, and another as journal-device");
        }
        if (null != found.foreign() && !wipeSignatures)
        {
            throw new BlockDeviceException("journal device " + name + " holds " + found.foreign() +
                ", which would be erased: use another device, or set wipe-signatures: true");
        }
    }

    /**
     * {@return whether a device has or had the journal of an array, by its own superblock}
     *
     * @param superblock of the device; null: it has none.
     */
    static boolean isJournalDevice(final Superblock superblock)
    {
        return null != superblock && superblock.member().equals(superblock.journal().device());
    }

    /**
     * Gives a device the superblock of the one that has the journal, which names itself. Entries that it holds have
     * another UUID than a new one, and do not count.
     *
     * @param io         to write with.
     * @param found      on the device.
     * @param superblock of the array.
     * @param id         UUID of the device: a new one, or the one it has.
     * @throws BlockDeviceException when it cannot be written.
     */
    static void attach(final MemberIo io, final FoundMember found, final Superblock superblock, final UUID id)
    {
        if (null == found.superblock())
        {
            FoundMember.wipe(io, found.device());
        }
        final JournalPlaces places = JournalPlaces.of(superblock.slots().size(), superblock.stripBytes())
            .onDevice(found.device().geometry().sizeBytes());
        FoundMember.writeSuperblock(io, found.device(), superblock.with(
            new JournalState(superblock.eventCount(), false, id, places.placeCount())).forMember(id));
    }
}
