package io.millrace.manager.store;

import io.millrace.control.message.CommandId;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.VersionInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.SubsystemState;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * What is known of a version without its content. Immutable.
 *
 * @param version  from 1.
 * @param lineage  of the state; {@link StatePosition#NO_LINEAGE} of versions of before there were any.
 * @param term     of the manager when it made it; 0: none was held.
 * @param time     when it was made.
 * @param author      made it.
 * @param comment  of who made it, or empty.
 * @param counts   of what is in it.
 * @param commands ids of the commands that made it, so that one that is repeated later is known.
 * @param refused  commands that were refused since the version before, some of earlier versions among them, which are
 *                 not in this one.
 * @param reverted versions that do not count among those kept: earlier ones with changes that this one has not any
 *                 more, and this one itself when nothing else is in it.
 */
public record VersionHeader(
    long version,
    UUID lineage,
    long term,
    Instant time,
    String author,
    String comment,
    Counts counts,
    List<CommandId> commands,
    List<Refusal> refused,
    List<Long> reverted)
{
    /**
     * How much is in a version. Immutable.
     *
     * @param devices    of it.
     * @param subsystems of it.
     * @param namespaces of them.
     * @param hosts      of them.
     * @param listeners  of it.
     */
    public record Counts(int devices, int subsystems, int namespaces, int hosts, int listeners)
    {
        static Counts of(final DesiredState state)
        {
            int hosts = 0;
            for (final SubsystemState each : state.subsystems().values())
            {
                hosts += each.hosts().size();
            }
            return new Counts(state.devices().size(), state.subsystems().size(), state.namespaceCount(), hosts,
                state.listeners().size());
        }
    }

    /**
     * Rejects null, and copies the lists.
     */
    public VersionHeader
    {
        Objects.requireNonNull(lineage, "lineage");
        Objects.requireNonNull(time, "time");
        Objects.requireNonNull(author, "author");
        Objects.requireNonNull(comment, "comment");
        Objects.requireNonNull(counts, "counts");
        commands = List.copyOf(commands);
        refused = List.copyOf(refused);
        reverted = List.copyOf(reverted);
    }

    /**
     * One that takes none back.
     *
     * @param version  see above, as all.
     * @param lineage  of the state.
     * @param term     of the manager.
     * @param time     when it was made.
     * @param author      made it.
     * @param comment  of who made it.
     * @param counts   of what is in it.
     * @param commands that made it.
     * @param refused  before it.
     */
    public VersionHeader(
        final long version,
        final UUID lineage,
        final long term,
        final Instant time,
        final String author,
        final String comment,
        final Counts counts,
        final List<CommandId> commands,
        final List<Refusal> refused)
    {
        this(version, lineage, term, time, author, comment, counts, commands, refused, List.of());
    }

    /** The same, which takes versions back. */
    VersionHeader reverting(final List<Long> versions)
    {
        return versions.isEmpty() ? this :
            new VersionHeader(version, lineage, term, time, author, comment, counts, commands, refused, versions);
    }

    /**
     * {@return where it stands among all versions}
     */
    public StatePosition position()
    {
        return new StatePosition(lineage, term, version);
    }

    /**
     * {@return the record of it}
     *
     * @param dataPlane  that it is of.
     * @param isReverted whether a later version takes its changes back.
     */
    public VersionInfo info(final String dataPlane, final boolean isReverted)
    {
        return new VersionInfo(version, TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano(),
            counts.devices(), counts.subsystems(), counts.namespaces(), counts.hosts(), counts.listeners(), dataPlane,
            author, isReverted ? "reverted: " + comment : comment);
    }
}
