package io.millrace.block.spdk;

import io.millrace.bindings.Errno;
import io.millrace.bindings.spdk.SpdkEnvironment;
import io.millrace.bindings.spdk.SpdkExportCalls;
import io.millrace.memory.MemoryListener;
import io.millrace.memory.MemoryRegion;
import java.util.List;

/**
 * Memory of payload that drives of SPDK may access: registered with SPDK, which maps it for the IOMMU. Needed where
 * SPDK has PCI functions; other bdevs take any memory. Set-up threads only.
 */
public final class SpdkMemory implements MemoryListener
{
    /** Smallest unit that SPDK registers. */
    private static final int PAGE_BYTES = 4096;

    private final List<SpdkExportCalls.Memory> own;

    /**
     * Of a process whose SPDK runs.
     *
     * @param own memory of SPDK's own, in which its front ends have payload: SPDK has registered that itself.
     */
    public SpdkMemory(final List<SpdkExportCalls.Memory> own)
    {
        this.own = List.copyOf(own);
    }

    @Override
    public String name()
    {
        return "SPDK";
    }

    @Override
    public void onMapped(final MemoryRegion region)
    {
        if (isRegistered(region))
        {
            register(region, region.address(), region.lengthBytes());
        }
    }

    @Override
    public void onGrown(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        if (isRegistered(region))
        {
            register(region, addedAddress, addedBytes);
        }
    }

    /** Registered pages are pinned. Those that a device gives back are not; requests have their payload elsewhere. */
    private boolean isRegistered(final MemoryRegion region)
    {
        return region.isHostAddressable() && region.hasStablePages() &&
            own.stream().noneMatch((each) -> each.address() == region.address());
    }

    private static void register(final MemoryRegion region, final long address, final long lengthBytes)
    {
        if (0 != address % PAGE_BYTES || 0 != lengthBytes % PAGE_BYTES)
        {
            throw new IllegalStateException(region + ": SPDK registers memory that begins and ends at a multiple of " +
                PAGE_BYTES + " bytes: map it with DmaMemory");
        }
        final int result = SpdkEnvironment.register(address, lengthBytes);
        if (result < 0)
        {
            throw new IllegalStateException(region + " cannot be registered with SPDK (" + Errno.name(-result) +
                "): raise the locked-memory limit (ulimit -l unlimited), and check that vfio-pci has the drive");
        }
    }

    @Override
    public void onGrowthRevoked(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        unregister(region, addedAddress, addedBytes);
    }

    @Override
    public void onUnmapped(final MemoryRegion region)
    {
        unregister(region, region.address(), region.lengthBytes());
    }

    /** A growth was registered by itself, and SPDK takes back only what begins where a registration did. */
    private void unregister(final MemoryRegion region, final long address, final long lengthBytes)
    {
        if (!isRegistered(region))
        {
            return;
        }
        final int result = SpdkEnvironment.unregister(address, lengthBytes);
        if (result < 0)
        {
            throw new IllegalStateException(
                region + " is still registered with SPDK (" + Errno.name(-result) + "): close the devices that use it");
        }
    }
}
