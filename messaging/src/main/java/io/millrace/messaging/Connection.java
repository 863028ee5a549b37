package io.millrace.messaging;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.LinkHandler;
import io.millrace.messaging.transport.LinkSizes;
import io.millrace.messaging.transport.MessageLink;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import io.millrace.messaging.wire.RegionDescriptor;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The protocol over one link, from its beginning to its end. One endpoint's, on its reactor; nothing is allocated for a
 * message.
 */
final class Connection implements LinkHandler
{
    /** How the connection stands. */
    enum State
    {
        /** Waits for the link. */
        OPENING,
        /** Waits for the proof of the peer. */
        PROVING,
        /** Carries messages. */
        OPEN,
        /** Ends: nothing is sent or taken any more. */
        CLOSING,
        /** Ended. */
        CLOSED
    }

    private static final long NEVER = -1;
    /**
     * Signs of life without a frame of the peer between them: of one that stands still they take receive slots. One
     * that lives sends some itself.
     */
    private static final int SIGNS_OF_LIFE_MAX = 4;

    private final Messaging messaging;
    private final Endpoint endpoint;
    private final boolean isConnecting;
    private final LinkSizes sizes;
    private final long deadlineNs;
    private final Operations operations = new Operations();
    private final UnsafeBuffer received = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer sending = new UnsafeBuffer(0, 0);
    private MessageLink link;
    private State state = State.OPENING;
    private Handshake handshake;
    private SendWindow window;
    private ReceiveOrder order;
    private int eagerBytesMax;
    private int frameBytesMax;
    private long peerMessageBytesMax;
    private long lastReceivedNs;
    private long lastSentNs;
    private int signsOfLife;
    private boolean wantsRoom;
    private boolean wantsOperation;
    /** Room is there only after a message beyond this count was acknowledged. */
    private long roomAfter = NEVER;

    Connection(final Messaging messaging, final Endpoint endpoint, final boolean isConnecting, final long nowNs)
    {
        this.messaging = messaging;
        this.endpoint = endpoint;
        this.isConnecting = isConnecting;
        sizes = messaging.context().sizes();
        deadlineNs = nowNs + messaging.context().connectTimeoutNs();
        lastReceivedNs = nowNs;
        lastSentNs = nowNs;
    }

    void link(final MessageLink of)
    {
        link = of;
    }

    MessageLink link()
    {
        return link;
    }

    Endpoint endpoint()
    {
        return endpoint;
    }

    State state()
    {
        return state;
    }

    @Override
    public void onOpen(final long helloSent, final long helloReceived)
    {
        // A frame that the own send buffer never has room for would wait without an end.
        frameBytesMax = Math.min(Hello.slotBytes(helloReceived), sizes.sendBufferBytes() / 4);
        eagerBytesMax = frameBytesMax - FrameHeader.SIZE_BYTES;
        peerMessageBytesMax = Hello.messageBytesMax(helloReceived);
        // Each message is answered by an acknowledgement at most: those need receive slots of this side.
        final int messages = LinkSizes.window(Math.min(Hello.receiveDepth(helloReceived), sizes.receiveDepth()));
        window = new SendWindow(messages);
        order = new ReceiveOrder(link, operations, messages, sizes.slotBytes(), this::deliver);
        handshake = new Handshake(messaging.context().secret(), isConnecting ? helloSent : helloReceived,
            isConnecting ? helloReceived : helloSent);
        state = State.PROVING;
        if (isConnecting)
        {
            sendProof();
        }
    }

    private void sendProof()
    {
        final int bytes = FrameHeader.SIZE_BYTES + Handshake.PROOF_BYTES;
        final long frame = link.claim(bytes);
        if (0 == frame)
        {
            close(EndpointStatus.NO_RESOURCES, "there is no room for the first frame");
            return;
        }
        FrameHeader.write(frame, FrameHeader.PROOF, Handshake.PROOF_BYTES, 0L, 0L, 0L);
        handshake.write(isConnecting, frame + FrameHeader.SIZE_BYTES);
        link.commit(bytes);
    }

    @Override
    public void onFrame(final long address, final int payloadBytes)
    {
        if (State.PROVING != state && State.OPEN != state)
        {
            return;
        }
        lastReceivedNs = messaging.reactor().nowNs();
        signsOfLife = 0;
        final int kind = FrameHeader.kind(address);
        if (FrameHeader.GOODBYE == kind)
        {
            final long delivered = FrameHeader.acknowledged(address);
            if (State.OPEN == state && window.isValid(delivered) && !onAcknowledged(delivered))
            {
                return;
            }
            final EndpointStatus status = EndpointStatus.ofGoodbye(FrameHeader.value(address));
            close(status, EndpointStatus.PEER_CLOSED == status ? status.text() :
                "the peer ended the connection: " + status.text());
            return;
        }
        if (State.PROVING == state)
        {
            onProof(kind, address, payloadBytes);
            return;
        }
        if (!onAcknowledged(FrameHeader.acknowledged(address)))
        {
            return;
        }
        switch (kind)
        {
            case FrameHeader.EAGER, FrameHeader.OFFER -> onMessage(kind, address, payloadBytes);
            case FrameHeader.ACK, FrameHeader.KEEP_ALIVE ->
            {
                if (0 != payloadBytes)
                {
                    protocolError("the peer sent a frame of kind " + kind + " with " + payloadBytes + " bytes, not 0");
                }
            }
            default -> protocolError("the peer sent a frame of the unexpected kind " + kind);
        }
    }

    private void onProof(final int kind, final long address, final int payloadBytes)
    {
        if (FrameHeader.PROOF != kind || Handshake.PROOF_BYTES != payloadBytes)
        {
            protocolError("the peer sent a frame of kind " + kind + " and " + payloadBytes +
                " bytes, not the proof that it knows the secret");
            return;
        }
        if (!handshake.isRight(!isConnecting, address + FrameHeader.SIZE_BYTES))
        {
            close(EndpointStatus.NOT_AUTHENTICATED, EndpointStatus.NOT_AUTHENTICATED.text());
            return;
        }
        // The peer may use all of the link as soon as it has the proof of this side.
        link.onAuthenticated(handshake);
        if (!isConnecting && State.PROVING == state)
        {
            sendProof();
        }
        if (State.PROVING == state)
        {
            state = State.OPEN;
            endpoint.onOpen(this);
        }
    }

    private boolean onAcknowledged(final long count)
    {
        if (!window.isValid(count))
        {
            protocolError("the peer acknowledged " + Long.toUnsignedString(count) + " messages: " +
                window.acknowledged() + " to " + window.next() + " are valid");
            return false;
        }
        while (window.acknowledged() < count && State.OPEN == state)
        {
            completeFirst(EndpointStatus.SUCCESS);
        }
        return State.OPEN == state;
    }

    private void completeFirst(final EndpointStatus status)
    {
        final long id = window.firstId();
        if (0 != window.firstKey())
        {
            link.withdraw(window.firstKey());
        }
        final MessageMemory block = window.firstBlock();
        window.removeFirst();
        if (null != block)
        {
            link.outgoing().release(block);
        }
        endpoint.onCompletion(id, status);
    }

    private void onMessage(final int kind, final long address, final int payloadBytes)
    {
        final long sequence = FrameHeader.sequence(address);
        if (!order.isNext(sequence))
        {
            protocolError("the peer sent message " + Long.toUnsignedString(sequence) +
                ", which is not the next, or more messages than were acknowledged for");
            return;
        }
        final long payload = address + FrameHeader.SIZE_BYTES;
        if (FrameHeader.EAGER == kind)
        {
            order.onEager(payload, payloadBytes);
            return;
        }
        if (RegionDescriptor.SIZE_BYTES != payloadBytes)
        {
            protocolError("the peer sent an offer of " + payloadBytes + " bytes: " + RegionDescriptor.SIZE_BYTES +
                " are valid");
            return;
        }
        final long length = RegionDescriptor.lengthBytes(payload);
        if (length < 1 || length > sizes.messageBytesMax())
        {
            close(EndpointStatus.TOO_LONG, "the peer sent a message of " + Long.toUnsignedString(length) +
                " bytes: at most " + sizes.messageBytesMax() + " are taken (messageBytesMax)");
            return;
        }
        order.onOffer(RegionDescriptor.address(payload), RegionDescriptor.key(payload), (int)length);
    }

    private boolean deliver(final long address, final int lengthBytes)
    {
        messaging.counters().add(MessagingCounter.MESSAGES_RECEIVED, 1);
        messaging.counters().add(MessagingCounter.MESSAGE_BYTES_RECEIVED, lengthBytes);
        received.wrap(address, lengthBytes);
        endpoint.onMessage(received, lengthBytes);
        return State.OPEN == state;
    }

    @Override
    public void onReceived()
    {
        lastReceivedNs = messaging.reactor().nowNs();
    }

    @Override
    public long delivered()
    {
        return null == order ? 0 : order.delivered();
    }

    @Override
    public void onOperation(final int operation, final EndpointStatus status)
    {
        if (!operations.isTaken(operation))
        {
            return;
        }
        lastReceivedNs = messaging.reactor().nowNs();
        if (EndpointStatus.ACCESS_DENIED == status)
        {
            messaging.counters().add(MessagingCounter.ACCESSES_DENIED, 1);
        }
        final long value = operations.release(operation);
        if (Operations.isUsers(operation))
        {
            endpoint.onCompletion(value, status);
        }
        else if (EndpointStatus.SUCCESS == status && State.OPEN == state)
        {
            order.onRead(value);
        }
    }

    SubmitResult send(final long id, final DirectBuffer buffer, final int offset, final int length)
    {
        if (State.OPEN != state)
        {
            return SubmitResult.NOT_CONNECTED;
        }
        if (length > peerMessageBytesMax && length > eagerBytesMax)
        {
            return SubmitResult.TOO_LONG;
        }
        if (!window.hasRoom())
        {
            return backPressured(window.acknowledged());
        }
        final boolean isEager = length <= eagerBytesMax;
        final int payloadBytes = isEager ? length : RegionDescriptor.SIZE_BYTES;
        final long frame = link.claim(FrameHeader.SIZE_BYTES + payloadBytes);
        if (0 == frame)
        {
            return backPressured(NEVER);
        }
        long key = 0;
        MessageMemory block = null;
        if (isEager)
        {
            sending.wrap(frame + FrameHeader.SIZE_BYTES, length);
            sending.putBytes(0, buffer, offset, length);
        }
        else
        {
            key = null == buffer.byteArray() ?
                link.offer(buffer.addressOffset() + offset, length, frame + FrameHeader.SIZE_BYTES) : 0;
            if (0 == key)
            {
                block = link.outgoing().take(length);
                if (null == block)
                {
                    return backPressured(window.acknowledged());
                }
                sending.wrap(block.address(), length);
                sending.putBytes(0, buffer, offset, length);
                key = link.offer(block, length, frame + FrameHeader.SIZE_BYTES);
                if (0 == key)
                {
                    link.outgoing().release(block);
                    return backPressured(window.acknowledged());
                }
            }
            messaging.counters().add(MessagingCounter.MESSAGES_OFFERED, 1);
        }
        commit(frame, isEager ? FrameHeader.EAGER : FrameHeader.OFFER, payloadBytes, window.next());
        window.add(id, key, block, isEager || null != block ? null : buffer.byteBuffer());
        messaging.counters().add(MessagingCounter.MESSAGES_SENT, 1);
        messaging.counters().add(MessagingCounter.MESSAGE_BYTES_SENT, length);
        return SubmitResult.ACCEPTED;
    }

    private SubmitResult backPressured(final long after)
    {
        wantsRoom = true;
        roomAfter = after;
        messaging.counters().add(MessagingCounter.BACK_PRESSURED, 1);
        return SubmitResult.BACK_PRESSURED;
    }

    private void commit(final long frame, final int kind, final int payloadBytes, final long sequence)
    {
        FrameHeader.write(frame, kind, payloadBytes, sequence, order.delivered(), 0L);
        link.commit(FrameHeader.SIZE_BYTES + payloadBytes);
        order.onAcknowledged();
        lastSentNs = messaging.reactor().nowNs();
    }

    SubmitResult access(
        final boolean isWrite,
        final long id,
        final RemoteRegion remote,
        final long remoteOffset,
        final MessageMemory memory,
        final long offset,
        final long length)
    {
        if (State.OPEN != state)
        {
            return SubmitResult.NOT_CONNECTED;
        }
        final int operation = operations.takeForUser(id);
        if (Operations.NONE == operation)
        {
            wantsOperation = true;
            messaging.counters().add(MessagingCounter.BACK_PRESSURED, 1);
            return SubmitResult.BACK_PRESSURED;
        }
        final long remoteAddress = remote.address() + remoteOffset;
        if (isWrite)
        {
            link.write(operation, remoteAddress, remote.key(), memory, offset, length);
        }
        else
        {
            link.read(operation, remoteAddress, remote.key(), memory, offset, length);
        }
        messaging.counters().add(isWrite ? MessagingCounter.WRITES : MessagingCounter.READS, 1);
        return SubmitResult.ACCEPTED;
    }

    long export(
        final MessageMemory memory,
        final long offset,
        final long length,
        final ExportAccess access,
        final long descriptor)
    {
        return State.OPEN == state ? link.export(memory, offset, length, access, descriptor) : 0;
    }

    void revoke(final long key)
    {
        if (State.CLOSED != state)
        {
            link.revoke(key);
        }
    }

    int poll()
    {
        int work = link.poll();
        if (State.OPEN == state)
        {
            if (wantsRoom)
            {
                work += offerRoom();
            }
            if (wantsOperation && operations.hasForUser() && State.OPEN == state)
            {
                wantsOperation = false;
                endpoint.onWritable();
                work++;
            }
            // What comes together is acknowledged together, when the user's own messages do not do it.
            if (State.OPEN == state && !order.isAcknowledged() && (0 == work || order.isAcknowledgementDue()))
            {
                work += sendControl(FrameHeader.ACK);
            }
        }
        return State.CLOSED == state ? work : work + link.flush();
    }

    private int offerRoom()
    {
        if (!window.hasRoom() || window.acknowledged() <= roomAfter && !window.isEmpty() ||
            0 == link.claim(frameBytesMax))
        {
            return 0;
        }
        wantsRoom = false;
        endpoint.onWritable();
        return 1;
    }

    private int sendControl(final int kind)
    {
        final long frame = link.claim(FrameHeader.SIZE_BYTES);
        if (0 == frame)
        {
            return 0;
        }
        commit(frame, kind, 0, 0L);
        return 1;
    }

    /** Regularly: what has to happen without traffic. */
    void onTick(final long nowNs)
    {
        switch (state)
        {
            case OPENING, PROVING ->
            {
                if (nowNs - deadlineNs >= 0)
                {
                    close(EndpointStatus.CONNECT_TIMEOUT, EndpointStatus.CONNECT_TIMEOUT.text());
                }
            }
            case OPEN ->
            {
                if (nowNs - lastReceivedNs >= messaging.context().keepAliveTimeoutNs())
                {
                    close(EndpointStatus.KEEP_ALIVE_TIMEOUT, EndpointStatus.KEEP_ALIVE_TIMEOUT.text());
                }
                else if (nowNs - lastSentNs >= messaging.context().keepAliveIntervalNs() &&
                    signsOfLife < SIGNS_OF_LIFE_MAX)
                {
                    signsOfLife += sendControl(FrameHeader.KEEP_ALIVE);
                }
            }
            default ->
            {
            }
        }
    }

    boolean canSleep()
    {
        return State.CLOSED == state ||
            link.canSleep() &&
            (State.OPEN != state || order.isAcknowledged() || 0 == link.claim(FrameHeader.SIZE_BYTES));
    }

    private void protocolError(final String reason)
    {
        close(EndpointStatus.PROTOCOL_ERROR, reason);
    }

    /** {@return whether the peer may still prove itself, and has not} */
    boolean isUnproven()
    {
        return State.OPENING == state || State.PROVING == state;
    }

    /** Ends it at once: the peer gets no reason. {@link #onClosed} follows from {@link #poll}. */
    void abort(final EndpointStatus status, final String reason)
    {
        state = State.CLOSING;
        link.abort(status, reason);
    }

    /** Ends it; {@link #onClosed} follows from {@link #poll}. */
    void close(final EndpointStatus status, final String reason)
    {
        if (State.CLOSING != state && State.CLOSED != state)
        {
            state = State.CLOSING;
            link.close(status, reason);
        }
    }

    @Override
    public void onClosed(final EndpointStatus status, final String reason)
    {
        state = State.CLOSED;
        if (null != window)
        {
            while (!window.isEmpty())
            {
                completeFirst(status);
            }
            for (int i = 0; i < MessageLink.OPERATIONS_MAX; i++)
            {
                if (operations.isTaken(i))
                {
                    final long value = operations.release(i);
                    if (Operations.isUsers(i))
                    {
                        endpoint.onCompletion(value, status);
                    }
                }
            }
            order.close();
        }
        endpoint.onConnectionClosed(this, status, reason);
    }
}
