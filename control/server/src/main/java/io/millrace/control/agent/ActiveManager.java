package io.millrace.control.agent;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.Terms;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.ManagerName;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The active manager of a data plane and the version that it applied, which decide whose commands are accepted. Changed
 * only by {@link Command.TakeTerm}, {@link Command.ApplyVersion} and direct changes. Written by the thread that
 * executes commands; read by any thread.
 */
final class ActiveManager
{
    private final String dataPlane;
    private volatile LeadershipInfo info;

    /**
     * @param dataPlane its name.
     * @param info      as kept; {@link LeadershipInfo#NONE}: there never was a manager.
     */
    ActiveManager(final String dataPlane, final LeadershipInfo info)
    {
        this.dataPlane = dataPlane;
        this.info = info;
    }

    LeadershipInfo info()
    {
        return info;
    }

    /** Makes a manager the active one; returns the reason of a refusal, or null. */
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
            return Reply.refused(Code.STALE_TERM, "term " + wanted + " is not above term " + held + " of " +
                description());
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

    /** Records an applied version; returns the reason of a refusal, or null. */
    Reply apply(final long term, final Command.ApplyVersion command)
    {
        final StatePosition position = command.position();
        if (!info.isManaged() || term != info.term())
        {
            return staleTerm(term);
        }
        if (!position.isKnown() || position.version() < 1 || !position.isWithinBounds())
        {
            return Reply.refused(Code.INVALID, position + " is invalid: its lineage is not zero, its version 1 to " +
                StatePosition.VERSION_MAX + ", its term 0 to " + Terms.MAX);
        }
        // Resources of another lineage, or without one, must not be removed without confirmation.
        final long foreign = !command.inSync() && !position.isRelatedTo(info.position()) ? 1 : 0;
        final long changes = info.directChanges() + foreign;
        final long seen = command.inSync() ?
            Math.clamp(command.directChanges(), info.directChangesSeen(), changes) : info.directChangesSeen();
        info = new LeadershipInfo(info.term(), info.managerId(), info.sinceEpochNs(), position, changes, seen,
            info.managerName(), info.managerAddress());
        return null;
    }

    /** Reason why a command is refused, or null. */
    Reply refusal(final long term, final Command command)
    {
        if (!info.isManaged() || term == info.term())
        {
            // Managers of an older version send terms that they did not take.
            return null;
        }
        if (term > 0)
        {
            return staleTerm(term);
        }
        return CommandHeader.DIRECT == term || !DesiredState.changesDesiredState(command) ? null :
            Reply.refused(Code.STALE_TERM,
            "data plane " + dataPlane + " is managed by " + description() + ": change it there. --direct modifies " +
            "the data plane itself, which its manager reports as drift");
    }

    /** Whether an accepted command is a direct change, bypassing the manager. */
    boolean isDirect(final long term, final Command command)
    {
        return info.isManaged() && CommandHeader.DIRECT == term && DesiredState.changesDesiredState(command);
    }

    /** Counts a direct change before it is executed, so that a comparison never sees the change without the count. */
    void onDirectChange()
    {
        info = new LeadershipInfo(info.term(), info.managerId(), info.sinceEpochNs(), info.position(),
            info.directChanges() + 1, info.directChangesSeen(), info.managerName(), info.managerAddress());
    }

    private Reply staleTerm(final long term)
    {
        return Reply.refused(Code.STALE_TERM, info.isManaged() ?
            "term " + term + " is not that of " + description() :
            "term " + term + " was not taken on data plane " + dataPlane);
    }

    private String description()
    {
        return ManagerName.phrase(info.managerName()) + " (term " + info.term() + " since " +
            Instant.ofEpochSecond(TimeUnit.NANOSECONDS.toSeconds(info.sinceEpochNs())) + ", takes commands in " +
            info.managerAddress() + ")";
    }
}
