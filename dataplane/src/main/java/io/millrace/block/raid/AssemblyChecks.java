package io.millrace.block.raid;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import java.util.List;

/** What must hold of superblocks that were found before an array is assembled by them. Stateless. */
final class AssemblyChecks
{
    private AssemblyChecks()
    {
    }

    /**
     * Compares settings with a superblock.
     *
     * @param config     settings.
     * @param found      members, at least one.
     * @param superblock of the array.
     * @throws BlockDeviceException where they differ.
     */
    static void checkConfigured(
        final RaidConfig config, final List<FoundMember> found, final Superblock superblock)
    {
        check("level", config.level().label(), superblock.level().label());
        check("strip-size", config.stripBytes(), superblock.stripBytes());
        check("count of members", config.members().size(), superblock.slots().size());
        check("block size", found.getFirst().device().geometry().blockSizeBytes(), superblock.blockSizeBytes());
    }

    private static void check(final String what, final Object configured, final Object recorded)
    {
        if (!configured.equals(recorded))
        {
            throw new BlockDeviceException(what + " is " + configured + " in the configuration and " + recorded +
                " in the superblocks: change the configuration, or list other devices for a new array");
        }
    }

    /**
     * A member that failed never has its identifier again: who says so of one in sync went on without it.
     *
     * @param found  members.
     * @param newest superblock.
     * @throws BlockDeviceException when one did.
     */
    static void checkSplit(final List<FoundMember> found, final Superblock newest)
    {
        for (final FoundMember each : found)
        {
            for (int slot = 0; null != each.superblock() &&
                slot < Math.min(newest.slots().size(), each.superblock().slots().size()); slot++)
            {
                final Slot recorded = newest.slots().get(slot);
                final Slot other = each.superblock().slots().get(slot);
                if (SlotState.IN_SYNC == recorded.state() && SlotState.FAILED == other.state() &&
                    recorded.member().equals(other.member()))
                {
                    throw new BlockDeviceException("the array was split: device " + each.device().name() +
                        " went on without others, and both parts have changes that the other lacks. Decide which to " +
                        "keep, copy what you need from the other, erase the superblocks of that (docs/raid.md, " +
                        "Erasing a member), and leave all names in members: what is erased is rebuilt");
                }
            }
        }
    }
}
