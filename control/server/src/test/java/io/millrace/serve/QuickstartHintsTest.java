package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuickstartHintsTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:other";

    @Test
    void shouldNameWhatIsServedNow()
    {
        final Path volume = Path.of("/v.img");
        try (DataPlane dataPlane = DataPlane.start(new DataPlaneConfig(List.of(ReactorConfig.of("reactor-0", -1)),
            16 << 20, List.of(DeviceConfig.memory(QuickstartState.VOLUME, 1 << 20, 512)),
            List.of(new SubsystemSettings(NQN, null, "Model", true, List.of(),
                List.of(new SubsystemSettings.NamespaceSettings(1, QuickstartState.VOLUME, null)))),
            List.of(new ListenerSettings(TransportAddress.tcp("127.0.0.1", 0))), DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(), TcpTransportConfig.defaults())))
        {
            final String address = " -t tcp -a 127.0.0.1 -s " + dataPlane.addresses().getFirst().serviceId();
            assertEquals(List.of("", "to use it from this machine, as root:", "  modprobe nvme-tcp",
                "  nvme connect" + address + " -n " + NQN, "  nvme disconnect -n " + NQN, ""),
                QuickstartHints.connect(dataPlane));
            assertEquals("/v.img", QuickstartHints.served(dataPlane, volume));
            dataPlane.subsystems().delete(NQN).join();
            assertEquals(List.of("", "no subsystem is left for hosts to connect to: make one with 'millrace " +
                "subsystem create', or begin anew with --fresh, which deletes the volume", ""),
                QuickstartHints.connect(dataPlane));
            assertEquals("no namespace", QuickstartHints.served(dataPlane, volume));
        }
    }
}
