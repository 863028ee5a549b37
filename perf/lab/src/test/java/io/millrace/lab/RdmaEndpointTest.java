package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** RDMA connections over a device of the kernel in software, with each other and with {@code rping} of rdma-core. */
@LabTest
final class RdmaEndpointTest
{
    private static LabResult result;

    @BeforeAll
    static void run() throws Exception
    {
        final List<String> jvm = TargetProcess.command("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        jvm.removeLast();
        result = Lab.named("rdma-endpoints").run(300, "rdma-endpoints.sh", String.join(" ", jvm));
    }

    @Test
    void shouldCarryMessagesAndEndConnectionsThatFail()
    {
        result.assertStep("connect");
        assertEquals(List.of("messages", "one-sided", "stream", "idle", "wrong-key", "revoked-region", "long-message",
            "receiver-not-ready", "refusals", "closed-manager"), result.lines("DONE"), result::description);
    }

    @Test
    void shouldServeTheClientOfRdmaCore()
    {
        result.assertStep("rping");
        assertEquals("50", new Answers(result).value("rping-rounds"));
        result.assertPassed();
    }
}
