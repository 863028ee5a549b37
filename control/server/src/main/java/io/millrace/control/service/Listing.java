package io.millrace.control.service;

import io.millrace.control.message.Resource;
import java.util.List;
import java.util.function.Function;

/**
 * What was found for a List, as snapshots of which a record is made when its turn to be sent comes.
 *
 * @param <T>       of the snapshots.
 * @param snapshots in the order in which they are told.
 * @param record    makes one; called on the thread of the {@link ControlService}.
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
