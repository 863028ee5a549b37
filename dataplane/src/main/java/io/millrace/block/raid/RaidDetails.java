package io.millrace.block.raid;

import io.millrace.block.DeviceStatus;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.List;
import java.util.UUID;

/**
 * An array as it is now, for people. Immutable.
 *
 * @param name        of the device.
 * @param id          of the array in superblocks.
 * @param level       of the array.
 * @param sizeBytes   of the array's data.
 * @param stripBytes  of each member in a stripe.
 * @param memberBytes of data on each member.
 * @param roomBytes   of data that each member has room for; 0 when a slot has none.
 * @param status      its health, and progress of a rebuild, resync or scrub.
 * @param pending     operation that has begun, and goes on later when the status shows another or none: reshape or
 *                    resize; empty: there is none.
 * @param leftMs      until the operation of the status ends, at its rate so far; {@link #UNKNOWN}: none is running, or
 *                    it has just begun.
 * @param members     by slot, then spares, then devices that failed and whose slot has another.
 * @param dirtyBytes  of each member, in regions that the write-intent bitmap has set; 0 without a bitmap.
 * @param resyncBytes of these, in regions where copies or parity may not match.
 * @param scrub       result of the scrub that runs, else of the last; null: none has begun since it was assembled.
 * @param scrubbedMs  when the last complete scrub ended, milliseconds since 1970 (UTC); 0: never.
 * @param hedgedReads reads that other members were asked for as well, since it was assembled.
 * @param hedgesWon   of these, those that the others answered first.
 * @param writes      how stripes were written for hosts, of an array with parity.
 * @param journal     device that settings name for the journal.
 * @param hasChecksums whether blocks of its members have checksums.
 * @param qSlot       that has Q of all stripes of level 6; {@link #NO_SLOT}: of another level, or Q is on all members
 *                    in turn.
 * @param hasMismatches whether rows are known not to match: a scrub, of this start or an earlier one, has found some
 *                    that were not repaired.
 */
public record RaidDetails(
    String name,
    UUID id,
    RaidLevel level,
    long sizeBytes,
    int stripBytes,
    long memberBytes,
    long roomBytes,
    DeviceStatus status,
    String pending,
    long leftMs,
    List<RaidMemberDetails> members,
    long dirtyBytes,
    long resyncBytes,
    ScrubResult scrub,
    long scrubbedMs,
    long hedgedReads,
    long hedgesWon,
    StripeWrites writes,
    RaidJournalDetails journal,
    boolean hasChecksums,
    int qSlot,
    boolean hasMismatches)
{
    /** Instead of a time that is not known. */
    public static final long UNKNOWN = -1;
    /** Instead of a slot. */
    public static final int NO_SLOT = -1;

    /**
     * Copies the list.
     */
    public RaidDetails
    {
        members = List.copyOf(members);
    }
}
