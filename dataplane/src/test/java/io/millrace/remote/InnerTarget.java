package io.millrace.remote;

import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.HostTransports;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroups;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The project's own target in this process, which keeps its ports when it is started again, and the reactor that the
 * admin queues of remote devices live on.
 */
final class InnerTarget implements AutoCloseable
{
    static final String NQN = "nqn.2026-11.io.millrace:inner";
    static final HostConfig HOST = HostConfig.random();

    final HostPollGroups groups = HostTransports.pollGroups();
    final Reactor reactor = new Reactor(ReactorConfig.of("test-admin", -1));
    private final List<DeviceConfig> devices;
    private final List<InetSocketAddress> addresses = new ArrayList<>();
    private UUID uuid;
    private DataPlane dataPlane;
    private boolean isRunning;

    /** Starts with the last device as namespace 1, on so many listeners. */
    InnerTarget(final int listeners, final DeviceConfig... devices)
    {
        this.devices = List.of(devices);
        for (int i = 0; i < listeners; i++)
        {
            addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        }
        reactor.start();
        start();
    }

    static InnerTarget memory(final long sizeBytes, final int blockSizeBytes)
    {
        return new InnerTarget(1, DeviceConfig.memory("inner", sizeBytes, blockSizeBytes));
    }

    InnerTarget start()
    {
        final SubsystemSettings.NamespaceSettings namespace =
            new SubsystemSettings.NamespaceSettings(1, devices.getLast().name(), uuid);
        dataPlane = DataPlane.start(new DataPlaneConfig(
            List.of(ReactorConfig.of("test-inner", -1)),
            DataPlaneConfig.MEMORY_BYTES_MIN * 4,
            devices,
            List.of(new SubsystemSettings(
                NQN, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(), List.of(namespace))),
            addresses.stream().map((address) -> new ListenerSettings(TransportAddress.tcp(address))).toList(),
            DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(),
            TcpTransportConfig.defaults()));
        for (int i = 0; i < addresses.size(); i++)
        {
            addresses.set(i, dataPlane.addresses().get(i).socketAddress());
        }
        isRunning = true;
        return this;
    }

    /** Another namespace from the next start on. */
    void uuid(final UUID value)
    {
        uuid = value;
    }

    void stop()
    {
        if (isRunning)
        {
            isRunning = false;
            dataPlane.close();
        }
    }

    DataPlane dataPlane()
    {
        return dataPlane;
    }

    List<TransportAddress> addresses()
    {
        return addresses.stream().map(TransportAddress::tcp).toList();
    }

    /** Quick to notice and to reconnect. */
    RemoteDeviceConfig config()
    {
        return config(addresses());
    }

    static RemoteDeviceConfig config(final List<TransportAddress> addresses)
    {
        return RemoteDeviceConfig.of("far", addresses, NQN, 1, "", HOST)
            .withTimeouts(1_000, 2_000, 5_000).withReconnect(5, 50, 60_000);
    }

    RemoteDevice connect()
    {
        return connect(config());
    }

    RemoteDevice connect(final RemoteDeviceConfig config)
    {
        return RemoteDevice.connect(config, groups, List.of(reactor));
    }

    @Override
    public void close()
    {
        stop();
        reactor.close();
    }
}
