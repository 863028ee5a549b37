package io.millrace.messaging;

import io.millrace.messaging.rdma.RdmaAcceptor;
import io.millrace.messaging.rdma.RdmaProbe;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.messaging.transport.TransportReason;
import io.millrace.rdma.RdmaException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Listens for RDMA at an address beside TCP, as soon as there is a device, and again when one was removed and is back.
 * One address's; the reactor's, which never looks for devices itself.
 */
final class RdmaListening implements AutoCloseable
{
    /** How it stands. */
    private enum State
    {
        /** RDMA is disabled, or can never be available to this process. */
        OFF,
        /** Another thread looks for a device. */
        PROBING,
        /** Peers connect by RDMA. */
        LISTENING,
        /** No device now. */
        WAITING,
        /** The address is not listened at any more. */
        CLOSED
    }

    private static final long PROBE_INTERVAL_NS = TimeUnit.SECONDS.toNanos(2);

    private final Messaging messaging;
    private final ListeningAddress at;
    private State state = State.OFF;
    private RdmaAcceptor acceptor;
    private long probedNs;
    private TransportChoice reported;

    RdmaListening(final Messaging messaging, final ListeningAddress at)
    {
        this.messaging = messaging;
        this.at = at;
    }

    boolean isListening()
    {
        return State.LISTENING == state;
    }

    /** Looks for a device on a thread of its own: peers connect by TCP until then. */
    void start()
    {
        state = State.PROBING;
        Thread.ofPlatform().daemon().name(messaging.context().name() + "-rdma-probe").start(() ->
        {
            final RdmaProbe probe = messaging.context().probe();
            try
            {
                messaging.reactor().execute(() -> onProbe(probe));
            }
            catch (final RejectedExecutionException e)
            {
                // The reactor has ended, and with it the listener.
                return;
            }
        });
    }

    void onProbe(final RdmaProbe probe)
    {
        if (State.CLOSED == state)
        {
            return;
        }
        probedNs = messaging.reactor().nowNs();
        if (TransportReason.RDMA_AVAILABLE != probe.reason())
        {
            // A library is found when the process starts, or never.
            stopListening(TransportReason.NO_RDMA_LIBRARY == probe.reason() ? State.OFF : State.WAITING,
                probe.reason(), probe.text());
            return;
        }
        final MessagingContext context = messaging.context();
        try
        {
            acceptor = new RdmaAcceptor(messaging.reactor(), context.rdmaCore(), context.rdmaAddress(at.address()),
                context.rdmaSizes(), context.filter(), messaging.accepted()::refusal,
                (link, peer) -> messaging.onRdmaLink(at, link, peer),
                messaging::onRejected, this::onRemoved, messaging.random());
        }
        catch (final RdmaException e)
        {
            stopListening(State.WAITING, TransportReason.RDMA_FAILED, e.getMessage());
            return;
        }
        state = State.LISTENING;
        reported = null;
        messaging.listener().onListeningByRdma(
            new TransportChoice(TransportKind.RDMA, TransportReason.RDMA_AVAILABLE, probe.text()));
    }

    private void onRemoved(final String device)
    {
        if (State.LISTENING == state)
        {
            acceptor.close();
            acceptor = null;
            stopListening(State.WAITING, TransportReason.NO_RDMA_DEVICE, "the RDMA device " + device +
                " was removed; peers connect by TCP until it is back");
        }
    }

    private void stopListening(final State next, final TransportReason reason, final String text)
    {
        state = next;
        final TransportChoice choice = new TransportChoice(TransportKind.TCP, reason, text);
        // What is found again is said once.
        if (!choice.equals(reported))
        {
            reported = choice;
            messaging.listener().onListeningWithoutRdma(choice);
        }
    }

    /** Regularly: the device may be back. */
    void onTick(final long nowNs)
    {
        if (State.WAITING == state && nowNs - probedNs >= PROBE_INTERVAL_NS)
        {
            start();
        }
    }

    @Override
    public void close()
    {
        state = State.CLOSED;
        if (null != acceptor)
        {
            acceptor.close();
            acceptor = null;
        }
    }
}
