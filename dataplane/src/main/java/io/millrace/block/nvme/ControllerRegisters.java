package io.millrace.block.nvme;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.nvme.ControllerProperty;
import io.millrace.pci.MappedBar;

/**
 * The registers of a controller behind BAR0 (NVMe over PCIe 1.0, section 3.1). Those of 64 bits are accessed in halves,
 * which every controller takes. A function that was removed answers all ones, and so do registers that were given back.
 * Reads cost microseconds and are made on the controller's own thread, doorbells are written by the reactors.
 */
final class ControllerRegisters
{
    /** What is read when nothing answers. */
    static final int ALL_ONES = -1;

    private final long address;
    private final long lengthBytes;
    private boolean isClosed;

    /**
     * Takes the registers.
     *
     * @param bar of the function.
     * @throws ControllerFailure when they end before the doorbells.
     */
    ControllerRegisters(final MappedBar bar)
    {
        address = bar.address();
        lengthBytes = bar.lengthBytes();
        if (lengthBytes < ControllerProperty.DOORBELLS + 4 * Integer.BYTES)
        {
            throw new ControllerFailure("has registers of " + lengthBytes + " bytes, less than " +
                (ControllerProperty.DOORBELLS + 4 * Integer.BYTES) + ": this is no NVMe controller");
        }
    }

    /**
     * {@return CAP, see {@link io.millrace.nvme.ControllerCapabilities}}
     */
    long capabilities()
    {
        final long low = read(ControllerProperty.CAPABILITIES) & 0xFFFF_FFFFL;
        return (long)read(ControllerProperty.CAPABILITIES + Integer.BYTES) << 32 | low;
    }

    /**
     * {@return VS}
     */
    int version()
    {
        return read(ControllerProperty.VERSION);
    }

    /**
     * {@return CC}
     */
    int configuration()
    {
        return read(ControllerProperty.CONFIGURATION);
    }

    /**
     * Writes CC.
     *
     * @param value new value.
     */
    void configuration(final int value)
    {
        write(ControllerProperty.CONFIGURATION, value);
    }

    /**
     * {@return CSTS, or {@link #ALL_ONES} when nothing answers}
     */
    int status()
    {
        return read(ControllerProperty.STATUS);
    }

    /**
     * {@return CRTO}
     */
    int readyTimeouts()
    {
        return read(ControllerProperty.READY_TIMEOUTS);
    }

    /**
     * Writes AQA, ASQ and ACQ.
     *
     * @param entries             of both queues.
     * @param submissionQueueIova page-aligned.
     * @param completionQueueIova page-aligned.
     */
    void adminQueues(final int entries, final long submissionQueueIova, final long completionQueueIova)
    {
        write(ControllerProperty.ADMIN_QUEUE_ATTRIBUTES, entries - 1 | entries - 1 << 16);
        write64(ControllerProperty.ADMIN_SUBMISSION_QUEUE, submissionQueueIova);
        write64(ControllerProperty.ADMIN_COMPLETION_QUEUE, completionQueueIova);
    }

    /**
     * {@return address of the doorbell of a submission queue}
     *
     * @param queueId     of the queue.
     * @param strideBytes from one doorbell to the next.
     */
    long submissionDoorbell(final int queueId, final int strideBytes)
    {
        return address + ControllerProperty.DOORBELLS + 2L * queueId * strideBytes;
    }

    /**
     * {@return address of the doorbell of a completion queue}
     *
     * @param queueId     of the queue.
     * @param strideBytes from one doorbell to the next.
     */
    long completionDoorbell(final int queueId, final int strideBytes)
    {
        return submissionDoorbell(queueId, strideBytes) + strideBytes;
    }

    /**
     * {@return how many I/O queue pairs have their doorbells within the registers}
     *
     * @param strideBytes from one doorbell to the next.
     */
    int queuePairsMax(final int strideBytes)
    {
        return (int)Math.min(0xFFFF, (lengthBytes - ControllerProperty.DOORBELLS) / (2L * strideBytes) - 1);
    }

    /** The function is about to be released: later accesses read all ones, and touch no unmapped memory. */
    void close()
    {
        isClosed = true;
    }

    private int read(final int offset)
    {
        return isClosed ? ALL_ONES : NativeMemory.getIntAcquire(address + offset);
    }

    private void write(final int offset, final int value)
    {
        if (!isClosed)
        {
            NativeMemory.putIntRelease(address + offset, value);
        }
    }

    private void write64(final int offset, final long value)
    {
        write(offset, (int)value);
        write(offset + Integer.BYTES, (int)(value >>> 32));
    }
}
