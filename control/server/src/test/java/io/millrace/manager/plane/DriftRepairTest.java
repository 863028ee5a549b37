package io.millrace.manager.plane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.control.codec.PeerType;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateStep;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which steps of a repair wait for a person. */
class DriftRepairTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String EXTRA = "nqn.2026-11.io.millrace:vol1";
    private static final String HOST = "nqn.2026-11.io.millrace:host0";
    private static final UUID ONE = new UUID(0, 1);
    private static final UUID OTHER = new UUID(0, 2);
    private static final ListenerSpec LISTENER = new ListenerSpec(Transport.TCP, "127.0.0.1", 4420, false);

    /** What somebody else made may be in use: nothing of it goes unless that is confirmed. */
    @Test
    void shouldWithholdWhateverTakesSomethingFromHosts()
    {
        final DesiredState desired = DesiredState.EMPTY
            .with(new Command.CreateDevice(DeviceSpec.memory("mem0", 1 << 20, 4096)))
            .with(new Command.CreateSubsystem(new SubsystemSpec(NQN, false)));
        final DesiredState actual = desired
            .with(new Command.CreateDevice(DeviceSpec.memory("mem1", 1 << 20, 4096)))
            .with(new Command.AddNamespace(new NamespaceSpec(NQN, 1, "mem0")))
            .with(new Command.AllowHost(NQN, HOST))
            .with(new Command.SetAllowAnyHost(NQN, true))
            .with(new Command.CreateSubsystem(new SubsystemSpec(EXTRA, false)))
            .with(new Command.AddListener(LISTENER));
        final PeerInfo peer = PeerInfo.own(PeerType.DATA_PLANE, "1");
        final DriftRepair repair = DriftRepair.of(actual, desired, peer, false, true, RequestedChanges.NONE);
        assertEquals(List.of(), repair.plan().steps());
        assertEquals(Set.of("DeleteDevice", "RemoveNamespace", "DenyHost", "SetAllowAnyHost", "DeleteSubsystem",
            "RemoveListener"), names(repair.withheld()));
        final DriftRepair confirmed = DriftRepair.of(actual, desired, peer, true, true, RequestedChanges.NONE);
        assertEquals(List.of(), confirmed.withheld());
        assertEquals(names(repair.withheld()), names(confirmed.plan().steps()));
    }

    /** A smaller one in its place would be empty. */
    @Test
    void shouldNotReplaceALargerVolumeUnlessItIsKnownToBeAnotherOne()
    {
        final DeviceSpec wanted = DeviceSpec.memory("mem0", 1 << 20, 4096).with(ONE);
        for (final UUID same : List.of(ONE, DeviceSpec.NO_INCARNATION))
        {
            final DriftRepair kept = repair(DeviceSpec.memory("mem0", 4 << 20, 4096).with(same), wanted);
            assertEquals(List.of(), kept.plan().steps());
            assertEquals(List.of("device mem0 has 4MiB instead of 1MiB and cannot shrink: resize it in the desired " +
                "state, or delete and recreate it"), kept.plan().obstacles());
        }
        for (final DeviceSpec other : List.of(
            DeviceSpec.memory("mem0", 4 << 20, 4096).with(OTHER),
            DeviceSpec.memory("mem0", 4 << 20, 512).with(ONE),
            DeviceSpec.discard("mem0", 4 << 20, 4096).with(ONE)))
        {
            final DriftRepair replaced = repair(other, wanted);
            assertEquals(Set.of("DeleteDevice", "CreateDevice"), names(replaced.plan().steps()), other::toString);
            assertEquals(List.of(), replaced.plan().obstacles());
        }
        final DriftRepair grown = repair(DeviceSpec.memory("mem0", 512 << 10, 4096).with(ONE), wanted);
        assertEquals(Set.of("ResizeDevice"), names(grown.plan().steps()));
        assertEquals(List.of(), grown.plan().obstacles());
    }

    /** A name that was given directly stays, and what depends on it waits, too. */
    @Test
    void shouldWithholdARenameThatRevertsADirectOne()
    {
        final DesiredState desired = DesiredState.EMPTY
            .with(new Command.CreateDevice(DeviceSpec.file("d0", "/d0", 1 << 30)))
            .with(new Command.CreateDevice(DeviceSpec.file("d1", "/d1", 1 << 30)))
            .with(new Command.CreateDevice(new DeviceSpec("vol0", "raid", Map.of("level", "1", "members", "d0 d1",
                "scrub-interval", "1d"))));
        final DesiredState actual = desired.with(new Command.RenameDevice("vol0", "vol2"))
            .with(new Command.ModifyDevice("vol2", Map.of("scrub-interval", "2d")));
        final PeerInfo peer = PeerInfo.own(PeerType.DATA_PLANE, "1");
        final DriftRepair repair = DriftRepair.of(actual, desired, peer, false, false, RequestedChanges.NONE);
        assertEquals(List.of(), repair.plan().steps());
        assertEquals(Set.of("RenameDevice", "ModifyDevice"), names(repair.withheld()));
        assertEquals("reverts settings that may have been changed directly",
            DriftRepair.reason(repair.withheld().getFirst()));
        // Without direct changes it is repaired, and by one that was asked for while the data plane was away.
        assertEquals(List.of(), DriftRepair.of(actual, desired, peer, false, true, RequestedChanges.NONE).withheld());
        assertEquals(List.of(), DriftRepair.of(actual, desired, peer, false, false,
            RequestedChanges.between(actual, desired)).withheld().stream()
            .filter((each) -> each.command() instanceof Command.RenameDevice).toList());
        final DesiredState other = actual.with(new Command.ModifyDevice("vol2", Map.of("scrub-interval", "3d")));
        assertEquals(1, DriftRepair.of(other, desired, peer, false, false,
            RequestedChanges.between(actual, desired)).withheld().stream()
            .filter((each) -> each.command() instanceof Command.RenameDevice).count());
    }

    /** Another array still has the name that the second one was going to get. */
    @Test
    void shouldWithholdWhatNeedsAWithheldRename()
    {
        final String nqn = "nqn.2026-11.io.millrace:vol";
        DesiredState desired = DesiredState.EMPTY.with(new Command.CreateSubsystem(new SubsystemSpec(nqn, true)));
        for (final String each : List.of("d0", "d1", "d2", "d3"))
        {
            desired = desired.with(new Command.CreateDevice(DeviceSpec.file(each, "/" + each, 1 << 30)));
        }
        desired = desired
            .with(new Command.CreateDevice(
                new DeviceSpec("vol0", "raid", Map.of("level", "1", "members", "d0 d1"))))
            .with(new Command.CreateDevice(
                new DeviceSpec("vol1", "raid", Map.of("level", "1", "members", "d2 d3"))));
        final DesiredState actual = desired.with(new Command.RenameDevice("vol0", "x"))
            .with(new Command.RenameDevice("vol1", "vol0"));
        desired = desired.with(new Command.AddNamespace(new NamespaceSpec(nqn, 1, "vol0")))
            .with(new Command.AddNamespace(new NamespaceSpec(nqn, 2, "vol1")));
        final DriftRepair repair = DriftRepair.of(
            actual, desired, PeerInfo.own(PeerType.DATA_PLANE, "1"), false, false, RequestedChanges.NONE);
        assertEquals(List.of(), repair.plan().steps());
        assertEquals(4, repair.withheld().size());
    }

    /** Whose removals are allowed. */
    private static DriftRepair repair(final DeviceSpec actual, final DeviceSpec wanted)
    {
        return DriftRepair.of(DesiredState.EMPTY.with(new Command.CreateDevice(actual)),
            DesiredState.EMPTY.with(new Command.CreateDevice(wanted)), PeerInfo.own(PeerType.DATA_PLANE, "1"), true,
            true, RequestedChanges.NONE);
    }

    private static Set<String> names(final List<StateStep> steps)
    {
        return steps.stream().map((each) -> each.command().getClass().getSimpleName()).collect(Collectors.toSet());
    }
}
