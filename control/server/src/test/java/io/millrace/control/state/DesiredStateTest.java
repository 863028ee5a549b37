package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.DeviceProperties;
import io.millrace.block.discard.DiscardDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.block.nvme.NvmeDeviceConfig;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.DeviceState;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.State;
import io.millrace.control.codec.Transport;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerInfo;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.setting.Units;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.device.DeviceFactories;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.validation.ResourceValidation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class DesiredStateTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";

    private static DesiredState volume()
    {
        return DesiredState.EMPTY
            .with(new Command.CreateDevice(DeviceSpec.memory("mem0", 1 << 20, 0)))
            .with(new Command.CreateSubsystem(new SubsystemSpec(NQN, true)))
            .with(new Command.AddNamespace(new NamespaceSpec(NQN, 1, "mem0")));
    }

    private static Code refusal(final DesiredState state, final Command command)
    {
        final ControlException e = assertThrows(ControlException.class, () -> state.with(command));
        assertEquals(1, e.getMessage().lines().count());
        return e.code();
    }

    private static String bound(final String type, final String key)
    {
        return DeviceTypes.of(type).find(key).type().bound();
    }

    @Test
    void shouldGenerateWhatADataPlaneGenerates()
    {
        assertEquals(SubsystemConfig.serialNumberOf(NQN), volume().subsystems().get(NQN).spec().serial());
        final Namespace namespace = Namespace.of(NQN, 1, DiscardDevice.create("mem0", 4096, 4096));
        assertEquals(namespace.uuid(), volume().subsystems().get(NQN).namespaces().get(1).uuid());
        assertEquals(SubsystemSettings.MODEL_DEFAULT, Canonical.MODEL_DEFAULT);
        assertEquals(new DeviceFactories().types(), DeviceTypes.names());
        final Map<String, Object> file = DeviceTypes.of("file").values(Map.of("path", "/f"));
        assertEquals(FileDeviceConfig.of("f", DeviceProperties.of(Map.of("path", "/f"))),
            FileDeviceConfig.of("f", DeviceProperties.of(file)));
        final Map<String, String> address = Map.of("address", "0000:01:00.0");
        final Map<String, Object> drive = DeviceTypes.of("nvme").values(address);
        assertEquals(NvmeDeviceConfig.of("n", DeviceProperties.of(address)),
            NvmeDeviceConfig.of("n", DeviceProperties.of(drive)));
        assertEquals("1 to " + FileDeviceConfig.QUEUE_DEPTH_MAX, bound("file", "queue-depth"));
        assertEquals("1 to " + NvmeDeviceConfig.QUEUE_DEPTH_MAX, bound("nvme", "queue-depth"));
        assertEquals(Units.duration(NvmeDeviceConfig.TIMEOUT_NS_MIN) + " to " +
            Units.duration(NvmeDeviceConfig.TIMEOUT_NS_MAX), bound("nvme", "command-timeout"));
        assertEquals(ResourceValidation.SIZE_BYTES_MIN + " to " + Units.size(ResourceValidation.SIZE_BYTES_MAX),
            bound("memory", "size"));
        assertEquals(ResourceValidation.FAULT_RULES_MAX, DeviceTypes.of("fault").find("rules").group().countMax());
        assertEquals(Namespace.NSID_MAX, Names.NSID_MAX);
        assertEquals(Namespace.ANA_GROUP_MAX, Names.ANA_GROUP_MAX);
        assertEquals(Namespace.ANA_GROUP_DEFAULT, NamespaceSpec.ANA_GROUP_DEFAULT);
        assertEquals(io.millrace.nvmf.config.Nqn.DISCOVERY, Names.DISCOVERY_NQN);
        assertEquals(ListenerSettings.DISCOVERY_PORT, StateDocument.DISCOVERY_PORT);
    }

    @Property(tries = 2000)
    void shouldTakeTheNqnsThatADataPlaneTakes(@ForAll("nqns") final String nqn)
    {
        assertEquals(Nqn.isValid(nqn), null == Names.nqnProblem(nqn), nqn);
    }

    @Provide
    Arbitrary<String> nqns()
    {
        return Arbitraries.of("nqn.", "2026-11", "2026-13", ".", "io", "-", ":", "x", "é", "\u0001", "\u0085", " ",
            "nqn.2014-08.org.nvmexpress:uuid:", "12345678-1234-1234-1234-123456789abc", "nqn.2026-11.io.a",
            "a".repeat(200), "A", "_").list().ofMaxSize(6).map((parts) -> String.join("", parts));
    }

    @Test
    void shouldStayAsItIsWhenACommandIsRefused()
    {
        final StateEditor editor = volume().edit();
        assertThrows(ControlException.class, () -> editor.apply(new Command.DeleteDevice("mem0")));
        assertEquals(volume(), editor.state());
    }

    @Test
    void shouldAnswerACodeForEachRefusal()
    {
        assertEquals(Code.IN_USE, refusal(volume(), new Command.DeleteDevice("mem0")));
        assertEquals(Code.EXISTS, refusal(volume(), new Command.CreateDevice(DeviceSpec.memory("mem0", 4096, 0))));
        assertEquals(Code.NOT_FOUND, refusal(volume(), new Command.ResizeDevice("mem1", 4096)));
        assertEquals(Code.INVALID, refusal(volume(), new Command.ResizeDevice("mem0", 4096)));
        assertEquals(Code.IN_USE, refusal(volume(), new Command.CreateDevice(DeviceSpec.fault("f", "mem0", 0))));
        assertEquals(Code.INVALID, refusal(volume(),
            new Command.AddListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 0, false))));
    }

    @Test
    void shouldKeepDrivesAsTheyAreReported()
    {
        final DesiredState state =
            DesiredState.EMPTY.with(new Command.CreateDevice(DeviceSpec.nvme("d", "01:0A.0", 2)));
        assertEquals(state, DesiredState.of(List.of(
            new DeviceInfo(DeviceSpec.nvme("d", "0000:01:0a.0", 2), 1 << 30, 512, 1, List.of(), DeviceState.AVAILABLE,
                DeviceHealth.ONLINE, "",
            "", -1))));
        assertEquals("address 0000:01:0a.0 nsid 2", state.devices().get("d").location());
        assertEquals(Code.IN_USE,
            refusal(state, new Command.CreateDevice(DeviceSpec.nvme("e", "0000:01:0a.0", 2))));
        assertEquals(Code.UNSUPPORTED, refusal(state, new Command.ResizeDevice("d", 1 << 30)));
        assertEquals(Code.INVALID, refusal(state, new Command.CreateDevice(
            DeviceSpec.nvme("e", "0000:01:00.0", 1).with("queue-depth", "1024"))));
        for (final String address : List.of("", "0000:01:00.0/1", "01:00.8", "/dev/nvme0n1"))
        {
            assertEquals(Code.INVALID, refusal(state, new Command.CreateDevice(DeviceSpec.nvme("e", address, 1))));
        }
        assertEquals(Code.INVALID, refusal(state, new Command.CreateDevice(DeviceSpec.nvme("e", "01:00.0", 0))));
        assertEquals(DesiredState.EMPTY, state.with(new Command.DeleteDevice("d")));
    }

    @Test
    void shouldKeepWhatIsNotOfAMoment()
    {
        assertTrue(DesiredState.changesDesiredState(new Command.DeleteDevice("a")));
        assertFalse(DesiredState.changesDesiredState(new Command.SetState(State.DRAINING)));
        assertTrue(DesiredState.changesDesiredState(new Command.ModifyDevice("a", Map.of())));
        assertThrows(IllegalArgumentException.class,
            () -> DesiredState.EMPTY.with(new Command.SetState(State.DRAINING)));
    }

    @Test
    void shouldOrderNamesAsPeopleDo()
    {
        final List<String> names = new ArrayList<>(List.of("vol10", "vol2", "vol", "vol02", "a", "vol2a", "10", "9"));
        names.sort(NaturalOrder.INSTANCE);
        assertEquals(List.of("9", "10", "a", "vol", "vol02", "vol2", "vol2a", "vol10"), names);
    }

    @Property
    void shouldOrderAllNames(
        @ForAll("numbered") final String a, @ForAll("numbered") final String b, @ForAll("numbered") final String c)
    {
        final NaturalOrder order = (NaturalOrder)NaturalOrder.INSTANCE;
        assertEquals(a.equals(b), 0 == order.compare(a, b));
        assertEquals(Integer.signum(order.compare(a, b)), -Integer.signum(order.compare(b, a)));
        assertTrue(order.compare(a, b) > 0 || order.compare(b, c) > 0 || order.compare(a, c) <= 0, a + b + c);
    }

    @Provide
    Arbitrary<String> numbered()
    {
        return Arbitraries.of("0", "1", "a", "01", "10", "b", "2").list().ofMaxSize(5)
            .map((parts) -> String.join("", parts));
    }

    @Test
    void shouldKeepListenersOfBothTransportsOnOnePort()
    {
        final DesiredState tcp = DesiredState.EMPTY
            .with(new Command.AddListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 4420, false)));
        final DesiredState both = tcp
            .with(new Command.AddListener(new ListenerSpec(Transport.RDMA, "127.0.0.1", 4420, false)));
        assertEquals(Set.of("127.0.0.1:4420", "rdma://127.0.0.1:4420"), both.listeners().keySet());
        assertEquals(both, DesiredState.of(List.of(
            new ListenerInfo(Transport.RDMA, "127.0.0.1", 4420, false),
            new ListenerInfo(Transport.SBE_UNKNOWN, "127.0.0.1", 4420, false),
            new ListenerInfo(Transport.TCP, "127.0.0.1", 4420, false))));
        assertEquals(tcp, both.with(new Command.RemoveListener(Transport.RDMA, "127.0.0.1", 4420)));
        assertEquals(Code.IN_USE, refusal(both,
            new Command.AddListener(new ListenerSpec(Transport.RDMA, "0.0.0.0", 4420, false))));
        assertEquals(Code.INVALID, refusal(both,
            new Command.AddListener(new ListenerSpec(Transport.SBE_UNKNOWN, "0.0.0.0", 4421, false))));
    }

    @Test
    void shouldKeepListenersOfVfioUser()
    {
        final ListenerSpec spec =
            new ListenerSpec(Transport.VFIO_USER, "/run//vm/../vm", 0, false, ListenerProvider.SPDK);
        final DesiredState state = DesiredState.EMPTY.with(new Command.AddListener(spec));
        final ListenerSpec kept = state.listeners().get("vfio-user:///run/vm");
        assertEquals(new ListenerSpec(Transport.VFIO_USER, "/run/vm", 0, false, ListenerProvider.SPDK), kept);
        assertEquals(state, DesiredState.of(List.of(new ListenerInfo(
            kept.transport(), kept.address(), kept.port(), false, true, ListenerProvider.SPDK))));
        assertEquals(DesiredState.EMPTY,
            state.with(new Command.RemoveListener(Transport.VFIO_USER, "/run/vm", 0)));
        for (final ListenerSpec each : List.of(
            new ListenerSpec(Transport.VFIO_USER, "run/vm", 0, false, ListenerProvider.SPDK),
            new ListenerSpec(Transport.VFIO_USER, "127.0.0.1", 0, false, ListenerProvider.SPDK),
            new ListenerSpec(Transport.VFIO_USER, "/run/vm", 4420, false, ListenerProvider.SPDK),
            new ListenerSpec(Transport.TCP, "/run/vm", 4420, false, ListenerProvider.SPDK),
            new ListenerSpec(Transport.VFIO_USER, "/run/vm2", 0, true, ListenerProvider.SPDK)))
        {
            assertEquals(Code.INVALID, refusal(DesiredState.EMPTY, new Command.AddListener(each)), each.toString());
        }
        assertEquals(Code.UNSUPPORTED, refusal(
            DesiredState.EMPTY, new Command.AddListener(new ListenerSpec(Transport.VFIO_USER, "/run/vm", 0, false))));
    }

    @Test
    void shouldKeepTheProviderOfAListener()
    {
        final ListenerSpec spdk = new ListenerSpec(
            Transport.TCP, "127.0.0.1", 4430, false, ListenerProvider.SPDK);
        final DesiredState state = DesiredState.EMPTY.with(new Command.AddListener(spdk));
        assertEquals(state, DesiredState.of(List.of(
            new ListenerInfo(Transport.TCP, "127.0.0.1", 4430, false, true, ListenerProvider.SPDK),
            new ListenerInfo(Transport.TCP, "127.0.0.1", 4431, false, true, ListenerProvider.SBE_UNKNOWN))));
        final ListenerSpec own = new ListenerSpec(Transport.TCP, "127.0.0.1", 4430, false);
        final DesiredState other = DesiredState.EMPTY.with(new Command.AddListener(own));
        assertNotEquals(other, state);
        // Another provider is another listener: the first makes room.
        assertEquals(List.of(new Command.RemoveListener(Transport.TCP, "127.0.0.1", 4430),
            new Command.AddListener(own)),
            StatePlan.between(state, other).steps().stream().map(StateStep::command).toList());
        assertEquals(Code.EXISTS, refusal(state, new Command.AddListener(own)));
        assertEquals(Code.INVALID, refusal(state, new Command.AddListener(
            new ListenerSpec(Transport.TCP, "127.0.0.1", 8009, true, ListenerProvider.SPDK))));
        assertEquals(Code.INVALID, refusal(state, new Command.AddListener(
            new ListenerSpec(Transport.TCP, "127.0.0.1", 4431, false, ListenerProvider.SBE_UNKNOWN))));
        assertEquals("provider is spdk instead of millrace", NoChange.differences(spdk, own));
    }

    @Test
    void shouldRefuseLimitsBesideListenersOfSpdkAndMakeOneFollowTheOther()
    {
        final DesiredState served = volume();
        final Command.SetQos limit = new Command.SetQos(new QosSpec(NQN, 1, "", 1000, 0, 0, 0, 0, 0, 10));
        final Command.AddListener listen = new Command.AddListener(
            new ListenerSpec(Transport.TCP, "127.0.0.1", 4430, false, ListenerProvider.SPDK));
        final DesiredState limited = served.with(limit);
        final DesiredState bySpdk = served.with(listen);
        assertEquals(Code.UNSUPPORTED, refusal(limited, listen));
        assertEquals(Code.UNSUPPORTED, refusal(bySpdk, limit));
        for (final String wildcard : List.of("0.0.0.0", "::"))
        {
            assertEquals(Code.UNSUPPORTED, refusal(served, new Command.AddListener(
                new ListenerSpec(Transport.TCP, wildcard, 4430, false, ListenerProvider.SPDK))));
        }
        final Command.SetQos none = new Command.SetQos(new QosSpec(NQN, 1, "", 0, 0, 0, 0, 0, 0, 0));
        assertEquals(bySpdk, bySpdk.with(none));
        assertEquals(List.of(new Command.RemoveListener(Transport.TCP, "127.0.0.1", 4430), limit), commands(
            bySpdk, limited));
        assertEquals(List.of(none, listen), commands(limited, bySpdk));
    }

    private static List<Command> commands(final DesiredState actual, final DesiredState desired)
    {
        return StatePlan.between(actual, desired).steps().stream().map(StateStep::command).toList();
    }

    @Test
    void shouldReadListenersThatAreWrittenInAnyForm()
    {
        assertEquals("::1", NetworkAddress.canonical("0:0:0:0:0:0:0:1"));
        assertEquals("2001:db8:0:1:1:1:1:1", NetworkAddress.canonical("2001:0db8:0:1:1:1:1:1"));
        assertEquals("2001:db8::1:0:0:1", NetworkAddress.canonical("2001:db8:0:0:1:0:0:1"));
        assertEquals("::", NetworkAddress.canonical("::0"));
        assertEquals("1::", NetworkAddress.canonical("1:0:0:0:0:0:0:0"));
        assertEquals("somewhere", NetworkAddress.canonical("somewhere"));
        final DesiredState state = DesiredState.of(List.of(
            new ListenerInfo(Transport.TCP, "0:0:0:0:0:0:0:1", 4420, false),
            new DeviceInfo(DeviceSpec.file("f", "/a//b/", 1 << 20), 1 << 20, 4096, 0, List.of(), DeviceState.AVAILABLE,
                DeviceHealth.DEGRADED, "", "", -1)));
        assertEquals(DesiredState.EMPTY
            .with(new Command.AddListener(new ListenerSpec(Transport.TCP, "::1", 4420, false)))
            .with(new Command.CreateDevice(DeviceSpec.file("f", "/a/b", 1 << 20))), state);
    }
}
