package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.parity.ParityEngine;

/**
 * How a stripe's parity is computed, and what is lost from it. Strips are addresses of their rows, by index: data, in
 * the order in which the layout has parity take it, then parity. Of one reactor, whose engine it closes with itself; a
 * call allocates nothing but the matrix of losses that are new to it.
 */
interface StripeCode extends AutoCloseable
{
    /** More than one strip is wrong, or it cannot be told which. */
    int UNKNOWN = -1;

    /**
     * {@return the code of a level with parity}
     *
     * @param level  of the array.
     * @param engine that computes; closed with the code.
     */
    static StripeCode of(final RaidLevel level, final ParityEngine engine)
    {
        return switch (level)
        {
            case RAID5 -> new XorCode(engine);
            case RAID6, RAID6_Q_LAST -> new PqCode(engine);
            default -> new ReedSolomonCode(engine, level.parityCount());
        };
    }

    /**
     * Computes all parity.
     *
     * @param strips    data, then parity, which is written.
     * @param dataCount strips of data.
     * @param length    of the rows in bytes.
     */
    void generate(long[] strips, int dataCount, int length);

    /**
     * {@return whether parity is that of the data}
     *
     * @param strips    data, then all parity.
     * @param dataCount strips of data.
     * @param length    of the rows in bytes.
     */
    boolean isRight(long[] strips, int dataCount, int length);

    /**
     * Computes data that cannot be read.
     *
     * @param strips    data, which is written where it cannot be read, then parity, as far as it is needed: the first
     *                  strips that can be read, as many as strips of data cannot.
     * @param dataCount strips of data.
     * @param readable  indexes of strips that can be read, by bit; bits behind those of the stripe are ignored.
     * @param length    of the rows in bytes.
     */
    void recover(long[] strips, int dataCount, long readable, int length);

    /**
     * Changes all parity by the difference that a write makes to a part of a data strip.
     *
     * @param oldData   address of the part as parity knows it.
     * @param newData   address of the part that takes its place.
     * @param index     of the data strip.
     * @param strips    of which only parity is used, and written.
     * @param dataCount strips of data.
     * @param row       of the part's first byte in the rows.
     * @param length    of the part in bytes.
     */
    void update(long oldData, long newData, int index, long[] strips, int dataCount, int row, int length);

    /**
     * {@return index of the strip that is wrong when exactly one is; {@link #UNKNOWN}: none, or it cannot be told}
     *
     * @param strips    data, then all parity, as they were read.
     * @param dataCount strips of data.
     * @param length    of the rows in bytes.
     */
    int wrongStrip(long[] strips, int dataCount, int length);

    @Override
    void close();
}
