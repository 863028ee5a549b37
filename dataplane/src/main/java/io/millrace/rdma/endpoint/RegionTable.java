package io.millrace.rdma.endpoint;

import java.util.Collection;
import java.util.List;

/**
 * The registered ranges of a device, in the order of their addresses. Ranges never overlap. Immutable; any thread.
 */
final class RegionTable
{
    static final RegionTable NONE = new RegionTable(List.of());

    private final long[] starts;
    private final long[] ends;
    private final int[] localKeys;
    private final int[] remoteKeys;

    /** Of regions in the order of their addresses. */
    RegionTable(final Collection<RdmaRegion> regions)
    {
        starts = regions.stream().mapToLong(RdmaRegion::address).toArray();
        ends = regions.stream().mapToLong((region) -> region.address() + region.lengthBytes()).toArray();
        localKeys = regions.stream().mapToInt(RdmaRegion::localKey).toArray();
        remoteKeys = regions.stream().mapToInt(RdmaRegion::remoteKey).toArray();
    }

    /** {@return the number of the range with an address; negative when there is none} */
    int find(final long address)
    {
        int low = 0;
        int high = starts.length - 1;
        while (low <= high)
        {
            final int middle = low + high >>> 1;
            if (address < starts[middle])
            {
                high = middle - 1;
            }
            else if (address >= ends[middle])
            {
                low = middle + 1;
            }
            else
            {
                return middle;
            }
        }
        return -1;
    }

    long start(final int index)
    {
        return starts[index];
    }

    long end(final int index)
    {
        return ends[index];
    }

    int localKey(final int index)
    {
        return localKeys[index];
    }

    int remoteKey(final int index)
    {
        return remoteKeys[index];
    }
}
