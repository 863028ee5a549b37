package io.millrace.reactor;

/**
 * A thread that runs cycles of reactors: in production those of one, for its life. Which reactor it runs right now
 * says whose thread it is, at the cost of a field.
 */
final class ReactorThread extends Thread
{
    /** Null between the cycles of a simulation; written and read by this thread alone. */
    private Reactor running;

    ReactorThread(final Runnable task, final String name)
    {
        super(task, name);
    }

    /**
     * Sets what the calling thread runs from now on.
     *
     * @param reactor whose cycles it runs, or null for none.
     */
    static void run(final Reactor reactor)
    {
        ((ReactorThread)Thread.currentThread()).running = reactor;
    }

    /**
     * {@return the reactor whose cycle the calling thread runs, or null}
     */
    static Reactor current()
    {
        return Thread.currentThread() instanceof final ReactorThread thread ? thread.running : null;
    }

    /** Waits for the end of the thread, whatever interrupts the caller. */
    void joinUninterruptibly()
    {
        Reactor.checkMayBlock("the end of a reactor");
        boolean interrupted = false;
        while (isAlive())
        {
            try
            {
                join();
            }
            catch (final InterruptedException e)
            {
                interrupted = true;
            }
        }
        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
    }
}
