package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * NVMe/RDMA between two devices of the kernel in software, over a link that loses and reorders packets and is cut:
 * the kernel's host and ours on our target, which loses its device under load and is killed in the end.
 */
@LabTest
final class RdmaNetworkTest
{
    private static final int KEEP_ALIVE_SECONDS = 5;
    private static final int IDLE_SECONDS = 5;
    private static final int QUEUE_PAIRS = 64;
    /** Of all threads of the process in a second: at 20 microseconds each they are 0.5 % of a core. */
    private static final int WAKE_UPS_MAX = 250;

    private static LabResult result;

    @BeforeAll
    static void run() throws Exception
    {
        // Two processors, since host and target poll.
        result = Lab.named("rdma-network").run(900, "rdma-network.sh",
            String.join(" ", GuestJvm.command("-Xmx128m")), TargetProcess.NQN, KEEP_ALIVE_SECONDS, IDLE_SECONDS);
    }

    @Test
    void shouldMoveDataWhenPacketsAreLostAndReordered()
    {
        List.of("make", "host", "serve", "connect", "loss").forEach(result::assertStep);
        final List<String> netem = result.lines("NETEM");
        assertEquals(2, netem.size(), result::description);
        long sent = 0;
        long lost = 0;
        for (final String each : netem)
        {
            final String[] words = each.split(" ");
            sent += Long.parseLong(words[1]);
            lost += Long.parseLong(words[2]);
        }
        assertTrue(100 * lost > sent + lost, () -> "interface, packets sent and lost: " + netem);
        final int noticed = Integer.parseInt(result.lines("NOTICED").getFirst());
        assertTrue(noticed > 0, "neither device noticed that anything was lost");
    }

    @Test
    void shouldEndConnectionsThatAreCutAndServeThemAgain()
    {
        result.assertStep("cut");
        assertEquals(List.of("0"), result.lines("CUT"), result::description);
        assertTrue(result.lines("RUN").stream().anyMatch((line) -> line.matches("DONE cut [1-9]\\d*")),
            result::description);
    }

    @Test
    void shouldServeAgainWhenTheRemovedDeviceIsBack()
    {
        result.assertStep("remove");
        // What the kernel said of its connection over TCP.
        assertEquals(List.of("0"), result.lines("REMOVED"), result::description);
    }

    @Test
    void shouldSleepWhileQueuePairsAreIdle()
    {
        result.assertStep("idle");
        final String[] words = result.lines("IDLE").getFirst().split(" ");
        assertEquals(QUEUE_PAIRS, Integer.parseInt(words[0]), result::description);
        assertTrue(Integer.parseInt(words[1]) < WAKE_UPS_MAX,
            () -> "wake-ups, and microseconds of emulated CPU time, in a second: " + words[1] + ", " + words[2]);
    }

    @Test
    void shouldEndEachCommandOfATargetThatIsKilled()
    {
        result.assertStep("kill");
        assertTrue(result.lines("RUN").stream().anyMatch((line) -> line.matches("DONE killed [1-9]\\d* [1-9]\\d*")),
            result::description);
        result.assertPassed();
    }
}
