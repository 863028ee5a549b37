package io.millrace.nvmf.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.queue.CommandDispatcher;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.tcp.pdu.CapsuleCommand;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;
import io.millrace.nvmf.transport.DataPointerFormat;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receiving side of one connection: splits the byte stream into PDUs and parses them in place in the reactor's
 * {@link ReceiveBuffer}. A partial PDU is kept until the next poll, while payload of H2CData is received directly into
 * the memory of its request. The result does not depend on how the stream is segmented. Its connection's reactor only.
 */
final class PduReceiver
{
    /** Bounds a poll: how often the receive buffer is filled before other connections are polled. */
    private static final int ROUNDS_MAX = 8;
    /** Bounds a poll: deferred capsules that are dispatched. */
    private static final int DEFERRED_PER_TURN = 64;

    private final TcpConnection connection;
    private final FatalErrors errors;
    private final ReceiveBuffer buffer;
    private final TcpCounters counters;
    private final H2CDataReceiver h2cData;
    private final ICPdu initialize = new ICPdu();
    private final TerminationRequest termination = new TerminationRequest();
    private final CapsuleCommand capsule = new CapsuleCommand();
    private final PartialPdu partialPdu;
    private Digests digests = Digests.NONE;
    private ReceiveState state = ReceiveState.HEADER;
    /** Request of the stalled capsule; null when it waits for a slot, or when none is stalled. */
    private Request stalledRequest;
    /** Capsules that wait for slots while data is awaited that may be behind them. */
    private final DataPointerFormat dataPointers;
    private final DeferredCapsules deferred;
    /** Request of the first of them when it has a slot and waits for something else; null when it has no slot. */
    private Request deferredRequest;

    /** Buffer that is being parsed; it begins at {@link #viewAddress}. */
    private UnsafeBuffer view;
    private long viewAddress;

    PduReceiver(
        final TcpConnection connection,
        final FatalErrors errors,
        final ReceiveBuffer buffer,
        final TcpCounters counters,
        final H2CDataReceiver h2cData)
    {
        this.connection = connection;
        this.errors = errors;
        this.buffer = buffer;
        this.counters = counters;
        this.h2cData = h2cData;
        partialPdu = new PartialPdu(buffer);
        dataPointers = connection.dataPointers();
        deferred = new DeferredCapsules(buffer.deferralBlocks(), connection.address());
        view = buffer.view();
        viewAddress = buffer.viewAddress();
    }

    ReceiveState state()
    {
        return state;
    }

    /**
     * Receives available bytes, bounded, and processes them.
     *
     * @return bytes received.
     */
    long receive()
    {
        long total = 0;
        for (int round = 0; round < ROUNDS_MAX; round++)
        {
            final int left = h2cData.leftBytes();
            final int payload = 0 == left ? 0 : h2cData.prepare(buffer, connection.fd());
            // What follows a part of the payload on the stream is the rest of the payload.
            final int room = payload == left ? roomBytes() : 0;
            final long received = 0 == payload ? buffer.receive(connection.fd(), room) :
                buffer.receive(connection.fd(), room, h2cData.memory(), h2cData.memoryOffset(), payload);
            if (received <= 0)
            {
                h2cData.onNothing();
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
     * How much of the receiving area to receive into. Of a large payload nothing should come there: it would have to be
     * copied, and the rest would be received at an address that is not aligned. So no more than
     * the rest of a capsule and the next header.
     */
    private int roomBytes()
    {
        if (!h2cData.expectsLarge())
        {
            return buffer.roomBytes();
        }
        final int kept = partialPdu.length();
        // With a header digest the length may be any number: it is checked when the whole header is here.
        final int rest = kept >= CommonHeader.SIZE_BYTES &&
            PduType.CAPSULE_COMMAND == WireHeader.type(partialPdu.address()) ?
            Math.clamp((long)WireHeader.pduLength(partialPdu.address()) - kept, 0, buffer.capsuleDataBytesMax()) : 0;
        return rest + digests.dataBytes() + DataPdu.SIZE_BYTES + digests.headerBytes();
    }

    /**
     * Reads and drops what the peer still sends, so that closing does not reset what it has yet to read.
     *
     * @return bytes dropped.
     */
    long discard()
    {
        final long received = buffer.receive(connection.fd(), buffer.roomBytes());
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
        h2cData.clear();
        partialPdu.release();
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
     * {@return whether requested data can be received: not while a capsule is stalled before it. A capsule that waits
     * for a slot does not count: the data's own commands may have the slots}
     */
    boolean canReceiveData()
    {
        return ReceiveState.STALLED != state || null == stalledRequest;
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
     * Processes bytes that were received behind the kept ones, or into the memory of a request and then the receiving
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
            final int payload = (int)Math.min(received, h2cData.leftBytes());
            h2cData.onPayload(payload);
            limit -= payload;
            if (0 != h2cData.leftBytes())
            {
                return;
            }
            onPayloadComplete();
        }
        else if (0 != partialPdu.length())
        {
            start = partialPdu.copyToBuffer();
        }
        partialPdu.keep(parse(start, limit), limit);
    }

    /**
     * {@return whether a waiting capsule can be dispatched now, as far as is known}
     */
    boolean isResumable()
    {
        return isDeferredResumable() || isStalledResumable();
    }

    private boolean isDeferredResumable()
    {
        final CommandDispatcher dispatcher = connection.queuePair().dispatcher();
        return !deferred.isEmpty() &&
            (null == deferredRequest ? dispatcher.hasSlot() : dispatcher.isResumable(deferredRequest));
    }

    private boolean isStalledResumable()
    {
        if (ReceiveState.STALLED != state)
        {
            return false;
        }
        final CommandDispatcher dispatcher = connection.queuePair().dispatcher();
        return null != stalledRequest ? dispatcher.isResumable(stalledRequest) :
            deferred.isEmpty() && dispatcher.hasSlot() || mayDefer(WireHeader.pduLength(partialPdu.address()));
    }

    /**
     * Retries the waiting capsules, and parses what is behind them.
     *
     * @return false when none can be dispatched yet.
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

    /** Dispatches the first deferred capsule; false when it still waits. */
    private boolean beginDeferred()
    {
        final long start = deferred.address();
        final int length = WireHeader.pduLength(start);
        final CommandDispatcher dispatcher = connection.queuePair().dispatcher();
        view = deferred.view();
        viewAddress = deferred.viewAddress();
        if (null != deferredRequest)
        {
            nameData(deferredRequest, start, length);
            return dispatcher.onCommand(deferredRequest);
        }
        final Request request = dispatcher.begin(view, (int)(start - viewAddress) + CapsuleCommand.ENTRY_OFFSET);
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
        final boolean isSmall = partialPdu.isSmall();
        final long start = isSmall ? partialPdu.copyToBuffer() : partialPdu.address();
        final long limit = start + partialPdu.length();
        int doneBytes = 0;
        if (null != stalledRequest)
        {
            doneBytes = WireHeader.pduLength(start);
            nameData(stalledRequest, start, doneBytes);
            if (!connection.queuePair().dispatcher().onCommand(stalledRequest))
            {
                return false;
            }
            stalledRequest = null;
        }
        state = ReceiveState.HEADER;
        buffer.onResumed();
        if (!isSmall)
        {
            view = partialPdu.view();
            viewAddress = partialPdu.address();
        }
        final long position = parse(start + doneBytes, limit);
        view = buffer.view();
        viewAddress = buffer.viewAddress();
        partialPdu.keep(position, limit);
        return true;
    }

    /**
     * Processes every whole PDU, and a part of the payload of the last one.
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
     * @return consumed bytes, 0 when more are needed first.
     */
    private int onHeader(final long position, final long available)
    {
        final int type = WireHeader.type(position);
        final int offset = (int)(position - viewAddress);
        switch (type)
        {
            case PduType.CAPSULE_COMMAND:
                return connection.isReady() ? onCapsule(position, available) : unexpected(offset);
            case PduType.H2C_DATA:
                return connection.isReady() ? onH2CData(offset, available) : unexpected(offset);
            case PduType.IC_REQ:
                return connection.isReady() ? unexpected(offset) : onInitialize(position, available);
            case PduType.H2C_TERM_REQ:
                return onTermination(position, available);
            default:
                capsule.wrap(view, offset);
                return errors.onInvalidField(CommonHeader.TYPE_OFFSET, capsule, CommonHeader.SIZE_BYTES);
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
        if (ICPdu.SIZE_BYTES != initialize.headerLength())
        {
            return errors.onInvalidField(CommonHeader.HEADER_LENGTH_OFFSET, initialize, CommonHeader.SIZE_BYTES);
        }
        if (ICPdu.SIZE_BYTES != initialize.pduLength())
        {
            return errors.onInvalidField(CommonHeader.PDU_LENGTH_OFFSET, initialize, CommonHeader.SIZE_BYTES);
        }
        if (available < ICPdu.SIZE_BYTES)
        {
            return 0;
        }
        if (ICPdu.FORMAT_VERSION != initialize.formatVersion())
        {
            return errors.terminate(FatalErrorStatus.UNSUPPORTED_PARAMETER,
                ICPdu.FORMAT_VERSION_OFFSET, initialize, ICPdu.SIZE_BYTES);
        }
        if (initialize.dataAlignment() > CommonHeader.DATA_ALIGNMENT_MAX)
        {
            return errors.onInvalidField(
                ICPdu.DATA_ALIGNMENT_OFFSET, initialize, ICPdu.SIZE_BYTES);
        }
        digests = Digests.of(initialize.digests());
        connection.onInitialized(digests, initialize.dataAlignment());
        return ICPdu.SIZE_BYTES;
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
            return errors.onInvalidField(CommonHeader.HEADER_LENGTH_OFFSET, capsule, CommonHeader.SIZE_BYTES);
        }
        if (digests.headerFlag() != (flags & CommonHeader.FLAG_HEADER_DIGEST))
        {
            return errors.onInvalidField(CommonHeader.FLAGS_OFFSET, capsule, CommonHeader.SIZE_BYTES);
        }
        if (0 != digests.headerBytes())
        {
            // A wrong digest makes every field unreliable, above all the length, so it is checked first.
            if (available < headerBytes)
            {
                return 0;
            }
            if (!Digests.matches(position, CapsuleCommand.SIZE_BYTES))
            {
                return errors.onHeaderDigestError(capsule, CapsuleCommand.SIZE_BYTES);
            }
        }
        final int length = WireHeader.pduLength(position);
        if (length != headerBytes)
        {
            final int dataBytes = length - headerBytes - digests.dataBytes();
            if (length < headerBytes || dataBytes <= 0 || dataBytes > buffer.capsuleDataBytesMax())
            {
                return errors.onInvalidField(CommonHeader.PDU_LENGTH_OFFSET, capsule, CommonHeader.SIZE_BYTES);
            }
            if (digests.dataFlag() != (flags & CommonHeader.FLAG_DATA_DIGEST))
            {
                return errors.onInvalidField(CommonHeader.FLAGS_OFFSET, capsule, CommonHeader.SIZE_BYTES);
            }
            if (headerBytes != WireHeader.dataOffset(position))
            {
                return errors.onInvalidField(CommonHeader.DATA_OFFSET_OFFSET, capsule, CommonHeader.SIZE_BYTES);
            }
        }
        if (available < length)
        {
            return 0;
        }
        return onCommand(position, length);
    }

    private int onCommand(final long position, final int length)
    {
        final CommandDispatcher dispatcher = connection.queuePair().dispatcher();
        final Request request = deferred.isEmpty() ?
            dispatcher.begin(view, capsule.offset() + CapsuleCommand.ENTRY_OFFSET) : null;
        if (null != request)
        {
            return begin(request, position, length) ? length : stall(request);
        }
        if (!dispatcher.awaitsSlot(deferred.count() - (null == deferredRequest ? 0 : 1)))
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

    /** Whether a capsule that waits for a slot may be deferred: data of commands that have slots may be behind it. */
    private boolean mayDefer(final int length)
    {
        return h2cData.isAwaiting() && deferred.hasRoom(length);
    }

    /** Dispatches a capsule that has a slot; false when it has to wait for something else. */
    private boolean begin(final Request request, final long position, final int length)
    {
        final CommandDispatcher dispatcher = connection.queuePair().dispatcher();
        final int dataBytes = dataBytes(length);
        request.dataPointer(dataPointers, 0 == dataBytes ? 0 : position + dataOffset(), dataBytes);
        if (!matchesDataDigest(position, length))
        {
            counters.onDataDigestError();
            dispatcher.onDataError(request, NvmeStatus.TRANSIENT_TRANSPORT_ERROR);
            return true;
        }
        return dispatcher.onCommand(request);
    }

    /**
     * The capsule that begins here is stalled, and with it everything behind it.
     *
     * @param request the command's request; null when it waits for a slot.
     */
    private int stall(final Request request)
    {
        stalledRequest = request;
        state = ReceiveState.STALLED;
        buffer.onStalled();
        connection.onStalled();
        return 0;
    }

    /** Tells a request whose capsule was kept where the data in the capsule is now, if there is any. */
    private void nameData(final Request request, final long position, final int length)
    {
        final int dataBytes = dataBytes(length);
        if (0 != dataBytes)
        {
            request.inCapsuleData(position + dataOffset());
        }
    }

    private int dataOffset()
    {
        return CapsuleCommand.SIZE_BYTES + digests.headerBytes();
    }

    /** Bytes of data in a capsule of a length. */
    private int dataBytes(final int length)
    {
        final int headerBytes = dataOffset();
        return length == headerBytes ? 0 : length - headerBytes - digests.dataBytes();
    }

    /** Checks a new capsule: a waiting one was checked before. */
    private boolean matchesDataDigest(final long position, final int length)
    {
        final int dataBytes = dataBytes(length);
        return 0 == dataBytes || 0 == digests.dataBytes() || Digests.matches(position + dataOffset(), dataBytes);
    }

    private int onH2CData(final int offset, final long available)
    {
        final int consumed = h2cData.onPdu(digests, view, offset, available);
        if (0 != consumed && connection.isReceiving())
        {
            if (0 != h2cData.leftBytes())
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
            h2cData.onComplete();
        }
    }

    private int onDataDigest(final long position)
    {
        state = ReceiveState.HEADER;
        h2cData.onDigest(NativeMemory.getInt(position));
        h2cData.onComplete();
        return CommonHeader.DIGEST_SIZE_BYTES;
    }
}
