package io.millrace.block.raid;

import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.parity.ParityEngineType;
import io.millrace.parity.ParityEngines;

/**
 * The codes of the levels that an array with parity can have without being created again: RAID 5 becomes RAID 6, and
 * RAID 6 becomes RAID 5. Of one reactor.
 */
final class StripeCodes implements AutoCloseable
{
    /** By the strips of parity; null: no level of the array has so many. */
    private final StripeCode[] codes;

    /**
     * Those of an array.
     *
     * @param level of the array, with parity.
     * @param type  of the engines that compute; each code has its own.
     */
    StripeCodes(final RaidLevel level, final ParityEngineType type)
    {
        codes = new StripeCode[Math.max(RaidLevel.RAID6.parityCount(), level.parityCount()) + 1];
        if (!level.isErasureCode())
        {
            add(RaidLevel.RAID5, type);
            add(RaidLevel.RAID6, type);
        }
        else
        {
            add(level, type);
        }
    }

    private void add(final RaidLevel level, final ParityEngineType type)
    {
        codes[level.parityCount()] = StripeCode.of(level, ParityEngines.create(type));
    }

    /**
     * {@return the code of stripes}
     *
     * @param parityCount strips of parity that they have.
     */
    StripeCode of(final int parityCount)
    {
        return codes[parityCount];
    }

    /**
     * {@return place of a data strip in the order in which its code takes the data}
     *
     * @param index     of the data strip.
     * @param first     data strip that is taken first, as {@link ArrayLayout#firstOfQ} has it.
     * @param dataCount strips of data.
     */
    static int place(final int index, final int first, final int dataCount)
    {
        return index < first ? index - first + dataCount : index - first;
    }

    @Override
    public void close()
    {
        for (final StripeCode each : codes)
        {
            if (null != each)
            {
                each.close();
            }
        }
    }
}
