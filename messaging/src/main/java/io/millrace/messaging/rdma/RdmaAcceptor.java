package io.millrace.messaging.rdma;

import io.millrace.bindings.NativeMemory;
import io.millrace.messaging.wire.Hello;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.ConnectionManager;
import io.millrace.rdma.endpoint.DeviceListener;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Listens at an address for RDMA. One reactor's.
 */
public final class RdmaAcceptor implements AutoCloseable
{
    private static final int BACKLOG = 256;
    /** It has no queue pairs. */
    private static final int COMPLETIONS = 1;

    private final Reactor reactor;
    private final RdmaCore core;
    private final RdmaSizes sizes;
    private final Predicate<InetAddress> allowed;
    private final Function<InetAddress, String> refusal;
    private final BiConsumer<RdmaLink, InetSocketAddress> onLink;
    private final BiConsumer<InetSocketAddress, String> onRejected;
    private final SecureRandom random;
    private final ConnectionManager manager;

    /**
     * Listens.
     *
     * @param reactor    of the links.
     * @param core       rdma-core.
     * @param address    where at.
     * @param sizes      of this side.
     * @param allowed    addresses that may connect.
     * @param refusal    why no link is made for the peer of an address now, or null; asked before anything is made.
     * @param onLink     gets each link and its peer: it sets its handler and polls it.
     * @param onRejected gets who was refused, and why.
     * @param onRemoved  gets the name of the device when it is gone: nobody connects here any more.
     * @param random     source of nonces.
     * @throws RdmaException when the address cannot be listened at.
     */
    public RdmaAcceptor(
        final Reactor reactor,
        final RdmaCore core,
        final InetSocketAddress address,
        final RdmaSizes sizes,
        final Predicate<InetAddress> allowed,
        final Function<InetAddress, String> refusal,
        final BiConsumer<RdmaLink, InetSocketAddress> onLink,
        final BiConsumer<InetSocketAddress, String> onRejected,
        final Consumer<String> onRemoved,
        final SecureRandom random)
    {
        this.reactor = reactor;
        this.core = core;
        this.sizes = sizes;
        this.allowed = allowed;
        this.refusal = refusal;
        this.onLink = onLink;
        this.onRejected = onRejected;
        this.random = random;
        manager = new ConnectionManager(reactor, core, COMPLETIONS);
        manager.settings(sizes.device());
        manager.deviceListener(new DeviceListener()
        {
            @Override
            public void onPort(final String device, final int port, final boolean isActive)
            {
                // Peers connect again when it is back.
            }

            @Override
            public void onRemoved(final String device)
            {
                onRemoved.accept(device);
            }
        });
        try
        {
            manager.listen(address, BACKLOG, this::onRequest);
        }
        catch (final RdmaException e)
        {
            manager.close();
            throw e;
        }
    }

    private void onRequest(final RdmaConnection request)
    {
        final InetSocketAddress peer = request.peerAddress();
        final byte[] hello = request.peerData();
        final String invalid = allowed.test(peer.getAddress()) ? invalid(hello) : "its address is not allowed";
        final String reason = null == invalid ? refusal.apply(peer.getAddress()) : invalid;
        if (null != reason)
        {
            reject(request);
            onRejected.accept(peer, reason);
            return;
        }
        final byte[] nonce = new byte[Hello.NONCE_BYTES];
        random.nextBytes(nonce);
        final RdmaLink link;
        try
        {
            link = new RdmaLink(reactor, core, sizes, nonce, false);
        }
        catch (final RdmaException e)
        {
            reject(request);
            onRejected.accept(peer, e.getMessage());
            return;
        }
        link.accept(request, hello);
        onLink.accept(link, peer);
    }

    private static String invalid(final byte[] hello)
    {
        if (hello.length < Hello.SIZE_BYTES)
        {
            return "its private data has " + hello.length + " bytes, not " + Hello.SIZE_BYTES;
        }
        try (Arena arena = Arena.ofConfined())
        {
            final long at = arena.allocate(Hello.SIZE_BYTES, Long.BYTES).address();
            for (int i = 0; i < Hello.SIZE_BYTES; i++)
            {
                NativeMemory.putByte(at + i, hello[i]);
            }
            return Hello.invalid(at);
        }
    }

    /** It learns the version of this side, and so why. */
    private void reject(final RdmaConnection request)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long at = arena.allocate(Hello.SIZE_BYTES, Long.BYTES).address();
            Hello.write(at, 0, sizes.link().slotBytes(), sizes.link().receiveDepth(),
                sizes.link().messageBytesMax(), 0L);
            final byte[] hello = new byte[Hello.SIZE_BYTES];
            for (int i = 0; i < hello.length; i++)
            {
                hello[i] = NativeMemory.getByte(at + i);
            }
            request.reject(hello);
        }
    }

    /**
     * Ends listening. Links go on; one whose request has not moved to its own event channel yet is refused: it was made
     * in the same turn of the reactor. A second call does nothing.
     */
    @Override
    public void close()
    {
        manager.close();
    }
}
