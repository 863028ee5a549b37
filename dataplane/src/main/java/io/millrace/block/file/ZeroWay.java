package io.millrace.block.file;

/**
 * How ranges are zeroed. A channel begins with the first and goes on to the next when the kernel does not know it for
 * this file.
 */
enum ZeroWay
{
    /** {@code fallocate} that keeps the space. */
    ZERO_RANGE,
    /** {@code fallocate} that gives the space back. */
    PUNCH_HOLE,
    /** Zeroes are written. */
    WRITES;

    ZeroWay next()
    {
        return ZERO_RANGE == this ? PUNCH_HOLE : WRITES;
    }
}
