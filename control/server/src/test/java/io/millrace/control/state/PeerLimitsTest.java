package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.DeviceState;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.PeerType;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Data planes that do not make every type of device are reconciled in what they have. */
class PeerLimitsTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:a";
    private static final UUID ID = new UUID(1, 2);
    private static final PeerInfo NOW = PeerInfo.own(PeerType.DATA_PLANE, "");
    private static final PeerInfo PLAIN = new PeerInfo(NOW.schemaVersion(), NOW.type(), NOW.kinds(),
        Set.of("memory", "fault"), "");

    private static DesiredState desired()
    {
        final StateEditor editor = DesiredState.EMPTY.edit();
        editor.apply(new Command.CreateDevice(DeviceSpec.memory("mem0", 1 << 20, 4096)));
        editor.apply(new Command.CreateDevice(
            DeviceSpec.fault("fault0", "mem0", 77)));
        editor.apply(new Command.CreateDevice(
            DeviceSpec.nvme("nvme0", "0000:01:00.0", 1)));
        editor.apply(new Command.CreateSubsystem(new SubsystemSpec(NQN, false, "", "")));
        editor.apply(new Command.SetAnaState(NQN, Transport.TCP, "", 0, 0, AnaState.INACCESSIBLE));
        editor.apply(new Command.AddNamespace(new NamespaceSpec(NQN, 1, ID, "fault0", 9)));
        editor.apply(new Command.AddNamespace(new NamespaceSpec(NQN, 2, new UUID(3, 4), "nvme0", 1)));
        editor.apply(new Command.SetQos(new QosSpec(NQN, 1, "", 1000, 0, 0, 0, 0, 0, 0)));
        return editor.state();
    }

    @Test
    void shouldLeaveAStateThatIsKnownAsItIs()
    {
        final DesiredState desired = desired();
        assertSame(desired, PeerLimits.of(desired, NOW).state());
    }

    @Test
    void shouldLeaveOutDevicesThatAreNotMadeAndWhatDependsOnThem()
    {
        final PeerLimits limits = PeerLimits.of(desired(), PLAIN);
        assertEquals(Set.of("mem0", "fault0"), limits.state().devices().keySet());
        assertEquals(Set.of(1), limits.state().subsystems().get(NQN).namespaces().keySet());
        assertEquals(List.of("device nvme0: the data plane does not support type nvme: upgrade it",
            "namespace 2 of " + NQN + ": its device is missing"), limits.obstacles());
        final StatePlan plan = StatePlan.between(DesiredState.EMPTY, limits.state());
        plan.steps().forEach((step) -> assertNull(PLAIN.missingFeature(step.command()), step::toString));
        assertEquals(6, plan.steps().size(), () -> plan.steps().toString());
    }

    @Test
    void shouldLeaveOutListenersOverRdmaThatAnEarlierVersionDoesNotKnow()
    {
        final DesiredState tcp = desired()
            .with(new Command.AddListener(new ListenerSpec(Transport.TCP, "192.0.2.7", 4420, false)));
        final DesiredState both = tcp
            .with(new Command.AddListener(new ListenerSpec(Transport.RDMA, "192.0.2.7", 4420, false)))
            .with(new Command.SetAnaState(NQN, Transport.RDMA, "192.0.2.7", 4420, 1, AnaState.OPTIMIZED));
        assertSame(both, PeerLimits.of(both, NOW).state());
        final PeerLimits limits =
            PeerLimits.of(both, new PeerInfo(4, NOW.type(), NOW.kinds(), NOW.deviceTypes(), ""));
        assertEquals(tcp, limits.state());
        assertEquals(List.of("listener rdma://192.0.2.7:4420: the data plane does not support its transport: " +
            "upgrade it"), limits.obstacles());
    }

    @Test
    void shouldLeaveOutListenersOfVfioUserThatAnEarlierVersionDoesNotKnow()
    {
        final DesiredState own = desired().with(new Command.SetQos(new QosSpec(NQN, 1, "", 0, 0, 0, 0, 0, 0, 0)));
        final DesiredState both = own.with(new Command.AddListener(
            new ListenerSpec(Transport.VFIO_USER, "/run/vm", 0, false, ListenerProvider.SPDK)));
        assertSame(both, PeerLimits.of(both, NOW).state());
        final PeerLimits limits =
            PeerLimits.of(both, new PeerInfo(6, NOW.type(), NOW.kinds(), NOW.deviceTypes(), ""));
        assertEquals(own, limits.state());
        assertEquals(List.of("listener vfio-user:///run/vm: the data plane does not support its transport: " +
            "upgrade it"), limits.obstacles());
    }

    @Test
    void shouldLeaveOutListenersOfSpdkThatAnEarlierVersionDoesNotKnow()
    {
        final DesiredState own = desired().with(new Command.SetQos(new QosSpec(NQN, 1, "", 0, 0, 0, 0, 0, 0, 0)))
            .with(new Command.AddListener(new ListenerSpec(Transport.TCP, "192.0.2.7", 4420, false)));
        final DesiredState both = own.with(new Command.AddListener(
            new ListenerSpec(Transport.TCP, "192.0.2.7", 4430, false, ListenerProvider.SPDK)));
        assertSame(both, PeerLimits.of(both, NOW).state());
        final PeerLimits limits =
            PeerLimits.of(both, new PeerInfo(5, NOW.type(), NOW.kinds(), NOW.deviceTypes(), ""));
        assertEquals(own, limits.state());
        assertEquals(List.of("listener 192.0.2.7:4430: the data plane does not support its provider: upgrade it"),
            limits.obstacles());
    }

    /** An older manager does not judge what it cannot name. */
    @Test
    void shouldNotRemoveADeviceOfAnUnknownType()
    {
        assertEquals(DesiredState.EMPTY, DesiredState.of(List.of(new DeviceInfo(
            new DeviceSpec("new", "later", Map.of("key", "value")), 1, 512, 0, List.of(), DeviceState.AVAILABLE,
                DeviceHealth.ONLINE, "", "",
            -1))));
    }
}
