package io.millrace.nvmf.qos;

/**
 * How much a namespace, or a host of a subsystem, may do in a second. Immutable. A limit of 0 is none. Reads are Read
 * and Compare; writes are Write, Write Zeroes and Dataset Management, the last two without bytes, since none are
 * transferred. Flushes and admin commands are not limited.
 * <p>
 * Over any stretch of time, no more is begun than the limit allows in it and a burst; a burst is what the limit allows
 * in {@link #burstMs}, at least one command, and one command more for each reactor.
 *
 * @param readIops            reads a second.
 * @param writeIops           writes a second.
 * @param iops                reads and writes a second.
 * @param readBytesPerSecond  of reads.
 * @param writeBytesPerSecond of writes.
 * @param bytesPerSecond      of reads and writes.
 * @param burstMs             what was not used of this time may be used at once.
 */
public record QosLimits(
    long readIops,
    long writeIops,
    long iops,
    long readBytesPerSecond,
    long writeBytesPerSecond,
    long bytesPerSecond,
    int burstMs)
{
    /** No limit at all. */
    public static final QosLimits NONE = new QosLimits(0, 0, 0, 0, 0, 0, QosLimits.BURST_MS_DEFAULT);
    /** Largest limit of commands. */
    public static final long IOPS_MAX = 1_000_000_000L;
    /** Least limit of bytes. */
    public static final long BYTES_PER_SECOND_MIN = 4096;
    /** Largest limit of bytes: 128 GiB a second. */
    public static final long BYTES_PER_SECOND_MAX = 1L << 37;
    /** Default of {@link #burstMs()}: a hundredth of a second, so that a second is exact to one in a hundred. */
    public static final int BURST_MS_DEFAULT = 10;
    /** Least {@link #burstMs()}: a reactor that sleeps wakes up a millisecond late. */
    public static final int BURST_MS_MIN = 2;
    /** Largest {@link #burstMs()}. */
    public static final int BURST_MS_MAX = 10_000;

    /**
     * Checks the bounds.
     */
    public QosLimits
    {
        check("read IOPS", readIops, 1, IOPS_MAX);
        check("write IOPS", writeIops, 1, IOPS_MAX);
        check("IOPS", iops, 1, IOPS_MAX);
        check("read bytes a second", readBytesPerSecond, BYTES_PER_SECOND_MIN, BYTES_PER_SECOND_MAX);
        check("write bytes a second", writeBytesPerSecond, BYTES_PER_SECOND_MIN, BYTES_PER_SECOND_MAX);
        check("bytes a second", bytesPerSecond, BYTES_PER_SECOND_MIN, BYTES_PER_SECOND_MAX);
        if (burstMs < BURST_MS_MIN || burstMs > BURST_MS_MAX)
        {
            throw new IllegalArgumentException("burst of " + burstMs + " ms is not within " + BURST_MS_MIN + " to " +
                BURST_MS_MAX + " ms: choose a value within");
        }
    }

    /**
     * {@return a limit of commands, reads and writes together}
     *
     * @param iops a second.
     */
    public static QosLimits ofIops(final long iops)
    {
        return new QosLimits(0, 0, iops, 0, 0, 0, BURST_MS_DEFAULT);
    }

    /**
     * {@return a limit of bytes, reads and writes together}
     *
     * @param bytesPerSecond of them.
     */
    public static QosLimits ofBytes(final long bytesPerSecond)
    {
        return new QosLimits(0, 0, 0, 0, 0, bytesPerSecond, BURST_MS_DEFAULT);
    }

    /**
     * {@return whether it limits nothing}
     */
    public boolean isNone()
    {
        return 0 == (readIops | writeIops | iops | readBytesPerSecond | writeBytesPerSecond | bytesPerSecond);
    }

    private static void check(final String what, final long value, final long minimum, final long maximum)
    {
        if (0 != value && (value < minimum || value > maximum))
        {
            throw new IllegalArgumentException("limit of " + value + " " + what + " is not within " + minimum + " to " +
                maximum + ": choose a value within, or 0 for no limit");
        }
    }
}
