package io.millrace.control.agent;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.Terms;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Which manager is in charge of a data plane, which version it applied, and whose commands are taken therefore. It
 * changes only by {@link Command.TakeTerm}, {@link Command.ApplyVersion} and changes past the manager. The thread that
 * carries out commands, one at a time; any thread may look.
 */
final class ManagerInCharge
{
    private final String dataPlane;
    private volatile LeadershipInfo info;

    /**
     * @param dataPlane its name.
     * @param info      as kept; {@link LeadershipInfo#NONE}: there never was a manager.
     */
    ManagerInCharge(final String dataPlane, final LeadershipInfo info)
    {
        this.dataPlane = dataPlane;
        this.info = info;
    }

    LeadershipInfo info()
    {
        return info;
    }

    /** Puts another manager in charge, or the same again; answers why not, or null. */
    Reply take(final Command.TakeTerm command)
    {
        final long held = info.term();
        final long wanted = command.newTerm();
        if (wanted == held && info.managerId().equals(command.managerId()))
        {
            return null;
        }
        if (wanted > 0 && wanted <= held)
        {
            return Reply.refused(Code.STALE_TERM, "term " + wanted + " is not above term " + held + " of " + who());
        }
        if (!Terms.isTerm(wanted) || wanted - held > Terms.STEP_MAX)
        {
            return Reply.refused(Code.INVALID, "term " + wanted + " is not within " + (held + 1) + " to " +
                Math.min(Terms.MAX, held + Terms.STEP_MAX) + ": take the one above the term that data plane " +
                dataPlane + " holds");
        }
        final Instant now = Instant.now();
        info = new LeadershipInfo(wanted, command.managerId(),
            Math.addExact(TimeUnit.SECONDS.toNanos(now.getEpochSecond()), now.getNano()), info.position(),
            info.directChanges(), info.directChangesSeen(), command.managerName(), command.managerAddress());
        return null;
    }

    /** Notes a version; answers why not, or null. */
    Reply apply(final long term, final Command.ApplyVersion command)
    {
        final StatePosition position = command.position();
        if (!info.isManaged() || term != info.term())
        {
            return staleTerm(term);
        }
        if (!position.isKnown() || position.version() < 1 || !position.isWithinBounds())
        {
            return Reply.refused(Code.INVALID, position + " is none: its lineage is not zero, its version 1 to " +
                StatePosition.VERSION_MAX + ", its term 0 to " + Terms.MAX);
        }
        // What another lineage made, or nobody, is not this one's to remove unasked.
        final long foreign = !command.inSync() && !position.isRelatedTo(info.position()) ? 1 : 0;
        final long changes = info.directChanges() + foreign;
        final long seen = command.inSync() ?
            Math.clamp(command.directChanges(), info.directChangesSeen(), changes) : info.directChangesSeen();
        info = new LeadershipInfo(info.term(), info.managerId(), info.sinceEpochNs(), position, changes, seen,
            info.managerName(), info.managerAddress());
        return null;
    }

    /** Why a command is not taken, or null. */
    Reply refusal(final long term, final Command command)
    {
        if (!info.isManaged() || term == info.term())
        {
            // Before there ever was one, a manager of an older version sends terms that it did not take.
            return null;
        }
        if (term > 0)
        {
            return staleTerm(term);
        }
        return CommandHeader.DIRECT == term || !DesiredState.keeps(command) ? null : Reply.refused(Code.STALE_TERM,
            "data plane " + dataPlane + " is managed by " + who() + ": change it there. --direct changes the data " +
                "plane itself, which its manager reports as drift");
    }

    /** Whether a command that was taken is a change past the manager. */
    boolean isDirect(final long term, final Command command)
    {
        return info.isManaged() && CommandHeader.DIRECT == term && DesiredState.keeps(command);
    }

    /** A change past the manager is made, or tried: told before it is, so that a look finds no change without it. */
    void onDirectChange()
    {
        info = new LeadershipInfo(info.term(), info.managerId(), info.sinceEpochNs(), info.position(),
            info.directChanges() + 1, info.directChangesSeen(), info.managerName(), info.managerAddress());
    }

    private Reply staleTerm(final long term)
    {
        return Reply.refused(Code.STALE_TERM, info.isManaged() ?
            "term " + term + " is not that of " + who() :
            "term " + term + " was not taken of data plane " + dataPlane);
    }

    private String who()
    {
        return "manager " + info.managerName() + " (term " + info.term() + " since " +
            Instant.ofEpochSecond(TimeUnit.NANOSECONDS.toSeconds(info.sinceEpochNs())) + ", takes commands in " +
            info.managerAddress() + ")";
    }
}
