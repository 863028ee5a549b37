package io.millrace.block.raid.format;

import io.millrace.block.BlockDeviceException;
import java.util.UUID;

/**
 * What a superblock says of the journal. Immutable.
 *
 * @param epoch      of the entries that count: the event count of the superblock with which it began; 0: none count.
 * @param isMatched  whether parity matches the data in all regions once the entries are replayed, whatever the
 *                   write-intent bitmap says; false without an epoch.
 * @param device     UUID of the journal device, which has the entries; null: members have them.
 * @param placeCount places of the journal device; 0: members have the entries, in {@link JournalPlaces#of} places.
 */
public record JournalState(long epoch, boolean isMatched, UUID device, int placeCount)
{
    /** No entry counts. */
    public static final JournalState NONE = new JournalState(0, false);

    /**
     * Checks that the values fit together.
     *
     * @throws BlockDeviceException when they do not.
     */
    public JournalState
    {
        if (epoch < 0)
        {
            throw new BlockDeviceException("superblock: journal-epoch " + epoch + " is below 0: count from 0");
        }
        if (0 == epoch && isMatched)
        {
            throw new BlockDeviceException(
                "superblock: parity cannot match by a journal without an epoch: use an epoch above 0");
        }
        if (null == device ? 0 != placeCount : 0 == epoch || placeCount < 1)
        {
            throw new BlockDeviceException("superblock: " + placeCount + " places of journal device " + device +
                " do not fit epoch " + epoch + ": use a device with places and an epoch above 0, or neither");
        }
    }

    /**
     * The journal of members.
     *
     * @param epoch     of the entries that count.
     * @param isMatched whether parity matches the data in all regions once the entries are replayed.
     */
    public JournalState(final long epoch, final boolean isMatched)
    {
        this(epoch, isMatched, null, 0);
    }

    /**
     * {@return UUID in entries that count: of the journal device, which has another one each time it is attached, so
     * that entries from before do not count; else of the array}
     *
     * @param array UUID of the array.
     */
    UUID owner(final UUID array)
    {
        return null == device ? array : device;
    }
}
