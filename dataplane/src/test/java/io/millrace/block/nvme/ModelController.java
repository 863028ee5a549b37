package io.millrace.block.nvme;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.ControllerCapabilities;
import io.millrace.nvme.ControllerConfiguration;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.ControllerStatus;
import io.millrace.nvme.NvmeStatus;
import io.millrace.pci.DmaMap;
import io.millrace.pci.MappedBar;
import io.millrace.pci.PciFunction;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A controller made of memory: it has registers, fetches commands from submission queues, follows data pointers through
 * its own addresses and completes to completion queues, and it misbehaves as its options and its script say. It has a
 * thread, or a test moves it on by steps. What the driver does wrong is kept as faults.
 */
final class ModelController implements PciFunction
{
    /** With every bit beside the code that a status has. */
    static final int FINAL_ERROR_STATUS =
        NvmeStatus.INTERNAL_ERROR | NvmeStatus.RETRY_DELAY_MASK | NvmeStatus.MORE | NvmeStatus.DO_NOT_RETRY;

    static final int COMMAND_ID_NEVER_USED = 0xFFFF;
    private static final int BAR_BYTES = 16 << 10;

    final ModelOptions options;
    final ModelDma dma = new ModelDma();
    final Map<Integer, ModelNamespace> namespaces = new TreeMap<>();
    final List<String> faults = new ArrayList<>();
    volatile ModelScript script = ModelScript.GOOD;
    volatile boolean isAnnouncedGone;

    private final String address;
    private final Random random;
    private final DmaMemory bar = DmaMemory.map(BAR_BYTES);
    private final int[] eventFds;
    private final Map<Integer, ModelQueue> submissions = new TreeMap<>();
    private final Map<Integer, ModelQueue> completions = new TreeMap<>();
    private final List<ModelCommand> held = new ArrayList<>();
    private final List<ModelCommand> later = new ArrayList<>();
    private final ModelCommands commands = new ModelCommands(this);
    private Thread thread;
    private volatile boolean isEnding;
    private volatile boolean isGone;
    private boolean isBusMaster;
    private boolean isReady;
    private int fetched;
    private int enableCount;
    private int functionResets;
    private int shutdowns;
    private int queuesCreated;
    private final Set<Integer> vectorsUsed = new TreeSet<>();
    /** Closing waits until it is opened; null where it does not. */
    volatile CountDownLatch closeGate;
    private long silentUntilNs;
    private boolean isBeingReset;
    private boolean isClosed;

    ModelController(final String address, final ModelOptions options, final long seed)
    {
        this.address = address;
        this.options = options;
        random = TestSeeds.fixed(seed);
        eventFds = new int[options.vectors];
        for (int i = 0; i < eventFds.length; i++)
        {
            eventFds[i] = options.hasInterrupts ? Files.eventfd(0, Files.EFD_CLOEXEC | Files.EFD_NONBLOCK) : -1;
        }
        resetRegisters();
    }

    ModelController with(final int nsid, final ModelNamespace namespace)
    {
        namespaces.put(nsid, namespace);
        return this;
    }

    /** Lets it live on its own. */
    ModelController start()
    {
        thread = Thread.ofPlatform().daemon(true).name("model-" + address).start(this::run);
        return this;
    }

    private void run()
    {
        while (!isEnding)
        {
            if (!step())
            {
                LockSupport.parkNanos(5_000);
            }
        }
    }

    /** Ends the thread and frees what the driver does not know of. */
    void end()
    {
        isEnding = true;
        if (null != thread)
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException e)
            {
                throw new IllegalStateException(e);
            }
        }
        for (final int fd : eventFds)
        {
            if (fd >= 0)
            {
                Files.close(fd);
            }
        }
        namespaces.values().forEach(ModelNamespace::close);
        bar.close();
    }

    /** Moves on a little; answers whether there was anything to do. */
    synchronized boolean step()
    {
        if (isGone)
        {
            NativeMemory.fill(bar.address(), BAR_BYTES, (byte)0xFF);
            return false;
        }
        if (options.isSilent)
        {
            return false;
        }
        if (isBeingReset)
        {
            return comeBack();
        }
        try
        {
            boolean isAny = checkConfiguration();
            if (isReady && 0 == (status() & ControllerStatus.FATAL))
            {
                isAny |= fetch();
                isAny |= completeLater();
                for (final ModelQueue queue : completions.values())
                {
                    isAny |= queue.post();
                }
            }
            return isAny;
        }
        catch (final ModelFault e)
        {
            fault(e.getMessage());
            return true;
        }
    }

    private boolean checkConfiguration()
    {
        final int configuration = NativeMemory.getIntAcquire(bar.address() + ControllerProperty.CONFIGURATION);
        final boolean isEnabled = ControllerConfiguration.isEnabled(configuration);
        if (isEnabled && !isReady && 0 == (status() & ControllerStatus.FATAL))
        {
            return enable(configuration);
        }
        if (!isEnabled && 0 != (status() & (ControllerStatus.READY | ControllerStatus.FATAL)) && !options.neverStops)
        {
            forget();
            status(0);
            return true;
        }
        if (0 != (configuration & ControllerConfiguration.SHUTDOWN_MASK) &&
            0 == (status() & ControllerStatus.SHUTDOWN_MASK))
        {
            namespaces.values().forEach(ModelNamespace::flush);
            status(status() | ControllerStatus.SHUTDOWN_COMPLETE);
            shutdowns++;
            return true;
        }
        return false;
    }

    private boolean enable(final int configuration)
    {
        if (options.neverReady)
        {
            return false;
        }
        if (options.failsToEnable)
        {
            status(ControllerStatus.FATAL);
            return true;
        }
        check(isBusMaster, "enabled without bus mastering");
        check((configuration >>> 7 & 0xF) + 12 == options.pageShiftMin, "memory page size " + configuration);
        check((configuration >>> 16 & 0xFF) == 0x46, "entry sizes of CC 0x" + Integer.toHexString(configuration));
        final int attributes = NativeMemory.getInt(bar.address() + ControllerProperty.ADMIN_QUEUE_ATTRIBUTES);
        final long asq = NativeMemory.getLong(bar.address() + ControllerProperty.ADMIN_SUBMISSION_QUEUE);
        final long acq = NativeMemory.getLong(bar.address() + ControllerProperty.ADMIN_COMPLETION_QUEUE);
        forget();
        addCompletionQueue(0, (attributes >>> 16) + 1, acq, -1);
        addSubmissionQueue(0, (attributes & 0xFFF) + 1, asq, 0);
        isReady = true;
        enableCount++;
        status(ControllerStatus.READY);
        return true;
    }

    private void forget()
    {
        submissions.clear();
        completions.clear();
        held.clear();
        later.clear();
        commands.forget();
        isReady = false;
    }

    private boolean fetch()
    {
        boolean isAny = false;
        for (final ModelQueue queue : List.copyOf(submissions.values()))
        {
            // One at a time, so that queues take turns.
            final ModelCommand command = submissions.containsValue(queue) ? queue.fetch() : null;
            if (null != command)
            {
                isAny = true;
                fetched++;
                take(queue, command);
            }
        }
        return isAny;
    }

    private void take(final ModelQueue queue, final ModelCommand command)
    {
        final boolean isConflict = held.stream().anyMatch((other) -> isSame(other, command)) ||
            later.stream().anyMatch((other) -> isSame(other, command));
        check(!isConflict, "command id " + command.commandId() + " of queue " + queue.id + " is outstanding");
        final ModelScript.Action action = script.on(command);
        switch (action)
        {
            case COMPLETE -> complete(queue, command, commands.execute(command));
            case LATER ->
            {
                commands.note(command);
                later.add(command);
            }
            case HOLD ->
            {
                commands.note(command);
                held.add(command);
            }
            case TWICE ->
            {
                final int status = commands.execute(command);
                complete(queue, command, status);
                complete(queue, command, status);
            }
            case UNKNOWN_ID ->
            {
                commands.note(command);
                held.add(command);
                queue.completion.complete(queue.id, queue.position(), COMMAND_ID_NEVER_USED, 0, 0);
            }
            case WRONG_QUEUE ->
            {
                commands.note(command);
                held.add(command);
                queue.completion.complete(queue.id + 1, queue.position(), command.commandId(), 0, 0);
            }
            case ERROR -> complete(queue, command, NvmeStatus.INTERNAL_ERROR);
            case FINAL_ERROR -> complete(queue, command, FINAL_ERROR_STATUS);
            case UNREACHABLE -> complete(queue, command, NvmeStatus.DATA_TRANSFER_ERROR | NvmeStatus.DO_NOT_RETRY);
            case FATAL ->
            {
                commands.note(command);
                held.add(command);
                status(status() | ControllerStatus.FATAL);
            }
            case GONE -> pullOut();
        }
    }

    private static boolean isSame(final ModelCommand one, final ModelCommand other)
    {
        return one.queueId() == other.queueId() && one.commandId() == other.commandId();
    }

    private void complete(final ModelQueue queue, final ModelCommand command, final int status)
    {
        if (ModelCommands.NO_ANSWER != status)
        {
            queue.completion.complete(queue.id, queue.position(), command.commandId(), status, commands.result());
        }
    }

    private boolean completeLater()
    {
        if (later.isEmpty() || 0 != random.nextInt(3))
        {
            return !later.isEmpty();
        }
        final ModelCommand command = later.remove(random.nextInt(later.size()));
        final ModelQueue queue = submissions.get(command.queueId());
        complete(queue, command, commands.execute(command));
        return true;
    }

    /** Completes a command that was held, as if it had taken long. */
    synchronized boolean release()
    {
        if (held.isEmpty())
        {
            return false;
        }
        final ModelCommand command = held.remove(random.nextInt(held.size()));
        complete(submissions.get(command.queueId()), command, commands.execute(command));
        return true;
    }

    /** Abort: answers whether the command was found. */
    boolean abort(final int queueId, final int commandId)
    {
        if (options.doAbortsWork)
        {
            for (final Iterator<ModelCommand> i = held.iterator(); i.hasNext();)
            {
                final ModelCommand command = i.next();
                if (command.queueId() == queueId && command.commandId() == commandId)
                {
                    i.remove();
                    commands.clearResult();
                    complete(submissions.get(queueId), command, NvmeStatus.ABORT_REQUESTED);
                    return true;
                }
            }
        }
        return false;
    }

    void deleteSubmissionQueue(final int id)
    {
        final ModelQueue queue = submissions.remove(id);
        final List<ModelCommand> all = new ArrayList<>(held);
        all.addAll(later);
        for (final ModelCommand command : all)
        {
            if (command.queueId() == id)
            {
                queue.completion.complete(
                    id, queue.position(), command.commandId(), NvmeStatus.ABORTED_SQ_DELETION, 0);
                held.remove(command);
                later.remove(command);
            }
        }
    }

    void deleteCompletionQueue(final int id)
    {
        completions.remove(id);
    }

    boolean hasSubmissionQueue(final int id)
    {
        return submissions.containsKey(id);
    }

    boolean hasCompletionQueue(final int id)
    {
        return completions.containsKey(id);
    }

    void addCompletionQueue(final int id, final int entries, final long iova, final int vector)
    {
        if (vector >= 0)
        {
            vectorsUsed.add(vector);
        }
        final ModelQueue queue = new ModelQueue(
            id, entries, null, true, dma, iova, doorbell(2 * id + 1), vector < 0 ? -1 : eventFds[vector]);
        commands.shadow(queue, 2 * id + 1);
        completions.put(id, queue);
    }

    void addSubmissionQueue(final int id, final int entries, final long iova, final int completionId)
    {
        final ModelQueue queue =
            new ModelQueue(id, entries, completions.get(completionId), false, dma, iova, doorbell(2 * id), -1);
        commands.shadow(queue, 2 * id);
        submissions.put(id, queue);
        queuesCreated += 0 == id ? 0 : 1;
    }

    private long doorbell(final int index)
    {
        return bar.address() + ControllerProperty.DOORBELLS + (long)index * options.doorbellStrideBytes;
    }

    /** Completes an admin command that was kept. */
    void completeKept(final ModelCommand command, final int status, final int result)
    {
        final ModelQueue queue = submissions.get(0);
        queue.completion.complete(0, queue.position(), command.commandId(), status, result);
    }

    /** What the SMART log says. */
    io.millrace.nvme.SmartLog smart()
    {
        return commands.smart;
    }

    /** Something happens that the host asked to be told of. */
    synchronized void raise(final int event)
    {
        commands.raise(event);
    }

    /** Pulls the drive out. */
    synchronized void pullOut()
    {
        isGone = true;
        forget();
        NativeMemory.fill(bar.address(), BAR_BYTES, (byte)0xFF);
    }

    /**
     * Is reset past the driver, as by the kernel: reads all ones for a while, then is as after power-on.
     */
    synchronized void resetByOthers(final long silenceNs)
    {
        forget();
        NativeMemory.fill(bar.address(), BAR_BYTES, (byte)0xFF);
        silentUntilNs = System.nanoTime() + silenceNs;
        isBeingReset = true;
    }

    /** Loses power for a moment, and with it what is in its volatile cache. */
    synchronized void losePower(final long silenceNs)
    {
        resetByOthers(silenceNs);
        namespaces.values().forEach((namespace) -> namespace.losePower(random));
    }

    private boolean comeBack()
    {
        if (System.nanoTime() - silentUntilNs > 0)
        {
            isBeingReset = false;
            resetRegisters();
        }
        return false;
    }

    synchronized void fail()
    {
        status(status() | ControllerStatus.FATAL);
    }

    /** Whether a command that was not completed may write to a range; never once it was stopped. */
    synchronized boolean mayWrite(final long rangeAddress, final long lengthBytes)
    {
        final List<ModelCommand> all = new ArrayList<>(held);
        all.addAll(later);
        return isBusMaster && all.stream().flatMap((command) -> command.ranges().stream())
            .anyMatch((range) -> range[0] < rangeAddress + lengthBytes && rangeAddress < range[0] + range[1]);
    }

    synchronized int heldCount()
    {
        return held.size();
    }

    synchronized int fetched()
    {
        return fetched;
    }

    synchronized int enableCount()
    {
        return enableCount;
    }

    synchronized int functionResets()
    {
        return functionResets;
    }

    /** How many I/O submission queues were ever made. */
    synchronized int queuesCreated()
    {
        return queuesCreated;
    }

    /** Interrupt vectors that I/O queues were ever made with. */
    synchronized Set<Integer> vectorsUsed()
    {
        return new TreeSet<>(vectorsUsed);
    }

    /** Entries of the I/O submission queues that there are. */
    synchronized List<Integer> queueEntries()
    {
        return submissions.values().stream().filter((queue) -> 0 != queue.id).map((queue) -> queue.entries).toList();
    }

    synchronized int submissionQueues()
    {
        return submissions.size();
    }

    synchronized boolean isReady()
    {
        return isReady;
    }

    synchronized boolean isClosed()
    {
        return isClosed;
    }

    synchronized int shutdowns()
    {
        return shutdowns;
    }

    synchronized List<String> faults()
    {
        return new ArrayList<>(faults);
    }

    void fault(final String what)
    {
        faults.add(what);
    }

    void check(final boolean isRight, final String what)
    {
        if (!isRight)
        {
            fault(what);
        }
    }

    private int status()
    {
        return NativeMemory.getIntAcquire(bar.address() + ControllerProperty.STATUS);
    }

    private void status(final int value)
    {
        NativeMemory.putIntRelease(bar.address() + ControllerProperty.STATUS, value);
    }

    private void resetRegisters()
    {
        NativeMemory.fill(bar.address(), BAR_BYTES, (byte)0);
        NativeMemory.putLong(bar.address() + ControllerProperty.CAPABILITIES,
            ControllerCapabilities.ofQueueEntriesMax(options.queueEntriesMax) |
            ControllerCapabilities.CONTIGUOUS_QUEUES | ControllerCapabilities.COMMAND_SET_NVM |
            ControllerCapabilities.ofTimeoutMs(options.timeoutUnits * 500) |
            ControllerCapabilities.ofDoorbellStrideBytes(options.doorbellStrideBytes) |
            ControllerCapabilities.ofMemoryPageShiftMin(options.pageShiftMin));
        NativeMemory.putInt(bar.address() + ControllerProperty.VERSION, ControllerProperty.VERSION_2_0);
        isBusMaster = false;
    }

    @Override
    public String address()
    {
        return address;
    }

    @Override
    public MappedBar bar0()
    {
        return new MappedBar(bar.address(), BAR_BYTES);
    }

    @Override
    public DmaMap dma()
    {
        return dma;
    }

    @Override
    public synchronized void enableBusMaster(final boolean enabled)
    {
        isBusMaster = enabled;
    }

    @Override
    public synchronized boolean reset()
    {
        if (!options.hasFunctionReset || isGone)
        {
            return false;
        }
        functionResets++;
        forget();
        resetRegisters();
        return true;
    }

    @Override
    public int interruptFd(final int vector)
    {
        return vector < eventFds.length ? eventFds[vector] : -1;
    }

    @Override
    public boolean isGone()
    {
        return isGone || isAnnouncedGone;
    }

    @Override
    public void close()
    {
        final CountDownLatch gate = closeGate;
        if (null != gate)
        {
            try
            {
                gate.await();
            }
            catch (final InterruptedException e)
            {
                throw new IllegalStateException(e);
            }
        }
        closeNow();
    }

    private synchronized void closeNow()
    {
        isClosed = true;
        isBusMaster = false;
        dma.unmapAll();
    }
}
