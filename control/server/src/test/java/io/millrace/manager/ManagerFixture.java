package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.config.HookConfig;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.config.PlaneConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.agrona.CloseHelper;

/** A manager, and clients of it. */
final class ManagerFixture implements AutoCloseable
{
    static final String NQN = "nqn.2026-11.io.millrace:vol0";
    static final String HOST = "nqn.2026-11.io.millrace:host0";
    static final long MIB = 1L << 20;
    static final long WAIT_NS = TimeUnit.SECONDS.toNanos(30);

    private final List<ControlClient> clients = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    private final Path directory;
    private final ManagerConfig config;
    private Manager manager;

    ManagerFixture(final Path directory, final String name, final HookConfig hooks, final PlaneConfig... planes)
    {
        this.directory = directory.resolve("aeron-manager-" + name);
        config = new ManagerConfig(name, directory.resolve("state-" + name), 50,
            new ControlSettings(this.directory, ControlSettings.IPC_CHANNEL, 4420, null, name), null, List.of(planes),
            hooks);
        start();
    }

    static ManagerFixture of(final Path directory, final PlaneConfig... planes)
    {
        return new ManagerFixture(directory, "test", HookConfig.NONE, planes);
    }

    void start()
    {
        manager = Manager.start(config, Map.of(), lines::add);
    }

    void stop()
    {
        CloseHelper.close(manager);
        manager = null;
    }

    Manager manager()
    {
        return manager;
    }

    ManagerConfig config()
    {
        return config;
    }

    List<String> lines()
    {
        return List.copyOf(lines);
    }

    Path stateOf(final String dataPlane)
    {
        return config.stateDirectory().resolve("data-planes").resolve(dataPlane);
    }

    ControlClientContext context()
    {
        return new ControlClientContext().aeronDirectoryName(directory.toString()).role(Role.ADMIN)
            .clientName("test").callTimeoutNs(WAIT_NS).connectTimeoutNs(WAIT_NS);
    }

    ControlClient connect()
    {
        return connect(context());
    }

    ControlClient connect(final ControlClientContext context)
    {
        final ControlClient client = ControlClient.connect(context);
        clients.add(client);
        return client;
    }

    static ManagedInfo until(final ControlClient client, final Predicate<ManagedInfo> condition)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (true)
        {
            final ManagedInfo info = client.manager().managed("").getFirst();
            if (condition.test(info))
            {
                return info;
            }
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "waited for 30 s: " + info);
            LockSupport.parkNanos(500_000);
        }
    }

    /** Until the data plane is what it should be. */
    static ManagedInfo untilWell(final ControlClient client)
    {
        return until(client, (info) -> Health.IN_SYNC == info.health());
    }

    /** What the data plane tells, through whichever client, but for the incarnations of its devices. */
    static DesiredState actual(final ControlClient client)
    {
        final List<Resource> all = new ArrayList<>();
        all.addAll(client.devices(""));
        all.addAll(client.subsystems(""));
        all.addAll(client.namespaces(""));
        all.addAll(client.hosts(""));
        all.addAll(client.listeners());
        all.addAll(client.anaStates(""));
        all.addAll(client.qos(""));
        return DesiredState.of(all).withoutIncarnations();
    }

    /** Of the failure that the call ends with. */
    static Code codeOf(final Runnable call)
    {
        final ControlException e = assertThrows(ControlException.class, call::run);
        assertFalse(e.getMessage().isBlank());
        return e.code();
    }

    /** A volume of memory with one host and a listener. */
    static void serve(final ControlClient client, final int port)
    {
        client.createDevice(DeviceSpec.memory("mem0", 16 * MIB, 4096));
        client.createSubsystem(new SubsystemSpec(NQN, false));
        client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
        client.allowHost(NQN, HOST);
        assertEquals(port, client.addListener(new ListenerSpec(Transport.TCP, "127.0.0.1", port, false)));
    }

    static List<String> names(final List<DeviceInfo> devices)
    {
        return devices.stream().map(DeviceInfo::name).toList();
    }

    @Override
    public void close()
    {
        clients.forEach(ControlClient::close);
        stop();
    }
}
