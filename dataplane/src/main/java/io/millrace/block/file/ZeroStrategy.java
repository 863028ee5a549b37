package io.millrace.block.file;

/**
 * Strategies to zero ranges without writing zeroes. A channel begins with the first and changes to the next when the
 * kernel does not support it for this file.
 */
enum ZeroStrategy
{
    /** {@code fallocate} that keeps the space. */
    ZERO_RANGE,
    /** {@code fallocate} that gives the space back. */
    PUNCH_HOLE,
    /** Not at all: the submitter's {@link io.millrace.block.Emulation} writes zeroes. */
    NONE;

    ZeroStrategy next()
    {
        return ZERO_RANGE == this ? PUNCH_HOLE : NONE;
    }
}
