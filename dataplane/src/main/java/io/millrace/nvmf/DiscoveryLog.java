package io.millrace.nvmf;

import io.millrace.nvme.DiscoveryLogEntry;
import io.millrace.nvme.DiscoveryLogHeader;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The discovery log page (NVM Express Base 2.0, section 5.16.1.23): what a host may connect to, and where. One instance
 * a reactor, used on its thread alone.
 */
final class DiscoveryLog
{
    /** Flow control of submission queues can be turned off: bit 2 of the transport requirements. */
    private static final int FLOW_CONTROL_OPTIONAL = 1 << 2;

    private final Target target;
    private final DiscoveryLogHeader header = new DiscoveryLogHeader();
    private final DiscoveryLogEntry entry = new DiscoveryLogEntry();
    private byte[] last;
    private long lastGeneration;
    private String lastHostNqn;
    private TransportAddress lastLocal;

    DiscoveryLog(final Target target)
    {
        this.target = target;
    }

    /**
     * {@return the whole log page; to read only}
     *
     * @param hostNqn of the host that asks: only what it may access is in the log.
     * @param local   address that the host came in on: stands in for wildcard addresses.
     */
    byte[] make(final String hostNqn, final TransportAddress local)
    {
        // Read before what it counts: a log that changes meanwhile looks old to the host, never the other way round.
        final long generation = target.discoveryGeneration();
        // Hosts fetch a long log in many pieces.
        if (null == last || generation != lastGeneration || !hostNqn.equals(lastHostNqn) || !local.equals(lastLocal))
        {
            last = make(generation, hostNqn, local);
            lastGeneration = generation;
            lastHostNqn = hostNqn;
            lastLocal = local;
        }
        return last;
    }

    private byte[] make(final long generation, final String hostNqn, final TransportAddress local)
    {
        final List<Target.Listener> listeners = target.discoveryListeners();
        final List<Subsystem> subsystems = new ArrayList<>();
        for (final Subsystem subsystem : target.subsystems())
        {
            if (subsystem.allows(hostNqn))
            {
                subsystems.add(subsystem);
            }
        }
        final long ioListeners = listeners.stream().filter((each) -> !each.discoveryOnly()).count();
        final int records = listeners.size() + (int)(subsystems.size() * ioListeners);
        final byte[] bytes = new byte[DiscoveryLogHeader.SIZE_BYTES + records * DiscoveryLogEntry.SIZE_BYTES];
        final UnsafeBuffer page = new UnsafeBuffer(bytes);
        header.wrap(page, 0);
        header.generation(generation).records(records).recordFormat(0);
        int offset = DiscoveryLogHeader.SIZE_BYTES;
        for (final Target.Listener listener : listeners)
        {
            write(page, offset, target.discovery(), listener, local);
            offset += DiscoveryLogEntry.SIZE_BYTES;
        }
        for (final Subsystem subsystem : subsystems)
        {
            for (final Target.Listener listener : listeners)
            {
                if (!listener.discoveryOnly())
                {
                    write(page, offset, subsystem, listener, local);
                    offset += DiscoveryLogEntry.SIZE_BYTES;
                }
            }
        }
        return bytes;
    }

    private void write(
        final UnsafeBuffer page,
        final int offset,
        final Subsystem subsystem,
        final Target.Listener listener,
        final TransportAddress local)
    {
        final TransportAddress address = listener.address();
        final TransportAddress reached = address.isWildcard() ? local : address;
        entry.wrap(page, offset);
        entry.transportType(address.transportType().code())
            .addressFamily(reached.addressFamily().code())
            .subsystemType(subsystem.isDiscovery() ?
                DiscoveryLogEntry.SUBTYPE_CURRENT_DISCOVERY : DiscoveryLogEntry.SUBTYPE_NVM)
            .transportRequirements(FLOW_CONTROL_OPTIONAL)
            .portId(listener.portId())
            .controllerId(DiscoveryLogEntry.CONTROLLER_ID_DYNAMIC)
            .adminQueueSizeMax(target.config().queueDepthMax())
            .flags(subsystem.isDiscovery() ?
                DiscoveryLogEntry.FLAG_DUPLICATE | DiscoveryLogEntry.FLAG_PERSISTENT : 0)
            .serviceId(address.serviceId())
            .subsystemNqn(subsystem.nqn())
            .address(reached.address());
    }
}
