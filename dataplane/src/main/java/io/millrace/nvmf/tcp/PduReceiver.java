package io.millrace.nvmf.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.CommandIntake;
import io.millrace.nvmf.Request;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receiving side of one connection: cuts the byte stream into PDUs and parses them where they lie in the reactor's
 * {@link ReceiveBuffer}. What is here of an unfinished PDU is kept until the next turn, but payload of H2CData goes
 * straight to the memory of its request. How the stream is cut into segments makes no difference to what happens. Its
 * connection's reactor only.
 */
final class PduReceiver
{
    /** A turn is bounded: so often is the receive buffer filled before other connections have theirs. */
    private static final int ROUNDS_MAX = 8;
    /** Likewise, of capsules that waited for slots. */
    private static final int DEFERRED_PER_TURN = 64;

    private final TcpConnection connection;
    private final FatalErrors errors;
    private final ReceiveBuffer buffer;
    private final TcpCounters counters;
    private final HostDataReceiver hostData;
    private final InitializeConnection initialize = new InitializeConnection();
    private final TerminationRequest termination = new TerminationRequest();
    private final CapsuleCommand capsule = new CapsuleCommand();
    private final KeptBytes kept;
    private Digests digests = Digests.NONE;
    private ReceiveState state = ReceiveState.HEADER;
    /** Of the capsule that waits; null when it waits for a slot, or when none waits. */
    private Request stalledRequest;
    /** Capsules that wait for slots while data is awaited, which may be behind them. */
    private final DeferredCapsules deferred;
    /** Of the first of them, when it has a slot and waits for something else; null when it has none. */
    private Request deferredRequest;
    /** Where capsules go while the connection is about to move; null when it is not. */
    private HeldCapsules held;

    /** What is being parsed lies in this buffer, which begins at this address. */
    private UnsafeBuffer view;
    private long viewAddress;

    PduReceiver(
        final TcpConnection connection,
        final FatalErrors errors,
        final ReceiveBuffer buffer,
        final TcpCounters counters,
        final HostDataReceiver hostData)
    {
        this.connection = connection;
        this.errors = errors;
        this.buffer = buffer;
        this.counters = counters;
        this.hostData = hostData;
        kept = new KeptBytes(buffer);
        deferred = new DeferredCapsules(buffer.deferralBlocks(), connection.address());
        view = buffer.view();
        viewAddress = buffer.viewAddress();
    }

    ReceiveState state()
    {
        return state;
    }

    /**
     * Receives what is there, bounded, and acts on it.
     *
     * @return bytes received.
     */
    long receive()
    {
        long total = 0;
        for (int round = 0; round < ROUNDS_MAX; round++)
        {
            final int room = roomBytes();
            if (room < 0)
            {
                break;
            }
            final int payload = hostData.leftBytes();
            final long received = 0 == payload ? buffer.receive(connection.fd(), room) :
                buffer.receive(connection.fd(), room, hostData.nextAddress(), payload);
            if (received <= 0)
            {
                onNothing(received);
                break;
            }
            total += received;
            onReceived(received);
            if (received < (long)room + payload || !connection.isReceiving() || ReceiveState.STALLED == state)
            {
                break;
            }
        }
        return total;
    }

    /**
     * Reads and drops what the peer still sends, so that closing does not reset what it has yet to read.
     *
     * @return bytes dropped.
     */
    long discard()
    {
        final long received = buffer.receive(connection.fd(), buffer.roomBytes(false));
        if (received <= 0)
        {
            onNothing(received);
        }
        return Math.max(0, received);
    }

    /**
     * Frees what is kept.
     */
    void close()
    {
        if (ReceiveState.STALLED == state)
        {
            buffer.onResumed();
        }
        state = ReceiveState.HEADER;
        stalledRequest = null;
        deferredRequest = null;
        hostData.clear();
        kept.release();
        deferred.close();
    }

    /**
     * {@return whether a capsule waits, whatever is received meanwhile}
     */
    boolean isWaiting()
    {
        return ReceiveState.STALLED == state || !deferred.isEmpty();
    }

    /**
     * Begins no command any more: capsules are put aside until {@link #release} or {@link #goOn}, while data that was
     * asked for, which may come behind them, is taken in. A capsule that waits for the end of a pause is put aside,
     * too.
     */
    void hold()
    {
        held = new HeldCapsules(buffer.largeBlocks().blockBytes());
        if (ReceiveState.STALLED == state &&
            (null == stalledRequest || connection.queuePair().intake().takeBack(stalledRequest)))
        {
            stalledRequest = null;
            state = ReceiveState.HEADER;
            buffer.onResumed();
            parseKept();
        }
    }

    /**
     * {@return whether the data that was asked for can come: not while a capsule waits before it, nor when no more can
     *     be put aside. One that waits for a slot does not count: the data's own commands may have the slots}
     */
    boolean isTaking()
    {
        return ReceiveState.STALLED == state ? null == stalledRequest : roomBytes() >= 0;
    }

    /**
     * {@return whether the next byte begins a PDU, and all before it has begun}
     */
    boolean isBetween()
    {
        return ReceiveState.HEADER == state && deferred.isEmpty();
    }

    /**
     * Ends holding: the connection goes elsewhere.
     *
     * @return what has come and has not been acted on.
     */
    byte[] release()
    {
        final byte[] bytes = held.with(kept);
        held = null;
        return bytes;
    }

    /**
     * Ends holding: the connection stays.
     *
     * @return false when something must be received first.
     */
    boolean goOn()
    {
        if (ReceiveState.STALLED == state)
        {
            // What stalls had come before, so nothing behind it was put aside.
            held = null;
            return true;
        }
        if (!isBetween())
        {
            return false;
        }
        feed(release());
        return true;
    }

    /**
     * Goes on where that of another reactor has ended.
     *
     * @param former of the same connection.
     */
    void takeOver(final PduReceiver former)
    {
        digests = former.digests;
    }

    /**
     * Acts on bytes that came before all others and have not been acted on. Between two PDUs.
     *
     * @param bytes of them.
     */
    void feed(final byte[] bytes)
    {
        kept.keep(bytes);
        parseKept();
    }

    private void parseKept()
    {
        if (0 == kept.length())
        {
            return;
        }
        final boolean isSmall = kept.isSmall();
        final long start = isSmall ? kept.copyToBuffer() : kept.address();
        final long limit = start + kept.length();
        if (!isSmall)
        {
            view = kept.view();
            viewAddress = kept.address();
        }
        final long position = parse(start, limit);
        view = buffer.view();
        viewAddress = buffer.viewAddress();
        kept.keep(position, limit);
    }

    /** How much to receive; below 0 when nothing can be taken in now. */
    private int roomBytes()
    {
        final int room = buffer.roomBytes(hostData.expectsLarge());
        if (null == held)
        {
            return room;
        }
        final int less = Math.min(room, ReceiveBuffer.SCARCE_BYTES);
        if (held.hasRoom(kept.length() + less))
        {
            return less;
        }
        return switch (state)
        {
            case PAYLOAD -> digests.dataBytes();
            case DIGEST -> CommonHeader.DIGEST_SIZE_BYTES - kept.length();
            case HEADER, STALLED -> -1;
        };
    }

    private void onNothing(final long result)
    {
        if (0 == result)
        {
            connection.onEndOfStream();
        }
        else if (-Errno.EAGAIN != result && -Errno.EINTR != result)
        {
            connection.onSocketError("recv", (int)-result);
        }
    }

    /**
     * Acts on bytes that a receive has put behind what is kept, or into the memory of a request and then the receiving
     * area.
     *
     * @param received how many in all.
     */
    private void onReceived(final long received)
    {
        long start = buffer.startAddress();
        long limit = start + received;
        if (ReceiveState.PAYLOAD == state)
        {
            final int payload = (int)Math.min(received, hostData.leftBytes());
            hostData.onPayload(payload);
            limit -= payload;
            if (0 != hostData.leftBytes())
            {
                return;
            }
            onPayloadComplete();
        }
        else if (0 != kept.length())
        {
            start = kept.copyToBuffer();
        }
        kept.keep(parse(start, limit), limit);
    }

    /**
     * {@return whether a capsule that waits can go on now, as far as that is known}
     */
    boolean isResumable()
    {
        return isDeferredResumable() || isStalledResumable();
    }

    private boolean isDeferredResumable()
    {
        final CommandIntake intake = connection.queuePair().intake();
        return !deferred.isEmpty() &&
            (null == deferredRequest ? intake.hasSlot() : intake.isResumable(deferredRequest));
    }

    private boolean isStalledResumable()
    {
        if (ReceiveState.STALLED != state)
        {
            return false;
        }
        final CommandIntake intake = connection.queuePair().intake();
        return null != stalledRequest ? intake.isResumable(stalledRequest) :
            deferred.isEmpty() && intake.hasSlot() || mayDefer(WireHeader.pduLength(kept.address()));
    }

    /**
     * Tries again with the capsules that wait, and goes on behind them.
     *
     * @return false when none can go on yet.
     */
    boolean resume()
    {
        boolean isResumed = isDeferredResumable() && resumeDeferred();
        if (connection.isReady() && isStalledResumable())
        {
            isResumed |= resumeStalled();
        }
        return isResumed;
    }

    private boolean resumeDeferred()
    {
        int begun = 0;
        while (begun < DEFERRED_PER_TURN && connection.isReady() && isDeferredResumable() && beginDeferred())
        {
            deferredRequest = null;
            deferred.remove();
            begun++;
        }
        view = buffer.view();
        viewAddress = buffer.viewAddress();
        return 0 != begun;
    }

    /** Begins the first capsule that was put aside; false when it waits on. */
    private boolean beginDeferred()
    {
        final long start = deferred.address();
        final int length = WireHeader.pduLength(start);
        final CommandIntake intake = connection.queuePair().intake();
        view = deferred.view();
        viewAddress = deferred.viewAddress();
        if (null != deferredRequest)
        {
            nameData(deferredRequest, start, length);
            return intake.onCommand(deferredRequest);
        }
        final Request request = intake.begin(view, (int)(start - viewAddress) + CapsuleCommand.ENTRY_OFFSET);
        if (null == request)
        {
            return false;
        }
        if (begin(request, start, length))
        {
            return true;
        }
        deferredRequest = request;
        return false;
    }

    private boolean resumeStalled()
    {
        final boolean isSmall = kept.isSmall();
        final long start = isSmall ? kept.copyToBuffer() : kept.address();
        final long limit = start + kept.length();
        int doneBytes = 0;
        if (null != stalledRequest)
        {
            doneBytes = WireHeader.pduLength(start);
            nameData(stalledRequest, start, doneBytes);
            if (!connection.queuePair().intake().onCommand(stalledRequest))
            {
                return false;
            }
            stalledRequest = null;
        }
        state = ReceiveState.HEADER;
        buffer.onResumed();
        if (!isSmall)
        {
            view = kept.view();
            viewAddress = kept.address();
        }
        final long position = parse(start + doneBytes, limit);
        view = buffer.view();
        viewAddress = buffer.viewAddress();
        kept.keep(position, limit);
        return true;
    }

    /**
     * Acts on every PDU that is whole, and on the payload of the last one in part.
     *
     * @param start of the bytes.
     * @param limit of the bytes.
     * @return where the part begins that has to be kept.
     */
    private long parse(final long start, final long limit)
    {
        long position = start;
        while (connection.isReceiving())
        {
            final long available = limit - position;
            final int consumed = switch (state)
            {
                case HEADER -> available >= CommonHeader.SIZE_BYTES ? onHeader(position, available) : 0;
                case DIGEST -> available >= CommonHeader.DIGEST_SIZE_BYTES ? onDataDigest(position) : 0;
                case PAYLOAD, STALLED -> 0;
            };
            if (0 == consumed)
            {
                return position;
            }
            position += consumed;
        }
        return limit;
    }

    /**
     * A PDU begins here, at least its common header.
     *
     * @return bytes that are done with, 0 when more are needed first.
     */
    private int onHeader(final long position, final long available)
    {
        final int type = WireHeader.type(position);
        final int offset = (int)(position - viewAddress);
        switch (type)
        {
            case PduType.CAPSULE_COMMAND:
                return connection.isReady() ? onCapsule(position, available) : unexpected(offset);
            case PduType.HOST_DATA:
                return connection.isReady() ? onHostData(offset, available) : unexpected(offset);
            case PduType.INITIALIZE_CONNECTION_REQUEST:
                return connection.isReady() ? unexpected(offset) : onInitialize(position, available);
            case PduType.HOST_TERMINATION_REQUEST:
                return onTermination(position, available);
            default:
                capsule.wrap(view, offset);
                return errors.invalid(CommonHeader.TYPE_OFFSET, capsule, CommonHeader.SIZE_BYTES);
        }
    }

    private int unexpected(final int offset)
    {
        capsule.wrap(view, offset);
        return errors.terminate(FatalErrorStatus.SEQUENCE_ERROR, 0, capsule, CommonHeader.SIZE_BYTES);
    }

    private int onInitialize(final long position, final long available)
    {
        initialize.wrap(view, (int)(position - viewAddress));
        if (InitializeConnection.SIZE_BYTES != initialize.headerLength())
        {
            return errors.invalid(CommonHeader.HEADER_LENGTH_OFFSET, initialize, CommonHeader.SIZE_BYTES);
        }
        if (InitializeConnection.SIZE_BYTES != initialize.pduLength())
        {
            return errors.invalid(CommonHeader.PDU_LENGTH_OFFSET, initialize, CommonHeader.SIZE_BYTES);
        }
        if (available < InitializeConnection.SIZE_BYTES)
        {
            return 0;
        }
        if (InitializeConnection.FORMAT_VERSION != initialize.formatVersion())
        {
            return errors.terminate(FatalErrorStatus.UNSUPPORTED_PARAMETER,
                InitializeConnection.FORMAT_VERSION_OFFSET, initialize, InitializeConnection.SIZE_BYTES);
        }
        if (initialize.dataAlignment() > CommonHeader.DATA_ALIGNMENT_MAX)
        {
            return errors.invalid(
                InitializeConnection.DATA_ALIGNMENT_OFFSET, initialize, InitializeConnection.SIZE_BYTES);
        }
        digests = Digests.of(initialize.digests());
        connection.onInitialized(digests, initialize.dataAlignment());
        return InitializeConnection.SIZE_BYTES;
    }

    private int onTermination(final long position, final long available)
    {
        final int length = WireHeader.pduLength(position);
        if (length < TerminationRequest.SIZE_BYTES || length > TerminationRequest.SIZE_BYTES_MAX)
        {
            connection.onPeerTermination(FatalErrorStatus.RESERVED);
            return CommonHeader.SIZE_BYTES;
        }
        if (available < length)
        {
            return 0;
        }
        termination.wrap(view, (int)(position - viewAddress));
        connection.onPeerTermination(termination.status());
        return length;
    }

    private int onCapsule(final long position, final long available)
    {
        final int headerBytes = CapsuleCommand.SIZE_BYTES + digests.headerBytes();
        final int flags = WireHeader.flags(position);
        capsule.wrap(view, (int)(position - viewAddress));
        if (CapsuleCommand.SIZE_BYTES != WireHeader.headerLength(position))
        {
            return errors.invalid(CommonHeader.HEADER_LENGTH_OFFSET, capsule, CommonHeader.SIZE_BYTES);
        }
        if (digests.headerFlag() != (flags & CommonHeader.FLAG_HEADER_DIGEST))
        {
            return errors.invalid(CommonHeader.FLAGS_OFFSET, capsule, CommonHeader.SIZE_BYTES);
        }
        if (0 != digests.headerBytes())
        {
            // A wrong digest makes every field doubtful, the length before all, so it is looked at first.
            if (available < headerBytes)
            {
                return 0;
            }
            if (!Digests.matches(position, CapsuleCommand.SIZE_BYTES))
            {
                return errors.wrongHeaderDigest(capsule, CapsuleCommand.SIZE_BYTES);
            }
        }
        final int length = WireHeader.pduLength(position);
        if (length != headerBytes)
        {
            final int dataBytes = length - headerBytes - digests.dataBytes();
            if (length < headerBytes || dataBytes <= 0 || dataBytes > buffer.capsuleDataBytesMax())
            {
                return errors.invalid(CommonHeader.PDU_LENGTH_OFFSET, capsule, CommonHeader.SIZE_BYTES);
            }
            if (digests.dataFlag() != (flags & CommonHeader.FLAG_DATA_DIGEST))
            {
                return errors.invalid(CommonHeader.FLAGS_OFFSET, capsule, CommonHeader.SIZE_BYTES);
            }
            if (headerBytes != WireHeader.dataOffset(position))
            {
                return errors.invalid(CommonHeader.DATA_OFFSET_OFFSET, capsule, CommonHeader.SIZE_BYTES);
            }
        }
        if (available < length)
        {
            return 0;
        }
        if (null != held)
        {
            held.add(view, (int)(position - viewAddress), length);
            return length;
        }
        return onCommand(position, length);
    }

    private int onCommand(final long position, final int length)
    {
        final CommandIntake intake = connection.queuePair().intake();
        final Request request = deferred.isEmpty() ?
            intake.begin(view, capsule.offset() + CapsuleCommand.ENTRY_OFFSET) : null;
        if (null != request)
        {
            return begin(request, position, length) ? length : stall(request);
        }
        if (!intake.awaitsSlot(deferred.count() - (null == deferredRequest ? 0 : 1)))
        {
            return errors.terminate(FatalErrorStatus.SEQUENCE_ERROR, 0, capsule, CapsuleCommand.SIZE_BYTES);
        }
        if (mayDefer(length))
        {
            deferred.add(position, length);
            connection.onDeferred();
            return length;
        }
        return stall(null);
    }

    /** Whether a capsule that waits for a slot may be put aside: data of commands that have slots may be behind it. */
    private boolean mayDefer(final int length)
    {
        return hostData.isAwaiting() && deferred.hasRoom(length);
    }

    /** Begins a capsule that has a slot; false when it has to wait all the same. */
    private boolean begin(final Request request, final long position, final int length)
    {
        final CommandIntake intake = connection.queuePair().intake();
        nameData(request, position, length);
        if (!matchesDataDigest(position, length))
        {
            counters.onDataDigestError();
            intake.onDataError(request, NvmeStatus.TRANSIENT_TRANSPORT_ERROR);
            return true;
        }
        return intake.onCommand(request);
    }

    /**
     * The capsule that begins here waits, and with it what is behind it.
     *
     * @param request of it; null when it waits for a slot.
     */
    private int stall(final Request request)
    {
        stalledRequest = request;
        state = ReceiveState.STALLED;
        buffer.onStalled();
        connection.onStalled();
        return 0;
    }

    /** Tells a request of the data in its capsule, if there is any. */
    private void nameData(final Request request, final long position, final int length)
    {
        final int headerBytes = CapsuleCommand.SIZE_BYTES + digests.headerBytes();
        if (length != headerBytes)
        {
            request.inCapsuleData(position + headerBytes, length - headerBytes - digests.dataBytes());
        }
    }

    /** Of a capsule that has just come: one that waits was checked before it began to wait. */
    private boolean matchesDataDigest(final long position, final int length)
    {
        final int headerBytes = CapsuleCommand.SIZE_BYTES + digests.headerBytes();
        return length == headerBytes || 0 == digests.dataBytes() ||
            Digests.matches(position + headerBytes, length - headerBytes - digests.dataBytes());
    }

    private int onHostData(final int offset, final long available)
    {
        final int consumed = hostData.onPdu(digests, view, offset, available);
        if (0 != consumed && connection.isReceiving())
        {
            if (0 != hostData.leftBytes())
            {
                state = ReceiveState.PAYLOAD;
            }
            else
            {
                onPayloadComplete();
            }
        }
        return consumed;
    }

    private void onPayloadComplete()
    {
        if (0 != digests.dataBytes())
        {
            state = ReceiveState.DIGEST;
        }
        else
        {
            state = ReceiveState.HEADER;
            hostData.onComplete();
        }
    }

    private int onDataDigest(final long position)
    {
        state = ReceiveState.HEADER;
        hostData.onDigest(NativeMemory.getInt(position));
        hostData.onComplete();
        return CommonHeader.DIGEST_SIZE_BYTES;
    }
}
