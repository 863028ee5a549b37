package io.millrace.block.file;

/**
 * Time-outs of a closing channel for its drive.
 *
 * @param cancelNs  after which the kernel is asked to cancel what is in flight.
 * @param giveUpNs  after which requests end without the drive, and their memory is quarantined.
 * @param lingerNs  interval of checks for late completions of the drive.
 */
record CloseTimeouts(long cancelNs, long giveUpNs, long lingerNs)
{
    static final CloseTimeouts DEFAULT = new CloseTimeouts(5_000_000_000L, 10_000_000_000L, 100_000_000L);
}
