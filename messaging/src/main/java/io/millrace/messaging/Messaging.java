package io.millrace.messaging;

import io.millrace.messaging.rdma.RdmaLink;
import io.millrace.messaging.rdma.RdmaProbe;
import io.millrace.messaging.tcp.TcpAcceptor;
import io.millrace.messaging.tcp.TcpLink;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.LinkException;
import io.millrace.messaging.transport.MessageLink;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.messaging.transport.TransportReason;
import io.millrace.messaging.wire.Hello;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.TimerListener;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Endpoints on one reactor. {@link #launch} makes the reactor, {@link #on} takes one that there is. Methods of this
 * class are any thread's, but that those which wait for the reactor refuse the thread of another one; what they answer,
 * and handlers, are the reactor's: come there by {@link #execute}.
 */
public final class Messaging implements AutoCloseable
{
    /** Links end within a second by their own limit; the rest is for a machine that is overloaded. */
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long TICK_NS_MAX = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int TICKS_OF_A_LIMIT = 4;

    private final MessagingContext context;
    private final Reactor reactor;
    private final boolean ownsReactor;
    private final MessagingCounters counters = new MessagingCounters();
    private final MessagingListener listener;
    private final SecureRandom random = new SecureRandom();
    private final Connector connector = new Connector(this);
    private final List<Connection> connections = new ArrayList<>();
    private final AcceptedConnections accepted;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final List<ListeningAddress> listening = new ArrayList<>();
    private final Poller poller = new Poller()
    {
        @Override
        public int poll()
        {
            return pollAll();
        }

        @Override
        public boolean canSleep()
        {
            return canAllSleep();
        }
    };
    private final TimerListener onTick = (_) -> tick();
    private final long tickNs;
    private boolean isClosed;

    private Messaging(final Reactor reactor, final boolean ownsReactor, final MessagingContext context)
    {
        this.reactor = reactor;
        this.ownsReactor = ownsReactor;
        this.context = context;
        accepted = new AcceptedConnections(context.connectionsMax());
        listener = new GuardedListener(context.listener(), counters);
        tickNs = Math.min(TICK_NS_MAX,
            Math.min(context.keepAliveIntervalNs(), context.connectTimeoutNs()) / TICKS_OF_A_LIMIT);
    }

    /**
     * Makes and starts a reactor for endpoints, which ends with {@link #close}. Any thread but a reactor's.
     *
     * @param context settings.
     * @return endpoints on it.
     * @throws IllegalArgumentException when settings contradict each other.
     * @throws IllegalStateException    when the JVM lacks an option that Agrona needs; the message has it.
     * @throws io.millrace.reactor.ReactorException when the reactor cannot start, as on a CPU that is not there.
     */
    public static Messaging launch(final MessagingContext context)
    {
        JvmFlags.check();
        final MessagingContext settings = context.copy();
        final Reactor reactor = new Reactor(new ReactorConfig(
            settings.name(), settings.cpu(), settings.idle(), settings.spinNs()));
        reactor.start();
        return start(new Messaging(reactor, true, settings));
    }

    /**
     * Has endpoints on a reactor that there is, beside what else it does. Any thread.
     *
     * @param reactor that is started, and is closed after this.
     * @param context settings; those of the reactor are not used.
     * @return endpoints on it.
     * @throws IllegalStateException when the JVM lacks an option that Agrona needs; the message has it.
     */
    public static Messaging on(final Reactor reactor, final MessagingContext context)
    {
        JvmFlags.check();
        return start(new Messaging(reactor, false, context.copy()));
    }

    private static Messaging start(final Messaging messaging)
    {
        messaging.call(() ->
        {
            messaging.reactor.addPoller(messaging.poller);
            messaging.tick();
            return null;
        });
        return messaging;
    }

    /**
     * {@return the settings; not to be changed}
     */
    MessagingContext context()
    {
        return context;
    }

    /**
     * {@return the reactor that all endpoints are on}
     */
    public Reactor reactor()
    {
        return reactor;
    }

    MessagingCounters counters()
    {
        return counters;
    }

    MessagingListener listener()
    {
        return listener;
    }

    Connector connector()
    {
        return connector;
    }

    boolean isClosed()
    {
        return isClosed;
    }

    SecureRandom random()
    {
        return random;
    }

    byte[] nonce()
    {
        final byte[] nonce = new byte[Hello.NONCE_BYTES];
        random.nextBytes(nonce);
        return nonce;
    }

    /**
     * {@return how often something happened since the launch}
     *
     * @param counter of it.
     */
    public long count(final MessagingCounter counter)
    {
        return counters.get(counter);
    }

    /**
     * Runs something on the reactor soon: requests are made there. What the command throws goes to the reactor's
     * error handler, which prints it by default; {@link #call} hands it to the caller.
     *
     * @param command to run.
     * @throws java.util.concurrent.RejectedExecutionException when the reactor has ended.
     */
    public void execute(final Runnable command)
    {
        reactor.execute(command);
    }

    /**
     * Runs something on the reactor and waits for its result; at once on the reactor's thread.
     *
     * @param task to run.
     * @param <T>  of its result.
     * @return its result.
     * @throws CompletionException with the cause, when the task throws a checked exception or an error; a
     *     {@link RuntimeException} is thrown as it is.
     */
    public <T> T call(final Callable<T> task)
    {
        if (reactor.isOnThread())
        {
            try
            {
                return task.call();
            }
            catch (final RuntimeException e)
            {
                throw e;
            }
            catch (final Exception e)
            {
                throw new CompletionException(e);
            }
        }
        Reactor.checkMayBlock("a call to messaging");
        try
        {
            return reactor.call(task).join();
        }
        catch (final CompletionException e)
        {
            if (e.getCause() instanceof final RuntimeException cause)
            {
                throw cause;
            }
            throw e;
        }
    }

    void run(final Runnable task)
    {
        call(() ->
        {
            task.run();
            return null;
        });
    }

    /**
     * Listens at an address.
     *
     * @param address  where; port 0 for any free one.
     * @param acceptor gives each endpoint its handler.
     * @return the address with its port.
     * @throws LinkException         when it cannot be listened at.
     * @throws IllegalStateException when this is closed.
     */
    public ListeningAddress listen(final InetSocketAddress address, final EndpointAcceptor acceptor)
    {
        if (!context.rdma().enabled())
        {
            return call(() -> listenOnReactor(address, acceptor));
        }
        if (reactor.isOnThread())
        {
            final ListeningAddress made = listenOnReactor(address, acceptor);
            made.rdma().start();
            return made;
        }
        final RdmaProbe probe = context.probe();
        return call(() ->
        {
            final ListeningAddress made = listenOnReactor(address, acceptor);
            made.rdma().onProbe(probe);
            return made;
        });
    }

    private ListeningAddress listenOnReactor(final InetSocketAddress address, final EndpointAcceptor acceptor)
    {
        if (isClosed)
        {
            throw new IllegalStateException("messaging is closed");
        }
        final ListeningAddress[] made = new ListeningAddress[1];
        final TcpAcceptor tcp = new TcpAcceptor(reactor, address, context.sizes(), context.connectTimeoutNs(),
            context.filter(), accepted::refusal, (link) -> onLink(made[0], link), this::onRejected, random);
        made[0] = new ListeningAddress(this, tcp, acceptor);
        listening.add(made[0]);
        return made[0];
    }

    void onRejected(final InetSocketAddress peer, final String reason)
    {
        counters.add(MessagingCounter.PEERS_REJECTED, 1);
        listener().onRejected(peer, reason);
    }

    private void onLink(final ListeningAddress at, final TcpLink link)
    {
        final Endpoint endpoint = new Endpoint(this, link.peer(), null, null, new AcceptedEndpoint(at, link));
        final Connection connection = new Connection(this, endpoint, false, reactor.nowNs());
        link.handler(connection);
        onAccepted(endpoint, connection, link);
    }

    void onRdmaLink(final ListeningAddress at, final RdmaLink link, final InetSocketAddress peer)
    {
        final Endpoint endpoint = new Endpoint(this, peer, null, null, new AcceptedEndpoint(at, null));
        final Connection connection = new Connection(this, endpoint, false, reactor.nowNs());
        link.handler(connection);
        onAccepted(endpoint, connection, link);
    }

    private void onAccepted(final Endpoint endpoint, final Connection connection, final MessageLink link)
    {
        connection.link(link);
        endpoint.connecting(connection, new TransportChoice(
            link.kind(), TransportReason.CHOSEN_BY_PEER, "the peer connected by " + link.kind()));
        add(connection);
        accepted.add(connection);
    }

    /**
     * Connects to a peer, and again whenever the connection is lost.
     *
     * @param peer    address; a name is resolved already.
     * @param handler gets what becomes of it.
     * @return the endpoint.
     * @throws IllegalArgumentException when the name is not resolved.
     * @throws IllegalStateException    when this is closed.
     */
    public Endpoint connect(final InetSocketAddress peer, final EndpointHandler handler)
    {
        if (peer.isUnresolved())
        {
            throw new IllegalArgumentException(
                "peer " + peer + ": its name has no address; check the name, and connect when it is resolved");
        }
        return call(() ->
        {
            if (isClosed)
            {
                throw new IllegalStateException("messaging is closed");
            }
            final Reconnection reconnection = new Reconnection(this, peer);
            final Endpoint endpoint = new Endpoint(this, peer, handler, reconnection, null);
            endpoints.add(endpoint);
            // After this has returned: the caller knows the endpoint before its handler does.
            reactor.execute(() -> reconnection.start(endpoint));
            return endpoint;
        });
    }

    AcceptedConnections accepted()
    {
        return accepted;
    }

    void add(final Connection connection)
    {
        connections.add(connection);
    }

    void remove(final ListeningAddress address)
    {
        listening.remove(address);
    }

    /** An endpoint is connected and has a handler. */
    void onConnected(final Endpoint endpoint)
    {
        final TransportChoice choice = endpoint.transport();
        counters.add(TransportKind.RDMA == choice.kind() ?
            MessagingCounter.CONNECTIONS_RDMA : MessagingCounter.CONNECTIONS_TCP, 1);
        final MessagingCounter fallback = MessagingCounter.of(choice.reason());
        if (null != fallback)
        {
            counters.add(fallback, 1);
        }
        listener().onTransport(endpoint, choice);
    }

    void onDisconnected(
        final Connection connection, final EndpointStatus status, final String reason, final boolean wasConnected)
    {
        if (EndpointStatus.PROTOCOL_ERROR == status)
        {
            counters.add(MessagingCounter.PROTOCOL_ERRORS, 1);
        }
        final AcceptedEndpoint made = connection.endpoint().accepted();
        if (null != made)
        {
            accepted.remove(connection);
            if (null != made.tcp())
            {
                made.at().tcp().remove(made.tcp());
            }
            if (!wasConnected)
            {
                onRejected(connection.endpoint().peer(), reason);
            }
        }
        else if (!wasConnected)
        {
            counters.add(MessagingCounter.CONNECTS_FAILED, 1);
        }
        if (wasConnected && EndpointStatus.CLOSED != status && EndpointStatus.PEER_CLOSED != status)
        {
            counters.add(MessagingCounter.CONNECTIONS_LOST, 1);
        }
    }

    void onEnded(final Endpoint endpoint)
    {
        endpoints.remove(endpoint);
    }

    private int pollAll()
    {
        int work = 0;
        for (int i = 0; i < listening.size(); i++)
        {
            work += listening.get(i).tcp().poll();
        }
        for (int i = connections.size() - 1; i >= 0; i--)
        {
            final Connection connection = connections.get(i);
            work += connection.poll();
            if (Connection.State.CLOSED == connection.state())
            {
                connections.remove(connection);
            }
        }
        return work;
    }

    private boolean canAllSleep()
    {
        for (int i = 0; i < listening.size(); i++)
        {
            if (!listening.get(i).tcp().canSleep())
            {
                return false;
            }
        }
        for (int i = 0; i < connections.size(); i++)
        {
            if (!connections.get(i).canSleep())
            {
                return false;
            }
        }
        return true;
    }

    private void tick()
    {
        if (isClosed && connections.isEmpty())
        {
            return;
        }
        final long nowNs = reactor.nowNs();
        for (int i = 0; i < listening.size(); i++)
        {
            listening.get(i).rdma().onTick(nowNs);
        }
        for (int i = connections.size() - 1; i >= 0; i--)
        {
            connections.get(i).onTick(nowNs);
        }
        reactor.schedule(nowNs + tickNs, onTick);
    }

    /**
     * Closes all endpoints and listeners, waits until their handlers know, and ends the reactor if it was made by
     * {@link #launch}. Any thread but a reactor's. A second call does nothing.
     */
    @Override
    public void close()
    {
        Reactor.checkMayBlock("closing messaging");
        if (reactor.hasEnded())
        {
            return;
        }
        call(() ->
        {
            isClosed = true;
            List.copyOf(listening).forEach(ListeningAddress::close);
            List.copyOf(endpoints).forEach(Endpoint::close);
            List.copyOf(connections).forEach(
                (each) -> each.close(EndpointStatus.CLOSED, EndpointStatus.CLOSED.text()));
            return null;
        });
        awaitEnd();
        if (ownsReactor)
        {
            reactor.close();
        }
    }

    private void awaitEnd()
    {
        final CompletableFuture<Void> end = new CompletableFuture<>();
        reactor.execute(() -> checkEnd(end));
        try
        {
            end.get(CLOSE_NS, TimeUnit.NANOSECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        catch (final ExecutionException | TimeoutException e)
        {
            throw new IllegalStateException("connections do not end", e);
        }
        run(() -> reactor.removePoller(poller));
    }

    private void checkEnd(final CompletableFuture<Void> end)
    {
        if (connections.isEmpty())
        {
            end.complete(null);
            return;
        }
        reactor.schedule(reactor.nowNs() + TimeUnit.MILLISECONDS.toNanos(1), (_) -> checkEnd(end));
    }

    /** Where an endpoint was accepted, and its link if it is one of TCP. */
    record AcceptedEndpoint(ListeningAddress at, TcpLink tcp)
    {
    }
}
