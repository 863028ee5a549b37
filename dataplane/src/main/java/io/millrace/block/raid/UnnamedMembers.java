package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Finds members in sync that the configuration does not name, among devices that nothing uses. Settings name the new
 * device as soon as a member is being replaced; until that has ended, the old one has the data, and a start without it
 * would be one without a member. Set-up only.
 */
final class UnnamedMembers
{
    private final MemberIo io;
    private final Supplier<List<BlockDevice>> unused;
    private List<FoundMember> candidates;

    /**
     * @param io     to read with.
     * @param unused devices to look at, when a member is missing.
     */
    UnnamedMembers(final MemberIo io, final Supplier<List<BlockDevice>> unused)
    {
        this.io = io;
        this.unused = unused;
    }

    /**
     * Finds members that are in sync by a superblock, or by their own that is newer, and are not among those that were
     * found. Where none is missing, there is nothing to find.
     *
     * @param newest superblock.
     * @param found  members, at least one.
     * @return others, from the present life of the array. A device that has the UUID of another one is left out, since
     *     one is a copy of the other, and nothing tells which.
     */
    List<FoundMember> find(final Superblock newest, final List<FoundMember> found)
    {
        final Set<UUID> missing = new HashSet<>();
        newest.slots().stream().filter((slot) -> SlotState.IN_SYNC == slot.state())
            .forEach((slot) -> missing.add(slot.member()));
        final Set<UUID> present = new HashSet<>();
        found.stream().filter((each) -> null != each.superblock())
            .forEach((each) -> present.add(each.superblock().member()));
        missing.removeAll(present);
        if (missing.isEmpty())
        {
            return List.of();
        }
        final Map<UUID, List<FoundMember>> byId = new HashMap<>();
        for (final FoundMember each : candidates(found.getFirst().device()))
        {
            final Superblock superblock = each.superblock();
            final boolean isNewer =
                superblock.eventCount() > newest.eventCount() && isInSync(superblock.member(), superblock);
            if (newest.array().equals(superblock.array()) && !present.contains(superblock.member()) &&
                (isNewer || missing.contains(superblock.member()) && isOfLastAssembly(superblock, newest)))
            {
                byId.computeIfAbsent(superblock.member(), (_) -> new ArrayList<>()).add(each);
            }
        }
        return byId.values().stream().filter((same) -> 1 == same.size()).map(List::getFirst).toList();
    }

    /**
     * {@return whether a superblock says that a member is in sync}
     *
     * @param member     UUID of the member.
     * @param superblock of the array.
     */
    static boolean isInSync(final UUID member, final Superblock superblock)
    {
        final int slot = superblock.slotOf(member);
        return slot >= 0 && SlotState.IN_SYNC == superblock.slots().get(slot).state();
    }

    /**
     * {@return whether a superblock was written since the array was assembled the last time: a copy of a member that
     * was made before then has old data}
     *
     * @param superblock of a device.
     * @param newest     superblock.
     */
    static boolean isOfLastAssembly(final Superblock superblock, final Superblock newest)
    {
        return superblock.eventCount() > newest.eventCount() - RaidAssembly.ASSEMBLY_EVENTS;
    }

    /** Those with a superblock that could be members beside another one. */
    private List<FoundMember> candidates(final BlockDevice member)
    {
        if (null == candidates)
        {
            candidates = new ArrayList<>();
            for (final BlockDevice device : unused.get())
            {
                try
                {
                    MemberGeometries.check(List.of(member, device));
                    final FoundMember each = FoundMember.read(io, device);
                    if (null != each.superblock())
                    {
                        candidates.add(each);
                    }
                }
                catch (final BlockDeviceException e)
                {
                    // It is no member that could be used, and nobody named it.
                }
            }
        }
        return candidates;
    }
}
