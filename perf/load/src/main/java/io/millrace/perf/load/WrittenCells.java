package io.millrace.perf.load;

/**
 * The cells that a worker has written in its part of the region: for each cell (the blocks of an I/O) the number of
 * writes, and whether a command is outstanding on it, so that no two commands overlap and every read has one correct
 * result. One worker's.
 */
final class WrittenCells
{
    private static final int GENERATION_MAX = 0x7F;
    private static final byte BUSY = (byte)0x80;

    private final byte[] cells;

    /**
     * Takes a byte for each cell.
     *
     * @param count of cells.
     */
    WrittenCells(final int count)
    {
        cells = new byte[count];
    }

    boolean isBusy(final long cell)
    {
        return cells[(int)cell] < 0;
    }

    /**
     * Finds a cell without an outstanding command.
     *
     * @param wanted where to begin to look.
     * @return the cell; -1 when all are busy.
     */
    long findIdle(final long wanted)
    {
        for (int i = 0; i < cells.length; i++)
        {
            final long cell = wanted + i < cells.length ? wanted + i : wanted + i - cells.length;
            if (!isBusy(cell))
            {
                return cell;
            }
        }
        return -1;
    }

    /**
     * {@return how often the cell was written, round a hundred; 0 when not in this run, or when that is not known}
     *
     * @param cell index.
     */
    int generation(final long cell)
    {
        return cells[(int)cell] & GENERATION_MAX;
    }

    /**
     * {@return the generation that the next write of the cell is to carry}
     *
     * @param cell index.
     */
    int nextGeneration(final long cell)
    {
        final int generation = generation(cell);
        return GENERATION_MAX == generation ? 1 : generation + 1;
    }

    void begin(final long cell)
    {
        cells[(int)cell] |= BUSY;
    }

    void endRead(final long cell)
    {
        cells[(int)cell] &= GENERATION_MAX;
    }

    /**
     * A write ended.
     *
     * @param cell       index.
     * @param generation it carried; 0 when it failed, so that the content of the cell is unknown.
     */
    void endWrite(final long cell, final int generation)
    {
        cells[(int)cell] = (byte)generation;
    }
}
