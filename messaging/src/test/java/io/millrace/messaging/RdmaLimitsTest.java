package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.messaging.transport.TransportReason;
import io.millrace.messaging.wire.Hello;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaNode;
import io.millrace.rdma.endpoint.RecordingPeer;
import io.millrace.rdma.model.InterceptedCore;
import io.millrace.rdma.model.RdmaModel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a connection over RDMA takes of the device, on the model of rdma-core. */
class RdmaLimitsTest
{
    private final RdmaModel model = new RdmaModel();
    private final UnaryOperator<InetSocketAddress> addresses =
        (address) -> new InetSocketAddress(model.targetDevice().address(), address.getPort());

    private MessagingContext settings(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEventChannel(true)).model(
            "server".equals(context.name()) ? model.targetCore() : model.hostCore(), addresses);
    }

    @AfterEach
    void checkModel()
    {
        assertEquals(List.of(), model.network().violations());
        assertEquals(0, model.hostCore().resources() + model.targetCore().resources());
        model.close();
    }

    private static RemoteRegion export(
        final MessagingFixture fixture, final Endpoint server, final MessageMemory memory, final ExportAccess access)
    {
        return new RemoteRegion(new UnsafeBuffer(fixture.serving.call(() ->
            server.export(memory, 0, memory.lengthBytes(), access).descriptor())), 0);
    }

    @Test
    void shouldGiveBackTheRegistrationsOfClosedMemory()
    {
        final int size = 4096;
        try (MessagingFixture fixture = new MessagingFixture(this::settings).connect())
        {
            final RemoteRegion remote =
                export(fixture, fixture.serverEndpoint(), fixture.memory(size), ExportAccess.READ);
            int afterFirst = 0;
            for (int i = 0; i < 20; i++)
            {
                final int id = i;
                final MessageMemory local = new MessageMemory(size);
                fixture.connecting.call(() -> fixture.endpoint.read(id, remote, 0, local, 0, size));
                fixture.client.awaitSuccess(id);
                afterFirst = 0 == i ? model.hostCore().resources() : afterFirst;
                assertEquals(afterFirst, model.hostCore().resources());
                // On the reactor's thread, which looks at it next.
                fixture.connecting.call(() ->
                {
                    local.close();
                    return null;
                });
            }
        }
    }

    @Test
    void shouldSendAMessageBeforeTheEndOfALargeWrite()
    {
        final int size = 64 << 20;
        final BlockingQueue<Byte> lastBytes = new LinkedBlockingQueue<>();
        final MessageMemory[] exported = new MessageMemory[1];
        final Recorder server =
            new Recorder((_, _) -> lastBytes.add(exported[0].buffer().getByteVolatile(size - 1)));
        try (MessagingFixture fixture = new MessagingFixture(this::settings, this::settings, server).connect())
        {
            exported[0] = fixture.memory(size);
            final MessageMemory local = fixture.memory(size);
            local.buffer().putByte(size - 1, (byte)1);
            final RemoteRegion remote =
                export(fixture, fixture.serverEndpoint(), exported[0], ExportAccess.WRITE);
            model.network().holdAcknowledgements(true);
            fixture.connecting.call(() -> fixture.endpoint.write(1, remote, 0, local, 0, size));
            // Another turn of the reactor has posted the first pieces.
            fixture.connecting.call(() -> fixture.endpoint.send(2, new UnsafeBuffer(new byte[1]), 0, 1));
            assertEquals((byte)0, Recorder.next(lastBytes, "onMessage"), "the write was ahead of the message");
            model.network().holdAcknowledgements(false);
            fixture.client.awaitCompletion();
            fixture.client.awaitCompletion();
            assertEquals((byte)1, exported[0].buffer().getByteVolatile(size - 1));
        }
    }

    /** Makes a read that is refused, and exports memory when it is told. */
    private static final class LateExport implements EndpointHandler
    {
        private final BlockingQueue<Object> exports = new LinkedBlockingQueue<>();
        private final MessageMemory local;

        LateExport(final MessageMemory local)
        {
            this.local = local;
        }

        @Override
        public void onMessage(final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
        {
            endpoint.read(1, new RemoteRegion(buffer, offset), 1, local, 0, local.lengthBytes());
        }

        @Override
        public void onCompletion(final Endpoint endpoint, final long id, final EndpointStatus status)
        {
            try
            {
                exports.add(endpoint.export(local, 0, local.lengthBytes(), ExportAccess.READ));
            }
            catch (final IllegalStateException e)
            {
                exports.add(e);
            }
        }
    }

    @Test
    void shouldExportNothingByAConnectionThatEnds()
    {
        final int size = 4096;
        try (MessagingFixture fixture = new MessagingFixture(this::settings))
        {
            final LateExport client = new LateExport(fixture.memory(size));
            final MessageMemory exported = fixture.memory(size);
            fixture.connecting.connect(fixture.listening.address(), client);
            final Endpoint server = fixture.serverEndpoint();
            fixture.server.awaitConnected();
            fixture.serving.call(() ->
            {
                final byte[] descriptor = server.export(exported, 0, size, ExportAccess.READ).descriptor();
                return server.send(1, new UnsafeBuffer(descriptor), 0, descriptor.length);
            });
            assertInstanceOf(IllegalStateException.class, Recorder.next(client.exports, "onCompletion"));
        }
    }

    /** Notes what is left on the device when a request has completed. */
    private final class Denied implements EndpointHandler
    {
        private final BlockingQueue<Integer> resources = new LinkedBlockingQueue<>();
        private final MessageMemory local;

        Denied(final MessageMemory local)
        {
            this.local = local;
        }

        @Override
        public void onMessage(final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
        {
            // Of several pieces, none of which is in the region as a whole.
            endpoint.read(1, new RemoteRegion(buffer, offset), 0, local, 0, local.lengthBytes());
            endpoint.read(2, new RemoteRegion(buffer, offset), 0, local, 0, local.lengthBytes());
        }

        @Override
        public void onCompletion(final Endpoint endpoint, final long id, final EndpointStatus status)
        {
            assertEquals(EndpointStatus.ACCESS_DENIED, status);
            resources.add(model.hostCore().resources());
        }
    }

    /** The caller may free its memory then. */
    @Test
    void shouldCompleteARefusedReadWhenTheDeviceHasGivenAllPiecesBack()
    {
        final int size = 32 << 20;
        try (MessagingFixture fixture = new MessagingFixture((context) -> settings(context).reconnects(false)))
        {
            final Denied client = new Denied(fixture.memory(size));
            final MessageMemory exported = fixture.memory(4096);
            fixture.connecting.connect(fixture.listening.address(), client);
            final Endpoint server = fixture.serverEndpoint();
            fixture.server.awaitConnected();
            fixture.serving.call(() ->
            {
                final byte[] descriptor = server.export(exported, 0, 4096, ExportAccess.READ).descriptor();
                return server.send(1, new UnsafeBuffer(descriptor), 0, descriptor.length);
            });
            assertEquals(0, Recorder.next(client.resources, "onCompletion"));
            assertEquals(0, Recorder.next(client.resources, "onCompletion"));
        }
    }

    /** A peer that connects, and never proves that it knows the secret. */
    private RecordingPeer connectSilently(final RdmaNode node, final MessagingFixture fixture)
    {
        final RecordingPeer peer = new RecordingPeer((_) ->
        {
        });
        try (Arena arena = Arena.ofShared())
        {
            final MemorySegment hello = arena.allocate(Hello.SIZE_BYTES, Long.BYTES);
            Hello.write(hello.address(), 0, 4096, 64, 1 << 20, 0L);
            final byte[] bytes = hello.toArray(ValueLayout.JAVA_BYTE);
            node.call(() -> node.manager().connect(addresses.apply(fixture.listening.address()),
                new QueuePairConfig(64, 64, 4, 64, 4), peer, bytes, 30_000_000_000L));
        }
        return peer;
    }

    /** Registered memory is locked: whoever reaches the port would have it at will. */
    @Test
    void shouldRegisterLittleForAPeerThatHasNotProvedItself() throws InterruptedException
    {
        try (MessagingFixture fixture = new MessagingFixture(this::settings);
            RdmaNode node = new RdmaNode("silent", model.hostCore()))
        {
            connectSilently(node, fixture).expect("established");
            final long early = model.targetCore().lockedBytes();
            assertTrue(early <= 4096, () -> early + " bytes are locked");
            fixture.connect();
            assertTrue(model.targetCore().lockedBytes() > 1 << 20);
            fixture.send(1, new byte[100_000]);
            fixture.client.awaitSuccess(1);
        }
    }

    @Test
    void shouldMakeNothingForAPeerBeyondTheConnectionsThatThereMayBe() throws InterruptedException
    {
        try (MessagingFixture fixture =
                new MessagingFixture((context) -> settings(context).connectionsMax(1)).connect();
            RdmaNode node = new RdmaNode("silent", model.hostCore()))
        {
            final int resources = model.targetCore().resources();
            final RecordingPeer second = connectSilently(node, fixture);
            assertEquals("the peer refused the connection", second.closed());
            final String reason = Recorder.next(fixture.rejected, "onRejected");
            assertTrue(reason.contains("connectionsMax"), reason);
            assertEquals(resources, model.targetCore().resources());
            try (Arena arena = Arena.ofConfined())
            {
                final MemorySegment hello = arena.allocate(Hello.SIZE_BYTES, Long.BYTES);
                final byte[] data = second.connection().peerData();
                MemorySegment.copy(data, 0, hello, ValueLayout.JAVA_BYTE, 0, Hello.SIZE_BYTES);
                assertTrue(Hello.hasMagic(hello.address()), "it learns the version of this side");
            }
        }
    }

    /** Each would have its place for as long as a proof may take, and then again. */
    @Test
    void shouldTakeAPeerWhileAllConnectionsThatThereMayBeHaveProvedNothing() throws InterruptedException
    {
        try (MessagingFixture fixture = new MessagingFixture((context) -> settings(context).connectionsMax(2)
                .connectTimeoutNs(TimeUnit.SECONDS.toNanos(60)));
            RdmaNode node = new RdmaNode("silent", model.hostCore()))
        {
            final RecordingPeer first = connectSilently(node, fixture);
            first.expect("established");
            final RecordingPeer second = connectSilently(node, fixture);
            second.expect("established");
            fixture.connect();
            assertEquals(TransportKind.RDMA, fixture.endpoint.transport().kind());
            assertEquals("the peer ended the connection", first.closed());
            final String reason = Recorder.next(fixture.rejected, "onRejected");
            assertTrue(reason.contains("connectionsMax"), reason);
            fixture.send(1, new byte[100_000]);
            fixture.client.awaitSuccess(1);
            connectSilently(node, fixture).expect("established");
            assertEquals("the peer ended the connection", second.closed());
            fixture.send(2, new byte[100_000]);
            fixture.client.awaitSuccess(2);
        }
    }

    @Test
    void shouldTakeTcpWhenLookingForADeviceFails()
    {
        final RdmaCore broken = InterceptedCore.of(null, (_, _, _) ->
        {
            throw new IllegalStateException("a file of /sys cannot be read");
        });
        try (MessagingFixture fixture = new MessagingFixture(this::settings,
            (context) -> context.model(broken, addresses), new Recorder()).connect())
        {
            assertEquals(TransportKind.TCP, fixture.endpoint.transport().kind());
            assertEquals(TransportReason.RDMA_FAILED, fixture.endpoint.transport().reason());
            assertTrue(fixture.endpoint.transport().text().contains("/sys"), fixture.endpoint.transport()::text);
        }
    }

    /** Frames that nothing answers take the receive slots of a peer whose reactor stands still. */
    @Test
    void shouldNotFillTheSlotsOfASleepingPeerWithSignsOfLife()
    {
        final UnaryOperator<MessagingContext> few = (context) -> settings(context)
            .rdma(context.rdma().withEventChannel(true).withQueues(128, 32, 64 << 10, 128 << 10))
            .keepAliveIntervalNs(2_000_000L).keepAliveTimeoutNs(20_000_000_000L);
        final CountDownLatch goesOn = new CountDownLatch(1);
        try (MessagingFixture fixture = new MessagingFixture(few).connect())
        {
            fixture.serving.execute(() -> await(goesOn));
            final Recorder.Ended ended = Recorder.within(fixture.client.disconnected, 3);
            goesOn.countDown();
            assertNull(ended);
            fixture.send(1, new byte[100]);
            fixture.client.awaitSuccess(1);
        }
    }

    private static RdmaCore broken(final Runnable onProbe)
    {
        return InterceptedCore.of(null, (_, _, _) ->
        {
            onProbe.run();
            throw new NoClassDefFoundError("a class of the bindings");
        });
    }

    /** As when a server of many endpoints has gone: looking for a device opens devices, and takes a thread. */
    @Test
    void shouldLookForADeviceOnceForAllThatConnectMeanwhile()
    {
        final CountDownLatch answer = new CountDownLatch(1);
        final AtomicInteger probes = new AtomicInteger();
        final RdmaCore core = broken(() ->
        {
            probes.incrementAndGet();
            await(answer);
        });
        final List<Recorder> recorders = new ArrayList<>();
        try (MessagingFixture fixture = new MessagingFixture(
            this::settings, (context) -> context.model(core, addresses), new Recorder()))
        {
            for (int i = 0; i < 50; i++)
            {
                final Recorder recorder = new Recorder();
                recorders.add(recorder);
                fixture.connecting.connect(fixture.listening.address(), recorder);
            }
            // All have begun.
            fixture.connecting.call(() -> null);
            final long threads = Thread.getAllStackTraces().keySet().stream()
                .filter((each) -> "client-rdma-probe".equals(each.getName())).count();
            answer.countDown();
            assertEquals(1, threads);
            recorders.forEach((recorder) ->
                assertEquals(TransportReason.RDMA_FAILED, recorder.awaitConnected().transport().reason()));
            assertEquals(1, probes.get());
            final Recorder later = new Recorder();
            fixture.connecting.connect(fixture.listening.address(), later);
            later.awaitConnected();
            assertEquals(2, probes.get(), "an answer is not kept");
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
    void shouldTakeTcpWhenThereCanBeNoMoreThreads()
    {
        try (MessagingFixture fixture = new MessagingFixture(this::settings, (context) -> settings(context)
            .probeThreads((_) ->
            {
                throw new OutOfMemoryError("unable to create native thread");
            }), new Recorder()).connect())
        {
            assertEquals(TransportKind.TCP, fixture.endpoint.transport().kind());
            assertEquals(TransportReason.RDMA_FAILED, fixture.endpoint.transport().reason());
            final Recorder second = new Recorder();
            fixture.connecting.connect(fixture.listening.address(), second);
            assertEquals(TransportKind.TCP, second.awaitConnected().transport().kind());
        }
    }
}
