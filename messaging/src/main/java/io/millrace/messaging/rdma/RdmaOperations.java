package io.millrace.messaging.rdma;

import io.millrace.messaging.transport.MessageLink;
import io.millrace.rdma.endpoint.RdmaQueuePair;

/**
 * Reads and writes of this side: cut into pieces, that follow each other in the send queue, so that frames find room
 * between them. One link's.
 */
final class RdmaOperations
{
    /** In ids of requests, above the number of the operation. */
    static final long ID_BIT = 1L << 40;
    private static final int PIECE_BYTES = 4 << 20;
    private static final int MASK = MessageLink.OPERATIONS_MAX - 1;
    /** Pieces of writes that may be before a frame in the send queue: keep-alive frames must not be late. */
    private static final int WRITES_MAX = 4;
    /** Requests that are left to frames. */
    private static final int ROOM_FOR_FRAMES = 32;

    private final boolean[] isWrite = new boolean[MessageLink.OPERATIONS_MAX];
    private final long[] remoteAddresses = new long[MessageLink.OPERATIONS_MAX];
    private final int[] remoteKeys = new int[MessageLink.OPERATIONS_MAX];
    private final long[] localAddresses = new long[MessageLink.OPERATIONS_MAX];
    private final int[] localKeys = new int[MessageLink.OPERATIONS_MAX];
    private final long[] lengths = new long[MessageLink.OPERATIONS_MAX];
    private final long[] issued = new long[MessageLink.OPERATIONS_MAX];
    private final int[] pieces = new int[MessageLink.OPERATIONS_MAX];
    private final int[] waiting = new int[MessageLink.OPERATIONS_MAX];
    private int firstWaiting;
    private int waitingCount;
    private int readsUnderWay;
    private int writesUnderWay;

    void begin(
        final int operation,
        final boolean write,
        final long remoteAddress,
        final int remoteKey,
        final long localAddress,
        final int localKey,
        final long lengthBytes)
    {
        isWrite[operation] = write;
        remoteAddresses[operation] = remoteAddress;
        remoteKeys[operation] = remoteKey;
        localAddresses[operation] = localAddress;
        localKeys[operation] = localKey;
        lengths[operation] = lengthBytes;
        issued[operation] = 0;
        pieces[operation] = 0;
        waiting[firstWaiting + waitingCount++ & MASK] = operation;
    }

    /**
     * Posts pieces while there is room.
     *
     * @param readsMax that may be under way without holding up frames.
     */
    int issue(final RdmaQueuePair queuePair, final int readsMax)
    {
        int count = 0;
        while (waitingCount > 0 && queuePair.sendRoom() > ROOM_FOR_FRAMES)
        {
            final int operation = waiting[firstWaiting];
            if (isWrite[operation] ? writesUnderWay >= WRITES_MAX : readsUnderWay >= readsMax)
            {
                break;
            }
            post(queuePair, operation);
            if (issued[operation] == lengths[operation])
            {
                firstWaiting = firstWaiting + 1 & MASK;
                waitingCount--;
            }
            count++;
        }
        return count;
    }

    private void post(final RdmaQueuePair queuePair, final int operation)
    {
        final long offset = issued[operation];
        final int bytes = (int)Math.min(PIECE_BYTES, lengths[operation] - offset);
        queuePair.segment(localAddresses[operation] + offset, bytes, localKeys[operation]);
        final long remote = remoteAddresses[operation] + offset;
        final boolean isPosted = isWrite[operation] ?
            queuePair.postWrite(ID_BIT | operation, true, remote, remoteKeys[operation]) :
            queuePair.postRead(ID_BIT | operation, true, remote, remoteKeys[operation]);
        issued[operation] += bytes;
        if (isPosted)
        {
            pieces[operation]++;
            count(operation, 1);
        }
    }

    private void count(final int operation, final int change)
    {
        if (isWrite[operation])
        {
            writesUnderWay += change;
        }
        else
        {
            readsUnderWay += change;
        }
    }

    /** {@return whether all of an operation is done, now that a piece is} */
    boolean onPieceDone(final int operation)
    {
        pieces[operation]--;
        count(operation, -1);
        return 0 == pieces[operation] && issued[operation] == lengths[operation];
    }
}
