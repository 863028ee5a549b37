package io.millrace.bench;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ControllerCapabilities;
import io.millrace.nvme.ControllerConfiguration;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.ControllerStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvme.identify.IdentifyNamespace;
import io.millrace.pci.DmaMap;
import io.millrace.pci.MappedBar;
import io.millrace.pci.PciFunction;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An NVMe controller made of memory that does as little as possible: a thread of its own answers admin commands, the
 * bench itself completes I/O commands, without moving data, so that what is measured is the driver.
 */
final class MemoryDrive implements PciFunction, DmaMap
{
    static final int BLOCK_BYTES = 512;
    static final int SUBMISSION_BYTES = 64;
    static final int COMPLETION_BYTES = 16;

    private static final int BAR_BYTES = 16 << 10;
    private static final int PAGE_BYTES = 4096;
    private static final int QUEUE_ENTRIES_MAX = 1024;
    private static final int ENTRY_SIZES_SUBMISSION = 0x66;
    private static final int ENTRY_SIZES_COMPLETION = 0x44;
    private static final long STEP_NS = 20_000;

    private final DmaMemory bar = DmaMemory.map(BAR_BYTES);
    private final Thread thread;
    private final Pair admin = new Pair(0);
    private final Pair io = new Pair(1);
    private volatile boolean isEnding;

    /** A queue pair as the controller sees it. */
    private final class Pair
    {
        private final long doorbell;
        private long submissions;
        private long completions;
        private int submissionEntries;
        private int completionEntries;
        private int head;
        private int tail;
        private int phase = 1;

        Pair(final int id)
        {
            doorbell = bar.address() + ControllerProperty.DOORBELLS + 8L * id;
        }

        void complete(final int id, final long entry, final int result)
        {
            final long completion = completions + (long)COMPLETION_BYTES * tail;
            NativeMemory.putInt(completion, result);
            NativeMemory.putInt(completion + 8, id << 16);
            NativeMemory.putIntRelease(completion + 12, NativeMemory.getInt(entry) >>> 16 | phase << 16);
            tail++;
            if (tail == completionEntries)
            {
                tail = 0;
                phase ^= 1;
            }
        }

        long fetch()
        {
            if (NativeMemory.getIntAcquire(doorbell) == head)
            {
                return 0;
            }
            final long entry = submissions + (long)SUBMISSION_BYTES * head;
            head = head + 1 == submissionEntries ? 0 : head + 1;
            return entry;
        }
    }

    /**
     * Powers it up.
     */
    MemoryDrive()
    {
        NativeMemory.putLong(bar.address() + ControllerProperty.CAPABILITIES,
            ControllerCapabilities.ofQueueEntriesMax(QUEUE_ENTRIES_MAX) | ControllerCapabilities.CONTIGUOUS_QUEUES |
            ControllerCapabilities.COMMAND_SET_NVM);
        thread = Thread.ofPlatform().daemon(true).name("memory-drive").start(this::run);
    }

    /**
     * Has I/O queues that no driver made, to measure what this controller costs by itself.
     *
     * @param submissions of the queue.
     * @param completions of the queue.
     * @param entries     of both.
     */
    void ioQueues(final long submissions, final long completions, final int entries)
    {
        io.submissions = submissions;
        io.submissionEntries = entries;
        io.completions = completions;
        io.completionEntries = entries;
    }

    /**
     * Writes the doorbell of the I/O submission queue, as a driver does.
     *
     * @param tail of the queue.
     */
    void ringIo(final int tail)
    {
        NativeMemory.putIntRelease(io.doorbell, tail);
    }

    /**
     * Completes all I/O commands that the doorbell shows.
     *
     * @return how many.
     */
    int completeIo()
    {
        int count = 0;
        for (long entry = io.fetch(); 0 != entry; entry = io.fetch())
        {
            io.complete(1, entry, 0);
            count++;
        }
        return count;
    }

    private void run()
    {
        while (!isEnding)
        {
            checkConfiguration();
            for (long entry = 0 == admin.submissionEntries ? 0 : admin.fetch(); 0 != entry; entry = admin.fetch())
            {
                execute(entry);
            }
            LockSupport.parkNanos(STEP_NS);
        }
    }

    private void checkConfiguration()
    {
        final int configuration = NativeMemory.getIntAcquire(bar.address() + ControllerProperty.CONFIGURATION);
        final long status = bar.address() + ControllerProperty.STATUS;
        final boolean isReady = ControllerStatus.isReady(NativeMemory.getInt(status));
        if (ControllerConfiguration.isEnabled(configuration) && !isReady)
        {
            final int attributes = NativeMemory.getInt(bar.address() + ControllerProperty.ADMIN_QUEUE_ATTRIBUTES);
            admin.submissions = NativeMemory.getLong(bar.address() + ControllerProperty.ADMIN_SUBMISSION_QUEUE);
            admin.completions = NativeMemory.getLong(bar.address() + ControllerProperty.ADMIN_COMPLETION_QUEUE);
            admin.completionEntries = (attributes >>> 16) + 1;
            admin.submissionEntries = (attributes & 0xFFF) + 1;
            NativeMemory.putIntRelease(status, ControllerStatus.READY);
        }
        else if (!ControllerConfiguration.isEnabled(configuration))
        {
            NativeMemory.putIntRelease(status, 0);
        }
        else if (0 != (configuration & ControllerConfiguration.SHUTDOWN_MASK))
        {
            NativeMemory.putIntRelease(status, ControllerStatus.READY | ControllerStatus.SHUTDOWN_COMPLETE);
        }
    }

    private void execute(final long entry)
    {
        final int opcode = NativeMemory.getByte(entry) & 0xFF;
        final long page = NativeMemory.getLong(entry + 24);
        final int dword10 = NativeMemory.getInt(entry + 40);
        switch (opcode)
        {
            case AdminOpcode.IDENTIFY -> identify(dword10 & 0xFF, page);
            case AdminOpcode.CREATE_COMPLETION_QUEUE ->
            {
                io.completions = page;
                io.completionEntries = (dword10 >>> 16) + 1;
            }
            case AdminOpcode.CREATE_SUBMISSION_QUEUE ->
            {
                io.submissions = page;
                io.submissionEntries = (dword10 >>> 16) + 1;
            }
            default ->
            {
            }
        }
        if (AdminOpcode.ASYNC_EVENT_REQUEST != opcode)
        {
            admin.complete(0, entry, 0);
        }
    }

    private static void identify(final int cns, final long page)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(page, IdentifyCns.DATA_BYTES);
        if (IdentifyCns.CONTROLLER == cns)
        {
            final IdentifyController controller = new IdentifyController();
            controller.wrap(buffer, 0);
            controller.serialNumber("BENCH").modelNumber("Memory drive").firmwareRevision("1");
            final IdentifyControllerIo io = new IdentifyControllerIo();
            io.wrap(buffer, 0);
            io.namespaces(8).submissionEntrySize(ENTRY_SIZES_SUBMISSION).completionEntrySize(ENTRY_SIZES_COMPLETION);
        }
        else if (IdentifyCns.NAMESPACE == cns)
        {
            final IdentifyNamespace namespace = new IdentifyNamespace();
            namespace.wrap(buffer, 0);
            namespace.size(1L << 30).capacity(1L << 30).format0(Integer.numberOfTrailingZeros(BLOCK_BYTES) << 16);
        }
    }

    @Override
    public String address()
    {
        return "0000:01:00.0";
    }

    @Override
    public MappedBar bar0()
    {
        return new MappedBar(bar.address(), BAR_BYTES);
    }

    @Override
    public DmaMap dma()
    {
        return this;
    }

    @Override
    public long map(final long address, final long lengthBytes)
    {
        return address;
    }

    @Override
    public void unmap(final long iova, final long lengthBytes)
    {
        // Everything is reached all the time.
    }

    @Override
    public long pageBytes()
    {
        return PAGE_BYTES;
    }

    @Override
    public void enableBusMaster(final boolean enabled)
    {
        // There is no bus.
    }

    @Override
    public boolean reset()
    {
        return false;
    }

    @Override
    public int interruptFd(final int vector)
    {
        return -1;
    }

    @Override
    public boolean isGone()
    {
        return false;
    }

    @Override
    public void close()
    {
        isEnding = true;
        boolean isInterrupted = false;
        while (thread.isAlive())
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException e)
            {
                isInterrupted = true;
            }
        }
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
        bar.close();
    }
}
