package io.millrace.status;

/**
 * A queue pair. Immutable.
 *
 * @param nqn          of the subsystem.
 * @param hostNqn      of the host.
 * @param controllerId in the subsystem.
 * @param queueId      0 for the admin queue.
 * @param reactor      index of its reactor.
 * @param sinceEpochMs when it was connected.
 * @param depth        commands that the host may have outstanding.
 * @param commands     that came.
 * @param outstanding  of them, not answered yet.
 * @param bytesRead    of reads that succeeded.
 * @param bytesWritten of writes that succeeded.
 * @param errors       commands that failed.
 */
public record QueuePairStatus(
    String nqn,
    String hostNqn,
    int controllerId,
    int queueId,
    int reactor,
    long sinceEpochMs,
    int depth,
    long commands,
    long outstanding,
    long bytesRead,
    long bytesWritten,
    long errors)
{
}
