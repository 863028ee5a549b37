package io.millrace.rdma;

import java.util.List;

/**
 * A port of a device as it was when it was read. Immutable; any thread.
 *
 * @param number              from 1.
 * @param transport           of the port.
 * @param state               of the logical link.
 * @param physicalState       of the physical link.
 * @param linkLayer           of the port.
 * @param lid                 local identifier; 0 without a subnet manager.
 * @param mtuMaxBytes         largest payload of a packet that the port can have; 0: not known.
 * @param mtuBytes            largest payload of a packet on the link; 0: not known.
 * @param lanes               of the link; 0: not known.
 * @param laneMegabits        speed of a lane in Mbit/s; 0: not known.
 * @param messageBytesMax     largest message, up to 4 GiB.
 * @param gids                that are in use, by index.
 * @param partitionKeys       that are in use, by index.
 */
public record RdmaPort(
    int number,
    RdmaTransport transport,
    PortState state,
    PhysicalState physicalState,
    LinkLayer linkLayer,
    int lid,
    int mtuMaxBytes,
    int mtuBytes,
    int lanes,
    int laneMegabits,
    long messageBytesMax,
    List<RdmaGid> gids,
    List<PartitionKey> partitionKeys)
{
    private static final int MEGA_PER_GIGA = 1_000;

    /** Copies the lists. */
    public RdmaPort
    {
        gids = List.copyOf(gids);
        partitionKeys = List.copyOf(partitionKeys);
    }

    /**
     * {@return whether the port carries data}
     */
    public boolean isActive()
    {
        return PortState.ACTIVE == state || PortState.ACTIVE_DEFER == state;
    }

    /**
     * {@return the rate of the link in Gbit/s, as sysfs has it; 0 when it is not known}
     */
    public double gigabitsPerSecond()
    {
        return (double)lanes * laneMegabits / MEGA_PER_GIGA;
    }
}
