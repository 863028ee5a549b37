package io.millrace.cli.local.rdma;

import io.millrace.console.Terminal;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Counts of pings and their round trips, as {@code ping} prints them. Not thread-safe.
 */
final class PingSummary
{
    private static final double US_NS = 1_000.0;
    private static final double PERCENT = 100.0;

    private long received;
    private long lost;
    private long minNs = Long.MAX_VALUE;
    private long maxNs;
    private double meanNs;
    /** Sum of squared differences from the mean, updated with it, so that nothing large is subtracted. */
    private double squares;

    void onReply(final long ns)
    {
        received++;
        minNs = Math.min(minNs, ns);
        maxNs = Math.max(maxNs, ns);
        final double difference = ns - meanNs;
        meanNs += difference / received;
        squares += difference * (ns - meanNs);
    }

    void onLost()
    {
        lost++;
    }

    /** {@return whether every ping had its reply, and there was one} */
    boolean isComplete()
    {
        return 0 == lost && 0 != received;
    }

    private double lossPercent()
    {
        return 0 == lost ? 0 : PERCENT * lost / (received + lost);
    }

    private double deviationNs()
    {
        return 0 == received ? 0 : Math.sqrt(squares / received);
    }

    static String us(final double ns)
    {
        return String.format(Locale.ROOT, "%.1f", ns / US_NS);
    }

    void print(final String server, final Terminal terminal)
    {
        terminal.line("--- " + server + " RDMA ping statistics ---");
        terminal.line(String.format(Locale.ROOT, "%d sent, %d received, %.4g%% loss",
            received + lost, received, lossPercent()).replaceFirst("\\.?0+% loss", "% loss"));
        if (0 != received)
        {
            terminal.line("rtt min/avg/max/mdev = " + us(minNs) + '/' + us(meanNs) + '/' + us(maxNs) + '/' +
                us(deviationNs()) + " us");
        }
    }

    Map<String, Object> json(final String server, final int sizeBytes)
    {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("server", server);
        json.put("size-bytes", sizeBytes);
        json.put("sent", received + lost);
        json.put("received", received);
        json.put("loss-percent", lossPercent());
        if (0 != received)
        {
            json.put("min-ns", minNs);
            json.put("mean-ns", Math.round(meanNs));
            json.put("max-ns", maxNs);
            json.put("mdev-ns", Math.round(deviationNs()));
        }
        return json;
    }
}
