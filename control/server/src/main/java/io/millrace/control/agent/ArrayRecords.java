package io.millrace.control.agent;

import io.millrace.block.DeviceProgress;
import io.millrace.block.raid.RaidDetails;
import io.millrace.block.raid.RaidMemberDetails;
import io.millrace.block.raid.ScrubResult;
import io.millrace.block.raid.StripeWrites;
import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.JournalDeviceState;
import io.millrace.control.codec.MemberState;
import io.millrace.control.codec.ScrubMode;
import io.millrace.control.codec.ScrubState;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.ScrubInfo;
import java.util.UUID;

/** Arrays as records. Stateless. */
final class ArrayRecords
{
    private static final UUID NO_UUID = new UUID(0, 0);

    private ArrayRecords()
    {
    }

    static ArrayInfo of(final RaidDetails details)
    {
        final DeviceProgress progress = details.status().progress();
        return new ArrayInfo(details.name(), details.id(), details.level().label(), details.level().parityStrips(),
            details.sizeBytes(), details.memberBytes(), details.stripBytes(),
            DeviceHealth.valueOf(details.status().health().name()), details.status().reason(),
            null == progress ? "" : progress.operation(), null == progress ? Resource.UNKNOWN : progress.perMille(),
            RaidDetails.UNKNOWN == details.leftMs() ? Resource.UNKNOWN : details.leftMs(),
            details.members().stream().map(ArrayRecords::member).toList(), details.dirtyBytes(), details.resyncBytes(),
            null == details.scrub() ? null : scrub(details.scrub()), details.scrubbedMs(),
            details.hedgedReads(), details.hedgesWon(), writes(details.writes()), details.roomBytes(),
            details.journal().device(), JournalDeviceState.valueOf(details.journal().state().name()),
            details.hasChecksums(), RaidDetails.NO_SLOT == details.qSlot() ? ArrayInfo.NO_SLOT : details.qSlot(),
            details.hasMismatches());
    }

    private static ArrayInfo.Writes writes(final StripeWrites writes)
    {
        return new ArrayInfo.Writes(
            writes.wholeStripes(), writes.reconstructs(), writes.readModifyWrites(), writes.gathered());
    }

    private static ArrayInfo.Member member(final RaidMemberDetails member)
    {
        return new ArrayInfo.Member(RaidMemberDetails.NO_SLOT == member.slot() ? ArrayInfo.NO_SLOT : member.slot(),
            member.name(), null == member.id() ? NO_UUID : member.id(), MemberState.valueOf(member.state().name()),
            member.rebuiltBytes(), member.correctedErrors(), member.lostBlocks(), member.wrongBlocks(),
            member.invalidChecksumPages());
    }

    private static ScrubInfo scrub(final ScrubResult result)
    {
        return new ScrubInfo(ScrubMode.valueOf(result.mode().name()), ScrubState.valueOf(result.status().name()),
            result.beganMs(), result.endedMs(), result.checkedBytes(), result.skippedBytes(), result.mismatches(),
            result.repaired(), result.correctedErrors(), result.unreadable(), result.wrongBlocks(),
            result.offsets());
    }
}
