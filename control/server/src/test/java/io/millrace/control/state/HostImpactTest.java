package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HostImpactTest
{
    private static final String HOST = "nqn.2026-11.io.host:a";
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String VOLUME = """
        devices:
          - {name: mem0, type: memory, size: 64MiB, block-size: 4096}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:vol0
            allow-any-host: true
            namespaces: [{nsid: 1, device: mem0}]
        listeners:
          - {transport: tcp, address: 127.0.0.1, port: 4420}
          - {transport: tcp, address: 127.0.0.1, port: 4421}
        discovery: false
        """;

    private static List<String> plan(final String to, final Set<String> hosts)
    {
        return plan(VOLUME, to, hosts);
    }

    private static List<String> plan(final String from, final String to, final Set<String> hosts)
    {
        final DesiredState desired = StateDocument.read("s.yaml", to).state();
        final StatePlan plan = StatePlan.between(StateDocument.read("s.yaml", from).state(), desired);
        return HostImpact.mark(plan, desired, hosts.isEmpty() ? HostImpact.NONE : Map.of(NQN, hosts)).steps().stream()
            .map((step) -> step.mark() + " " + step.sentence()).toList();
    }

    @Test
    void shouldNameTheHostsThatLoseAResource()
    {
        final String without = VOLUME.replace("namespaces: [{nsid: 1, device: mem0}]", "namespaces: []");
        assertEquals(List.of("- remove namespace 1 of " + NQN + " from device mem0"), plan(without, Set.of()));
        assertEquals(List.of("! remove namespace 1 of " + NQN + " from device mem0; host " + HOST + " is connected"),
            plan(without, Set.of(HOST)));
    }

    @Test
    void shouldMarkRevokedAccessOfConnectedHostsOnly()
    {
        final String listed = VOLUME.replace("allow-any-host: true", "hosts: [" + HOST + ']');
        final String allow = "+ allow host " + HOST + " on " + NQN;
        final String only = " allow listed hosts only on " + NQN + ", and disconnect others";
        assertEquals(List.of(allow, "~" + only), plan(listed, Set.of(HOST)));
        assertEquals(List.of(allow, "!" + only + "; host other is connected"), plan(listed, Set.of("other", HOST)));
        final String deny = " deny host " + HOST + " on " + NQN;
        final String nobody = VOLUME.replace("allow-any-host: true", "allow-any-host: false");
        assertEquals(List.of("!" + deny + "; host " + HOST + " is connected"), plan(listed, nobody, Set.of(HOST)));
        assertEquals(List.of("-" + deny), plan(listed, nobody, Set.of("other")));
    }

    @Test
    void shouldMarkTheLastListener()
    {
        final String second = "  - {transport: tcp, address: 127.0.0.1, port: 4421}\n";
        assertEquals(List.of("- stop listening on 127.0.0.1:4421"), plan(VOLUME.replace(second, ""), Set.of(HOST)));
        assertEquals(List.of("! stop listening on 127.0.0.1:4420; host " + HOST + " is connected",
            "! stop listening on 127.0.0.1:4421; host " + HOST + " is connected"), plan(VOLUME.substring(0,
            VOLUME.indexOf("listeners:")), Set.of(HOST)));
    }

    @Test
    void shouldMarkTheLastListenerWhenOnlyDiscoveryIsLeft()
    {
        final String listeners = VOLUME.substring(VOLUME.indexOf("listeners:"), VOLUME.indexOf("discovery:"));
        final String discovery =
            "listeners: [{transport: tcp, address: 127.0.0.1, port: 8010, discovery-only: true}]\n";
        assertEquals(List.of("+ listen on 127.0.0.1:8010 for discovery",
            "! stop listening on 127.0.0.1:4420; host " + HOST + " is connected",
            "! stop listening on 127.0.0.1:4421; host " + HOST + " is connected"),
            plan(VOLUME.replace(listeners, discovery), Set.of(HOST)));
    }

    @Test
    void shouldNotMarkChangesOfAccessForAHostThatStaysAllowed()
    {
        final String listed = VOLUME.replace("allow-any-host: true", "hosts: [" + HOST + ']');
        assertEquals(List.of("~ allow any host on " + NQN, "- deny host " + HOST + " on " + NQN),
            plan(listed, VOLUME, Set.of(HOST)));
    }

    @Test
    void shouldNameTheHostsOfADeletedSubsystem()
    {
        final String without = VOLUME.replace(VOLUME.substring(VOLUME.indexOf("subsystems:"),
            VOLUME.indexOf("listeners:")), "");
        assertEquals(List.of("! delete subsystem " + NQN + " with its 1 namespace; host " + HOST + " is connected"),
            plan(without, Set.of(HOST)));
    }

    @Test
    void shouldNameThreeHostsAtMost()
    {
        assertEquals("4 hosts: a, b, c and others", HostImpact.phrase(List.of("a", "b", "c", "d")));
        assertEquals("2 hosts: a, b", HostImpact.phrase(List.of("a", "b")));
    }
}
