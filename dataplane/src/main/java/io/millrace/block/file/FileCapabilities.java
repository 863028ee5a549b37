package io.millrace.block.file;

/**
 * Capabilities of a file, found when it was opened. Immutable.
 *
 * @param isPolled      completions are polled from the drive.
 * @param zeroStrategy       to begin with.
 * @param deallocateStrategy how ranges are given back.
 */
record FileCapabilities(boolean isPolled, ZeroStrategy zeroStrategy, DeallocateStrategy deallocateStrategy)
{
}
