package io.millrace.messaging.tcp;

import io.millrace.messaging.transport.ExportAccess;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * What a peer may reach over TCP, by key. A key has its place in the table in its low 16 bits, the others are drawn, so
 * that one that was revoked is not valid again. One link's.
 */
final class RegionTable
{
    private static final int INDEX_BITS = 16;
    private static final int REGIONS_MAX = 1 << INDEX_BITS;
    private static final int REGIONS_MIN = 64;
    private static final SecureRandom SEEDS = new SecureRandom();

    private final SplittableRandom random = new SplittableRandom(SEEDS.nextLong());
    private long[] keys = new long[REGIONS_MIN];
    private long[] addresses = new long[REGIONS_MIN];
    private long[] lengths = new long[REGIONS_MIN];
    private int[] rights = new int[REGIONS_MIN];
    private int[] free = new int[REGIONS_MIN];
    private int freeCount;
    private int used;

    /**
     * Adds a region.
     *
     * @return its key, or 0 when there are too many.
     */
    long add(final long address, final long lengthBytes, final ExportAccess access)
    {
        if (0 == freeCount && used == keys.length && !grow())
        {
            return 0;
        }
        final int index = freeCount > 0 ? free[--freeCount] : used++;
        final long key = draw() | index;
        keys[index] = key;
        addresses[index] = address;
        lengths[index] = lengthBytes;
        rights[index] = access.bits();
        return key;
    }

    private long draw()
    {
        long high;
        do
        {
            high = random.nextLong() << INDEX_BITS;
        }
        while (0 == high);
        return high;
    }

    private boolean grow()
    {
        final int size = 2 * keys.length;
        if (size > REGIONS_MAX)
        {
            return false;
        }
        keys = Arrays.copyOf(keys, size);
        addresses = Arrays.copyOf(addresses, size);
        lengths = Arrays.copyOf(lengths, size);
        rights = Arrays.copyOf(rights, size);
        free = Arrays.copyOf(free, size);
        return true;
    }

    void remove(final long key)
    {
        if (isValid(key))
        {
            final int index = index(key);
            keys[index] = 0;
            free[freeCount++] = index;
        }
    }

    private static int index(final long key)
    {
        return (int)key & REGIONS_MAX - 1;
    }

    boolean isValid(final long key)
    {
        final int index = index(key);
        return 0 != key && index < used && keys[index] == key;
    }

    /**
     * {@return the address of a range that the peer may reach so, or 0 when it may not}
     *
     * @param offset      in the region, as the peer says.
     * @param lengthBytes of the range, as the peer says; not negative.
     */
    long resolve(final long key, final long offset, final long lengthBytes, final ExportAccess access)
    {
        if (!isValid(key))
        {
            return 0;
        }
        final int index = index(key);
        final boolean isAllowed = access.bits() == (rights[index] & access.bits());
        return isAllowed && offset >= 0 && lengthBytes <= lengths[index] && offset <= lengths[index] - lengthBytes ?
            addresses[index] + offset : 0;
    }

    int size()
    {
        return used - freeCount;
    }
}
