package io.millrace.cli.control.view;

import io.millrace.control.codec.MemberState;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.ScrubInfo;
import io.millrace.control.setting.SettingType;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** Values of arrays for programs, beside those of the table. Stateless. */
final class ArrayValues
{
    private ArrayValues()
    {
    }

    static Map<String, Object> of(final ArrayInfo array)
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        values.put("members", array.members().stream().map(ArrayValues::member).toList());
        values.put("journal-device", array.journalDevice().isEmpty() ? null : array.journalDevice());
        values.put("journal-device-state", SettingType.word(array.journalState()));
        values.put("dirty-bytes", array.dirtyBytes());
        values.put("resync-bytes", array.resyncBytes());
        values.put("checksums", array.hasChecksums());
        values.put("q-slot", ArrayInfo.NO_SLOT == array.qSlot() ? null : array.qSlot());
        values.put("known-mismatches", array.hasMismatches());
        values.put("hedged-reads", array.hedgedReads());
        values.put("hedged-reads-won", array.hedgesWon());
        values.put("whole-stripe-writes", array.writes().wholeStripes());
        values.put("reconstruct-writes", array.writes().reconstructs());
        values.put("read-modify-writes", array.writes().readModifyWrites());
        values.put("gathered-writes", array.writes().gathered());
        values.put("last-complete-scrub", time(array.scrubbedEpochMs()));
        values.put("scrub", null == array.scrub() ? null : scrub(array.scrub()));
        return values;
    }

    /** Slots in sync and all, then spares. */
    static String members(final ArrayInfo array)
    {
        final long spares =
            array.members().stream().filter((each) -> MemberState.SPARE == each.state()).count();
        return array.inSyncCount() + "/" + array.slotCount() + (0 == spares ? "" : " +" + spares);
    }

    private static Map<String, Object> member(final ArrayInfo.Member member)
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        values.put("slot", member.isInSlot() ? member.slot() : null);
        values.put("device", member.device().isEmpty() ? null : member.device());
        values.put("state", SettingType.word(member.state()));
        values.put("rebuilt-bytes", member.rebuiltBytes());
        values.put("corrected-errors", member.correctedErrors());
        values.put("lost-blocks", member.lostBlocks());
        values.put("wrong-blocks", member.wrongBlocks());
        values.put("invalid-checksum-pages", member.invalidChecksumPages());
        values.put("uuid", member.memberId().toString());
        return values;
    }

    private static Map<String, Object> scrub(final ScrubInfo scrub)
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        values.put("mode", SettingType.word(scrub.mode()));
        values.put("state", SettingType.word(scrub.state()));
        values.put("began", time(scrub.beganEpochMs()));
        values.put("ended", time(scrub.endedEpochMs()));
        values.put("checked-bytes", scrub.checkedBytes());
        values.put("skipped-bytes", scrub.skippedBytes());
        values.put("mismatches", scrub.mismatches());
        values.put("repaired", scrub.repaired());
        values.put("corrected-errors", scrub.correctedErrors());
        values.put("unreadable", scrub.unreadable());
        values.put("wrong-blocks", scrub.wrongBlocks());
        values.put("offsets", scrub.offsets());
        return values;
    }

    private static String time(final long epochMs)
    {
        return 0 == epochMs ? null : Instant.ofEpochMilli(epochMs).toString();
    }
}
