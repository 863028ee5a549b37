package io.millrace.bench;

import io.millrace.perf.rdma.RdmaOperation;
import io.millrace.perf.rdma.RdmaTestConfig;
import io.millrace.perf.rdma.RdmaTestServer;
import io.millrace.perf.rdma.RdmaTests;
import io.millrace.rdma.RdmaException;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorConfig.IdleMode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * The tests of {@code millrace rdma lat} and {@code bw}, over and over in one process, so that they stay compiled while
 * others have the device in between. {@code serve ADDRESS PORT} is their server. {@code client ADDRESS PORT} reads what
 * to do from standard input, a line each:
 * <pre>
 *     lat|bw send|read|write BYTES DEPTH COUNT
 * </pre>
 * and answers a line {@code OPERATIONS_PER_SECOND MIB_PER_SECOND AVERAGE_US P50_US P99_US}. The rate of {@code lat} is
 * that of its median, half a round trip for messages; the times of {@code bw} are the inverse of its rate.
 */
public final class RdmaLoad
{
    private static final int WORDS = 5;
    private static final int ATTEMPTS = 10;
    private static final long LIMIT_MS = 600_000;
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_US = 1e3;
    private static final double US_PER_S = 1e6;
    private static final double MIB = 1 << 20;
    private static final double P50 = 50;
    private static final double P99 = 99;

    private RdmaLoad()
    {
    }

    /**
     * Serves until it is killed, or runs what it reads.
     *
     * @param args see above.
     * @throws Exception when there is no RDMA.
     */
    public static void main(final String[] args) throws Exception
    {
        final InetSocketAddress address =
            new InetSocketAddress(InetAddress.getByName(args[1]), Integer.parseInt(args[2]));
        if ("serve".equals(args[0]))
        {
            // As perftest's servers do.
            final Reactor reactor = new Reactor(new ReactorConfig("rdma-server", -1, IdleMode.BUSY_SPIN, 0));
            reactor.start();
            reactor.call(() -> new RdmaTestServer(reactor, address, (_) -> { })).join();
            System.out.println("ready");
            return;
        }
        run(address);
    }

    /**
     * Both sides load what connects them while the first connection waits, which is longer than one may take where the
     * machine is emulated.
     */
    private static void connectOnce(final InetSocketAddress address)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                latency(new RdmaTestConfig(address, RdmaOperation.SEND, 2, 1, 1));
                return;
            }
            catch (final RdmaException e)
            {
                System.err.println("attempt " + attempt + ": " + e.getMessage());
                if (ATTEMPTS == attempt)
                {
                    throw e;
                }
            }
        }
    }

    private static void run(final InetSocketAddress address) throws IOException
    {
        connectOnce(address);
        final BufferedReader input =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = input.readLine(); null != line; line = input.readLine())
        {
            final String[] words = line.split(" ");
            if (WORDS != words.length)
            {
                throw new IllegalArgumentException("'" + line + "' has not " + WORDS + " words");
            }
            final RdmaTestConfig config = new RdmaTestConfig(address,
                RdmaOperation.valueOf(words[1].toUpperCase(Locale.ROOT)), Integer.parseInt(words[2]),
                Integer.parseInt(words[3]), Long.parseLong(words[4]));
            System.out.println("lat".equals(words[0]) ? latency(config) : bandwidth(config));
        }
    }

    private static String latency(final RdmaTestConfig config)
    {
        final Histogram latencies = RdmaTests.latency(config, LIMIT_MS);
        final double medianUs = latencies.getValueAtPercentile(P50) / NS_PER_US;
        return figures(config, US_PER_S / medianUs, latencies.getMean() / NS_PER_US, medianUs,
            latencies.getValueAtPercentile(P99) / NS_PER_US);
    }

    private static String bandwidth(final RdmaTestConfig config)
    {
        final double rate = config.count() * NS_PER_S / RdmaTests.bandwidth(config, LIMIT_MS);
        return figures(config, rate, US_PER_S / rate, US_PER_S / rate, US_PER_S / rate);
    }

    private static String figures(
        final RdmaTestConfig config, final double rate, final double averageUs, final double p50Us, final double p99Us)
    {
        return String.format(Locale.ROOT, "%.1f %.2f %.3f %.3f %.3f",
            rate, rate * config.sizeBytes() / MIB, averageUs, p50Us, p99Us);
    }
}
