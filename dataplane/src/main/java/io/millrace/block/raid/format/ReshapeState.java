package io.millrace.block.raid.format;

import io.millrace.block.BlockDeviceException;

/**
 * How far an array with parity is whose data is spread over one more member, or whose Q is moved to the last one.
 * Immutable.
 *
 * @param previousCount slots of the array before; 0: no reshape is under way.
 * @param position      stripes that have the new layout, from the first one on.
 * @param sliceStart    rows of each strip, from its first byte on, that have the new layout in the stripes that are
 *                      moved next; 0 behind the head, where whole stripes are moved.
 * @param stage         what members have in place of the journal.
 */
public record ReshapeState(int previousCount, long position, int sliceStart, Stage stage)
{
    /** No reshape is under way. */
    public static final ReshapeState NONE = new ReshapeState(0, 0, 0, Stage.MOVING);

    /** What lies in place of the journal. */
    public enum Stage
    {
        /** The journal. */
        MOVING(0),
        /** Nothing that counts: the backup is being written. */
        PREPARING(1),
        /** The backup of the slice that is being moved: it has to be restored. */
        BACKED_UP(2);

        private final int code;

        Stage(final int code)
        {
            this.code = code;
        }

        /**
         * {@return the number in superblocks}
         */
        public int code()
        {
            return code;
        }

        /**
         * {@return the stage with a code; null: no stage has it}
         *
         * @param code as {@link #code()} has it.
         */
        public static Stage ofCode(final int code)
        {
            return code < 0 || code >= values().length ? null : values()[code];
        }
    }

    /**
     * Checks that the values fit together.
     *
     * @throws BlockDeviceException when they do not.
     */
    public ReshapeState
    {
        if (previousCount < 0 || position < 0 || sliceStart < 0 || null == stage ||
            0 == previousCount && (0 != position || 0 != sliceStart || Stage.MOVING != stage))
        {
            throw new BlockDeviceException("superblock: a reshape from " + previousCount + " members with position " +
                position + ", slice " + sliceStart + " and stage " + stage + " is invalid: use the other copy");
        }
    }

    /**
     * {@return whether a reshape is under way}
     */
    public boolean isActive()
    {
        return 0 != previousCount;
    }
}
