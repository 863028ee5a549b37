package io.millrace.nvmf;

import io.millrace.nvme.DiscoveryLogEntry;
import io.millrace.nvme.DiscoveryLogHeader;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The discovery log page (NVM Express Base 2.0, section 5.16.1.23): what a host may connect to, and where. It
 * may have tens of MiB: what a host may access is found once while it reads, and records are made as they are read.
 * One instance a reactor, used on its thread alone.
 */
final class DiscoveryLog
{
    /** Flow control of submission queues can be turned off: bit 2 of the transport requirements. */
    private static final int FLOW_CONTROL_OPTIONAL = 1 << 2;
    /** Hosts that read at the same time without that their part is found again for each piece. */
    private static final int RECENT_MAX = 8;

    private final Target target;
    private final DiscoveryLogHeader header = new DiscoveryLogHeader();
    private final DiscoveryLogEntry entry = new DiscoveryLogEntry();
    /** A record, or the header: pieces begin and end anywhere. */
    private final UnsafeBuffer record = new UnsafeBuffer(new byte[DiscoveryLogEntry.SIZE_BYTES]);
    private final List<Part> recent = new ArrayList<>();
    private long generation;

    DiscoveryLog(final Target target)
    {
        this.target = target;
    }

    /**
     * {@return the log page that a host gets}
     *
     * @param hostNqn of the host that asks: only what it may access is in the log.
     * @param local   address that the host came in on: stands in for wildcard addresses.
     */
    PageContent of(final String hostNqn, final TransportAddress local)
    {
        // Read before what it counts: a log that changes meanwhile looks old to the host, never the other way round.
        final long now = target.discoveryGeneration();
        if (now != generation)
        {
            generation = now;
            recent.clear();
        }
        for (final Part each : recent)
        {
            // Hosts fetch a long log in many pieces.
            if (each.hostNqn.equals(hostNqn) && each.local.equals(local))
            {
                return each;
            }
        }
        if (RECENT_MAX == recent.size())
        {
            recent.removeFirst();
        }
        final Part part = new Part(hostNqn, local);
        recent.add(part);
        return part;
    }

    /** What one host may access. Immutable, but for what it is written with. */
    private final class Part implements PageContent
    {
        private final String hostNqn;
        private final TransportAddress local;
        private final long partGeneration = generation;
        private final List<Target.Listener> listeners = target.discoveryListeners();
        private final List<Target.Listener> ioListeners =
            listeners.stream().filter((each) -> !each.discoveryOnly()).toList();
        private final List<Subsystem> subsystems;

        private Part(final String hostNqn, final TransportAddress local)
        {
            this.hostNqn = hostNqn;
            this.local = local;
            subsystems = target.subsystems().stream().filter((each) -> each.allows(hostNqn)).toList();
        }

        private long records()
        {
            return listeners.size() + (long)subsystems.size() * ioListeners.size();
        }

        @Override
        public long lengthBytes()
        {
            return DiscoveryLogHeader.SIZE_BYTES + records() * DiscoveryLogEntry.SIZE_BYTES;
        }

        @Override
        public void write(final long offset, final UnsafeBuffer to, final int lengthBytes)
        {
            int written = 0;
            while (written < lengthBytes)
            {
                final long at = offset + written;
                final int from = (int)(at % DiscoveryLogEntry.SIZE_BYTES);
                final int length = Math.min(DiscoveryLogEntry.SIZE_BYTES - from, lengthBytes - written);
                make(at / DiscoveryLogEntry.SIZE_BYTES - 1);
                to.putBytes(written, record, from, length);
                written += length;
            }
        }

        /** Makes a record; they are all as long as the header, which is before the first, at -1. */
        private void make(final long index)
        {
            record.setMemory(0, record.capacity(), (byte)0);
            if (index < 0)
            {
                header.wrap(record, 0);
                header.generation(partGeneration).records(records()).recordFormat(0);
            }
            else if (index < listeners.size())
            {
                makeRecord(target.discovery(), listeners.get((int)index), local);
            }
            else
            {
                final long behind = index - listeners.size();
                makeRecord(subsystems.get((int)(behind / ioListeners.size())),
                    ioListeners.get((int)(behind % ioListeners.size())), local);
            }
        }
    }

    private void makeRecord(final Subsystem subsystem, final Target.Listener listener, final TransportAddress local)
    {
        final TransportAddress address = listener.address();
        final TransportAddress reached = address.isWildcard() ? local : address;
        entry.wrap(record, 0);
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
        if (TransportAddress.Type.RDMA == address.transportType())
        {
            entry.queuePairType(DiscoveryLogEntry.QUEUE_PAIR_CONNECTED)
                .rdmaProvider(DiscoveryLogEntry.RDMA_PROVIDER_NONE)
                .rdmaConnectionManager(DiscoveryLogEntry.RDMA_CONNECTION_MANAGER);
        }
    }
}
