package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;
import java.util.List;

/**
 * Settings of an array. Immutable.
 *
 * @param name            of the array.
 * @param level           of the array.
 * @param stripBytes      of each member in a stripe, a power of two from 4 KiB to 1 MiB.
 * @param members         names of the devices in slots of a new array, in their order; of one that is assembled in any
 *                        order.
 * @param spares          names of devices that take the place of members that fail, the first first.
 * @param assumeClean     whether members of a new array are known to be alike, as new ones full of zeroes are: then it
 *                        is not resynchronized.
 * @param wipeSignatures  whether devices that hold other data are used, and what marks that data is erased.
 * @param forceStart      whether it starts although members are missing that may have newer data, or that are needed to
 *                        make parity match again.
 * @param copyRates       bounds of the rate of a rebuild or a resync.
 * @param journal         when writes are journaled; matters with parity.
 * @param journalDevice   name of the device that has the journal; empty: members have it.
 * @param checksums       whether blocks have checksums, of a new array with parity; of one that is assembled, whether
 *                        it was created so.
 */
public record RaidConfig(
    String name,
    RaidLevel level,
    int stripBytes,
    List<String> members,
    List<String> spares,
    boolean assumeClean,
    boolean wipeSignatures,
    boolean forceStart,
    CopyRates copyRates,
    JournalMode journal,
    String journalDevice,
    boolean checksums)
{
    /** Strip size when none is given. */
    public static final int STRIP_BYTES_DEFAULT = 64 << 10;

    /**
     * Copies the lists.
     */
    public RaidConfig
    {
        members = List.copyOf(members);
        spares = List.copyOf(spares);
    }

    /**
     * Settings of an array whose members have the journal, and no checksums.
     *
     * @param name           of the array.
     * @param level          of the array.
     * @param stripBytes     of each member in a stripe.
     * @param members        names of the devices in slots.
     * @param spares         names of devices that take the place of members that fail.
     * @param assumeClean    whether members of a new array are known to be alike.
     * @param wipeSignatures whether devices that hold other data are used.
     * @param forceStart     whether it starts although members are missing that are needed.
     * @param copyRates      bounds of the rate of a rebuild or a resync.
     * @param journal        when writes are journaled.
     */
    public RaidConfig(
        final String name,
        final RaidLevel level,
        final int stripBytes,
        final List<String> members,
        final List<String> spares,
        final boolean assumeClean,
        final boolean wipeSignatures,
        final boolean forceStart,
        final CopyRates copyRates,
        final JournalMode journal)
    {
        this(name, level, stripBytes, members, spares, assumeClean, wipeSignatures, forceStart, copyRates, journal,
            "", false);
    }

    /**
     * Settings of an array that journals while a slot is not in sync.
     *
     * @param name           of the array.
     * @param level          of the array.
     * @param stripBytes     of each member in a stripe.
     * @param members        names of the devices in slots.
     * @param spares         names of devices that take the place of members that fail.
     * @param assumeClean    whether members of a new array are known to be alike.
     * @param wipeSignatures whether devices that hold other data are used.
     * @param forceStart     whether it starts although members are missing that are needed.
     * @param copyRates      bounds of the rate of a rebuild or a resync.
     */
    public RaidConfig(
        final String name,
        final RaidLevel level,
        final int stripBytes,
        final List<String> members,
        final List<String> spares,
        final boolean assumeClean,
        final boolean wipeSignatures,
        final boolean forceStart,
        final CopyRates copyRates)
    {
        this(name, level, stripBytes, members, spares, assumeClean, wipeSignatures, forceStart, copyRates,
            JournalMode.DEGRADED);
    }
}
