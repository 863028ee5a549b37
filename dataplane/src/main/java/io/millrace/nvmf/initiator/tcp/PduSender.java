package io.millrace.nvmf.initiator.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.MessageHeader;
import io.millrace.memory.Segments;
import io.millrace.nvmf.initiator.HostMemory;
import io.millrace.reactor.Kernel;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Everything that waits to be sent on one connection, in stream order: headers staged in a ring of the sender's own,
 * payload that stays where the user has it. Headers that follow one another share a vector, so a batch of reads is one
 * vector; one {@code sendmsg} takes all there is. One connection's, on its reactor.
 */
final class PduSender implements AutoCloseable
{
    private static final int HEADER_OFFSET = 0;
    private static final int VECTORS_OFFSET = 64;

    private final Kernel kernel;
    private final HostMemory memory;
    private final UnsafeBuffer staging;
    private final long stagingAddress;
    private final int stagingBytes;
    private final int stagingMask;
    private final int vectorCount;
    private final int vectorMask;
    private final long stagedUpToAddress;

    private long staged;
    private long released;
    private long vectorTail;
    private long vectorHead;
    private long stagedEndAddress;
    private long appendedPosition;
    private long sentPosition;

    /**
     * Maps what a connection needs.
     *
     * @param kernel          that is sent to.
     * @param stagingBytesMin room for headers.
     * @param vectorCountMin  room for separate pieces.
     */
    PduSender(final Kernel kernel, final int stagingBytesMin, final int vectorCountMin)
    {
        this.kernel = kernel;
        vectorCount = BitUtil.findNextPositivePowerOfTwo(vectorCountMin);
        vectorMask = vectorCount - 1;
        stagingBytes = BitUtil.findNextPositivePowerOfTwo(stagingBytesMin);
        stagingMask = stagingBytes - 1;
        final int vectorBytes = vectorCount * MessageHeader.IOVEC_SIZE_BYTES;
        final int stagedUpToBytes = vectorCount * Long.BYTES;
        // Pages that are never used are never there: when all is sent, the vectors begin again at the first.
        memory = new HostMemory(VECTORS_OFFSET + vectorBytes + stagedUpToBytes + stagingBytes);
        stagedUpToAddress = memory.address() + VECTORS_OFFSET + vectorBytes;
        stagingAddress = stagedUpToAddress + stagedUpToBytes;
        staging = new UnsafeBuffer(stagingAddress, stagingBytes);
    }

    /**
     * Forgets everything that was not sent.
     */
    void reset()
    {
        sentPosition = appendedPosition;
        clear();
    }

    private void clear()
    {
        staged = 0;
        released = 0;
        vectorHead = 0;
        vectorTail = 0;
        stagedEndAddress = 0;
    }

    UnsafeBuffer staging()
    {
        return staging;
    }

    /**
     * {@return the address of a staged byte}
     *
     * @param offset from {@link #stage}.
     */
    long address(final int offset)
    {
        return stagingAddress + offset;
    }

    /**
     * {@return whether so much can be appended now}
     *
     * @param headerBytes staged at once.
     * @param vectors     pieces, staged ones included.
     */
    boolean hasRoom(final int headerBytes, final int vectors)
    {
        final int offset = (int)staged & stagingMask;
        final int skipped = offset + headerBytes > stagingBytes ? stagingBytes - offset : 0;
        return staged + skipped + headerBytes - released <= stagingBytes &&
            vectorTail + vectors - vectorHead <= vectorCount;
    }

    /**
     * Appends bytes of the sender's own, to be filled in before the next {@link #flush}. {@link #hasRoom} was asked.
     *
     * @param lengthBytes how many.
     * @return their offset in {@link #staging()}.
     */
    int stage(final int lengthBytes)
    {
        int offset = (int)staged & stagingMask;
        if (offset + lengthBytes > stagingBytes)
        {
            staged += stagingBytes - offset;
            offset = 0;
        }
        staged += lengthBytes;
        appendedPosition += lengthBytes;
        final long address = stagingAddress + offset;
        if (address == stagedEndAddress && vectorTail > vectorHead)
        {
            final int index = (int)(vectorTail - 1) & vectorMask;
            final long vector = vectorAddress(index);
            NativeMemory.putLong(vector + 8, NativeMemory.getLong(vector + 8) + lengthBytes);
            NativeMemory.putLong(stagedUpToAddress + (long)index * Long.BYTES, staged);
        }
        else
        {
            append(address, lengthBytes);
        }
        stagedEndAddress = address + lengthBytes;
        return offset;
    }

    /**
     * Appends bytes that stay where they are until they are sent.
     *
     * @param address     of them.
     * @param lengthBytes how many; positive.
     */
    void attach(final long address, final int lengthBytes)
    {
        append(address, lengthBytes);
        appendedPosition += lengthBytes;
        stagedEndAddress = 0;
    }

    /**
     * Appends a payload that stays where it is until it is sent.
     *
     * @param payload in up to {@link Segments#COUNT_MAX} pieces.
     */
    void attach(final Segments payload)
    {
        for (int i = 0; i < payload.count(); i++)
        {
            attach(payload.address(i), payload.lengthBytes(i));
        }
    }

    private void append(final long address, final int lengthBytes)
    {
        final int index = (int)vectorTail & vectorMask;
        MessageHeader.setIovec(vectorAddress(index), address, lengthBytes);
        NativeMemory.putLong(stagedUpToAddress + (long)index * Long.BYTES, staged);
        vectorTail++;
    }

    private long vectorAddress(final int index)
    {
        return memory.address() + VECTORS_OFFSET + (long)index * MessageHeader.IOVEC_SIZE_BYTES;
    }

    /**
     * {@return whether everything was sent}
     */
    boolean isEmpty()
    {
        return appendedPosition == sentPosition;
    }

    /**
     * {@return bytes appended and not sent}
     */
    long pendingBytes()
    {
        return appendedPosition - sentPosition;
    }

    /**
     * {@return position in the stream behind the last byte appended}
     */
    long appendedPosition()
    {
        return appendedPosition;
    }

    /**
     * {@return position in the stream behind the last byte the kernel took}
     */
    long sentPosition()
    {
        return sentPosition;
    }

    /**
     * Sends until nothing is left or the socket takes no more.
     *
     * @param fd non-blocking socket.
     * @return 0 when all is sent, {@code -EAGAIN} when the rest must wait, or another negated errno.
     */
    int flush(final int fd)
    {
        while (!isEmpty())
        {
            final int first = (int)vectorHead & vectorMask;
            final int count = (int)Math.min(vectorTail - vectorHead,
                Math.min(vectorCount - first, MessageHeader.IOVEC_COUNT_MAX));
            final long header = memory.address() + HEADER_OFFSET;
            MessageHeader.set(header, vectorAddress(first), count);
            final long sent = kernel.sendMessage(fd, header);
            if (sent < 0)
            {
                if (-Errno.EINTR == sent)
                {
                    continue;
                }
                return (int)sent;
            }
            advance(sent);
        }
        return 0;
    }

    private void advance(final long sentBytes)
    {
        sentPosition += sentBytes;
        if (isEmpty())
        {
            clear();
            return;
        }
        long left = sentBytes;
        while (left > 0)
        {
            final int index = (int)vectorHead & vectorMask;
            final long vector = vectorAddress(index);
            final long length = NativeMemory.getLong(vector + 8);
            if (left < length)
            {
                MessageHeader.setIovec(vector, NativeMemory.getLong(vector) + left, length - left);
                return;
            }
            left -= length;
            released = NativeMemory.getLong(stagedUpToAddress + (long)index * Long.BYTES);
            vectorHead++;
        }
    }

    @Override
    public void close()
    {
        memory.close();
    }
}
