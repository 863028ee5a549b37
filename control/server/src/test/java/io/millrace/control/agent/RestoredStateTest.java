package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.state.DesiredState;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.manager.store.AppliedState;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.reactor.ReactorConfig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** By which name an array is restored whose superblocks have another name than the state. */
class RestoredStateTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:restored";
    private static final Command.CreateDevice CREATION =
        new Command.CreateDevice(new DeviceSpec("vol0", "raid", Map.of("level", "1", "members", "d0 d1")));

    private DataPlane dataPlane;

    @BeforeEach
    void rename()
    {
        dataPlane = DataPlane.start(DataPlaneConfig.managed(
            List.of(ReactorConfig.of("restored", -1)), 16 << 20), TargetListener.NONE, (_) -> {});
        for (final String each : List.of("d0", "d1"))
        {
            dataPlane.devices().create(DeviceConfig.memory(each, 4 << 20, 4096));
        }
        dataPlane.devices().create(DeviceConfig.of("vol0", "raid",
            Map.of("level", "1", "members", List.of("d0", "d1"), "assume-clean", true)));
        dataPlane.arrays().rename("vol0", "vol1");
        dataPlane.devices().delete("vol1");
    }

    @AfterEach
    void close()
    {
        dataPlane.close();
    }

    /** It is refused with a sentence when it is created; the data plane starts. */
    @Test
    void shouldLeaveADeviceOfAnUnknownTypeAlone()
    {
        final Command unknown = new Command.CreateDevice(new DeviceSpec("x", "of-another-release", Map.of()));
        assertSame(unknown, restored(state()).named(unknown));
    }

    private RestoredState restored(final DesiredState state)
    {
        return new RestoredState(
            dataPlane, new AppliedState(LeadershipInfo.NONE, state, new Command.AssignControllerIds(1, 100)));
    }

    private static DesiredState state()
    {
        return DesiredState.EMPTY.with(new Command.CreateDevice(memory("d0")))
            .with(new Command.CreateDevice(memory("d1"))).with(CREATION);
    }

    private static DeviceSpec memory(final String name)
    {
        return new DeviceSpec(name, "memory", Map.of("size", "4MiB"));
    }

    @Test
    void shouldRestoreAnArrayByItsPresentName()
    {
        final NamespaceSpec namespace = new NamespaceSpec(NQN, 1, "vol0");
        final DesiredState state = state().with(new Command.CreateSubsystem(new SubsystemSpec(NQN, true)))
            .with(new Command.AddNamespace(namespace));
        final RestoredState restored = restored(state);
        final Command first = new Command.CreateDevice(memory("d0"));
        assertSame(first, restored.named(first));
        assertEquals("vol1", ((Command.CreateDevice)restored.named(CREATION)).device().name());
        final NamespaceSpec added =
            ((Command.AddNamespace)restored.named(new Command.AddNamespace(namespace))).namespace();
        assertEquals("vol1", added.device());
        assertEquals(state.subsystems().get(NQN).namespaces().get(1).uuid(), added.uuid());
        assertEquals(List.of("d0", "d1", "vol1"), List.copyOf(restored.state().state().devices().keySet()));
    }

    /** The data plane says then by which name the array is to be assembled. */
    @Test
    void shouldNotTakeANameThatAnotherDeviceHas()
    {
        final RestoredState restored = restored(state().with(new Command.CreateDevice(memory("vol1"))));
        assertSame(CREATION, restored.named(CREATION));
        assertEquals(List.of("d0", "d1", "vol0", "vol1"), List.copyOf(restored.state().state().devices().keySet()));
    }
}
