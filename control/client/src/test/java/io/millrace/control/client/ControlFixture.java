package io.millrace.control.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.millrace.control.codec.Role;
import io.millrace.control.session.SharedSecret;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.CloseHelper;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * A media driver, a peer on it, and clients; peer and clients share the test's thread: a client that waits polls the
 * peer.
 */
final class ControlFixture implements AutoCloseable
{
    static final String KEY_NAME = "key0";
    static final SharedSecret SECRET =
        SharedSecret.of("a secret of the tests, 32 bytes.".getBytes(StandardCharsets.US_ASCII));
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(20);

    private final String directory = System.getProperty("java.io.tmpdir") + "/aeron-" + UUID.randomUUID();
    private final boolean isUdp;
    private final String requestChannel;
    private final List<ControlClient> clients = new ArrayList<>();
    private MediaDriver driver;
    private TestPeer peer;

    private ControlFixture(final boolean isUdp)
    {
        this.isUdp = isUdp;
        this.requestChannel = isUdp ? "aeron:udp?endpoint=127.0.0.1:" + freePort() : "aeron:ipc";
        startDriver();
        startPeer();
    }

    static ControlFixture ipc()
    {
        return new ControlFixture(false);
    }

    static ControlFixture udp()
    {
        return new ControlFixture(true);
    }

    /** Below those that the kernel gives to whoever asks for any (32768 and up unless told otherwise). */
    private static int freePort()
    {
        while (true)
        {
            final int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (DatagramSocket socket =
                new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)))
            {
                return socket.getLocalPort();
            }
            catch (final IOException _)
            {
                // Somebody has it.
                Thread.onSpinWait();
            }
        }
    }

    void startDriver()
    {
        driver = MediaDriver.launch(new MediaDriver.Context()
            .aeronDirectoryName(directory)
            .threadingMode(ThreadingMode.SHARED)
            .sharedIdleStrategy(new BackoffIdleStrategy(10, 10, 1_000, 100_000))
            .publicationTermBufferLength(64 * 1024)
            .ipcTermBufferLength(64 * 1024)
            .termBufferSparseFile(true)
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true)
            .warnIfDirectoryExists(false)
            .errorHandler(ControlFixture::ignore));
    }

    /** The peer sees publications of clients that go without a word; the driver would print that. */
    private static void ignore(final Throwable error)
    {
    }

    void startPeer()
    {
        peer = new TestPeer(directory, requestChannel, isUdp ? SECRET : null);
    }

    void stopPeer()
    {
        peer.close();
        peer = null;
    }

    void stopDriver()
    {
        driver.close();
    }

    TestPeer peer()
    {
        return peer;
    }

    String directory()
    {
        return directory;
    }

    ControlClientContext context()
    {
        final ControlClientContext context = new ControlClientContext()
            .aeronDirectoryName(directory)
            .requestChannel(requestChannel)
            .role(Role.ADMIN)
            .clientName("test")
            .callTimeoutNs(TimeUnit.SECONDS.toNanos(15))
            .connectTimeoutNs(TimeUnit.SECONDS.toNanos(15))
            .idleStrategy(new PeerPolling());
        return isUdp ?
            context.responseChannel("aeron:udp?endpoint=127.0.0.1:0").secret(SECRET).keyName(KEY_NAME) : context;
    }

    ControlClient connect()
    {
        return connect(context());
    }

    ControlClient connect(final ControlClientContext context)
    {
        return add(ControlClient.connect(context));
    }

    ControlClient add(final ControlClient client)
    {
        clients.add(client);
        return client;
    }

    void until(final ControlClient client, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "waited for 20 s");
            final int work = client.poll() + pollPeer();
            if (0 == work)
            {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    int pollPeer()
    {
        return null == peer ? 0 : peer.poll();
    }

    @Override
    public void close()
    {
        clients.forEach(ControlClient::close);
        CloseHelper.closeAll(peer, driver);
    }

    private final class PeerPolling implements IdleStrategy
    {
        @Override
        public void idle(final int workCount)
        {
            if (0 == pollPeer() + workCount)
            {
                LockSupport.parkNanos(20_000);
            }
        }

        @Override
        public void idle()
        {
            idle(0);
        }

        @Override
        public void reset()
        {
        }
    }
}
