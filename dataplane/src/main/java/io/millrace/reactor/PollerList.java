package io.millrace.reactor;

import java.util.Arrays;

/**
 * The pollers of a cycle, in the order they were added. They may add and remove one another and themselves while they
 * run: one that is added runs in the rest of the cycle, one that is removed does not run any more. Single-threaded;
 * running them allocates nothing.
 */
final class PollerList
{
    private Poller[] pollers = new Poller[8];
    /** Removed ones leave a hole, so that a running pass neither skips nor repeats; a pass closes the holes first. */
    private int size;
    private int holes;
    private Poller failed;

    void add(final Poller poller)
    {
        if (indexOf(poller) >= 0)
        {
            throw new IllegalStateException("poller was added already: " + poller);
        }
        if (size == pollers.length)
        {
            pollers = Arrays.copyOf(pollers, 2 * size);
        }
        pollers[size++] = poller;
    }

    void remove(final Poller poller)
    {
        final int index = indexOf(poller);
        if (index >= 0)
        {
            pollers[index] = null;
            holes++;
        }
    }

    /**
     * Polls each once.
     *
     * @return work done by all.
     */
    int poll()
    {
        if (0 != holes)
        {
            closeHoles();
        }
        int work = 0;
        Poller poller = null;
        try
        {
            for (int index = 0; index < size; index++)
            {
                poller = pollers[index];
                if (null != poller)
                {
                    work += poller.poll();
                }
            }
        }
        catch (final Throwable t)
        {
            failed = poller;
            throw t;
        }
        return work;
    }

    /**
     * {@return whether every poller lets the reactor sleep}
     */
    boolean canSleep()
    {
        Poller poller = null;
        try
        {
            for (int index = 0; index < size; index++)
            {
                poller = pollers[index];
                if (null != poller && !poller.canSleep())
                {
                    return false;
                }
            }
        }
        catch (final Throwable t)
        {
            failed = poller;
            throw t;
        }
        return true;
    }

    /**
     * {@return the poller that threw}
     */
    Poller failed()
    {
        return failed;
    }

    private int indexOf(final Poller poller)
    {
        for (int index = 0; index < size; index++)
        {
            if (poller == pollers[index])
            {
                return index;
            }
        }
        return -1;
    }

    private void closeHoles()
    {
        int kept = 0;
        for (int index = 0; index < size; index++)
        {
            if (null != pollers[index])
            {
                pollers[kept++] = pollers[index];
            }
        }
        Arrays.fill(pollers, kept, size, null);
        size = kept;
        holes = 0;
    }
}
