package io.millrace.status;

import io.millrace.rdma.endpoint.DeviceCounters;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One reactor's part of a status file, or of none: its counters, by record. Only its reactor calls it, except to create
 * snapshots. Records that do not fit into the file are kept in memory of this process instead, so that counting
 * continues: they are counted and reported once. Released records are reused for the same type.
 */
public final class StatusPart
{
    private static final Consumer<String> NOBODY = (message) ->
    {
    };

    /** Allocates pages of a part of the file before they are touched: a full disk would otherwise end the process. */
    @FunctionalInterface
    interface Growth
    {
        /**
         * Allocates pages for the first bytes of the part.
         *
         * @param lengthBytes from the part's beginning.
         * @return how many there are now, as many as were asked for or fewer.
         */
        int ensure(int lengthBytes);
    }

    private final UnsafeBuffer buffer;
    private final Growth growth;
    private final LongSupplier epochClock;
    private final Map<RecordType, Deque<RecordSlot>> free = new EnumMap<>(RecordType.class);
    private final List<RecordSlot> unpublished = new CopyOnWriteArrayList<>();
    private final Map<String, DeviceCounters> rdmaDevices = new HashMap<>();
    private Consumer<String> loss = NOBODY;
    private int used;
    private int backed;
    private long lost;

    StatusPart(final UnsafeBuffer buffer, final int index, final Growth growth, final LongSupplier epochClock)
    {
        this.buffer = buffer;
        this.growth = growth;
        this.epochClock = epochClock;
        used = StatusLayout.PART_HEADER_BYTES;
        for (final RecordType type : RecordType.values())
        {
            free.put(type, new ArrayDeque<>());
        }
        buffer.putInt(StatusLayout.PART_INDEX_OFFSET, index);
        buffer.putLongRelease(StatusLayout.PART_USED_OFFSET, used);
    }

    /**
     * {@return a part that no other process can read, for a poll group without a status file}
     */
    public static StatusPart unpublished()
    {
        return inMemory(0);
    }

    /** Outside the heap, since longs in an array of bytes need not be aligned for atomic access. */
    static StatusPart inMemory(final int index)
    {
        return new StatusPart(memory(StatusLayout.PART_HEADER_BYTES), index, (lengthBytes) -> 0,
            System::currentTimeMillis);
    }

    static UnsafeBuffer memory(final int lengthBytes)
    {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(lengthBytes, Long.BYTES));
    }

    /**
     * Sets the listener that is called, once, when a record does not fit into the file; before the reactor uses the
     * part.
     *
     * @param listener receives a sentence, on the reactor.
     */
    public void onLoss(final Consumer<String> listener)
    {
        loss = listener;
    }

    /**
     * {@return a new record of the whole data plane; of the first part only}
     *
     * @param memoryNote why not all of its memory is in hugepages; empty when it is.
     */
    public DataPlaneCounters dataPlane(final String memoryNote)
    {
        return new DataPlaneCounters(begin(RecordType.DATA_PLANE, 0, 0, memoryNote, ""));
    }

    /**
     * {@return a new record of the reactor}
     *
     * @param index of the reactor.
     * @param cpu   it is pinned to, or -1.
     * @param name  name.
     */
    public ReactorCounters reactor(final int index, final int cpu, final String name)
    {
        return new ReactorCounters(begin(RecordType.REACTOR, index, cpu, name, ""));
    }

    /**
     * {@return a new record of a queue pair, until that releases it}
     *
     * @param nqn          of the subsystem.
     * @param hostNqn      of the host.
     * @param controllerId in the subsystem.
     * @param queueId      of the queue; 0 for the admin queue.
     * @param depth        commands that the host may have outstanding.
     */
    public QueuePairCounters queuePair(
        final String nqn, final String hostNqn, final int controllerId, final int queueId, final int depth)
    {
        final QueuePairCounters counters = new QueuePairCounters(
            this, begin(RecordType.QUEUE_PAIR, controllerId, queueId, nqn, hostNqn));
        counters.put(QueuePairCounters.Value.DEPTH, depth);
        return counters;
    }

    /**
     * {@return a new record of a namespace on this reactor, until that is released}
     *
     * @param nqn  of the subsystem.
     * @param nsid of the namespace.
     */
    public IoCounters namespace(final String nqn, final int nsid)
    {
        return new IoCounters(this, begin(RecordType.NAMESPACE, nsid, 0, nqn, ""));
    }

    /**
     * {@return a new record of a host on this reactor, until that is released}
     *
     * @param hostNqn of the host.
     */
    public IoCounters host(final String hostNqn)
    {
        return new IoCounters(this, begin(RecordType.HOST, 0, 0, hostNqn, ""));
    }

    /**
     * {@return a new record of a large holder of the reactor's buffers, until it is released}
     *
     * @param kind          1 connection, 2 host, 3 device.
     * @param name          name.
     * @param heldBytes     of buffers.
     * @param waiting       commands of it that wait.
     * @param longestHoldNs age of the oldest command that has one.
     */
    public BufferHolderRecord bufferHolder(
        final int kind, final String name, final long heldBytes, final long waiting, final long longestHoldNs)
    {
        return new BufferHolderRecord(
            this, begin(RecordType.BUFFER_HOLDER, kind, 0, name, ""), heldBytes, waiting, longestHoldNs);
    }

    /**
     * {@return a new record of a distinct error of a device, until that is released}
     *
     * @param device    that failed.
     * @param operation that failed; without blanks.
     * @param status    that requests ended with; without blanks.
     * @param cause     in words; empty when none is known.
     * @param errno     of the cause; 0 when it has none.
     */
    public DeviceErrorRecord deviceError(
        final String device, final String operation, final String status, final String cause, final int errno)
    {
        final RecordSlot slot =
            begin(RecordType.DEVICE_ERROR, errno, 0, device, operation + ' ' + status + ' ' + cause);
        return new DeviceErrorRecord(this, slot, epochClock);
    }

    /**
     * {@return the counters of an RDMA device on this reactor, which are kept when the device is removed: those of its
     *     name when there are some}
     *
     * @param device name, as the kernel has it.
     */
    public DeviceCounters rdmaDevice(final String device)
    {
        DeviceCounters counters = rdmaDevices.get(device);
        if (null == counters)
        {
            final RecordSlot slot = begin(RecordType.RDMA_DEVICE, 0, 0, device, "");
            counters = new DeviceCounters(slot.address() + slot.type().valuesOffset());
            rdmaDevices.put(device, counters);
        }
        return counters;
    }

    /**
     * Records that its reactor is alive.
     *
     * @param clockNs of {@link System#nanoTime()}.
     */
    public void written(final long clockNs)
    {
        buffer.putLongOpaque(StatusLayout.PART_CLOCK_OFFSET, clockNs);
        buffer.putLongOpaque(StatusLayout.PART_WRITTEN_OFFSET, epochClock.getAsLong());
    }

    /**
     * Allocates its first pages, on the set-up thread.
     */
    void prepare()
    {
        backed = growth.ensure(1);
    }

    void release(final RecordSlot slot)
    {
        slot.end();
        free.get(slot.type()).push(slot);
    }

    /**
     * {@return the part as it is in the file; any thread}
     */
    UnsafeBuffer buffer()
    {
        return buffer;
    }

    /**
     * {@return records that are not in the file; any thread}
     */
    List<UnsafeBuffer> unpublishedRecords()
    {
        final List<UnsafeBuffer> records = new ArrayList<>();
        for (final RecordSlot slot : unpublished)
        {
            records.add(slot.buffer());
        }
        return records;
    }

    private RecordSlot begin(
        final RecordType type, final int number0, final int number1, final String text0, final String text1)
    {
        final RecordSlot reused = free.get(type).poll();
        if (null != reused)
        {
            reused.begin(epochClock.getAsLong(), number0, number1, text0, text1);
            return reused;
        }
        final int lengthBytes = type.lengthBytes();
        if (backed - used < lengthBytes && buffer.capacity() - used >= lengthBytes)
        {
            backed = growth.ensure(used + lengthBytes);
        }
        final boolean fits = backed - used >= lengthBytes;
        final RecordSlot slot = new RecordSlot(type, fits ?
            new UnsafeBuffer(buffer, used, lengthBytes) : new UnsafeBuffer(ByteBuffer.allocateDirect(lengthBytes)));
        slot.begin(epochClock.getAsLong(), number0, number1, text0, text1);
        if (fits)
        {
            used += lengthBytes;
            buffer.putLongRelease(StatusLayout.PART_USED_OFFSET, used);
        }
        else
        {
            unpublished.add(slot);
            onLost(type);
        }
        return slot;
    }

    private void onLost(final RecordType type)
    {
        lost++;
        buffer.putLongOpaque(StatusLayout.PART_LOST_OFFSET, lost);
        // Without a file nothing is missing in one.
        if (1 == lost && buffer.capacity() > StatusLayout.PART_HEADER_BYTES)
        {
            loss.accept("status file: no room for a record of a " +
                type.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " after " + used +
                " bytes of this reactor: it and later ones are counted, but not in the file; raise status.size, or " +
                "free space where the file is");
        }
    }
}
