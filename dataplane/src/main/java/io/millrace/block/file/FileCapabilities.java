package io.millrace.block.file;

/**
 * Capabilities of a file, found when it was opened. Immutable.
 *
 * @param isDirect           whether I/O goes past the page cache.
 * @param polledBytesMax     longest transfer whose completion is polled from the drive; 0 when none is.
 * @param zeroStrategy       to begin with.
 * @param deallocateStrategy how ranges are given back.
 */
record FileCapabilities(
    boolean isDirect, int polledBytesMax, ZeroStrategy zeroStrategy, DeallocateStrategy deallocateStrategy)
{
    /** {@return whether completions are polled from the drive} */
    boolean isPolled()
    {
        return polledBytesMax > 0;
    }
}
