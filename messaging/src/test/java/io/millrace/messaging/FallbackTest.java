package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.messaging.rdma.RdmaProbe;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.messaging.transport.TransportReason;
import io.millrace.rdma.RdmaSettings;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.InterceptedCore;
import io.millrace.rdma.model.RdmaModel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When there is no RDMA: TCP, with the reason; and RDMA again when it is back. */
class FallbackTest
{
    private static TransportChoice connect(final MessagingContext context)
    {
        try (MessagingFixture fixture =
            new MessagingFixture((server) -> server.rdma(server.rdma().withEnabled(false)), (_) -> context,
                new Recorder()).connect())
        {
            final MessagingCounter counter = MessagingCounter.of(fixture.endpoint.transport().reason());
            assertEquals(1, fixture.connecting.count(counter));
            assertEquals(1, fixture.connecting.count(MessagingCounter.CONNECTIONS_TCP));
            assertEquals(0, fixture.connecting.count(MessagingCounter.CONNECTIONS_RDMA));
            return fixture.endpoint.transport();
        }
    }

    @Test
    void shouldTakeTcpWithTheReasonOfThisMachine()
    {
        // No machine has a device of this name: what is missing depends on the machine, and the probe says it.
        final RdmaProbe probe = RdmaProbe.run(new RdmaSettings("no-such-device", 1, RdmaSettings.ANY));
        final MessagingContext context = MessagingFixture.context("client");
        final TransportChoice choice = connect(context.rdma(context.rdma().withDevice("no-such-device")));
        assertEquals(new TransportChoice(TransportKind.TCP, probe.reason(), probe.text()), choice);
        assertFalse(choice.text().isBlank());
    }

    @Test
    void shouldTakeTcpWhenRdmaIsDisabled()
    {
        final MessagingContext context = MessagingFixture.context("client");
        assertEquals(TransportReason.RDMA_DISABLED, connect(context.rdma(context.rdma().withEnabled(false))).reason());
    }

    @Test
    void shouldTakeTcpWhenThePeerHasNoRdmaAndRdmaWhenItHas()
    {
        try (RdmaModel model = new RdmaModel(); Messaging client = Messaging.launch(context("client", model)))
        {
            final Recorder recorder = new Recorder();
            final Endpoint endpoint;
            final InetSocketAddress address;
            try (Messaging without = Messaging.launch(
                MessagingFixture.context("server").rdma(RdmaOptions.DEFAULT.withEnabled(false))))
            {
                address = without.listen(MessagingFixture.anyPort(), (_) -> new Recorder()).address();
                endpoint = client.connect(address, recorder);
                recorder.awaitConnected();
                assertEquals(TransportReason.PEER_WITHOUT_RDMA, endpoint.transport().reason());
                assertEquals(1, client.count(MessagingCounter.TCP_PEER_WITHOUT_RDMA));
            }
            recorder.awaitDisconnected();
            try (Messaging with = Messaging.launch(context("server", model)))
            {
                final BlockingQueue<Endpoint> accepted = new LinkedBlockingQueue<>();
                with.listen(address, (made) ->
                {
                    accepted.add(made);
                    return new Recorder();
                });
                recorder.awaitConnected();
                if (TransportKind.TCP == endpoint.transport().kind())
                {
                    // Its attempt by RDMA came before the listener, that by TCP after.
                    with.execute(Recorder.next(accepted, "an endpoint")::close);
                    recorder.awaitConnected();
                }
                assertEquals(TransportKind.RDMA, endpoint.transport().kind());
                assertEquals(1, client.count(MessagingCounter.CONNECTIONS_RDMA));
            }
        }
    }

    /** The peer listens for RDMA: what failed is the device of this side. */
    @Test
    void shouldTakeTcpWithTheReasonWhyRdmaFailedHere()
    {
        try (RdmaModel model = new RdmaModel(); Messaging server = Messaging.launch(context("server", model));
            Messaging client = Messaging.launch(context("client", model).model(withoutQueuePairs(model.hostCore()),
                (address) -> new InetSocketAddress(model.targetDevice().address(), address.getPort()))))
        {
            final ListeningAddress address = server.listen(MessagingFixture.anyPort(), (_) -> new Recorder());
            final Recorder recorder = new Recorder();
            final TransportChoice choice =
                transport(client, client.connect(address.address(), recorder), recorder);
            assertEquals(TransportKind.TCP, choice.kind());
            assertEquals(TransportReason.RDMA_FAILED, choice.reason());
            assertTrue(choice.text().contains("no queue pair"), choice::text);
            assertTrue(choice.text().contains("errno " + Errno.ENOMEM), choice::text);
            assertEquals(1, client.count(MessagingCounter.TCP_RDMA_FAILED));
            assertEquals(0, client.count(MessagingCounter.TCP_PEER_WITHOUT_RDMA));
        }
    }

    /** The settings name a device that another address would be reached by. */
    @Test
    void shouldTakeTcpWhenThePeerIsReachedByAnotherDevice()
    {
        try (RdmaModel model = new RdmaModel(); Messaging server = Messaging.launch(context("server", model));
            Messaging client = Messaging.launch(
                context("client", model).rdma(RdmaOptions.DEFAULT.withDevice("model7").withEventChannel(true))))
        {
            final ListeningAddress address = server.listen(MessagingFixture.anyPort(), (_) -> new Recorder());
            final Recorder recorder = new Recorder();
            final TransportChoice choice =
                transport(client, client.connect(address.address(), recorder), recorder);
            assertEquals(TransportReason.RDMA_FAILED, choice.reason(), choice::text);
            assertTrue(choice.text().contains("RDMA is to go by device model7"), choice::text);
        }
    }

    @Test
    void shouldListenForTcpAloneAtAnAddressOfAnotherDevice()
    {
        final BlockingQueue<TransportChoice> listening = new LinkedBlockingQueue<>();
        final MessagingListener log = new MessagingListener()
        {
            @Override
            public void onListeningByRdma(final TransportChoice choice)
            {
                listening.add(choice);
            }

            @Override
            public void onListeningWithoutRdma(final TransportChoice choice)
            {
                listening.add(choice);
            }
        };
        try (RdmaModel model = new RdmaModel(); Messaging client = Messaging.launch(context("client", model));
            Messaging server = Messaging.launch(context("server", model).listener(log)
                .rdma(RdmaOptions.DEFAULT.withDevice("model7").withEventChannel(true))))
        {
            final ListeningAddress address = server.listen(MessagingFixture.anyPort(), (_) -> new Recorder());
            // Until it has looked for a device, peers connect by TCP in any case.
            final TransportChoice without = Recorder.next(listening, "how it listens");
            assertEquals(TransportReason.RDMA_FAILED, without.reason(), without::text);
            assertTrue(without.text().contains("RDMA is to go by device model7"), without::text);
            final Recorder recorder = new Recorder();
            final TransportChoice choice =
                transport(client, client.connect(address.address(), recorder), recorder);
            assertEquals(TransportReason.PEER_WITHOUT_RDMA, choice.reason(), choice::text);
        }
    }

    @Test
    void shouldConnectFromAnAddressOfThePeersFamily()
    {
        final InetAddress source = InetAddress.ofLiteral("192.0.2.7");
        final RdmaProbe probe = new RdmaProbe(TransportReason.RDMA_AVAILABLE, "rxe0 port 1", Optional.of(source));
        assertEquals(source, probe.sourceFor(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 1)));
        assertNull(probe.sourceFor(new InetSocketAddress(InetAddress.ofLiteral("2001:db8::1"), 1)));
        assertNull(RdmaProbe.of(TransportReason.RDMA_AVAILABLE, "").sourceFor(new InetSocketAddress(source, 1)));
    }

    /** The server takes peers of that address alone. */
    @Test
    void shouldConnectFromTheAddressOfTheDeviceThatIsChosen()
    {
        try (RdmaModel model = new RdmaModel())
        {
            final InetAddress source = model.hostCore().addDevice(RdmaModel.address(4)).address();
            try (Messaging client = Messaging.launch(context("client", model).modelProbe(
                new RdmaProbe(TransportReason.RDMA_AVAILABLE, "model3", Optional.of(source))));
                Messaging server = Messaging.launch(
                    context("server", model).allowedAddresses(List.of(source.getHostAddress()))))
            {
                final ListeningAddress address = server.listen(MessagingFixture.anyPort(), (_) -> new Recorder());
                final Recorder recorder = new Recorder();
                final Endpoint endpoint = client.connect(address.address(), recorder);
                assertEquals(TransportKind.RDMA, transport(client, endpoint, recorder).kind());
            }
        }
    }

    private static TransportChoice transport(
        final Messaging client, final Endpoint endpoint, final Recorder recorder)
    {
        recorder.awaitConnected();
        return client.call(endpoint::transport);
    }

    private static RdmaCore withoutQueuePairs(final RdmaCore core)
    {
        return InterceptedCore.of(
            core, (method, _, call) -> "createQueuePair".equals(method) ? -Errno.ENOMEM : call.proceed());
    }

    /** Its driver may end what is on the hardware only after it has taken the device away. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTakeTcpWhileThePeersDeviceIsGoneAndRdmaWhenItIsBack(final boolean isDisassociated)
    {
        final BlockingQueue<TransportChoice> listening = new LinkedBlockingQueue<>();
        final BlockingQueue<TransportChoice> without = new LinkedBlockingQueue<>();
        final MessagingListener log = new MessagingListener()
        {
            @Override
            public void onListeningByRdma(final TransportChoice choice)
            {
                listening.add(choice);
            }

            @Override
            public void onListeningWithoutRdma(final TransportChoice choice)
            {
                without.add(choice);
            }
        };
        try (RdmaModel model = new RdmaModel(); Messaging client = Messaging.launch(context("client", model));
            Messaging server = Messaging.launch(context("server", model).listener(log)))
        {
            final BlockingQueue<Endpoint> accepted = new LinkedBlockingQueue<>();
            final BlockingQueue<Recorder> recorders = new LinkedBlockingQueue<>();
            final ListeningAddress address = server.listen(MessagingFixture.anyPort(), (endpoint) ->
            {
                final Recorder handler = new Recorder();
                accepted.add(endpoint);
                recorders.add(handler);
                return handler;
            });
            Recorder.next(listening, "that it listens by RDMA");
            final Recorder recorder = new Recorder();
            final Endpoint endpoint = client.connect(address.address(), recorder);
            assertEquals(TransportKind.RDMA, recorder.awaitConnected().transport().kind());
            Recorder.next(accepted, "an endpoint");

            if (isDisassociated)
            {
                model.targetDevice().disassociate();
                model.targetDevice().endHardware();
            }
            else
            {
                model.targetDevice().remove();
            }
            Recorder.next(recorders, "an endpoint").awaitClosed();
            recorder.awaitDisconnected();
            assertEquals(TransportKind.TCP, recorder.awaitConnected().transport().kind());
            assertEquals(TransportReason.PEER_WITHOUT_RDMA, endpoint.transport().reason());
            final TransportChoice gone = Recorder.next(without, "that it does not listen by RDMA");
            assertTrue(gone.text().contains("was removed"), gone::toString);

            model.targetCore().addDevice(model.targetDevice().address());
            Recorder.next(listening, "that it listens by RDMA again");
            final Endpoint byTcp = Recorder.next(accepted, "an endpoint");
            server.execute(byTcp::close);
            recorder.awaitDisconnected();
            assertEquals(TransportKind.RDMA, recorder.awaitConnected().transport().kind());
        }
    }

    private static MessagingContext context(final String name, final RdmaModel model)
    {
        return MessagingFixture.context(name).rdma(RdmaOptions.DEFAULT.withEventChannel(true)).model(
            "server".equals(name) ? model.targetCore() : model.hostCore(),
            (address) -> new InetSocketAddress(model.targetDevice().address(), address.getPort()));
    }
}
