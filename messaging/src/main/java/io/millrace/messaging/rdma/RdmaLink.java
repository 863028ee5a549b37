package io.millrace.messaging.rdma;

import io.millrace.bindings.NativeMemory;
import io.millrace.messaging.transport.BulkPool;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.JoinProof;
import io.millrace.messaging.transport.LinkHandler;
import io.millrace.messaging.transport.MessageLink;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import io.millrace.messaging.wire.RegionDescriptor;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.ConnectionHandler;
import io.millrace.rdma.endpoint.ConnectionManager;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaRegion;
import io.millrace.rdma.endpoint.RegionAccess;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A connection over RDMA. Its connection manager is its own, and with it protection domain and completion queue, so
 * that a peer reaches nothing of another one's. One reactor's; nothing is allocated for a message.
 */
public final class RdmaLink implements MessageLink, ConnectionHandler
{
    /** How the link stands. */
    private enum State
    {
        /** Connects, or waits to be accepted. */
        OPENING,
        /** Carries frames. */
        OPEN,
        /** Sends the goodbye. */
        SAYING_GOODBYE,
        /** Waits until the device has given all requests back. */
        CLOSING,
        /** Ended; to be reported. */
        ENDED,
        /** Ended, and reported. */
        CLOSED
    }

    private static final long GOODBYE_NS = 1_000_000_000L;
    private static final long GOODBYE_ID = 1L << 41;
    private static final int READS = 16;
    private static final int NO_OPERATION = -1;

    private final Reactor reactor;
    private final RdmaSizes sizes;
    private final ConnectionManager manager;
    private final QueuePairConfig config;
    private final Arena arena = Arena.ofShared();
    private final long helloSent = arena.allocate(Hello.SIZE_BYTES, Long.BYTES).address();
    private final long helloReceived = arena.allocate(Hello.SIZE_BYTES, Long.BYTES).address();
    private final RdmaOperations operations = new RdmaOperations();
    private final BulkPool outgoing;
    private final BulkPool incoming;
    private final boolean isConnecting;
    private LinkHandler handler;
    private State state = State.OPENING;
    private RdmaConnection connection;
    private Registrations registrations;
    private FrameSlots frames;
    private int work;
    private EndpointStatus closeStatus = EndpointStatus.CONNECTION_LOST;
    private String closeReason = "";
    /** The read or write that ended the connection, and how. */
    private int failed = NO_OPERATION;
    private EndpointStatus failedStatus = EndpointStatus.CONNECTION_LOST;

    /**
     * Connects.
     *
     * @param reactor   of the link.
     * @param core      rdma-core.
     * @param peer      where to.
     * @param source    address of this machine to connect from; null for what the route to the peer gives.
     * @param sizes     of this side.
     * @param nonce     {@value Hello#NONCE_BYTES} random bytes.
     * @param timeoutNs until it is connected.
     * @param handler   owner.
     * @return the link.
     * @throws RdmaException when it cannot begin.
     */
    public static RdmaLink connect(
        final Reactor reactor,
        final RdmaCore core,
        final InetSocketAddress peer,
        final InetAddress source,
        final RdmaSizes sizes,
        final byte[] nonce,
        final long timeoutNs,
        final LinkHandler handler)
    {
        final RdmaLink link = new RdmaLink(reactor, core, sizes, nonce, true);
        link.handler = handler;
        try
        {
            link.connection = link.manager.connect(
                peer, source, link.config, link, bytes(link.helloSent), timeoutNs);
            return link;
        }
        catch (final RdmaException e)
        {
            link.free();
            throw e;
        }
    }

    RdmaLink(
        final Reactor reactor,
        final RdmaCore core,
        final RdmaSizes sizes,
        final byte[] nonce,
        final boolean isConnecting)
    {
        this.reactor = reactor;
        this.sizes = sizes;
        this.isConnecting = isConnecting;
        config = new QueuePairConfig(
            sizes.sendDepth(), sizes.link().receiveDepth(), sizes.segments(), sizes.inlineBytes(), READS);
        outgoing = new BulkPool(sizes.link().bulkBytesMax(), (block) -> registrations.forget(block));
        incoming = new BulkPool(sizes.link().bulkBytesMax(), (block) -> registrations.forget(block));
        Hello.write(helloSent, 0, sizes.link().slotBytes(), sizes.link().receiveDepth(),
            sizes.link().messageBytesMax(), 0L);
        for (int i = 0; i < Hello.NONCE_BYTES; i++)
        {
            NativeMemory.putByte(helloSent + Hello.NONCE_OFFSET + i, nonce[i]);
        }
        try
        {
            manager = new ConnectionManager(reactor, core, sizes.sendDepth() + sizes.link().receiveDepth());
            manager.settings(sizes.device());
        }
        catch (final RdmaException e)
        {
            arena.close();
            throw e;
        }
    }

    private static byte[] bytes(final long hello)
    {
        final byte[] bytes = new byte[Hello.SIZE_BYTES];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = NativeMemory.getByte(hello + i);
        }
        return bytes;
    }

    /** Takes a peer's request, whose hello is valid. */
    void accept(final RdmaConnection request, final byte[] hello)
    {
        put(hello);
        request.moveTo(manager, (moved) ->
        {
            connection = moved;
            moved.accept(config, this, bytes(helloSent));
        }, () -> close(EndpointStatus.CONNECTION_LOST, "the request to connect ended before it was accepted"));
    }

    private void put(final byte[] hello)
    {
        for (int i = 0; i < Hello.SIZE_BYTES; i++)
        {
            NativeMemory.putByte(helloReceived + i, hello[i]);
        }
    }

    /**
     * Sets its owner, of a link that a peer asked for: before it is polled.
     *
     * @param owner of the link.
     */
    public void handler(final LinkHandler owner)
    {
        handler = owner;
    }

    @Override
    public void onQueuePair(final RdmaConnection of)
    {
        connection = of;
        try
        {
            prepare(of);
        }
        catch (final RdmaException e)
        {
            close(EndpointStatus.NO_RESOURCES, e.getMessage());
        }
    }

    private void prepare(final RdmaConnection of)
    {
        registrations = new Registrations(of.domain());
        frames = new FrameSlots(sizes, registrations);
        frames.openEarly();
        if (isConnecting)
        {
            frames.openReceive(of.queuePair());
        }
        else
        {
            frames.postEarly(of.queuePair());
        }
    }

    @Override
    public void onEstablished(final RdmaConnection of)
    {
        if (State.OPENING != state)
        {
            return;
        }
        if (isConnecting)
        {
            final byte[] hello = of.peerData();
            final String reason = check(hello);
            if (null != reason)
            {
                close(EndpointStatus.INCOMPATIBLE, reason);
                return;
            }
            try
            {
                frames.openSend(Hello.slotBytes(helloReceived));
            }
            catch (final RdmaException e)
            {
                close(EndpointStatus.NO_RESOURCES, e.getMessage());
                return;
            }
        }
        open();
    }

    private String check(final byte[] hello)
    {
        if (hello.length < Hello.SIZE_BYTES)
        {
            return "the private data of the peer has " + hello.length + " bytes, not " + Hello.SIZE_BYTES +
                ": it does not speak this protocol";
        }
        put(hello);
        return Hello.invalid(helloReceived);
    }

    private void open()
    {
        state = State.OPEN;
        handler.onOpen(helloSent, helloReceived);
    }

    @Override
    public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
    {
        work++;
        if (CompletionStatus.SUCCESS != status)
        {
            onFailure(status);
            return;
        }
        if (State.OPENING == state && !isConnecting)
        {
            // What the peer sent when it was accepted may come before the event that says so.
            open();
        }
        if (State.OPEN != state)
        {
            return;
        }
        final int slot = (int)id;
        final long frame = frames.received(slot);
        if (bytes < FrameHeader.SIZE_BYTES || FrameHeader.payloadBytes(frame) != bytes - FrameHeader.SIZE_BYTES ||
            !FrameHeader.isReservedZero(frame))
        {
            close(EndpointStatus.PROTOCOL_ERROR, "the peer sent " + bytes + " bytes that are no frame");
            return;
        }
        handler.onFrame(frame, bytes - FrameHeader.SIZE_BYTES);
        if (State.OPEN == state)
        {
            frames.post(connection.queuePair(), slot);
        }
    }

    @Override
    public void onSent(final long id, final CompletionStatus status)
    {
        work++;
        if (0 != (id & RdmaOperations.ID_BIT))
        {
            onOperation((int)(id ^ RdmaOperations.ID_BIT), status);
        }
        else if (CompletionStatus.SUCCESS != status)
        {
            onFailure(status);
        }
        else if (GOODBYE_ID == id)
        {
            end();
        }
        else
        {
            frames.onSent(id);
        }
    }

    private void onOperation(final int operation, final CompletionStatus status)
    {
        if (CompletionStatus.SUCCESS != status)
        {
            onFailure(status);
            if (CompletionStatus.FLUSHED != status && NO_OPERATION == failed)
            {
                failed = operation;
                failedStatus = statusOf(status);
            }
            return;
        }
        if (operations.onPieceDone(operation))
        {
            handler.onOperation(operation, EndpointStatus.SUCCESS);
        }
    }

    /** The first failure says why the connection ends; it ends by itself. */
    private void onFailure(final CompletionStatus status)
    {
        if (CompletionStatus.FLUSHED != status && (State.OPENING == state || State.OPEN == state))
        {
            closeStatus = statusOf(status);
            closeReason = EndpointStatus.ACCESS_DENIED == closeStatus ? closeStatus.text() : status.text();
            state = State.CLOSING;
        }
    }

    private static EndpointStatus statusOf(final CompletionStatus status)
    {
        return switch (status)
        {
            case SUCCESS -> EndpointStatus.SUCCESS;
            case REMOTE_ACCESS, REMOTE_INVALID -> EndpointStatus.ACCESS_DENIED;
            case RECEIVER_NOT_READY -> EndpointStatus.RECEIVER_NOT_READY;
            case LENGTH -> EndpointStatus.TOO_LONG;
            case FLUSHED, RETRIES, TIMEOUT, REMOTE_OPERATION, REMOTE_ABORT -> EndpointStatus.CONNECTION_LOST;
            default -> EndpointStatus.DEVICE_FAILED;
        };
    }

    @Override
    public void onClosed(final RdmaConnection of, final String reason)
    {
        if (State.OPENING == state || State.OPEN == state)
        {
            closeStatus = State.OPEN == state ? EndpointStatus.CONNECTION_LOST :
                of.hasNotReachedPeer() ? EndpointStatus.UNREACHABLE : EndpointStatus.DEVICE_FAILED;
            closeReason = reason;
            // A refusal by the connection manager itself has zeros, or nothing.
            if (State.OPENING == state && isConnecting && of.peerData().length >= Hello.SIZE_BYTES)
            {
                put(of.peerData());
            }
            if (State.OPENING == state && isConnecting && Hello.hasMagic(helloReceived))
            {
                final String refusal = Hello.invalid(helloReceived);
                closeStatus = null == refusal ? EndpointStatus.REJECTED : EndpointStatus.INCOMPATIBLE;
                closeReason = null == refusal ? reason : refusal;
            }
        }
        state = State.ENDED;
    }

    @Override
    public TransportKind kind()
    {
        return TransportKind.RDMA;
    }

    @Override
    public BulkPool outgoing()
    {
        return outgoing;
    }

    @Override
    public BulkPool incoming()
    {
        return incoming;
    }

    @Override
    public int poll()
    {
        if (State.ENDED == state)
        {
            finish();
            return 1;
        }
        final int done = work;
        work = 0;
        return done;
    }

    @Override
    public int flush()
    {
        return State.OPEN == state ? operations.issue(connection.queuePair(), connection.readsInitiated()) : 0;
    }

    @Override
    public boolean canSleep()
    {
        return sizes.eventChannel() && State.ENDED != state && 0 == work;
    }

    @Override
    public void onAuthenticated(final JoinProof proof)
    {
        // There is one queue pair, for frames and bulk: no stream has to prove anything.
        if (isConnecting || State.OPEN != state)
        {
            return;
        }
        try
        {
            frames.openReceive(connection.queuePair());
            frames.openSend(Hello.slotBytes(helloReceived));
        }
        catch (final RdmaException e)
        {
            close(EndpointStatus.NO_RESOURCES, e.getMessage());
        }
    }

    @Override
    public long claim(final int frameBytes)
    {
        return State.OPEN == state ? frames.claim(connection.queuePair()) : 0;
    }

    @Override
    public void commit(final int frameBytes)
    {
        frames.commit(connection.queuePair(), frameBytes);
    }

    @Override
    public void read(
        final int operation,
        final long remoteAddress,
        final long remoteKey,
        final MessageMemory local,
        final long localOffset,
        final long lengthBytes)
    {
        begin(operation, false, remoteAddress, remoteKey, local, localOffset, lengthBytes);
    }

    @Override
    public void write(
        final int operation,
        final long remoteAddress,
        final long remoteKey,
        final MessageMemory local,
        final long localOffset,
        final long lengthBytes)
    {
        begin(operation, true, remoteAddress, remoteKey, local, localOffset, lengthBytes);
    }

    private void begin(
        final int operation,
        final boolean isWrite,
        final long remoteAddress,
        final long remoteKey,
        final MessageMemory local,
        final long localOffset,
        final long lengthBytes)
    {
        if (State.OPEN != state)
        {
            // The end of the link ends the operation.
            return;
        }
        try
        {
            // A block of the pool may be offered to the peer later; a user's memory is the peer's only by an export.
            final RegionAccess access = local.isPooled() ? RegionAccess.REMOTE_READ : RegionAccess.LOCAL;
            final RdmaRegion region =
                isWrite ? registrations.local(local, access) : registrations.forReads(local, access);
            operations.begin(operation, isWrite, remoteAddress, (int)remoteKey, local.address() + localOffset,
                region.localKey(), lengthBytes);
        }
        catch (final RdmaException e)
        {
            close(EndpointStatus.NO_RESOURCES, e.getMessage());
        }
    }

    @Override
    public long export(
        final MessageMemory memory,
        final long offset,
        final long lengthBytes,
        final ExportAccess access,
        final long descriptor)
    {
        if (State.OPEN != state)
        {
            // The protection domain may be gone with its device.
            return 0;
        }
        final long address = memory.address() + offset;
        final long key = registrations.export(address, lengthBytes, switch (access)
        {
            case READ -> RegionAccess.REMOTE_READ;
            case WRITE -> RegionAccess.REMOTE_WRITE;
            case READ_WRITE -> RegionAccess.REMOTE_READ_WRITE;
        });
        RegionDescriptor.write(descriptor, address, lengthBytes, key, access.bits());
        return key;
    }

    @Override
    public void revoke(final long key)
    {
        if (null != registrations)
        {
            registrations.revoke(key);
        }
    }

    @Override
    public long offer(final long address, final long lengthBytes, final long descriptor)
    {
        final RdmaRegion region = registrations.readable(address, lengthBytes);
        return null == region ? 0 : describe(region, address, lengthBytes, descriptor);
    }

    private static long describe(
        final RdmaRegion region, final long address, final long lengthBytes, final long descriptor)
    {
        final long key = Registrations.key(region);
        RegionDescriptor.write(descriptor, address, lengthBytes, key, ExportAccess.READ.bits());
        return key;
    }

    @Override
    public long offer(final MessageMemory block, final long lengthBytes, final long descriptor)
    {
        if (State.OPEN != state)
        {
            return 0;
        }
        try
        {
            return describe(registrations.local(block, RegionAccess.REMOTE_READ), block.address(), lengthBytes,
                descriptor);
        }
        catch (final RdmaException e)
        {
            close(EndpointStatus.NO_RESOURCES, e.getMessage());
            return 0;
        }
    }

    @Override
    public void withdraw(final long key)
    {
        // The peer read it, and may read the block until it is used again: it has only what is sent to this peer.
    }

    @Override
    public void close(final EndpointStatus status, final String reason)
    {
        if (State.OPENING != state && State.OPEN != state)
        {
            return;
        }
        closeStatus = status;
        closeReason = reason;
        if (State.OPENING == state)
        {
            end();
            return;
        }
        state = State.SAYING_GOODBYE;
        if (frames.sendGoodbye(connection.queuePair(), GOODBYE_ID, status, handler.delivered()))
        {
            reactor.schedule(reactor.nowNs() + GOODBYE_NS, (_) -> end());
        }
        else
        {
            end();
        }
    }

    @Override
    public void abort(final EndpointStatus status, final String reason)
    {
        if (State.OPENING == state || State.OPEN == state)
        {
            closeStatus = status;
            closeReason = reason;
            end();
        }
    }

    private void end()
    {
        if (State.OPENING == state || State.OPEN == state || State.SAYING_GOODBYE == state)
        {
            state = State.CLOSING;
            if (null == connection)
            {
                // The request has not moved here yet; it is refused then.
                state = State.ENDED;
                return;
            }
            connection.close(closeReason);
        }
    }

    private void finish()
    {
        state = State.CLOSED;
        try
        {
            if (null != registrations)
            {
                registrations.close();
            }
            manager.close();
        }
        finally
        {
            // Whoever waits is notified, whatever the device answers. Not before: it had other pieces of what failed.
            if (NO_OPERATION != failed)
            {
                handler.onOperation(failed, failedStatus);
            }
            handler.onClosed(closeStatus, closeReason);
            free();
        }
    }

    private void free()
    {
        manager.close();
        if (null != frames)
        {
            frames.close();
        }
        outgoing.close();
        incoming.close();
        arena.close();
    }
}
