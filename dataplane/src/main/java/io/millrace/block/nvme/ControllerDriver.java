package io.millrace.block.nvme;

import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.block.nvme.queue.DriverMemory;
import io.millrace.block.nvme.queue.PayloadMemory;
import io.millrace.block.nvme.queue.QueuePair;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.CommandLimits;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyControllerAdmin;
import io.millrace.nvme.identify.InvalidIdentifyException;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.pci.PciFunction;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Operations on a controller's hardware and memory, called by {@link NvmeController}. Used on the controller's thread
 * alone.
 */
final class ControllerDriver
{
    private static final long SHUTDOWN_TIMEOUT_NS_MIN = 5_000_000_000L;
    private static final long SHUTDOWN_TIMEOUT_NS_MAX = 60_000_000_000L;

    private final PciFunction function;
    private final ControllerSettings settings;
    private final ControllerRegisters registers;
    private final ControllerLifecycle lifecycle;
    private final PayloadMemory payload;
    private final DriverMemory memory;
    private final AdminQueue queue;
    private final AdminCommands admin;
    private final AsyncEvents events;
    private final ShadowDoorbells shadows;
    private final Notes notes;
    /** Of queue pairs that are in use. */
    private final BitSet queueIds = new BitSet();
    /** Of queue pairs that were created since the controller was enabled. */
    private final BitSet createdIds = new BitSet();
    private final List<DriverMemory> orphans = new ArrayList<>();
    private ControllerInfo info;
    private CommandLimits commandLimits;
    private int queuePairsMax;
    private boolean isFunctionClosed;

    /**
     * Stops the controller, whatever its former driver left running, and allocates its memory. On failure the function
     * is closed.
     *
     * @param function of the controller.
     * @param payload  listener for the controller; added here, once the controller is stopped.
     * @param registry of the memory that payload lies in.
     * @param settings of the controller.
     * @param notes    that events become.
     * @throws ControllerFailure                    when it cannot be driven.
     * @throws io.millrace.pci.PciException         when memory cannot be mapped for it.
     * @throws io.millrace.bindings.NativeException when there is no memory.
     */
    ControllerDriver(
        final PciFunction function,
        final PayloadMemory payload,
        final MemoryRegistry registry,
        final ControllerSettings settings,
        final Notes notes)
    {
        this.function = function;
        this.payload = payload;
        this.settings = settings;
        this.notes = notes;
        DriverMemory mapped = null;
        try
        {
            registers = new ControllerRegisters(function.bar0());
            lifecycle = new ControllerLifecycle(function, registers);
            lifecycle.awaitForeignEnable();
            lifecycle.stop();
            final int pageBytes = 1 << lifecycle.pageShift();
            registry.addListener(payload);
            mapped = DriverMemory.map(function.dma(),
                AdminQueue.memoryBytes(pageBytes) + ShadowDoorbells.memoryBytes(pageBytes) + pageBytes);
            memory = mapped;
            queue = new AdminQueue(
                registers, memory, pageBytes, lifecycle.doorbellStrideBytes(), settings.adminTimeoutNs());
            admin = new AdminCommands(queue, settings.adminTimeoutNs());
            events = new AsyncEvents(queue, admin, notes);
            shadows = new ShadowDoorbells(memory, pageBytes);
        }
        catch (final RuntimeException e)
        {
            payload.close();
            function.close();
            if (null != mapped)
            {
                mapped.closeUnmapped();
            }
            throw e;
        }
    }

    AdminCommands admin()
    {
        return admin;
    }

    ControllerLifecycle lifecycle()
    {
        return lifecycle;
    }

    ControllerInfo info()
    {
        return info;
    }

    /**
     * {@return whether namespaces have changed, by the events that came}
     */
    boolean takeEvents()
    {
        return events.handle();
    }

    /**
     * {@return health warnings of the drive, continuing a sentence after {@code warns:}; empty when it has none}
     */
    String warning()
    {
        return events.warning();
    }

    /**
     * Enables a stopped controller and identifies it; queue pairs may be created then.
     *
     * @throws ControllerFailure when it fails, or is another drive than before.
     */
    void enable()
    {
        orphans.forEach(DriverMemory::close);
        orphans.clear();
        createdIds.clear();
        lifecycle.enable(queue);
        final ControllerInfo found = identify();
        if (null != info && !info.serialNumber().equals(found.serialNumber()))
        {
            throw new ControllerFailure("is another drive after the reset: its serial number was " +
                info.serialNumber() + " and is " + found.serialNumber());
        }
        info = found;
        commandLimits = identifyCommandLimits();
        queuePairsMax = admin.numberOfQueues(
            Math.min(settings.queuePairsMax(), registers.queuePairsMax(lifecycle.doorbellStrideBytes())));
        events.configure(info);
        if (0 != (info.optionalAdminCommands() & IdentifyControllerAdmin.ADMIN_DOORBELL_BUFFER_CONFIG))
        {
            shadows.configure(admin);
        }
    }

    private ControllerInfo identify()
    {
        final byte[] data = answer("Identify Controller",
            admin.identify(IdentifyCns.CONTROLLER, 0, IdentifyCns.CSI_NVM), IdentifyCns.DATA_BYTES);
        try
        {
            return ControllerInfo.ofIoController(new UnsafeBuffer(data), lifecycle.pageShift());
        }
        catch (final InvalidIdentifyException e)
        {
            throw new ControllerFailure(e.getMessage());
        }
    }

    private CommandLimits identifyCommandLimits()
    {
        // Controllers before 2.0 do not know this; then there are no such limits.
        final int status = admin.identify(IdentifyCns.CONTROLLER_COMMAND_SET, 0, IdentifyCns.CSI_NVM);
        return CommandLimits.of(info, NvmeStatus.SUCCESS == status ? admin.data() : null);
    }

    /**
     * {@return limits of one command to a namespace}
     *
     * @param namespace of the commands.
     * @throws ControllerFailure when not even a block can be transferred.
     */
    TransferLimits transferLimits(final DriveNamespace namespace)
    {
        return TransferLimits.of(info, commandLimits, namespace);
    }

    /**
     * {@return time that a normal shutdown may take}
     */
    long shutdownTimeoutNs()
    {
        return Math.clamp(info.shutdownLatencyUs() * 1000, SHUTDOWN_TIMEOUT_NS_MIN, SHUTDOWN_TIMEOUT_NS_MAX);
    }

    /**
     * Identifies a namespace.
     *
     * @param nsid namespace id.
     * @return its properties.
     * @throws ControllerFailure when it cannot be used.
     */
    DriveNamespace identifyNamespace(final int nsid)
    {
        final int status = admin.identify(IdentifyCns.NAMESPACE, nsid, IdentifyCns.CSI_NVM);
        if (NvmeStatus.SUCCESS != status)
        {
            throw ControllerFailure.refusal("refused Identify of namespace " + nsid + " (" + NvmeStatus.name(status) +
                "): see 'millrace drive namespaces' for those it has");
        }
        final byte[] data = new byte[IdentifyCns.DATA_BYTES];
        admin.data().getBytes(0, data);
        if (null == decode(nsid, data, null))
        {
            throw new ControllerFailure(
                "has no active namespace " + nsid + ": see 'millrace drive namespaces' for those it has");
        }
        final int listStatus = admin.identify(IdentifyCns.NAMESPACE_DESCRIPTORS, nsid, IdentifyCns.CSI_NVM);
        // Controllers before 1.3 do not know this. After another failure the namespace could be any other.
        if (NvmeStatus.SUCCESS != listStatus && !NvmeStatus.isUnsupported(listStatus))
        {
            throw ControllerFailure.refusal("refused Identify of the identifiers of namespace " + nsid + " (" +
                NvmeStatus.name(listStatus) + "): create the device again once the drive is ready");
        }
        return DriveNamespace.of(decode(nsid, data, NvmeStatus.SUCCESS == listStatus ? admin.data() : null));
    }

    private static NamespaceInfo decode(final int nsid, final byte[] data, final DirectBuffer descriptors)
    {
        try
        {
            return NamespaceInfo.of(nsid, new UnsafeBuffer(data), descriptors);
        }
        catch (final InvalidIdentifyException e)
        {
            throw new ControllerFailure(e.getMessage());
        }
    }

    /**
     * {@return a copy of what a command answered}
     *
     * @param command     name of it, for the message.
     * @param status      that it ended with.
     * @param lengthBytes of the answer.
     * @throws ControllerFailure when it was refused.
     */
    byte[] answer(final String command, final int status, final int lengthBytes)
    {
        if (NvmeStatus.SUCCESS != status)
        {
            throw ControllerFailure.refusal("refused " + command + ": " + NvmeStatus.name(status));
        }
        final byte[] bytes = new byte[lengthBytes];
        admin.data().getBytes(0, bytes);
        return bytes;
    }

    /**
     * Takes the memory that a channel needs beside its queue pair's.
     *
     * @param limits    of the channel's commands.
     * @param namespace of the channel's commands.
     * @return the memory.
     */
    ChannelMemory mapChannelMemory(final TransferLimits limits, final DriveNamespace namespace)
    {
        return ChannelMemory.map(function.dma(), limits, namespace);
    }

    /**
     * Allocates a queue pair and creates its queues.
     *
     * @param depthWanted   most commands outstanding; the controller may take fewer.
     * @param hasInterrupts whether completions are to raise interrupts.
     * @return the pair.
     * @throws ControllerFailure when there is none left, or the controller refuses it.
     */
    QueuePair createQueuePair(final int depthWanted, final boolean hasInterrupts)
    {
        final int id = queueIds.nextClearBit(1);
        if (id > queuePairsMax)
        {
            throw ControllerFailure.refusal("has " + queuePairsMax + " I/O queue pairs, which are all used: each " +
                "reactor takes one, use fewer reactors");
        }
        final int entriesMax = lifecycle.queueEntriesMax();
        final int depth = Math.min(depthWanted, entriesMax - 1);
        final int stride = lifecycle.doorbellStrideBytes();
        final QueuePair pair = QueuePair.make(id, depth, entriesMax, lifecycle.pageShift(), function.dma(),
            shadows.doorbell(registers.submissionDoorbell(id, stride), 2L * id * stride),
            shadows.doorbell(registers.completionDoorbell(id, stride), (2L * id + 1) * stride));
        if (hasInterrupts)
        {
            watchInterrupts(pair);
        }
        pair.reset();
        try
        {
            createQueues(pair);
        }
        catch (final RuntimeException e)
        {
            if (e instanceof final ControllerFailure failure && failure.isRefusal())
            {
                free(pair.memory());
            }
            else
            {
                // Whether the controller has the queues is certain only when it has been stopped.
                orphans.add(pair.memory());
            }
            throw e;
        }
        queueIds.set(id);
        return pair;
    }

    private void watchInterrupts(final QueuePair pair)
    {
        final int fd = function.interruptFd(pair.id());
        if (fd < 0)
        {
            notes.add("has no interrupt vector for queue pair " + pair.id() +
                ": a reactor with commands outstanding polls");
        }
        pair.interrupts(pair.id(), fd);
    }

    /**
     * Creates the queues of a pair on the controller; they are empty. It knows neither when it refuses one.
     *
     * @param pair whose queues are created.
     * @throws ControllerFailure when it refuses; when it does not answer, or keeps half of it, it has to be stopped.
     */
    void createQueues(final QueuePair pair)
    {
        final DriverMemory pairMemory = pair.memory();
        final int vector = pair.interruptFd() < 0 ? QueuePair.NO_VECTOR : pair.vector();
        admin.createCompletionQueue(pair.id(), pair.completions().entries(),
            pairMemory.iova(pair.completions().address()), vector);
        try
        {
            admin.createSubmissionQueue(pair.id(), pair.submissions().entries(),
                pairMemory.iova(pair.submissions().address()));
        }
        catch (final ControllerFailure e)
        {
            if (e.isRefusal())
            {
                // Half a pair would stand in the way of the next of its number, until the controller is reset.
                admin.deleteCompletionQueue(pair.id());
            }
            throw e;
        }
        createdIds.set(pair.id());
    }

    /**
     * {@return whether the queues of a pair exist on the controller}
     *
     * @param pair that may have been created before the controller was enabled last.
     */
    boolean isCreated(final QueuePair pair)
    {
        return createdIds.get(pair.id());
    }

    /**
     * Deletes a queue pair. When this returns no command of the pair is outstanding.
     *
     * @param pair whose queues exist on the controller.
     * @throws ControllerFailure when it refuses or does not answer, and has to be stopped.
     */
    void delete(final QueuePair pair)
    {
        createdIds.clear(pair.id());
        admin.deleteQueuePair(pair.id());
    }

    /**
     * Releases the id of an unused queue pair.
     *
     * @param pair that the controller no longer uses.
     */
    void forget(final QueuePair pair)
    {
        queueIds.clear(pair.id());
    }

    /**
     * Frees memory of a queue pair or a channel.
     *
     * @param unused memory that the controller no longer uses; null does nothing.
     */
    void free(final DriverMemory unused)
    {
        if (null == unused)
        {
            return;
        }
        if (isFunctionClosed)
        {
            unused.closeUnmapped();
        }
        else
        {
            unused.close();
        }
    }

    /** Gives the function back, with every mapping; the controller has been stopped, or is gone. */
    void close()
    {
        if (!isFunctionClosed)
        {
            isFunctionClosed = true;
            registers.close();
            payload.close();
            function.close();
            memory.closeUnmapped();
            orphans.forEach(DriverMemory::closeUnmapped);
        }
    }
}
