package io.millrace.block.raid;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.raid.format.BitmapPage;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.JournalState;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Creates an array on devices of which none has a superblock, or which have the first one of a creation that ended
 * early. Nothing is written before all checks have passed. Set-up only; the caller waits.
 */
final class ArrayCreation
{
    /** Event count of the first superblock: a creation that ends before all devices have it is begun again. */
    static final long EVENT = 1;
    /** Sequence of the bitmap page that is written. */
    static final long BITMAP_SEQUENCE = 1;

    private final RaidConfig config;
    private final MemberIo io;
    private final List<FoundMember> found;
    private final FoundJournal journalDevice;

    /**
     * An array that was created.
     *
     * @param superblock last one that was written.
     * @param layout     of the array.
     * @param geometry   of the array.
     * @param members    of the array, spares behind those in slots.
     * @param dirty      regions whose copies or parity may not match.
     * @param marked     of the write-intent bitmap: the dirty ones, and those whose blocks have no checksums.
     */
    record Created(
        Superblock superblock,
        ArrayLayout layout,
        BlockGeometry geometry,
        List<RaidMember> members,
        BitSet dirty,
        BitSet marked)
    {
    }

    /**
     * Of devices that were found.
     *
     * @param config        of the array.
     * @param io            to write with.
     * @param found         devices that can be used.
     * @param journalDevice of the configuration.
     */
    ArrayCreation(
        final RaidConfig config, final MemberIo io, final List<FoundMember> found, final FoundJournal journalDevice)
    {
        this.config = config;
        this.io = io;
        this.found = found;
        this.journalDevice = journalDevice;
    }

    /**
     * {@return whether all devices of the configuration can be used}
     */
    boolean isWhole()
    {
        return found.size() == config.members().size() + config.spares().size();
    }

    /**
     * {@return whether an array has copies or parity}
     *
     * @param layout of the array.
     */
    static boolean isRedundant(final ArrayLayout layout)
    {
        return RaidLevel.RAID0 != layout.level();
    }

    /**
     * Creates the array.
     *
     * @param array identifier of the array.
     * @param why   devices are not used, in brackets; may be empty.
     * @return the array.
     * @throws BlockDeviceException when it must not be, or a device cannot be written.
     */
    Created create(final UUID array, final String why)
    {
        if (!isWhole())
        {
            final List<String> missing = new ArrayList<>(config.members());
            missing.addAll(config.spares());
            found.forEach((each) -> missing.remove(each.device().name()));
            throw new BlockDeviceException("no usable superblock was found, and " + String.join(", ", missing) +
                " cannot be used: if an array existed here, make its members available; a new one needs all" + why);
        }
        long memberBytes = Long.MAX_VALUE;
        for (final FoundMember each : found)
        {
            memberBytes = Math.min(memberBytes, MemberGeometries.dataBytes(each.device(), config));
        }
        final ArrayLayout layout =
            ArrayLayout.of(config.level(), config.members().size(), config.stripBytes(), memberBytes);
        final List<RaidMember> members = new ArrayList<>();
        final List<Slot> slots = new ArrayList<>();
        for (final FoundMember each : inOrder())
        {
            final RaidMember member = new RaidMember(members.size(), each.device(), UUID.randomUUID(), 0);
            members.add(member);
            if (slots.size() < layout.memberCount())
            {
                slots.add(new Slot(member.id(), SlotState.IN_SYNC, 0));
            }
        }
        final BitSet dirty = new BitSet();
        if (isRedundant(layout) && !config.assumeClean())
        {
            dirty.set(0, BitmapPage.regionCount(memberBytes));
        }
        final BitSet marked = (BitSet)dirty.clone();
        if (config.checksums())
        {
            // Where they are to be, members have anything.
            marked.set(0, BitmapPage.regionCount(memberBytes));
        }
        final int block = members.getFirst().device().geometry().blockSizeBytes();
        final BlockGeometry geometry = MemberGeometries.ofArray(layout, members);
        final Superblock first = superblock(array, layout, block, EVENT, slots, JournalState.NONE);
        journalDevice.checkNew();
        // All checks have passed.
        journalDevice.wipe();
        for (final RaidMember member : members)
        {
            FoundMember.wipe(io, member.device());
        }
        // The bitmap is there before a superblock says that it is.
        final byte[] page = FoundBitmap.page(array, memberBytes, marked, BITMAP_SEQUENCE);
        for (final RaidMember member : members)
        {
            io.write(member.device(), MemberArea.bitmapOffset((int)BITMAP_SEQUENCE), page);
        }
        // A creation that ends before all have the first is begun again, as nothing was stored yet.
        write(members, first);
        // With the epoch that members have next.
        journalDevice.attach(
            superblock(array, layout, block, EVENT + 1, slots, JournalState.NONE), null, members.size());
        final Superblock second = superblock(array, layout, block, EVENT + 1, slots,
            journalDevice.state(layout, slots, EVENT + 1, dirty));
        write(members, second);
        return new Created(second, layout, geometry, members, dirty, marked);
    }

    /** Found devices in the order of the configuration, which is that of the slots of a new array. */
    private List<FoundMember> inOrder()
    {
        final List<String> names = new ArrayList<>(config.members());
        names.addAll(config.spares());
        return names.stream().map((name) -> found.stream().filter((each) -> each.device().name().equals(name))
            .findFirst().orElseThrow()).toList();
    }

    private Superblock superblock(
        final UUID array,
        final ArrayLayout layout,
        final int blockSizeBytes,
        final long event,
        final List<Slot> slots,
        final JournalState journal)
    {
        return new Superblock(array, config.name(), layout.level(), layout.stripBytes(), blockSizeBytes,
            layout.memberBytes(), array, event, false, SystemEpochClock.INSTANCE.time(), 0, slots, journal)
            .withChecksums(config.checksums() ? ChecksumArea.offset(layout.memberBytes()) : 0);
    }

    private void write(final List<RaidMember> members, final Superblock superblock)
    {
        members.forEach((each) ->
            FoundMember.writeSuperblock(io, each.device(), superblock.forMember(each.id())));
    }
}
