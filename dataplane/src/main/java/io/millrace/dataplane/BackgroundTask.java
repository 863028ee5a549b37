package io.millrace.dataplane;

import io.millrace.block.BackgroundWork;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.ReactorContext;
import io.millrace.nvmf.PollGroup;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Background work of a device on its reactor. A step that took long is followed by a pause of the same length, so that
 * the work takes at most half of the reactor's time. What says nothing else is called on the reactor.
 */
final class BackgroundTask implements Poller
{
    private enum State
    {
        /** Nothing of the work was called. */
        NEW,
        /** The work is polled. */
        RUNNING,
        /** It has ended, or never began. */
        ENDED
    }

    private final BackgroundWork work;
    private final PollGroup group;
    private final Reactor reactor;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private State state = State.NEW;
    private long resumeNs;

    BackgroundTask(final BackgroundWork work, final PollGroup group)
    {
        this.work = work;
        this.group = group;
        reactor = group.reactor();
    }

    /** Begins the work, unless it was stopped before. Any thread. */
    void begin()
    {
        execute(this::onBegin);
    }

    /** Asks the work to end. Any thread; again does nothing. */
    void stop()
    {
        execute(this::onStop);
    }

    /**
     * {@return done when the work has ended, or its reactor has; completed on the reactor; any thread}
     */
    CompletableFuture<Void> done()
    {
        return done;
    }

    private void execute(final Runnable command)
    {
        try
        {
            reactor.execute(command);
        }
        catch (final RejectedExecutionException ended)
        {
            done.complete(null);
        }
    }

    private void onBegin()
    {
        if (State.NEW == state)
        {
            state = State.RUNNING;
            try
            {
                work.start(new ReactorContext(reactor, group.buffers(), new MemoryQuarantine()));
            }
            catch (final RuntimeException | Error e)
            {
                end();
                throw e;
            }
            resumeNs = reactor.nowNs();
            reactor.addPoller(this);
        }
    }

    private void onStop()
    {
        switch (state)
        {
            case NEW -> end();
            case RUNNING -> work.stop();
            case ENDED ->
            {
            }
        }
    }

    private void end()
    {
        state = State.ENDED;
        done.complete(null);
    }

    @Override
    public int poll()
    {
        final long startNs = reactor.clockNs();
        if (startNs - resumeNs < 0)
        {
            return 0;
        }
        final int count = work.poll();
        if (work.isDone())
        {
            reactor.removePoller(this);
            end();
        }
        else if (0 != count)
        {
            final long endNs = reactor.clockNs();
            resumeNs = endNs + (endNs - startNs);
        }
        return count;
    }

    @Override
    public boolean canSleep()
    {
        return reactor.clockNs() - resumeNs >= 0 && work.canSleep();
    }
}
