package io.millrace.manager.store;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which versions are kept: the last ones, and as many besides of those that were taken back, so that changes that a
 * data plane refuses again and again do not push out what somebody may want to go back to. One thread at a time.
 */
final class KeptVersions
{
    private final int keep;
    private final NavigableMap<Long, VersionHeader> headers = new TreeMap<>();
    /** Of those, what does not count. */
    private final NavigableSet<Long> takenBack = new TreeSet<>();

    /** Most of each sort. */
    KeptVersions(final int keep)
    {
        this.keep = keep;
    }

    /** The oldest first. */
    void put(final long number, final VersionHeader header)
    {
        headers.put(number, header);
        takenBack.addAll(header.takenBack());
        takenBack.retainAll(headers.keySet());
    }

    void remove(final long number)
    {
        headers.remove(number);
        takenBack.remove(number);
    }

    /** What is one too many; 0: none is. None goes before one that it took back, which would count again. */
    long superfluous()
    {
        return headers.size() - takenBack.size() > keep ? headers.firstKey() :
            takenBack.size() > keep ? takenBack.first() : 0;
    }

    List<Long> from(final long first)
    {
        return new ArrayList<>(headers.tailMap(first, true).keySet());
    }

    /** The last before another that counts; 0: none. */
    long before(final long first)
    {
        for (final long each : headers.headMap(first, false).descendingKeySet())
        {
            if (!takenBack.contains(each))
            {
                return each;
            }
        }
        return 0;
    }

    /** The oldest first. */
    List<VersionHeader> list()
    {
        return new ArrayList<>(headers.values());
    }
}
