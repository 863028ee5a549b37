package io.millrace.block.fault;

/**
 * Blocks of the device below that a request reads or writes; its {@link WriteCache} alone changes it while the request
 * is there.
 */
final class CacheRange
{
    /** Numbers of the blocks that are written back; empty for other requests. */
    final long[] versions;
    long lba;
    long blocks;
    /** Of a write. */
    long version;
    /** Of a read: whether a block went to the device below meanwhile. */
    boolean isStale;

    /**
     * Makes a range of none.
     *
     * @param versionCount most blocks that are written back with it.
     */
    CacheRange(final int versionCount)
    {
        versions = new long[versionCount];
    }

    long end()
    {
        return lba + blocks;
    }
}
