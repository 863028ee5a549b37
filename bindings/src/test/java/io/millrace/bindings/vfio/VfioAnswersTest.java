package io.millrace.bindings.vfio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.vfio.vfio_h;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Answers of the kernel with chains of capabilities, well-formed and not. Offsets are those of linux/vfio.h.
 */
class VfioAnswersTest
{
    private static final int ROOM = 256;

    private final Arena arena = Arena.ofConfined();
    private final long address = arena.allocate(ROOM, Long.BYTES).address();

    @AfterEach
    void free()
    {
        arena.close();
    }

    @Test
    void shouldFindAreasWhenRegionIsSparse()
    {
        region(64, vfio_h.VFIO_REGION_INFO_FLAG_CAPS());
        header(64, 99, 80);
        header(80, vfio_h.VFIO_REGION_INFO_CAP_SPARSE_MMAP(), 0);
        NativeMemory.putInt(address + 88, 2);
        area(96, 0, 0x2000);
        area(112, 0x3000, 0x1000);

        assertEquals(2, VfioRegionInfo.areaCount(address, 128));
        assertEquals(0x2000, VfioRegionInfo.areaSizeBytes(address, 128, 0));
        assertEquals(0x3000, VfioRegionInfo.areaOffsetBytes(address, 128, 1));
        assertEquals(0x1000, VfioRegionInfo.areaSizeBytes(address, 128, 1));
    }

    @Test
    void shouldCountAreasThatAreThereWhenMoreAreClaimed()
    {
        region(64, vfio_h.VFIO_REGION_INFO_FLAG_CAPS());
        header(64, vfio_h.VFIO_REGION_INFO_CAP_SPARSE_MMAP(), 0);
        NativeMemory.putInt(address + 72, Integer.MAX_VALUE);

        assertEquals(3, VfioRegionInfo.areaCount(address, 80 + 3 * 16 + 8));
    }

    @Test
    void shouldHaveNoAreasWhenRegionHasNoCapabilities()
    {
        region(64, 0);
        header(64, vfio_h.VFIO_REGION_INFO_CAP_SPARSE_MMAP(), 0);

        assertEquals(-1, VfioRegionInfo.areaCount(address, 128));
    }

    @Test
    void shouldEndWhenChainGoesBack()
    {
        region(64, vfio_h.VFIO_REGION_INFO_FLAG_CAPS());
        header(64, 98, 80);
        header(80, 99, 64);

        assertEquals(-1, VfioRegionInfo.areaCount(address, 128));
    }

    @Test
    void shouldEndWhenChainLeavesTheAnswer()
    {
        region(64, vfio_h.VFIO_REGION_INFO_FLAG_CAPS());
        header(64, 98, 1 << 30);

        assertEquals(-1, VfioRegionInfo.areaCount(address, 128));
    }

    @Test
    void shouldFindRangesOfAddresses()
    {
        NativeMemory.putInt(address + 4, vfio_h.VFIO_IOMMU_INFO_PGSIZES() | vfio_h.VFIO_IOMMU_INFO_CAPS());
        NativeMemory.putLong(address + 8, 0x40201000L);
        NativeMemory.putInt(address + 16, 24);
        header(24, vfio_h.VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE(), 72);
        NativeMemory.putInt(address + 32, 2);
        area(40, 0, 0xfedf_ffffL);
        area(56, 0xfef0_0000L, 0x7f_ffff_ffffL);
        header(72, vfio_h.VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL(), 0);
        NativeMemory.putInt(address + 80, 65535);

        assertEquals(0x40201000L, VfioIommuInfo.pageSizes(address));
        assertEquals(2, VfioIommuInfo.rangeCount(address, 84));
        assertEquals(0xfedf_ffffL, VfioIommuInfo.rangeLast(address, 84, 0));
        assertEquals(0xfef0_0000L, VfioIommuInfo.rangeStart(address, 84, 1));
        assertEquals(65535, VfioIommuInfo.mappingsAvailable(address, 84));
    }

    @Test
    void shouldSayThatNothingIsKnownWhenKernelIsOld()
    {
        assertEquals(0, VfioIommuInfo.pageSizes(address));
        assertEquals(-1, VfioIommuInfo.rangeCount(address, ROOM));
        assertEquals(-1, VfioIommuInfo.mappingsAvailable(address, ROOM));
    }

    private void region(final int firstCapability, final int flags)
    {
        NativeMemory.putInt(address + 4, flags);
        NativeMemory.putInt(address + 12, firstCapability);
    }

    private void header(final int offset, final int id, final int next)
    {
        NativeMemory.putShort(address + offset, (short)id);
        NativeMemory.putShort(address + offset + 2, (short)1);
        NativeMemory.putInt(address + offset + 4, next);
    }

    private void area(final int offset, final long first, final long second)
    {
        NativeMemory.putLong(address + offset, first);
        NativeMemory.putLong(address + offset + 8, second);
    }
}
