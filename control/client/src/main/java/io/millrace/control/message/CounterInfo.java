package io.millrace.control.message;

import java.util.Objects;

/**
 * A value of the status file of a data plane, or of what SPDK counts there. Readers take the counters that they know.
 *
 * @param group   {@link #DATA_PLANE}, {@link #REACTOR}, {@link #RDMA_DEVICE}, {@link #SPDK_BDEV}; {@code connection},
 *                {@code host} or {@code device} that holds buffers of a reactor while commands wait for some.
 * @param reactor name of it; empty: of all.
 * @param subject name of the connection, host or device, RDMA devices and bdevs included; else empty.
 * @param counter name of the value, such as {@code REFUSED_PENDING}.
 * @param value   of it.
 */
public record CounterInfo(String group, String reactor, String subject, String counter, long value) implements Resource
{
    /** Group of what is counted for the whole data plane. */
    public static final String DATA_PLANE = "data-plane";
    /** Group of what is counted for each reactor. */
    public static final String REACTOR = "reactor";
    /** Group of what is counted for each RDMA device that is used. */
    public static final String RDMA_DEVICE = "rdma-device";
    /** Group of what SPDK counts for each of its bdevs. */
    public static final String SPDK_BDEV = "spdk-bdev";
    /** Bytes of buffers that a connection, host or device holds. */
    public static final String HELD_BYTES = "HELD_BYTES";
    /** Commands of it that wait for buffers. */
    public static final String WAITING = "WAITING";
    /** Age of its oldest command with a buffer. */
    public static final String LONGEST_HOLD_NS = "LONGEST_HOLD_NS";

    /**
     * Rejects null.
     */
    public CounterInfo
    {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(reactor, "reactor");
        Objects.requireNonNull(subject, "subject");
        Objects.requireNonNull(counter, "counter");
    }

    /**
     * {@return whether it is of somebody who holds buffers}
     */
    public boolean isOfHolder()
    {
        return !subject.isEmpty() && !RDMA_DEVICE.equals(group) && !SPDK_BDEV.equals(group);
    }
}
