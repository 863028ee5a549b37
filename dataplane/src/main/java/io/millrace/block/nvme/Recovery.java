package io.millrace.block.nvme;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;

/**
 * Keeps a controller going: looks whether it is well, resets it when it is not, and tells channels and reactors what to
 * do meanwhile.
 * <ol>
 * <li>Every channel keeps its hands off its queues.</li>
 * <li>The controller is stopped, by force if need be. From here on it touches no memory.</li>
 * <li>Every channel takes in what had been completed and empties its queues.</li>
 * <li>The controller is enabled, and told of the queues. Every channel sends its commands again. If that cannot be,
 * every request ends with an error, now and later.</li>
 * </ol>
 * Used on the controller's thread, but for what says otherwise.
 */
final class Recovery implements Rescue
{
    private static final int ATTEMPTS = 2;

    private final ControllerThread thread;
    private final Notes notes;
    private final List<NvmeChannel> channels = new CopyOnWriteArrayList<>();
    private final List<NvmeDevice> devices = new CopyOnWriteArrayList<>();
    private ControllerDriver driver;
    private volatile ControllerState state = ControllerState.STARTING;
    private volatile int resets;

    /**
     * Made with its controller.
     *
     * @param thread of the controller.
     * @param notes  that are made of what happens.
     */
    Recovery(final ControllerThread thread, final Notes notes)
    {
        this.thread = thread;
        this.notes = notes;
    }

    /**
     * Enables a controller for the first time.
     *
     * @param newDriver of it; closed when it cannot be enabled.
     * @throws ControllerFailure when it cannot be enabled.
     */
    void begin(final ControllerDriver newDriver)
    {
        driver = newDriver;
        try
        {
            driver.enable();
            state = ControllerState.LIVE;
        }
        catch (final RuntimeException e)
        {
            state = ControllerState.FAILED;
            stop();
            driver.close();
            throw e;
        }
    }

    /**
     * {@return how the controller is; any thread}
     */
    ControllerState state()
    {
        return state;
    }

    /**
     * {@return how often it was reset; any thread}
     */
    int resets()
    {
        return resets;
    }

    void add(final NvmeDevice device)
    {
        devices.add(device);
    }

    /** Any thread. */
    void remove(final NvmeDevice device)
    {
        devices.remove(device);
    }

    void add(final NvmeChannel channel)
    {
        channels.add(channel);
    }

    /**
     * Takes a channel's queue pair from the controller.
     *
     * @param channel that is retired.
     */
    void remove(final NvmeChannel channel)
    {
        channels.remove(channel);
        if (ControllerState.LIVE == state)
        {
            try
            {
                driver.admin().deleteQueuePair(channel.queuePair().id());
            }
            catch (final ControllerFailure e)
            {
                recover(e.getMessage());
            }
        }
        driver.forget(channel.queuePair());
    }

    /**
     * Throws when the controller does not work.
     */
    void checkLive()
    {
        if (ControllerState.LIVE != state)
        {
            final List<String> said = notes.all();
            throw ControllerFailure.refusal("is " + state + ", not LIVE" +
                (said.isEmpty() ? "" : ": " + said.getLast()));
        }
    }

    /**
     * Runs a task with a controller that works, and resets the controller when it turns out not to.
     *
     * @param task to run.
     * @param <T>  of its result.
     * @return its result.
     * @throws Exception that the task threw.
     */
    <T> T guarded(final Callable<T> task) throws Exception
    {
        checkLive();
        try
        {
            return task.call();
        }
        catch (final ControllerFailure e)
        {
            if (!e.isRefusal())
            {
                recover(e.getMessage());
            }
            throw e;
        }
    }

    /** Looks whether the controller is well. */
    void watch()
    {
        if (ControllerState.LIVE != state)
        {
            return;
        }
        try
        {
            if (driver.life().isGone())
            {
                giveUp("was removed, or is to be");
            }
            else if (driver.life().isFatal())
            {
                recover("has failed: fatal status (CSTS.CFS)");
            }
            else if (!driver.life().isReady())
            {
                recover("was reset by somebody else (CSTS.RDY)");
            }
            else if (driver.takeEvents())
            {
                onNamespacesChanged();
            }
        }
        catch (final ControllerFailure e)
        {
            recover(e.getMessage());
        }
        catch (final RuntimeException e)
        {
            // A bug; requests must not hang for it.
            giveUp("cannot be driven on: " + e);
        }
    }

    private void onNamespacesChanged()
    {
        for (final NvmeDevice device : devices)
        {
            final NamespaceInfo before = device.namespace();
            final NamespaceInfo now;
            try
            {
                now = driver.identifyNamespace(before.nsid());
            }
            catch (final ControllerFailure e)
            {
                notes.add(e.getMessage());
                continue;
            }
            final String change = now.change(before);
            if (!change.isEmpty())
            {
                giveUp("has " + change + ": start again to use it so");
                return;
            }
            if (now.blockCount() != before.blockCount())
            {
                notes.add("has namespace " + now.nsid() + " with " + now.blockCount() + " blocks now, before " +
                    before.blockCount() + (now.blockCount() > before.blockCount() ? ": resize the device to use them" :
                    ": what lay beyond is lost"));
            }
        }
    }

    /**
     * Resets the controller.
     *
     * @param reason what it did, a sentence that goes on after the drive's name.
     */
    void recover(final String reason)
    {
        if (driver.life().isGone())
        {
            giveUp("was removed, or is to be");
            return;
        }
        state = ControllerState.RESETTING;
        notes.add(reason + "; it is reset");
        quiesce();
        try
        {
            driver.life().stop();
            demand(ChannelState.DRAINED);
            restart();
        }
        catch (final ControllerFailure e)
        {
            // It was stopped before this got here.
            fail(e.getMessage());
            return;
        }
        catch (final RuntimeException e)
        {
            stop();
            fail("cannot be reset: " + e.getMessage());
            return;
        }
        resets++;
        state = ControllerState.LIVE;
        wish(ChannelState.RUNNING);
    }

    /** Enables the controller, by way of a function level reset when it does not come back otherwise. */
    private void restart()
    {
        for (int attempt = 1; true; attempt++)
        {
            try
            {
                driver.enable();
                checkFormats();
                for (final NvmeChannel channel : channels)
                {
                    if (ChannelState.RETIRED != channel.state())
                    {
                        driver.announce(channel.queuePair());
                    }
                }
                return;
            }
            catch (final ControllerFailure e)
            {
                driver.life().stop();
                if (ATTEMPTS == attempt || !driver.life().resetFunction())
                {
                    throw e;
                }
                for (final NvmeChannel channel : channels)
                {
                    if (ChannelState.RETIRED != channel.state())
                    {
                        channel.queuePair().reset();
                    }
                }
            }
        }
    }

    private void checkFormats()
    {
        for (final NvmeDevice device : devices)
        {
            final String change =
                driver.identifyNamespace(device.namespace().nsid()).change(device.namespace());
            if (!change.isEmpty())
            {
                throw new ControllerFailure("came back with " + change);
            }
        }
    }

    /**
     * Gives the controller up for good.
     *
     * @param reason a sentence that goes on after the drive's name.
     */
    private void giveUp(final String reason)
    {
        state = ControllerState.RESETTING;
        quiesce();
        stop();
        fail(reason);
    }

    /** Channels have their hands off and nothing writes to memory any more: every request ends, now and later. */
    private void fail(final String reason)
    {
        notes.add(reason + "; its requests end with errors until it is taken anew");
        state = ControllerState.FAILED;
        // The kernel waits for a function whose removal was announced.
        driver.close();
        wish(ChannelState.FAILED);
    }

    /** Stops the controller for good. */
    private void stop()
    {
        try
        {
            driver.life().stop();
        }
        catch (final RuntimeException e)
        {
            notes.add(e.getMessage());
        }
    }

    /**
     * Shuts the controller down.
     *
     * @throws IllegalStateException when a channel is open whose reactor still runs.
     */
    void end()
    {
        final List<NvmeChannel> left = channels.stream().filter((each) -> each.reactor().hasEnded()).toList();
        channels.removeAll(left);
        if (!channels.isEmpty())
        {
            throw new IllegalStateException(
                notes.sentence("still has " + channels.size() + " open channels: close them first"));
        }
        if (ControllerState.LIVE == state)
        {
            if (!driver.life().shutDown(driver.info().shutdownTimeoutNs()))
            {
                notes.add("did not shut down in time: what its cache held may be lost");
            }
            stop();
            driver.close();
        }
        // Nobody looks for what their requests came to, and the controller has been stopped.
        left.forEach((each) -> driver.free(each.queuePair().memory()));
        state = ControllerState.CLOSED;
    }

    private void quiesce()
    {
        demand(ChannelState.QUIESCED);
    }

    /** Asks every channel for a state and waits until it is there. */
    private void demand(final ChannelState wanted)
    {
        wish(wanted);
        for (final NvmeChannel channel : channels)
        {
            while (wanted != channel.state() && ChannelState.RETIRED != channel.state() &&
                !channel.reactor().hasEnded())
            {
                Deadline.pause();
            }
        }
    }

    private void wish(final ChannelState wanted)
    {
        for (final NvmeChannel channel : channels)
        {
            channel.wish(wanted);
            try
            {
                channel.reactor().execute(channel);
            }
            catch (final RejectedExecutionException ended)
            {
                channel.onReactorEnded();
            }
        }
    }

    @Override
    public void abort(final int queueId, final int commandId)
    {
        final int resetsBefore = resets;
        thread.call(() -> guarded(() ->
        {
            if (resetsBefore == resets)
            {
                notes.add("does not complete a command of submission queue " + queueId +
                    " in time; it is asked to abort it");
                driver.admin().abort(queueId, commandId);
            }
            return null;
        }));
    }

    @Override
    public void reset(final String reason)
    {
        final int resetsBefore = resets;
        thread.call(() ->
        {
            // Many may ask for the same reset.
            if (ControllerState.LIVE == state && resetsBefore == resets)
            {
                recover(reason);
            }
            return null;
        });
    }

    @Override
    public void note(final String what)
    {
        thread.call(() ->
        {
            notes.add(what);
            return null;
        });
    }
}
