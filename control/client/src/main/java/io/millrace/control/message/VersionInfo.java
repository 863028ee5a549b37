package io.millrace.control.message;

import java.util.Objects;

/**
 * A version of the desired state of a data plane.
 *
 * @param version    from 1; the highest is the current one.
 * @param epochNs    when it was made, since 1970, by the clock of the manager.
 * @param devices    in it.
 * @param subsystems in it.
 * @param namespaces in it.
 * @param hosts      that its subsystems let in by name.
 * @param listeners  in it.
 * @param dataPlane  that it is of.
 * @param author        made it.
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
    String author,
    String comment)
    implements Resource
{
    /**
     * Rejects null.
     */
    public VersionInfo
    {
        Objects.requireNonNull(dataPlane, "dataPlane");
        Objects.requireNonNull(author, "author");
        Objects.requireNonNull(comment, "comment");
    }
}
