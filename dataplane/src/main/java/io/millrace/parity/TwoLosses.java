package io.millrace.parity;

/**
 * Two lost strips of data, x before y. With p and q the sums over what is there, P and Q included:
 * Dx + Dy = p and 2^x Dx + 2^y Dy = q, so Dx = (2^y p + q) / (2^x + 2^y), and Dy = p + Dx.
 */
final class TwoLosses
{
    private TwoLosses()
    {
    }

    static int coefficientOfP(final int x, final int y)
    {
        return GaloisField.multiply(GaloisField.power(y), coefficientOfQ(x, y));
    }

    static int coefficientOfQ(final int x, final int y)
    {
        return GaloisField.inverse(GaloisField.power(x) ^ GaloisField.power(y));
    }
}
