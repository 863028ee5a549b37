package io.millrace.cli.control.view;

import io.millrace.console.Quantity;
import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.JournalDeviceState;
import io.millrace.control.codec.MemberState;
import io.millrace.control.codec.ScrubMode;
import io.millrace.control.codec.ScrubState;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.ScrubInfo;
import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * An array drawn for people: what it is, its slots, what it does, and its last scrub. Stateless.
 */
public final class ArrayScreen
{
    /** Why a scrub has the state WAITING. */
    public static final String WHAT_SCRUBS_WAIT_FOR =
        " for another operation of the array, or until all slots are in sync";

    private static final int BAR_WIDTH = 30;
    private static final long NS_PER_MS = 1_000_000;
    private static final int PER_MILLE_MAX = 1000;
    private static final UUID NO_UUID = new UUID(0, 0);
    /** Operations with which members may begin to be used further; else the command that does it is refused. */
    private static final Set<String> BESIDE_GROWTH = Set.of("", "resync", "scrub");

    private ArrayScreen()
    {
    }

    /**
     * {@return the lines}
     *
     * @param array    to draw.
     * @param shared   names of shared spares: members among them are marked.
     * @param terminal whose colours are used.
     */
    public static List<String> lines(final ArrayInfo array, final List<String> shared, final Terminal terminal)
    {
        final List<String> lines = new ArrayList<>();
        final String health = SettingType.word(array.health());
        lines.add(terminal.bold(array.name()) + "  " + array.title() + ", " + Quantity.bytes(array.sizeBytes()) +
            ", " + (DeviceHealth.ONLINE == array.health() ? terminal.good(health) :
            DeviceHealth.FAILED == array.health() ? terminal.bad(health) : terminal.warn(health)));
        if (!array.reason().isEmpty())
        {
            lines.add("  " + array.reason());
        }
        lines.add("  " + array.slotCount() + " slots of " + Quantity.bytes(array.memberBytes()) + ", strips of " +
            Units.size(array.stripBytes()) + (array.hasChecksums() ? ", checksums" : "") +
            (ArrayInfo.NO_SLOT == array.qSlot() ? "" : ", Q in slot " + array.qSlot()) + ", UUID " + array.arrayId());
        if (array.roomBytes() > array.memberBytes() && DeviceHealth.ONLINE == array.health() &&
            BESIDE_GROWTH.contains(array.operation()))
        {
            lines.add("  members have room for " + Quantity.bytes(array.roomBytes()) + " each: millrace raid grow " +
                array.name() + " --size max");
        }
        if (array.dirtyBytes() > 0)
        {
            lines.add("  write-intent bitmap: " + Quantity.bytes(array.dirtyBytes()) + " of each member are marked" +
                (array.resyncBytes() > 0 ? ", of which " + Quantity.bytes(array.resyncBytes()) + " need a resync" :
                ""));
        }
        if (array.hasMismatches())
        {
            lines.add("  " + terminal.warn("a scrub found rows that do not match and were not repaired") +
                ": find out which drive corrupts data, then repair them: millrace raid scrub " + array.name() +
                " --repair");
        }
        lines.add("");
        lines.addAll(members(array, shared, terminal));
        lines.add("");
        if (!array.journalDevice().isEmpty())
        {
            lines.add("journal device  " + array.journalDevice() + ", " + state(array.journalState(), terminal));
        }
        if (!array.operation().isEmpty())
        {
            lines.add(operation(array));
        }
        lines.addAll(scrub(array, terminal));
        if (array.hedgedReads() > 0)
        {
            lines.add("hedged reads  " + array.hedgedReads() + ", " + array.hedgesWon() +
                " of them answered by other members first");
        }
        final ArrayInfo.Writes writes = array.writes();
        if (0 != writes.wholeStripes() + writes.reconstructs() + writes.readModifyWrites())
        {
            lines.add("writes        " + writes.wholeStripes() + " whole stripes, " + writes.reconstructs() +
                " reconstruct-writes, " + writes.readModifyWrites() + " read-modify-writes; " + writes.gathered() +
                " of hosts were gathered");
        }
        return lines;
    }

    private static List<String> members(final ArrayInfo array, final List<String> shared, final Terminal terminal)
    {
        final Table table = array.hasChecksums() ? new Table(">SLOT", "MEMBER", "STATE", ">REBUILT",
            ">CORRECTED ERRORS", ">LOST BLOCKS", ">WRONG BLOCKS", "UUID") :
            new Table(">SLOT", "MEMBER", "STATE", ">REBUILT", ">CORRECTED ERRORS", ">LOST BLOCKS", "UUID");
        for (final ArrayInfo.Member each : array.members())
        {
            final boolean isSpare = MemberState.SPARE == each.state();
            final List<String> cells = new ArrayList<>(List.of(
                each.isInSlot() ? Integer.toString(each.slot()) : "-",
                !each.device().isEmpty() ? each.device() + (shared.contains(each.device()) ? " (shared spare)" : "") :
                    MemberState.EMPTY == each.state() ? "-" : "(missing)",
                state(each.state(), terminal),
                MemberState.IN_SYNC != each.state() && MemberState.REBUILDING != each.state() ? "-" :
                    percent(each.rebuiltBytes(), array.memberBytes()),
                isSpare ? "-" : count(each.correctedErrors(), terminal),
                isSpare ? "-" : count(each.lostBlocks(), terminal)));
            if (array.hasChecksums())
            {
                cells.add(isSpare ? "-" : count(each.wrongBlocks(), terminal));
            }
            cells.add(NO_UUID.equals(each.memberId()) ? "-" : each.memberId().toString());
            table.row(cells.toArray(String[]::new));
        }
        return table.lines();
    }

    private static String count(final long count, final Terminal terminal)
    {
        return 0 == count ? "0" : terminal.warn(Long.toString(count));
    }

    private static String state(final MemberState state, final Terminal terminal)
    {
        final String word = SettingType.word(state);
        return switch (state)
        {
            case IN_SYNC -> terminal.good(word);
            case REBUILDING -> terminal.warn(word);
            case FAILED, EMPTY -> terminal.bad(word);
            default -> word;
        };
    }

    private static String state(final JournalDeviceState state, final Terminal terminal)
    {
        final String word = SettingType.word(state);
        return switch (state)
        {
            case ACTIVE -> terminal.good(word);
            case FAILED, MISSING -> terminal.bad(word);
            default -> word;
        };
    }

    private static String percent(final long part, final long whole)
    {
        return whole <= 0 ? "-" : part * 100 / whole + " %";
    }

    /**
     * {@return the line of what the array does on its own, with a bar}
     *
     * @param array with an operation.
     */
    public static String operation(final ArrayInfo array)
    {
        final int perMille = Math.clamp(array.progressPerMille(), 0, PER_MILLE_MAX);
        final int filled = perMille * BAR_WIDTH / PER_MILLE_MAX;
        return array.operation() + "  [" + "#".repeat(filled) + ".".repeat(BAR_WIDTH - filled) + "]  " +
            perMille / 10 + "." + perMille % 10 + " %" + (Resource.UNKNOWN == array.leftMs() ? "" :
            ", " + Quantity.duration(array.leftMs() * NS_PER_MS) + " left");
    }

    private static List<String> scrub(final ArrayInfo array, final Terminal terminal)
    {
        final ScrubInfo scrub = array.scrub();
        final List<String> lines = new ArrayList<>();
        if (null != scrub)
        {
            lines.add((scrub.isActive() ? "scrub" : "last scrub") + "  " + sentence(scrub));
            final String found = found(scrub);
            lines.add("  " + (isClean(scrub) ? found : terminal.warn(found)));
            if (!scrub.offsets().isEmpty())
            {
                lines.add("  first mismatches at byte " +
                    scrub.offsets().stream().map(String::valueOf).collect(Collectors.joining(", ")));
            }
        }
        if (null == scrub || ScrubState.COMPLETED != scrub.state())
        {
            lines.add("last complete scrub  " +
                (0 == array.scrubbedEpochMs() ? "never" : Views.local(array.scrubbedEpochMs() * NS_PER_MS)));
        }
        return lines;
    }

    /**
     * {@return whether a scrub found nothing that is still wrong}
     *
     * @param scrub that ended, or goes on.
     */
    public static boolean isClean(final ScrubInfo scrub)
    {
        return scrub.mismatches() == scrub.repaired() && 0 == scrub.unreadable();
    }

    private static String sentence(final ScrubInfo scrub)
    {
        final String mode = ScrubMode.REPAIR == scrub.mode() ? "repair" : "check";
        final String began = Views.local(scrub.beganEpochMs() * NS_PER_MS);
        return switch (scrub.state())
        {
            case RUNNING -> mode + ", since " + began;
            case WAITING -> mode + ", since " + began +
                ", waits" + WHAT_SCRUBS_WAIT_FOR;
            case COMPLETED -> mode + " completed " + ended(scrub);
            case STOPPED -> mode + " stopped " + ended(scrub);
            case SKIPPED -> mode + " compared nothing, as no block has another copy; ended " + ended(scrub);
            case ABORTED -> mode + " ended when the array failed, " + ended(scrub);
            default -> mode;
        };
    }

    private static String ended(final ScrubInfo scrub)
    {
        return Views.local(scrub.endedEpochMs() * NS_PER_MS) + " after " +
            Quantity.duration(Math.max(0, scrub.endedEpochMs() - scrub.beganEpochMs()) * NS_PER_MS);
    }

    /**
     * {@return what a scrub has found, as a phrase}
     *
     * @param scrub that ended, or goes on.
     */
    public static String found(final ScrubInfo scrub)
    {
        final StringBuilder text = new StringBuilder(Quantity.bytes(scrub.checkedBytes())).append(" checked");
        if (scrub.skippedBytes() > 0)
        {
            text.append(", ").append(Quantity.bytes(scrub.skippedBytes())).append(" skipped");
        }
        text.append(0 == scrub.mismatches() ? ", no mismatches" : ", " + scrub.mismatches() +
            (1 == scrub.mismatches() ? " mismatch" : " mismatches"));
        if (scrub.repaired() > 0)
        {
            text.append(" (").append(scrub.repaired()).append(" repaired)");
        }
        if (scrub.correctedErrors() > 0)
        {
            text.append(", ").append(Units.count(scrub.correctedErrors(), "row")).append(" rewritten");
        }
        if (scrub.unreadable() > 0)
        {
            text.append(", ").append(Units.count(scrub.unreadable(), "row")).append(" lost");
        }
        return text.toString();
    }
}
