package io.millrace.messaging.transport;

import java.lang.foreign.Arena;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory outside the heap for one-sided access, exports and large messages; zeroed when made. Its contents are any
 * thread's, its closing that of the reactor whose endpoints use it.
 */
public final class MessageMemory implements AutoCloseable
{
    private static final int PAGE_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final long address;
    private final long lengthBytes;
    private final boolean isPooled;
    private boolean isClosed;

    /**
     * Allocates.
     *
     * @param lengthBytes 1 and above.
     * @throws IllegalArgumentException when it is below.
     */
    public MessageMemory(final long lengthBytes)
    {
        this(lengthBytes, false);
    }

    /** A block of a {@link BulkPool}, or a user's. */
    MessageMemory(final long lengthBytes, final boolean isPooled)
    {
        this.isPooled = isPooled;
        if (lengthBytes < 1)
        {
            throw new IllegalArgumentException("memory of " + lengthBytes + " bytes: at least 1");
        }
        this.lengthBytes = lengthBytes;
        address = arena.allocate(lengthBytes, PAGE_BYTES).address();
    }

    /**
     * {@return whether it is a connection's own, for large messages}
     */
    public boolean isPooled()
    {
        return isPooled;
    }

    /**
     * {@return whether it was freed}
     */
    public boolean isClosed()
    {
        return isClosed;
    }

    /**
     * {@return where it begins}
     */
    public long address()
    {
        return address;
    }

    /**
     * {@return its length in bytes}
     */
    public long lengthBytes()
    {
        return lengthBytes;
    }

    /**
     * {@return a buffer over it, or over its first 2 GiB - 1; allocates}
     */
    public UnsafeBuffer buffer()
    {
        return new UnsafeBuffer(address, (int)Math.min(Integer.MAX_VALUE, lengthBytes));
    }

    /**
     * Checks a range.
     *
     * @param offset of the range in bytes.
     * @param length of the range in bytes.
     * @throws IndexOutOfBoundsException when it is not inside.
     */
    public void check(final long offset, final long length)
    {
        if (isClosed)
        {
            throw new IllegalStateException("the memory is closed");
        }
        if (offset < 0 || length < 0 || offset > lengthBytes - length)
        {
            throw new IndexOutOfBoundsException(
                "offset " + offset + ", length " + length + ": the memory has " + lengthBytes + " bytes");
        }
    }

    /**
     * Frees it. No request uses it, and no export of it is left. A second call does nothing.
     */
    @Override
    public void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            arena.close();
        }
    }
}
