package io.millrace.rdma.endpoint;

/**
 * Finds the keys of registered memory by its address, for the connections of a reactor on a device. Memory that leaves
 * the registry has no keys from then on. Reactor's thread; a few nanoseconds for the region of the last call, a binary
 * search for another; nothing is allocated.
 */
public final class RegionKeys
{
    /** Answer for memory that is not in one registered region. */
    public static final long NO_KEY = -1;

    private final DeviceMemory memory;
    /** The table that the range below is of. */
    private RegionTable table = RegionTable.NONE;
    private long start;
    private long end;
    private int localKey;
    private int remoteKey;

    RegionKeys(final DeviceMemory memory)
    {
        this.memory = memory;
    }

    /**
     * Finds the key for segments of requests.
     *
     * @param address     of the memory.
     * @param lengthBytes of the memory.
     * @return the key as an unsigned 32-bit number; {@link #NO_KEY} when the memory is in no region, or in more than
     *     one: memory that has grown has a region for each growth.
     */
    public long localKey(final long address, final long lengthBytes)
    {
        return contains(address, lengthBytes) ? Integer.toUnsignedLong(localKey) : NO_KEY;
    }

    /**
     * Finds the key that a peer needs to access memory.
     *
     * @param address     of the memory.
     * @param lengthBytes of the memory.
     * @return the key as an unsigned 32-bit number; {@link #NO_KEY} as of {@link #localKey}.
     */
    public long remoteKey(final long address, final long lengthBytes)
    {
        return contains(address, lengthBytes) ? Integer.toUnsignedLong(remoteKey) : NO_KEY;
    }

    private boolean contains(final long address, final long lengthBytes)
    {
        return (address >= start && address < end && table == memory.table() || findRegion(address)) &&
            lengthBytes >= 0 && lengthBytes <= end - address;
    }

    private boolean findRegion(final long address)
    {
        final RegionTable present = memory.table();
        final int index = present.find(address);
        if (index < 0)
        {
            return false;
        }
        table = present;
        start = present.start(index);
        end = present.end(index);
        localKey = present.localKey(index);
        remoteKey = present.remoteKey(index);
        return true;
    }
}
