package io.millrace.status;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * I/O of a namespace, or of a host. Immutable.
 *
 * @param name         NQN of the subsystem, or of the host.
 * @param nsid         of the namespace; 0 for a host.
 * @param sinceEpochMs when counting began.
 * @param mediaErrors  how often the device could not read or write its media.
 * @param operations   by {@link IoOperation#ordinal()}.
 */
public record IoStatus(
    String name, int nsid, long sinceEpochMs, long mediaErrors, List<OperationStatus> operations)
{
    private record Key(String name, int nsid)
    {
    }

    /**
     * Copies the list.
     */
    public IoStatus
    {
        operations = List.copyOf(operations);
    }

    /**
     * {@return counters of one kind of command}
     *
     * @param operation which.
     */
    public OperationStatus operation(final IoOperation operation)
    {
        return operations.get(operation.ordinal());
    }

    /**
     * {@return sums over the reactors; in the order of first occurrence}
     *
     * @param parts of the reactors.
     */
    static List<IoStatus> merge(final List<IoStatus> parts)
    {
        final Map<Key, IoStatus> merged = new LinkedHashMap<>();
        for (final IoStatus each : parts)
        {
            merged.merge(new Key(each.name, each.nsid), each, IoStatus::plus);
        }
        return List.copyOf(merged.values());
    }

    private IoStatus plus(final IoStatus other)
    {
        final List<OperationStatus> sums = new ArrayList<>(operations.size());
        for (int i = 0; i < operations.size(); i++)
        {
            sums.add(operations.get(i).plus(other.operations.get(i)));
        }
        return new IoStatus(name, nsid, Math.min(sinceEpochMs, other.sinceEpochMs), mediaErrors + other.mediaErrors,
            sums);
    }
}
