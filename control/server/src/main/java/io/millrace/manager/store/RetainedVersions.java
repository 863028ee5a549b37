package io.millrace.manager.store;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Retention of versions: the last ones, and separately as many reverted ones, so that repeatedly refused changes do not
 * displace versions for rollback. One thread at a time.
 */
final class RetainedVersions
{
    private final int keep;
    private final NavigableMap<Long, VersionHeader> headers = new TreeMap<>();
    /** Of those, what does not count. */
    private final NavigableSet<Long> reverted = new TreeSet<>();

    /** Most of each sort. */
    RetainedVersions(final int keep)
    {
        this.keep = keep;
    }

    /** The oldest first. */
    void put(final long number, final VersionHeader header)
    {
        headers.put(number, header);
        reverted.addAll(header.reverted());
        reverted.retainAll(headers.keySet());
    }

    void remove(final long number)
    {
        headers.remove(number);
        reverted.remove(number);
    }

    /** What is one too many; 0: none is. None goes before one that it took back, which would count again. */
    long superfluous()
    {
        return headers.size() - reverted.size() > keep ? headers.firstKey() :
            reverted.size() > keep ? reverted.first() : 0;
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
            if (!reverted.contains(each))
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
