package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.DataPlane;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.nvmf.Subsystem;
import io.millrace.serve.config.ConfigReader;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Allowed hosts of a running target in this JVM, changed under the kernel's initiator, and the events by which a
 * discovery controller that stays connected learns of changes. One machine asks, each test looks at one part.
 */
@LabTest
final class AllowedHostsTest
{
    private static final String NQN = TargetProcess.NQN;
    private static final String DISCOVERY_NQN = "nqn.2014-08.org.nvmexpress.discovery";
    private static final String HOST = "nqn.2026-11.io.millrace:host1";
    private static final String OTHER = "nqn.2026-11.io.millrace:other";
    private static final String CONFIG = """
        reactors: [{name: r0}, {name: r1}]
        devices:
          - {name: first, type: memory, size: 4MiB, block-size: 4096}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:lab
            hosts: [nqn.2026-11.io.millrace:host2]
            namespaces: [{nsid: 1, device: first}]
        listeners:
          - {transport: tcp, address: 127.0.0.1, port: 0}
        discovery: false
        """;
    private static final List<String> CHANGES = List.of("listener-added", "listener-removed", "subsystem-added",
        "subsystem-removed", "host-revoked", "host-allowed", "twice");

    private static LabResult result;
    private static Answers answers;

    @BeforeAll
    static void run() throws Exception
    {
        try (DataPlane dataPlane = DataPlane.start(ConfigReader.read("lab.yaml", CONFIG).config());
            LabMachine machine = Lab.named("allowed-hosts")
                .start(480, "allowed-hosts.sh", dataPlane.addresses().getFirst().port(), NQN, HOST))
        {
            machine.awaitLine("allow");
            dataPlane.hosts().allow(NQN, HOST);
            machine.awaitLine("revoke");
            dataPlane.hosts().deny(NQN, HOST).get(20, TimeUnit.SECONDS);
            assertEquals(0, dataPlane.target().subsystem(NQN).controllers().count());
            machine.awaitLine("allow again");
            dataPlane.hosts().allow(NQN, HOST);
            for (final String change : CHANGES)
            {
                machine.awaitLine("change " + change);
                change(dataPlane, change);
            }
            result = machine.await();
        }
        answers = new Answers(result);
    }

    private static void change(final DataPlane dataPlane, final String change) throws Exception
    {
        switch (change)
        {
            case "listener-added" -> dataPlane.listeners().add(TransportAddress.tcp("127.0.0.1", 0), false);
            case "listener-removed" -> dataPlane.listeners().remove(dataPlane.addresses().getLast());
            case "subsystem-added" -> dataPlane.target().addSubsystem(new Subsystem(SubsystemConfig.open(OTHER)));
            case "subsystem-removed" -> dataPlane.target().removeSubsystem(OTHER).get(20, TimeUnit.SECONDS);
            case "host-revoked" -> dataPlane.hosts().deny(NQN, HOST).get(20, TimeUnit.SECONDS);
            case "host-allowed" -> dataPlane.hosts().allow(NQN, HOST);
            default ->
            {
                dataPlane.hosts().deny(NQN, HOST).get(20, TimeUnit.SECONDS);
                dataPlane.hosts().allow(NQN, HOST);
            }
        }
    }

    @Test
    void shouldRefuseAHostThatIsNotAllowed()
    {
        result.assertStep("refused");
        // Connect Invalid Host, do not retry; the other subsystem is not in its discovery log either.
        answers.assertValues("""
            stranger-status 0x4184
            stranger-list %s""".formatted(DISCOVERY_NQN));
    }

    @Test
    void shouldConnectAHostThatIsAllowed()
    {
        result.assertStep("allowed");
        answers.assertValues("allowed-list %s %s".formatted(DISCOVERY_NQN, NQN));
    }

    @Test
    void shouldDisconnectAHostThatIsRevoked()
    {
        result.assertStep("revoked");
        answers.assertValues("""
            revoked-status 0x4184
            revoked-list %s""".formatted(DISCOVERY_NQN));
    }

    @Test
    void shouldGoOnWithAHostThatIsAllowedAgain()
    {
        result.assertStep("allowed-again");
    }

    @Test
    void shouldSendOneEventForEachChangeOfTheDiscoveryLog()
    {
        result.assertStep("discovery-changes");
        for (final String change : CHANGES)
        {
            // Notice (2), discovery log page change (F0h), to be read in log page 70h.
            answers.assertValues("event-" + change + " NVME_AEN=0x70f002 [NVME_AER_NOTICE]");
        }
    }

    @Test
    void shouldCountGenerationsOfTheDiscoveryLog()
    {
        long generation = log("before")[0];
        // The discovery subsystem at each listener, and each subsystem there that the host may access.
        assertEquals(2, log("before")[1]);
        final long[] records = {4, 2, 3, 2, 1, 2, 2};
        for (int i = 0; i < records.length; i++)
        {
            final String change = CHANGES.get(i);
            final long[] log = log(change);
            assertTrue(log[0] > generation, () -> change + ": generation " + Arrays.toString(log));
            assertEquals(records[i], log[1], change);
            generation = log[0];
        }
        final Map<String, Object> page = Answers.object(answers.json("discover"));
        assertEquals(generation, Answers.number(page, "genctr"));
        assertEquals(List.of(DISCOVERY_NQN, NQN),
            Answers.objects(page.get("records")).stream().map((each) -> each.get("subnqn")).toList());
    }

    @Test
    void shouldEndWell()
    {
        result.assertPassed();
        assertEquals(List.of(), result.lines("WARNING"), result::description);
    }

    /** Generation counter and number of records. */
    private static long[] log(final String change)
    {
        return Arrays.stream(answers.value("log-" + change).split(" ")).mapToLong(Long::parseLong).toArray();
    }
}
