package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** RDMA connections over a device of the kernel in software, with each other and with {@code rping} of rdma-core. */
@LabTest
final class RdmaEndpointTest
{
    private static final List<String> CONTRACTS = List.of("endpoints", "shared-receive-queues", "datagrams");
    private static LabResult result;

    @BeforeAll
    static void run() throws Exception
    {
        final List<String> jvm = GuestJvm.command();
        final String millrace = String.join(" ", GuestJvm.millrace());
        // Two processors, since both sides poll: one processor would run them in turn.
        result = Lab.named("rdma-endpoints").run(900, "rdma-endpoints.sh", String.join(" ", jvm), millrace);
    }

    @Test
    void shouldCarryMessagesAndEndConnectionsThatFail()
    {
        result.assertStep("connect");
        assertEquals(List.of("messages", "one-sided", "stream", "idle", "wrong-key", "revoked-region", "long-message",
            "receiver-not-ready", "refusals", "measurements", "event-channel", "late-answers", "closed-in-handler",
            "closed-manager"), result.lines("DONE"), result::description);
    }

    @Test
    void shouldKeepTheContractOfEndpoints()
    {
        result.assertStep("contract");
        final List<String> lines = result.lines("CONTRACT");
        assertEquals(CONTRACTS, lines.stream().filter((line) -> line.matches("[\\w-]+ passed (\\d+) of \\1"))
            .map((line) -> line.substring(0, line.indexOf(' '))).toList(), result::description);
    }

    @Test
    void shouldServeTheClientOfRdmaCore()
    {
        result.assertStep("rping");
        assertEquals("50", new Answers(result).value("rping-rounds"));
    }

    @Test
    void shouldMeasureByCommands()
    {
        result.assertStep("measure");
        final Answers answers = new Answers(result);
        final Map<String, Object> latency = Answers.object(answers.json("lat"));
        assertEquals("send", latency.get("operation"));
        assertEquals(200, Answers.number(latency, "count"));
        assertTrue(Answers.number(latency, "p50-ns") > 0, latency::toString);
        assertTrue(result.lines("SERVER").getLast().contains("disconnected"), result::description);
        result.assertPassed();
    }
}
