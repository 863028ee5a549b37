package io.millrace.bindings.vfio;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.vfio_h;
import io.millrace.bindings.generated.vfio.vfio_iommu_type1_info;
import io.millrace.bindings.generated.vfio.vfio_iommu_type1_info_cap_iova_range;
import io.millrace.bindings.generated.vfio.vfio_iommu_type1_info_dma_avail;
import io.millrace.bindings.generated.vfio.vfio_iova_range;

/**
 * {@code struct vfio_iommu_type1_info}: what an IOMMU can map, and where. Asked for twice: the kernel first says how
 * long the answer with all capabilities is.
 */
public final class VfioIommuInfo
{
    /** Size of the structure without capabilities. */
    public static final int SIZE_BYTES = (int)vfio_iommu_type1_info.sizeof();
    private static final long ARGSZ = vfio_iommu_type1_info.argsz$offset();
    private static final long FLAGS = vfio_iommu_type1_info.flags$offset();
    private static final long PAGE_SIZES = vfio_iommu_type1_info.iova_pgsizes$offset();
    private static final long CAP_OFFSET = vfio_iommu_type1_info.cap_offset$offset();
    private static final int RANGES_BYTES = (int)vfio_iommu_type1_info_cap_iova_range.sizeof();
    private static final long RANGE_COUNT = vfio_iommu_type1_info_cap_iova_range.nr_iovas$offset();
    private static final long RANGES = vfio_iommu_type1_info_cap_iova_range.iova_ranges$offset();
    private static final int RANGE_BYTES = (int)vfio_iova_range.sizeof();
    private static final long RANGE_START = vfio_iova_range.start$offset();
    private static final long RANGE_END = vfio_iova_range.end$offset();
    private static final int AVAILABLE_BYTES = (int)vfio_iommu_type1_info_dma_avail.sizeof();
    private static final long AVAILABLE = vfio_iommu_type1_info_dma_avail.avail$offset();

    private VfioIommuInfo()
    {
    }

    /**
     * Makes it ready for the call.
     *
     * @param address     of the structure, zeroed.
     * @param lengthBytes room for the structure and its capabilities.
     */
    public static void init(final long address, final int lengthBytes)
    {
        NativeMemory.putInt(address + ARGSZ, lengthBytes);
    }

    /**
     * {@return how long the whole answer is; more than the room there was when it has to be asked for again}
     *
     * @param address of the structure.
     */
    public static int lengthBytes(final long address)
    {
        return NativeMemory.getInt(address + ARGSZ);
    }

    /**
     * {@return the sizes of pages that can be mapped, a bit each; 0 when the kernel does not say}
     *
     * @param address of the structure.
     */
    public static long pageSizes(final long address)
    {
        return 0 == (flags(address) & vfio_h.VFIO_IOMMU_INFO_PGSIZES()) ? 0 :
            NativeMemory.getLong(address + PAGE_SIZES);
    }

    /**
     * {@return how many ranges of addresses can be mapped, or -1 when the kernel does not say}
     *
     * @param address     of the structure.
     * @param lengthBytes of the answer.
     */
    public static int rangeCount(final long address, final int lengthBytes)
    {
        final int offset = ranges(address, lengthBytes);
        if (offset < 0)
        {
            return -1;
        }
        final int room = (lengthBytes - offset - RANGES_BYTES) / RANGE_BYTES;
        return Math.clamp(NativeMemory.getInt(address + offset + RANGE_COUNT), 0, room);
    }

    /**
     * {@return the first address of a range, unsigned}
     *
     * @param address     of the structure.
     * @param lengthBytes of the answer.
     * @param range       below {@link #rangeCount}.
     */
    public static long rangeStart(final long address, final int lengthBytes, final int range)
    {
        return NativeMemory.getLong(range(address, lengthBytes, range) + RANGE_START);
    }

    /**
     * {@return the last address of a range, unsigned}
     *
     * @param address     of the structure.
     * @param lengthBytes of the answer.
     * @param range       below {@link #rangeCount}.
     */
    public static long rangeLast(final long address, final int lengthBytes, final int range)
    {
        return NativeMemory.getLong(range(address, lengthBytes, range) + RANGE_END);
    }

    /**
     * {@return how many more mappings the container takes, or -1 when the kernel does not say}
     *
     * @param address     of the structure.
     * @param lengthBytes of the answer.
     */
    public static long mappingsAvailable(final long address, final int lengthBytes)
    {
        final int offset = capability(
            address, lengthBytes, vfio_h.VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL(), AVAILABLE_BYTES);
        return offset < 0 ? -1 : NativeMemory.getInt(address + offset + AVAILABLE) & 0xFFFF_FFFFL;
    }

    private static int flags(final long address)
    {
        return NativeMemory.getInt(address + FLAGS);
    }

    private static long range(final long address, final int lengthBytes, final int range)
    {
        return address + ranges(address, lengthBytes) + RANGES + (long)range * RANGE_BYTES;
    }

    private static int ranges(final long address, final int lengthBytes)
    {
        return capability(address, lengthBytes, vfio_h.VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE(), RANGES_BYTES);
    }

    private static int capability(final long address, final int lengthBytes, final int id, final int sizeBytes)
    {
        if (0 == (flags(address) & vfio_h.VFIO_IOMMU_INFO_CAPS()))
        {
            return -1;
        }
        return Capabilities.find(address, lengthBytes, NativeMemory.getInt(address + CAP_OFFSET), id, sizeBytes);
    }
}
