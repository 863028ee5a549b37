package io.millrace.block.nvme;

import io.millrace.bindings.NativeException;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.block.nvme.queue.DriverMemory;
import io.millrace.block.nvme.queue.PayloadMemory;
import io.millrace.block.nvme.queue.QueuePair;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyControllerAdmin;
import io.millrace.pci.PciException;
import io.millrace.pci.PciFunction;
import io.millrace.reactor.Reactor;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A drive's controller, driven by this process. A thread of its own does everything that blocks or is rare: it enables
 * the controller, sends admin commands, handles events, checks the controller's health, and resets it. Each reactor has
 * one queue pair for all of the controller's namespaces, which is quiesced during a reset. Any thread but the reactors'
 * may call what is public.
 */
public final class NvmeController implements AutoCloseable
{
    /** How long the removal of a queue pair may take, a reset included. */
    private static final long REMOVE_NS_DEFAULT = 30_000_000_000L;
    /** How long {@link #close()} waits: longer than a controller may take to be reset and shut down. */
    private static final long CLOSE_NS_DEFAULT = 180_000_000_000L;

    private final PciFunction function;
    private final MemoryRegistry registry;
    private final PayloadMemory payload;
    private final ControllerSettings settings;
    private final Notes notes;
    private final ControllerThread thread;
    private final ControllerSupervisor supervisor;
    // Of the controller's thread alone.
    private ControllerDriver driver;
    private volatile long removeNs = REMOVE_NS_DEFAULT;
    private volatile long closeNs = CLOSE_NS_DEFAULT;

    private NvmeController(
        final PciFunction function,
        final MemoryRegistry registry,
        final ControllerSettings settings,
        final NvmeListener listener)
    {
        this.function = function;
        this.registry = registry;
        this.settings = settings;
        notes = new Notes(function.address(), listener);
        payload = new PayloadMemory("nvme drive " + function.address(), function.dma(), notes::add);
        thread = new ControllerThread("millrace-nvme-" + function.address(), this::watch, settings.watchNs());
        supervisor = new ControllerSupervisor(thread, notes);
    }

    /**
     * Takes over a controller: resets, enables and identifies it.
     *
     * @param function that it is; closed with the controller, or when it cannot be taken.
     * @param registry of the memory that payload lies in; mapped for the controller as it is announced.
     * @param settings settings.
     * @param listener notified of its events.
     * @return the controller.
     * @throws BlockDeviceException saying in one sentence why it is unavailable.
     */
    public static NvmeController start(
        final PciFunction function,
        final MemoryRegistry registry,
        final ControllerSettings settings,
        final NvmeListener listener)
    {
        final NvmeController controller = new NvmeController(function, registry, settings, listener);
        controller.thread.start();
        try
        {
            controller.call(() ->
            {
                controller.begin();
                return null;
            });
        }
        catch (final RuntimeException e)
        {
            controller.endThread(controller.closeNs);
            registry.removeListener(controller.payload);
            throw e;
        }
        return controller;
    }

    private void begin()
    {
        driver = new ControllerDriver(function, payload, registry, settings, notes);
        supervisor.begin(driver);
    }

    /**
     * {@return where its PCI function is}
     */
    public String address()
    {
        return function.address();
    }

    /**
     * {@return how it is now}
     */
    public ControllerState state()
    {
        return supervisor.state();
    }

    /**
     * {@return its health, with the reason when that is not good}
     */
    public DeviceStatus status()
    {
        return supervisor.status();
    }

    /**
     * {@return number of resets since it was taken over}
     */
    public int resets()
    {
        return supervisor.resets();
    }

    /**
     * {@return what an operator should know, each a sentence, oldest first}
     */
    public List<String> notes()
    {
        return notes.all();
    }

    /**
     * {@return model, serial number and firmware, for people}
     */
    public String description()
    {
        return call(() -> driver.info().description());
    }

    /**
     * Identifies the controller or one of its namespaces.
     *
     * @param cns  what is asked for, see {@link IdentifyCns}.
     * @param nsid that it is about, or 0.
     * @return the data, {@link IdentifyCns#DATA_BYTES}.
     * @throws BlockDeviceException when it refuses or does not answer.
     */
    public byte[] identify(final int cns, final int nsid)
    {
        return callLive(() -> driver.answer("Identify (CNS " + Integer.toHexString(cns) + "h)",
            driver.admin().identify(cns, nsid, IdentifyCns.CSI_NVM), IdentifyCns.DATA_BYTES));
    }

    /**
     * Reads a log page of the controller, such as {@link io.millrace.nvme.SmartLog}.
     *
     * @param logPageId   log page id, see {@link io.millrace.nvme.LogPageId}.
     * @param lengthBytes length in bytes; a multiple of 4. Beyond 4096 the controller has to take offsets, else less
     *                    comes back.
     * @return the page.
     * @throws BlockDeviceException when it has no such page or does not answer.
     */
    public byte[] logPage(final int logPageId, final int lengthBytes)
    {
        return callLive(() ->
        {
            final boolean hasOffsets =
                0 != (driver.info().logPageAttributes() & IdentifyControllerAdmin.LOG_EXTENDED_DATA);
            final int readableBytes = hasOffsets ? lengthBytes : Math.min(lengthBytes, AdminQueue.DATA_BYTES);
            final byte[] page = new byte[readableBytes];
            for (int done = 0; done < readableBytes; done += AdminQueue.DATA_BYTES)
            {
                final int part = Math.min(AdminQueue.DATA_BYTES, readableBytes - done);
                System.arraycopy(driver.answer("Get Log Page " + logPageId,
                    driver.admin().logPage(logPageId, done, part), part), 0, page, done, part);
            }
            return page;
        });
    }

    /**
     * Restarts the controller. Requests wait and are sent again.
     *
     * @throws BlockDeviceException when it does not come back.
     */
    public void reset()
    {
        callLive(() ->
        {
            supervisor.recover("is reset on request of an operator");
            supervisor.checkLive();
            return null;
        });
    }

    /**
     * Stops everything and releases the PCI function. Channels have been closed before, or their reactors have ended. A
     * second call does nothing.
     * <p>
     * Waits three minutes at most, longer than a controller may take: when something below does not return, such as a
     * call of the kernel, a note says so, and the function stays taken until that is over or the process ends. Until
     * then memory that is mapped for it cannot be unmapped.
     *
     * @throws IllegalStateException when a channel is open.
     */
    @Override
    public void close()
    {
        if (ControllerState.CLOSED == state())
        {
            return;
        }
        Reactor.checkMayBlock("the end of a controller");
        final Deadline deadline = Deadline.in(closeNs);
        try
        {
            thread.call(() ->
            {
                supervisor.end();
                return null;
            }).orTimeout(closeNs, TimeUnit.NANOSECONDS).join();
        }
        catch (final CompletionException e)
        {
            if (!(e.getCause() instanceof TimeoutException))
            {
                throw translated(e.getCause()) instanceof final RuntimeException known ? known : e;
            }
            payload.abandon();
        }
        endThread(deadline.leftNs());
        if (payload.isClosed())
        {
            registry.removeListener(payload);
        }
    }

    private void endThread(final long timeoutNs)
    {
        if (!thread.end(timeoutNs))
        {
            notes.add("is not given back yet, since its thread still waits for something after " +
                closeNs / 1_000_000 + " ms: it stays taken until that is over or this process ends");
        }
    }

    void closeNs(final long timeoutNs)
    {
        closeNs = timeoutNs;
    }

    /**
     * Makes a device of a namespace.
     *
     * @param config configuration.
     * @return the device.
     * @throws BlockDeviceException saying why the namespace cannot be used.
     */
    NvmeDevice openDevice(final NvmeDeviceConfig config)
    {
        return callLive(() ->
        {
            final DriveNamespace found = driver.identifyNamespace(config.nsid());
            final NvmeDevice device =
                new NvmeDevice(config, this, found, driver.info(), driver.transferLimits(found));
            supervisor.add(device);
            return device;
        });
    }

    /**
     * Refreshes a device's namespace.
     *
     * @param device the channel's device.
     */
    void refresh(final NvmeDevice device)
    {
        callLive(() ->
        {
            final DriveNamespace found = driver.identifyNamespace(device.config().nsid());
            final String change = found.change(device.namespace());
            if (!change.isEmpty())
            {
                throw ControllerFailure.refusal("has " + change);
            }
            device.namespace(found, driver.transferLimits(found));
            return null;
        });
    }

    void remove(final NvmeDevice device)
    {
        supervisor.remove(device);
    }

    /**
     * Opens a channel over the reactor's queue pair. On the reactor, which does not wait.
     *
     * @param device   of the channel.
     * @param context  of the channel.
     * @param listener notified on the reactor, in a later cycle.
     */
    void open(final NvmeDevice device, final ReactorContext context, final OpenListener listener)
    {
        new ChannelOpening(this, device, context, listener).begin();
    }

    /**
     * Makes a channel, and the reactor's queue pair when there is none. On the controller's thread.
     *
     * @param device  of the channel.
     * @param context of the channel.
     * @return the channel, to be attached on the reactor.
     * @throws ControllerFailure when there is no queue pair left, or the controller does not make one.
     */
    NvmeChannel make(final NvmeDevice device, final ReactorContext context)
    {
        final TransferLimits limits = driver.transferLimits(device.namespace());
        final ChannelMemory memory = driver.mapChannelMemory(limits, device.namespace());
        try
        {
            final ReactorQueuePair pair = supervisor.pair(context.reactor(), this);
            if (device.config().interrupts() && QueuePair.NO_VECTOR == pair.queuePair().vector())
            {
                notes.add("has a queue pair without interrupts that namespace " + device.config().nsid() +
                    " shares with those that were opened before: a reactor with commands outstanding polls");
            }
            return new NvmeChannel(device, context, supervisor, pair, limits, payload, memory);
        }
        catch (final RuntimeException e)
        {
            driver.free(memory.memory());
            throw e;
        }
    }

    /**
     * {@return the result of a task that the controller's thread runs if the controller works then; any thread, does
     * not wait}
     *
     * @param task to run.
     * @param <T>  of its result.
     */
    <T> CompletableFuture<T> callLater(final Callable<T> task)
    {
        return thread.call(() -> supervisor.guarded(task));
    }

    /**
     * {@return exception for the opener of a channel}
     *
     * @param failure of the controller's thread.
     */
    BlockDeviceException refusal(final Throwable failure)
    {
        return translated(failure) instanceof final BlockDeviceException known ? known :
            new BlockDeviceException(notes.sentence("cannot be used: " + failure), failure);
    }

    /**
     * Takes a queue pair from the controller: when that is done the controller has none of its commands. On the
     * reactor, which does not wait.
     *
     * @param pair    that is retired.
     * @param removed run on the pair's reactor then, unless that has ended.
     */
    void remove(final ReactorQueuePair pair, final Runnable removed)
    {
        thread.call(() ->
        {
            supervisor.remove(pair);
            return null;
        }).whenComplete((nothing, failure) ->
        {
            // Whatever failed, the controller has been stopped for it.
            try
            {
                pair.reactor().execute(removed);
            }
            catch (final RejectedExecutionException ended)
            {
                pair.channels().forEach((channel) -> free(channel.memory().memory()));
                free(pair.queuePair().memory());
            }
        });
    }

    /**
     * {@return how long a channel waits for {@link #remove} before it ends its requests without}
     */
    long removeNs()
    {
        return removeNs;
    }

    void removeNs(final long timeoutNs)
    {
        removeNs = timeoutNs;
    }

    /**
     * Frees memory of a queue pair or a channel. Any thread; does not wait.
     *
     * @param unused memory that the controller no longer uses; null does nothing.
     */
    void free(final DriverMemory unused)
    {
        thread.call(() ->
        {
            driver.free(unused);
            return null;
        });
    }

    /** On the controller's thread, every so often. */
    private void watch()
    {
        supervisor.watch();
    }

    private <T> T callLive(final Callable<T> task)
    {
        return call(() -> supervisor.guarded(task));
    }

    private <T> T call(final Callable<T> task)
    {
        Reactor.checkMayBlock("a call of the controller's thread");
        try
        {
            return thread.call(task).join();
        }
        catch (final CompletionException e)
        {
            throw translated(e.getCause()) instanceof final RuntimeException known ? known : e;
        }
    }

    /** Exception for the caller about a failure of the controller's thread. */
    private Throwable translated(final Throwable cause)
    {
        return switch (cause)
        {
            case final ControllerFailure failure ->
                new BlockDeviceException(notes.sentence(failure.getMessage()), failure);
            case final PciException refused ->
                new BlockDeviceException(notes.sentence("cannot be used: " + refused.getMessage()), refused);
            case final NativeException refused ->
                new BlockDeviceException(notes.sentence("cannot be used: " + refused.getMessage()), refused);
            case final RejectedExecutionException ended ->
                new BlockDeviceException(notes.sentence("was closed"), ended);
            default -> cause;
        };
    }
}
