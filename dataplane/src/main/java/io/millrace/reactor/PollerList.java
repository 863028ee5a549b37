package io.millrace.reactor;

/**
 * The pollers of a cycle, in the order they were added. They may add and remove one another and themselves while they
 * run: one that is added runs in the rest of the cycle, one that is removed does not run any more. Single-threaded;
 * running them allocates nothing.
 */
final class PollerList
{
    private final DeferredRemovalList<Poller> pollers = new DeferredRemovalList<>();
    private Poller failed;

    void add(final Poller poller)
    {
        if (pollers.indexOf(poller) >= 0)
        {
            throw new IllegalStateException("poller was added already: " + poller);
        }
        pollers.add(poller);
    }

    void remove(final Poller poller)
    {
        pollers.remove(poller);
    }

    /**
     * Polls each once.
     *
     * @return work done by all.
     */
    int poll()
    {
        pollers.compact();
        int work = 0;
        Poller poller = null;
        try
        {
            for (int index = 0; index < pollers.limit(); index++)
            {
                poller = pollers.get(index);
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
            for (int index = 0; index < pollers.limit(); index++)
            {
                poller = pollers.get(index);
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
}
