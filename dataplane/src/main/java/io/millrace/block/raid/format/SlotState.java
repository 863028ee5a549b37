package io.millrace.block.raid.format;

/**
 * States of a slot of an array.
 */
public enum SlotState
{
    /** The slot has no member. */
    EMPTY(0),
    /** The member has all data of the slot. */
    IN_SYNC(1),
    /** The member has the first {@link Slot#rebuiltBytes()} of the slot's data; the rest is being rebuilt. */
    REBUILDING(2),
    /** The member missed a write, or may have: its data is stale and not used. */
    FAILED(3);

    private final int code;

    SlotState(final int code)
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
     * {@return the state of a number; null: there is none}
     *
     * @param code as {@link #code()} has it.
     */
    public static SlotState ofCode(final int code)
    {
        for (final SlotState each : values())
        {
            if (each.code == code)
            {
                return each;
            }
        }
        return null;
    }
}
