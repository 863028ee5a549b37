package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * NVMe/RDMA between two devices of the kernel in software, over a link that loses and reorders packets and goes down:
 * the kernel's host and ours on our target.
 */
@LabTest
final class RdmaNetworkTest
{
    private static final int KEEP_ALIVE_SECONDS = 5;
    private static final int IDLE_SECONDS = 10;
    private static final int QUEUE_PAIRS = 64;
    /** 0.5 % of a core. */
    private static final int IDLE_MAX_US_PER_SECOND = 5_000;

    private static LabResult result;

    @BeforeAll
    static void run() throws Exception
    {
        final List<String> jvm = TargetProcess.command("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m");
        jvm.removeLast();
        result = Lab.named("rdma-network").option("--drives", 0).run(900, "rdma-network.sh", String.join(" ", jvm),
            TargetProcess.NQN, KEEP_ALIVE_SECONDS, IDLE_SECONDS);
    }

    @Test
    void shouldMoveDataWhenPacketsAreLostAndReordered()
    {
        List.of("make", "serve", "connect", "loss", "own-loss").forEach(result::assertStep);
        final List<String> netem = result.lines("NETEM");
        assertEquals(4, netem.size(), result::description);
        for (final String each : netem)
        {
            final String[] words = each.split(" ");
            final double sent = Double.parseDouble(words[1]);
            final double lost = Double.parseDouble(words[2]);
            assertTrue(lost > 0.02 * (sent + lost), () -> "interface, packets sent and lost: " + netem);
        }
    }

    @Test
    void shouldEndConnectionsOfALinkThatIsDownAndServeThemAgain()
    {
        result.assertStep("link");
        assertEquals(List.of("0"), result.lines("CUT"), result::description);
        assertTrue(result.lines("RUN").stream().anyMatch((line) -> line.matches("DONE link [1-9]\\d*")),
            result::description);
    }

    @Test
    void shouldUseNoCpuWithIdleQueuePairs()
    {
        result.assertStep("idle");
        final String[] words = result.lines("IDLE").getFirst().split(" ");
        assertEquals(QUEUE_PAIRS, Integer.parseInt(words[0]), result::description);
        assertTrue(Integer.parseInt(words[1]) < IDLE_MAX_US_PER_SECOND,
            () -> "microseconds of CPU time a second: " + words[1]);
        result.assertPassed();
    }
}
