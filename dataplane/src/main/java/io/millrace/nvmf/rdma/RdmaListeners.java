package io.millrace.nvmf.rdma;

import io.millrace.rdma.RdmaException;
import io.millrace.rdma.endpoint.Acceptor;
import io.millrace.rdma.endpoint.ConnectionManager;
import io.millrace.rdma.endpoint.DeviceListener;
import io.millrace.reactor.Reactor;
import io.millrace.validation.AddressText;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Addresses that are listened at. One whose RDMA device was removed is tried again until the device is back, or nobody
 * wants it any more. Listening reactor's thread; any asks which wait.
 */
final class RdmaListeners implements DeviceListener
{
    private static final int BACKLOG = 128;
    private static final long RETRY_NS = 2_000_000_000L;
    private static final long NO_TIMER = -1;

    private final Reactor reactor;
    private final ConnectionManager manager;
    private final Acceptor acceptor;
    private final Consumer<String> onWarning;
    private final Set<InetSocketAddress> wanted = new LinkedHashSet<>();
    /** Those of them whose device is gone. */
    private final Set<InetSocketAddress> waiting = ConcurrentHashMap.newKeySet();
    private long timer = NO_TIMER;

    /**
     * Listens nowhere.
     *
     * @param reactor   that listens.
     * @param manager   of the reactor, whose devices nobody else listens to.
     * @param acceptor  of all addresses.
     * @param onWarning receives one line when a device is gone, and when it is back.
     */
    RdmaListeners(
        final Reactor reactor,
        final ConnectionManager manager,
        final Acceptor acceptor,
        final Consumer<String> onWarning)
    {
        this.reactor = reactor;
        this.manager = manager;
        this.acceptor = acceptor;
        this.onWarning = onWarning;
        manager.deviceListener(this);
    }

    /**
     * Listens.
     *
     * @param address port 0 for any free one.
     * @return the address with its port.
     * @throws RdmaException when the address is in use, or of no RDMA device.
     */
    InetSocketAddress listen(final InetSocketAddress address)
    {
        final InetSocketAddress local = manager.listen(address, BACKLOG, acceptor);
        wanted.add(local);
        return local;
    }

    /** Listens no more. {@return false when it was not asked to} */
    boolean stop(final InetSocketAddress local)
    {
        waiting.remove(local);
        manager.stopListening(local);
        return wanted.remove(local);
    }

    /** {@return whether the device of an address is gone; any thread} */
    boolean isWaiting(final InetSocketAddress local)
    {
        return waiting.contains(local);
    }

    @Override
    public void onPort(final String device, final int port, final boolean isActive)
    {
        // Hosts connect again when it is up.
    }

    @Override
    public void onRemoved(final String device)
    {
        for (final InetSocketAddress local : wanted)
        {
            if (!manager.isListening(local) && waiting.add(local))
            {
                onWarning.accept("no RDMA listener at " + AddressText.of(local) + ": the RDMA device " + device +
                    " was removed; it listens again when the device is back");
            }
        }
        awaitDevice();
    }

    private void awaitDevice()
    {
        if (!waiting.isEmpty() && NO_TIMER == timer)
        {
            timer = reactor.schedule(reactor.nowNs() + RETRY_NS, (_) ->
            {
                timer = NO_TIMER;
                waiting.removeIf(this::listenAgain);
                awaitDevice();
            });
        }
    }

    private boolean listenAgain(final InetSocketAddress local)
    {
        try
        {
            manager.listen(local, BACKLOG, acceptor);
        }
        catch (final RdmaException e)
        {
            // It was said when the device was removed.
            return false;
        }
        onWarning.accept("RDMA listener at " + AddressText.of(local) + " again: its device is back");
        return true;
    }

    /** Waits for no device any more. */
    void close()
    {
        waiting.clear();
        if (NO_TIMER != timer)
        {
            reactor.cancel(timer);
            timer = NO_TIMER;
        }
    }
}
