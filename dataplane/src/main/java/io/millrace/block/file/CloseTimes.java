package io.millrace.block.file;

/**
 * How long a channel that closes waits for a drive.
 *
 * @param cancelNs  after which the kernel is asked to cancel what is in flight.
 * @param giveUpNs  after which requests end without the drive, and their memory is quarantined.
 * @param lingerNs  between two looks for what the drive completes after that.
 */
record CloseTimes(long cancelNs, long giveUpNs, long lingerNs)
{
    static final CloseTimes DEFAULT = new CloseTimes(5_000_000_000L, 10_000_000_000L, 100_000_000L);
}
