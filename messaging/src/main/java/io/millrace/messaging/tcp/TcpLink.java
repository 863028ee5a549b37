package io.millrace.messaging.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.messaging.transport.BulkPool;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.JoinProof;
import io.millrace.messaging.transport.LinkException;
import io.millrace.messaging.transport.LinkHandler;
import io.millrace.messaging.transport.LinkSizes;
import io.millrace.messaging.transport.MessageLink;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.messaging.wire.BulkHeader;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import io.millrace.messaging.wire.RegionDescriptor;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;

/**
 * A connection over TCP: stream 0 has the frames, and the bulk as long as no other stream is open; the others have
 * bulk once the accepting side has answered their hello. A stream that ends before is not missed.
 * One reactor's; nothing is allocated for a message.
 */
public final class TcpLink implements MessageLink, StreamHandler
{
    /** How the link stands. */
    private enum State
    {
        /** Connects, or waits for the hello. */
        OPENING,
        /** Carries frames. */
        OPEN,
        /** Sends what is queued, then waits for the peer's end of the stream. */
        CLOSING,
        /** Ended; to be reported. */
        FAILED,
        /** Ended, and reported. */
        CLOSED
    }

    private static final long LINGER_NS = 1_000_000_000L;
    /** Enough for the headers of all requests and answers of a stream. */
    private static final int BULK_HEADERS_BYTES = 16 << 10;
    /** Requests that a peer may have outstanding on a stream, reads and writes. */
    private static final int ANSWERS_BYTES = 2 * BulkHeader.OUTSTANDING_MAX * BulkHeader.SIZE_BYTES;

    private final Reactor reactor;
    private final LinkSizes sizes;
    private final InetSocketAddress peer;
    private final Arena arena = Arena.ofShared();
    private final long helloSent = arena.allocate(Hello.SIZE_BYTES, Long.BYTES).address();
    private final long helloReceived = arena.allocate(Hello.SIZE_BYTES, Long.BYTES).address();
    private final RegionTable regions = new RegionTable();
    private final BulkPool outgoing;
    private final BulkPool incoming;
    private final BulkRequests requests = new BulkRequests(this);
    private final TcpStream[] streams = new TcpStream[Hello.STREAMS_MAX];
    private final BulkRequests.Pieces[] pieces = new BulkRequests.Pieces[Hello.STREAMS_MAX];
    private final boolean isConnecting;
    private final long connectionId;
    private LinkHandler handler;
    private State state = State.OPENING;
    private JoinProof joinProof;
    private int streamCount;
    private EndpointStatus closeStatus = EndpointStatus.CONNECTION_LOST;
    private String closeReason = "";
    private long lingerUntilNs;

    /**
     * Connects.
     *
     * @param reactor of the link.
     * @param peer    where to.
     * @param sizes   of this side.
     * @param nonce   {@value Hello#NONCE_BYTES} random bytes.
     * @param handler owner.
     * @return the link.
     * @throws LinkException when it cannot begin.
     */
    public static TcpLink connect(
        final Reactor reactor,
        final InetSocketAddress peer,
        final LinkSizes sizes,
        final byte[] nonce,
        final LinkHandler handler)
    {
        final int fd = SocketOptions.connect(reactor.kernel(), peer, sizes.silenceNs());
        final TcpLink link = new TcpLink(reactor, peer, sizes, nonce, 0L, true);
        link.handler = handler;
        link.add(new TcpStream(reactor, fd, TcpStream.State.CONNECTING, sizes.slotBytes(), link), 0);
        return link;
    }

    /** One that a peer asked for. */
    TcpLink(
        final Reactor reactor,
        final InetSocketAddress peer,
        final LinkSizes sizes,
        final byte[] nonce,
        final long connectionId)
    {
        this(reactor, peer, sizes, nonce, connectionId, false);
    }

    private TcpLink(
        final Reactor reactor,
        final InetSocketAddress peer,
        final LinkSizes sizes,
        final byte[] nonce,
        final long connectionId,
        final boolean isConnecting)
    {
        this.reactor = reactor;
        this.peer = peer;
        this.sizes = sizes;
        this.isConnecting = isConnecting;
        this.connectionId = connectionId;
        outgoing = new BulkPool(sizes.bulkBytesMax(), (_) ->
        {
        });
        incoming = new BulkPool(sizes.bulkBytesMax(), (_) ->
        {
        });
        writeHello(helloSent, 0, connectionId);
        for (int i = 0; i < Hello.NONCE_BYTES; i++)
        {
            NativeMemory.putByte(helloSent + Hello.NONCE_OFFSET + i, nonce[i]);
        }
    }

    private void add(final TcpStream stream, final int number)
    {
        if (0 == number)
        {
            stream.assignFirst(this, regions);
        }
        else
        {
            stream.assignFurther(this, number, BULK_HEADERS_BYTES, regions);
        }
        streams[streamCount] = stream;
        pieces[streamCount] = new BulkRequests.Pieces();
        streamCount++;
    }

    /** Takes the stream of a peer that asked for a link; its hello is answered. */
    void accept(final TcpStream stream, final long helloAddress)
    {
        add(stream, 0);
        sendHello(stream, helloSent);
        NativeMemory.copy(helloAddress, helloReceived, Hello.SIZE_BYTES);
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

    /**
     * {@return the address of the peer}
     */
    public InetSocketAddress peer()
    {
        return peer;
    }

    long connectionId()
    {
        return connectionId;
    }

    /**
     * Both sides have proved that they know the secret: further streams may join.
     *
     * @param proof of streams.
     */
    @Override
    public void onAuthenticated(final JoinProof proof)
    {
        joinProof = proof;
        streams[0].onAuthenticated(sizes.sendBufferBytes());
        if (!isConnecting)
        {
            return;
        }
        for (int i = 1; i < sizes.streams(); i++)
        {
            try
            {
                final int fd = SocketOptions.connect(reactor.kernel(), peer, sizes.silenceNs());
                add(new TcpStream(reactor, fd, TcpStream.State.CONNECTING, sizes.slotBytes(), this), i);
            }
            catch (final LinkException e)
            {
                // The streams that there are carry the bulk.
                return;
            }
        }
    }

    /** {@return whether a stream was taken that says it belongs to this link} */
    boolean join(final TcpStream stream, final long helloAddress)
    {
        if (State.OPEN != state && State.CLOSING != state || null == joinProof || streamCount == Hello.STREAMS_MAX ||
            !joinProof.takes(Hello.stream(helloAddress), helloAddress + Hello.NONCE_OFFSET))
        {
            return false;
        }
        add(stream, Hello.stream(helloAddress));
        if (State.CLOSING == state)
        {
            // The goodbye is on its way: a stream that ended before it would be a broken connection.
            stream.discard();
            return true;
        }
        final long to = stream.queue().claim(Hello.SIZE_BYTES);
        writeHello(to, stream.number(), connectionId);
        NativeMemory.copy(helloSent + Hello.NONCE_OFFSET, to + Hello.NONCE_OFFSET, Hello.NONCE_BYTES);
        stream.queue().commit(Hello.SIZE_BYTES);
        return true;
    }

    private void writeHello(final long to, final int stream, final long id)
    {
        Hello.write(to, stream, sizes.slotBytes(), sizes.receiveDepth(), sizes.messageBytesMax(), id);
    }

    private static void sendHello(final TcpStream stream, final long hello)
    {
        final long to = stream.queue().claim(Hello.SIZE_BYTES);
        NativeMemory.copy(hello, to, Hello.SIZE_BYTES);
        stream.queue().commit(Hello.SIZE_BYTES);
    }

    TcpStream stream(final int slot)
    {
        return streams[slot];
    }

    BulkRequests.Pieces pieces(final int slot)
    {
        return pieces[slot];
    }

    int streamCount()
    {
        return streamCount;
    }

    @Override
    public TransportKind kind()
    {
        return TransportKind.TCP;
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
        if (State.OPENING == state && !isConnecting)
        {
            state = State.OPEN;
            handler.onOpen(helloSent, helloReceived);
        }
        int work = 0;
        for (int i = 0; i < streamCount; i++)
        {
            work += streams[i].poll();
        }
        if (0 != work && State.OPEN == state)
        {
            handler.onReceived();
        }
        if (State.FAILED == state)
        {
            finish();
            return 1;
        }
        return work;
    }

    @Override
    public int flush()
    {
        int work = State.OPEN == state ? requests.issue() : 0;
        final int sending = State.OPEN == state ? streamCount : Math.min(1, streamCount);
        for (int i = 0; i < sending; i++)
        {
            work += streams[i].flush();
        }
        return State.CLOSING == state ? work + linger() : work;
    }

    @Override
    public boolean canSleep()
    {
        if (State.FAILED == state || State.OPENING == state && !isConnecting)
        {
            return false;
        }
        final int awaited = State.CLOSING == state ? Math.min(1, streamCount) : streamCount;
        for (int i = 0; i < awaited; i++)
        {
            if (!streams[i].canSleep())
            {
                return false;
            }
        }
        return true;
    }

    @Override
    public long claim(final int frameBytes)
    {
        // Answers to the requests of an honest peer always find room behind frames.
        return State.OPEN == state ? streams[0].queue().claim(frameBytes + ANSWERS_BYTES) : 0;
    }

    @Override
    public void commit(final int frameBytes)
    {
        streams[0].queue().commit(frameBytes);
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
        requests.begin(operation, false, remoteAddress, remoteKey, local.address() + localOffset, lengthBytes);
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
        requests.begin(operation, true, remoteAddress, remoteKey, local.address() + localOffset, lengthBytes);
    }

    @Override
    public long export(
        final MessageMemory memory,
        final long offset,
        final long lengthBytes,
        final ExportAccess access,
        final long descriptor)
    {
        return add(memory.address() + offset, lengthBytes, access, descriptor);
    }

    private long add(
        final long address, final long lengthBytes, final ExportAccess access, final long descriptor)
    {
        final long key = regions.add(address, lengthBytes, access);
        RegionDescriptor.write(descriptor, 0L, lengthBytes, key, access.bits());
        return key;
    }

    @Override
    public void revoke(final long key)
    {
        regions.remove(key);
    }

    @Override
    public long offer(final long address, final long lengthBytes, final long descriptor)
    {
        return add(address, lengthBytes, ExportAccess.READ, descriptor);
    }

    @Override
    public long offer(final MessageMemory block, final long lengthBytes, final long descriptor)
    {
        return add(block.address(), lengthBytes, ExportAccess.READ, descriptor);
    }

    @Override
    public void withdraw(final long key)
    {
        regions.remove(key);
    }

    @Override
    public void onConnected(final TcpStream stream)
    {
        if (0 == stream.number())
        {
            sendHello(stream, helloSent);
            return;
        }
        if (State.OPEN != state)
        {
            return;
        }
        final long to = stream.queue().claim(Hello.SIZE_BYTES);
        writeHello(to, stream.number(), Hello.connectionId(helloReceived));
        joinProof.write(stream.number(), to + Hello.NONCE_OFFSET);
        stream.queue().commit(Hello.SIZE_BYTES);
    }

    @Override
    public void onHello(final TcpStream stream, final long helloAddress)
    {
        if (0 != stream.number())
        {
            if (State.OPEN != state || null != Hello.invalid(helloAddress) ||
                Hello.stream(helloAddress) != stream.number() ||
                Hello.connectionId(helloAddress) != Hello.connectionId(helloReceived))
            {
                stream.close();
            }
            return;
        }
        if (State.OPENING != state)
        {
            return;
        }
        final String reason = Hello.invalid(helloAddress);
        if (null != reason)
        {
            onFailed(stream, EndpointStatus.INCOMPATIBLE, reason);
            return;
        }
        NativeMemory.copy(helloAddress, helloReceived, Hello.SIZE_BYTES);
        state = State.OPEN;
        handler.onOpen(helloSent, helloReceived);
    }

    @Override
    public void onFrame(final TcpStream stream, final long address, final int payloadBytes)
    {
        if (State.OPEN != state)
        {
            return;
        }
        if (0 != stream.number())
        {
            onFailed(stream, EndpointStatus.PROTOCOL_ERROR, "the peer sent a frame on a stream of bulk");
            return;
        }
        if (!FrameHeader.isReservedZero(address))
        {
            onFailed(stream, EndpointStatus.PROTOCOL_ERROR, "the peer sent a frame with reserved bytes set");
            return;
        }
        handler.onFrame(address, payloadBytes);
    }

    @Override
    public long onBulk(final TcpStream stream, final long at)
    {
        if (State.OPEN != state)
        {
            return 0;
        }
        if (null == joinProof)
        {
            onFailed(stream, EndpointStatus.PROTOCOL_ERROR, "the peer asked for memory before it was authenticated");
            return 0;
        }
        final int kind = FrameHeader.kind(at);
        final long operation = BulkHeader.operation(at);
        if (operation < 0 || operation >= OPERATIONS_MAX)
        {
            onFailed(stream, EndpointStatus.PROTOCOL_ERROR, "the peer sent a frame of kind " + kind +
                " for operation " + operation + ": 0 to " + (OPERATIONS_MAX - 1) + " are valid");
            return 0;
        }
        return switch (kind)
        {
            case BulkHeader.READ_REQUEST -> onReadRequest(stream, at);
            case BulkHeader.WRITE_DATA -> onWriteData(stream, at);
            case BulkHeader.READ_DATA -> requests.onAnswer(stream, piecesOf(stream), at, true);
            case BulkHeader.WRITE_DONE -> requests.onAnswer(stream, piecesOf(stream), at, false);
            default ->
            {
                onFailed(stream, EndpointStatus.PROTOCOL_ERROR,
                    "the peer sent a frame of the unknown kind " + kind);
                yield 0;
            }
        };
    }

    private BulkRequests.Pieces piecesOf(final TcpStream stream)
    {
        int slot = 0;
        while (streams[slot] != stream)
        {
            slot++;
        }
        return pieces[slot];
    }

    private long onReadRequest(final TcpStream stream, final long at)
    {
        final int bytes = BulkHeader.count(at);
        if (bytes < 1 || bytes > BulkHeader.PIECE_BYTES_MAX || 0 != BulkHeader.payloadBytes(at))
        {
            onFailed(stream, EndpointStatus.PROTOCOL_ERROR, "the peer asked for " + Integer.toUnsignedString(bytes) +
                " bytes: 1 to " + BulkHeader.PIECE_BYTES_MAX + " are valid");
            return 0;
        }
        final long key = BulkHeader.key(at);
        final long from = regions.resolve(key, BulkHeader.address(at), bytes, ExportAccess.READ);
        if (answer(stream, at, BulkHeader.READ_DATA, 0 == from, 0 == from ? 0 : bytes) && 0 != from)
        {
            stream.queue().add(from, bytes, key);
        }
        return 0;
    }

    private long onWriteData(final TcpStream stream, final long at)
    {
        final int bytes = BulkHeader.payloadBytes(at);
        if (bytes < 1 || bytes > BulkHeader.PIECE_BYTES_MAX)
        {
            onFailed(stream, EndpointStatus.PROTOCOL_ERROR, "the peer writes " + Integer.toUnsignedString(bytes) +
                " bytes: 1 to " + BulkHeader.PIECE_BYTES_MAX + " are valid");
            return 0;
        }
        final long key = BulkHeader.key(at);
        final long to = regions.resolve(key, BulkHeader.address(at), bytes, ExportAccess.WRITE);
        if (0 == to)
        {
            // The payload that follows has no place: no further frame can be read.
            close(EndpointStatus.ACCESS_DENIED, "the peer wrote where it may not: " +
                "check key, bounds and rights there, and that the region was not revoked");
            return 0;
        }
        stream.expectWriteData(BulkHeader.operation(at), key);
        return to;
    }

    private boolean answer(
        final TcpStream stream, final long at, final int kind, final boolean isDenied, final int bytes)
    {
        final long to = stream.queue().claim(BulkHeader.SIZE_BYTES);
        if (0 == to)
        {
            onFailed(stream, EndpointStatus.PROTOCOL_ERROR, "the peer has more than " + BulkHeader.OUTSTANDING_MAX +
                " requests outstanding on a stream");
            return false;
        }
        BulkHeader.write(to, kind, isDenied ? BulkHeader.DENIED : BulkHeader.GRANTED, bytes,
            BulkHeader.operation(at), 0L, 0L, 0);
        stream.queue().commit(BulkHeader.SIZE_BYTES);
        return true;
    }

    @Override
    public void onPayload(final TcpStream stream)
    {
        if (State.OPEN != state)
        {
            return;
        }
        if (TcpStream.Payload.READ_DATA == stream.payload())
        {
            requests.onPieceDone(piecesOf(stream));
            return;
        }
        final long to = stream.queue().claim(BulkHeader.SIZE_BYTES);
        if (0 == to)
        {
            onFailed(stream, EndpointStatus.PROTOCOL_ERROR, "the peer has more than " + BulkHeader.OUTSTANDING_MAX +
                " requests outstanding on a stream");
            return;
        }
        BulkHeader.write(to, BulkHeader.WRITE_DONE, BulkHeader.GRANTED, 0, stream.writeOperation(), 0L, 0L, 0);
        stream.queue().commit(BulkHeader.SIZE_BYTES);
    }

    void onDone(final int operation)
    {
        handler.onOperation(operation, EndpointStatus.SUCCESS);
    }

    /** A read was refused: nothing of it waits to be sent, and what comes on other streams is dropped from now on. */
    void onDenied(final int operation)
    {
        handler.onOperation(operation, EndpointStatus.ACCESS_DENIED);
        close(EndpointStatus.ACCESS_DENIED, EndpointStatus.ACCESS_DENIED.text());
    }

    @Override
    public void onFailed(final TcpStream stream, final EndpointStatus status, final String reason)
    {
        if (0 != stream.number() &&
            (TcpStream.State.CONNECTING == stream.state() || TcpStream.State.HELLO == stream.state()))
        {
            // It carried nothing: the bulk goes on over the streams that are open.
            stream.close();
            return;
        }
        switch (state)
        {
            case CLOSING ->
            {
                if (0 == stream.number())
                {
                    state = State.FAILED;
                }
                else
                {
                    stream.close();
                }
            }
            case OPENING, OPEN ->
            {
                if (EndpointStatus.PROTOCOL_ERROR == status || EndpointStatus.INCOMPATIBLE == status)
                {
                    close(status, reason);
                    return;
                }
                closeStatus = status;
                closeReason = reason;
                state = State.FAILED;
            }
            default ->
            {
            }
        }
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
        if (State.OPENING == state && isConnecting)
        {
            state = State.FAILED;
            return;
        }
        final long goodbye = streams[0].queue().claim(FrameHeader.SIZE_BYTES);
        if (0 != goodbye)
        {
            FrameHeader.write(goodbye, FrameHeader.GOODBYE, 0, 0L, handler.delivered(), status.ordinal());
            streams[0].queue().commit(FrameHeader.SIZE_BYTES);
        }
        state = State.CLOSING;
        streams[0].discard();
        lingerUntilNs = reactor.nowNs() + LINGER_NS;
        reactor.schedule(lingerUntilNs, (_) ->
        {
            if (State.CLOSING == state)
            {
                state = State.FAILED;
            }
        });
        // They end with stream 0: an end that the peer sees before the goodbye would be a broken connection.
        for (int i = 1; i < streamCount; i++)
        {
            streams[i].discard();
        }
    }

    @Override
    public void abort(final EndpointStatus status, final String reason)
    {
        if (State.OPENING == state || State.OPEN == state)
        {
            closeStatus = status;
            closeReason = reason;
            state = State.FAILED;
        }
    }

    /** A goodbye that is followed by a reset may be lost: what the peer still sends is taken first. */
    private int linger()
    {
        if (TcpStream.State.DISCARDING != streams[0].state() || !streams[0].queue().isEmpty())
        {
            return 0;
        }
        streams[0].endSending();
        return 1;
    }

    private void finish()
    {
        state = State.CLOSED;
        for (int i = 0; i < streamCount; i++)
        {
            streams[i].close();
        }
        handler.onClosed(closeStatus, closeReason);
        for (int i = 0; i < streamCount; i++)
        {
            streams[i].free();
        }
        streamCount = 0;
        outgoing.close();
        incoming.close();
        arena.close();
    }
}
