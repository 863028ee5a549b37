package io.millrace.block.raid;

/** When an array can be renamed. Stateless. */
final class Renaming
{
    private Renaming()
    {
    }

    /**
     * {@return why an array cannot be renamed now, with the remedy; null: it can}
     *
     * @param device    to rename, whose interrupted replacements have begun anew, or wait for one that is under way.
     * @param isGrowing whether it is going to get another slot.
     */
    static String problem(final RaidDevice device, final boolean isGrowing)
    {
        final String operation = device.view().map().isReshaping() || isGrowing ? "is being reshaped" :
            device.isResizing() ? "is being resized" :
            null != device.view().target() ? "has a member that is being replaced" : null;
        return null == operation ? null :
            "array " + device.name() + ' ' + operation + ": rename it when that has ended";
    }
}
