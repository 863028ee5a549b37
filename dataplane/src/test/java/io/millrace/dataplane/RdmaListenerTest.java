package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.reactor.ReactorConfig;
import io.millrace.status.StatusSettings;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is answered when an address cannot be listened at over RDMA: reason and remedy, as over TCP. */
class RdmaListenerTest
{
    private static final int CLOSE_WAIT_MS = 30_000;

    private final RdmaModel model = new RdmaModel();
    private DataPlane first;

    @AfterEach
    void close()
    {
        first.close();
        assertEquals(List.of(), model.network().violations());
        model.close();
    }

    private static TransportAddress address(final String host, final int port)
    {
        return TransportAddress.of(TransportAddress.Type.RDMA, new InetSocketAddress(host, port));
    }

    private static DataPlane start(final RdmaCore core, final int discoveryPort)
    {
        return DataPlane.start(new DataPlaneConfig(List.of(ReactorConfig.of("rdma", -1)),
            DataPlaneConfig.MEMORY_BYTES_MIN * 4, List.of(DeviceConfig.memory("mem0", 1 << 20, 4096)),
            List.of(new SubsystemSettings("nqn.2026-11.io.millrace:listeners", null, SubsystemSettings.MODEL_DEFAULT,
                true, List.of(), List.of(new SubsystemSettings.NamespaceSettings(1, "mem0", null)))),
            List.of(new ListenerSettings(address("10.0.0.2", 0))), discoveryPort, TargetConfig.defaults(),
            List.of(RdmaTransportConfig.defaults()), false, StatusSettings.NONE),
            TargetListener.NONE, DataPlaneListener.NONE, CLOSE_WAIT_MS, core);
    }

    @Test
    void shouldSayThatAnAddressIsInUseOrOfNoDevice()
    {
        first = start(model.targetCore(), DataPlaneConfig.NO_DISCOVERY_PORT);
        final int port = first.addresses().getFirst().port();
        try (DataPlane second = start(model.targetCore(), DataPlaneConfig.NO_DISCOVERY_PORT))
        {
            final OperationException taken = assertThrows(OperationException.class,
                () -> second.listeners().add(address("10.0.0.2", port), false));
            assertEquals(OperationException.Reason.IN_USE, taken.reason());
            assertEquals("listener rdma://10.0.0.2:" + port +
                ": already in use; stop what listens there or take another port", taken.getMessage());
            final OperationException unknown = assertThrows(OperationException.class,
                () -> second.listeners().add(address("192.0.2.1", 0), false));
            assertEquals("listener rdma://192.0.2.1:0: no RDMA device has that address; use one of a network " +
                "interface that 'millrace rdma devices' lists, or 0.0.0.0", unknown.getMessage());
        }
    }

    @Test
    void shouldSayWhatToDoWhenTheDiscoveryPortIsInUse()
    {
        first = start(model.targetCore(), DataPlaneConfig.NO_DISCOVERY_PORT);
        final int port = first.addresses().getFirst().port();
        final SettingException taken =
            assertThrows(SettingException.class, () -> start(model.targetCore(), port));
        assertTrue(taken.getMessage().contains("already in use") &&
            taken.getMessage().contains("set discovery: false"), taken.getMessage());
    }
}
