package io.millrace.memory;

import java.util.Arrays;

/**
 * Ranges of addresses, each with a value, such as a number that a device knows the range by. Immutable: a change makes
 * another one, so that it is looked up without a lock.
 */
public final class AddressRanges
{
    /** No ranges. */
    public static final AddressRanges NONE = new AddressRanges(new long[0], new long[0], new long[0]);
    /** There is no such range. */
    public static final int NOT_FOUND = -1;

    private final long[] starts;
    private final long[] ends;
    private final long[] values;

    private AddressRanges(final long[] starts, final long[] ends, final long[] values)
    {
        this.starts = starts;
        this.ends = ends;
        this.values = values;
    }

    /**
     * Adds a range.
     *
     * @param address     of its first byte; not in another range.
     * @param lengthBytes positive.
     * @param value       of the range.
     * @return these and that.
     */
    public AddressRanges with(final long address, final long lengthBytes, final long value)
    {
        final int before = indexBehind(address);
        if (before > 0 && ends[before - 1] > address || before < count() && starts[before] < address + lengthBytes)
        {
            throw new IllegalArgumentException(lengthBytes + " bytes at 0x" + Long.toHexString(address) +
                " overlap memory that is there");
        }
        return new AddressRanges(
            inserted(starts, before, address), inserted(ends, before, address + lengthBytes),
            inserted(values, before, value));
    }

    /**
     * Removes ranges.
     *
     * @param address     where the first of them begins.
     * @param lengthBytes all that begin in it are removed.
     * @return the rest.
     */
    public AddressRanges without(final long address, final long lengthBytes)
    {
        final int from = indexBehind(address - 1);
        final int to = indexBehind(address + lengthBytes - 1);
        return new AddressRanges(cut(starts, from, to), cut(ends, from, to), cut(values, from, to));
    }

    /**
     * {@return number of the range that an address is in, or {@link #NOT_FOUND}; numbers are in the order of addresses}
     *
     * @param address any.
     */
    public int find(final long address)
    {
        final int index = indexBehind(address) - 1;
        return index >= 0 && address < ends[index] ? index : NOT_FOUND;
    }

    /**
     * {@return number of the range that all of some memory is in, or {@link #NOT_FOUND}}
     *
     * @param address     of its first byte.
     * @param lengthBytes positive.
     */
    public int find(final long address, final long lengthBytes)
    {
        final int index = find(address);
        return NOT_FOUND != index && lengthBytes <= ends[index] - address ? index : NOT_FOUND;
    }

    /** How many ranges begin at an address or before. */
    private int indexBehind(final long address)
    {
        int low = 0;
        int high = starts.length;
        while (low < high)
        {
            final int middle = low + high >>> 1;
            if (starts[middle] <= address)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }
        return low;
    }

    /**
     * {@return how many ranges there are}
     */
    public int count()
    {
        return starts.length;
    }

    /**
     * {@return where a range begins}
     *
     * @param index of the range.
     */
    public long start(final int index)
    {
        return starts[index];
    }

    /**
     * {@return the address behind a range}
     *
     * @param index of the range.
     */
    public long end(final int index)
    {
        return ends[index];
    }

    /**
     * {@return value of a range}
     *
     * @param index of the range.
     */
    public long value(final int index)
    {
        return values[index];
    }

    private static long[] inserted(final long[] from, final int index, final long value)
    {
        final long[] longer = new long[from.length + 1];
        System.arraycopy(from, 0, longer, 0, index);
        longer[index] = value;
        System.arraycopy(from, index, longer, index + 1, from.length - index);
        return longer;
    }

    private static long[] cut(final long[] from, final int first, final int behind)
    {
        final long[] shorter = Arrays.copyOf(from, from.length - (behind - first));
        System.arraycopy(from, behind, shorter, first, from.length - behind);
        return shorter;
    }
}
