package io.millrace.control.service;

import io.millrace.control.message.Resource;
import java.util.List;
import java.util.function.Function;

/**
 * Result of a List: snapshots, which are converted to records when they are sent.
 *
 * @param <T>       of the snapshots.
 * @param snapshots in order of the answer.
 * @param record    converts a snapshot; called on the thread of the {@link ControlService}.
 */
public record Listing<T>(List<T> snapshots, Function<T, Resource> record)
{
    /**
     * {@return all records}
     */
    public List<Resource> resources()
    {
        return snapshots.stream().map(record).toList();
    }

    Resource get(final int index)
    {
        return record.apply(snapshots.get(index));
    }
}
