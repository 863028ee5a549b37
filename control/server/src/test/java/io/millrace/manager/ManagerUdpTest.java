package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Role;
import io.millrace.control.message.AuditInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.session.SharedSecret;
import io.millrace.manager.config.HookConfig;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.config.PlaneConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A manager that reaches its data plane over UDP, and is reached over UDP; both sides prove secrets. */
class ManagerUdpTest
{
    private static final long MIB = 1L << 20;
    private static final String SECRET = "a-secret-of-the-tests-32-bytes-x";
    private static final String OTHER = "not-the-secret-of-this-data-plane";

    @TempDir
    private Path directory;
    private Path secrets;

    @BeforeEach
    void writeSecrets() throws IOException
    {
        secrets = Files.writeString(directory.resolve("keys"),
            "operations manager " + SECRET + "\nwatch read " + OTHER + "\n");
        Files.setPosixFilePermissions(secrets, PosixFilePermissions.fromString("rw-------"));
    }

    private static SharedSecret secret(final String text)
    {
        return SharedSecret.of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Its media driver is that of the manager's own service. */
    private ManagerFixture manage(final TestPlane plane, final String key, final String secret)
    {
        return new ManagerFixture(directory, "test", HookConfig.NONE,
            plane.udpConfig("dp0", directory.resolve("aeron-manager-test"), key, secret));
    }

    private static Set<String> names(final ControlClient client)
    {
        return client.devices("").stream().map(DeviceInfo::name).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldCommandOnlyWithTheSecretAndAgainWhenTheDataPlaneIsBack() throws IOException
    {
        try (TestPlane plane = TestPlane.udp(directory, FreePorts.udp(), secrets))
        {
            for (final List<String> wrong : List.of(List.of("operations", OTHER), List.of("nobody", SECRET)))
            {
                try (ManagerFixture fixture = manage(plane, wrong.getFirst(), wrong.getLast()))
                {
                    final ControlClient client = fixture.connect();
                    final ManagedInfo info =
                        ManagerFixture.until(client, (each) -> each.text().contains("authentication failed"));
                    assertFalse(info.isConnected());
                    assertEquals(Health.UNKNOWN, info.health());
                    assertEquals(Code.FAILED, assertThrows(ControlException.class,
                        () -> client.createDevice(DeviceSpec.memory("mem0", MIB, 4096))).code());
                }
            }
            try (ManagerFixture fixture = manage(plane, "operations", SECRET))
            {
                final ControlClient client = fixture.connect();
                ManagerFixture.untilWell(client);
                client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
                plane.stop();
                ManagerFixture.until(client, (info) -> Health.DOWN == info.health());
                final String text =
                    client.execute(new Command.CreateDevice(DeviceSpec.memory("mem1", MIB, 4096))).text();
                assertTrue(text.contains("applied when data plane dp0 is connected again"), text);
                plane.start();
                ManagerFixture.untilWell(client);
                assertEquals(Set.of("mem0", "mem1"), names(client));
                // The manager too.
                fixture.stop();
                fixture.start();
                final ControlClient again = fixture.connect();
                ManagerFixture.untilWell(again);
                assertEquals(Set.of("mem0", "mem1"), names(again));
                again.deleteDevice("mem0");
                assertEquals(Set.of("mem1"), names(again));
            }
            assertEquals(List.of(), plane.errors());
        }
    }

    @Test
    void shouldTakeCommandsOverUdpFromWhoHasTheSecret() throws IOException
    {
        final int port = FreePorts.udp();
        try (TestPlane plane = TestPlane.started(directory, "a"))
        {
            final PlaneConfig config = plane.config("dp0");
            final ManagerConfig settings = new ManagerConfig("udp", directory.resolve("state-udp"), 50,
                new ControlSettings(directory.resolve("aeron-manager-udp"), "aeron:udp?endpoint=127.0.0.1:" + port,
                    4420, secrets, "udp"), null, List.of(config), HookConfig.NONE);
            try (Manager _ = Manager.start(settings, Map.of(), (line) ->
            {
            });
                ControlClient client = ControlClient.connect(context(port, "operations", SECRET)))
            {
                ManagerFixture.untilWell(client);
                client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
                try (ControlClient watcher = ControlClient.connect(context(port, "watch", OTHER)))
                {
                    assertEquals(Role.READ, watcher.session().role());
                    assertEquals(Set.of("mem0"), names(watcher));
                    assertEquals(Code.NOT_PERMITTED,
                        assertThrows(ControlException.class, () -> watcher.deleteDevice("mem0")).code());
                }
                assertEquals(Code.NOT_AUTHENTICATED, assertThrows(ControlException.class,
                    () -> ControlClient.connect(context(port, "operations", OTHER)).close()).code());
                assertEquals(List.of("test (key operations)", "test (key watch)"),
                    client.manager().audit("").stream().map(AuditInfo::client).toList());
            }
        }
    }

    private ControlClientContext context(final int port, final String key, final String secret)
    {
        return new ControlClientContext().aeronDirectoryName(directory.resolve("aeron-manager-udp").toString())
            .requestChannel("aeron:udp?endpoint=127.0.0.1:" + port).responseChannel("aeron:udp?endpoint=127.0.0.1:0")
            .keyName(key).secret(secret(secret)).role(Role.ADMIN).clientName("test")
            .callTimeoutNs(ManagerFixture.WAIT_NS).connectTimeoutNs(ManagerFixture.WAIT_NS);
    }
}
