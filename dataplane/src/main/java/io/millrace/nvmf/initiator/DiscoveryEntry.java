package io.millrace.nvmf.initiator;

import io.millrace.nvme.DiscoveryLogEntry;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One record of a discovery log: a subsystem, and where it is to be reached. Immutable.
 *
 * @param transportType     1 RDMA, 2 Fibre Channel, 3 TCP, 254 loop.
 * @param addressFamily     1 IPv4, 2 IPv6, 3 InfiniBand, 4 Fibre Channel.
 * @param subsystemType     1 referral, 2 NVM subsystem, 3 the discovery subsystem itself.
 * @param portId            of the subsystem.
 * @param controllerId      to connect to; FFFFh for any.
 * @param address           as text.
 * @param service           port as text.
 * @param subsystemNqn      name of the subsystem.
 * @param secureChannel     1 required, 2 not required, 0 not said.
 * @param adminQueueSizeMax largest admin queue.
 */
public record DiscoveryEntry(
    int transportType,
    int addressFamily,
    int subsystemType,
    int portId,
    int controllerId,
    String address,
    String service,
    String subsystemNqn,
    int secureChannel,
    int adminQueueSizeMax)
{
    private static final int SECURE_CHANNEL_MASK = 3;

    static DiscoveryEntry parse(final UnsafeBuffer buffer, final int offset)
    {
        final DiscoveryLogEntry entry = new DiscoveryLogEntry();
        entry.wrap(buffer, offset);
        return new DiscoveryEntry(
            entry.transportType(),
            entry.addressFamily(),
            entry.subsystemType(),
            entry.portId(),
            entry.controllerId(),
            entry.address().strip(),
            entry.serviceId().strip(),
            entry.subsystemNqn(),
            entry.transportRequirements() & SECURE_CHANNEL_MASK,
            entry.adminQueueSizeMax());
    }

    /**
     * {@return the transport's name}
     */
    public String transportName()
    {
        return switch (transportType)
        {
            case 1 -> "rdma";
            case 2 -> "fc";
            case 3 -> "tcp";
            case 254 -> "loop";
            default -> "0x" + Integer.toHexString(transportType);
        };
    }

    /**
     * {@return the address family's name}
     */
    public String familyName()
    {
        return switch (addressFamily)
        {
            case 1 -> "ipv4";
            case 2 -> "ipv6";
            case 3 -> "ib";
            case 4 -> "fc";
            default -> "0x" + Integer.toHexString(addressFamily);
        };
    }

    /**
     * {@return what the record points to}
     */
    public String subsystemTypeName()
    {
        return switch (subsystemType)
        {
            case DiscoveryLogEntry.SUBTYPE_REFERRAL -> "referral";
            case DiscoveryLogEntry.SUBTYPE_NVM -> "nvme subsystem";
            case DiscoveryLogEntry.SUBTYPE_CURRENT_DISCOVERY -> "current discovery subsystem";
            default -> "0x" + Integer.toHexString(subsystemType);
        };
    }
}
