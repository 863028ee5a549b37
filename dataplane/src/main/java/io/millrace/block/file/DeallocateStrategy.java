package io.millrace.block.file;

/**
 * Method to deallocate a range of the underlying file or device.
 */
enum DeallocateStrategy
{
    /** {@code fallocate} makes a hole or has the drive unmap; the range reads as zeroes. */
    PUNCH_HOLE,
    /** The drive discards, Linux 6.12 and later; what the range reads as is the drive's choice. */
    DISCARD,
    /** Not at all. */
    NONE;

    static DeallocateStrategy of(final BackingFile file, final boolean readOnly)
    {
        if (readOnly)
        {
            return NONE;
        }
        if (!file.isBlockDevice())
        {
            return file.canPunchHoles() ? PUNCH_HOLE : NONE;
        }
        if (file.queueAttributes().value("write_zeroes_max_bytes") > 0)
        {
            return PUNCH_HOLE;
        }
        return file.queueAttributes().value("discard_max_bytes") > 0 ? DISCARD : NONE;
    }
}
