package io.millrace.block.raid;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.BitmapPage;
import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.List;
import java.util.stream.Collectors;

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
        checkLevel(config, superblock);
        checkChecksums(config, found, superblock);
        check("strip-size", config.stripBytes(), superblock.stripBytes());
        checkCount(config, found, superblock);
        check("block size", found.getFirst().device().geometry().blockSizeBytes(), superblock.blockSizeBytes());
    }

    /**
     * Refuses a name that the array had before it was renamed: whoever has it knows nothing of that.
     *
     * @param config      settings.
     * @param superblocks of the members.
     * @throws BlockDeviceException naming both.
     */
    static void checkName(final RaidConfig config, final MemberSuperblocks superblocks)
    {
        if (superblocks.isFormer(config.name()))
        {
            final Superblock newest = superblocks.newest();
            throw new BlockDeviceException("array " + config.name() + ": was renamed to " + newest.name() + " (" +
                newest.array() + "): use that name, in namespaces too, each with its uuid, or rename it when it " +
                "serves (millrace raid rename " + newest.name() + ' ' + config.name() + ')');
        }
    }

    /** With checksums the array does not follow settings of another level or of one member more, either. */
    private static void checkChecksums(
        final RaidConfig config, final List<FoundMember> found, final Superblock superblock)
    {
        final boolean recorded = 0 != superblock.checksumOffset();
        if (config.checksums() != recorded)
        {
            final String level = superblock.level().label();
            final int count = superblock.slots().size();
            // Where not all hold one, it may be a device that the list should not have.
            final String holders = found.stream().allMatch((each) -> null != each.superblock()) ? "" : found.stream()
                .filter((each) -> null != each.superblock()).map((each) -> each.device().name())
                .collect(Collectors.joining(", "));
            throw new BlockDeviceException("checksums is " + config.checksums() + " in the configuration and " +
                recorded + " in the superblocks" + (holders.isEmpty() ? "" : " of " + holders) +
                ", and does not change: set checksums to " + recorded +
                (!recorded || level.equals(config.level().label()) ? "" : ", level to " + level) +
                (!recorded || count >= config.members().size() ? "" : ", and members to its " + count + " devices,") +
                " to use this array, or list other devices for a new one with " +
                (config.checksums() ? "" : "no ") + "checksums, and copy the data" + (holders.isEmpty() ? "" :
                ", or erase the superblocks of " + holders + " first (docs/raid.md, Erasing a member)"));
        }
    }

    /** Settings may say RAID 6 before the array is that, with one member more, or RAID 5 when it is that no more. */
    private static void checkLevel(final RaidConfig config, final Superblock superblock)
    {
        final int more = config.members().size() - superblock.slots().size();
        final RaidLevel target = LevelChange.target(superblock.level(), config.level());
        if (null == target || target.parityCount() - superblock.level().parityCount() != more && target !=
            superblock.level())
        {
            check("level", config.level().label(), superblock.level().label());
            check("parity-strips", config.level().parityStrips(), superblock.level().parityStrips());
        }
    }

    /**
     * Settings may name one more that the array gets when it has been started. And the array may have got the last slot
     * without settings that name its device, which is found, or missing as others may be.
     */
    private static void checkCount(
        final RaidConfig config, final List<FoundMember> found, final Superblock superblock)
    {
        final int count = superblock.slots().size();
        final boolean canGrow = RaidLevel.RAID1 == config.level() || config.level().parityCount() > 0;
        final boolean isLastNamed = found.stream().anyMatch((each) -> null != each.superblock() &&
            count - 1 == superblock.slotOf(each.superblock().member()) &&
            config.members().contains(each.device().name()));
        if (canGrow &&
            (config.members().size() == count + 1 || config.members().size() == count - 1 && !isLastNamed))
        {
            return;
        }
        check("count of members", config.members().size(), count);
    }

    /**
     * Checks that members which are there suffice.
     *
     * @param config    settings.
     * @param found     devices that are there.
     * @param layout    of the data, as {@link StripMap#countingLayout} has it.
     * @param isPresent by slot, of members in sync.
     * @param isMissing by slot, of members that were in sync.
     * @param missing   those, for people.
     * @param why       devices are not used, in brackets; may be empty.
     * @throws BlockDeviceException when they do not.
     */
    static void checkStart(
        final RaidConfig config,
        final List<FoundMember> found,
        final ArrayLayout layout,
        final boolean[] isPresent,
        final boolean[] isMissing,
        final List<String> missing,
        final String why)
    {
        if (!ArrayView.isSufficient(layout, isPresent))
        {
            throw new BlockDeviceException("too few members are there: without " + String.join(", ", missing) +
                " some data cannot be read: make them available and start again" + leftover(found) + why);
        }
        if (!missing.isEmpty() && ArrayView.isSufficient(layout, isMissing) && !config.forceStart())
        {
            throw new BlockDeviceException("members " + String.join(", ", missing) + " are missing, and may have " +
                "gone on without the others and have newer data: make them available, or, when they are " +
                "lost for good, set force-start: true and keep their names in members" + why);
        }
    }

    /** Where other devices hold none, a new array may be wanted, and the superblocks be what an old one has left. */
    private static String leftover(final List<FoundMember> found)
    {
        final String holders = found.stream().filter((each) -> null != each.superblock())
            .map((each) -> each.device().name() + " (" + each.superblock().member() + ')')
            .collect(Collectors.joining(", "));
        return found.stream().allMatch((each) -> null != each.superblock()) ? "" : ", or, for a new array, erase " +
            "the superblocks that are on " + holders + " first (docs/raid.md, Erasing a member)";
    }

    /**
     * Checks that lost data can be computed.
     *
     * @param config    settings.
     * @param map       of the array.
     * @param isPresent by slot, of members in sync.
     * @param bitmap    of the array.
     * @param why       devices are not used, in brackets; may be empty.
     * @throws BlockDeviceException when parity may not match.
     */
    static void checkParity(
        final RaidConfig config,
        final StripMap map,
        final boolean[] isPresent,
        final FoundBitmap bitmap,
        final String why)
    {
        if (!ArrayView.hasAllData(map, isPresent) && !bitmap.dirty().isEmpty() && map.layout().parityCount() > 0 &&
            !config.forceStart())
        {
            throw new BlockDeviceException("parity may not match the data in " + bitmap.dirty().cardinality() + " of " +
                BitmapPage.regionCount(map.layout().memberBytes()) + " regions, and not every slot is in sync: " +
                "attach members that were in sync at the crash; one that had failed before does not help. If there " +
                "are none, restore from a backup, or set force-start: true and check the data, since what is " +
                "computed in those regions may be wrong" + why);
        }
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
