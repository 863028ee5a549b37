package io.millrace.manager;

import io.millrace.control.message.Command;
import io.millrace.manager.store.StateDisk;
import io.millrace.manager.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Ranges of controller ids of a manager's data planes, as data planes that serve one subsystem must not assign an id
 * twice. A data plane gets {@value #IDS} ids as soon as the manager has several data planes; the assignment is
 * persisted in the state directory. Read at the start, then immutable.
 */
final class ControllerIdRanges
{
    /** Ranges that there are. */
    static final int RANGES = 64;
    /** Ids of a range. */
    static final int IDS = 1023;

    private static final String FILE = "controller-ids";
    private static final String NEW_FILE = "controller-ids.new";

    private final Map<String, Integer> ranges;

    private ControllerIdRanges(final Map<String, Integer> ranges)
    {
        this.ranges = ranges;
    }

    /**
     * Reads the assignment and adds missing ranges.
     *
     * @param disk  where it is stored.
     * @param names of the data planes that the manager has now.
     * @return the assignment, which is on disk.
     * @throws IOException    when it cannot be read or written.
     * @throws StoreException when the file is damaged.
     */
    static ControllerIdRanges open(final StateDisk disk, final Collection<String> names) throws IOException
    {
        final Map<String, Integer> ranges = read(disk);
        if (names.size() > 1 && !ranges.keySet().containsAll(names))
        {
            for (final String name : names)
            {
                assign(ranges, name, names);
            }
            write(disk, ranges);
        }
        return new ControllerIdRanges(ranges);
    }

    private static void assign(final Map<String, Integer> ranges, final String name, final Collection<String> names)
    {
        if (ranges.containsKey(name))
        {
            return;
        }
        final BitSet taken = new BitSet(RANGES);
        ranges.values().forEach(taken::set);
        if (taken.nextClearBit(0) >= RANGES)
        {
            // Ranges of removed data planes are reused if no other is free.
            ranges.keySet().retainAll(names);
            taken.clear();
            ranges.values().forEach(taken::set);
        }
        if (taken.nextClearBit(0) < RANGES)
        {
            ranges.put(name, taken.nextClearBit(0));
        }
    }

    private static Map<String, Integer> read(final StateDisk disk) throws IOException
    {
        final Map<String, Integer> ranges = new TreeMap<>();
        if (!disk.list().contains(FILE))
        {
            return ranges;
        }
        for (final String line : new String(disk.read(FILE), StandardCharsets.UTF_8).lines().toList())
        {
            final int blank = line.lastIndexOf(' ');
            try
            {
                final int range = Integer.parseInt(line.substring(blank + 1));
                if (blank <= 0 || range < 0 || range >= RANGES || ranges.containsValue(range))
                {
                    throw damaged(disk, line, null);
                }
                ranges.put(line.substring(0, blank), range);
            }
            catch (final NumberFormatException e)
            {
                throw damaged(disk, line, e);
            }
        }
        return ranges;
    }

    private static StoreException damaged(final StateDisk disk, final String line, final Exception cause)
    {
        return new StoreException(disk.where(FILE) + ": line '" + line + "' is not the name of a data plane and a " +
            "number below " + RANGES + " of its own; restore the file, or delete it to have all ranges assigned anew",
            cause);
    }

    private static void write(final StateDisk disk, final Map<String, Integer> ranges) throws IOException
    {
        final StringBuilder text = new StringBuilder();
        ranges.forEach((name, range) -> text.append(name).append(' ').append(range).append('\n'));
        disk.write(NEW_FILE, text.toString().getBytes(StandardCharsets.UTF_8));
        disk.sync(NEW_FILE);
        disk.rename(NEW_FILE, FILE);
        disk.syncDirectory();
    }

    /**
     * {@return those data planes that have no range, as every range is taken by others; none while the manager has one
     * data plane only}
     *
     * @param names of the manager's data planes.
     */
    List<String> unassigned(final Collection<String> names)
    {
        return names.size() <= 1 ? List.of() :
            names.stream().filter((name) -> !ranges.containsKey(name)).sorted().toList();
    }

    /**
     * {@return the command that assigns a data plane its ids; null when it has none, since it is the manager's only one
     * or every range is taken}
     *
     * @param name of the data plane.
     */
    Command.AssignControllerIds of(final String name)
    {
        final Integer range = ranges.get(name);
        return null == range ? null : new Command.AssignControllerIds(range * IDS + 1, (range + 1) * IDS);
    }
}
