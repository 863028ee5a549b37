package io.millrace.messaging;

import io.millrace.rdma.RdmaSettings;

/**
 * Settings of RDMA. Immutable; any thread.
 *
 * @param enabled            whether RDMA is tried at all; true by default.
 * @param device             name, or {@code auto}, the default.
 * @param port               of the device, 1 and above; 1 by default.
 * @param gidIndex           of the port's table, or {@link #AUTO}, the default.
 * @param mtu                largest packet, 256 to 4096 and a power of two; 4096 by default. Only checked: the
 *                           connection manager takes that of the route.
 * @param inlineBytes        that a send request may hold itself, 0 to 512; 256 by default.
 * @param sendDepth          outstanding send requests, 128 to 16384; 1024 by default.
 * @param receiveDepth       receive slots, 32 to 16384; 1024 by default. The peer sends at most
 *                           {@code (receiveDepth - 16) / 2} messages before the first is acknowledged.
 * @param segments           of a request, 1 to 32; 16 by default.
 * @param type               of the queue pairs; {@link QueuePairType#RC}.
 * @param sharedReceiveQueue whether connections share receive slots; false. Not available in this build.
 * @param eventChannel       whether the reactor may sleep while connections are idle, and is woken by events; false by
 *                           default: it polls, for the lowest latency.
 * @param sendBufferBytes    of a connection; 4 MiB by default.
 * @param receiveBufferBytes of a connection; 4 MiB by default. Divided by the receive depth it is the slot: the largest
 *                           message that is sent without an offer, with its header of 32 bytes.
 */
public record RdmaOptions(
    boolean enabled,
    String device,
    int port,
    int gidIndex,
    int mtu,
    int inlineBytes,
    int sendDepth,
    int receiveDepth,
    int segments,
    QueuePairType type,
    boolean sharedReceiveQueue,
    boolean eventChannel,
    int sendBufferBytes,
    int receiveBufferBytes)
{
    /** Any GID. */
    public static final int AUTO = RdmaSettings.ANY;
    /** What holds when nothing is set. */
    public static final RdmaOptions DEFAULT = new RdmaOptions(true, RdmaSettings.AUTO, 1, AUTO, 4096, 256, 1024, 1024,
        16, QueuePairType.RC, false, false, 4 << 20, 4 << 20);

    private static final int MTU_MIN = 256;
    private static final int MTU_MAX = 4096;
    private static final int INLINE_MAX = 512;
    private static final int SEND_DEPTH_MIN = 128;
    private static final int RECEIVE_DEPTH_MIN = 32;
    private static final int DEPTH_MAX = 16_384;
    private static final int SEGMENTS_MAX = 32;
    private static final int SLOT_BYTES_MIN = 256;
    private static final int SLOT_BYTES_MAX = 1 << 20;
    private static final int BUFFER_BYTES_MIN = 64 << 10;
    private static final int BUFFER_BYTES_MAX = 1 << 30;

    /** Types of queue pairs. */
    public enum QueuePairType
    {
        /** Reliable connected. */
        RC
    }

    /** Checks the bounds. */
    public RdmaOptions
    {
        check("port", port, 1, 255);
        if (gidIndex < AUTO)
        {
            throw new IllegalArgumentException("gidIndex " + gidIndex + ": must be AUTO, or 0 and above");
        }
        check("mtu", mtu, MTU_MIN, MTU_MAX);
        if (1 != Integer.bitCount(mtu))
        {
            throw new IllegalArgumentException("mtu " + mtu + ": must be a power of two");
        }
        check("inlineBytes", inlineBytes, 0, INLINE_MAX);
        check("sendDepth", sendDepth, SEND_DEPTH_MIN, DEPTH_MAX);
        check("receiveDepth", receiveDepth, RECEIVE_DEPTH_MIN, DEPTH_MAX);
        check("segments", segments, 1, SEGMENTS_MAX);
        check("sendBufferBytes", sendBufferBytes, BUFFER_BYTES_MIN, BUFFER_BYTES_MAX);
        check("receiveBufferBytes", receiveBufferBytes, BUFFER_BYTES_MIN, BUFFER_BYTES_MAX);
        check("receiveBufferBytes by receiveDepth", receiveBufferBytes / receiveDepth, SLOT_BYTES_MIN, SLOT_BYTES_MAX);
        if (sharedReceiveQueue)
        {
            throw new IllegalArgumentException(
                "sharedReceiveQueue: not available in this build; leave it off, each connection has its own slots");
        }
    }

    private static void check(final String name, final int value, final int min, final int max)
    {
        if (value < min || value > max)
        {
            throw new IllegalArgumentException(name + " " + value + ": must be " + min + " to " + max);
        }
    }

    /** {@return which device, port and GID connections go by} */
    RdmaSettings settings()
    {
        return new RdmaSettings(device, port, gidIndex);
    }

    /**
     * {@return these, with RDMA disabled or not}
     *
     * @param isEnabled whether it is tried.
     */
    public RdmaOptions withEnabled(final boolean isEnabled)
    {
        return new RdmaOptions(isEnabled, device, port, gidIndex, mtu, inlineBytes, sendDepth, receiveDepth, segments,
            type, sharedReceiveQueue, eventChannel, sendBufferBytes, receiveBufferBytes);
    }

    /**
     * {@return these, with or without the event channel}
     *
     * @param hasChannel whether the reactor may sleep while connections are idle.
     */
    public RdmaOptions withEventChannel(final boolean hasChannel)
    {
        return new RdmaOptions(enabled, device, port, gidIndex, mtu, inlineBytes, sendDepth, receiveDepth, segments,
            type, sharedReceiveQueue, hasChannel, sendBufferBytes, receiveBufferBytes);
    }

    /**
     * {@return these, with another device}
     *
     * @param name of the device, or {@code auto}.
     */
    public RdmaOptions withDevice(final String name)
    {
        return new RdmaOptions(enabled, name, port, gidIndex, mtu, inlineBytes, sendDepth, receiveDepth, segments,
            type, sharedReceiveQueue, eventChannel, sendBufferBytes, receiveBufferBytes);
    }

    /**
     * {@return these, with other sizes of queues and buffers}
     *
     * @param sends        send depth.
     * @param receives     receive depth.
     * @param sendBytes    of the send buffer.
     * @param receiveBytes of the receive buffer.
     */
    public RdmaOptions withQueues(final int sends, final int receives, final int sendBytes, final int receiveBytes)
    {
        return new RdmaOptions(enabled, device, port, gidIndex, mtu, inlineBytes, sends, receives, segments,
            type, sharedReceiveQueue, eventChannel, sendBytes, receiveBytes);
    }

    int slotBytes()
    {
        return receiveBufferBytes / receiveDepth & -Long.BYTES;
    }
}
