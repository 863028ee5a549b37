package io.millrace.control.state;

import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.QosSpec;
import io.millrace.control.setting.Units;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * Bounds and text form of limits of namespaces and hosts. A test compares the bounds with those of the data plane.
 * Stateless.
 */
public final class QosLimits
{
    static final long IOPS_MAX = 1_000_000_000L;
    static final long BYTES_PER_SECOND_MIN = 4096;
    static final long BYTES_PER_SECOND_MAX = 1L << 37;
    static final int BURST_MS_DEFAULT = 10;
    static final int BURST_MS_MIN = 2;
    static final int BURST_MS_MAX = 10_000;

    /**
     * One of the limits.
     *
     * @param key     in files, and of the option that sets it.
     * @param value   of it; 0: none.
     * @param isBytes whether it is of bytes, and not of commands.
     */
    public record Limit(String key, ToLongFunction<QosSpec> value, boolean isBytes)
    {
        /**
         * {@return the values that it may have, for people}
         */
        public String range()
        {
            return isBytes ? Units.size(BYTES_PER_SECOND_MIN) + " to " + Units.size(BYTES_PER_SECOND_MAX) :
                "1 to " + IOPS_MAX;
        }

        private String text(final QosSpec qos)
        {
            final long limit = value.applyAsLong(qos);
            return isBytes ? Units.size(limit) : Long.toString(limit);
        }
    }

    /** All there are, in order of files. */
    public static final List<Limit> ALL = List.of(
        new Limit("iops", QosSpec::iops, false),
        new Limit("read-iops", QosSpec::readIops, false),
        new Limit("write-iops", QosSpec::writeIops, false),
        new Limit("bandwidth", QosSpec::bytesPerSecond, true),
        new Limit("read-bandwidth", QosSpec::readBytesPerSecond, true),
        new Limit("write-bandwidth", QosSpec::writeBytesPerSecond, true));

    /** What is limited: a namespace, or a host of a subsystem; namespaces come first in order. */
    record Key(int nsid, String hostNqn) implements Comparable<Key>
    {
        static Key of(final QosSpec qos)
        {
            return new Key(qos.nsid(), qos.hostNqn());
        }

        @Override
        public int compareTo(final Key other)
        {
            final int order = hostNqn.compareTo(other.hostNqn);
            return 0 == order ? Integer.compare(nsid, other.nsid) : order;
        }
    }

    private QosLimits()
    {
    }

    /**
     * {@return whether nothing is limited}
     *
     * @param qos to look at.
     */
    public static boolean isNone(final QosSpec qos)
    {
        return ALL.stream().allMatch((each) -> 0 == each.value().applyAsLong(qos));
    }

    /**
     * {@return what is limited, as people say it, such as {@code namespace nqn.2026-11.io.example:vol0/1}}
     *
     * @param qos to name.
     */
    public static String subject(final QosSpec qos)
    {
        return 0 == qos.nsid() ? "host " + qos.hostNqn() + " of " + qos.nqn() :
            "namespace " + qos.nqn() + '/' + qos.nsid();
    }

    /**
     * {@return the limits in the words of files, such as {@code iops 20000, bandwidth 200MiB, burst 100ms}; {@code
     * nothing} when there are none}
     *
     * @param qos to write.
     */
    public static String text(final QosSpec qos)
    {
        final StringJoiner joiner = new StringJoiner(", ");
        joiner.setEmptyValue("nothing");
        settings(qos, (key, value) -> joiner.add(key + ' ' + value));
        return joiner.toString();
    }

    /** Takes a setting as it is written. */
    @FunctionalInterface
    interface SettingSink
    {
        void accept(String key, String value);
    }

    /** Tells the limits that there are, and the burst when it is not the default. */
    static void settings(final QosSpec qos, final SettingSink sink)
    {
        ALL.stream().filter((each) -> 0 != each.value().applyAsLong(qos))
            .forEach((each) -> sink.accept(each.key(), each.text(qos)));
        if (BURST_MS_DEFAULT != qos.burstMs() && 0 != qos.burstMs())
        {
            sink.accept("burst", Units.duration(TimeUnit.MILLISECONDS.toNanos(qos.burstMs())));
        }
    }

    /** The canonical form; throws the refusal that a data plane would answer. */
    static QosSpec checked(final QosSpec qos)
    {
        if ((0 == qos.nsid()) == qos.hostNqn().isEmpty())
        {
            throw invalid("limits on " + qos.nqn() + ": " + (qos.hostNqn().isEmpty() ?
                "neither namespace nor host" : "both namespace and host") + " is named; name one of them");
        }
        for (final Limit each : ALL)
        {
            final long value = each.value().applyAsLong(qos);
            final long least = each.isBytes() ? BYTES_PER_SECOND_MIN : 1;
            final long most = each.isBytes() ? BYTES_PER_SECOND_MAX : IOPS_MAX;
            if (0 != value && (value < least || value > most))
            {
                throw invalid(subject(qos) + ": " + each.key() + ' ' + value + " is not within " + each.range() +
                    "; choose a value within");
            }
        }
        final int burstMs = 0 == qos.burstMs() ? BURST_MS_DEFAULT : qos.burstMs();
        if (burstMs < BURST_MS_MIN || burstMs > BURST_MS_MAX)
        {
            throw invalid(subject(qos) + ": burst of " + burstMs + " ms is not within " + BURST_MS_MIN + " to " +
                BURST_MS_MAX + " ms; choose a value within");
        }
        return new QosSpec(qos.nqn(), qos.nsid(), qos.hostNqn(), qos.readIops(), qos.writeIops(), qos.iops(),
            qos.readBytesPerSecond(), qos.writeBytesPerSecond(), qos.bytesPerSecond(), burstMs);
    }

    /** The end of limits. */
    static QosSpec none(final String nqn, final Key key)
    {
        return 0 == key.nsid() ? QosSpec.noneOfHost(nqn, key.hostNqn()) : QosSpec.noneOfNamespace(nqn, key.nsid());
    }

    private static ControlException invalid(final String text)
    {
        return new ControlException(Code.INVALID, Names.printable(text));
    }
}
