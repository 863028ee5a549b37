package io.millrace.block.raid;

import io.millrace.block.raid.format.Superblock;
import java.util.ArrayList;
import java.util.List;

/**
 * The name of an array, that of its superblocks, which a rename changes first, and those that it had. Reads: any
 * thread; {@link #begin} and {@link #revert}: the array's own work.
 */
final class ArrayNames
{
    private volatile String name;
    private volatile Stored stored;
    private Stored before;

    /**
     * What superblocks say.
     *
     * @param name   of the array.
     * @param former names that it had, the last one at the end.
     */
    record Stored(String name, List<String> former)
    {
        /** {@return names with another one; the last of the former names are known, and the array has none of them} */
        Stored named(final String newName)
        {
            if (name.equals(newName))
            {
                return this;
            }
            final List<String> names = new ArrayList<>(former);
            names.add(name);
            names.remove(newName);
            return new Stored(newName, List.copyOf(names.subList(
                Math.max(0, names.size() - Superblock.FORMER_NAMES_MAX), names.size())));
        }
    }

    /**
     * Names as an array was assembled.
     *
     * @param name   of the array.
     * @param former names that it had.
     */
    ArrayNames(final String name, final List<String> former)
    {
        this.name = name;
        stored = new Stored(name, List.copyOf(former));
    }

    String name()
    {
        return name;
    }

    /** {@return what the next superblocks say} */
    Stored stored()
    {
        return stored;
    }

    /**
     * The next superblocks have another name.
     *
     * @param newName of the array.
     */
    void begin(final String newName)
    {
        before = stored;
        stored = stored.named(newName);
    }

    /** The next superblocks have the name before again. */
    void revert()
    {
        stored = before;
    }

    /** The array has the name of its superblocks from now on. */
    void take()
    {
        name = stored.name();
    }
}
