package io.millrace.perf.load;

/**
 * A worker's part of the namespace, in cells of one I/O each. Immutable.
 *
 * @param nsid          of the namespace.
 * @param firstLba      of the part.
 * @param blockBytes    of the namespace.
 * @param blocksPerCell an I/O's worth.
 * @param cellCount     of the part.
 */
record Region(int nsid, long firstLba, int blockBytes, int blocksPerCell, long cellCount)
{
    long lba(final long cell)
    {
        return firstLba + cell * blocksPerCell;
    }
}
