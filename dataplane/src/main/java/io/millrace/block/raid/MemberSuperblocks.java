package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.Superblock;
import io.millrace.memory.MemoryRegistry;
import java.util.List;
import java.util.Objects;

/**
 * The superblocks that members of one array hold, as far as they can be read, and what they say of its name. A rename
 * that has not reached all slots was not answered: the array can be assembled by both names. Immutable.
 */
public final class MemberSuperblocks
{
    private final List<Superblock> all;
    private final Superblock newest;

    private MemberSuperblocks(final List<Superblock> all)
    {
        this.all = all;
        Superblock last = null;
        for (final Superblock each : all)
        {
            last = null != last && last.eventCount() >= each.eventCount() ? last : each;
        }
        newest = last;
    }

    /**
     * {@return the name of the array that devices hold when a name is one that it had before; else that name}
     *
     * @param name     by which it is going to be assembled.
     * @param devices  of the array; those that cannot be read are left out. The caller waits for them.
     * @param registry memory registry of the data plane; null without one.
     */
    public static String currentName(
        final String name, final List<BlockDevice> devices, final MemoryRegistry registry)
    {
        try (MemberIo io = new MemberIo(registry))
        {
            final MemberSuperblocks superblocks = read(io, devices);
            return superblocks.isFormer(name) ? superblocks.newest.name() : name;
        }
    }

    /**
     * Reads them.
     *
     * @param io      to read with.
     * @param devices those that have none, or cannot be read, are left out.
     * @return superblocks.
     */
    static MemberSuperblocks read(final MemberIo io, final List<BlockDevice> devices)
    {
        return new MemberSuperblocks(
            devices.stream().map((each) -> read(io, each)).filter(Objects::nonNull).toList());
    }

    /**
     * {@return those of members that were found}
     *
     * @param found members, and devices without a superblock.
     */
    static MemberSuperblocks of(final List<FoundMember> found)
    {
        return new MemberSuperblocks(found.stream().map(FoundMember::superblock).filter(Objects::nonNull).toList());
    }

    /** {@return the superblock of a device; null: none that can be read, of which who assembles the array says why} */
    static Superblock read(final MemberIo io, final BlockDevice device)
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

    /** {@return the superblock with the highest event count, of all members; null: there is none} */
    Superblock newest()
    {
        return newest;
    }

    /** {@return whether the array has a name, or had it before a rename that was interrupted} */
    boolean isName(final String name)
    {
        return null != newest && (newest.name().equals(name) || null != interrupted(name));
    }

    /** {@return whether the array had a name before it was renamed} */
    boolean isFormer(final String name)
    {
        return null != newest && newest.formerNames().contains(name) && null == interrupted(name);
    }

    /**
     * {@return names of the array when it is assembled by a name: by another one than it has, it is renamed}
     *
     * @param name that is not a former one.
     */
    ArrayNames.Stored names(final String name)
    {
        final Superblock interrupted = interrupted(name);
        final Superblock of = null == interrupted ? newest : interrupted;
        return new ArrayNames.Stored(of.name(), of.formerNames()).named(name);
    }

    /** A superblock with a name that the newest one says is a former one, of a member that has a slot by that. */
    private Superblock interrupted(final String name)
    {
        return null == newest || !newest.formerNames().contains(name) ? null : all.stream().filter((each) ->
            each.name().equals(name) && each.array().equals(newest.array()) && hasSlot(each) &&
            UnnamedMembers.isOfLastAssembly(each, newest)).findFirst().orElse(null);
    }

    private boolean hasSlot(final Superblock of)
    {
        final int slot = newest.slotOf(of.member());
        return slot >= 0 && newest.slots().get(slot).isActive();
    }
}
