package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.raid.format.BitmapPage;
import io.millrace.block.raid.format.JournalState;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.ReshapeState;
import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.MemoryRegistry;
import io.millrace.parity.ParityEngineType;
import io.millrace.parity.ParityEngines;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Finds the members of an array by their superblocks and makes the device of them, or a new array where no member has
 * one. Nothing is written to any member before all checks have passed. Set-up only; the caller waits for the members.
 */
public final class RaidAssembly
{
    private static final long CHOICE_NS = 20_000_000;
    /**
     * More than the changes that may be on a part of the members when the power is cut. Where those are missing, and
     * the others are assembled, what they then store is newer; with an equal count nobody could tell which is. Once
     * more for each slot that fails by that, since what is on a part of the members may be an assembly of all.
     */
    static final long ASSEMBLY_EVENTS = 1024;

    private final RaidConfig config;
    private final MemberIo io;
    private final RaidTimes times;
    private final List<FoundMember> found = new ArrayList<>();
    private FoundJournal journalDevice;
    /** Why devices are not used, a sentence each. */
    private final List<String> unusable = new ArrayList<>();
    /** What settings say that the array does not follow, a sentence each. */
    private final List<String> unfollowed = new ArrayList<>();
    private ArrayNames.Stored names;
    /** Event count of the newest superblock that was found. */
    private long foundEvent;

    private RaidAssembly(final RaidConfig config, final MemberIo io, final RaidTimes times)
    {
        this.times = times;
        this.config = config;
        this.io = io;
    }

    /** Measured once a process. */
    private static final class FastestEngine
    {
        private static final ParityEngineType TYPE = ParityEngines.choose(CHOICE_NS);

        private FastestEngine()
        {
        }
    }

    /**
     * Assembles an array, or creates it where no device has a superblock.
     *
     * @param config   of the array.
     * @param devices  those of the configuration that are there; they belong to their owner.
     * @param registry memory registry of the data plane; null without one.
     * @return the array.
     * @throws BlockDeviceException when it must not be, with the remedy.
     */
    public static RaidDevice assemble(
        final RaidConfig config, final List<BlockDevice> devices, final MemoryRegistry registry)
    {
        return assemble(config, devices, List::of, registry);
    }

    /**
     * Assembles an array, or creates it where no device has a superblock.
     *
     * @param config   of the array.
     * @param devices  those of the configuration that are there; they belong to their owner.
     * @param unused   others that nothing uses: a member in sync that is missing is looked for among them, as
     *                 {@link UnnamedMembers} says; they belong to their owner.
     * @param registry memory registry of the data plane; null without one.
     * @return the array.
     * @throws BlockDeviceException when it must not be, with the remedy.
     */
    public static RaidDevice assemble(
        final RaidConfig config,
        final List<BlockDevice> devices,
        final Supplier<List<BlockDevice>> unused,
        final MemoryRegistry registry)
    {
        return assemble(config, devices, unused, registry, RaidTimes.DEFAULT);
    }

    static RaidDevice assemble(
        final RaidConfig config,
        final List<BlockDevice> devices,
        final MemoryRegistry registry,
        final RaidTimes times)
    {
        return assemble(config, devices, List::of, registry, times);
    }

    static RaidDevice assemble(
        final RaidConfig config,
        final List<BlockDevice> devices,
        final Supplier<List<BlockDevice>> unused,
        final MemoryRegistry registry,
        final RaidTimes times)
    {
        try (MemberIo io = new MemberIo(registry))
        {
            return new RaidDevice(new RaidAssembly(config, io, times).assemble(devices, unused), registry);
        }
        catch (final BlockDeviceException e)
        {
            final String prefix = "array " + config.name() + ": ";
            throw e.getMessage().startsWith(prefix) ? e : new BlockDeviceException(prefix + e.getMessage(), e);
        }
    }

    private AssembledArray assemble(final List<BlockDevice> all, final Supplier<List<BlockDevice>> unused)
    {
        journalDevice = FoundJournal.find(config, io, all, unused);
        final List<BlockDevice> devices = all.stream().filter((each) -> !journalDevice.isNamed(each)).toList();
        if (devices.isEmpty())
        {
            throw new BlockDeviceException("none of its members could be opened: make " +
                String.join(", ", config.members()) + " available and start again");
        }
        MemberGeometries.check(devices);
        for (final BlockDevice device : devices)
        {
            try
            {
                found.add(FoundMember.read(io, device));
            }
            catch (final BlockDeviceException e)
            {
                // As one that is not there: what is left may suffice.
                unusable.add(e.getMessage());
            }
        }
        final Superblock newest = findUnnamed(unused);
        checkForeign();
        if (!found.isEmpty())
        {
            journalDevice.check(found, newest);
        }
        foundEvent = null == newest ? 0 : newest.eventCount();
        final ArrayCreation creation = new ArrayCreation(config, io, found, journalDevice);
        final boolean isNew = null == newest || ArrayCreation.EVENT == newest.eventCount() && creation.isWhole();
        if (isNew)
        {
            return created(creation.create(null == newest ? UUID.randomUUID() : newest.array(), why()));
        }
        final MemberSuperblocks superblocks = MemberSuperblocks.of(found);
        AssemblyChecks.checkName(config, superblocks);
        names = superblocks.names(config.name());
        return assemble(newest);
    }

    /** {@return the superblock with the highest event count, of members that are not named, too; null: none} */
    private Superblock findUnnamed(final Supplier<List<BlockDevice>> unused)
    {
        Superblock newest = newest();
        // By another name it is not a start of the array again: what is not named may be left out on purpose.
        if (null == newest || ArrayCreation.EVENT == newest.eventCount() || RaidLevel.RAID0 == newest.level() ||
            !MemberSuperblocks.of(found).isName(config.name()))
        {
            return newest;
        }
        final UnnamedMembers unnamed = new UnnamedMembers(io, unused);
        for (List<FoundMember> more = unnamed.find(newest, found); !more.isEmpty(); more = unnamed.find(newest, found))
        {
            found.addAll(more);
            newest = newest();
        }
        // A newer superblock may say that one of them has failed: nobody asked for it as a spare.
        final Superblock last = newest;
        found.removeIf((each) -> isUnnamed(each.device()) &&
            !UnnamedMembers.isInSync(each.superblock().member(), last));
        return newest;
    }

    /** {@return the superblock with the highest event count; null: no device has one} */
    private Superblock newest()
    {
        Superblock newest = null;
        BlockDevice of = null;
        for (final FoundMember each : found)
        {
            final Superblock superblock = each.superblock();
            if (null != superblock)
            {
                if (null != newest && !newest.array().equals(superblock.array()))
                {
                    throw new BlockDeviceException("device " + each.device().name() + " is a member of array " +
                        superblock.name() + " (" + superblock.array() + "), and device " + of.name() + " of array " +
                        newest.name() + " (" + newest.array() + "): list the members of one array; to use a device " +
                        "of the other, erase its superblocks first (docs/raid.md, Erasing a member)");
                }
                if (null == newest || superblock.eventCount() > newest.eventCount())
                {
                    newest = superblock;
                    of = each.device();
                }
            }
        }
        return newest;
    }

    private void checkForeign()
    {
        for (final FoundMember each : found)
        {
            if (null != each.foreign() && !config.wipeSignatures())
            {
                throw new BlockDeviceException("device " + each.device().name() + " holds " + each.foreign() +
                    ", which would be erased: use another device, or set wipe-signatures: true");
            }
        }
    }

    private String why()
    {
        return unusable.isEmpty() ? "" : " (" + String.join("; ", unusable) + ')';
    }

    private AssembledArray created(final ArrayCreation.Created created)
    {
        final Superblock last = created.superblock();
        names = new ArrayNames.Stored(last.name(), last.formerNames());
        return assembled(last.array(), created.geometry(), created.members(),
            view(StripMap.of(created.layout()), last.eventCount(), last.slots(), created.members(), last.journal()),
            created.marked(), created.dirty(), ArrayCreation.BITMAP_SEQUENCE, last, last.journal(), List.of(), null,
            config.checksums() ? new UnknownChecksums(created.marked(), false) : null);
    }

    private AssembledArray assemble(final Superblock newest)
    {
        AssemblyChecks.checkConfigured(config, found, newest);
        AssemblyChecks.checkSplit(found, newest);
        final ArrayLayout layout = ArrayLayout.of(
            newest.level(), newest.slots().size(), newest.stripBytes(), newest.memberBytes());
        final StripMap map = StripMap.of(layout, newest.reshape());
        final Map<UUID, FoundMember> byId = foundById(newest);
        final List<RaidMember> members = new ArrayList<>();
        final List<Slot> slots = new ArrayList<>();
        final boolean[] isPresent = new boolean[layout.memberCount()];
        final boolean[] isMissing = new boolean[layout.memberCount()];
        final List<String> missing = new ArrayList<>();
        for (int slot = 0; slot < isPresent.length; slot++)
        {
            final Slot recorded = newest.slots().get(slot);
            final boolean isUsed = SlotState.IN_SYNC == recorded.state() || SlotState.REBUILDING == recorded.state();
            final FoundMember member = isUsed ? byId.remove(recorded.member()) : null;
            if (null != member)
            {
                isPresent[slot] = SlotState.IN_SYNC == recorded.state();
                members.add(
                    new RaidMember(members.size(), member.device(), recorded.member(), recorded.rebuiltBytes()));
                slots.add(recorded);
            }
            else
            {
                isMissing[slot] = SlotState.IN_SYNC == recorded.state();
                if (isMissing[slot])
                {
                    missing.add("slot " + slot + " (" + recorded.member() + ')');
                }
                slots.add(lost(recorded, map));
            }
        }
        AssemblyChecks.checkStart(config, found, map.countingLayout(), isPresent, isMissing, missing, why());
        final JournalReplay replay = new JournalReplay(io, newest);
        for (final RaidMember member : members)
        {
            try
            {
                FoundLostBlocks.read(io, member.device(), slots.get(newest.slotOf(member.id())), newest).give(member);
                if (isInSync(member, slots) && !map.isExclusive())
                {
                    replay.read(member);
                }
            }
            catch (final BlockDeviceException e)
            {
                return assembleWithout(member, e, newest);
            }
        }
        journalDevice.read(replay, newest, map);
        final FoundBitmap bitmap = bitmap(newest, members, slots);
        final UnknownChecksums unknown = unknownChecksums(newest, bitmap);
        if (journalDevice.isMatched(newest))
        {
            bitmap.clearDirty();
        }
        journalDevice.checkParity(map, isPresent, bitmap, why());
        unusable.addAll(journalDevice.losses());
        AssemblyChecks.checkParity(config, map, isPresent, bitmap, why());
        final Map<Integer, RaidMember> replayed = bySlot(slots, members);
        final long event = newest.eventCount() + ASSEMBLY_EVENTS * (1 + failedCount(newest.slots(), slots));
        final List<RaidMember> returned = addFormer(newest, slots, members, byId);
        addSpares(members, byId);
        final BlockGeometry geometry =
            MemberGeometries.ofArray(map.isReshaping() ? map.old() : layout, members);
        // All checks have passed.
        final JournalReplay.Failure failure =
            map.isExclusive() ? HeadRestore.run(io, map, replayed) : replay.run(replayed);
        if (null != failure)
        {
            return assembleWithout(failure.member(), failure.reason(), newest);
        }
        journalDevice.attach(at(event, newest, slots, JournalState.NONE, map.ended()), newest, members.size());
        final JournalState journal = journalDevice.state(layout, slots, event, bitmap.dirty());
        final Superblock next = at(event, newest, slots, journal, map.ended());
        if (isSettled(slots, unknown))
        {
            bitmap.onComplete();
        }
        final List<FoundMember> refusing = store(
            inWriteOrder(members, returned),
            ArrayCreation.isRedundant(layout) ? bySlot(slots, members).values() : List.of(), bitmap, next);
        if (!refusing.isEmpty())
        {
            // Once more without them, if what is left suffices: the others say so, with a higher event count.
            found.removeAll(refusing);
            checkFound();
            return assemble(
                at(next.eventCount(), newest, newest.slots(), newest.journal(), newest.reshape()));
        }
        final List<Replacement> replacements = replacements(newest, slots, members);
        return assembled(newest.array(), geometry, members, view(map.at(map.ended()), event, slots, members, journal),
            bitmap.marked(), bitmap.dirty(), bitmap.sequence(), newest, journal, replacements,
            Growth.of(config, newest, slots, members, unfollowed), unknown);
    }

    /**
     * {@return blocks that may be newer than their checksums: those that were being written before a crash, or rebuilt;
     * null: of an array without checksums}
     */
    private static UnknownChecksums unknownChecksums(final Superblock newest, final FoundBitmap bitmap)
    {
        return 0 == newest.checksumOffset() ? null : new UnknownChecksums(
            newest.clean() ? new BitSet() : (BitSet)bitmap.marked().clone(), !newest.clean());
    }

    /** Bits of regions without checksums stay until members have stored others. */
    private static boolean isSettled(final List<Slot> slots, final UnknownChecksums unknown)
    {
        return slots.stream().allMatch((slot) -> SlotState.IN_SYNC == slot.state()) &&
            (null == unknown || unknown.regions().isEmpty());
    }

    /** A slot whose member is not there. It has what it had with the newest superblock, or a later one. */
    private Slot lost(final Slot recorded, final StripMap map)
    {
        // Rows of a slice of the head are restored on the others alone.
        final boolean isKnown = RaidLevel.RAID0 != config.level() && !map.isExclusive() &&
            (SlotState.IN_SYNC == recorded.state() ||
            SlotState.REBUILDING == recorded.state() && 0 != recorded.lostEvent());
        return SlotState.EMPTY == recorded.state() ? Slot.EMPTY :
            new Slot(recorded.member(), SlotState.FAILED, 0,
            isKnown ? foundEvent : recorded.lostEvent());
    }

    /**
     * Members that were lost and are back take their slots again, with other identifiers: a superblock that says of the
     * former that it has failed is not of a part that went on without it.
     */
    private List<RaidMember> addFormer(
        final Superblock newest,
        final List<Slot> slots,
        final List<RaidMember> members,
        final Map<UUID, FoundMember> byId)
    {
        final List<RaidMember> returned = new ArrayList<>();
        for (final FoundMember each : List.copyOf(byId.values()))
        {
            final int slot = FormerMember.slot(slots, each.superblock());
            final FoundLostBlocks lost = FormerMember.NO_SLOT == slot ? null : lostBlocks(each, slot, newest);
            if (null != lost)
            {
                byId.remove(each.superblock().member());
                final RaidMember member = new RaidMember(members.size(), each.device(), UUID.randomUUID(), 0);
                lost.give(member);
                returned.add(member);
                members.add(member);
                slots.set(slot, new Slot(member.id(), SlotState.REBUILDING, 0, slots.get(slot).lostEvent(),
                    member.lostBlocks().isRecorded()));
            }
        }
        return returned;
    }

    /** Null when it has a list that cannot be used: then all of it is rebuilt. */
    private FoundLostBlocks lostBlocks(final FoundMember former, final int slot, final Superblock newest)
    {
        try
        {
            return FoundLostBlocks.read(io, former.device(), former.superblock().slots().get(slot), newest);
        }
        catch (final BlockDeviceException e)
        {
            unusable.add(e.getMessage());
            return null;
        }
    }

    /**
     * Writes the bitmap, whose newest page may be on one member alone, and superblocks, which say that it is there.
     *
     * @return those that cannot be written.
     */
    private List<FoundMember> store(
        final List<RaidMember> members,
        final Collection<RaidMember> withBitmap,
        final FoundBitmap bitmap,
        final Superblock superblock)
    {
        // What hosts have read of a member that is missing may be in caches here, from a process that was killed: it is
        // stable before superblocks say that these members are the array.
        final List<FoundMember> refusing = refusing(withBitmap, this::flush);
        if (!refusing.isEmpty())
        {
            return refusing;
        }
        final byte[] page = bitmap.nextPage(superblock);
        final int place = (int)(bitmap.sequence() % MemberArea.BITMAP_PAGE_COUNT);
        return refusing(members, (member) ->
        {
            if (null == foundOf(member).superblock())
            {
                FoundMember.wipe(io, member.device());
            }
            if (withBitmap.contains(member))
            {
                io.write(member.device(), MemberArea.bitmapOffset(place), page);
            }
            writeSuperblock(member, superblock);
        });
    }

    private List<FoundMember> refusing(final Collection<RaidMember> members, final Consumer<RaidMember> action)
    {
        final List<FoundMember> refusing = new ArrayList<>();
        for (final RaidMember member : members)
        {
            try
            {
                action.accept(member);
            }
            catch (final BlockDeviceException e)
            {
                unusable.add(e.getMessage());
                refusing.add(foundOf(member));
            }
        }
        return refusing;
    }

    private void flush(final RaidMember member)
    {
        try (MemberIo.Member open = io.open(member.device()))
        {
            open.flush();
        }
    }

    private boolean isUnnamed(final RaidMember member)
    {
        return isUnnamed(member.device());
    }

    private boolean isUnnamed(final BlockDevice device)
    {
        return !config.members().contains(device.name()) && !config.spares().contains(device.name());
    }

    /**
     * A member that is not named never has an older assembly than others, so that it is found the next time. Those that
     * return have another identifier, which named members must not know before they do.
     */
    private List<RaidMember> inWriteOrder(final List<RaidMember> members, final List<RaidMember> returned)
    {
        final Set<RaidMember> ordered = new LinkedHashSet<>(members.stream().filter(this::isUnnamed).toList());
        ordered.addAll(returned);
        ordered.addAll(members);
        return List.copyOf(ordered);
    }

    /** Members in slots that are not named, each with a device that is named in members and has no slot. */
    private List<Replacement> replacements(
        final Superblock newest, final List<Slot> slots, final List<RaidMember> members)
    {
        final List<RaidMember> old = new ArrayList<>(
            members.stream().filter((each) -> isUnnamed(each) && isInSync(each, slots)).toList());
        final List<Replacement> replacements = new ArrayList<>();
        for (final RaidMember each : members)
        {
            final Superblock superblock = foundOf(each).superblock();
            final boolean isStale = null != superblock && !UnnamedMembers.isOfLastAssembly(superblock, newest);
            if (!old.isEmpty() && !isStale && config.members().contains(each.device().name()) &&
                slots.stream().noneMatch((slot) -> each.id().equals(slot.member())))
            {
                replacements.add(new Replacement(old.removeFirst(), each));
            }
        }
        old.forEach((each) -> unfollowed.add("device " + each + " is a member in sync and is not named: name it in " +
            "members, or a device that replaces it"));
        return replacements;
    }

    private Map<UUID, FoundMember> foundById(final Superblock newest)
    {
        final Map<UUID, FoundMember> byId = new HashMap<>();
        found.removeIf((each) -> isTooSmall(each, newest));
        for (final FoundMember each : found)
        {
            final FoundMember other =
                null == each.superblock() ? null : byId.put(each.superblock().member(), each);
            if (null != other)
            {
                throw new BlockDeviceException("devices " + other.device().name() + " and " + each.device().name() +
                    " are the same member of the array, one a copy of the other: name one of them");
            }
        }
        return byId;
    }

    /** Once more without a member whose journal cannot be read, or that cannot be written. */
    private AssembledArray assembleWithout(
        final RaidMember member, final BlockDeviceException reason, final Superblock newest)
    {
        unusable.add(reason.getMessage());
        found.remove(foundOf(member));
        checkFound();
        return assemble(newest);
    }

    private void checkFound()
    {
        if (found.isEmpty())
        {
            throw new BlockDeviceException("none of its members can be read and written: check them" + why());
        }
    }

    private static Map<Integer, RaidMember> bySlot(final List<Slot> slots, final List<RaidMember> members)
    {
        final Map<Integer, RaidMember> bySlot = new HashMap<>();
        for (int slot = 0; slot < slots.size(); slot++)
        {
            final Slot each = slots.get(slot);
            final int at = slot;
            members.stream().filter((member) -> each.isActive() && member.id().equals(each.member())).findFirst()
                .ifPresent((member) -> bySlot.put(at, member));
        }
        return bySlot;
    }

    /** {@return count of slots that failed when the array was assembled} */
    private static int failedCount(final List<Slot> before, final List<Slot> after)
    {
        int count = 0;
        for (int slot = 0; slot < after.size(); slot++)
        {
            count += before.get(slot).state() != after.get(slot).state() ? 1 : 0;
        }
        return count;
    }

    private FoundMember foundOf(final RaidMember member)
    {
        return found.stream().filter((one) -> one.device() == member.device()).findFirst().orElseThrow();
    }

    /** A superblock with other slots and another event count. */
    private Superblock at(
        final long event,
        final Superblock of,
        final List<Slot> slots,
        final JournalState journal,
        final ReshapeState reshape)
    {
        return new Superblock(of.array(), names.name(), of.level(), of.stripBytes(), of.blockSizeBytes(),
            of.memberBytes(), of.array(), event, false, SystemEpochClock.INSTANCE.time(), of.scrubbedMs(),
            slots, journal, reshape, of.checksumOffset(), of.hasMismatches(), names.former());
    }

    /** Members may have become larger since it was one, or a spare: it is left out, unless it has a slot. */
    private boolean isTooSmall(final FoundMember member, final Superblock newest)
    {
        final long bytes = MemberGeometries.dataBytes(member.device(), config);
        if (bytes >= newest.memberBytes())
        {
            return false;
        }
        final String sentence = "device " + member.device().name() + " has room for " + bytes +
            " bytes of data, and members of the array have " + newest.memberBytes() + ": use a larger device";
        if (null != member.superblock() && UnnamedMembers.isInSync(member.superblock().member(), newest))
        {
            throw new BlockDeviceException(sentence);
        }
        unusable.add(sentence);
        return true;
    }

    /** The newest of the members in sync. */
    private FoundBitmap bitmap(final Superblock newest, final List<RaidMember> members, final List<Slot> slots)
    {
        final FoundBitmap bitmap = new FoundBitmap();
        if (RaidLevel.RAID0 == newest.level())
        {
            return bitmap;
        }
        BitmapPage page = null;
        for (final RaidMember member : members)
        {
            final BitmapPage ofMember = isInSync(member, slots) ? foundOf(member).readBitmap(io, newest) : null;
            page = null == ofMember || null != page && page.sequence() >= ofMember.sequence() ? page : ofMember;
        }
        bitmap.add(page, newest);
        return bitmap;
    }

    private static boolean isInSync(final RaidMember member, final List<Slot> slots)
    {
        return slots.stream().anyMatch(
            (slot) -> SlotState.IN_SYNC == slot.state() && member.id().equals(slot.member()));
    }

    /** What is left: members that failed and came back, spares, and devices without a superblock. */
    private void addSpares(final List<RaidMember> members, final Map<UUID, FoundMember> byId)
    {
        for (final FoundMember each : found)
        {
            final boolean isKnown = null != each.superblock();
            if (!isKnown || byId.containsKey(each.superblock().member()))
            {
                members.add(new RaidMember(members.size(), each.device(), UUID.randomUUID(), 0));
            }
        }
    }

    private ArrayView view(
        final StripMap map,
        final long event,
        final List<Slot> slots,
        final List<RaidMember> members,
        final JournalState journal)
    {
        final RaidMember[] bySlot = new RaidMember[slots.size()];
        for (int slot = 0; slot < bySlot.length; slot++)
        {
            final UUID id = slots.get(slot).member();
            final RaidMember missing = null == id ? null : RaidMember.missing(id);
            bySlot[slot] = members.stream().filter((each) -> each.id().equals(id)).findFirst().orElse(missing);
        }
        return ArrayView.of(map, event, bySlot, slots).journalingOn(journalDevice.member())
            .journaling(journal.epoch());
    }

    private void writeSuperblock(final RaidMember member, final Superblock superblock)
    {
        FoundMember.writeSuperblock(io, member.device(), superblock.forMember(member.id()));
    }

    private AssembledArray assembled(
        final UUID array,
        final BlockGeometry geometry,
        final List<RaidMember> members,
        final ArrayView view,
        final BitSet marked,
        final BitSet dirty,
        final long sequence,
        final Superblock scrubbed,
        final JournalState journal,
        final List<Replacement> replacements,
        final Growth growth,
        final UnknownChecksums unknown)
    {
        final boolean hasParity = view.layout().parityCount() > 0;
        final List<RaidMember> all = new ArrayList<>(members);
        if (null != journalDevice.member())
        {
            all.add(journalDevice.member());
        }
        return new AssembledArray(names.name(), names.former(), array, geometry,
            hasParity ? FastestEngine.TYPE : null, all, view, marked, dirty, sequence, times, config.copyRates(),
            scrubbed.scrubbedMs(), scrubbed.hasMismatches(), config.journal(), journal.isMatched(),
            String.join("; ", unusable), String.join("; ", unfollowed), replacements, journalDevice.device(), growth,
            unknown);
    }
}
