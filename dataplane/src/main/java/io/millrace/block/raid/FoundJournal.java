package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.BitmapPage;
import io.millrace.block.raid.format.JournalPlaces;
import io.millrace.block.raid.format.JournalState;
import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.ArrayLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** What was found of the journal device when an array is assembled. Set-up only; waits. */
final class FoundJournal
{
    private static final String RESYNCHRONIZED = " are lost: parity is resynchronized where it may not match";

    private final RaidConfig config;
    private final MemberIo io;
    private final Supplier<List<BlockDevice>> unused;
    /** Null: it cannot be used. */
    private FoundMember found;
    /** Null: it could not be attached. */
    private RaidMember member;
    /** Why it cannot be used, the end of a sentence that begins with the device. */
    private String problem = "is missing";
    /** Of the device, unless superblocks name it already. */
    private final UUID newId = UUID.randomUUID();
    /** UUID of the device with entries that count, which cannot be read; null: there is none. */
    private UUID lost;

    private FoundJournal(
        final RaidConfig config, final MemberIo io, final Supplier<List<BlockDevice>> unused)
    {
        this.config = config;
        this.io = io;
        this.unused = unused;
    }

    /**
     * Looks for the device that settings name. Nothing is written.
     *
     * @param config  of the array.
     * @param io      to read and write with.
     * @param devices of the configuration that are there.
     * @param unused  others that nothing uses: the device that superblocks say has the journal is looked for among
     *                them, since settings may name another one before, or after, that has it.
     * @return what was found.
     */
    static FoundJournal find(
        final RaidConfig config,
        final MemberIo io,
        final List<BlockDevice> devices,
        final Supplier<List<BlockDevice>> unused)
    {
        final FoundJournal journal = new FoundJournal(config, io, unused);
        devices.stream().filter(journal::isNamed).findFirst().ifPresent(journal::read);
        return journal;
    }

    /**
     * {@return whether settings name a device for the journal}
     *
     * @param device of the configuration.
     */
    boolean isNamed(final BlockDevice device)
    {
        return device.name().equals(config.journalDevice());
    }

    private void read(final BlockDevice device)
    {
        try
        {
            found = FoundMember.read(io, device);
        }
        catch (final BlockDeviceException e)
        {
            // As one that is not there.
            problem = "cannot be used (" + e.getMessage() + ')';
        }
    }

    /**
     * Checks that the device may be used.
     *
     * @param members that were found, at least one.
     * @param newest  superblock; null: the array is new.
     * @throws BlockDeviceException naming the device, and why it must not.
     */
    void check(final List<FoundMember> members, final Superblock newest)
    {
        for (final FoundMember each : members)
        {
            if (JournalDeviceChecks.isJournalDevice(each.superblock()))
            {
                throw new BlockDeviceException("device " + each.device().name() + " is " +
                    MemberErasure.describe(each.superblock()) + ": name it as journal-device, or erase its " +
                    "superblocks first (docs/raid.md, Erasing a member)");
            }
        }
        if (null != found)
        {
            JournalDeviceChecks.checkGeometry(found.device(), members.getFirst().device());
            JournalDeviceChecks.checkContent(
                found, null == newest ? null : newest.array(), config.wipeSignatures());
        }
    }

    /**
     * Checks that a new array has the device that settings name.
     *
     * @throws BlockDeviceException when it does not.
     */
    void checkNew()
    {
        if (null == found && !config.journalDevice().isEmpty())
        {
            throw new BlockDeviceException("journal device " + config.journalDevice() + ' ' + problem +
                ", and a new array needs all its devices: make it available, or remove journal-device");
        }
    }

    /**
     * Reads the entries, where superblocks say that the device has any that may count.
     *
     * @param replay of the journal.
     * @param newest superblock.
     * @param map    of the strips.
     */
    void read(final JournalReplay replay, final Superblock newest, final StripMap map)
    {
        final UUID id = newest.journal().device();
        if (null == id || map.isExclusive())
        {
            return;
        }
        final FoundMember source = isOf(found, id) ? found : findUnnamed(id);
        if (null == source)
        {
            problem = null == found ? problem : "is not the one that has the journal (" + id + ')';
            lost = id;
            return;
        }
        final long epoch = source.superblock().journal().epoch();
        if (epoch < newest.journal().epoch())
        {
            problem = "is as it was before the array's journal began (epoch " + epoch + ", members have " +
                newest.journal().epoch() + "; it may be a copy)";
            lost = id;
            return;
        }
        try
        {
            replay.read(source.device());
        }
        catch (final BlockDeviceException e)
        {
            problem = "cannot be read (" + e.getMessage() + ')';
            found = null;
            lost = id;
        }
    }

    private static boolean isOf(final FoundMember device, final UUID id)
    {
        return null != device && null != device.superblock() && id.equals(device.superblock().member());
    }

    /** {@return the device with a UUID, which is only read; null: there is none, or another is a copy of it} */
    private FoundMember findUnnamed(final UUID id)
    {
        final List<FoundMember> same = new ArrayList<>();
        for (final BlockDevice each : unused.get())
        {
            try
            {
                final FoundMember read = FoundMember.read(io, each);
                if (isOf(read, id))
                {
                    same.add(read);
                }
            }
            catch (final BlockDeviceException e)
            {
                // Nobody named it.
            }
        }
        return 1 == same.size() ? same.getFirst() : null;
    }

    /**
     * {@return whether copies or parity match although the bitmap has bits: once the journal is replayed, even where a
     * write was in progress, unless entries are lost; and after a clean stop, when those are of what former members
     * lack}
     *
     * @param newest superblock.
     */
    boolean isMatched(final Superblock newest)
    {
        return newest.journal().isMatched() && null == lost ||
            newest.clean() && newest.hasLostEvents() && 0 == newest.level().parityCount();
    }

    /**
     * {@return a sentence on entries that are lost, unless {@link #device} says so; empty: none are}
     */
    List<String> losses()
    {
        if (null == lost || null == found && !config.journalDevice().isEmpty())
        {
            return List.of();
        }
        return List.of(null == found ? "entries of the journal on device " + lost + RESYNCHRONIZED :
            "journal device " + config.journalDevice() + ' ' + problem + ": entries" + RESYNCHRONIZED);
    }

    /**
     * Checks that no data has to be computed from parity that lost entries may have been for.
     *
     * @param map       of the array.
     * @param isPresent by slot, of members in sync.
     * @param bitmap    of the array.
     * @param why       devices are not used, in brackets; may be empty.
     * @throws BlockDeviceException when it has to be.
     */
    void checkParity(
        final StripMap map, final boolean[] isPresent, final FoundBitmap bitmap, final String why)
    {
        if (null != lost && !ArrayView.hasAllData(map, isPresent) && !bitmap.dirty().isEmpty() &&
            !config.forceStart())
        {
            throw new BlockDeviceException("journal device " +
                (config.journalDevice().isEmpty() ? lost : config.journalDevice()) + ' ' + problem + ", may have " +
                "entries for " + bitmap.dirty().cardinality() + " of " +
                BitmapPage.regionCount(map.layout().memberBytes()) + " regions, and not every slot is in sync: " +
                "name it as journal-device and make it available, or members that were in sync at the crash; when " +
                "they are lost for good, restore from a backup, or set force-start: true and check the data, since " +
                "what is computed in those regions may be wrong" + why);
        }
    }

    /**
     * Erases what the device has of a creation that did not end: members are erased next, and with none of them left
     * it would be the journal device of an unknown array.
     *
     * @throws BlockDeviceException when it cannot be written.
     */
    void wipe()
    {
        if (null != found)
        {
            FoundMember.wipe(io, found.device());
        }
    }

    /**
     * Writes a superblock to the device, before members have one that names it.
     *
     * @param superblock that members get, but for the journal.
     * @param newest     superblock that was found; null: the array is new.
     * @param index      of the device among members.
     */
    void attach(final Superblock superblock, final Superblock newest, final int index)
    {
        if (null == found)
        {
            return;
        }
        final UUID known = null == newest ? null : newest.journal().device();
        // Of a copy, entries must not count that the one has which it was made of.
        final UUID id = null == lost && null != known && isOf(found, known) ? known : newId;
        try
        {
            JournalDeviceChecks.attach(io, found, superblock, id);
            member = new RaidMember(index, found.device(), id, 0);
        }
        catch (final BlockDeviceException e)
        {
            problem = "cannot be written (" + e.getMessage() + ')';
            found = null;
        }
    }

    /**
     * {@return the device as a member without a slot; null: members have the journal}
     */
    RaidMember member()
    {
        return member;
    }

    /**
     * {@return what superblocks say of the journal from now on: entries of epochs before are void, since what they have
     * was replayed}
     *
     * @param layout of the array.
     * @param slots  of the array.
     * @param event  count of the superblocks.
     * @param dirty  regions where parity may not match.
     */
    JournalState state(final ArrayLayout layout, final List<Slot> slots, final long event, final BitSet dirty)
    {
        final boolean isComplete = slots.stream().allMatch((slot) -> SlotState.IN_SYNC == slot.state());
        if (0 == layout.parityCount() || isComplete && JournalMode.ALWAYS != config.journal())
        {
            return JournalState.NONE;
        }
        return null == member ? new JournalState(event, dirty.isEmpty()) :
            new JournalState(event, dirty.isEmpty(), member.id(),
            JournalPlaces.of(layout.memberCount(), layout.stripBytes())
            .onDevice(member.device().geometry().sizeBytes()).placeCount());
    }

    /**
     * {@return the device, as an operator sees it}
     */
    JournalDevice device()
    {
        final String name = config.journalDevice();
        return new JournalDevice(name, member, null != member || name.isEmpty() ? "" :
            JournalDevice.trouble(name, null == lost ? problem : problem + " (its entries" + RESYNCHRONIZED + ')'));
    }
}
