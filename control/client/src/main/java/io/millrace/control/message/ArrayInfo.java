package io.millrace.control.message;

import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.JournalDeviceState;
import io.millrace.control.codec.MemberState;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * An array of a data plane, with its members.
 *
 * @param name             of the device.
 * @param arrayId          of the array in superblocks.
 * @param level            0, 1, 5, 6, 10 or ec.
 * @param parityStrips     of each stripe of level ec; 0: of another level.
 * @param sizeBytes        of the array's data.
 * @param memberBytes      of data on each member.
 * @param stripBytes       of each member in a stripe.
 * @param health           now.
 * @param reason           why it is not {@link DeviceHealth#ONLINE}, a sentence, or empty.
 * @param operation        {@code rebuild}, {@code resync}, {@code resize} or {@code scrub}, say, or empty.
 * @param progressPerMille of the operation, 0 to 1000; {@link Resource#UNKNOWN} without an operation.
 * @param leftMs           until the operation ends, at its rate so far; {@link Resource#UNKNOWN}: not known.
 * @param members          by slot, then devices without a slot.
 * @param dirtyBytes       of each member, in regions that the write-intent bitmap has set.
 * @param resyncBytes      of these, in regions where copies or parity may not match.
 * @param scrub            the scrub that runs, else the last; null: none has begun since the data plane started.
 * @param scrubbedEpochMs  end of the last complete scrub, since 1970; 0: never.
 * @param hedgedReads      reads that other members were asked for as well, since the data plane started.
 * @param hedgesWon        of these, those that the others answered first.
 * @param writes           how stripes were written for hosts.
 * @param roomBytes        of data that each member has room for, more than {@code memberBytes} when all became
 *                         larger; 0: a slot has no member.
 * @param journalDevice    that settings name for the journal; empty: members have it.
 * @param journalState     of that device.
 * @param hasChecksums     whether blocks of its members have checksums.
 * @param qSlot            that has Q of all stripes of level 6; {@link #NO_SLOT}: of another level, or Q is on all
 *                         members in turn.
 * @param hasMismatches    whether rows are known not to match: a scrub has found some that were not repaired, before
 *                         the data plane started, too.
 */
public record ArrayInfo(
    String name,
    UUID arrayId,
    String level,
    int parityStrips,
    long sizeBytes,
    long memberBytes,
    int stripBytes,
    DeviceHealth health,
    String reason,
    String operation,
    int progressPerMille,
    long leftMs,
    List<Member> members,
    long dirtyBytes,
    long resyncBytes,
    ScrubInfo scrub,
    long scrubbedEpochMs,
    long hedgedReads,
    long hedgesWon,
    Writes writes,
    long roomBytes,
    String journalDevice,
    JournalDeviceState journalState,
    boolean hasChecksums,
    int qSlot,
    boolean hasMismatches)
    implements Resource
{
    /** Slot of a device that has none. */
    public static final int NO_SLOT = -1;

    /**
     * How stripes of an array with parity, or parts of them, were written for hosts since the data plane started.
     *
     * @param wholeStripes     writes of all data strips, for which members read nothing.
     * @param reconstructs     writes for which members read what the host did not write.
     * @param readModifyWrites writes for which members read what the host overwrote, and parity.
     * @param gathered         writes of hosts that were written with others at once.
     */
    public record Writes(long wholeStripes, long reconstructs, long readModifyWrites, long gathered)
    {
    }

    /**
     * A device of an array, or a slot without one.
     *
     * @param slot            of the array; {@link #NO_SLOT}: none.
     * @param device          its name; empty: it is missing.
     * @param memberId        of its superblock; zero: the slot is empty.
     * @param state           of its data.
     * @param rebuiltBytes    of its data from the start that are valid.
     * @param correctedErrors times that rows were rewritten which it could not read, or read wrongly.
     * @param lostBlocks      blocks that a rebuild could not compute, and that nobody has written since.
     * @param wrongBlocks     times that blocks were found to have a checksum mismatch.
     * @param invalidChecksumPages pages of checksums that were not valid when they were read.
     */
    public record Member(
        int slot,
        String device,
        UUID memberId,
        MemberState state,
        long rebuiltBytes,
        long correctedErrors,
        long lostBlocks,
        long wrongBlocks,
        long invalidChecksumPages)
    {
        /**
         * Rejects null.
         */
        public Member
        {
            Objects.requireNonNull(device, "device");
            Objects.requireNonNull(memberId, "memberId");
            Objects.requireNonNull(state, "state");
        }

        /**
         * {@return whether it has a slot of the array}
         */
        public boolean isInSlot()
        {
            return slot >= 0;
        }
    }

    /**
     * Copies the list; rejects null.
     */
    public ArrayInfo
    {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(arrayId, "arrayId");
        Objects.requireNonNull(level, "level");
        Objects.requireNonNull(health, "health");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(operation, "operation");
        Objects.requireNonNull(journalDevice, "journalDevice");
        Objects.requireNonNull(journalState, "journalState");
        members = List.copyOf(members);
    }

    /**
     * {@return the level for people, such as RAID 6 or EC 8+3}
     */
    public String title()
    {
        return 0 == parityStrips ? "RAID " + level : "EC " + (slotCount() - parityStrips) + '+' + parityStrips;
    }

    /**
     * {@return count of its slots}
     */
    public int slotCount()
    {
        return (int)members.stream().filter(Member::isInSlot).count();
    }

    /**
     * {@return count of its slots whose members are in sync}
     */
    public int inSyncCount()
    {
        return (int)members.stream().filter((each) -> each.isInSlot() && MemberState.IN_SYNC == each.state()).count();
    }

    /**
     * {@return times that rows were rewritten which a member could not read, or read wrongly}
     */
    public long correctedErrors()
    {
        return members.stream().mapToLong(Member::correctedErrors).sum();
    }
}
