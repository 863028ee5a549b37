package io.millrace.status;

import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.ErrorLogReader;

/**
 * Reads the parts of a status file, whose writer may continue meanwhile, or may have written invalid data. One snapshot
 * each; one thread.
 */
final class StatusParser
{
    private final String name;
    private final List<ReactorStatus> reactors = new ArrayList<>();
    private final List<QueuePairStatus> queuePairs = new ArrayList<>();
    private final List<IoStatus> namespaces = new ArrayList<>();
    private final List<IoStatus> hosts = new ArrayList<>();
    private final List<BufferHolderStatus> bufferHolders = new ArrayList<>();
    private final List<DeviceErrorStatus> deviceErrors = new ArrayList<>();
    private final List<RdmaDeviceStatus> rdmaDevices = new ArrayList<>();
    private final List<ErrorStatus> errors = new ArrayList<>();
    private List<Long> dataPlane = List.of();
    private String memoryNote = "";
    private String program = "";
    private long processId;
    private long startEpochMs;
    private long stopEpochMs;
    private long writtenEpochMs;
    private long lost;

    private int partIndex;
    private long partWrittenEpochMs;
    private long partClockNs;

    /**
     * Makes a parser that has read nothing.
     *
     * @param name of the file, for messages.
     */
    StatusParser(final String name)
    {
        this.name = name;
    }

    /**
     * Reads the header, whose magic and version are right.
     *
     * @param header all of it.
     */
    void header(final UnsafeBuffer header)
    {
        processId = header.getLong(StatusLayout.PROCESS_ID_OFFSET);
        startEpochMs = header.getLong(StatusLayout.START_OFFSET);
        stopEpochMs = header.getLongAcquire(StatusLayout.STOP_OFFSET);
        program = text(header, StatusLayout.PROGRAM_OFFSET, header.getInt(StatusLayout.PROGRAM_BYTES_OFFSET),
            StatusLayout.PROGRAM_BYTES_MAX);
    }

    void errors(final UnsafeBuffer buffer)
    {
        try
        {
            ErrorLogReader.read(buffer, (count, firstMs, lastMs, text) ->
                errors.add(new ErrorStatus(count, firstMs, lastMs, text.strip())));
        }
        catch (final IndexOutOfBoundsException | IllegalArgumentException | NegativeArraySizeException e)
        {
            throw damaged("its section of errors is invalid");
        }
    }

    /**
     * Reads a part.
     *
     * @param part all of it.
     */
    void part(final UnsafeBuffer part)
    {
        final long used = part.getLongAcquire(StatusLayout.PART_USED_OFFSET);
        partIndex = part.getInt(StatusLayout.PART_INDEX_OFFSET);
        if (used < StatusLayout.PART_HEADER_BYTES || used > part.capacity())
        {
            throw damaged("part " + partIndex + " uses " + used + " of " + part.capacity() + " bytes");
        }
        partWrittenEpochMs = part.getLongOpaque(StatusLayout.PART_WRITTEN_OFFSET);
        partClockNs = part.getLongOpaque(StatusLayout.PART_CLOCK_OFFSET);
        writtenEpochMs = Math.max(writtenEpochMs, partWrittenEpochMs);
        lost += part.getLongOpaque(StatusLayout.PART_LOST_OFFSET);
        int offset = StatusLayout.PART_HEADER_BYTES;
        while (offset < used)
        {
            final int lengthBytes = used - offset < StatusLayout.RECORD_HEADER_BYTES ? 0 :
                part.getInt(offset + StatusLayout.RECORD_BYTES_OFFSET);
            if (lengthBytes < StatusLayout.RECORD_HEADER_BYTES || lengthBytes > used - offset ||
                0 != lengthBytes % StatusLayout.RECORD_ALIGNMENT)
            {
                throw damaged("the record at " + offset + " of part " + partIndex + " has " + lengthBytes + " bytes");
            }
            record(new UnsafeBuffer(part, offset, lengthBytes));
            offset += lengthBytes;
        }
    }

    /**
     * Reads a record of the part that was read last.
     *
     * @param record all of it.
     */
    void record(final UnsafeBuffer record)
    {
        final int state = record.getIntAcquire(StatusLayout.RECORD_STATE_OFFSET);
        final int generation = record.getIntAcquire(StatusLayout.RECORD_GENERATION_OFFSET);
        final int code = record.getInt(StatusLayout.RECORD_TYPE_OFFSET);
        for (final RecordType type : RecordType.values())
        {
            // A later version may have appended types, and values to these.
            if (StatusLayout.STATE_LIVE == state && code == type.code())
            {
                StatusException problem = null;
                Runnable found = null;
                try
                {
                    found = read(record, type);
                }
                catch (final StatusException e)
                {
                    problem = e;
                }
                VarHandle.loadLoadFence();
                if (generation == record.getInt(StatusLayout.RECORD_GENERATION_OFFSET) &&
                    state == record.getInt(StatusLayout.RECORD_STATE_OFFSET))
                {
                    // It was not reused while it was read.
                    if (null != problem)
                    {
                        throw problem;
                    }
                    found.run();
                }
            }
        }
    }

    /** Reads a record; the result adds it to the snapshot. */
    private Runnable read(final UnsafeBuffer record, final RecordType type)
    {
        final int number0 = record.getInt(StatusLayout.RECORD_NUMBER_0_OFFSET);
        final int number1 = record.getInt(StatusLayout.RECORD_NUMBER_1_OFFSET);
        final int texts = record.getInt(StatusLayout.RECORD_TEXTS_OFFSET);
        final long since = record.getLong(StatusLayout.RECORD_SINCE_OFFSET);
        final long[] values = values(record, type);
        final String text0 = text(record, texts, record.getInt(StatusLayout.RECORD_TEXT_0_BYTES_OFFSET),
            StatusLayout.TEXT_BYTES_MAX);
        final String text1 = text(record, texts + StatusLayout.TEXT_BYTES_MAX,
            record.getInt(StatusLayout.RECORD_TEXT_1_BYTES_OFFSET), StatusLayout.TEXT_BYTES_MAX);
        switch (type)
        {
            case DATA_PLANE ->
            {
                return () ->
                {
                    dataPlane = Arrays.stream(values).boxed().toList();
                    memoryNote = text0;
                };
            }
            case REACTOR ->
            {
                final ReactorStatus reactor =
                    new ReactorStatus(number0, number1, text0, partWrittenEpochMs, partClockNs, values);
                return () -> reactors.add(reactor);
            }
            case QUEUE_PAIR ->
            {
                final QueuePairStatus queuePair =
                    queuePair(text0, text1, number0, number1, since, values);
                return () -> queuePairs.add(queuePair);
            }
            case BUFFER_HOLDER ->
            {
                final BufferHolderStatus holder = new BufferHolderStatus(
                    partIndex, BufferHolderStatus.kind(number0), text0, values[0], values[1], values[2]);
                return () -> bufferHolders.add(holder);
            }
            case DEVICE_ERROR ->
            {
                final DeviceErrorStatus error = deviceError(text0, text1, number0, values);
                return () -> deviceErrors.add(error);
            }
            case RDMA_DEVICE ->
            {
                final RdmaDeviceStatus device = RdmaDeviceStatus.of(text0, values);
                return () -> rdmaDevices.add(device);
            }
            case NAMESPACE, HOST ->
            {
                final IoStatus io = new IoStatus(text0, number0, since, values[0], operations(record));
                return () -> (RecordType.HOST == type ? hosts : namespaces).add(io);
            }
        }
        throw new IllegalStateException("no reader for records of type " + type);
    }

    private DeviceErrorStatus deviceError(
        final String device, final String description, final int errno, final long[] values)
    {
        final String[] parts = description.split(" ", 3);
        if (3 != parts.length)
        {
            throw damaged("an error of a device has " + parts.length + " parts, not 3");
        }
        return new DeviceErrorStatus(device, parts[0], parts[1], parts[2], errno,
            values[DeviceErrorRecord.Value.COUNT.ordinal()],
            values[DeviceErrorRecord.Value.FIRST_EPOCH_MS.ordinal()],
            values[DeviceErrorRecord.Value.LAST_EPOCH_MS.ordinal()],
            values[DeviceErrorRecord.Value.FIRST_LBA.ordinal()],
            values[DeviceErrorRecord.Value.LAST_LBA.ordinal()]);
    }

    private QueuePairStatus queuePair(
        final String nqn,
        final String hostNqn,
        final int controllerId,
        final int queueId,
        final long since,
        final long[] values)
    {
        final long commands = values[QueuePairCounters.Value.COMMANDS.ordinal()];
        final long answers = values[QueuePairCounters.Value.ANSWERS.ordinal()];
        return new QueuePairStatus(nqn, hostNqn, controllerId, queueId, partIndex, since,
            (int)values[QueuePairCounters.Value.DEPTH.ordinal()], commands, Math.max(0, commands - answers),
            values[QueuePairCounters.Value.BYTES_READ.ordinal()],
            values[QueuePairCounters.Value.BYTES_WRITTEN.ordinal()],
            values[QueuePairCounters.Value.ERRORS.ordinal()]);
    }

    private long[] values(final UnsafeBuffer record, final RecordType type)
    {
        final int first = record.getInt(StatusLayout.RECORD_VALUES_OFFSET);
        final int count = record.getInt(StatusLayout.RECORD_VALUE_COUNT_OFFSET);
        checkRange(record, first, (long)count * Long.BYTES);
        final long[] values = new long[type.valueCount()];
        for (int i = 0; i < Math.min(count, values.length); i++)
        {
            values[i] = record.getLongOpaque(first + i * Long.BYTES);
        }
        return values;
    }

    private List<OperationStatus> operations(final UnsafeBuffer record)
    {
        final int first = record.getInt(StatusLayout.RECORD_HISTOGRAMS_OFFSET);
        final int count = record.getInt(StatusLayout.RECORD_HISTOGRAM_COUNT_OFFSET);
        checkRange(record, first, (long)count * StatusLayout.HISTOGRAM_BYTES);
        final List<OperationStatus> operations = new ArrayList<>();
        for (int i = 0; i < IoOperation.values().length; i++)
        {
            operations.add(i < count ? operation(record, first + i * StatusLayout.HISTOGRAM_BYTES) :
                OperationStatus.NONE);
        }
        return operations;
    }

    private static OperationStatus operation(final UnsafeBuffer record, final int offset)
    {
        final long[] counts = new long[LatencyBuckets.COUNT];
        for (int i = 0; i < counts.length; i++)
        {
            counts[i] = record.getLongOpaque(offset + StatusLayout.HISTOGRAM_HEADER_BYTES + i * Long.BYTES);
        }
        return new OperationStatus(record.getLongOpaque(offset + StatusLayout.HISTOGRAM_BYTES_OFFSET),
            record.getLongOpaque(offset + StatusLayout.HISTOGRAM_ERRORS_OFFSET),
            LatencyHistogram.of(counts, record.getLongOpaque(offset + StatusLayout.HISTOGRAM_SUM_OFFSET),
                record.getLongOpaque(offset + StatusLayout.HISTOGRAM_LONGEST_OFFSET)));
    }

    /**
     * {@return everything that was read}
     */
    StatusSnapshot result()
    {
        reactors.sort(Comparator.comparingInt(ReactorStatus::index));
        return new StatusSnapshot(program, processId, startEpochMs, stopEpochMs, writtenEpochMs, lost, dataPlane,
            memoryNote, reactors, queuePairs, IoStatus.merge(namespaces), IoStatus.merge(hosts), bufferHolders,
            DeviceErrorStatus.merge(deviceErrors), RdmaDeviceStatus.merge(rdmaDevices), errors);
    }

    private String text(final DirectBuffer buffer, final int offset, final int lengthBytes, final int bytesMax)
    {
        if (0 == lengthBytes)
        {
            return "";
        }
        if (lengthBytes > bytesMax)
        {
            throw damaged("a text of " + lengthBytes + " bytes is longer than " + bytesMax);
        }
        checkRange(buffer, offset, lengthBytes);
        final byte[] bytes = new byte[lengthBytes];
        buffer.getBytes(offset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private void checkRange(final DirectBuffer buffer, final int offset, final long lengthBytes)
    {
        if (offset < 0 || lengthBytes < 0 || offset + lengthBytes > buffer.capacity())
        {
            throw damaged(lengthBytes + " bytes at " + offset + " are beyond the " + buffer.capacity() +
                " of their record");
        }
    }

    private StatusException damaged(final String what)
    {
        return new StatusException(name, "is damaged: " + what);
    }
}
