package io.millrace.bindings.vfio;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.vfio_iommu_type1_dma_map;
import io.millrace.bindings.generated.vfio.vfio_iommu_type1_dma_unmap;

/**
 * {@code struct vfio_iommu_type1_dma_map} and {@code struct vfio_iommu_type1_dma_unmap}: a range to map or to unmap.
 */
public final class VfioDmaRange
{
    /** Room for either structure. */
    public static final int SIZE_BYTES =
        (int)Math.max(vfio_iommu_type1_dma_map.sizeof(), vfio_iommu_type1_dma_unmap.sizeof());
    private static final int MAP_BYTES = (int)vfio_iommu_type1_dma_map.sizeof();
    private static final long MAP_ARGSZ = vfio_iommu_type1_dma_map.argsz$offset();
    private static final long MAP_FLAGS = vfio_iommu_type1_dma_map.flags$offset();
    private static final long MAP_VADDR = vfio_iommu_type1_dma_map.vaddr$offset();
    private static final long MAP_IOVA = vfio_iommu_type1_dma_map.iova$offset();
    private static final long MAP_SIZE = vfio_iommu_type1_dma_map.size$offset();
    private static final int UNMAP_BYTES = (int)vfio_iommu_type1_dma_unmap.sizeof();
    private static final long UNMAP_ARGSZ = vfio_iommu_type1_dma_unmap.argsz$offset();
    private static final long UNMAP_FLAGS = vfio_iommu_type1_dma_unmap.flags$offset();
    private static final long UNMAP_IOVA = vfio_iommu_type1_dma_unmap.iova$offset();
    private static final long UNMAP_SIZE = vfio_iommu_type1_dma_unmap.size$offset();

    private VfioDmaRange()
    {
    }

    /**
     * Fills what {@link Vfio#VFIO_IOMMU_MAP_DMA} takes.
     *
     * @param address      of the structure.
     * @param flags        {@code VFIO_DMA_MAP_FLAG_*}.
     * @param rangeAddress of the process's memory.
     * @param iova         for the device.
     * @param lengthBytes  of the range.
     */
    public static void map(
        final long address, final int flags, final long rangeAddress, final long iova, final long lengthBytes)
    {
        NativeMemory.putInt(address + MAP_ARGSZ, MAP_BYTES);
        NativeMemory.putInt(address + MAP_FLAGS, flags);
        NativeMemory.putLong(address + MAP_VADDR, rangeAddress);
        NativeMemory.putLong(address + MAP_IOVA, iova);
        NativeMemory.putLong(address + MAP_SIZE, lengthBytes);
    }

    /**
     * Fills what {@link Vfio#VFIO_IOMMU_UNMAP_DMA} takes.
     *
     * @param address     of the structure.
     * @param iova        for the device.
     * @param lengthBytes of the range.
     */
    public static void unmap(final long address, final long iova, final long lengthBytes)
    {
        NativeMemory.putInt(address + UNMAP_ARGSZ, UNMAP_BYTES);
        NativeMemory.putInt(address + UNMAP_FLAGS, 0);
        NativeMemory.putLong(address + UNMAP_IOVA, iova);
        NativeMemory.putLong(address + UNMAP_SIZE, lengthBytes);
    }

    /**
     * {@return how much was unmapped, in bytes}
     *
     * @param address of the structure after the call.
     */
    public static long unmappedBytes(final long address)
    {
        return NativeMemory.getLong(address + UNMAP_SIZE);
    }
}
