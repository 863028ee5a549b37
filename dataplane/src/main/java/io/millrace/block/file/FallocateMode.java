package io.millrace.block.file;

import io.millrace.bindings.linux.Files;

/**
 * Modes of {@code fallocate(2)} that never change the file's size.
 */
final class FallocateMode
{
    /** Range reads as zeroes and stays allocated. */
    static final int ZERO_RANGE = Files.FALLOC_FL_ZERO_RANGE | Files.FALLOC_FL_KEEP_SIZE;
    /** Range reads as zeroes and is given back. */
    static final int PUNCH_HOLE = Files.FALLOC_FL_PUNCH_HOLE | Files.FALLOC_FL_KEEP_SIZE;

    private FallocateMode()
    {
    }
}
