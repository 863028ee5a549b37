package io.millrace.control.message;

import java.util.Comparator;
import java.util.Objects;
import java.util.UUID;

/**
 * A version of a desired state among all that were ever made. Positions of one lineage are ordered: by the term in
 * which the version was made, then by its number, so that what a former manager wrote beside a later one never counts
 * as the newer. Immutable.
 *
 * @param lineage made at the initial import of the desired state; {@link #NO_LINEAGE}: there is none.
 * @param term    of the manager that made the version; 0: none was held.
 * @param version from 1 to {@link #VERSION_MAX} wherever it is kept; 0: none.
 */
public record StatePosition(UUID lineage, long term, long version)
{
    /** Highest version, a million each second of thirty years: far below what overflows, and what files hold. */
    public static final long VERSION_MAX = 1_000_000_000_000_000L;
    /** Instead of a lineage where no desired state was ever applied. */
    public static final UUID NO_LINEAGE = new UUID(0, 0);
    /** Of a data plane that no manager ever applied a version to. */
    public static final StatePosition NONE = new StatePosition(NO_LINEAGE, 0, 0);

    private static final Comparator<StatePosition> ORDER =
        Comparator.comparingLong(StatePosition::term).thenComparingLong(StatePosition::version);

    /**
     * Rejects null.
     */
    public StatePosition
    {
        Objects.requireNonNull(lineage, "lineage");
    }

    /**
     * {@return whether it is of any lineage}
     */
    public boolean isKnown()
    {
        return !NO_LINEAGE.equals(lineage);
    }

    /**
     * {@return whether term and version are within what is kept: 0 to {@link Terms#MAX} and 0 to {@link #VERSION_MAX}}
     */
    public boolean isWithinBounds()
    {
        return term >= 0 && term <= Terms.MAX && version >= 0 && version <= VERSION_MAX;
    }

    /**
     * {@return whether both are of one lineage}
     *
     * @param other position.
     */
    public boolean isRelatedTo(final StatePosition other)
    {
        return lineage.equals(other.lineage);
    }

    /**
     * {@return whether it was made after another of the same lineage}
     *
     * @param other position.
     */
    public boolean isAfter(final StatePosition other)
    {
        return ORDER.compare(this, other) > 0;
    }

    @Override
    public String toString()
    {
        return isKnown() ? "version " + version + " of term " + term + " of lineage " + lineage : "no version";
    }
}
