package io.millrace.bench;

import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.perf.load.LatencyLog;
import io.millrace.perf.load.LoadConfig;
import io.millrace.perf.load.LoadGenerator;
import io.millrace.perf.load.LoadPattern;
import io.millrace.perf.load.LoadReport;
import io.millrace.perf.load.OperationReport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The load of {@code millrace perf} on a target over RDMA, over and over in one process, so that it stays compiled
 * while others have the target in between. Arguments are address, port and NQN of the target. It reads what to do from
 * standard input, a line each:
 * <pre>
 *     randread|randwrite DEPTH SECONDS
 * </pre>
 * connects, runs blocks of 4 KiB on one queue for a second that is not counted and for those seconds, and answers a
 * line {@code IOPS MIB_PER_SECOND AVERAGE_US P50_US P99_US}. What the namespace holds is overwritten.
 */
public final class RdmaHostLoad
{
    private static final int WORDS = 3;
    private static final int BLOCK_BYTES = 4096;
    private static final long RUNNING_IN_MS = 1_000;
    private static final long MS_PER_S = 1_000;
    private static final int CONNECT_TIMEOUT_MS = 60_000;
    private static final double P50 = 50;
    private static final double P99 = 99;

    private RdmaHostLoad()
    {
    }

    /**
     * Runs what it reads.
     *
     * @param args see above.
     * @throws IOException when standard input cannot be read.
     */
    public static void main(final String[] args) throws IOException
    {
        final BufferedReader input =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = input.readLine(); null != line; line = input.readLine())
        {
            final String[] words = line.split(" ");
            if (WORDS != words.length)
            {
                throw new IllegalArgumentException("'" + line + "' has not " + WORDS + " words");
            }
            System.out.println(run(LoadConfig
                .to(TransportAddress.Type.RDMA, new InetSocketAddress(args[0], Integer.parseInt(args[1])), args[2])
                .pattern(LoadPattern.of(words[0]))
                .sizeBytes(BLOCK_BYTES)
                .queues(Integer.parseInt(words[1]), 1)
                .warmUpMs(RUNNING_IN_MS)
                .durationMs(MS_PER_S * Long.parseLong(words[2]))
                .connectTimeoutMs(CONNECT_TIMEOUT_MS)
                .build()));
        }
    }

    private static String run(final LoadConfig config)
    {
        try (LoadGenerator generator = new LoadGenerator(config))
        {
            final LoadReport report = generator.run(LatencyLog.none());
            if (!report.isPassed())
            {
                throw new IllegalStateException(String.join("; ", report.failures()));
            }
            final OperationReport total = report.total();
            return String.format(Locale.ROOT, "%.1f %.2f %.3f %.3f %.3f", total.operationsPerSecond(),
                total.mebibytesPerSecond(), total.latencyUsMean(), total.latencyUs(P50), total.latencyUs(P99));
        }
    }
}
