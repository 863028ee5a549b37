package io.millrace.messaging.tcp;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.MessageLink;
import io.millrace.messaging.wire.BulkHeader;

/**
 * Reads and writes of this side: cut into pieces, which go to the streams in turn; a stream answers in the order of its
 * pieces. One link's.
 */
final class BulkRequests
{
    private static final int OPERATIONS_MASK = MessageLink.OPERATIONS_MAX - 1;
    private static final int PIECES_MASK = BulkHeader.OUTSTANDING_MAX - 1;

    private final TcpLink link;
    private final boolean[] isWrite = new boolean[MessageLink.OPERATIONS_MAX];
    private final long[] remoteAddresses = new long[MessageLink.OPERATIONS_MAX];
    private final long[] remoteKeys = new long[MessageLink.OPERATIONS_MAX];
    private final long[] localAddresses = new long[MessageLink.OPERATIONS_MAX];
    private final long[] lengths = new long[MessageLink.OPERATIONS_MAX];
    private final long[] issued = new long[MessageLink.OPERATIONS_MAX];
    private final long[] answered = new long[MessageLink.OPERATIONS_MAX];
    /** Operations of which a piece is not issued. */
    private final int[] waiting = new int[MessageLink.OPERATIONS_MAX];
    private int firstWaiting;
    private int waitingCount;
    private int nextStream;

    /** Pieces of a stream that are not answered, in their order. */
    static final class Pieces
    {
        private final int[] operations = new int[BulkHeader.OUTSTANDING_MAX];
        private final int[] lengths = new int[BulkHeader.OUTSTANDING_MAX];
        private final long[] offsets = new long[BulkHeader.OUTSTANDING_MAX];
        /** Where in what the stream sends each request ends. */
        private final long[] ends = new long[BulkHeader.OUTSTANDING_MAX];
        private int first;
        private int count;

        int outstanding()
        {
            return count;
        }
    }

    BulkRequests(final TcpLink link)
    {
        this.link = link;
    }

    void begin(
        final int operation,
        final boolean write,
        final long remoteAddress,
        final long remoteKey,
        final long localAddress,
        final long lengthBytes)
    {
        isWrite[operation] = write;
        remoteAddresses[operation] = remoteAddress;
        remoteKeys[operation] = remoteKey;
        localAddresses[operation] = localAddress;
        lengths[operation] = lengthBytes;
        issued[operation] = 0;
        answered[operation] = 0;
        waiting[firstWaiting + waitingCount++ & OPERATIONS_MASK] = operation;
    }

    boolean isWaiting()
    {
        return waitingCount > 0;
    }

    /** Sends pieces while streams take them. */
    int issue()
    {
        int count = 0;
        while (waitingCount > 0)
        {
            final int slot = nextFree();
            if (slot < 0)
            {
                break;
            }
            final int operation = waiting[firstWaiting];
            issue(operation, link.stream(slot), link.pieces(slot));
            if (issued[operation] == lengths[operation])
            {
                firstWaiting = firstWaiting + 1 & OPERATIONS_MASK;
                waitingCount--;
            }
            count++;
        }
        return count;
    }

    /** {@return a stream that takes a piece, or -1} */
    private int nextFree()
    {
        final int further = link.streamCount() - 1;
        boolean isAnyOpen = false;
        for (int i = 0; i < further; i++)
        {
            final int slot = 1 + (nextStream + i) % further;
            if (TcpStream.State.OPEN == link.stream(slot).state())
            {
                isAnyOpen = true;
                if (takesPiece(slot))
                {
                    nextStream = (nextStream + i + 1) % further;
                    return slot;
                }
            }
        }
        return !isAnyOpen && takesPiece(0) ? 0 : -1;
    }

    private boolean takesPiece(final int slot)
    {
        return link.pieces(slot).count < BulkHeader.OUTSTANDING_MAX &&
            0 != link.stream(slot).queue().claim(BulkHeader.SIZE_BYTES);
    }

    private void issue(final int operation, final TcpStream stream, final Pieces pieces)
    {
        final long offset = issued[operation];
        final int bytes = (int)Math.min(BulkHeader.PIECE_BYTES_MAX, lengths[operation] - offset);
        final boolean write = isWrite[operation];
        final SendQueue queue = stream.queue();
        BulkHeader.write(queue.claim(BulkHeader.SIZE_BYTES), write ? BulkHeader.WRITE_DATA : BulkHeader.READ_REQUEST,
            BulkHeader.GRANTED, write ? bytes : 0, operation, remoteAddresses[operation] + offset,
            remoteKeys[operation], write ? 0 : bytes);
        queue.commit(BulkHeader.SIZE_BYTES);
        if (write)
        {
            queue.add(localAddresses[operation] + offset, bytes, 0);
        }
        final int index = pieces.first + pieces.count++ & PIECES_MASK;
        pieces.operations[index] = operation;
        pieces.offsets[index] = offset;
        pieces.lengths[index] = bytes;
        pieces.ends[index] = queue.queuedBytes();
        issued[operation] += bytes;
    }

    /**
     * An answer came.
     *
     * @return where its payload goes, or 0.
     */
    long onAnswer(final TcpStream stream, final Pieces pieces, final long at, final boolean isRead)
    {
        final int index = pieces.first;
        final int operation = pieces.operations[index];
        if (pieces.count < 1 || BulkHeader.operation(at) != operation || isWrite[operation] == isRead)
        {
            stream.fail(EndpointStatus.PROTOCOL_ERROR,
                "the peer answered a request " + BulkHeader.operation(at) + " that is not the next on its stream");
            return 0;
        }
        // Such a write would end while its memory is still to be sent: it ends with the connection.
        if (stream.queue().sentBytes() < pieces.ends[index])
        {
            stream.fail(EndpointStatus.PROTOCOL_ERROR, "the peer answered a request before it was sent");
            return 0;
        }
        if (BulkHeader.GRANTED != BulkHeader.status(at))
        {
            if (!isRead)
            {
                // Later pieces may wait to be sent. A peer that refuses a write ends the connection instead.
                stream.fail(EndpointStatus.PROTOCOL_ERROR, "the peer answered a write with a refusal");
                return 0;
            }
            link.onDenied(operation);
            return 0;
        }
        final int expected = isRead ? pieces.lengths[index] : 0;
        if (BulkHeader.payloadBytes(at) != expected)
        {
            stream.fail(EndpointStatus.PROTOCOL_ERROR, "the peer answered with " +
                Integer.toUnsignedString(BulkHeader.payloadBytes(at)) + " bytes, not " + expected);
            return 0;
        }
        if (isRead)
        {
            stream.expectReadData();
            return localAddresses[operation] + pieces.offsets[index];
        }
        onPieceDone(pieces);
        return 0;
    }

    /** The next piece of a stream is done. */
    void onPieceDone(final Pieces pieces)
    {
        final int operation = pieces.operations[pieces.first];
        answered[operation] += pieces.lengths[pieces.first];
        pieces.first = pieces.first + 1 & PIECES_MASK;
        pieces.count--;
        if (answered[operation] == lengths[operation])
        {
            link.onDone(operation);
        }
    }
}
