package io.millrace.dataplane;

import io.millrace.block.DeviceHealth;
import io.millrace.block.raid.RaidMemberDetails;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A data plane whose arrays, of files, share spares. */
final class SharedSparesFixture implements AutoCloseable
{
    static final String NQN = "nqn.2026-11.io.millrace:spares";
    static final int FILE_BYTES = 4 << 20;
    private static final String FLAG = "shared-spare";

    final List<String> errors = new CopyOnWriteArrayList<>();
    final List<String> notes = new CopyOnWriteArrayList<>();
    final List<DataPlaneEvent> events = new CopyOnWriteArrayList<>();
    private final Path directory;
    private final TargetListener log = new TargetListener()
    {
        @Override
        public void onNote(final String message)
        {
            notes.add(message);
        }

        @Override
        public void onError(final String message)
        {
            errors.add(message);
        }
    };
    private DataPlane dataPlane;

    SharedSparesFixture(final Path directory)
    {
        this.directory = directory;
    }

    Path path(final String name)
    {
        return directory.resolve(name + ".img");
    }

    DeviceConfig file(final String name)
    {
        return file(name, FILE_BYTES, Map.of());
    }

    /** A shared spare. */
    DeviceConfig spare(final String name)
    {
        return spare(name, FILE_BYTES);
    }

    DeviceConfig spare(final String name, final long sizeBytes)
    {
        return file(name, sizeBytes, Map.of(FLAG, true));
    }

    private DeviceConfig file(final String name, final long sizeBytes, final Map<String, ?> more)
    {
        final Path path = path(name);
        try
        {
            if (!Files.exists(path))
            {
                Files.write(path, new byte[(int)sizeBytes]);
            }
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        final Map<String, Object> values = new HashMap<>(more);
        values.put("path", path.toString());
        values.put("preallocate", false);
        return DeviceConfig.of(name, "file", values);
    }

    /** A mirror of two. */
    static DeviceConfig mirror(final String name, final String... members)
    {
        return array(name, "1", List.of(members), List.of());
    }

    static DeviceConfig array(
        final String name, final String level, final List<String> members, final List<String> spares)
    {
        return DeviceConfig.of(name, "raid",
            Map.of("level", level, "members", members, "spares", spares, "assume-clean", true));
    }

    /** Two mirrors, {@code volA} of {@code a0} and {@code a1}, {@code volB} of {@code b0} and {@code b1}. */
    List<DeviceConfig> mirrors(final DeviceConfig... more)
    {
        final List<DeviceConfig> devices = new ArrayList<>(List.of(file("a0"), file("a1"), file("b0"), file("b1")));
        devices.addAll(List.of(more));
        devices.add(mirror("volA", "a0", "a1"));
        devices.add(mirror("volB", "b0", "b1"));
        return devices;
    }

    DataPlane start(final List<DeviceConfig> devices)
    {
        final List<DeviceConfig> all = new ArrayList<>(devices);
        all.add(DeviceConfig.memory("served", FILE_BYTES, 4096));
        dataPlane = DataPlane.start(new DataPlaneConfig(
            List.of(ReactorConfig.of("spares0", -1), ReactorConfig.of("spares1", -1)),
            DataPlaneConfig.MEMORY_BYTES_MIN * 4,
            all,
            List.of(new SubsystemSettings(NQN, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(),
                List.of(new SubsystemSettings.NamespaceSettings(1, "served", null)))),
            List.of(new ListenerSettings(
                TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))),
            DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(),
            TcpTransportConfig.defaults()), log, events::add);
        return dataPlane;
    }

    void stop()
    {
        if (null != dataPlane)
        {
            dataPlane.close();
            dataPlane = null;
        }
    }

    void fail(final String array, final String member)
    {
        Waits.get(dataPlane.arrays().fail(array, member));
    }

    DeviceSnapshot device(final String name)
    {
        return dataPlane.devices().get(name);
    }

    void awaitOnline(final String array)
    {
        Waits.until(() -> array + " online: " + device(array) + errors, () ->
        {
            final DeviceSnapshot snapshot = device(array);
            return DeviceHealth.ONLINE == snapshot.health() && null == snapshot.progress();
        });
    }

    /** Waits until a device has a slot. */
    void awaitSlot(final String array, final String device)
    {
        Waits.until(() -> device + " in " + array + ": " + dataPlane.arrays().get(array) + errors,
            () -> hasSlot(array, device));
    }

    boolean hasSlot(final String array, final String device)
    {
        return dataPlane.arrays().get(array).members().stream()
            .anyMatch((each) -> each.slot() != RaidMemberDetails.NO_SLOT && device.equals(each.name()));
    }

    boolean hasNoSpare(final String array, final String prefix)
    {
        return dataPlane.arrays().get(array).members().stream()
            .noneMatch((each) -> each.slot() != RaidMemberDetails.NO_SLOT && each.name().startsWith(prefix));
    }

    void awaitError(final String begin)
    {
        Waits.until(() -> begin + " in " + errors, () -> errors.stream().anyMatch((each) -> each.startsWith(begin)));
    }

    void share(final String device, final boolean value)
    {
        Waits.get(dataPlane.devices().modify(device, device(device).config().properties().with(FLAG, value)));
    }

    void members(final String array, final String... members)
    {
        Waits.get(dataPlane.devices().modify(
            array, device(array).config().properties().with("members", List.of(members))));
    }

    @Override
    public void close()
    {
        stop();
    }
}
