package io.millrace.block.raid.format;

import io.millrace.block.BlockDeviceException;

/**
 * What a superblock says of the journal. Immutable.
 *
 * @param epoch     of the entries that count: the event count of the superblock with which it began; 0: none count.
 * @param isMatched whether parity matches the data in all regions once the entries are replayed, whatever the
 *                  write-intent bitmap says; false without an epoch.
 */
public record JournalState(long epoch, boolean isMatched)
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
    }
}
