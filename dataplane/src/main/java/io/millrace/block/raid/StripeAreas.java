package io.millrace.block.raid;

import io.millrace.memory.Segments;

/**
 * Areas of a buffer, one for each strip that is read, computed or copied, in which a strip's rows begin at the area's
 * start, and what is computed in them. By index of the data strip, then of parity. Of one {@link ParityStripeRequest};
 * the reactor's only.
 */
final class StripeAreas
{
    private final StripeRows rows;
    private final StripeCodes codes;
    private StripeCode code;
    private long[] areas;
    /** The same in the order of the code. */
    private long[] ordered;
    /** Of the strips' rows that parity is computed of at once, in the order of the code. */
    private long[] cut;
    private final Segments piece = new Segments();
    private int areaBytes;

    /**
     * No areas.
     *
     * @param rows  of the stripe.
     * @param codes by which parity is computed.
     */
    StripeAreas(final StripeRows rows, final StripeCodes codes)
    {
        this.rows = rows;
        this.codes = codes;
        areas = new long[0];
        fit();
    }

    /** None is in use: makes place for those of the rows, which may have got another layout. */
    void fit()
    {
        if (areas.length < rows.stripCount())
        {
            areas = new long[rows.stripCount()];
            ordered = new long[rows.stripCount()];
            cut = new long[rows.stripCount()];
        }
        code = codes.of(rows.stripCount() - rows.dataCount());
    }

    /** Of this and the next ones: which data strip Q takes first is zero, unless Q is in a slot of its own. */
    private long[] ordered()
    {
        final int first = rows.firstOfQ();
        if (0 == first)
        {
            return areas;
        }
        final int dataCount = rows.dataCount();
        System.arraycopy(areas, first, ordered, 0, dataCount - first);
        System.arraycopy(areas, 0, ordered, dataCount - first, first);
        System.arraycopy(areas, dataCount, ordered, dataCount, rows.stripCount() - dataCount);
        return ordered;
    }

    private int place(final int index)
    {
        return StripeCodes.place(index, rows.firstOfQ(), rows.dataCount());
    }

    /** Of strips by bit. */
    private long places(final long indexes)
    {
        final int first = rows.firstOfQ();
        final int dataCount = rows.dataCount();
        final long data = indexes & (1L << dataCount) - 1;
        return data >>> first | (data & (1L << first) - 1) << dataCount - first | indexes & -1L << dataCount;
    }

    /**
     * {@return bytes of an area that has room for the rows}
     */
    int bytes()
    {
        // Memory of direct I/O is aligned.
        areaBytes = rows.count() + 4095 & -4096;
        return areaBytes;
    }

    /**
     * {@return address of an area}
     *
     * @param index of the strip.
     */
    long address(final int index)
    {
        return areas[index];
    }

    /**
     * Places an area.
     *
     * @param index   of the strip.
     * @param address of the rows.
     */
    void place(final int index, final long address)
    {
        areas[index] = address;
    }

    /**
     * Places the areas of consecutive strips one behind the other.
     *
     * @param first  index of the first.
     * @param buffer with room for all from there on.
     */
    void placeFrom(final int first, final long buffer)
    {
        for (int index = first; index < rows.stripCount(); index++)
        {
            areas[index] = buffer + (long)(index - first) * areaBytes;
        }
    }

    /** Computes the rows of data strips that were not read. */
    void recover()
    {
        code.recover(ordered(), rows.dataCount(), places(rows.readable()), rows.count());
    }

    /**
     * Computes the rows of data strips that were not read, for a read of them.
     *
     * @param request to read.
     */
    void recover(final ArrayRequest request)
    {
        final int index = rows.firstCovered();
        final long offset = rows.arrayOffset(index);
        // One strip is read, which cannot be, or nothing would be computed: it is computed where it is wanted.
        if (index + 1 == rows.endCovered() && request.payloadRun(offset) >= rows.count())
        {
            areas[index] = request.payloadAddress(offset);
            recover();
        }
        else
        {
            recover();
            copyPayloadOut(request);
        }
    }

    /**
     * Computes the rows of a data strip from all others.
     *
     * @param index of the data strip.
     */
    void recover(final int index)
    {
        code.recover(ordered(), rows.dataCount(), ~(1L << place(index)), rows.count());
    }

    /**
     * {@return whether the parity that was read is that of the data}
     */
    boolean isParityRight()
    {
        return code.isRight(ordered(), rows.dataCount(), rows.count());
    }

    /**
     * {@return index of the one strip that is wrong; {@link StripeCode#UNKNOWN}: it is not a single one}
     */
    int wrongStrip()
    {
        final int place = code.wrongStrip(ordered(), rows.dataCount(), rows.count());
        final int index = place + rows.firstOfQ();
        return place < 0 || place >= rows.dataCount() ? place :
            index < rows.dataCount() ? index : index - rows.dataCount();
    }

    /** Computes parity from the data. */
    void generate()
    {
        code.generate(ordered(), rows.dataCount(), rows.count());
    }

    /**
     * Computes parity from the payload of a write of all rows, which may lie in many places.
     *
     * @param request to write.
     */
    void generateOf(final StripedRequest request)
    {
        final int dataCount = rows.dataCount();
        final int first = rows.firstOfQ();
        for (int done = 0; done < rows.count();)
        {
            int run = rows.count() - done;
            for (int index = 0; index < dataCount; index++)
            {
                final long offset = rows.arrayOffset(index) + done;
                cut[StripeCodes.place(index, first, dataCount)] = request.payloadAddress(offset);
                run = Math.min(run, request.payloadRun(offset));
            }
            for (int index = dataCount; index < rows.stripCount(); index++)
            {
                cut[index] = areas[index] + done;
            }
            code.generate(cut, dataCount, run);
            done += run;
        }
    }

    /**
     * Copies what a write covers over the data of the areas.
     *
     * @param request to write.
     */
    void copyPayloadIn(final StripedRequest request)
    {
        for (int index = rows.firstCovered(); index < rows.endCovered(); index++)
        {
            if (rows.isCovered(index))
            {
                request.copyPayload(rows.arrayOffset(index),
                    areas[index] + rows.low(index) - rows.start(), rows.high(index) - rows.low(index));
            }
        }
    }

    /**
     * Changes parity by the difference of the payload to the data that was read, which begins at the areas' start.
     *
     * @param request to write.
     */
    void updateParity(final StripedRequest request)
    {
        for (int index = rows.firstCovered(); index < rows.endCovered(); index++)
        {
            if (rows.isCovered(index))
            {
                request.slicePayload(rows.arrayOffset(index), rows.high(index) - rows.low(index), piece);
                int done = 0;
                for (int i = 0; i < piece.count(); i++)
                {
                    code.update(areas[index] + done, piece.address(i), place(index), areas, rows.dataCount(),
                        rows.low(index) - rows.start() + done, piece.lengthBytes(i));
                    done += piece.lengthBytes(i);
                }
            }
        }
    }

    /** Copies what a read covers from the areas. */
    private void copyPayloadOut(final ArrayRequest request)
    {
        for (int index = rows.firstCovered(); index < rows.endCovered(); index++)
        {
            if (rows.isCovered(index))
            {
                request.request().segments().copyIn(request.payloadOffset(rows.arrayOffset(index)),
                    areas[index] + rows.low(index) - rows.start(), rows.high(index) - rows.low(index));
            }
        }
    }
}
