package io.millrace.spdk;

import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.SpdkSettings;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A data plane whose last device SPDK's NVMe/TCP target serves as namespace 1.
 */
public final class SpdkFrontEnd implements AutoCloseable
{
    private final String nqn = SpdkTesting.name("nqn.2026-11.io.millrace:spdk");
    private final int port = freePort();
    private final DataPlane dataPlane;

    /**
     * Starts it.
     *
     * @param directory for the configuration of the front end.
     * @param devices   of names that no other bdev has.
     */
    public SpdkFrontEnd(final Path directory, final DeviceConfig... devices)
    {
        // As listeners of provider spdk make it, in the same process.
        SpdkTesting.runtime().nvmf().addTransport("TCP");
        final String device = devices[devices.length - 1].name();
        final Path json = directory.resolve("front-ends.json");
        try
        {
            Files.writeString(json, """
                {"subsystems": [{"subsystem": "nvmf", "config": [
                {"method": "nvmf_create_subsystem", "params": {"nqn": "%1$s", "allow_any_host": true}},
                {"method": "nvmf_subsystem_add_ns", "params": {"nqn": "%1$s", "namespace":
                {"nsid": 1, "bdev_name": "%2$s"}}},
                {"method": "nvmf_subsystem_add_listener", "params": {"nqn": "%1$s", "listen_address":
                {"trtype": "TCP", "adrfam": "IPv4", "traddr": "127.0.0.1", "trsvcid": "%3$d"}}}
                ]}]}
                """.formatted(nqn, device, port));
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        dataPlane = DataPlane.start(config(List.of(devices), List.of(device), json));
    }

    /**
     * {@return a data plane whose devices SPDK serves}
     *
     * @param devices   of the data plane.
     * @param exports   names of those that SPDK has.
     * @param frontEnds file with SPDK's configuration.
     */
    public static DataPlaneConfig config(
        final List<DeviceConfig> devices, final List<String> exports, final Path frontEnds)
    {
        final DataPlaneConfig empty =
            DataPlaneConfig.managed(List.of(ReactorConfig.of("served", -1)), DataPlaneConfig.MEMORY_BYTES_MIN * 4);
        return new DataPlaneConfig(empty.reactors(), empty.memoryBytes(), devices, List.of(), List.of(),
            empty.discoveryPort(), empty.limits(), empty.transports(), true, empty.status(),
            new SpdkSettings(SpdkTesting.config(), true, exports, frontEnds));
    }

    /**
     * {@return a port of 127.0.0.1 that nobody has}
     */
    public static int freePort()
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return socket.getLocalPort();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * {@return NQN of the subsystem}
     */
    public String nqn()
    {
        return nqn;
    }

    /**
     * {@return port of the listener, on 127.0.0.1}
     */
    public int port()
    {
        return port;
    }

    /**
     * {@return the data plane}
     */
    public DataPlane dataPlane()
    {
        return dataPlane;
    }

    @Override
    public void close()
    {
        dataPlane.close();
        SpdkTesting.rpc("nvmf_delete_subsystem", "{'nqn':'" + nqn + "'}");
    }
}
