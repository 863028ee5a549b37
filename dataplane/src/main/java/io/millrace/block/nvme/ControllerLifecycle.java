package io.millrace.block.nvme;

import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.nvme.ControllerCapabilities;
import io.millrace.nvme.ControllerConfiguration;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.ControllerStatus;
import io.millrace.pci.PciException;
import io.millrace.pci.PciFunction;

/**
 * Enables, stops and shuts down a controller by its registers (NVM Express Base 2.0, sections 3.5 and 3.6). Used on the
 * controller's thread alone.
 */
final class ControllerLifecycle
{
    private static final long NS_PER_MS = 1_000_000;
    private static final int READY_UNIT_MS = 500;
    private static final int READY_WITH_MEDIA_MASK = 0xFFFF;
    private static final int QUEUE_ENTRIES_MIN = 2;
    /** The kernel waits for 100 ms after a function level reset; until then its registers read all ones. */
    private static final long SILENCE_NS = 500 * NS_PER_MS;
    private static final long COMMAND_SETS =
        ControllerCapabilities.COMMAND_SET_NVM | ControllerCapabilities.COMMAND_SETS_SELECTABLE;
    private static final int ENABLE_AND_SHUTDOWN =
        ControllerConfiguration.ENABLE | ControllerConfiguration.SHUTDOWN_MASK;

    private final PciFunction function;
    private final ControllerRegisters registers;
    private final long capabilities;
    private final long readyTimeoutNs;

    /**
     * Reads the controller's capabilities.
     *
     * @param function  that it is.
     * @param registers the controller's registers.
     * @throws ControllerFailure when it does not respond or is not supported.
     */
    ControllerLifecycle(final PciFunction function, final ControllerRegisters registers)
    {
        this.function = function;
        this.registers = registers;
        checkThere();
        capabilities = registers.capabilities();
        if (0 == (capabilities & COMMAND_SETS))
        {
            throw new ControllerFailure(
                "does not have the NVM command set (CAP 0x" + Long.toHexString(capabilities) + ")");
        }
        if (queueEntriesMax() < QUEUE_ENTRIES_MIN)
        {
            throw new ControllerFailure("takes queues of " + queueEntriesMax() + " entries at most, " +
                QUEUE_ENTRIES_MIN + " are needed (CAP.MQES)");
        }
        readyTimeoutNs = readyTimeoutMs() * NS_PER_MS;
    }

    /**
     * One unit more than reported, since some controllers count from 0; the reported time with media if that is longer.
     */
    private long readyTimeoutMs()
    {
        final long timeoutMs = ControllerCapabilities.timeoutMs(capabilities) + READY_UNIT_MS;
        final boolean reportsMedia = 0 != (capabilities & ControllerCapabilities.READY_WITH_MEDIA) &&
            registers.version() >= ControllerProperty.VERSION_2_0;
        return reportsMedia ?
            Math.max(timeoutMs, (long)(registers.readyTimeouts() & READY_WITH_MEDIA_MASK) * READY_UNIT_MS) : timeoutMs;
    }

    /**
     * {@return log2 of the memory page that it works with: its smallest}
     */
    int pageShift()
    {
        return ControllerCapabilities.memoryPageShiftMin(capabilities);
    }

    /**
     * {@return bytes from one doorbell to the next}
     */
    int doorbellStrideBytes()
    {
        return ControllerCapabilities.doorbellStrideBytes(capabilities);
    }

    /**
     * {@return most entries of an I/O queue}
     */
    int queueEntriesMax()
    {
        return ControllerCapabilities.queueEntriesMax(capabilities);
    }

    /**
     * Enables a controller that is stopped.
     *
     * @param admin its admin queue, which is emptied.
     * @throws ControllerFailure when it does not become ready.
     */
    void enable(final AdminQueue admin)
    {
        function.enableBusMaster(true);
        admin.reset();
        registers.configuration(ControllerConfiguration.ENABLE | ControllerConfiguration.COMMAND_SET_NVM |
            ControllerConfiguration.ofMemoryPageShift(pageShift()) |
            ControllerConfiguration.SUBMISSION_ENTRY_64 | ControllerConfiguration.COMPLETION_ENTRY_16);
        final Deadline deadline = Deadline.in(readyTimeoutNs);
        while (true)
        {
            final int status = checkThere();
            if (ControllerStatus.isFatal(status))
            {
                throw new ControllerFailure("failed while it was enabled: fatal status (CSTS.CFS)");
            }
            if (ControllerStatus.isReady(status))
            {
                return;
            }
            if (deadline.isPast())
            {
                throw new ControllerFailure("did not become ready within " + readyTimeoutNs / NS_PER_MS +
                    " ms of being enabled (CSTS.RDY)");
            }
            Deadline.pause();
        }
    }

    /**
     * Waits until a controller that was left enabled by another driver is ready: only then may it be disabled.
     */
    void awaitForeignEnable()
    {
        if (ControllerConfiguration.isEnabled(registers.configuration()))
        {
            awaitReady(true);
        }
    }

    /**
     * Stops the controller, by force if necessary: it accesses no memory of this process afterwards, even when this
     * throws.
     *
     * @throws ControllerFailure when it cannot be enabled again: it was removed, or only disabling bus mastering
     *     stopped it.
     */
    void stop()
    {
        final boolean isStopped = disable() || resetFunction();
        if (isStopped && ControllerRegisters.ALL_ONES != registers.status())
        {
            return;
        }
        disableBusMaster();
        checkThere();
        throw new ControllerFailure("does not stop: neither being disabled nor a function level reset helped, so it " +
            "is kept off the bus; it needs a power cycle");
    }

    /**
     * Resets the PCI function of a controller that does not become ready.
     *
     * @return false where there is no such reset.
     */
    boolean resetFunction()
    {
        return function.reset() && !ControllerStatus.isReady(registers.status());
    }

    /** Disables bus mastering, so that the function cannot access memory. */
    void disableBusMaster()
    {
        try
        {
            function.enableBusMaster(false);
        }
        catch (final PciException e)
        {
            // The function does not respond, so it cannot access memory either.
            assert null != e.getMessage();
        }
    }

    /**
     * Shuts the controller down, which makes all data stable, before it is stopped.
     *
     * @param timeoutNs that it may take.
     * @return false when it did not complete the shutdown in time.
     */
    boolean shutDown(final long timeoutNs)
    {
        registers.configuration(registers.configuration() & ~ControllerConfiguration.SHUTDOWN_MASK |
            ControllerConfiguration.SHUTDOWN_NORMAL);
        final Deadline deadline = Deadline.in(timeoutNs);
        while (!deadline.isPast())
        {
            final int status = registers.status();
            if (ControllerRegisters.ALL_ONES == status || ControllerStatus.isFatal(status))
            {
                return false;
            }
            if (ControllerStatus.SHUTDOWN_COMPLETE == (status & ControllerStatus.SHUTDOWN_MASK))
            {
                return true;
            }
            Deadline.pause();
        }
        return false;
    }

    /**
     * {@return whether it was removed, or is to be; one that is being reset does not respond for a while and is not
     * removed}
     */
    boolean isGone()
    {
        final Deadline deadline = Deadline.in(SILENCE_NS);
        while (!function.isGone())
        {
            if (ControllerRegisters.ALL_ONES != registers.status())
            {
                return false;
            }
            if (deadline.isPast())
            {
                return true;
            }
            Deadline.pause();
        }
        return true;
    }

    /**
     * {@return whether it reports that it failed}
     */
    boolean isFatal()
    {
        return ControllerStatus.isFatal(registers.status());
    }

    /**
     * {@return whether it accepts commands; an enabled controller does, unless another process has reset it}
     */
    boolean isReady()
    {
        return ControllerStatus.isReady(registers.status());
    }

    /** Answers whether it is not ready any more. */
    private boolean disable()
    {
        final int configuration = registers.configuration();
        if (ControllerConfiguration.isEnabled(configuration))
        {
            registers.configuration(configuration & ~ENABLE_AND_SHUTDOWN);
        }
        return awaitReady(false);
    }

    private boolean awaitReady(final boolean wanted)
    {
        final Deadline deadline = Deadline.in(readyTimeoutNs);
        while (true)
        {
            final int status = registers.status();
            if (ControllerRegisters.ALL_ONES == status || wanted && ControllerStatus.isFatal(status))
            {
                return !wanted;
            }
            if (wanted == ControllerStatus.isReady(status))
            {
                return true;
            }
            if (deadline.isPast())
            {
                return false;
            }
            Deadline.pause();
        }
    }

    private int checkThere()
    {
        final int status = registers.status();
        if (ControllerRegisters.ALL_ONES == status)
        {
            throw new ControllerFailure("is gone: its registers read all ones");
        }
        return status;
    }
}
