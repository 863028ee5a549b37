package io.millrace.memory;

import io.millrace.bindings.NativeMemory;

/**
 * A payload: up to {@link #COUNT_MAX} pieces of memory, in order, each an absolute address and a length. Made once with
 * whatever moves the payload, then set anew for each use. The pieces may begin and end at any
 * byte. All lie in memory of one {@link MemoryDomain}, the host's if nobody says otherwise. Not thread-safe: it belongs
 * to the owner of the request that it is part of.
 * <p>
 * One piece is the common case and costs what an address and a length cost: the first piece is kept beside the count,
 * and only others are looked up in arrays. These are made when there is a second piece for the first time and kept, so
 * that commands and connections which never have one do not take the heap for them, and a use allocates nothing then.
 */
public final class Segments
{
    /** Most pieces of a payload. */
    public static final int COUNT_MAX = 16;

    /** Null until there was a second piece, as are the lengths. */
    private long[] addresses;
    private int[] lengths;
    private long firstAddress;
    private int firstLength;
    private int totalBytes;
    private int count;
    private MemoryDomain domain = MemoryDomain.HOST;

    /**
     * Creates an empty payload at set-up; it is reused for the life of its owner.
     */
    public Segments()
    {
    }

    /**
     * Forgets all pieces; the next ones are in the host's memory again.
     */
    public void clear()
    {
        domain(MemoryDomain.HOST);
        count = 0;
        totalBytes = 0;
    }

    /**
     * Makes it one piece of the host's memory, whatever it was before.
     *
     * @param address     of the first byte.
     * @param lengthBytes length in bytes; positive.
     * @throws IllegalStateException when the length is not positive.
     */
    public void set(final long address, final int lengthBytes)
    {
        domain(MemoryDomain.HOST);
        setFirst(address, lengthBytes);
    }

    private void setFirst(final long address, final int lengthBytes)
    {
        if (lengthBytes <= 0)
        {
            throw new IllegalStateException("segment of " + lengthBytes + " bytes: leave out what is empty");
        }
        firstAddress = address;
        firstLength = lengthBytes;
        totalBytes = lengthBytes;
        count = 1;
    }

    /**
     * Adds a piece at the end.
     *
     * @param address     of its first byte.
     * @param lengthBytes length in bytes; positive.
     * @throws IllegalStateException when the length is not positive, there are {@link #COUNT_MAX} pieces, or all of
     *                               them would have 2 GiB or more.
     */
    public void add(final long address, final int lengthBytes)
    {
        if (0 == count)
        {
            setFirst(address, lengthBytes);
            return;
        }
        if (lengthBytes <= 0 || COUNT_MAX == count || totalBytes + lengthBytes < 0)
        {
            throw new IllegalStateException("segment of " + lengthBytes + " bytes behind " + this +
                ": a payload has at most " + COUNT_MAX + " segments, none empty, and less than 2 GiB");
        }
        ensureArrays();
        addresses[count] = address;
        lengths[count] = lengthBytes;
        totalBytes += lengthBytes;
        count++;
    }

    /**
     * Says whose memory all pieces are in, before or after they are added.
     *
     * @param newDomain until the payload is cleared or set.
     */
    public void domain(final MemoryDomain newDomain)
    {
        // It is nearly always the same, and storing a reference costs the collector's mark as well.
        if (domain != newDomain)
        {
            domain = newDomain;
        }
    }

    /**
     * {@return whose memory all pieces are in: who may use their addresses}
     */
    public MemoryDomain domain()
    {
        return domain;
    }

    /**
     * {@return how many pieces there are; 0 when there is no payload}
     */
    public int count()
    {
        return count;
    }

    /**
     * {@return address of the first byte of a piece}
     *
     * @param index below {@link #count()}.
     * @throws IndexOutOfBoundsException when there is no such piece.
     */
    public long address(final int index)
    {
        checkIndex(index);
        return 0 == index ? firstAddress : addresses[index];
    }

    /**
     * {@return length of a piece in bytes}
     *
     * @param index below {@link #count()}.
     * @throws IndexOutOfBoundsException when there is no such piece.
     */
    public int lengthBytes(final int index)
    {
        checkIndex(index);
        return 0 == index ? firstLength : lengths[index];
    }

    private void checkIndex(final int index)
    {
        if (index < 0 || index >= count)
        {
            throw new IndexOutOfBoundsException("segment " + index + " of " + count);
        }
    }

    /**
     * {@return length of all pieces together, in bytes}
     */
    public int totalBytes()
    {
        return totalBytes;
    }

    /**
     * Becomes the same payload as another one.
     *
     * @param other to copy; it may be empty.
     */
    public void copyFrom(final Segments other)
    {
        firstAddress = other.firstAddress;
        firstLength = other.firstLength;
        totalBytes = other.totalBytes;
        count = other.count;
        domain(other.domain);
        if (count > 1)
        {
            ensureArrays();
            for (int i = 1; i < count; i++)
            {
                addresses[i] = other.addresses[i];
                lengths[i] = other.lengths[i];
            }
        }
    }

    private void ensureArrays()
    {
        if (null == addresses)
        {
            addresses = new long[COUNT_MAX];
            lengths = new int[COUNT_MAX];
        }
    }

    /**
     * Makes another payload the part of this one that begins at an offset: only pieces of which it has a byte.
     *
     * @param offset      of the part's first byte in this payload.
     * @param lengthBytes of the part; positive.
     * @param into        becomes the part; another object than this.
     * @throws IndexOutOfBoundsException when the part is not within this payload.
     */
    public void slice(final int offset, final int lengthBytes, final Segments into)
    {
        checkRange(offset, lengthBytes);
        if (1 == count)
        {
            into.set(firstAddress + offset, lengthBytes);
            into.domain(domain);
            return;
        }
        into.clear();
        into.domain(domain);
        int index = 0;
        int skip = offset;
        while (skip >= lengthBytes(index))
        {
            skip -= lengthBytes(index++);
        }
        int left = lengthBytes;
        do
        {
            final int length = Math.min(left, lengthBytes(index) - skip);
            into.add(address(index) + skip, length);
            left -= length;
            skip = 0;
            index++;
        }
        while (left > 0);
    }

    /**
     * {@return address of a byte of the payload}
     *
     * @param offset in the payload.
     * @throws IndexOutOfBoundsException when the payload has no such byte.
     */
    public long addressAt(final int offset)
    {
        final int index = pieceOf(offset);
        return address(index) + offset - startOf(index);
    }

    /**
     * {@return how many bytes of the payload lie one behind the other from a byte on}
     *
     * @param offset in the payload.
     * @throws IndexOutOfBoundsException when the payload has no such byte.
     */
    public int runAt(final int offset)
    {
        final int index = pieceOf(offset);
        return startOf(index) + lengthBytes(index) - offset;
    }

    private int pieceOf(final int offset)
    {
        checkRange(offset, 1);
        int index = 0;
        for (int end = firstLength; offset >= end; end += lengths[index])
        {
            index++;
        }
        return index;
    }

    private int startOf(final int index)
    {
        int start = 0;
        for (int i = 0; i < index; i++)
        {
            start += lengthBytes(i);
        }
        return start;
    }

    /**
     * Copies bytes from one place into the payload, by CPU.
     *
     * @param offset      in the payload of the first byte to overwrite.
     * @param source      address of the bytes.
     * @param lengthBytes how many; may be 0.
     * @throws IndexOutOfBoundsException when the range is not within the payload.
     * @throws IllegalStateException     when the payload is not in the host's memory.
     */
    public void copyIn(final int offset, final long source, final int lengthBytes)
    {
        checkHost();
        checkRange(offset, lengthBytes);
        if (1 == count)
        {
            NativeMemory.copy(source, firstAddress + offset, lengthBytes);
            return;
        }
        copyPieces(true, offset, source, lengthBytes);
    }

    /**
     * Copies bytes of the payload to one place, by CPU.
     *
     * @param offset      in the payload of the first byte.
     * @param destination address to copy to.
     * @param lengthBytes how many; may be 0.
     * @throws IndexOutOfBoundsException when the range is not within the payload.
     * @throws IllegalStateException     when the payload is not in the host's memory.
     */
    public void copyOut(final int offset, final long destination, final int lengthBytes)
    {
        checkHost();
        checkRange(offset, lengthBytes);
        if (1 == count)
        {
            NativeMemory.copy(firstAddress + offset, destination, lengthBytes);
            return;
        }
        copyPieces(false, offset, destination, lengthBytes);
    }

    /**
     * Compares bytes of the payload with those in one place, by CPU.
     *
     * @param offset      in the payload of the first byte.
     * @param other       address to compare with.
     * @param lengthBytes how many; may be 0.
     * @return whether they are the same.
     * @throws IndexOutOfBoundsException when the range is not within the payload.
     * @throws IllegalStateException     when the payload is not in the host's memory.
     */
    public boolean isEqual(final int offset, final long other, final int lengthBytes)
    {
        checkHost();
        checkRange(offset, lengthBytes);
        int skip = offset;
        int done = 0;
        for (int i = 0; done < lengthBytes; i++)
        {
            final int length = Math.min(lengthBytes - done, lengthBytes(i) - skip);
            if (length > 0)
            {
                if (-1 != NativeMemory.mismatch(address(i) + skip, other + done, length))
                {
                    return false;
                }
                done += length;
            }
            skip = Math.max(0, skip - lengthBytes(i));
        }
        return true;
    }

    private void copyPieces(final boolean isIn, final int offset, final long other, final int lengthBytes)
    {
        int skip = offset;
        int done = 0;
        for (int i = 0; done < lengthBytes; i++)
        {
            final int length = Math.min(lengthBytes - done, lengthBytes(i) - skip);
            if (length > 0)
            {
                final long piece = address(i) + skip;
                NativeMemory.copy(isIn ? other + done : piece, isIn ? piece : other + done, length);
                done += length;
            }
            skip = Math.max(0, skip - lengthBytes(i));
        }
    }

    private void checkHost()
    {
        if (MemoryDomain.HOST != domain)
        {
            throw new IllegalStateException(this + " of " + domain + " memory, which no CPU may access");
        }
    }

    private void checkRange(final int offset, final int lengthBytes)
    {
        if (offset < 0 || lengthBytes < 0 || offset > totalBytes - lengthBytes)
        {
            throw new IndexOutOfBoundsException(lengthBytes + " bytes from " + offset + " of " + this);
        }
    }

    @Override
    public String toString()
    {
        return totalBytes + " bytes in " + count + " segments";
    }
}
