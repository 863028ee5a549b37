package io.millrace.nvmf.namespace;

import java.util.UUID;

/**
 * A namespace as it was a moment ago. Immutable; counts are of commands that ended since the namespace was added, on
 * all reactors.
 *
 * @param subsystemNqn   of its subsystem.
 * @param nsid           its id.
 * @param uuid           as hosts see it.
 * @param device         name of the device that it shows.
 * @param anaGroup       that it is in.
 * @param sizeBytes      as hosts see it.
 * @param blockSizeBytes of a block.
 * @param reads          reads and compares that succeeded.
 * @param readBytes      of them.
 * @param writes         writes that succeeded.
 * @param writtenBytes   of them.
 * @param others         other commands that succeeded.
 * @param errors         commands that failed, of those whose parameters were right.
 */
public record NamespaceSnapshot(
    String subsystemNqn,
    int nsid,
    UUID uuid,
    String device,
    int anaGroup,
    long sizeBytes,
    int blockSizeBytes,
    long reads,
    long readBytes,
    long writes,
    long writtenBytes,
    long others,
    long errors)
{
    /**
     * A namespace as it is.
     *
     * @param nqn      of its subsystem.
     * @param served   the namespace.
     * @param counters sums of all reactors.
     * @return the snapshot.
     */
    public static NamespaceSnapshot of(final String nqn, final ServedNamespace served, final NamespaceTotals counters)
    {
        final Namespace namespace = served.namespace();
        return new NamespaceSnapshot(nqn, namespace.nsid(), namespace.uuid(), namespace.device().name(),
            namespace.anaGroup(), served.geometry().sizeBytes(), served.geometry().blockSizeBytes(),
            counters.readCommands(), counters.bytesRead(), counters.writeCommands(), counters.bytesWritten(),
            counters.otherCommands(), counters.errors());
    }
}
