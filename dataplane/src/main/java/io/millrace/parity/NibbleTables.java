package io.millrace.parity;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products of a coefficient with all lower and all upper halves of a byte. Each half has 16 values, which are repeated
 * to the width of the vector, so that an index needs no mask: bits above the lowest four choose a repetition.
 */
final class NibbleTables
{
    private static final int VALUES = 16;
    private static final int HALF = 4;
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final int LENGTH = BYTES.length();
    private static final byte[] LOW = new byte[GaloisField.SIZE * LENGTH];
    private static final byte[] HIGH = new byte[GaloisField.SIZE * LENGTH];

    static
    {
        for (int i = 0; i < LOW.length; i++)
        {
            final int value = i % VALUES;
            LOW[i] = (byte)GaloisField.multiply(i / LENGTH, value);
            HIGH[i] = (byte)GaloisField.multiply(i / LENGTH, value << HALF);
        }
    }

    private NibbleTables()
    {
    }

    static ByteVector low(final int coefficient)
    {
        return ByteVector.fromArray(BYTES, LOW, coefficient * LENGTH);
    }

    static ByteVector high(final int coefficient)
    {
        return ByteVector.fromArray(BYTES, HIGH, coefficient * LENGTH);
    }
}
