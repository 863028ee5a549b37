package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.MessageHeader;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.Segments;
import io.millrace.reactor.Kernel;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Gathers the data of one {@code sendmsg} of a reactor: headers in a staging area, and vectors that point there and
 * into payload. Adjoining pieces share a vector, so that consecutive responses without data need one. Empty between two
 * sends.
 */
class GatherBuffer
{
    /** Most answers of one send: bounds the staging area. */
    static final int ENTRY_COUNT_MAX = 512;
    /** Most staged bytes of one answer: header padded to 128, data digest, response capsule with digest; rounded up. */
    static final int ENTRY_BYTES_MAX = 192;
    /**
     * Payload at which a send is full: several times what a socket takes at once, and short enough (about 0.1 ms of
     * copying) that other connections of the reactor do not notice.
     */
    static final int BYTES_FULL = 1 << 20;

    /** One each for ICResp and C2HTermReq, the rest for answers. */
    private static final int VECTOR_COUNT_MAX = MessageHeader.IOVEC_COUNT_MAX;
    /** Header, payload and what follows it. */
    private static final int VECTORS_PER_ENTRY = Segments.COUNT_MAX + 2;
    private static final int STAGING_BYTES = ENTRY_COUNT_MAX * ENTRY_BYTES_MAX;

    private final Kernel kernel;
    private final long stagingAddress;
    private final UnsafeBuffer staging;
    private final long vectorsAddress;
    private final long messageAddress;
    private final int[] entryOffsets = new int[ENTRY_COUNT_MAX];
    private final int[] entryFirstLengths = new int[ENTRY_COUNT_MAX];
    private final int[] entrySecondLengths = new int[ENTRY_COUNT_MAX];
    private int entryCount;
    private int stagedBytes;
    private int vectorCount;
    private long lastEndAddress;
    private long bytes;

    GatherBuffer(final Kernel kernel, final DmaMemory memory)
    {
        this.kernel = kernel;
        stagingAddress = memory.allocate(STAGING_BYTES, 4096);
        staging = new UnsafeBuffer(stagingAddress, STAGING_BYTES);
        vectorsAddress = memory.allocate((long)VECTOR_COUNT_MAX * MessageHeader.IOVEC_SIZE_BYTES, 64);
        messageAddress = memory.allocate(MessageHeader.SIZE_BYTES, 64);
        NativeMemory.fill(messageAddress, MessageHeader.SIZE_BYTES, (byte)0);
    }

    /**
     * {@return bytes of memory that a buffer takes}
     */
    static long memoryBytes()
    {
        return STAGING_BYTES + (long)VECTOR_COUNT_MAX * MessageHeader.IOVEC_SIZE_BYTES + 2 * 4096;
    }

    void clear()
    {
        entryCount = 0;
        stagedBytes = 0;
        vectorCount = 0;
        lastEndAddress = 0;
        bytes = 0;
    }

    /**
     * {@return whether one more answer can be gathered, and room is left for an ICResp and a C2HTermReq}
     */
    boolean hasRoom()
    {
        return entryCount < ENTRY_COUNT_MAX && vectorCount <= VECTOR_COUNT_MAX - VECTORS_PER_ENTRY - 2 &&
            bytes < BYTES_FULL;
    }

    UnsafeBuffer staging()
    {
        return staging;
    }

    /**
     * {@return where in {@link #staging()} the next header goes}
     */
    int stagedBytes()
    {
        return stagedBytes;
    }

    long stagingAddress()
    {
        return stagingAddress;
    }

    /**
     * Adds a response whose headers have just been written at {@link #stagedBytes()}, or are kept elsewhere.
     *
     * @param first    length of what goes before the payload.
     * @param second   length of what goes behind it.
     * @param isStaged whether they take up staging room.
     */
    void addEntry(final int first, final int second, final boolean isStaged)
    {
        entryOffsets[entryCount] = stagedBytes;
        entryFirstLengths[entryCount] = first;
        entrySecondLengths[entryCount] = second;
        entryCount++;
        if (isStaged)
        {
            stagedBytes += first + second;
        }
    }

    int entryCount()
    {
        return entryCount;
    }

    long entryAddress(final int index)
    {
        return stagingAddress + entryOffsets[index];
    }

    int entryFirstLength(final int index)
    {
        return entryFirstLengths[index];
    }

    int entrySecondLength(final int index)
    {
        return entrySecondLengths[index];
    }

    /**
     * Adds a piece to what is sent.
     *
     * @param address     start address.
     * @param lengthBytes length in bytes; nothing happens when it is 0.
     */
    void add(final long address, final int lengthBytes)
    {
        if (0 == lengthBytes)
        {
            return;
        }
        if (address == lastEndAddress)
        {
            final long lengthAddress = vectorsAddress + vectorCount * (long)MessageHeader.IOVEC_SIZE_BYTES - Long.BYTES;
            NativeMemory.putLong(lengthAddress, NativeMemory.getLong(lengthAddress) + lengthBytes);
        }
        else
        {
            MessageHeader.setIovec(
                vectorsAddress + vectorCount * (long)MessageHeader.IOVEC_SIZE_BYTES, address, lengthBytes);
            vectorCount++;
        }
        lastEndAddress = address + lengthBytes;
        bytes += lengthBytes;
    }

    /**
     * Adds a payload to what is sent.
     *
     * @param payload that stays where it is until it is sent.
     */
    void add(final Segments payload)
    {
        for (int i = 0; i < payload.count(); i++)
        {
            add(payload.address(i), payload.lengthBytes(i));
        }
    }

    /**
     * Adds what is left of a payload that was sent in part.
     *
     * @param payload that stays where it is until it is sent.
     * @param offset  of its first byte that has not left.
     */
    void add(final Segments payload, final int offset)
    {
        int skip = offset;
        for (int i = 0; i < payload.count(); i++)
        {
            final int length = payload.lengthBytes(i);
            final int skipped = Math.min(skip, length);
            add(payload.address(i) + skipped, length - skipped);
            skip -= skipped;
        }
    }

    /**
     * {@return bytes gathered}
     */
    long bytes()
    {
        return bytes;
    }

    /**
     * Hands everything to the socket, which may take a part.
     *
     * @param fd non-blocking socket.
     * @return bytes taken or negated errno.
     */
    long send(final int fd)
    {
        if (1 == vectorCount)
        {
            return kernel.send(fd, NativeMemory.getLong(vectorsAddress), bytes);
        }
        MessageHeader.set(messageAddress, vectorsAddress, vectorCount);
        return kernel.sendMessage(fd, messageAddress);
    }
}
