package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.MemoryRegistry;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Applies the settings {@code members} and {@code spares} to an array that serves: finds which devices are new and
 * which are not named any more, checks all of that, and has {@link Membership} make the changes. Nothing is written to
 * a device before all checks have passed. Off the reactors; waits.
 */
public final class MembershipSettings
{
    private static final int WAIT_S = 30;

    private final RaidDevice array;
    private final Set<String> named;
    private final Set<String> wasNamed;
    private final List<String> wereMembers;
    private final RaidLevel wasLevel;
    private final RaidConfig config;
    private final MemoryRegistry registry;
    private final List<BlockDevice> added;
    private final List<RaidMember> removed = new ArrayList<>();
    /** Superblocks of devices that take the slot again that they were lost from. */
    private final Map<BlockDevice, Superblock> former = new HashMap<>();
    private final Map<BlockDevice, FoundLostBlocks> lost = new HashMap<>();
    /** In a slot, and not named any more. */
    private RaidMember replaced;
    /** That replaces it. */
    private BlockDevice replacement;

    private MembershipSettings(
        final RaidDevice array,
        final RaidConfig was,
        final RaidConfig config,
        final List<BlockDevice> added,
        final MemoryRegistry registry)
    {
        this.array = array;
        named = names(config);
        wasNamed = names(was);
        wereMembers = was.members();
        wasLevel = was.level();
        this.config = config;
        this.added = added;
        this.registry = registry;
    }

    private static Set<String> names(final RaidConfig config)
    {
        final Set<String> names = new HashSet<>(config.members());
        names.addAll(config.spares());
        return names;
    }

    /**
     * Applies settings.
     *
     * @param array    that serves.
     * @param was      its settings so far.
     * @param config   all its settings, with those that changed.
     * @param added    devices that are named and were not before; they belong to their owner.
     * @param registry memory registry of the data plane; null without one.
     * @throws BlockDeviceException when they are refused, with the remedy; the members are those they were, unless one
     *                              failed meanwhile.
     */
    public static void apply(
        final RaidDevice array,
        final RaidConfig was,
        final RaidConfig config,
        final List<BlockDevice> added,
        final MemoryRegistry registry)
    {
        Reactor.checkMayBlock("a change of the members of an array");
        final MembershipSettings settings = new MembershipSettings(array, was, config, List.copyOf(added), registry);
        settings.apply();
        settings.report();
    }

    /** Settings of the start may have been older. */
    private void report()
    {
        final ArrayView view = array.view();
        final RaidLevel level = view.layout().level();
        if (level == LevelChange.target(level, config.level()) && config.members().size() == view.slotCount())
        {
            array.reports().onSettingsFollowed();
        }
    }

    private void apply()
    {
        final ArrayView view = array.view();
        final int slots = view.slotCount();
        final RaidLevel level = LevelChange.target(view.layout().level(), config.level());
        if (wasLevel != config.level() && view.layout().level() != level)
        {
            changeLevel(view, level);
            return;
        }
        if (config.members().size() == slots + 1 && config.members().size() != wereMembers.size())
        {
            grow(ArrayGrowth.problem(array), view.layout().level());
            return;
        }
        if (config.members().size() != slots && config.members().size() != wereMembers.size())
        {
            throw new BlockDeviceException("members has " + config.members().size() + " names, and the array " +
                slots + " slots: name one device for each, or one more, which it grows by");
        }
        for (final RaidMember each : array.raidMembers())
        {
            if (!named.contains(each.device().name()) && each != array.journalDevice().member())
            {
                sort(view, each);
            }
        }
        if (null == replaced && added.isEmpty() && removed.isEmpty())
        {
            return;
        }
        if (RaidLevel.RAID0 == array.layout().level())
        {
            throw new BlockDeviceException("members of RAID 0 do not change: nothing could be copied or rebuilt");
        }
        if (null != view.failure())
        {
            throw new BlockDeviceException(view.failure());
        }
        if (null != replaced)
        {
            checkReplacement(view);
        }
        if (null != replacement && view.map().isReshaping())
        {
            throw new BlockDeviceException("array " + array.name() + " is being reshaped: replace " + replaced +
                " when that has ended, or fail it, which has a spare take its place");
        }
        admit();
        change(view);
    }

    private void changeLevel(final ArrayView view, final RaidLevel level)
    {
        if (null == level)
        {
            throw new BlockDeviceException(LevelChange.refusal(array, config.level()));
        }
        if (level.parityCount() < view.layout().parityCount())
        {
            lower(view);
            return;
        }
        if (config.members().size() != view.slotCount() + 1)
        {
            throw new BlockDeviceException("array " + array.name() + " gets one member more as RAID 6, which has Q: " +
                "name a new device behind the present members");
        }
        grow(LevelChange.raiseProblem(array), level);
    }

    private void lower(final ArrayView view)
    {
        final String problem = LevelChange.lowerProblem(array);
        if (null != problem)
        {
            throw new BlockDeviceException(problem);
        }
        final int slot = view.slotCount() - 1;
        final BlockDevice last = null == view.member(slot) ? null : view.member(slot).device();
        final Set<String> fewer = new HashSet<>(wasNamed);
        fewer.removeAll(named);
        if (1 != fewer.size() || !wasNamed.containsAll(named) || config.members().size() != slot ||
            null != last && !fewer.contains(last.name()))
        {
            throw new BlockDeviceException("array " + array.name() + " gets one member less as RAID 5, that of slot " +
                slot + ", which has Q: leave " + (null == last ? "one name that has no slot" : last.name()) +
                " out of members, and change nothing else");
        }
        run(array, new MemberChange.Lower(last, new CompletableFuture<>()));
    }

    /** One device more than the array has slots. */
    private void grow(final String problem, final RaidLevel level)
    {
        if (null != problem)
        {
            throw new BlockDeviceException(problem);
        }
        final List<String> more = new ArrayList<>(config.members());
        more.removeAll(wereMembers);
        if (1 != more.size() || !named.containsAll(wasNamed) || named.size() != wasNamed.size() + 1 ||
            1 != added.size())
        {
            throw new BlockDeviceException("array " + array.name() + " grows by one new device at a time: name " +
                "that behind the present members, and change nothing else; remove a spare before it becomes a member");
        }
        admit();
        run(array, new MemberChange.Grow(added.getFirst(), level, new CompletableFuture<>()));
    }

    private void sort(final ArrayView view, final RaidMember member)
    {
        final int slot = view.slotOf(member);
        // One that is being replaced is let go of afterwards.
        final boolean isLeaving =
            slot >= 0 && slot == view.targetSlot() && named.contains(view.target().device().name());
        if (slot < 0 || !view.isWritable(slot))
        {
            removed.add(member);
        }
        else if (!isLeaving)
        {
            if (null != replaced)
            {
                throw new BlockDeviceException("devices " + replaced + " and " + member + " are in slots: replace " +
                    "one, and the other when that has been copied");
            }
            replaced = member;
        }
    }

    private void checkReplacement(final ArrayView view)
    {
        final int slot = view.slotOf(replaced);
        replacement = added.stream().filter((each) -> config.members().contains(each.name())).findFirst().orElse(null);
        if (null == replacement && !wasNamed.contains(replaced.device().name()))
        {
            // What was to replace it has failed: it stays.
            replaced = null;
            return;
        }
        if (null == replacement)
        {
            refuseSpare(view);
            throw new BlockDeviceException("device " + replaced + " is in slot " + slot + " and is " +
                view.state(slot) + ": name a new device in members instead of it, which then replaces it");
        }
        if (SlotState.IN_SYNC != view.state(slot))
        {
            throw new BlockDeviceException("device " + replaced + " is being rebuilt in slot " + slot +
                ": replace it when that has ended");
        }
    }

    /** A spare that is named in its place: to replace a member in sync, a device has to be new. */
    private void refuseSpare(final ArrayView view)
    {
        for (final RaidMember each : array.raidMembers())
        {
            final String name = each.device().name();
            if (config.members().contains(name) && !wereMembers.contains(name) && view.slotOf(each) < 0)
            {
                throw new BlockDeviceException("device " + name + " is a spare, and " + replaced + " in slot " +
                    view.slotOf(replaced) + " has not failed: remove " + name + " from the spares first, then " +
                    "replace " + replaced + " by it");
            }
        }
    }

    /** Checks the devices that are new, then erases what they hold. */
    private void admit()
    {
        if (added.isEmpty())
        {
            return;
        }
        final List<BlockDevice> all = new ArrayList<>(array.members());
        all.addAll(added);
        MemberGeometries.check(all);
        if (all.size() > RaidLevel.MEMBERS_MAX)
        {
            throw new BlockDeviceException("an array has at most " + RaidLevel.MEMBERS_MAX +
                " members and spares, also while one is replaced: remove a spare first");
        }
        try (MemberIo io = new MemberIo(registry))
        {
            for (final BlockDevice each : added)
            {
                MemberGeometries.checkFits(array, each);
                final FoundMember found = FoundMember.read(io, each);
                check(found);
                if (each != replacement)
                {
                    findFormer(io, each, found.superblock());
                }
            }
            for (final BlockDevice each : added)
            {
                if (!former.containsKey(each))
                {
                    FoundMember.wipe(io, each);
                }
            }
        }
    }

    private void findFormer(final MemberIo io, final BlockDevice device, final Superblock own)
    {
        final int slot = null == own || !array.id().equals(own.array()) ? FormerMember.NO_SLOT :
            FormerMember.slot(array.view().slots(), own);
        if (FormerMember.NO_SLOT == slot)
        {
            return;
        }
        try
        {
            lost.put(device, FoundLostBlocks.read(io, device, own.slots().get(slot), own));
            former.put(device, own);
        }
        catch (final BlockDeviceException e)
        {
            // Nobody knows what must not be read: all of it is rebuilt.
        }
    }

    private void check(final FoundMember found)
    {
        final BlockDevice device = found.device();
        if (null != found.superblock() && !array.id().equals(found.superblock().array()))
        {
            throw new BlockDeviceException("device " + device.name() + " is a member of array " +
                found.superblock().name() + " (" + found.superblock().array() + "): use another, or erase its " +
                "superblocks first (docs/raid.md, Erasing a member)");
        }
        if (null != found.superblock() &&
            array.raidMembers().stream().anyMatch((each) -> each.id().equals(found.superblock().member())))
        {
            throw new BlockDeviceException("device " + device.name() + " is a copy of a member of the array: use " +
                "another, or erase its superblocks first (docs/raid.md, Erasing a member)");
        }
        if (null != found.foreign() && !config.wipeSignatures())
        {
            throw new BlockDeviceException("device " + device.name() + " holds " + found.foreign() +
                ", which would be erased: use another device, or set wipe-signatures: true");
        }
    }

    private void change(final ArrayView view)
    {
        // One that was to replace another is let go of before the next one does.
        final List<RaidMember> first = removed.stream().filter((each) -> each == view.target()).toList();
        first.forEach(this::remove);
        for (final BlockDevice each : added)
        {
            run(array, each == replacement ?
                new MemberChange.Replace(each, replaced.device(), new CompletableFuture<>()) :
                new MemberChange.Add(each, former.get(each), lost.getOrDefault(each, FoundLostBlocks.NONE),
                    new CompletableFuture<>()));
        }
        removed.stream().filter((each) -> !first.contains(each)).forEach(this::remove);
    }

    private void remove(final RaidMember member)
    {
        run(array, new MemberChange.Remove(member.device(), new CompletableFuture<>()));
    }

    /**
     * Makes a change, and waits for it.
     *
     * @param array  that serves.
     * @param change of its members.
     * @throws BlockDeviceException when it is refused, or has not ended in time, and goes on.
     */
    static void run(final RaidDevice array, final MemberChange change)
    {
        Reactor.checkMayBlock("the change of members of an array");
        array.change(change);
        try
        {
            change.done().get(WAIT_S, TimeUnit.SECONDS);
        }
        catch (final TimeoutException e)
        {
            throw new BlockDeviceException("the change of its members did not end within " + WAIT_S +
                " s, and goes on: requests to the devices have not ended; check them, and the path to them", e);
        }
        catch (final ExecutionException e)
        {
            throw e.getCause() instanceof final BlockDeviceException refusal ? refusal :
                new BlockDeviceException("the change of its members failed: " + e.getCause(), e.getCause());
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new BlockDeviceException("the change of its members was interrupted: look at its state", e);
        }
    }
}
