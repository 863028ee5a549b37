package io.millrace.nvmf.initiator;

import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The project's own target in this process, on a port of 127.0.0.1 that it keeps when it is started again.
 */
final class LocalTarget implements AutoCloseable
{
    static final String NQN = "nqn.2026-11.io.millrace:initiator-test";
    static final long SIZE_BYTES = 16L << 20;
    static final int BLOCK_BYTES = 4096;

    private final List<DeviceConfig> devices;
    private DataPlane dataPlane;
    private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final TargetListener listener;

    private LocalTarget(final List<DeviceConfig> devices, final TargetListener listener)
    {
        this.devices = devices;
        this.listener = listener;
        start();
    }

    static LocalTarget memory()
    {
        return memory(TargetListener.NONE);
    }

    static LocalTarget memory(final TargetListener listener)
    {
        return new LocalTarget(List.of(DeviceConfig.memory("mem0", SIZE_BYTES, BLOCK_BYTES)), listener);
    }

    static LocalTarget of(final DeviceConfig... devices)
    {
        return new LocalTarget(List.of(devices), TargetListener.NONE);
    }

    /** Starts with empty devices, the last one as namespace 1, the others not shown unless nothing wraps them. */
    void start()
    {
        final DeviceConfig shown = devices.getLast();
        final List<SubsystemSettings.NamespaceSettings> namespaces = new ArrayList<>();
        namespaces.add(new SubsystemSettings.NamespaceSettings(1, shown.name(), null));
        dataPlane = DataPlane.start(new DataPlaneConfig(
            List.of(ReactorConfig.of("test-target", -1)),
            DataPlaneConfig.MEMORY_BYTES_MIN * 4,
            devices,
            List.of(new SubsystemSettings(NQN, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(), namespaces)),
            List.of(new ListenerSettings(TransportAddress.tcp(address))),
            DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(),
            TcpTransportConfig.defaults()), listener);
        address = dataPlane.addresses().getFirst().socketAddress();
    }

    void stop()
    {
        dataPlane.close();
    }

    DataPlane dataPlane()
    {
        return dataPlane;
    }

    InetSocketAddress address()
    {
        return address;
    }

    ConnectionConfig.Builder config()
    {
        return ConnectionConfig.to(address, NQN);
    }

    @Override
    public void close()
    {
        dataPlane.close();
    }
}
