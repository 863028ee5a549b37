package io.millrace.memory;

import io.millrace.bindings.NativeMemory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Payloads in random pieces, for tests.
 */
public final class RandomSegments
{
    /** Bytes between two pieces, at most: nobody may write there. */
    private static final int GAP_BYTES_MAX = 40;
    /** Room that a payload takes beyond its length. */
    public static final int SPREAD_BYTES = (Segments.COUNT_MAX + 1) * GAP_BYTES_MAX;

    private RandomSegments()
    {
    }

    /**
     * Spreads a payload over memory: random pieces, in random places, with gaps between them.
     *
     * @param random      what decides.
     * @param countMax    most pieces.
     * @param address     of the memory.
     * @param lengthBytes of the payload; the memory has {@link #SPREAD_BYTES} more.
     * @return the payload.
     */
    public static Segments spread(
        final Random random, final int countMax, final long address, final int lengthBytes)
    {
        final int count = Math.min(1 + random.nextInt(countMax), lengthBytes);
        final int[] cuts = random.ints(1, Math.max(2, lengthBytes)).distinct().limit(count - 1).sorted().toArray();
        final List<Integer> lengths = new ArrayList<>();
        int position = 0;
        for (final int cut : cuts)
        {
            lengths.add(cut - position);
            position = cut;
        }
        lengths.add(lengthBytes - position);
        final List<Integer> order = new ArrayList<>();
        lengths.forEach((each) -> order.add(order.size()));
        Collections.shuffle(order, random);
        final long[] addresses = new long[lengths.size()];
        long next = address;
        for (final int index : order)
        {
            next += random.nextInt(GAP_BYTES_MAX);
            addresses[index] = next;
            next += lengths.get(index);
        }
        final Segments segments = new Segments();
        for (int i = 0; i < addresses.length; i++)
        {
            segments.add(addresses[i], lengths.get(i));
        }
        return segments;
    }

    /**
     * {@return what a payload holds, byte by byte}
     *
     * @param segments to read.
     */
    public static byte[] bytes(final Segments segments)
    {
        final byte[] bytes = new byte[segments.totalBytes()];
        int position = 0;
        for (int i = 0; i < segments.count(); i++)
        {
            for (int k = 0; k < segments.lengthBytes(i); k++)
            {
                bytes[position++] = NativeMemory.getByte(segments.address(i) + k);
            }
        }
        return bytes;
    }

    /**
     * Writes a payload, byte by byte.
     *
     * @param segments to write.
     * @param bytes    as many as it has.
     */
    public static void put(final Segments segments, final byte[] bytes)
    {
        int position = 0;
        for (int i = 0; i < segments.count(); i++)
        {
            for (int k = 0; k < segments.lengthBytes(i); k++)
            {
                NativeMemory.putByte(segments.address(i) + k, bytes[position++]);
            }
        }
    }
}
