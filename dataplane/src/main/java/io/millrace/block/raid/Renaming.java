package io.millrace.block.raid;

/** When an array can be renamed, and by which names it must not be assembled. Stateless. */
final class Renaming
{
    private Renaming()
    {
    }

    /**
     * {@return why an array cannot be renamed now, with the remedy; null: it can}
     *
     * @param device      to rename.
     * @param isGrowing   whether it is going to get another slot.
     * @param isReplacing whether a member is being replaced, or is going to be.
     */
    static String problem(final RaidDevice device, final boolean isGrowing, final boolean isReplacing)
    {
        final String operation = device.view().map().isReshaping() || isGrowing ? "is being reshaped" :
            device.isResizing() ? "is being resized" :
            isReplacing || null != device.view().target() ? "has a member that is being replaced" : null;
        return null == operation ? null :
            "array " + device.name() + ' ' + operation + ": rename it when that has ended";
    }
}
