package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.DeviceType;
import io.millrace.control.codec.PeerType;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSettings;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.message.SubsystemSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Data planes of earlier versions: reconciled in what they have, and never seen to drift in what they have not. */
class PeerLimitsTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:a";
    private static final UUID ID = new UUID(1, 2);
    private static final PeerInfo NOW = PeerInfo.own(PeerType.DATA_PLANE, "");
    private static final PeerInfo FIRST = PeerInfo.ofVersion(0);

    private static DesiredState desired()
    {
        final StateEditor editor = DesiredState.EMPTY.edit();
        editor.apply(new Command.CreateDevice(DeviceSpec.memory("mem0", 1 << 20, 4096)));
        editor.apply(new Command.CreateDevice(
            new DeviceSpec("fault0", DeviceType.FAULT, 0, 0, 0, false, false, 77, "mem0")));
        editor.apply(new Command.CreateDevice(
            new DeviceSpec("nvme0", DeviceType.NVME, 0, 0, 0, false, false, 0, "0000:01:00.0/1")));
        editor.apply(new Command.CreateSubsystem(new SubsystemSpec(NQN, false, "", "")));
        editor.apply(new Command.SetAnaState(NQN, Transport.TCP, "", 0, 0, AnaState.INACCESSIBLE));
        editor.apply(new Command.AddNamespace(new NamespaceSpec(NQN, 1, ID, "fault0", 9)));
        editor.apply(new Command.AddNamespace(new NamespaceSpec(NQN, 2, new UUID(3, 4), "nvme0", 1)));
        editor.apply(new Command.SetQos(new QosSpec(NQN, 1, "", 1000, 0, 0, 0, 0, 0, 0)));
        return editor.state();
    }

    /** What a data plane of version 0 reports when it is all that it can be. */
    private static List<Resource> reported()
    {
        final SubsystemSpec spec = desired().subsystems().get(NQN).spec();
        return List.of(
            new DeviceInfo("mem0", DeviceType.MEMORY, 1 << 20, 4096, 0, false, false, 0, Resource.UNKNOWN, "",
                DeviceSettings.UNKNOWN),
            new DeviceInfo("fault0", DeviceType.FAULT, 1 << 20, 4096, 0, false, false, 0, Resource.UNKNOWN, "mem0",
                DeviceSettings.UNKNOWN),
            new SubsystemInfo(NQN, false, 1, 0, spec.serial(), spec.model()),
            new NamespaceInfo(NQN, 1, ID, 1 << 20, 4096, 0, 0, 0, 0, Resource.UNKNOWN, Resource.UNKNOWN, "fault0",
                Resource.UNKNOWN));
    }

    @Test
    void shouldLeaveAStateThatIsKnownAsItIs()
    {
        final DesiredState desired = desired();
        assertSame(desired, PeerLimits.of(desired, NOW).state());
    }

    @Test
    void shouldSeeNoDriftInWhatAnOldDataPlaneCannotReport()
    {
        final PeerLimits limits = PeerLimits.of(desired(), FIRST);
        final StatePlan plan = StatePlan.between(DesiredState.of(reported()), limits.state());
        assertEquals(List.of(), plan.steps());
        assertTrue(plan.isEmpty(), () -> plan.obstacles().toString());
        assertEquals(6, limits.obstacles().size(), () -> limits.obstacles().toString());
        // Without it the drift is seen, and would be carried out again and again.
        assertTrue(StatePlan.between(DesiredState.of(reported()), desired()).steps().size() > 2);
    }

    @Test
    void shouldReconcileAnOldDataPlaneInWhatItHas()
    {
        final StatePlan plan = StatePlan.between(DesiredState.EMPTY, PeerLimits.of(desired(), FIRST).state());
        plan.steps().forEach((step) -> assertNull(FIRST.missingFeature(step.command()), step::toString));
        assertEquals(4, plan.steps().size(), () -> plan.steps().toString());
    }

    /** An older manager does not judge what it cannot name. */
    @Test
    void shouldNotRemoveADeviceOfALaterVersion()
    {
        final List<Resource> resources = new ArrayList<>(reported());
        resources.add(new DeviceInfo("new", DeviceType.SBE_UNKNOWN, 1, 512, 0, false, false, 0, 0, "",
            DeviceSettings.UNKNOWN));
        assertEquals(DesiredState.of(reported()), DesiredState.of(resources));
    }
}
