package io.millrace.control.message;

import java.util.Objects;

/**
 * A version of what a data plane should be, as its manager keeps it.
 *
 * @param version    from 1; the highest is what should be now.
 * @param epochNs    when it was made, since 1970, by the clock of the manager.
 * @param devices    in it.
 * @param subsystems in it.
 * @param namespaces in it.
 * @param hosts      that its subsystems let in by name.
 * @param listeners  in it.
 * @param dataPlane  that it is of.
 * @param who        made it.
 * @param comment    of who made it, or empty.
 */
public record VersionInfo(
    long version,
    long epochNs,
    int devices,
    int subsystems,
    int namespaces,
    int hosts,
    int listeners,
    String dataPlane,
    String who,
    String comment)
    implements Resource
{
    /**
     * Refuses null.
     */
    public VersionInfo
    {
        Objects.requireNonNull(dataPlane, "dataPlane");
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(comment, "comment");
    }
}
