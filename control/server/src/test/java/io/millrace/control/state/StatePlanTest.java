package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatePlanTest
{
    private static final String VOLUME = """
        devices:
          - {name: mem0, type: memory, size: 64MiB, block-size: 4096}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:vol0
            allow-any-host: false
            hosts: [nqn.2026-11.io.host:a]
            namespaces: [{nsid: 1, device: mem0}]
        listeners: [{transport: tcp, address: 127.0.0.1, port: 4420}]
        discovery: false
        """;

    private static DesiredState state(final String text)
    {
        return StateDocument.read("s.yaml", text).state();
    }

    private static List<String> plan(final String from, final String to)
    {
        return StatePlan.between(state(from), state(to)).steps().stream()
            .map((step) -> step.mark() + " " + step.sentence()).toList();
    }

    @Test
    void shouldCreateWhatOthersBuildOnFirst()
    {
        assertEquals(List.of(
            "+ create memory device mem0 with size 64MiB",
            "+ create subsystem nqn.2026-11.io.millrace:vol0",
            "+ add namespace 1 of nqn.2026-11.io.millrace:vol0 on device mem0",
            "+ allow host nqn.2026-11.io.host:a on nqn.2026-11.io.millrace:vol0",
            "+ listen on 127.0.0.1:4420"), plan("devices: []", VOLUME));
    }

    @Test
    void shouldCreateMembersBeforeTheirArrayAndDeleteThemAfterIt()
    {
        final String members = "{name: m, type: memory, size: 8MiB}, {name: z, type: memory, size: 8MiB}";
        final String array = "devices: [" + members +
            ", {name: b, type: memory, size: 8MiB}, {name: a, type: raid, level: 1, members: [z, m], spares: [b]}]";
        final List<String> creations = plan("devices: []", array);
        assertEquals("+ create raid device a with level 1, members z m, spares b", creations.getLast());
        assertEquals(4, creations.size());
        // Another device may be a member that is being replaced, and is there before the array, too.
        assertEquals(List.of(creations.getLast(), "+ create fault device x with base a"), plan("devices: []",
            array.replace("spares: [b]}", "spares: [b]}, {name: zz, type: memory, size: 8MiB}, " +
            "{name: x, type: fault, base: a}")).subList(4, 6));
        assertEquals("- delete raid device a", plan(array, "devices: []").getFirst());
        // A member that was missing when the array was assembled is created beside it.
        assertEquals(List.of("+ create memory device c with size 8MiB"), plan(array,
            array.replace(", {name: a", ", {name: c, type: memory, size: 8MiB}, {name: a")));
    }

    @Test
    void shouldChangeMembersOfAnArrayInPlace()
    {
        final String array = """
            devices:
              - {name: m, type: memory, size: 8MiB}
              - {name: z, type: memory, size: 8MiB}
              - {name: b, type: memory, size: 8MiB}
              - {name: a, type: raid, level: 1, members: [z, m], spares: [b]}
            """;
        assertEquals(List.of("~ set spares to default of device a"), plan(array, array.replace(", spares: [b]", "")));
        // The new member is there before the array takes it, and the old one is deleted after that.
        assertEquals(List.of("+ create memory device c with size 8MiB", "~ set members to c m of device a",
            "! delete memory device z; its data is lost"),
            plan(array, array.replace("name: z", "name: c").replace("[z, m]", "[c, m]")));
        // A spare that is let go of is free for what is created.
        assertEquals(List.of("~ set spares to default of device a", "+ create fault device f with base b"),
            plan(array, array.replace(", spares: [b]", "") + "  - {name: f, type: fault, base: b}\n"));
        // What uses a device is removed before the array takes it.
        assertEquals(List.of("- delete fault device f", "~ set spares to b of device a"),
            plan(array.replace(", spares: [b]", "") + "  - {name: f, type: fault, base: b}\n", array));
    }

    /** Before that, what uses the device is removed; afterwards it is free for others, and not before. */
    @Test
    void shouldMakeASharedSpareOfADeviceThatNothingUses()
    {
        final String array = """
            devices:
              - {name: m, type: memory, size: 8MiB}
              - {name: z, type: memory, size: 8MiB}
              - {name: x, type: memory, size: 8MiB}
              - {name: a, type: raid, level: 1, members: [z, m], spares: [x]}
            """.replace("spares: [x]", "spares: [SPARES]").replace("name: x", "name: x, shared-spare: SHARED");
        final String own = array.replace("SPARES", "x").replace("SHARED", "false");
        final String shared = array.replace("SPARES", "").replace("SHARED", "true");
        assertEquals(List.of("~ set spares to default of device a", "~ set shared-spare to true of device x"),
            plan(own, shared));
        assertEquals(List.of("~ set shared-spare to default of device x", "~ set spares to x of device a"),
            plan(shared, own));
        final String wrapped = own.replace("x]", "]") + "  - {name: f, type: fault, base: x}\n";
        assertEquals(List.of("- delete fault device f", "~ set shared-spare to true of device x"),
            plan(wrapped, shared));
        assertEquals(List.of("~ set shared-spare to default of device x", "+ create fault device f with base x"),
            plan(shared, wrapped));
    }

    /** A port of RDMA is not one of TCP: the new listener is there before the old one goes. */
    @Test
    void shouldChangeTheTransportOfAListenerWithoutAGap()
    {
        assertEquals(List.of(
            "+ listen on rdma://127.0.0.1:4420",
            "- stop listening on 127.0.0.1:4420"),
            plan(VOLUME, VOLUME.replace("transport: tcp", "transport: rdma")));
        assertEquals(List.of("+ listen on rdma://127.0.0.1:8009 for discovery"), plan(
            VOLUME.replace("transport: tcp", "transport: rdma"), VOLUME.replace("transport: tcp", "transport: rdma")
            .replace("discovery: false", "discovery: true")));
    }

    @Test
    void shouldRemoveTheOtherWayRound()
    {
        assertEquals(List.of(
            "- stop listening on 127.0.0.1:4420",
            "- delete subsystem nqn.2026-11.io.millrace:vol0 with its 1 namespace",
            "! delete memory device mem0; its data is lost"), plan(VOLUME, "devices: []"));
    }

    @Test
    void shouldChangeInPlaceWhatCanBe()
    {
        assertEquals(List.of(
            "~ grow device mem0 from 64MiB to 1GiB",
            "~ allow any host on nqn.2026-11.io.millrace:vol0"),
            plan(VOLUME, VOLUME.replace("64MiB", "1GiB").replace("allow-any-host: false", "allow-any-host: true")));
    }

    @Test
    void shouldSayWhatHostsMayBeforeTheyCome()
    {
        final String limited = VOLUME.replace("namespaces: [", "ana: [{group: 2, state: non-optimized}, " +
            "{listener: \"127.0.0.1:4420\", state: inaccessible}]\n    qos: [{nsid: 1, iops: 20000}, " +
            "{host: \"nqn.2026-11.io.host:a\", bandwidth: 1MiB}]\n    namespaces: [");
        assertEquals(List.of(
            "+ create memory device mem0 with size 64MiB",
            "+ create subsystem nqn.2026-11.io.millrace:vol0",
            "+ make ANA group 2 of nqn.2026-11.io.millrace:vol0 non-optimized at every listener",
            "+ make every ANA group of nqn.2026-11.io.millrace:vol0 inaccessible at 127.0.0.1:4420",
            "+ add namespace 1 of nqn.2026-11.io.millrace:vol0 on device mem0",
            "+ allow host nqn.2026-11.io.host:a on nqn.2026-11.io.millrace:vol0",
            "+ limit namespace nqn.2026-11.io.millrace:vol0/1 to iops 20000",
            "+ limit host nqn.2026-11.io.host:a of nqn.2026-11.io.millrace:vol0 to bandwidth 1MiB",
            "+ listen on 127.0.0.1:4420"), plan("devices: []", limited));
        assertEquals(List.of(
            "~ make ANA group 2 of nqn.2026-11.io.millrace:vol0 optimized at every listener",
            "~ make every ANA group of nqn.2026-11.io.millrace:vol0 optimized at 127.0.0.1:4420",
            "- limit namespace nqn.2026-11.io.millrace:vol0/1: none",
            "- limit host nqn.2026-11.io.host:a of nqn.2026-11.io.millrace:vol0: none"), plan(limited, VOLUME));
        // The limits of a namespace go with it, and come again with the next.
        assertEquals(List.of(
            "! remove namespace 1 of nqn.2026-11.io.millrace:vol0 from device mem0",
            "+ add namespace 1 of nqn.2026-11.io.millrace:vol0 on device mem0",
            "+ limit namespace nqn.2026-11.io.millrace:vol0/1 to iops 20000"),
            plan(limited, limited.replace("device: mem0}", "device: mem0, ana-group: 3}")));
    }

    @Test
    void shouldMarkWhatDestroys()
    {
        assertEquals(List.of(
            "! remove namespace 1 of nqn.2026-11.io.millrace:vol0 from device mem0",
            "! delete memory device mem0 to recreate it, since it does not become smaller, 1MiB instead of 64MiB; " +
                "its data is lost",
            "+ create memory device mem0 with size 1MiB",
            "+ add namespace 1 of nqn.2026-11.io.millrace:vol0 on device mem0"),
            plan(VOLUME, VOLUME.replace("64MiB", "1MiB")));
        final String kept = "devices:\n  - {name: v, type: spdk-lvol, lvol: lvs0/v, size: 8MiB}\n";
        assertEquals(List.of("- delete spdk-lvol device v"), plan(kept, "devices: []"));
        assertEquals(List.of("! delete spdk-lvol device v; its data is lost"),
            plan(kept.replace("8MiB}", "8MiB, delete-data: true}"), "devices: []"));
    }

    @Test
    void shouldFreeADeviceThatSomethingElseGets()
    {
        assertEquals(List.of(
            "- remove namespace 1 of nqn.2026-11.io.millrace:vol0 from device mem0",
            "+ add namespace 2 of nqn.2026-11.io.millrace:vol0 on device mem0"),
            plan(VOLUME, VOLUME.replace("nsid: 1", "nsid: 2")));
    }

    @Test
    void shouldReplaceWhatWrapsAReplacedDevice()
    {
        final String before = """
            devices:
              - {name: mem0, type: memory, size: 1MiB, block-size: 512}
              - {name: a, type: fault, base: mem0}
              - {name: b, type: fault, base: a}
            """;
        assertEquals(List.of(
            "! delete fault device b to recreate it, since device a is replaced",
            "! delete fault device a to recreate it, since device mem0 is replaced",
            "! delete memory device mem0 to recreate it, since block-size 512 does not become 4096; its data is lost",
            "+ create memory device mem0 with size 1MiB",
            "+ create fault device a with base mem0",
            "+ create fault device b with base a"), plan(before, before.replace("512", "4096")));
    }

    @Test
    void shouldSayWhatNoCommandBringsAbout()
    {
        final String before = "devices: [{name: f, type: file, path: /f, size: 2GiB}]";
        final StatePlan plan = StatePlan.between(state(before), state(before.replace("2GiB", "1GiB")));
        assertEquals(List.of("device f: size 1GiB is below the 2GiB that path /f has, and data is never truncated; " +
            "give it that size or none"), plan.obstacles());
        assertEquals(List.of(), plan.steps());
        assertFalse(plan.isEmpty());
        assertTrue(StatePlan.between(state(before), state(before.replace(", size: 2GiB", ""))).isEmpty());
    }

    @Test
    void shouldNotRecreateAnArrayOverMembersThatHoldAnotherSetting()
    {
        final String before = """
            devices:
              - {name: a, type: file, path: /a, size: 1GiB}
              - {name: b, type: file, path: /b, size: 1GiB}
              - {name: c, type: file, path: /c, size: 1GiB}
              - {name: d, type: file, path: /d, size: 1GiB}
              - {name: e, type: file, path: /e, size: 1GiB}
              - {name: f, type: file, path: /f, size: 1GiB}
              - {name: vol, type: raid, level: 5, members: [a, b, c], checksums: true}
            """;
        final String without = before.replace(", checksums: true", "");
        final StatePlan plan = StatePlan.between(state(before), state(without));
        assertEquals(List.of("device vol: checksums true does not become false over the same devices, which hold it: " +
            "name other devices, and copy the data"), plan.obstacles());
        assertEquals(List.of(), plan.steps());
        // The journal alone would have it deleted and created again.
        final StatePlan more = StatePlan.between(state(before), state(before.replace("checksums: true",
            "strip-size: 128KiB, journal: always")));
        assertEquals(List.of("device vol: strip-size 64KiB does not become 128KiB, and checksums true does not " +
            "become false over the same devices, which hold it: name other devices, and copy the data"),
            more.obstacles());
        assertEquals(List.of(), more.steps());
        assertEquals(List.of("! delete raid device vol to recreate it, since checksums true does not become false",
            "+ create raid device vol with level 5, members d e f"),
            plan(before, without.replace("[a, b, c]", "[d, e, f]")));
        final String coded = before.replace("level: 5, members: [a, b, c], checksums: true",
            "level: ec, parity-strips: 1, members: [a, b, c, d]");
        assertEquals(List.of("device vol: parity-strips 1 does not become 2 over the same devices, which hold it: " +
            "name other devices, and copy the data"),
            StatePlan.between(state(coded), state(coded.replace("strips: 1", "strips: 2"))).obstacles());
        // What these held is gone.
        final String memory = before.replace("file, path: /", "memory, block-size: 512, size: 1GiB} # ");
        assertEquals(14, plan(memory, memory.replace("512", "4096").replace(", checksums: true", "")).size());
    }

    @Test
    void shouldPutWhatFreesDevicesInAStageOfItsOwn()
    {
        final StatePlan plan = StatePlan.between(state(VOLUME), state(VOLUME.replace("64MiB", "1MiB")));
        assertEquals(List.of(1, 1, 2), plan.stages().stream().map(List::size).toList());
        assertTrue(plan.isDestructive());
        assertEquals(2, plan.count(StateStep.Effect.REMOVE));
    }

    @Test
    void shouldKeepWhatAFileDoesNotName()
    {
        final DesiredState other = state("""
            devices:
              - {name: mem1, type: memory, size: 1MiB}
            subsystems:
              - {nqn: 'nqn.2026-11.io.millrace:vol0', namespaces: [{nsid: 1, device: mem1}], allow-any-host: false}
            """);
        final DesiredState both = other.including(state(VOLUME));
        assertEquals(List.of("mem0", "mem1"), List.copyOf(both.devices().keySet()));
        assertEquals("mem1", both.subsystems().firstEntry().getValue().namespaces().get(1).device());
        assertEquals(1, both.subsystems().firstEntry().getValue().hosts().size());
        assertEquals(1, both.listeners().size());
    }
}
