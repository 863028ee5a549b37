package io.millrace.block.raid;

import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceProgress;
import io.millrace.block.DeviceStatus;
import io.millrace.block.raid.RaidMemberDetails.State;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Describes an array as it is at the moment. Any thread, control path. */
final class RaidSnapshot
{
    private static final int KIB = 1 << 10;

    private final RaidDevice device;
    private final ArrayView view;

    /**
     * Of one view.
     *
     * @param device to describe.
     */
    RaidSnapshot(final RaidDevice device)
    {
        this.device = device;
        view = device.view();
    }

    /**
     * {@return the array}
     *
     * @param leftMs until its operation ends.
     */
    RaidDetails details(final long leftMs)
    {
        final WriteIntent intent = device.intent();
        return new RaidDetails(device.name(), device.id(), device.layout().level(), device.geometry().sizeBytes(),
            device.layout().stripBytes(), device.layout().memberBytes(), MemberRoom.of(device).bytes(),
            device.status(), pending(), leftMs, members(), null == intent ? 0 : bytes(intent.dirtyCount()),
            null == intent ? 0 : bytes(intent.resyncCount()), device.scrubControl().result(),
            device.scrubControl().scrubbedMs(), device.hedgeCounts().begun(), device.hedgeCounts().won(),
            device.channels().writes(), device.journalDevice().details(view),
            null != device.pages().checksums(), qSlot(), device.scrubControl().hasMismatches());
    }

    /** Slots without data have Q. */
    private int qSlot()
    {
        final int withData = view.map().slotsWithData();
        return withData < view.slotCount() ? withData : RaidDetails.NO_SLOT;
    }

    /**
     * {@return its health}
     *
     * @param trouble  a sentence on members; may be empty.
     * @param progress of its own work; null: none is running.
     */
    DeviceStatus status(final String trouble, final DeviceProgress progress)
    {
        if (null != view.failure())
        {
            return new DeviceStatus(DeviceHealth.FAILED, view.failure());
        }
        final String all = Stream.of(trouble, device.journalDevice().trouble(), lost(), wrong())
            .filter((each) -> !each.isEmpty()).collect(Collectors.joining("; "));
        if (view.isComplete() && all.isEmpty())
        {
            return new DeviceStatus(DeviceHealth.ONLINE, "", progress);
        }
        return new DeviceStatus(DeviceHealth.DEGRADED,
            view.isComplete() ? all : reason(view, device.isResizing(), all), progress);
    }

    /** Of members that hosts read of. */
    private String lost()
    {
        int count = 0;
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            count += view.isWritable(slot) ? view.member(slot).lostBlocks().count() : 0;
        }
        return 0 == count ? "" : blocks(count) + " of members " + (1 == count ? "is" : "are") +
            " lost: overwrite what ends with media errors from a host" + wholeStripes();
    }

    /** A smaller write needs other data of its rows, where more may be lost than parity makes up for. */
    private String wholeStripes()
    {
        final ArrayLayout layout = view.layout();
        return 0 == layout.parityCount() ? "" : ", in whole stripes of " +
            ((long)layout.dataCount() << layout.stripShift()) / KIB + " KiB";
    }

    /** What the last scrub has found and not repaired. */
    private String wrong()
    {
        final ScrubResult scrub = device.scrubControl().result();
        if (null == scrub || scrub.isActive() || 0 == scrub.wrongBlocks() || scrub.mismatches() <= scrub.repaired())
        {
            return "";
        }
        return "the last scrub found " + blocks(scrub.wrongBlocks()) + " with a checksum mismatch, " +
            "and did not repair all: " +
            (ScrubMode.REPAIR == scrub.mode() ? "overwrite those that its events name from a host, and scrub again" :
            "scrub with repair");
    }

    private static String blocks(final long count)
    {
        return count + (1 == count ? " block" : " blocks");
    }

    private String pending()
    {
        return view.map().isReshaping() ? Reshaping.OPERATION : device.isResizing() ? Resizing.OPERATION : "";
    }

    private long bytes(final int regions)
    {
        return Math.min(regions * device.intent().regionBytes(), device.layout().memberBytes());
    }

    private List<RaidMemberDetails> members()
    {
        final List<RaidMemberDetails> members = new ArrayList<>();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            members.add(slot(slot));
        }
        final List<RaidMemberDetails> failed = new ArrayList<>();
        final List<RaidMember> spares = device.spares();
        for (final RaidMember each : device.raidMembers())
        {
            if (each == view.target())
            {
                // It is copied to, and not in its slot yet.
                members.add(new RaidMemberDetails(RaidMemberDetails.NO_SLOT, each.device().name(), each.id(),
                    State.REBUILDING, each.rebuiltBytes(), each.correctedErrors(), each.lostBlocks().count(),
                    each.wrongBlocks(), each.invalidChecksumPages()));
            }
            else if (view.slotOf(each) < 0 && each != device.journalDevice().member())
            {
                final boolean isSpare = spares.contains(each);
                (isSpare ? members : failed).add(new RaidMemberDetails(RaidMemberDetails.NO_SLOT,
                    each.device().name(), each.id(), isSpare ? State.SPARE : State.FAILED, 0, each.correctedErrors(),
                    each.lostBlocks().count(), each.wrongBlocks(), each.invalidChecksumPages()));
            }
        }
        members.addAll(failed);
        return members;
    }

    /**
     * {@return a sentence on slots that are not in sync}
     *
     * @param view       of the array.
     * @param isResizing whether its members are to become larger.
     * @param trouble    what else an operator should know; may be empty.
     */
    static String reason(final ArrayView view, final boolean isResizing, final String trouble)
    {
        final StringBuilder text = new StringBuilder();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (SlotState.IN_SYNC != view.state(slot))
            {
                text.append(text.isEmpty() ? "slot " : ", slot ").append(slot).append(" (")
                    .append(null == view.member(slot) ? "no member" : view.member(slot)).append(") is ")
                    .append(view.state(slot));
            }
        }
        if (view.map().isReshaping() || isResizing)
        {
            text.append("; the ").append(view.map().isReshaping() ? Reshaping.OPERATION : Resizing.OPERATION)
                .append(" waits for that");
        }
        return trouble.isEmpty() ? text.toString() : text + "; " + trouble;
    }

    private RaidMemberDetails slot(final int slot)
    {
        final RaidMember member = view.member(slot);
        if (null == member)
        {
            return new RaidMemberDetails(slot, "", null, State.EMPTY, 0, 0, 0, 0, 0);
        }
        final SlotState state = view.state(slot);
        return new RaidMemberDetails(slot, null == member.device() ? "" : member.device().name(), member.id(),
            State.valueOf(state.name()), SlotState.IN_SYNC == state ? device.layout().memberBytes() :
            SlotState.REBUILDING == state ? member.rebuiltBytes() : 0, member.correctedErrors(),
            member.lostBlocks().count(), member.wrongBlocks(), member.invalidChecksumPages());
    }
}
