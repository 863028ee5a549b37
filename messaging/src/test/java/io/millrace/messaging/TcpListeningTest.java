package io.millrace.messaging;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.Native;
import io.millrace.bindings.NativeMemory;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What peers that prove nothing cost the side that listens. */
class TcpListeningTest
{
    private static final long RLIMIT_NOFILE = 7;
    private static final FunctionDescriptor RLIMIT_CALL = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle GETRLIMIT = Native.linkErrno("getrlimit", RLIMIT_CALL);
    private static final MethodHandle SETRLIMIT = Native.linkErrno("setrlimit", RLIMIT_CALL);

    private static MessagingContext settings(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEnabled(false));
    }

    private static byte[] hello(final Arena arena)
    {
        final long at = arena.allocate(Hello.SIZE_BYTES, Long.BYTES).address();
        Hello.write(at, 0, 4096, 1024, 1 << 20, 0);
        final byte[] bytes = new byte[Hello.SIZE_BYTES];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = NativeMemory.getByte(at + i);
        }
        return bytes;
    }

    private static Socket connect(final InetSocketAddress address) throws IOException
    {
        final Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static void closeAll(final List<? extends Closeable> all) throws IOException
    {
        for (final Closeable each : all)
        {
            each.close();
        }
    }

    private static long residentKib() throws IOException
    {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter((line) -> line.startsWith("RssAnon:"))
            .mapToLong((line) -> Long.parseLong(line.replaceAll("[^0-9]", ""))).findFirst().orElseThrow();
    }

    @Test
    void shouldHaveLittleMemoryForPeersThatHaveNotProvedThemselves() throws IOException
    {
        final int count = 64;
        final List<Socket> sockets = new ArrayList<>();
        try (MessagingFixture fixture = new MessagingFixture(TcpListeningTest::settings);
            Arena arena = Arena.ofConfined())
        {
            final byte[] hello = hello(arena);
            long before = 0;
            for (int i = 0; i <= count; i++)
            {
                final Socket socket = connect(fixture.listening.address());
                sockets.add(socket);
                socket.getOutputStream().write(hello);
                assertEquals(Hello.SIZE_BYTES, socket.getInputStream().readNBytes(Hello.SIZE_BYTES).length);
                if (0 == i)
                {
                    // What is loaded on first use is there.
                    before = residentKib();
                }
            }
            final long each = (residentKib() - before) / count;
            assertTrue(each < 1024, () -> each + " KiB for each peer that said hello only");
        }
        finally
        {
            closeAll(sockets);
        }
    }

    /** They would have the listener to themselves for as long as a hello may take, and again. */
    @Test
    void shouldTakeAPeerWhileManyOthersSayNothing() throws IOException
    {
        final List<Socket> silent = new ArrayList<>();
        try (MessagingFixture fixture = new MessagingFixture((context) -> context
            .rdma(context.rdma().withEnabled(false)).connectTimeoutNs(TimeUnit.SECONDS.toNanos(60))))
        {
            final InetSocketAddress address = fixture.listening.address();
            for (int i = 0; i < 300; i++)
            {
                silent.add(new Socket(address.getAddress(), address.getPort()));
            }
            fixture.connect();
            BadPeerTest.checkOthersWork(fixture, 1, 100_000);
        }
        finally
        {
            for (final Socket each : silent)
            {
                each.close();
            }
        }
    }

    private static Socket sayHello(final MessagingFixture fixture, final String from, final Arena arena)
        throws IOException
    {
        final Socket socket = new Socket();
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(fixture.listening.address());
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(hello(arena));
        return socket;
    }

    private static Socket awaitHello(final Socket socket) throws IOException
    {
        assertEquals(Hello.SIZE_BYTES, socket.getInputStream().readNBytes(Hello.SIZE_BYTES).length);
        return socket;
    }

    private static MessagingFixture fixture(final int connectionsMax)
    {
        return new MessagingFixture((context) -> settings(context).connectionsMax(connectionsMax)
            .connectTimeoutNs(TimeUnit.SECONDS.toNanos(60)));
    }

    /** Each would have its place for as long as a proof may take, and then again. */
    @Test
    void shouldTakeAPeerWhileAllConnectionsThatThereMayBeHaveProvedNothing() throws IOException
    {
        final List<Socket> silent = new ArrayList<>();
        try (MessagingFixture fixture = fixture(2); Arena arena = Arena.ofConfined())
        {
            for (int i = 0; i < 2; i++)
            {
                silent.add(awaitHello(sayHello(fixture, "127.0.0.1", arena)));
            }
            fixture.connect();
            final String reason = Recorder.next(fixture.rejected, "onRejected");
            assertTrue(reason.contains("connectionsMax"), reason);
            assertEquals(-1, silent.getFirst().getInputStream().read(), "the oldest is ended");
            // Each is ended for the next one; who has proved itself stays.
            for (int i = 1; i < 5; i++)
            {
                silent.add(awaitHello(sayHello(fixture, "127.0.0.1", arena)));
                assertEquals(-1, silent.get(i).getInputStream().read());
            }
            BadPeerTest.checkOthersWork(fixture, 1, 100_000);
            assertEquals(5, fixture.serving.count(MessagingCounter.PEERS_REJECTED));
            assertEquals(0, fixture.serving.count(MessagingCounter.CONNECTIONS_LOST));
        }
        finally
        {
            closeAll(silent);
        }
    }

    @Test
    void shouldEndAPeerOfTheAddressThatHasMostForAnother() throws IOException
    {
        final List<Socket> sockets = new ArrayList<>();
        try (MessagingFixture fixture = fixture(2); Arena arena = Arena.ofConfined())
        {
            final Socket slow = awaitHello(sayHello(fixture, "127.0.0.1", arena));
            sockets.add(slow);
            for (int i = 0; i < 6; i++)
            {
                sockets.add(awaitHello(sayHello(fixture, "127.0.0.2", arena)));
            }
            for (final Socket ended : sockets.subList(1, 6))
            {
                assertEquals(-1, ended.getInputStream().read());
            }
            slow.setSoTimeout(100);
            assertThrows(SocketTimeoutException.class, () -> slow.getInputStream().read());
        }
        finally
        {
            closeAll(sockets);
        }
    }

    /** Those that are ended have not given back what they have before the next turn of the reactor. */
    @Test
    void shouldHaveAtMostAsManyThatEndAsConnectionsThatThereMayBe() throws IOException
    {
        final int connections = 2;
        final int count = 3 * connections;
        final List<Socket> sockets = new ArrayList<>();
        final CountDownLatch goesOn = new CountDownLatch(1);
        try (MessagingFixture fixture = fixture(connections); Arena arena = Arena.ofConfined())
        {
            for (int i = 0; i < count; i++)
            {
                sockets.add(connect(fixture.listening.address()));
            }
            // They are accepted.
            fixture.serving.call(() -> null);
            fixture.serving.call(() -> null);
            fixture.serving.execute(() -> await(goesOn));
            for (final Socket each : sockets)
            {
                each.getOutputStream().write(hello(arena));
            }
            goesOn.countDown();
            for (int i = 0; i < count - connections; i++)
            {
                Recorder.next(fixture.rejected, "onRejected");
            }
            int refused = 0;
            int open = 0;
            for (final Socket each : sockets)
            {
                each.setSoTimeout(100);
                final int bytes = bytesUntilEnd(each);
                refused += Hello.SIZE_BYTES + FrameHeader.SIZE_BYTES == bytes ? 1 : 0;
                open += bytes < 0 ? 1 : 0;
            }
            assertEquals(connections, open);
            assertEquals(count - 2 * connections, refused);
        }
        finally
        {
            goesOn.countDown();
            closeAll(sockets);
        }
    }

    /** {@return how many bytes come before the end; -1 when it does not end} */
    private static int bytesUntilEnd(final Socket socket) throws IOException
    {
        try
        {
            return socket.getInputStream().readAllBytes().length;
        }
        catch (final SocketTimeoutException e)
        {
            return -1;
        }
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        }
        catch (final InterruptedException e)
        {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldRefuseAPeerBeyondConnectionsMaxAtItsHello() throws IOException
    {
        final int connections = 2;
        final List<Socket> sockets = new ArrayList<>();
        try (MessagingFixture fixture = fixture(connections); Arena arena = Arena.ofConfined())
        {
            for (int i = 0; i < connections; i++)
            {
                sockets.add(BadPeerTest.proved(arena, fixture.listening.address()));
            }
            for (int i = 0; i < connections; i++)
            {
                final Socket socket = awaitHello(sayHello(fixture, "127.0.0.1", arena));
                sockets.add(socket);
                final byte[] rest = socket.getInputStream().readAllBytes();
                assertEquals(FrameHeader.SIZE_BYTES, rest.length);
                assertEquals(FrameHeader.GOODBYE, rest[4]);
                assertTrue(Recorder.next(fixture.rejected, "onRejected").contains("connectionsMax"));
            }
            try (Socket other = connect(fixture.listening.address()))
            {
                other.getOutputStream().write(new byte[Hello.SIZE_BYTES]);
                other.getInputStream().readAllBytes();
            }
            final String next = Recorder.next(fixture.rejected, "onRejected");
            assertTrue(next.contains("does not speak this protocol"), next);
            assertEquals(connections + 1, fixture.serving.count(MessagingCounter.PEERS_REJECTED));
            fixture.endpoint = fixture.connecting.connect(fixture.listening.address(), fixture.client);
            assertEquals(EndpointStatus.REJECTED, fixture.client.awaitDisconnected().status());
        }
        finally
        {
            closeAll(sockets);
        }
    }

    @Test
    void shouldGoOnWhenItIsClosedInOnRejected() throws Exception
    {
        final CompletableFuture<ListeningAddress> own = new CompletableFuture<>();
        final BlockingQueue<String> rejected = new LinkedBlockingQueue<>();
        final List<Socket> sockets = new ArrayList<>();
        try (Messaging messaging = Messaging.launch(settings(MessagingFixture.context("closing"))
            .connectTimeoutNs(TimeUnit.MILLISECONDS.toNanos(500)).listener(new MessagingListener()
            {
                @Override
                public void onRejected(final InetSocketAddress peer, final String reason)
                {
                    own.join().close();
                    rejected.add(reason);
                }
            })))
        {
            own.complete(messaging.listen(MessagingFixture.anyPort(), (_) -> null));
            final int count = 4;
            for (int i = 0; i < count; i++)
            {
                sockets.add(connect(own.join().address()));
            }
            for (int i = 0; i < count; i++)
            {
                Recorder.next(rejected, "onRejected");
            }
            for (final Socket socket : sockets)
            {
                assertEquals(-1, socket.getInputStream().read());
            }
            final ListeningAddress next = messaging.listen(MessagingFixture.anyPort(), (_) -> null);
            next.close();
        }
        finally
        {
            closeAll(sockets);
        }
    }

    @Test
    void shouldReportOnceThatThereIsNoDescriptor() throws IOException
    {
        final List<Closeable> fillers = new ArrayList<>();
        try (MessagingFixture fixture = new MessagingFixture(TcpListeningTest::settings).connect();
            Arena arena = Arena.ofConfined())
        {
            // What is loaded on first use is loaded now, while there are descriptors.
            final String shortage = Errno.describe(Errno.EMFILE);
            connect(fixture.listening.address()).close();
            Recorder.next(fixture.rejected, "onRejected");
            exchange(fixture, 1);
            new FileInputStream("/dev/null").close();
            final long limits = arena.allocate(2L * Long.BYTES, Long.BYTES).address();
            call(GETRLIMIT, limits);
            final long soft = NativeMemory.getLong(limits);
            final Socket socket;
            try
            {
                NativeMemory.putLong(limits, highestDescriptor() + 2L);
                call(SETRLIMIT, limits);
                takeEveryDescriptor(fillers);
                // One descriptor is left, which this socket takes.
                fillers.removeLast().close();
                socket = connect(fixture.listening.address());
                final String reason = Recorder.next(fixture.rejected, "onRejected");
                assertTrue(reason.contains(shortage), reason);
                for (int i = 0; i < 200; i++)
                {
                    exchange(fixture, 2 + i);
                }
                assertTrue(fixture.rejected.isEmpty(), () -> "reported " + fixture.rejected.size() + " times more");
            }
            finally
            {
                NativeMemory.putLong(limits, soft);
                call(SETRLIMIT, limits);
                closeAll(fillers);
            }
            socket.getOutputStream().write(hello(arena));
            assertEquals(Hello.SIZE_BYTES, socket.getInputStream().readNBytes(Hello.SIZE_BYTES).length);
            socket.close();
        }
    }

    private static void exchange(final MessagingFixture fixture, final long id)
    {
        assertEquals(SubmitResult.ACCEPTED, fixture.send(id, new byte[8]));
        fixture.client.awaitSuccess(id);
    }

    private static void call(final MethodHandle function, final long limits)
    {
        try
        {
            assertEquals(0, (int)(long)function.invokeExact(Native.capture(), RLIMIT_NOFILE, limits));
        }
        catch (final RuntimeException | Error e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw new AssertionError(t);
        }
    }

    private static void takeEveryDescriptor(final List<Closeable> fillers)
    {
        try
        {
            while (true)
            {
                fillers.add(new FileInputStream("/dev/null"));
            }
        }
        catch (final IOException e)
        {
            assertTrue(e.getMessage().contains("Too many open files"), e.getMessage());
        }
    }

    private static int highestDescriptor()
    {
        int highest = 0;
        for (final String name : Objects.requireNonNull(new File("/proc/self/fd").list()))
        {
            highest = Math.max(highest, Integer.parseInt(name));
        }
        return highest;
    }

    /** Users may keep endpoints, which say who was connected and how; what a connection had is free then. */
    @Test
    void shouldFreeWhatAConnectionHadThoughItsEndpointIsKept() throws InterruptedException
    {
        try (MessagingFixture fixture = new MessagingFixture(TcpListeningTest::settings).connect())
        {
            final Endpoint kept = fixture.serverEndpoint();
            final WeakReference<Object> link = new WeakReference<>(fixture.serving.call(() -> kept.accepted().tcp()));
            fixture.connecting.call(() ->
            {
                fixture.endpoint.close();
                return null;
            });
            fixture.server.awaitClosed();
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(Recorder.LIMIT_S);
            while (null != link.get() && System.nanoTime() - deadlineNs < 0)
            {
                System.gc();
                Thread.sleep(10);
            }
            assertNull(link.get());
            assertEquals(EndpointState.CLOSED, kept.state());
        }
    }
}
