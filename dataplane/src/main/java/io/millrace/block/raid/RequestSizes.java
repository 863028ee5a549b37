package io.millrace.block.raid;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.JournalPlaces;
import io.millrace.reactor.Reactor;

/**
 * How long requests of a channel to members may be, so that what they need of a buffer has room there: areas of all
 * slots. An array that gets another slot has shorter ones from then on. The reactor's only.
 */
final class RequestSizes
{
    private static final int ROW_UNIT_BYTES = 4096;

    private final RaidDevice device;
    private final StripeBuffers buffers;
    private final Reactor reactor;
    private final boolean hasParity;
    private int rowBytesMax;
    private int journalRowBytesMax;

    /**
     * Those of the slots that the array has, or gets.
     *
     * @param device  of the channel.
     * @param buffers of the channel.
     * @param reactor of the channel.
     */
    RequestSizes(final RaidDevice device, final StripeBuffers buffers, final Reactor reactor)
    {
        this.device = device;
        this.buffers = buffers;
        this.reactor = reactor;
        hasParity = device.layout().parityCount() > 0;
        fit(device.slotsMax());
    }

    /**
     * {@return bytes of a buffer that is long enough for requests}
     *
     * @param device    of the channel.
     * @param slotCount of the array.
     */
    static int bytesMin(final RaidDevice device, final int slotCount)
    {
        return (device.layout().parityCount() > 0 ? journalUnits(slotCount) : slotCount) * ROW_UNIT_BYTES;
    }

    /** Of rows and entry of a write that is journaled, and the header. */
    private static int journalUnits(final int slotCount)
    {
        return 2 * slotCount + 1;
    }

    /**
     * Requests are cut for so many slots from now on.
     *
     * @param slotCount of the array.
     * @return whether there is room for them; otherwise they stay as they are.
     */
    boolean fit(final int slotCount)
    {
        final int stripBytes = device.layout().stripBytes();
        final int bufferBytes = buffers.bufferBytesMax();
        final int rowBytes = Math.min(
            stripBytes, Integer.highestOneBit(bufferBytes / slotCount / ROW_UNIT_BYTES) * ROW_UNIT_BYTES);
        final int units = Integer.highestOneBit(bufferBytes / journalUnits(slotCount) / ROW_UNIT_BYTES);
        final int journalRowBytes = !hasParity ? 0 :
            Math.min(JournalPlaces.of(slotCount, stripBytes).rowUnitBytes(), units * ROW_UNIT_BYTES);
        if (0 == (hasParity ? journalRowBytes : rowBytes))
        {
            return false;
        }
        rowBytesMax = rowBytes;
        journalRowBytesMax = journalRowBytes;
        return true;
    }

    /**
     * Requests are cut for the slots that {@link RaidDevice#slotsMax} has by now.
     *
     * @throws BlockDeviceException when buffers are too short for requests to so many.
     */
    void grow()
    {
        final int slotCount = device.slotsMax();
        if (!fit(slotCount))
        {
            throw new BlockDeviceException("array " + device.name() + " of " + slotCount +
                " members needs a buffer of " + bytesMin(device, slotCount) + " bytes, and has one of " +
                buffers.bufferBytesMax() + " on reactor " + reactor.config().name() +
                ": raise memory.size and restart the data plane");
        }
    }

    /**
     * {@return most rows of a stripe request with parity, so that all its areas have room in one buffer}
     */
    int rowBytesMax()
    {
        return rowBytesMax;
    }

    /**
     * {@return most rows of a write that is journaled, so that its areas and its entry have room in one buffer, and its
     * entry in a place; 0 of an array without parity}
     */
    int journalRowBytesMax()
    {
        return journalRowBytesMax;
    }

    /**
     * {@return most that a stripe request reads of a strip}
     */
    int directBytesMax()
    {
        return hasParity ? rowBytesMax : device.layout().stripBytes();
    }

    /**
     * {@return longest part that can be checked at once: a buffer has room for it from each member}
     */
    int checkBytesMax()
    {
        return hasParity ? rowBytesMax : Math.min(device.layout().stripBytes(), Integer.highestOneBit(
            buffers.bufferBytesMax() / device.layout().copyCount() / ROW_UNIT_BYTES) * ROW_UNIT_BYTES);
    }

    /**
     * {@return longest part of work of the array's own}
     */
    int workBytesMax()
    {
        return hasParity ? rowBytesMax : Math.min(device.layout().stripBytes(), buffers.bufferBytesMax());
    }
}
