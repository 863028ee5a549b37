package io.millrace.block.raid;

import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.List;

/**
 * A device that settings name behind those of all slots, when an array is started.
 *
 * @param member without a slot that is to get another one.
 * @param level  that the array has from then on.
 */
record Growth(RaidMember member, RaidLevel level)
{
    /**
     * {@return the growth that settings ask for; null: none. An array that lacks a member has the device as a spare}
     *
     * @param config     settings that go with the superblock.
     * @param newest     superblock.
     * @param slots      as the array is assembled.
     * @param members    of the array, with and without slots.
     * @param unfollowed gets a sentence where settings cannot be followed.
     */
    static Growth of(
        final RaidConfig config,
        final Superblock newest,
        final List<Slot> slots,
        final List<RaidMember> members,
        final List<String> unfollowed)
    {
        final RaidLevel level = LevelChange.target(newest.level(), config.level());
        if (level.parityCount() < newest.level().parityCount())
        {
            unfollowed.add("level is 5 in the configuration, and the array is RAID 6 since its level was changed: " +
                "set level: 6 and name all members, then change it back while it serves");
        }
        if (config.members().size() != slots.size() + 1)
        {
            return null;
        }
        if (0 != newest.checksumOffset())
        {
            unfollowed.add("members names " + config.members().size() + " devices, and the array has " + slots.size() +
                " slots and checksums, with which it neither grows nor changes its level: " +
                (level == newest.level() ? "" : "set level: " + newest.level().label() + " and ") +
                "leave the last name out of members");
            return null;
        }
        if (newest.reshape().isActive() || slots.stream().anyMatch((slot) -> SlotState.IN_SYNC != slot.state()))
        {
            unfollowed.add("members names " + config.members().size() + " devices, and the array has " + slots.size() +
                " slots: it grows when it is started with every slot in sync");
            return null;
        }
        return members.stream().filter((each) -> config.members().contains(each.device().name()) &&
            slots.stream().noneMatch((slot) -> each.id().equals(slot.member()))).findFirst()
            .map((member) -> new Growth(member, level)).orElse(null);
    }
}
