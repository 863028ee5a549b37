package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Messaging between two processes over a device of the kernel in software, and over TCP when it cannot be used. */
@LabTest
final class RdmaMessagingTest
{
    private static LabResult result;

    @BeforeAll
    static void run() throws Exception
    {
        final List<String> jvm = GuestJvm.command("-Xmx256m");
        result = Lab.withJvms("rdma-messaging").run(900, "rdma-messaging.sh", String.join(" ", jvm));
    }

    @Test
    void shouldSurviveKilledPeersAndARemovedDevice()
    {
        result.assertStep("make");
        result.assertStep("remove");
        assertEquals(List.of("device-added", "messages", "one-sided", "denied", "killed-in-rendezvous",
            "killed-while-offering", "killed-in-read", "peer-without-rdma", "peer-with-rdma", "device-removed",
            "device-back"), result.lines("DONE"), result::description);
        result.assertStep("run");
    }

    @Test
    void shouldTakeTcpWithoutPermission()
    {
        result.assertStep("device");
        result.assertStep("permission");
        assertTrue(result.lines("TRANSPORT").getFirst().startsWith("TCP RDMA_NOT_PERMITTED: "), result::description);
    }

    @Test
    void shouldKeepTheContractOfMessaging()
    {
        result.assertStep("contract");
        assertTrue(result.lines("CONTRACT").getLast().matches("messaging passed (\\d+) of \\1"), result::description);
    }
}
