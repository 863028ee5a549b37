package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.block.file.FileBounds;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ControlException;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.session.SharedSecret;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.CloseHelper;

/** A data plane with nothing in it, its agent, and clients. */
public final class AgentFixture implements AutoCloseable, ControlOwner
{
    public static final String SECRET = "a-secret-of-the-tests-32-bytes-x";
    private static final String READER_SECRET = "another-secret-of-the-tests-32-b";
    private static final String MANAGER_SECRET = "one-more-secret-of-the-tests-32b";
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);

    private final List<ControlClient> clients = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final ControlSettings settings;
    private final DataPlane dataPlane;
    private final ControlAgent agent;

    private AgentFixture(final ControlSettings settings)
    {
        this(settings, new ControlEvents());
    }

    private AgentFixture(final ControlSettings settings, final ControlEvents events)
    {
        this(settings, events, DataPlane.start(DataPlaneConfig.managed(List.of(
            ReactorConfig.of("test-0", -1), ReactorConfig.of("test-1", -1)), 32 << 20), TargetListener.NONE, events));
    }

    private AgentFixture(final ControlSettings settings, final ControlEvents events, final DataPlane dataPlane)
    {
        this.settings = settings;
        this.dataPlane = dataPlane;
        try
        {
            agent = ControlAgent.start(settings, dataPlane, events, this, PersistedState.NOWHERE,
                FileBounds.below("control.device-directories", List.of(settings.directory().getParent()), List.of()));
        }
        catch (final RuntimeException e)
        {
            dataPlane.close();
            throw e;
        }
    }

    /** Of a data plane that was started with its listener; closed with the fixture. */
    static AgentFixture over(final ControlSettings settings, final DataPlane dataPlane, final ControlEvents events)
    {
        return new AgentFixture(settings, events, dataPlane);
    }

    public static AgentFixture ipc(final Path directory)
    {
        return new AgentFixture(new ControlSettings(
            directory.resolve("aeron"), ControlSettings.IPC_CHANNEL, 4420, null, "test"));
    }

    public static AgentFixture spinning(final Path directory)
    {
        return new AgentFixture(new ControlSettings(directory.resolve("aeron"), ControlSettings.IPC_CHANNEL, 4420, null,
            "test", ControlSettings.Idle.BUSY_SPIN, ControlSettings.Encryption.REQUIRED, null));
    }

    public static AgentFixture udp(final Path directory) throws IOException
    {
        return udp(directory, ControlSettings.Encryption.REQUIRED);
    }

    static AgentFixture udp(final Path directory, final ControlSettings.Encryption encryption) throws IOException
    {
        final Path secrets = Files.writeString(directory.resolve("keys"), """
            # name, role, secret
            admin admin %s

            reader read %s
            mgr manager %s
            """.formatted(SECRET, READER_SECRET, MANAGER_SECRET));
        Files.setPosixFilePermissions(secrets, PosixFilePermissions.fromString("rw-------"));
        final int port = FreePorts.udp();
        return new AgentFixture(new ControlSettings(
            directory.resolve("aeron"), "aeron:udp?endpoint=127.0.0.1:" + port, 4420, secrets, "test",
            ControlSettings.Idle.BACK_OFF, encryption, null));
    }

    public DataPlane dataPlane()
    {
        return dataPlane;
    }

    public ControlAgent agent()
    {
        return agent;
    }

    public ControlSettings settings()
    {
        return settings;
    }

    public CountDownLatch stopped()
    {
        return stopped;
    }

    List<String> errors()
    {
        return List.copyOf(errors);
    }

    public ControlClientContext context()
    {
        return new ControlClientContext()
            .aeronDirectoryName(settings.directory().toString())
            .role(Role.ADMIN)
            .clientName("test")
            .callTimeoutNs(WAIT_NS)
            .connectTimeoutNs(TimeUnit.SECONDS.toNanos(10));
    }

    ControlClientContext udpContext()
    {
        return context().requestChannel(settings.channel()).responseChannel("aeron:udp?endpoint=127.0.0.1:0")
            .secret(secret(SECRET)).keyName("admin");
    }

    ControlClientContext readerContext()
    {
        return udpContext().secret(secret(READER_SECRET)).keyName("reader");
    }

    ControlClientContext managerContext()
    {
        return udpContext().secret(secret(MANAGER_SECRET)).keyName("mgr");
    }

    static SharedSecret secret(final String text)
    {
        return SharedSecret.of(text.getBytes(StandardCharsets.UTF_8));
    }

    public ControlClient connect(final ControlClientContext context)
    {
        final ControlClient client = ControlClient.connect(context);
        clients.add(client);
        return client;
    }

    /** Of the failure that the call ends with. */
    static Code codeOf(final Runnable call)
    {
        final ControlException e = assertThrows(ControlException.class, call::run);
        assertFalse(e.getMessage().isBlank());
        return e.code();
    }

    static void until(final ControlClient client, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "waited for 60 s");
            if (0 == client.poll())
            {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    @Override
    public String version()
    {
        return "9.9";
    }

    @Override
    public void onStop()
    {
        stopped.countDown();
    }

    @Override
    public void onNote(final String message)
    {
    }

    @Override
    public void onError(final String message)
    {
        errors.add(message);
    }

    @Override
    public void close()
    {
        clients.forEach(ControlClient::close);
        CloseHelper.closeAll(agent, dataPlane);
    }
}
