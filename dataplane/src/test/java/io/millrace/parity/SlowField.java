package io.millrace.parity;

/**
 * GF(2^8) with the polynomial 0x11D, bit by bit, and ISA-L's Cauchy matrix in closed form: another implementation than
 * the one that is tested.
 */
public final class SlowField
{
    private static final int[] INVERSES = new int[256];

    static
    {
        for (int a = 1; a < 256; a++)
        {
            int b = 1;
            while (1 != product(a, b))
            {
                b++;
            }
            INVERSES[a] = b;
        }
    }

    private SlowField()
    {
    }

    /** {@return the product of two elements} */
    public static int product(final int a, final int b)
    {
        int product = 0;
        for (int bit = 7; bit >= 0; bit--)
        {
            product <<= 1;
            product ^= product > 0xff ? 0x11D : 0;
            product ^= 0 != (b & 1 << bit) ? a : 0;
        }
        return product;
    }

    private static int inverse(final int a)
    {
        return INVERSES[a];
    }

    /**
     * {@return a byte of a strip of parity}
     *
     * @param parity index of the strip.
     * @param data   the byte of each strip of data.
     */
    public static byte parity(final int parity, final byte[] data)
    {
        int sum = 0;
        for (int index = 0; index < data.length; index++)
        {
            sum ^= product(inverse(data.length + parity ^ index), data[index] & 0xff);
        }
        return (byte)sum;
    }
}
