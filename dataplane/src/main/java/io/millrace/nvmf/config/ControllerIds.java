package io.millrace.nvmf.config;

/**
 * A range of controller ids (CNTLID). Data planes that are paths of one subsystem need ranges that do not overlap,
 * since a host tells controllers of a subsystem apart by their ids alone. Immutable.
 *
 * @param first id, from 1.
 * @param last  id, up to 65519.
 */
public record ControllerIds(int first, int last)
{
    /** Largest id: those above are reserved. */
    public static final int ID_MAX = 0xFFEF;
    private static final int RESERVED_PART = 16;
    /** Every id. */
    public static final ControllerIds ALL = new ControllerIds(1, ID_MAX);

    /**
     * Checks the bounds.
     */
    public ControllerIds
    {
        if (first < 1 || last > ID_MAX || first > last)
        {
            throw new IllegalArgumentException("controller ids " + first + " to " + last + " are not a range within " +
                "1 " +
                "to " + ID_MAX + ": choose a first id that is not above the last");
        }
    }

    /**
     * {@return how many ids there are}
     */
    public int count()
    {
        return last - first + 1;
    }

    /**
     * {@return the ids that a second target of the data plane has: the last sixteenth}
     */
    public ControllerIds reserved()
    {
        return new ControllerIds(last - Math.max(1, count() / RESERVED_PART) + 1, last);
    }

    /**
     * {@return the ids that are left without {@link #reserved()}}
     *
     * @throws IllegalArgumentException when there is one id.
     */
    public ControllerIds unreserved()
    {
        return new ControllerIds(first, reserved().first() - 1);
    }

    /**
     * {@return the id after another; ids wrap around}
     *
     * @param id of any range.
     */
    public int after(final int id)
    {
        return id < first || id >= last ? first : id + 1;
    }

    @Override
    public String toString()
    {
        return first + " to " + last;
    }
}
