package io.millrace.parity;

/**
 * GF(2^8) by the polynomial 0x11d, whose generator is 2: the field of md, ISA-L and most of RAID 6. Elements are the
 * lower 8 bits of an {@code int}. Stateless; any thread.
 */
public final class GaloisField
{
    /** x^8 + x^4 + x^3 + x^2 + 1. */
    public static final int POLYNOMIAL = 0x11d;
    /** Elements of the field. */
    static final int SIZE = 256;
    /** Elements but 0, which are the powers of 2. */
    private static final int ORDER = 255;
    private static final int[] POWERS = new int[ORDER];
    private static final int[] LOGARITHMS = new int[SIZE];
    private static final byte[] PRODUCTS = new byte[SIZE * SIZE];

    static
    {
        int value = 1;
        for (int i = 0; i < ORDER; i++)
        {
            POWERS[i] = value;
            LOGARITHMS[value] = i;
            value <<= 1;
            value ^= value >= SIZE ? POLYNOMIAL : 0;
        }
        for (int a = 1; a < SIZE; a++)
        {
            for (int b = 1; b < SIZE; b++)
            {
                PRODUCTS[a * SIZE + b] = (byte)power(LOGARITHMS[a] + LOGARITHMS[b]);
            }
        }
    }

    private GaloisField()
    {
    }

    /**
     * {@return the product of two elements}
     *
     * @param a 0 to 255.
     * @param b 0 to 255.
     */
    public static int multiply(final int a, final int b)
    {
        return PRODUCTS[a * SIZE + b] & 0xff;
    }

    /**
     * {@return 2 to a power}
     *
     * @param exponent any, negative ones too.
     */
    public static int power(final int exponent)
    {
        return POWERS[Math.floorMod(exponent, ORDER)];
    }

    /**
     * {@return the element by which another one gives 1}
     *
     * @param a 1 to 255.
     * @throws IllegalArgumentException when it is 0.
     */
    public static int inverse(final int a)
    {
        if (0 == a)
        {
            throw new IllegalArgumentException("element 0 has no inverse: must be 1 to 255");
        }
        return power(-LOGARITHMS[a]);
    }
}
