package io.millrace.status;

import java.util.List;

/**
 * Contents of a status file. Immutable; the numbers are not of one moment.
 *
 * @param program        name and version of the writer.
 * @param processId      of the writer, on its machine.
 * @param startEpochMs   when it started.
 * @param stopEpochMs    when it was stopped; 0: it was not.
 * @param writtenEpochMs when one of its reactors wrote last; 0: none has.
 * @param lost           records that did not fit into the file.
 * @param dataPlane      by {@link DataPlaneCounters.Value}; empty when the first reactor has not written yet.
 * @param memoryNote     why not all memory is in hugepages, and what to do; empty when it is.
 * @param reactors       by index.
 * @param queuePairs     connected, in no order.
 * @param namespaces     with I/O, summed over the reactors, in no order.
 * @param hosts          with I/O, likewise.
 * @param bufferHolders  the largest holders of a reactor's buffers; none when no command waits for one.
 * @param deviceErrors   distinct errors of devices, summed over the reactors, in no order.
 * @param rdmaDevices    RDMA devices that were used, summed over the reactors, by name.
 * @param errors         in the order in which they happened first.
 */
public record StatusSnapshot(
    String program,
    long processId,
    long startEpochMs,
    long stopEpochMs,
    long writtenEpochMs,
    long lost,
    List<Long> dataPlane,
    String memoryNote,
    List<ReactorStatus> reactors,
    List<QueuePairStatus> queuePairs,
    List<IoStatus> namespaces,
    List<IoStatus> hosts,
    List<BufferHolderStatus> bufferHolders,
    List<DeviceErrorStatus> deviceErrors,
    List<RdmaDeviceStatus> rdmaDevices,
    List<ErrorStatus> errors)
{
    /**
     * Copies the lists.
     */
    public StatusSnapshot
    {
        dataPlane = List.copyOf(dataPlane);
        reactors = List.copyOf(reactors);
        queuePairs = List.copyOf(queuePairs);
        namespaces = List.copyOf(namespaces);
        hosts = List.copyOf(hosts);
        bufferHolders = List.copyOf(bufferHolders);
        deviceErrors = List.copyOf(deviceErrors);
        rdmaDevices = List.copyOf(rdmaDevices);
        errors = List.copyOf(errors);
    }

    /**
     * {@return a value of the whole data plane; 0 when there is none yet}
     *
     * @param value which.
     */
    public long dataPlane(final DataPlaneCounters.Value value)
    {
        return value.ordinal() < dataPlane.size() ? dataPlane.get(value.ordinal()) : 0;
    }
}
