package io.millrace.messaging;

import io.millrace.messaging.transport.MessageMemory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.UnsafeBuffer;

/** A service that listens and one that connects, each with its reactor, and what their endpoints are told. */
final class MessagingFixture implements AutoCloseable
{
    /** Address that services listen at; loopback unless it is set, as where a device has an address of its own. */
    static final InetAddress ADDRESS =
        InetAddress.ofLiteral(System.getProperty("millrace.messaging.address", "127.0.0.1"));

    final BlockingQueue<Endpoint> accepted = new LinkedBlockingQueue<>();
    final BlockingQueue<String> rejected = new LinkedBlockingQueue<>();
    final Recorder server;
    final Recorder client = new Recorder();
    final Messaging serving;
    final Messaging connecting;
    final ListeningAddress listening;
    Endpoint endpoint;
    private final List<MessageMemory> memories = new ArrayList<>();

    MessagingFixture(final UnaryOperator<MessagingContext> settings)
    {
        this(settings, settings, new Recorder());
    }

    MessagingFixture(
        final UnaryOperator<MessagingContext> serverSettings,
        final UnaryOperator<MessagingContext> clientSettings,
        final Recorder server)
    {
        this(serverSettings, clientSettings, server, (messaging) -> 0);
    }

    MessagingFixture(
        final UnaryOperator<MessagingContext> serverSettings,
        final UnaryOperator<MessagingContext> clientSettings,
        final Recorder server,
        final Function<Messaging, Integer> port)
    {
        this.server = server;
        serving = Messaging.launch(serverSettings.apply(context("server").listener(new MessagingListener()
        {
            @Override
            public void onRejected(final InetSocketAddress peer, final String reason)
            {
                rejected.add(reason);
            }
        })));
        connecting = Messaging.launch(clientSettings.apply(context("client")));
        listening = serving.listen(new InetSocketAddress(ADDRESS, port.apply(serving)),
            (made) ->
            {
                accepted.add(made);
                return server;
            });
    }

    static MessagingContext context(final String name)
    {
        return new MessagingContext().name(name)
            .keepAliveIntervalNs(TimeUnit.MILLISECONDS.toNanos(200))
            .keepAliveTimeoutNs(TimeUnit.SECONDS.toNanos(10))
            .reconnectDelayMinNs(TimeUnit.MILLISECONDS.toNanos(10))
            .reconnectDelayMaxNs(TimeUnit.MILLISECONDS.toNanos(50));
    }

    static InetSocketAddress anyPort()
    {
        return new InetSocketAddress(ADDRESS, 0);
    }

    /** Connects the client and waits until both sides are. */
    MessagingFixture connect()
    {
        endpoint = connecting.connect(listening.address(), client);
        client.awaitConnected();
        server.awaitConnected();
        return this;
    }

    /** Drops what nobody has asked for yet: a fixture that serves for hours would keep it. */
    void forget()
    {
        accepted.clear();
        rejected.clear();
        server.forget();
        client.forget();
    }

    Endpoint serverEndpoint()
    {
        return Recorder.next(accepted, "an accepted endpoint");
    }

    MessageMemory memory(final long bytes)
    {
        final MessageMemory memory = new MessageMemory(bytes);
        memories.add(memory);
        return memory;
    }

    /** Sends from a heap buffer; waits while there is back pressure. */
    SubmitResult send(final long id, final byte[] message)
    {
        return send(connecting, endpoint, client, id, message);
    }

    static SubmitResult send(
        final Messaging messaging, final Endpoint from, final Recorder recorder, final long id, final byte[] message)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(message);
        while (true)
        {
            final SubmitResult result = messaging.call(() -> from.send(id, buffer, 0, message.length));
            if (SubmitResult.BACK_PRESSURED != result)
            {
                return result;
            }
            Recorder.next(recorder.writable, "onWritable");
        }
    }

    @Override
    public void close()
    {
        connecting.close();
        serving.close();
        memories.forEach(MessageMemory::close);
    }
}
