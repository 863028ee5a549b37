package io.millrace.parity;

/**
 * The arithmetic of an engine, over bytes {@code from} up to {@code to} of strips. Nothing is checked: {@link
 * ParityEngine} does that. {@code from} is a multiple of 64. One thread at a time, since kernels have memory of their
 * own. In arrays of P and Q data comes first, then P, then Q.
 */
interface ParityKernels
{
    /** The strip {@code target} becomes the XOR of the others. */
    void xor(long[] strips, int count, int target, int from, int to);

    /** P and Q of data. */
    void pq(long[] strips, int dataCount, int from, int to);

    /** Q of data; P is not looked at. */
    void q(long[] strips, int dataCount, int from, int to);

    /** Data that is lost together with P. */
    void recoverByQ(long[] strips, int dataCount, int lost, int from, int to);

    /** Two lost strips of data, the first before the second. */
    void recoverTwo(long[] strips, int dataCount, int first, int second, int from, int to);

    /** The first byte at which the XOR of all strips is not 0, or -1. */
    int verifyXor(long[] strips, int count, int from, int to);

    /** The first byte at which P or Q is not that of data, or -1. */
    int verifyPq(long[] strips, int dataCount, int from, int to);

    /** Adds the difference of two strips to a third, multiplied by a coefficient. */
    void addDifference(long oldData, long newData, int coefficient, long target, int from, int to);

    /** Outputs are the product of a matrix with sources. */
    void multiply(GfMatrix matrix, long[] sources, long[] outputs, int from, int to);

    /** Frees the memory of the kernels. */
    void close();
}
