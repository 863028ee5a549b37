package io.millrace.block.nvme;

import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.reactor.Reactor;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Supervises a controller: checks its health, resets it when it fails, and requests the states of the reactors' queue
 * pairs meanwhile.
 * <ol>
 * <li>Every reactor quiesces its queue pair.</li>
 * <li>The controller is stopped, by force if necessary. From here on it accesses no memory.</li>
 * <li>Every reactor processes completions and empties its queues.</li>
 * <li>The controller is enabled, and the queues are created. Every reactor sends its commands again. If that fails,
 * every request ends with an error, now and later.</li>
 * </ol>
 * Used on the controller's thread, but for what says otherwise.
 */
final class ControllerSupervisor implements ControllerRecovery
{
    private static final int ATTEMPTS = 2;

    private final ControllerThread thread;
    private final Notes notes;
    private final QueuePairs pairs = new QueuePairs();
    private final List<NvmeDevice> devices = new CopyOnWriteArrayList<>();
    private ControllerDriver driver;
    private volatile ControllerState state = ControllerState.STARTING;
    private volatile int resets;
    private volatile DeviceStatus status = new DeviceStatus(DeviceHealth.RECOVERING, "");

    /**
     * Made with its controller.
     *
     * @param thread of the controller.
     * @param notes  that are made of what happens.
     */
    ControllerSupervisor(final ControllerThread thread, final Notes notes)
    {
        this.thread = thread;
        this.notes = notes;
    }

    /**
     * Enables a controller for the first time.
     *
     * @param newDriver the controller's driver; closed when it cannot be enabled.
     * @throws ControllerFailure when it cannot be enabled.
     */
    void begin(final ControllerDriver newDriver)
    {
        driver = newDriver;
        try
        {
            driver.enable();
            live();
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
     * {@return state of the controller; any thread}
     */
    ControllerState state()
    {
        return state;
    }

    /**
     * {@return health of the drive; any thread}
     */
    DeviceStatus status()
    {
        return status;
    }

    private void live()
    {
        state = ControllerState.LIVE;
        report();
    }

    /** Reports the health of a controller that is live, which depends on the drive's warnings. */
    private void report()
    {
        report(driver.warning().isEmpty() ? DeviceStatus.ONLINE :
            new DeviceStatus(DeviceHealth.DEGRADED, notes.sentence("warns: " + driver.warning())));
    }

    private void report(final DeviceStatus next)
    {
        if (!next.equals(status))
        {
            status = next;
            devices.forEach(NvmeDevice::onStatusChanged);
        }
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

    /**
     * Finds the queue pair of a reactor, or makes it. Its depth is the sum of those of the present devices, and it has
     * interrupts when one of them uses them.
     *
     * @param reactor    whose it is.
     * @param controller that has it.
     * @return the pair; it may be {@link QueuePairState#RETIRED} by now.
     * @throws ControllerFailure when there is none left, or the controller refuses it.
     */
    ReactorQueuePair pair(final Reactor reactor, final NvmeController controller)
    {
        final ReactorQueuePair known = pairs.find(reactor);
        if (null != known)
        {
            return known;
        }
        int depth = 0;
        boolean hasInterrupts = false;
        for (final NvmeDevice device : devices)
        {
            depth = Math.min(NvmeDeviceConfig.QUEUE_DEPTH_MAX, depth + device.config().queueDepth());
            hasInterrupts |= device.config().interrupts();
        }
        final ReactorQueuePair made = new ReactorQueuePair(reactor, controller, this,
            driver.createQueuePair(Math.max(NvmeDeviceConfig.QUEUE_DEPTH_DEFAULT, depth), hasInterrupts));
        pairs.add(made);
        return made;
    }

    /**
     * Takes a queue pair from the controller.
     *
     * @param pair that is retired.
     */
    void remove(final ReactorQueuePair pair)
    {
        pairs.remove(pair);
        // One that was retired while the controller was reset was not announced again.
        if (ControllerState.LIVE == state && driver.isCreated(pair.queuePair()))
        {
            try
            {
                driver.delete(pair.queuePair());
            }
            catch (final ControllerFailure e)
            {
                recover(e.getMessage());
            }
        }
        driver.forget(pair.queuePair());
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
     * Runs a task that needs a live controller, and resets the controller when it fails.
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

    /** Checks the controller's health. */
    void watch()
    {
        if (ControllerState.LIVE != state)
        {
            return;
        }
        try
        {
            if (driver.lifecycle().isGone())
            {
                giveUp("was removed, or is to be");
            }
            else if (driver.lifecycle().isFatal())
            {
                recover("has failed: fatal status (CSTS.CFS)");
            }
            else if (!driver.lifecycle().isReady())
            {
                recover("was reset by somebody else (CSTS.RDY)");
            }
            else
            {
                takeEvents();
            }
        }
        catch (final ControllerFailure e)
        {
            recover(e.getMessage());
        }
        catch (final RuntimeException e)
        {
            // A bug; requests must not hang because of it.
            giveUp("cannot be operated any longer: " + e);
        }
    }

    private void takeEvents()
    {
        final boolean haveNamespacesChanged = driver.takeEvents();
        report();
        if (haveNamespacesChanged)
        {
            onNamespacesChanged();
        }
    }

    private void onNamespacesChanged()
    {
        for (final NvmeDevice device : devices)
        {
            final DriveNamespace before = device.namespace();
            final DriveNamespace now;
            try
            {
                now = driver.identifyNamespace(before.info().nsid());
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
            final long blocks = now.info().blockCount();
            final long blocksBefore = before.info().blockCount();
            if (blocks != blocksBefore)
            {
                notes.add("has namespace " + now.info().nsid() + " with " + blocks + " blocks now, before " +
                    blocksBefore + (blocks > blocksBefore ? ": resize the device to use them" :
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
        if (driver.lifecycle().isGone())
        {
            giveUp("was removed, or is to be");
            return;
        }
        state = ControllerState.RESETTING;
        report(new DeviceStatus(DeviceHealth.RECOVERING, notes.sentence(reason + "; it is reset")));
        notes.add(reason + "; it is reset");
        pairs.awaitState(QueuePairState.QUIESCED);
        try
        {
            driver.lifecycle().stop();
            pairs.awaitState(QueuePairState.DRAINED);
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
        live();
        pairs.requestState(QueuePairState.RUNNING);
    }

    /** Enables the controller, after a function level reset if it does not become ready otherwise. */
    private void restart()
    {
        for (int attempt = 1; true; attempt++)
        {
            try
            {
                driver.enable();
                checkFormats();
                pairs.inUse().forEach((pair) -> driver.createQueues(pair.queuePair()));
                return;
            }
            catch (final ControllerFailure e)
            {
                driver.lifecycle().stop();
                if (ATTEMPTS == attempt || !driver.lifecycle().resetFunction())
                {
                    throw e;
                }
                pairs.inUse().forEach((pair) -> pair.queuePair().reset());
            }
        }
    }

    private void checkFormats()
    {
        for (final NvmeDevice device : devices)
        {
            final String change =
                driver.identifyNamespace(device.namespace().info().nsid()).change(device.namespace());
            if (!change.isEmpty())
            {
                throw new ControllerFailure("has after the reset " + change);
            }
        }
    }

    /**
     * Abandons the controller permanently.
     *
     * @param reason a sentence that goes on after the drive's name.
     */
    private void giveUp(final String reason)
    {
        state = ControllerState.RESETTING;
        pairs.awaitState(QueuePairState.QUIESCED);
        stop();
        fail(reason);
    }

    /** The queue pairs are quiesced and the controller accesses no memory: every request ends, now and later. */
    private void fail(final String reason)
    {
        final String what = reason + "; its requests end with errors until the drive is opened again";
        notes.add(what);
        state = ControllerState.FAILED;
        report(new DeviceStatus(DeviceHealth.FAILED, notes.sentence(what)));
        // The kernel waits for a function whose removal was announced.
        driver.close();
        pairs.requestState(QueuePairState.FAILED);
    }

    /** Stops the controller for good. */
    private void stop()
    {
        try
        {
            driver.lifecycle().stop();
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
        final List<ReactorQueuePair> left = pairs.takeEnded();
        if (0 != pairs.count())
        {
            throw new IllegalStateException(
                notes.sentence("still has open channels on " + pairs.count() + " reactors: close them first"));
        }
        if (ControllerState.LIVE == state)
        {
            if (!driver.lifecycle().shutDown(driver.shutdownTimeoutNs()))
            {
                notes.add("did not shut down in time: what its cache held may be lost");
            }
            stop();
            driver.close();
        }
        // Their requests have no reactor any more, and the controller has been stopped.
        left.forEach(this::free);
        state = ControllerState.CLOSED;
    }

    private void free(final ReactorQueuePair pair)
    {
        for (final NvmeChannel channel : pair.channels())
        {
            driver.free(channel.memory().memory());
        }
        driver.free(pair.queuePair().memory());
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
            // Several channels may request the same reset.
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
