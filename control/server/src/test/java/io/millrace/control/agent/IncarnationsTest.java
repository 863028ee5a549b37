package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.millrace.block.file.FileBounds;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.DeviceState;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.service.Caller;
import io.millrace.control.service.Reply;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.reactor.ReactorConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices that the configuration file declares, over starts of their data plane. */
class IncarnationsTest
{
    private static final Caller CALLER = new Caller(1, Role.ADMIN, "test", "", "dp0");

    @TempDir
    private Path directory;

    /** A life of the data plane: starts it, carries commands out, lists its devices' incarnations, ends it. */
    private Map<String, UUID> life(final Command... commands) throws Exception
    {
        final ControlEvents events = new ControlEvents();
        final DataPlaneConfig config = new DataPlaneConfig(List.of(ReactorConfig.of("test-0", -1)), 32 << 20,
            List.of(DeviceConfig.memory("mem0", 1 << 20, 4096), DeviceConfig.memory("mem1", 1 << 20, 4096)),
            List.of(), List.of(), DataPlaneConfig.NO_DISCOVERY_PORT, TargetConfig.defaults(),
            TcpTransportConfig.defaults(), true);
        try (DataPlane dataPlane = DataPlane.start(config, TargetListener.NONE, events);
            DataPlaneBackend backend = new DataPlaneBackend("dp0", dataPlane, events,
                new StatePersisterTest.SilentOwner(),
                PersistedState.NOWHERE, FileBounds.below("control.device-directories", List.of(directory), List.of())))
        {
            for (final Command command : commands)
            {
                assertEquals(Code.OK, backend.carryOut(CALLER, CommandId.NONE, CommandHeader.DIRECT, command)
                    .get(10, TimeUnit.SECONDS).code());
            }
            final Map<String, UUID> found = new HashMap<>();
            backend.list(CALLER, new Command.List(Kind.DEVICE, "")).join().resources().forEach((each) ->
                found.put(((DeviceInfo)each).name(), ((DeviceInfo)each).spec().incarnation()));
            return found;
        }
    }

    /** Else a manager would take it for another one after each restart, and ask a person about it. */
    @Test
    void shouldBeTheSameAtEachStartWhereTheConfigurationDeclaresTheDevice() throws Exception
    {
        final Map<String, UUID> first = life();
        assertEquals(Set.of("mem0", "mem1"), first.keySet());
        assertNotEquals(DeviceSpec.NO_INCARNATION, first.get("mem0"));
        assertNotEquals(first.get("mem0"), first.get("mem1"));
        assertEquals(first, life());
        // Of another version of the data plane, too.
        assertEquals(UUID.fromString("79b45e01-bd9b-372c-b4f6-635d4cbb159c"), first.get("mem0"));
    }

    /** What is made anew under the name of a declared one is another, until the configuration makes that again. */
    @Test
    void shouldBeAnotherWhenADeclaredDeviceIsMadeAnew() throws Exception
    {
        final Map<String, UUID> first = life();
        final Map<String, UUID> anew = life(new Command.DeleteDevice("mem0"),
            new Command.CreateDevice(DeviceSpec.memory("mem0", 1 << 20, 4096)));
        assertNotEquals(first.get("mem0"), anew.get("mem0"));
        assertNotEquals(DeviceSpec.NO_INCARNATION, anew.get("mem0"));
        assertEquals(first.get("mem1"), anew.get("mem1"));
        assertEquals(first, life());
    }

    /** Else its manager would take it for another one, and replace the volume. */
    @Test
    void shouldBeTheSameAfterACommandThatFindsTheDevice() throws Exception
    {
        final Command create = new Command.CreateDevice(DeviceSpec.memory("mem0", 1 << 20, 4096));
        assertEquals(life(), life(create, create));
    }

    /** A list may have the next of a name before the answer to the command that creates it. */
    @Test
    void shouldNotBeThatOfADeletedDevice()
    {
        final AtomicLong count = new AtomicLong();
        final Incarnations incarnations =
            new Incarnations(null, (_) -> false, () -> new UUID(1, count.incrementAndGet()));
        final DeviceSpec spec = DeviceSpec.memory("mem0", 1 << 20, 4096);
        for (int i = 1; i <= 2; i++)
        {
            final Command create = incarnations.named(new Command.CreateDevice(spec));
            assertNotEquals(new UUID(1, i - 1), listed(incarnations, spec));
            incarnations.onDone(create, Reply.OK);
            assertEquals(new UUID(1, i), listed(incarnations, spec));
            incarnations.onDone(new Command.DeleteDevice("mem0"), Reply.OK);
        }
    }

    private static UUID listed(final Incarnations incarnations, final DeviceSpec spec)
    {
        return incarnations.of(new DeviceInfo(spec, 1 << 20, 4096, 0, List.of(), DeviceState.AVAILABLE,
            DeviceHealth.ONLINE, "", "", 0)).spec().incarnation();
    }
}
