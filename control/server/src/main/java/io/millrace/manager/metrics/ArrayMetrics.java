package io.millrace.manager.metrics;

import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.JournalDeviceState;
import io.millrace.control.codec.MemberState;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.ScrubInfo;
import io.millrace.control.setting.SettingType;
import java.util.List;

/** Records of arrays as metrics. Stateless. */
final class ArrayMetrics
{
    private static final double MS_PER_S = 1e3;
    private static final double PER_MILLE = 1e3;
    private static final List<JournalDeviceState> JOURNAL_DEVICE_STATES = List.of(
        JournalDeviceState.IDLE, JournalDeviceState.ACTIVE, JournalDeviceState.FAILED, JournalDeviceState.MISSING);

    private ArrayMetrics()
    {
    }

    static void add(final Samples samples, final String plane, final ArrayInfo array)
    {
        final String name = array.name();
        for (final DeviceHealth health : DeviceHealth.values())
        {
            if (DeviceHealth.NULL_VAL != health && DeviceHealth.SBE_UNKNOWN != health)
            {
                samples.add(Metric.ARRAY_HEALTH, health == array.health() ? 1 : 0, plane, name,
                    SettingType.word(health));
            }
        }
        samples.add(Metric.ARRAY_SLOTS, array.slotCount(), plane, name)
            .add(Metric.ARRAY_SLOTS_NOT_IN_SYNC, array.slotCount() - array.inSyncCount(), plane, name)
            .add(Metric.ARRAY_SPARES, array.members().stream()
                .filter((each) -> MemberState.SPARE == each.state()).count(), plane, name)
            .add(Metric.ARRAY_DIRTY, array.dirtyBytes(), plane, name)
            .add(Metric.ARRAY_RESYNC, array.resyncBytes(), plane, name)
            .add(Metric.ARRAY_CHECKSUMS, array.hasChecksums() ? 1 : 0, plane, name)
            .add(Metric.ARRAY_KNOWN_MISMATCHES, array.hasMismatches() ? 1 : 0, plane, name)
            .add(Metric.ARRAY_HEDGED_READS, array.hedgedReads(), plane, name)
            .add(Metric.ARRAY_HEDGES_WON, array.hedgesWon(), plane, name)
            .add(Metric.ARRAY_STRIPE_WRITES, array.writes().wholeStripes(), plane, name, "whole")
            .add(Metric.ARRAY_STRIPE_WRITES, array.writes().reconstructs(), plane, name, "reconstruct")
            .add(Metric.ARRAY_STRIPE_WRITES, array.writes().readModifyWrites(), plane, name, "read-modify-write")
            .add(Metric.ARRAY_GATHERED_WRITES, array.writes().gathered(), plane, name);
        for (final JournalDeviceState state : JOURNAL_DEVICE_STATES)
        {
            if (!array.journalDevice().isEmpty())
            {
                samples.add(Metric.ARRAY_JOURNAL_DEVICE, state == array.journalState() ? 1 : 0, plane, name,
                    array.journalDevice(), SettingType.word(state));
            }
        }
        if (!array.operation().isEmpty())
        {
            samples.add(Metric.ARRAY_PROGRESS, array.progressPerMille() / PER_MILLE, plane, name, array.operation());
        }
        array.members().stream().filter((each) -> !each.device().isEmpty()).forEach((each) ->
            samples.add(Metric.ARRAY_CORRECTED_ERRORS, each.correctedErrors(), plane, name, each.device())
                .add(Metric.ARRAY_LOST_BLOCKS, each.lostBlocks(), plane, name, each.device())
                .add(Metric.ARRAY_WRONG_BLOCKS, each.wrongBlocks(), plane, name, each.device())
                .add(Metric.ARRAY_INVALID_CHECKSUM_PAGES, each.invalidChecksumPages(), plane, name, each.device()));
        scrub(samples, plane, array);
    }

    static void add(final Samples samples, final String plane, final DeviceInfo device)
    {
        if (device.spec().isSharedSpare())
        {
            samples.add(Metric.SHARED_SPARE_FREE,
                0 == device.users() && DeviceHealth.ONLINE == device.health() ? 1 : 0, plane, device.name());
        }
    }

    private static void scrub(final Samples samples, final String plane, final ArrayInfo array)
    {
        if (0 != array.scrubbedEpochMs())
        {
            samples.add(Metric.ARRAY_SCRUBBED, array.scrubbedEpochMs() / MS_PER_S, plane, array.name());
        }
        final ScrubInfo scrub = array.scrub();
        if (null != scrub)
        {
            samples.add(Metric.ARRAY_SCRUB_MISMATCHES, scrub.mismatches(), plane, array.name())
                .add(Metric.ARRAY_SCRUB_REPAIRED, scrub.repaired(), plane, array.name())
                .add(Metric.ARRAY_SCRUB_UNREADABLE, scrub.unreadable(), plane, array.name())
                .add(Metric.ARRAY_SCRUB_WRONG_BLOCKS, scrub.wrongBlocks(), plane, array.name());
        }
    }
}
