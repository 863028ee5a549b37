package io.millrace.bindings.vfio;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.vfio_h;
import io.millrace.bindings.generated.vfio.vfio_region_info;
import io.millrace.bindings.generated.vfio.vfio_region_info_cap_sparse_mmap;
import io.millrace.bindings.generated.vfio.vfio_region_sparse_mmap_area;

/**
 * {@code struct vfio_region_info}: a region of a device, where it lies behind the device's descriptor, and which areas
 * of it can be mapped. Asked for twice: the kernel first says how long the answer with all capabilities is.
 */
public final class VfioRegionInfo
{
    /** Size of the structure without capabilities. */
    public static final int SIZE_BYTES = (int)vfio_region_info.sizeof();
    private static final long ARGSZ = vfio_region_info.argsz$offset();
    private static final long FLAGS = vfio_region_info.flags$offset();
    private static final long INDEX = vfio_region_info.index$offset();
    private static final long CAP_OFFSET = vfio_region_info.cap_offset$offset();
    private static final long SIZE = vfio_region_info.size$offset();
    private static final long OFFSET = vfio_region_info.offset$offset();
    private static final int SPARSE_BYTES = (int)vfio_region_info_cap_sparse_mmap.sizeof();
    private static final long SPARSE_COUNT = vfio_region_info_cap_sparse_mmap.nr_areas$offset();
    private static final long SPARSE_AREAS = vfio_region_info_cap_sparse_mmap.areas$offset();
    private static final int AREA_BYTES = (int)vfio_region_sparse_mmap_area.sizeof();
    private static final long AREA_OFFSET = vfio_region_sparse_mmap_area.offset$offset();
    private static final long AREA_SIZE = vfio_region_sparse_mmap_area.size$offset();

    private VfioRegionInfo()
    {
    }

    /**
     * Makes it ready for the call.
     *
     * @param address     of the structure, zeroed.
     * @param lengthBytes room for the structure and its capabilities.
     * @param index       of the region, {@code VFIO_PCI_*_REGION_INDEX}.
     */
    public static void init(final long address, final int lengthBytes, final int index)
    {
        NativeMemory.putInt(address + ARGSZ, lengthBytes);
        NativeMemory.putInt(address + INDEX, index);
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
     * {@return {@code VFIO_REGION_INFO_FLAG_*}}
     *
     * @param address of the structure.
     */
    public static int flags(final long address)
    {
        return NativeMemory.getInt(address + FLAGS);
    }

    /**
     * {@return how large the region is, in bytes; 0 when the device has none}
     *
     * @param address of the structure.
     */
    public static long sizeBytes(final long address)
    {
        return NativeMemory.getLong(address + SIZE);
    }

    /**
     * {@return where the region begins behind the device's descriptor, for reads, writes and mappings}
     *
     * @param address of the structure.
     */
    public static long offsetBytes(final long address)
    {
        return NativeMemory.getLong(address + OFFSET);
    }

    /**
     * {@return how many areas alone can be mapped, or -1 when all of the region can}
     *
     * @param address     of the structure.
     * @param lengthBytes of the answer.
     */
    public static int areaCount(final long address, final int lengthBytes)
    {
        final int offset = sparse(address, lengthBytes);
        if (offset < 0)
        {
            return -1;
        }
        final int room = (lengthBytes - offset - SPARSE_BYTES) / AREA_BYTES;
        return Math.clamp(NativeMemory.getInt(address + offset + SPARSE_COUNT), 0, room);
    }

    /**
     * {@return where an area begins, in bytes from the region's begin}
     *
     * @param address     of the structure.
     * @param lengthBytes of the answer.
     * @param area        below {@link #areaCount}.
     */
    public static long areaOffsetBytes(final long address, final int lengthBytes, final int area)
    {
        return NativeMemory.getLong(area(address, lengthBytes, area) + AREA_OFFSET);
    }

    /**
     * {@return how large an area is, in bytes}
     *
     * @param address     of the structure.
     * @param lengthBytes of the answer.
     * @param area        below {@link #areaCount}.
     */
    public static long areaSizeBytes(final long address, final int lengthBytes, final int area)
    {
        return NativeMemory.getLong(area(address, lengthBytes, area) + AREA_SIZE);
    }

    private static long area(final long address, final int lengthBytes, final int area)
    {
        return address + sparse(address, lengthBytes) + SPARSE_AREAS + (long)area * AREA_BYTES;
    }

    private static int sparse(final long address, final int lengthBytes)
    {
        if (0 == (flags(address) & vfio_h.VFIO_REGION_INFO_FLAG_CAPS()))
        {
            return -1;
        }
        return Capabilities.find(address, lengthBytes, NativeMemory.getInt(address + CAP_OFFSET),
            vfio_h.VFIO_REGION_INFO_CAP_SPARSE_MMAP(), SPARSE_BYTES);
    }
}
