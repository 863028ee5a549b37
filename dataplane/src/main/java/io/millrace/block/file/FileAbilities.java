package io.millrace.block.file;

/**
 * What was found out of a file when it was opened. Immutable.
 *
 * @param isPolled      completions are polled from the drive.
 * @param zeroWay       to begin with.
 * @param deallocateWay how ranges are given back.
 */
record FileAbilities(boolean isPolled, ZeroWay zeroWay, DeallocateWay deallocateWay)
{
}
