package io.millrace.spdk;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.agrona.concurrent.NanoClock;

/**
 * Keeps a log from being filled by a message that SPDK repeats, as it does for each command of a failed drive and each
 * attempt to connect: of messages that differ in numbers alone one is logged a minute, with the count of the others.
 * Not thread-safe.
 */
final class RepeatedMessages
{
    /** Distinct messages that are remembered; of more, the one that was logged first is forgotten. */
    static final int MESSAGES_MAX = 64;
    private static final long INTERVAL_NS = 60_000_000_000L;
    private static final Pattern NUMBER = Pattern.compile("0x[0-9a-fA-F]+|[0-9]+");

    private final NanoClock clock;
    private final Map<String, Repeated> byShape = new LinkedHashMap<>();

    RepeatedMessages(final NanoClock clock)
    {
        this.clock = clock;
    }

    /**
     * {@return what is to be logged; null: nothing}
     *
     * @param message that has come.
     */
    String onMessage(final String message)
    {
        final String shape = NUMBER.matcher(message).replaceAll("0");
        final long nowNs = clock.nanoTime();
        final Repeated repeated = byShape.get(shape);
        if (null == repeated)
        {
            if (MESSAGES_MAX == byShape.size())
            {
                byShape.remove(byShape.keySet().iterator().next());
            }
            byShape.put(shape, new Repeated(nowNs));
            return message;
        }
        if (nowNs - repeated.loggedNs < INTERVAL_NS)
        {
            repeated.count++;
            return null;
        }
        final long count = repeated.count;
        repeated.loggedNs = nowNs;
        repeated.count = 0;
        return 0 == count ? message : message + " (and " + count + " such message" + (1 == count ? "" : "s") +
            " since the last in this log)";
    }

    /** A message that has come before. */
    private static final class Repeated
    {
        private long loggedNs;
        private long count;

        private Repeated(final long loggedNs)
        {
            this.loggedNs = loggedNs;
        }
    }
}
