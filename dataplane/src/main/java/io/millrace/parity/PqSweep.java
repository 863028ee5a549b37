package io.millrace.parity;

import static jdk.incubator.vector.VectorOperators.AND;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.ROL;
import static jdk.incubator.vector.VectorOperators.ROR;
import static jdk.incubator.vector.VectorOperators.XOR;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * P and Q of up to eight strips in one pass. Stateless; any thread.
 * <p>
 * Q needs strip i multiplied by 2^i. Instead of reducing after each doubling, bytes are shifted by i and reduced once
 * for all eight: a rotation by i of 64-bit lanes puts the upper bits of each byte, which the reduction is for, below
 * the lower bits of the next one. So {@code low} is the XOR of what stays in the byte, {@code all} that of everything,
 * and their difference, rotated back by a byte, is reduced by a table for each half of the byte. That is a rotation and
 * two operations for a strip, where doubling takes four. More strips than eight are groups: a group takes the Q of
 * those behind it, which count 2^8 times, into what is reduced.
 * <p>
 * The one loop is all that the compiler takes at a time: it refuses to inline what is called besides, and then each
 * vector becomes an object. So vector operations are written out where they are used, and what is made of P and Q
 * otherwise is another loop.
 */
final class PqSweep
{
    /** Strips of a group. */
    static final int GROUP = 8;
    /** The species in use, as bytes. */
    static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    /** Bytes of a vector. */
    static final int VECTOR_BYTES = BYTES.vectorByteSize();
    /** The address space; a segment for each strip would be allocated. */
    @SuppressWarnings("restricted")
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    /**
     * The engine has checked addresses. The compiler does not know, and checks each access against the end of
     * {@link #ALL} unless the address has been masked: that takes a fifth of the speed.
     */
    static final long ADDRESS_MASK = Bounds.ADDRESS_END - 1;

    private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_PREFERRED;
    private static final int HALF = 4;
    private static final long EACH_BYTE = 0x0101010101010101L;
    private static final LongVector LOW_1 = LongVector.broadcast(LONGS, 0xfe * EACH_BYTE);
    private static final LongVector LOW_2 = LongVector.broadcast(LONGS, 0xfc * EACH_BYTE);
    private static final LongVector LOW_3 = LongVector.broadcast(LONGS, 0xf8 * EACH_BYTE);
    private static final LongVector LOW_4 = LongVector.broadcast(LONGS, 0xf0 * EACH_BYTE);
    private static final LongVector LOW_5 = LongVector.broadcast(LONGS, 0xe0 * EACH_BYTE);
    private static final LongVector LOW_6 = LongVector.broadcast(LONGS, 0xc0 * EACH_BYTE);
    private static final LongVector LOW_7 = LongVector.broadcast(LONGS, 0x80 * EACH_BYTE);
    private static final ByteVector REDUCTION_LOW = NibbleTables.low(GaloisField.power(Byte.SIZE));
    private static final ByteVector REDUCTION_HIGH = NibbleTables.high(GaloisField.power(Byte.SIZE));

    private PqSweep()
    {
    }

    /**
     * Makes P and Q of one group.
     *
     * @param group     addresses of eight strips; 0 where one is lost or there is none.
     * @param p         address of P.
     * @param q         address of Q.
     * @param isCarried whether P and Q hold those of the groups behind this one, which are taken in.
     * @param from      first byte.
     * @param to        end; whole vectors from {@code from}.
     */
    static void run(
        final long[] group, final long p, final long q, final boolean isCarried, final int from, final int to)
    {
        final long addressOfP = p & ADDRESS_MASK;
        final long addressOfQ = q & ADDRESS_MASK;
        final long a0 = group[0] & ADDRESS_MASK;
        final long a1 = group[1] & ADDRESS_MASK;
        final long a2 = group[2] & ADDRESS_MASK;
        final long a3 = group[3] & ADDRESS_MASK;
        final long a4 = group[4] & ADDRESS_MASK;
        final long a5 = group[5] & ADDRESS_MASK;
        final long a6 = group[6] & ADDRESS_MASK;
        final long a7 = group[7] & ADDRESS_MASK;
        for (int offset = from; offset < to; offset += VECTOR_BYTES)
        {
            LongVector sum = LongVector.zero(LONGS);
            LongVector all = sum;
            LongVector low = sum;
            if (0 != a0)
            {
                final LongVector data = LongVector.fromMemorySegment(LONGS, ALL, a0 + offset, ORDER);
                sum = sum.lanewise(XOR, data);
                all = all.lanewise(XOR, data);
                low = low.lanewise(XOR, data);
            }
            if (0 != a1)
            {
                final LongVector data = LongVector.fromMemorySegment(LONGS, ALL, a1 + offset, ORDER);
                final LongVector rotated = data.lanewise(ROL, 1);
                sum = sum.lanewise(XOR, data);
                all = all.lanewise(XOR, rotated);
                low = low.lanewise(XOR, rotated.lanewise(AND, LOW_1));
            }
            if (0 != a2)
            {
                final LongVector data = LongVector.fromMemorySegment(LONGS, ALL, a2 + offset, ORDER);
                final LongVector rotated = data.lanewise(ROL, 2);
                sum = sum.lanewise(XOR, data);
                all = all.lanewise(XOR, rotated);
                low = low.lanewise(XOR, rotated.lanewise(AND, LOW_2));
            }
            if (0 != a3)
            {
                final LongVector data = LongVector.fromMemorySegment(LONGS, ALL, a3 + offset, ORDER);
                final LongVector rotated = data.lanewise(ROL, 3);
                sum = sum.lanewise(XOR, data);
                all = all.lanewise(XOR, rotated);
                low = low.lanewise(XOR, rotated.lanewise(AND, LOW_3));
            }
            if (0 != a4)
            {
                final LongVector data = LongVector.fromMemorySegment(LONGS, ALL, a4 + offset, ORDER);
                final LongVector rotated = data.lanewise(ROL, 4);
                sum = sum.lanewise(XOR, data);
                all = all.lanewise(XOR, rotated);
                low = low.lanewise(XOR, rotated.lanewise(AND, LOW_4));
            }
            if (0 != a5)
            {
                final LongVector data = LongVector.fromMemorySegment(LONGS, ALL, a5 + offset, ORDER);
                final LongVector rotated = data.lanewise(ROL, 5);
                sum = sum.lanewise(XOR, data);
                all = all.lanewise(XOR, rotated);
                low = low.lanewise(XOR, rotated.lanewise(AND, LOW_5));
            }
            if (0 != a6)
            {
                final LongVector data = LongVector.fromMemorySegment(LONGS, ALL, a6 + offset, ORDER);
                final LongVector rotated = data.lanewise(ROL, 6);
                sum = sum.lanewise(XOR, data);
                all = all.lanewise(XOR, rotated);
                low = low.lanewise(XOR, rotated.lanewise(AND, LOW_6));
            }
            if (0 != a7)
            {
                final LongVector data = LongVector.fromMemorySegment(LONGS, ALL, a7 + offset, ORDER);
                final LongVector rotated = data.lanewise(ROL, 7);
                sum = sum.lanewise(XOR, data);
                all = all.lanewise(XOR, rotated);
                low = low.lanewise(XOR, rotated.lanewise(AND, LOW_7));
            }
            LongVector high = all.lanewise(XOR, low).lanewise(ROR, Byte.SIZE);
            if (isCarried)
            {
                sum = sum.lanewise(XOR, LongVector.fromMemorySegment(LONGS, ALL, addressOfP + offset, ORDER));
                high = high.lanewise(XOR, LongVector.fromMemorySegment(LONGS, ALL, addressOfQ + offset, ORDER));
            }
            low.lanewise(XOR, high.reinterpretAsBytes().selectFrom(REDUCTION_LOW).reinterpretAsLongs())
                .lanewise(XOR, high.lanewise(LSHR, HALF).reinterpretAsBytes().selectFrom(REDUCTION_HIGH)
                    .reinterpretAsLongs())
                .intoMemorySegment(ALL, addressOfQ + offset, ORDER);
            sum.intoMemorySegment(ALL, addressOfP + offset, ORDER);
        }
    }
}
