package io.millrace.messaging.rdma;

import io.millrace.messaging.transport.MessageMemory;
import io.millrace.rdma.endpoint.RdmaDomain;
import io.millrace.rdma.endpoint.RdmaRegion;
import io.millrace.rdma.endpoint.RegionAccess;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory that is registered in the protection domain of a connection: that of its own requests, and what is exported to
 * its peer. They are few, so they are searched in their order. One link's.
 */
final class Registrations
{
    /** An export's key is never 0. */
    private static final long KEY_BIT = 1L << 32;
    private static final long REMOTE_KEY_MASK = 0xFFFF_FFFFL;

    private final RdmaDomain domain;
    private final List<Local> locals = new ArrayList<>();
    private final List<Export> exports = new ArrayList<>();
    private Local last;

    private record Local(MessageMemory memory, RdmaRegion region, RegionAccess access)
    {
        boolean serves(final MessageMemory asked, final RegionAccess needed)
        {
            return memory == asked && access.includes(needed);
        }
    }

    private record Export(RdmaRegion region, boolean isReadable)
    {
    }

    Registrations(final RdmaDomain domain)
    {
        this.domain = domain;
    }

    /**
     * {@return the region of memory into which this side reads; the peer may write it on an iWARP device, which brings
     *     data into no other memory}
     *
     * @param memory of this side.
     * @param access what else is done with the memory.
     */
    RdmaRegion forReads(final MessageMemory memory, final RegionAccess access)
    {
        return local(memory, domain.forReads(access));
    }

    /**
     * Finds or makes the region of memory that requests of this side use.
     *
     * @param access that they need.
     */
    RdmaRegion local(final MessageMemory memory, final RegionAccess access)
    {
        if (null != last && last.serves(memory, access))
        {
            return last.region;
        }
        for (int i = 0; i < locals.size(); i++)
        {
            final Local each = locals.get(i);
            if (each.serves(memory, access))
            {
                last = each;
                return each.region;
            }
        }
        dropClosed();
        last = new Local(memory, domain.register(memory.address(), memory.lengthBytes(), access), access);
        locals.add(last);
        return last.region;
    }

    /** The caller has closed them: the device would keep their pages locked until the connection ends. */
    private void dropClosed()
    {
        for (int i = locals.size() - 1; i >= 0; i--)
        {
            if (locals.get(i).memory.isClosed())
            {
                locals.remove(i).region.close();
            }
        }
    }

    /** Memory is freed. */
    void forget(final MessageMemory memory)
    {
        for (int i = locals.size() - 1; i >= 0; i--)
        {
            if (locals.get(i).memory == memory)
            {
                locals.remove(i).region.close();
                last = null;
            }
        }
    }

    /** {@return the key of a new export} */
    long export(final long address, final long lengthBytes, final RegionAccess access)
    {
        final RdmaRegion region = domain.register(address, lengthBytes, access);
        exports.add(new Export(region, RegionAccess.REMOTE_WRITE != access));
        return key(region);
    }

    static long key(final RdmaRegion region)
    {
        return KEY_BIT | region.remoteKey() & REMOTE_KEY_MASK;
    }

    void revoke(final long key)
    {
        for (int i = 0; i < exports.size(); i++)
        {
            if (key(exports.get(i).region) == key)
            {
                exports.remove(i).region.close();
                return;
            }
        }
    }

    /** {@return an export that the peer may read and that has all of a range; null when there is none} */
    RdmaRegion readable(final long address, final long lengthBytes)
    {
        for (int i = 0; i < exports.size(); i++)
        {
            final Export each = exports.get(i);
            final RdmaRegion region = each.region;
            if (each.isReadable && address >= region.address() && lengthBytes <= region.lengthBytes() &&
                address - region.address() <= region.lengthBytes() - lengthBytes)
            {
                return region;
            }
        }
        return null;
    }

    /** No request uses them any more. */
    void close()
    {
        exports.forEach((each) -> each.region.close());
        exports.clear();
        locals.forEach((each) -> each.region.close());
        locals.clear();
        last = null;
    }
}
