package io.millrace.bindings.vfio;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.iommu_ioas_alloc;
import io.millrace.bindings.generated.vfio.iommu_ioas_iova_ranges;
import io.millrace.bindings.generated.vfio.iommu_ioas_map;
import io.millrace.bindings.generated.vfio.iommu_ioas_unmap;
import io.millrace.bindings.generated.vfio.iommu_iova_range;

/**
 * {@code struct iommu_ioas_alloc}, {@code iommu_ioas_iova_ranges}, {@code iommu_ioas_map} and {@code iommu_ioas_unmap}:
 * what is asked of {@code /dev/iommu} about an address space, and what it answers. All are zeroed by the caller.
 */
public final class IommuAddressSpace
{
    /** Room for any of the structures. */
    public static final int SIZE_BYTES = (int)Math.max(Math.max(iommu_ioas_alloc.sizeof(), iommu_ioas_map.sizeof()),
        Math.max(iommu_ioas_iova_ranges.sizeof(), iommu_ioas_unmap.sizeof()));
    /** Size of a range. */
    public static final int RANGE_BYTES = (int)iommu_iova_range.sizeof();
    private static final int ALLOC_BYTES = (int)iommu_ioas_alloc.sizeof();
    private static final long ALLOC_SIZE = iommu_ioas_alloc.size$offset();
    private static final long ALLOC_ID = iommu_ioas_alloc.out_ioas_id$offset();
    private static final int RANGES_BYTES = (int)iommu_ioas_iova_ranges.sizeof();
    private static final long RANGES_SIZE = iommu_ioas_iova_ranges.size$offset();
    private static final long RANGES_ID = iommu_ioas_iova_ranges.ioas_id$offset();
    private static final long RANGES_COUNT = iommu_ioas_iova_ranges.num_iovas$offset();
    private static final long RANGES_ALLOWED = iommu_ioas_iova_ranges.allowed_iovas$offset();
    private static final long RANGES_ALIGNMENT = iommu_ioas_iova_ranges.out_iova_alignment$offset();
    private static final long RANGE_START = iommu_iova_range.start$offset();
    private static final long RANGE_LAST = iommu_iova_range.last$offset();
    private static final int MAP_BYTES = (int)iommu_ioas_map.sizeof();
    private static final long MAP_SIZE = iommu_ioas_map.size$offset();
    private static final long MAP_FLAGS = iommu_ioas_map.flags$offset();
    private static final long MAP_ID = iommu_ioas_map.ioas_id$offset();
    private static final long MAP_USER_VA = iommu_ioas_map.user_va$offset();
    private static final long MAP_LENGTH = iommu_ioas_map.length$offset();
    private static final long MAP_IOVA = iommu_ioas_map.iova$offset();
    private static final int UNMAP_BYTES = (int)iommu_ioas_unmap.sizeof();
    private static final long UNMAP_SIZE = iommu_ioas_unmap.size$offset();
    private static final long UNMAP_ID = iommu_ioas_unmap.ioas_id$offset();
    private static final long UNMAP_IOVA = iommu_ioas_unmap.iova$offset();
    private static final long UNMAP_LENGTH = iommu_ioas_unmap.length$offset();

    private IommuAddressSpace()
    {
    }

    /**
     * Fills what {@link Vfio#IOMMU_IOAS_ALLOC} takes.
     *
     * @param address of the structure.
     */
    public static void make(final long address)
    {
        NativeMemory.putInt(address + ALLOC_SIZE, ALLOC_BYTES);
    }

    /**
     * {@return number of the space that was made}
     *
     * @param address of the structure after the call.
     */
    public static int madeId(final long address)
    {
        return NativeMemory.getInt(address + ALLOC_ID);
    }

    /**
     * Fills what {@link Vfio#IOMMU_IOAS_IOVA_RANGES} takes.
     *
     * @param address       of the structure.
     * @param id            of the space.
     * @param rangesAddress room for ranges.
     * @param count         of ranges that there is room for.
     */
    public static void ranges(final long address, final int id, final long rangesAddress, final int count)
    {
        NativeMemory.putInt(address + RANGES_SIZE, RANGES_BYTES);
        NativeMemory.putInt(address + RANGES_ID, id);
        NativeMemory.putInt(address + RANGES_COUNT, count);
        NativeMemory.putLong(address + RANGES_ALLOWED, rangesAddress);
    }

    /**
     * {@return how many ranges there are, more maybe than there was room for}
     *
     * @param address of the structure after the call.
     */
    public static int rangeCount(final long address)
    {
        return NativeMemory.getInt(address + RANGES_COUNT);
    }

    /**
     * {@return what addresses have to be a multiple of}
     *
     * @param address of the structure after the call.
     */
    public static long alignmentBytes(final long address)
    {
        return NativeMemory.getLong(address + RANGES_ALIGNMENT);
    }

    /**
     * {@return first address of a range}
     *
     * @param rangesAddress that was given.
     * @param index         of the range.
     */
    public static long rangeStart(final long rangesAddress, final int index)
    {
        return NativeMemory.getLong(rangesAddress + (long)index * RANGE_BYTES + RANGE_START);
    }

    /**
     * {@return last address of a range, inclusive}
     *
     * @param rangesAddress that was given.
     * @param index         of the range.
     */
    public static long rangeLast(final long rangesAddress, final int index)
    {
        return NativeMemory.getLong(rangesAddress + (long)index * RANGE_BYTES + RANGE_LAST);
    }

    /**
     * Fills what {@link Vfio#IOMMU_IOAS_MAP} takes: readable and writable, at an address of the caller's.
     *
     * @param address      of the structure.
     * @param id           of the space.
     * @param rangeAddress of the process's memory.
     * @param iova         for the device.
     * @param lengthBytes  of the range.
     */
    public static void map(
        final long address, final int id, final long rangeAddress, final long iova, final long lengthBytes)
    {
        NativeMemory.putInt(address + MAP_SIZE, MAP_BYTES);
        NativeMemory.putInt(address + MAP_FLAGS, Vfio.IOMMU_IOAS_MAP_FIXED_IOVA | Vfio.IOMMU_IOAS_MAP_READABLE |
            Vfio.IOMMU_IOAS_MAP_WRITEABLE);
        NativeMemory.putInt(address + MAP_ID, id);
        NativeMemory.putLong(address + MAP_USER_VA, rangeAddress);
        NativeMemory.putLong(address + MAP_LENGTH, lengthBytes);
        NativeMemory.putLong(address + MAP_IOVA, iova);
    }

    /**
     * Fills what {@link Vfio#IOMMU_IOAS_UNMAP} takes.
     *
     * @param address     of the structure.
     * @param id          of the space.
     * @param iova        for the device.
     * @param lengthBytes of the range.
     */
    public static void unmap(final long address, final int id, final long iova, final long lengthBytes)
    {
        NativeMemory.putInt(address + UNMAP_SIZE, UNMAP_BYTES);
        NativeMemory.putInt(address + UNMAP_ID, id);
        NativeMemory.putLong(address + UNMAP_IOVA, iova);
        NativeMemory.putLong(address + UNMAP_LENGTH, lengthBytes);
    }

    /**
     * {@return how much was unmapped, in bytes}
     *
     * @param address of the structure after the call.
     */
    public static long unmappedBytes(final long address)
    {
        return NativeMemory.getLong(address + UNMAP_LENGTH);
    }
}
