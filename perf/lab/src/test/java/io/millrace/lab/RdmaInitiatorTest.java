package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Our host on the kernel's target over RDMA ({@code nvmet-rdma}), on a device of the kernel in software. */
@LabTest
final class RdmaInitiatorTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:rdma-initiator";
    private static LabResult result;

    @BeforeAll
    static void run() throws Exception
    {
        final List<String> jvm = GuestJvm.command();
        final String millrace = String.join(" ", GuestJvm.millrace());
        // Two processors, since host and target poll.
        result = Lab.named("rdma-initiator").run(900, "rdma-initiator.sh", String.join(" ", jvm), millrace, NQN);
    }

    @Test
    void shouldMoveDataAndSurviveTheLossOfTheTarget()
    {
        result.assertStep("move");
        assertEquals(List.of("nobody-listens", "discover", "registered", "unregistered", "pieces", "kernel-data",
            "reconnect", "removal", "closed"), result.lines("DONE"), result::description);
        assertEquals(result.lines("SHA-disk2"), result.lines("SHA-kernel"), result::description);
        assertTrue(result.lines("REFUSED").getFirst().contains("no RDMA listener at"), result::description);
    }

    @Test
    void shouldServeCommands()
    {
        result.assertStep("commands");
        final Answers answers = new Answers(result);
        assertTrue(Answers.objects(answers.json("discover")).stream().anyMatch((entry) ->
            NQN.equals(entry.get("subsystem-nqn")) && "rdma".equals(entry.get("transport"))), result::description);
        assertEquals(2, Answers.objects(Answers.object(answers.json("identify")).get("namespaces")).size());
        for (final String load : List.of("write", "read"))
        {
            final Map<String, Object> report = Answers.object(answers.json(load));
            assertEquals(Boolean.TRUE, report.get("passed"), result::description);
        }
    }
}
