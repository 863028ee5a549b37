package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A protection domain of a device and the regions of a {@link RdmaMemory} in it. Changed on set-up threads, one at a
 * time; the table is read by any thread.
 */
final class DeviceMemory
{
    private static final int RETIRED = -1;

    private final RdmaCore core;
    private final long contextAddress;
    private final long pdAddress;
    private final boolean isIwarp;
    /** By address: those that are used, and those that the device did not let go of yet. */
    private final TreeMap<Long, RdmaRegion> registered = new TreeMap<>();
    private final TreeMap<Long, RdmaRegion> leaving = new TreeMap<>();
    private final Set<RdmaRegion> byHand = ConcurrentHashMap.newKeySet();
    private final Set<MemoryWindow> windows = ConcurrentHashMap.newKeySet();
    /** Connection managers that have queue pairs here, or are about to. */
    private final AtomicInteger users = new AtomicInteger();
    private volatile RegionTable table = RegionTable.NONE;

    /**
     * Makes the protection domain.
     *
     * @param contextAddress open device.
     * @throws RdmaException when the device refuses.
     */
    DeviceMemory(final RdmaCore core, final long contextAddress)
    {
        this.core = core;
        this.contextAddress = contextAddress;
        pdAddress = core.allocatePd(contextAddress);
        if (pdAddress < 0)
        {
            throw new RdmaException(
                "the RDMA device cannot be used: ibv_alloc_pd: " + Errno.describe((int)-pdAddress));
        }
        isIwarp = Verbs.IBV_TRANSPORT_IWARP == core.transportType(contextAddress);
    }

    long contextAddress()
    {
        return contextAddress;
    }

    long pdAddress()
    {
        return pdAddress;
    }

    /** {@return the access that memory needs into which this device reads} */
    RegionAccess forReads(final RegionAccess access)
    {
        return isIwarp ? access.withRemoteWrite() : access;
    }

    /** {@return count of the connection managers that have queue pairs here} */
    int users()
    {
        return Math.max(0, users.get());
    }

    /** A connection manager has queue pairs here. {@return false when it was retired} */
    boolean join()
    {
        return users.getAndUpdate((count) -> count < 0 ? count : count + 1) >= 0;
    }

    /** A connection manager has none any more. */
    void leave()
    {
        users.decrementAndGet();
    }

    boolean isRetired()
    {
        return RETIRED == users.get();
    }

    /** Nobody joins any more. {@return false when others use it, or it was retired before} */
    boolean retire()
    {
        return users.compareAndSet(0, RETIRED);
    }

    void add(final MemoryWindow window)
    {
        windows.add(window);
    }

    void remove(final MemoryWindow window)
    {
        windows.remove(window);
    }

    /** {@return the ranges that requests may use now} */
    RegionTable table()
    {
        return table;
    }

    /**
     * Registers a region by hand, which is not in the table. Any thread.
     *
     * @throws RdmaException when the kernel or the device refuses, with what to check.
     */
    RdmaRegion register(final long address, final long lengthBytes, final RegionAccess access)
    {
        return keep(registerMr(address, lengthBytes, access.bits()));
    }

    /** As {@link #register}; the device takes pages as it needs them, and the kernel may take them back. */
    RdmaRegion registerOnDemand(final long address, final long lengthBytes, final RegionAccess access)
    {
        return keep(registerMr(address, lengthBytes, access.bits() | Verbs.IBV_ACCESS_ON_DEMAND));
    }

    /** As {@link #register}, of a part of a dma-buf, which requests name by addresses from the given one on. */
    RdmaRegion registerDmaBuf(
        final int fd, final long offset, final long address, final long lengthBytes, final RegionAccess access)
    {
        return keep(region(address, lengthBytes,
            core.registerDmaBuf(pdAddress, offset, lengthBytes, address, fd, access.bits())));
    }

    private RdmaRegion keep(final RdmaRegion region)
    {
        byHand.add(region);
        return region;
    }

    private RdmaRegion registerMr(final long address, final long lengthBytes, final int access)
    {
        return region(address, lengthBytes, core.registerMr(pdAddress, address, lengthBytes, access));
    }

    private RdmaRegion region(final long address, final long lengthBytes, final long mrAddress)
    {
        if (mrAddress < 0)
        {
            throw new RdmaException("cannot register " + lengthBytes + " bytes at 0x" + Long.toHexString(address) +
                " for RDMA: " + Errno.describe((int)-mrAddress) + remedy((int)-mrAddress));
        }
        return new RdmaRegion(core, address, lengthBytes, mrAddress, byHand::remove);
    }

    private static String remedy(final int errno)
    {
        return Errno.EOPNOTSUPP == errno ? "; the device, its driver or rdma-core does not offer this kind" :
            Errno.ENOMEM == errno || Errno.EAGAIN == errno ?
            "; allow the process to lock as much memory (ulimit -l, or LimitMEMLOCK of the unit)" :
            Errno.EFAULT == errno ? "; the memory is not mapped" : "";
    }

    /**
     * Registers a range and puts it into the table.
     *
     * @throws RdmaException as of {@link #register}.
     */
    void add(final long address, final long lengthBytes, final RegionAccess access)
    {
        registered.put(address, registerMr(address, lengthBytes, access.bits()));
        publish();
    }

    /**
     * Registers a range that is mapped from a dma-buf, and puts it into the table: by the dma-buf, since pages of
     * another device have no others; by its address where no dma-buf can be registered.
     *
     * @throws RdmaException as of {@link #register}.
     */
    void addDmaBuf(
        final int fd, final long offset, final long address, final long lengthBytes, final RegionAccess access)
    {
        final long mrAddress = core.registerDmaBuf(pdAddress, offset, lengthBytes, address, fd, access.bits());
        registered.put(address, -Errno.EOPNOTSUPP == mrAddress ?
            registerMr(address, lengthBytes, access.bits()) : region(address, lengthBytes, mrAddress));
        publish();
    }

    /**
     * Takes the ranges that begin within other ones out of the table, and then from the device.
     *
     * @throws RdmaException when the device does not let go of one: to be tried again.
     */
    void remove(final long fromAddress, final long toAddress)
    {
        final Collection<RdmaRegion> removed = registered.subMap(fromAddress, toAddress).values();
        removed.forEach((region) -> leaving.put(region.address(), region));
        removed.clear();
        publish();
        final List<RdmaRegion> left = new ArrayList<>(leaving.subMap(fromAddress, toAddress).values());
        for (final RdmaRegion region : left)
        {
            final int status = region.deregister();
            if (status < 0)
            {
                throw new RdmaException("the RDMA device does not let go of " + region.lengthBytes() +
                    " bytes at 0x" + Long.toHexString(region.address()) + ": " + Errno.describe(-status));
            }
            leaving.remove(region.address());
        }
    }

    private void publish()
    {
        table = new RegionTable(registered.values());
    }

    /**
     * Frees regions and protection domain; no queue pair is in it. Regions are closed then whatever the device answers:
     * its context may be closed next, and with it what they would be deregistered by.
     *
     * @return 0 or negated errno; of a device that is gone none matters.
     */
    int close()
    {
        table = RegionTable.NONE;
        // Before the regions that they are bound to.
        windows.forEach(MemoryWindow::free);
        registered.values().forEach(RdmaRegion::abandon);
        leaving.values().forEach(RdmaRegion::abandon);
        registered.clear();
        leaving.clear();
        byHand.forEach(RdmaRegion::abandon);
        return core.deallocatePd(pdAddress);
    }
}
