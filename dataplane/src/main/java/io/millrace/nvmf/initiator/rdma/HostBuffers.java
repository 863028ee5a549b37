package io.millrace.nvmf.initiator.rdma;

import io.millrace.memory.MemoryListener;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.RdmaMemory;
import io.millrace.rdma.endpoint.RegionAccess;

/**
 * Payload buffers of this process that targets read and write over RDMA: of what a registry has, the regions of role
 * {@link MemoryRole#BUFFERS} alone. A key opens a whole region to the peer, so the blocks of devices are never
 * registered here; payload in them is copied. Nothing is registered before a device is in use. Shared by the
 * {@link RdmaHostTransport}s of all reactors; set-up threads.
 */
public final class HostBuffers implements MemoryListener, AutoCloseable
{
    private final MemoryRegistry registry;
    private final RdmaMemory memory;

    /**
     * Listens to a registry.
     *
     * @param registry of the process's memory.
     */
    public HostBuffers(final MemoryRegistry registry)
    {
        this(registry, LinuxRdmaCore.INSTANCE);
    }

    /**
     * Listens to a registry.
     *
     * @param registry of the process's memory.
     * @param core     rdma-core.
     */
    public HostBuffers(final MemoryRegistry registry, final RdmaCore core)
    {
        this.registry = registry;
        memory = new RdmaMemory(core, RegionAccess.REMOTE_READ_WRITE);
        registry.addListener(this);
    }

    RdmaMemory memory()
    {
        return memory;
    }

    @Override
    public String name()
    {
        return "NVMe/RDMA host";
    }

    @Override
    public void onMapped(final MemoryRegion region)
    {
        if (MemoryRole.BUFFERS == region.role())
        {
            memory.onMapped(region);
        }
    }

    @Override
    public void onGrown(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        memory.onGrown(region, addedAddress, addedBytes);
    }

    @Override
    public void onGrowthRevoked(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        memory.onGrowthRevoked(region, addedAddress, addedBytes);
    }

    @Override
    public void onUnmapped(final MemoryRegion region)
    {
        memory.onUnmapped(region);
    }

    /**
     * Frees what the devices have. All transports that use it are closed.
     */
    @Override
    public void close()
    {
        registry.removeListener(this);
        memory.close();
    }
}
