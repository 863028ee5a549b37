package io.millrace.status;

import io.millrace.rdma.endpoint.DeviceCounters;

/**
 * Types of record in a status file, with what each holds. New values go to the end; readers take those they know.
 */
enum RecordType
{
    /**
     * Of the whole data plane, written by the first reactor; text 0: why not all of its memory is in hugepages.
     * {@link DataPlaneCounters}.
     */
    DATA_PLANE(1, DataPlaneCounters.Value.values().length, 1, 0),
    /** Number 0: index; number 1: CPU or -1; text 0: name. {@link ReactorCounters}. */
    REACTOR(2, ReactorCounters.Value.values().length, 1, 0),
    /**
     * Number 0: controller id; number 1: queue id; text 0: NQN of the subsystem; text 1: NQN of the host.
     * {@link QueuePairCounters}.
     */
    QUEUE_PAIR(3, QueuePairCounters.Value.values().length, 2, 0),
    /** Number 0: NSID; text 0: NQN of the subsystem. Value 0: media errors; a histogram an {@link IoOperation}. */
    NAMESPACE(4, 1, 1, IoOperation.values().length),
    /** Text 0: NQN of the host. Value 0: 0; a histogram an {@link IoOperation}. */
    HOST(5, 1, 1, IoOperation.values().length),
    /**
     * A large holder of a reactor's buffers while commands wait for some. Number 0: 1 connection, 2 host, 3 device;
     * text 0: name. Value 0: bytes; 1: commands that wait; 2: longest hold, ns.
     */
    BUFFER_HOLDER(6, 3, 1, 0),
    /**
     * A distinct error of a device. Number 0: errno, 0 where there is none; text 0: device; text 1: operation, status
     * and cause, a blank between them. {@link DeviceErrorRecord}.
     */
    DEVICE_ERROR(7, DeviceErrorRecord.Value.values().length, 2, 0),
    /** An RDMA device in use by a reactor. Text 0: its name. {@link DeviceCounters}. */
    RDMA_DEVICE(8, DeviceCounters.COUNT, 1, 0);

    private final int code;
    private final int values;
    private final int texts;
    private final int histograms;

    RecordType(final int code, final int values, final int texts, final int histograms)
    {
        this.code = code;
        this.values = values;
        this.texts = texts;
        this.histograms = histograms;
    }

    /**
     * {@return its number in the file}
     */
    int code()
    {
        return code;
    }

    int valueCount()
    {
        return values;
    }

    int histogramCount()
    {
        return histograms;
    }

    int valuesOffset()
    {
        return StatusLayout.RECORD_HEADER_BYTES;
    }

    int textsOffset()
    {
        return align(valuesOffset() + values * Long.BYTES);
    }

    int histogramsOffset()
    {
        return textsOffset() + texts * StatusLayout.TEXT_BYTES_MAX;
    }

    /**
     * {@return bytes of a record}
     */
    int lengthBytes()
    {
        return histogramsOffset() + histograms * StatusLayout.HISTOGRAM_BYTES;
    }

    private static int align(final int lengthBytes)
    {
        return (lengthBytes + StatusLayout.RECORD_ALIGNMENT - 1) & -StatusLayout.RECORD_ALIGNMENT;
    }
}
