package io.millrace.block.raid;

import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * What the members of an array have in common for one life of the array: the power, and the count of the steps in which
 * their content changes. A step is a write, zeroes, a deallocation, a copy or a flush of any member, in the order in
 * which they take effect. So a test that repeats a seed and a step repeats a crash, as long as one reactor drives the
 * members and what it submits depends only on what completes.
 */
public final class PowerSupply
{
    private final Random random;
    private final List<MemberDisk> disks = new ArrayList<>();
    private final TreeMap<Long, Runnable> events = new TreeMap<>();
    private long steps;
    private boolean isCut;

    /**
     * Is on.
     *
     * @param seed of everything that the members draw.
     */
    public PowerSupply(final long seed)
    {
        random = TestSeeds.fixed(seed);
    }

    /** {@return what the member draws from} */
    synchronized Random connect(final MemberDisk disk)
    {
        disks.add(disk);
        return TestSeeds.fixed(random.nextLong());
    }

    /** Cuts the power before a step takes effect; the first of this life is 1. */
    public synchronized void cutBefore(final long step)
    {
        before(step, this::cut);
    }

    /** Runs something, such as the failure of a member, before a step takes effect; on the reactor. */
    public synchronized void before(final long step, final Runnable event)
    {
        if (step <= steps || null != events.putIfAbsent(step, event))
        {
            throw new IllegalArgumentException("step " + step + " is over or has an event: " + steps + " were done");
        }
    }

    /** Runs something before a step takes effect, and before each later one until it says that it is done. */
    public synchronized void from(final long step, final BooleanSupplier event)
    {
        before(step, () ->
        {
            if (!event.getAsBoolean())
            {
                long next = steps + 1;
                while (events.containsKey(next))
                {
                    next++;
                }
                from(next, event);
            }
        });
    }

    /** A step of a member begins. */
    synchronized void step()
    {
        if (!isCut)
        {
            steps++;
            final Runnable event = events.remove(steps);
            if (null != event)
            {
                event.run();
            }
        }
    }

    /**
     * Cuts the power. Writes in flight are stored in part, whole or not at all, blocks of the caches survive or not,
     * and from then on nothing is stored and every request ends with an error. On the reactor of the members.
     */
    public synchronized void cut()
    {
        if (!isCut)
        {
            isCut = true;
            disks.forEach(MemberDisk::losePower);
        }
    }

    /** {@return whether the power is off} */
    public synchronized boolean isCut()
    {
        return isCut;
    }

    /** {@return steps that began while the power was on} */
    public synchronized long steps()
    {
        return steps;
    }
}
