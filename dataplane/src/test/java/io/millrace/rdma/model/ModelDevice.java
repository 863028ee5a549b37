package io.millrace.rdma.model;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * An RDMA device of one port: its regions by key, and what is on it. Under the monitor of its network.
 */
public final class ModelDevice
{
    /** What a key names. */
    static final class Region
    {
        final long pd;
        final long address;
        final long lengthBytes;
        final int access;
        final int key;
        /** Whether a peer may invalidate it, which plain regions do not allow. */
        boolean isInvalidatable;
        boolean isInvalid;

        Region(final long pd, final long address, final long lengthBytes, final int access, final int key)
        {
            this.pd = pd;
            this.address = address;
            this.lengthBytes = lengthBytes;
            this.access = access;
            this.key = key;
        }

        boolean allows(final long ofPd, final long from, final long bytes, final int rights)
        {
            return pd == ofPd && !isInvalid && rights == (access & rights) && from >= address && bytes >= 0 &&
                bytes <= lengthBytes - (from - address) && from - address <= lengthBytes;
        }
    }

    private final ModelNetwork network;
    private final ModelRdmaCore core;
    private final InetAddress address;
    private final int number;
    private final long context;
    private final Map<Integer, Region> regions = new HashMap<>();
    private int nextKey = 0x100;
    private boolean isRemoved;

    ModelDevice(final ModelNetwork network, final ModelRdmaCore core, final InetAddress address, final long context)
    {
        this.network = network;
        this.core = core;
        this.address = address;
        this.context = context;
        number = network.add(this, address);
    }

    /**
     * {@return its address}
     */
    public InetAddress address()
    {
        return address;
    }

    ModelRdmaCore core()
    {
        return core;
    }

    int number()
    {
        return number;
    }

    long context()
    {
        return context;
    }

    boolean isRemoved()
    {
        return isRemoved;
    }

    /**
     * Pulls the device out of its machine: nothing on it completes any more, and each identifier has an event.
     */
    public void remove()
    {
        synchronized (network)
        {
            isRemoved = true;
            network.remove(this);
            core.onRemoved(this);
        }
    }

    Region register(final long pd, final long from, final long lengthBytes, final int access)
    {
        // The lowest bits change with each use, as on hardware.
        nextKey += 0x101;
        final Region region = new Region(pd, from, lengthBytes, access, nextKey);
        regions.put(nextKey, region);
        return region;
    }

    void deregister(final Region region)
    {
        regions.remove(region.key);
    }

    /** {@return the region of a key; null for none} */
    Region region(final int key)
    {
        return regions.get(key);
    }

    /** {@return whether memory may be used with a key} */
    boolean allows(final long pd, final int key, final long from, final long lengthBytes, final int rights)
    {
        final Region region = regions.get(key);
        return null != region && region.allows(pd, from, lengthBytes, rights);
    }
}
