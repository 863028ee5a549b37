package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Target and initiators over IPv6 in one machine: a global address, a link-local one with its interface, the wildcard.
 */
@LabTest
final class Ipv6Test
{
    private static final String GLOBAL = "fd00:6d69:6c6c::1";

    private static LabResult result;
    private static Answers answers;

    @BeforeAll
    static void run() throws Exception
    {
        final List<Object> arguments = new ArrayList<>(List.of(TargetProcess.NQN));
        arguments.addAll(GuestJvm.millrace());
        result = Lab.withJvms("ipv6").run(480, "ipv6.sh", arguments.toArray());
        answers = new Answers(result);
    }

    @Test
    void shouldBeDiscoveredByNvmeCli()
    {
        result.assertStep("serve");
        result.assertStep("discover");
        final List<Map<String, Object>> global =
            Answers.objects(Answers.object(answers.json("nvme-discover")).get("records"));
        assertEquals(4, global.size());
        // The wildcard is shown as the address that the host came in on.
        global.forEach((record) -> assertRecord(record, GLOBAL));
        assertEquals(List.of("4420", "4421", "4420", "4421"),
            global.stream().map((each) -> each.get("trsvcid")).toList());
        final List<Map<String, Object>> local =
            Answers.objects(Answers.object(answers.json("nvme-discover-local")).get("records"));
        // A scope means nothing on another machine.
        assertEquals(List.of(GLOBAL, "fe80::6d69", GLOBAL, "fe80::6d69"),
            local.stream().map((each) -> each.get("traddr")).toList());
    }

    @Test
    void shouldServeTheKernelAtAGlobalAddress()
    {
        result.assertStep("global");
        assertTrue(answers.value("address-4420").startsWith("traddr=" + GLOBAL + ",trsvcid=4420"),
            () -> answers.value("address-4420"));
    }

    @Test
    void shouldServeTheKernelAtALinkLocalAddress()
    {
        result.assertStep("link-local");
        assertTrue(answers.value("address-4421").startsWith("traddr=fe80::6d69%lab0,trsvcid=4421"),
            () -> answers.value("address-4421"));
    }

    @Test
    void shouldBeReachedByOurInitiator()
    {
        result.assertStep("our-initiator");
        final List<Map<String, Object>> records = Answers.objects(answers.json("discover"));
        assertEquals(4, records.size());
        records.forEach((record) -> assertEquals(List.of("ipv6", GLOBAL),
            List.of(record.get("address-family"), record.get("address"))));
        final Map<String, Object> identify = Answers.object(answers.json("identify"));
        assertEquals(2048, Answers.number(Answers.objects(identify.get("namespaces")).getFirst(), "block-count"));
        final Map<String, Object> perf = Answers.object(answers.json("perf"));
        assertTrue(perf.get("target").toString().startsWith("tcp://[" + GLOBAL + "]:"), perf::toString);
        assertEquals(200, Answers.number(Answers.object(perf.get("total")), "operations"));
        assertEquals(0, Answers.number(perf, "errors"));
    }

    @Test
    void shouldEndWell()
    {
        result.assertPassed();
        assertEquals(List.of(), result.lines("WARNING"), result::description);
    }

    private static void assertRecord(final Map<String, Object> record, final String address)
    {
        assertEquals(List.of("tcp", "ipv6", address),
            List.of(record.get("trtype"), record.get("adrfam"), record.get("traddr")));
    }
}
