package io.millrace.nvmf.initiator.rdma;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.Segments;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.CommandTable;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaQueuePair;
import io.millrace.rdma.endpoint.RegionKeys;

/**
 * Sends commands as capsules, each with the descriptors of its payload, in this order of preference: data in the
 * capsule where the controller takes it and it fits; one keyed descriptor for a payload in one registered piece; a
 * keyed descriptor for each piece where the controller takes as many; else one keyed descriptor of the bounce buffer. A
 * command's slot has its capsule until the device has sent it. One queue's; nothing is allocated for a command.
 */
final class CapsuleSender
{
    /** Segments of a SEND: the entry, and payload that goes with it. */
    static final int SEGMENTS = 4;
    private static final int SGL_OFFSET = 24;

    /** What became of a command. */
    enum Outcome
    {
        /** Its capsule is the device's. */
        SENT,
        /** Room in the send queue or the bounce buffer is missing, which other commands will give back. */
        WAITS,
        /** It never fits. */
        TOO_LONG
    }

    private final QueueMemory memory;
    private final BounceBuffer bounce;
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private RdmaConnection connection;
    private RdmaQueuePair queuePair;
    private RegionKeys keys;
    private CapsuleLimits limits;
    private long ownAddress;
    private int ownRemoteKey;
    private long bouncedCommands;

    CapsuleSender(final QueueMemory memory, final BounceBuffer bounce)
    {
        this.memory = memory;
        this.bounce = bounce;
    }

    /** Begins with a connection that has a queue pair. */
    void open(final RdmaConnection newConnection, final CapsuleLimits newLimits)
    {
        connection = newConnection;
        queuePair = newConnection.queuePair();
        keys = newConnection.keys();
        limits = newLimits;
    }

    /** Names memory of the queue's own that the peer may read: the data of Connect. */
    void ownMemory(final long address, final int remoteKey)
    {
        ownAddress = address;
        ownRemoteKey = remoteKey;
    }

    /**
     * {@return whether the device has the capsule of a command, which was sent}
     *
     * @param request of {@link #send}.
     */
    boolean hasLeft(final HostRequest request)
    {
        return request.transfer().sendList != queuePair.sendLists();
    }

    /** {@return commands whose payload was copied, of all connections} */
    long bouncedCommands()
    {
        return bouncedCommands;
    }

    /**
     * Sends a command.
     *
     * @param request with its identifier.
     * @return whether it was sent.
     * @throws io.millrace.rdma.RdmaException when the bounce buffer cannot be registered, with what to check.
     */
    Outcome send(final HostRequest request)
    {
        if (0 == queuePair.sendRoom())
        {
            return Outcome.WAITS;
        }
        final int offset = memory.capsuleOffset(CommandTable.slot(request.commandId()));
        entry.wrap(memory.buffer(), offset);
        request.writeEntry(entry);
        final long capsule = memory.address(offset);
        final Segments payload = request.payload();
        if (0 == request.lengthBytes())
        {
            describe(capsule + SGL_OFFSET, 0L, SglDescriptor.keyed(0, 0));
        }
        else if (isInCapsule(request))
        {
            describe(capsule + SGL_OFFSET, 0L,
                SglDescriptor.unkeyed(payload.totalBytes(), SglDescriptor.DATA_BLOCK_OFFSET));
            return sendWithData(request, capsule);
        }
        else if (!isNamedByOne(capsule, payload))
        {
            if (areNamedEach(capsule, payload))
            {
                return post(request, capsule, SubmissionQueueEntry.SIZE_BYTES +
                    payload.count() * SglDescriptor.SIZE_BYTES);
            }
            final Outcome outcome = bounce(request);
            if (Outcome.SENT != outcome)
            {
                return outcome;
            }
            describe(capsule + SGL_OFFSET, request.transfer().bounceAddress,
                SglDescriptor.keyed(payload.totalBytes(), bounce.remoteKey()));
        }
        return post(request, capsule, SubmissionQueueEntry.SIZE_BYTES);
    }

    private static void describe(final long at, final long address, final long rest)
    {
        NativeMemory.putLong(at, address);
        NativeMemory.putLong(at + Long.BYTES, rest);
    }

    private boolean isInCapsule(final HostRequest request)
    {
        return request.sendsData() && request.lengthBytes() <= limits.dataBytes() && limits.takesOffsets() &&
            ownAddress != request.payload().address(0);
    }

    private boolean isNamedByOne(final long capsule, final Segments payload)
    {
        if (1 != payload.count() || payload.totalBytes() > SglDescriptor.KEYED_BYTES_MAX)
        {
            return false;
        }
        final long address = payload.address(0);
        final long key = address == ownAddress ? Integer.toUnsignedLong(ownRemoteKey) :
            keys.remoteKey(address, payload.totalBytes());
        if (RegionKeys.NO_KEY == key)
        {
            return false;
        }
        describe(capsule + SGL_OFFSET, address, SglDescriptor.keyed(payload.totalBytes(), (int)key));
        return true;
    }

    /** Descriptors lie where data in the capsule would (NVM Express Base 2.0, section 4.1.2.1, last segment). */
    private boolean areNamedEach(final long capsule, final Segments payload)
    {
        final int count = payload.count();
        final int bytes = count * SglDescriptor.SIZE_BYTES;
        if (1 == count || 0 != limits.descriptors() && count > limits.descriptors() || bytes > limits.dataBytes() ||
            !limits.takesOffsets())
        {
            return false;
        }
        long at = capsule + SubmissionQueueEntry.SIZE_BYTES;
        for (int i = 0; i < count; i++)
        {
            final int lengthBytes = payload.lengthBytes(i);
            final long key = keys.remoteKey(payload.address(i), lengthBytes);
            if (RegionKeys.NO_KEY == key || lengthBytes > SglDescriptor.KEYED_BYTES_MAX)
            {
                return false;
            }
            describe(at, payload.address(i), SglDescriptor.keyed(lengthBytes, (int)key));
            at += SglDescriptor.SIZE_BYTES;
        }
        describe(capsule + SGL_OFFSET, 0L, SglDescriptor.unkeyed(bytes, SglDescriptor.LAST_SEGMENT_OFFSET));
        return true;
    }

    /** Has the peer access a range of the bounce buffer instead of the payload. */
    private Outcome bounce(final HostRequest request)
    {
        final Segments payload = request.payload();
        final int lengthBytes = payload.totalBytes();
        if (lengthBytes > bounce.lengthBytes() || MemoryDomain.HOST != payload.domain())
        {
            return Outcome.TOO_LONG;
        }
        bounce.ensureRegistered(connection.domain());
        final long address = bounce.take(lengthBytes);
        if (BounceBuffer.NONE == address)
        {
            return Outcome.WAITS;
        }
        if (request.sendsData())
        {
            payload.copyOut(0, address, lengthBytes);
        }
        else
        {
            BounceBuffer.clear(address, lengthBytes);
        }
        request.transfer().bounceAddress = address;
        bouncedCommands++;
        return Outcome.SENT;
    }

    private Outcome sendWithData(final HostRequest request, final long capsule)
    {
        final Segments payload = request.payload();
        if (!hasLocalKeys(payload))
        {
            final Outcome outcome = bounce(request);
            if (Outcome.SENT != outcome)
            {
                return outcome;
            }
            queuePair.segment(capsule, SubmissionQueueEntry.SIZE_BYTES, memory.localKey())
                .segment(request.transfer().bounceAddress, payload.totalBytes(), bounce.localKey());
        }
        else
        {
            queuePair.segment(capsule, SubmissionQueueEntry.SIZE_BYTES, memory.localKey());
            for (int i = 0; i < payload.count(); i++)
            {
                final long address = payload.address(i);
                final int lengthBytes = payload.lengthBytes(i);
                queuePair.segment(address, lengthBytes, (int)keys.localKey(address, lengthBytes));
            }
        }
        return post(request, SubmissionQueueEntry.SIZE_BYTES + payload.totalBytes());
    }

    private boolean hasLocalKeys(final Segments payload)
    {
        if (payload.count() >= SEGMENTS)
        {
            return false;
        }
        for (int i = 0; i < payload.count(); i++)
        {
            if (RegionKeys.NO_KEY == keys.localKey(payload.address(i), payload.lengthBytes(i)))
            {
                return false;
            }
        }
        return true;
    }

    private Outcome post(final HostRequest request, final long capsule, final int lengthBytes)
    {
        queuePair.segment(capsule, lengthBytes, memory.localKey());
        return post(request, lengthBytes);
    }

    /**
     * What is copied into the request, at the latest before an answer to it is taken, needs no notice: nothing of the
     * command is the device's.
     */
    private Outcome post(final HostRequest request, final int messageBytes)
    {
        final boolean isNotified = messageBytes > queuePair.inlineBytes();
        request.transfer().isSending = isNotified;
        request.transfer().sendList = queuePair.sendLists();
        // There is room; it refuses only when the connection has ended, which gives the command back.
        queuePair.postSend(request.commandId(), isNotified);
        return Outcome.SENT;
    }

    /** A command has been answered: its range of the bounce buffer, if it has one, is free again. */
    void release(final HostRequest request, final boolean isSuccess)
    {
        final long address = request.transfer().bounceAddress;
        if (BounceBuffer.NONE != address)
        {
            if (isSuccess && request.receivesData())
            {
                request.payload().copyIn(0, address, request.lengthBytes());
            }
            bounce.give(address, request.lengthBytes());
        }
    }
}
