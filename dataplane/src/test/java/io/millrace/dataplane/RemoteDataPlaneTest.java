package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.DeviceHealth;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A data plane that serves a namespace of another one.
 */
class RemoteDataPlaneTest
{
    private static final String INNER = "nqn.2026-11.io.millrace:inner";
    private static final String OUTER = "nqn.2026-11.io.millrace:outer";
    private static final int SIZE_BYTES = 4 << 20;
    private static final int BLOCK = 4096;

    private static DataPlane start(final String nqn, final int port, final int reactors, final DeviceConfig... devices)
    {
        final List<ReactorConfig> reactorConfigs = new ArrayList<>();
        for (int i = 0; i < reactors; i++)
        {
            reactorConfigs.add(ReactorConfig.of(nqn.substring(nqn.indexOf(':') + 1) + i, -1));
        }
        return DataPlane.start(new DataPlaneConfig(
            reactorConfigs,
            DataPlaneConfig.MEMORY_BYTES_MIN * 4,
            List.of(devices),
            List.of(new SubsystemSettings(nqn, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(),
                List.of(new SubsystemSettings.NamespaceSettings(1, devices[devices.length - 1].name(), null)))),
            List.of(new ListenerSettings(
                TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)))),
            DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(),
            TcpTransportConfig.defaults()));
    }

    private static DeviceConfig remote(final int port)
    {
        return DeviceConfig.of("far", "remote", Map.of(
            "addresses", List.of("tcp://localhost:" + port), "subsystem", INNER, "nsid", 1,
            "reconnect-delay", 5_000_000L, "reconnect-delay-max", 50_000_000L, "keep-alive-timeout", 1_000_000_000L));
    }

    private static int port(final DataPlane dataPlane)
    {
        return dataPlane.addresses().getFirst().socketAddress().getPort();
    }

    private static ConnectionConfig outer(final DataPlane outer)
    {
        return ConnectionConfig.to(outer.addresses().getFirst().socketAddress(), OUTER).build();
    }

    @Test
    void shouldServeANamespaceOfAnotherTargetThatGrowsAndIsRestarted()
    {
        DataPlane inner = start(INNER, 0, 1, DeviceConfig.memory("near", SIZE_BYTES, BLOCK));
        final int innerPort = port(inner);
        try (DataPlane outer = start(OUTER, 0, 2, remote(innerPort)); HostFixture host = new HostFixture();
            RemoteController controller = host.connect(outer(outer)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(8L * BLOCK);
            data.set(ValueLayout.JAVA_LONG, 7 * BLOCK, 42);
            assertEquals(0, host.run(queue, (r) -> r.write(1, 8, 8, data.address(), 8 * BLOCK)));
            data.fill((byte)0);
            assertEquals(0, host.run(queue, (r) -> r.read(1, 8, 8, data.address(), 8 * BLOCK)));
            assertEquals(42, data.get(ValueLayout.JAVA_LONG, 7 * BLOCK));
            assertEquals(0, host.run(queue, (r) -> r.flush(1)));

            Waits.get(inner.devices().resize("near", 2 * SIZE_BYTES));
            Waits.until("larger namespace", () ->
                2 * SIZE_BYTES == Waits.get(controller.namespace(1)).sizeBytes());
            final long lastLba = 2 * SIZE_BYTES / BLOCK - 1;
            assertEquals(0, host.run(queue, (r) -> r.write(1, lastLba, 1, data.address(), BLOCK)));

            inner.close();
            Waits.until("status", () -> DeviceHealth.RECOVERING == outer.devices().get("far").health());
            inner = start(INNER, innerPort, 1, DeviceConfig.memory("near", 2 * SIZE_BYTES, BLOCK));
            assertEquals(0, host.run(queue, (r) -> r.write(1, 8, 8, data.address(), 8 * BLOCK)));
            assertEquals(DeviceHealth.ONLINE, outer.devices().get("far").health());
        }
        finally
        {
            inner.close();
        }
    }

    @Test
    void shouldCreateAndDeleteRemoteDevicesWhileItServes()
    {
        try (DataPlane inner = start(INNER, 0, 1, DeviceConfig.memory("near", SIZE_BYTES, BLOCK));
            DataPlane outer = start(OUTER, 0, 1, DeviceConfig.memory("own", SIZE_BYTES, BLOCK)))
        {
            final int innerPort = port(inner);
            for (int round = 0; round < 3; round++)
            {
                outer.devices().create(remote(innerPort));
                outer.namespaces().add(OUTER, new SubsystemSettings.NamespaceSettings(2, "far", null));
                Waits.get(outer.namespaces().remove(OUTER, 2));
                outer.devices().delete("far");
            }
            Waits.until("no controller is left", () -> inner.controllers().list(INNER).isEmpty());
            final OperationException refused = assertThrows(OperationException.class,
                () -> outer.devices().create(remote(1)));
            assertTrue(refused.getMessage().contains("connection refused by tcp://127.0.0.1:1"), refused.getMessage());
        }
    }
}
