package io.millrace.perf.load;

import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The project's own target in this process.
 */
final class LoadTarget implements AutoCloseable
{
    static final String NQN = "nqn.2026-11.io.millrace:load-test";
    static final long SIZE_BYTES = 4L << 20;
    static final int BLOCK_BYTES = 4096;

    private final List<DeviceConfig> devices;
    private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private DataPlane dataPlane;

    /** The last device is shown as namespace 1. */
    LoadTarget(final DeviceConfig... devices)
    {
        this.devices = List.of(devices);
        start();
    }

    static DeviceConfig memory()
    {
        return DeviceConfig.memory("mem0", SIZE_BYTES, BLOCK_BYTES);
    }

    void start()
    {
        dataPlane = DataPlane.start(new DataPlaneConfig(
            List.of(ReactorConfig.of("test-target", -1)),
            DataPlaneConfig.MEMORY_BYTES_MIN * 2,
            devices,
            List.of(new SubsystemSettings(NQN, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(),
                List.of(new SubsystemSettings.NamespaceSettings(1, devices.getLast().name(), null)))),
            List.of(new ListenerSettings(TransportAddress.tcp(address))),
            DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(),
            TcpTransportConfig.defaults()));
        address = dataPlane.addresses().getFirst().socketAddress();
    }

    void stop()
    {
        dataPlane.close();
    }

    LoadConfig.Builder load()
    {
        return LoadConfig.to(address, NQN).durationMs(200).warmUpMs(50).queues(8, 1);
    }

    @Override
    public void close()
    {
        dataPlane.close();
    }
}
