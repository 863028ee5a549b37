package io.millrace.control.message;

import java.util.Objects;

/**
 * Limits of a namespace, all hosts together, or of a host, on all namespaces of a subsystem together. What is over a
 * limit waits.
 *
 * @param nqn                 of the subsystem.
 * @param nsid                of the namespace; 0: they are a host's.
 * @param hostNqn             of the host; empty: they are a namespace's.
 * @param readIops            reads a second; 0: no limit.
 * @param writeIops           writes a second; 0: no limit.
 * @param iops                reads and writes a second; 0: no limit.
 * @param readBytesPerSecond  of reads; 0: no limit.
 * @param writeBytesPerSecond of writes; 0: no limit.
 * @param bytesPerSecond      of reads and writes; 0: no limit.
 * @param burstMs             time whose unused capacity may be used at once; 0: the default.
 */
public record QosSpec(
    String nqn,
    int nsid,
    String hostNqn,
    long readIops,
    long writeIops,
    long iops,
    long readBytesPerSecond,
    long writeBytesPerSecond,
    long bytesPerSecond,
    int burstMs)
{
    /**
     * Rejects null.
     */
    public QosSpec
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(hostNqn, "hostNqn");
    }

    /**
     * The end of a namespace's limits.
     *
     * @param nqn  of the subsystem.
     * @param nsid of the namespace.
     * @return limits that are none.
     */
    public static QosSpec noneOfNamespace(final String nqn, final int nsid)
    {
        return new QosSpec(nqn, nsid, "", 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * The end of a host's limits.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     * @return limits that are none.
     */
    public static QosSpec noneOfHost(final String nqn, final String hostNqn)
    {
        return new QosSpec(nqn, 0, hostNqn, 0, 0, 0, 0, 0, 0, 0);
    }
}
