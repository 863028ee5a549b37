package io.millrace.pci;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.Mappings;
import io.millrace.bindings.vfio.Vfio;
import io.millrace.bindings.vfio.VfioRegionInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;

/**
 * A region of a function: its offset behind the descriptor, and its mappable length from the start on: pages of the
 * MSI-X table may be excluded. Set-up only; immutable.
 *
 * @param device        of the region.
 * @param offsetBytes   of the region behind the descriptor.
 * @param lengthBytes   of the region.
 * @param mappableBytes from its begin on; 0 when it can only be read and written by calls.
 */
record VfioRegion(DeviceFile device, long offsetBytes, long lengthBytes, long mappableBytes)
{
    static VfioRegion of(final DeviceFile device, final int index)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment answer = device.answer("asking for region " + index, Vfio.VFIO_DEVICE_GET_REGION_INFO,
                arena, VfioRegionInfo.SIZE_BYTES, (address, room) -> VfioRegionInfo.init(address, room, index));
            final long info = answer.address();
            return new VfioRegion(device, VfioRegionInfo.offsetBytes(info), VfioRegionInfo.sizeBytes(info),
                mappable(info, (int)answer.byteSize()));
        }
    }

    private static long mappable(final long info, final int answerBytes)
    {
        if (0 == (VfioRegionInfo.flags(info) & Vfio.VFIO_REGION_INFO_FLAG_MMAP))
        {
            return 0;
        }
        final int areas = VfioRegionInfo.areaCount(info, answerBytes);
        if (areas < 0)
        {
            return VfioRegionInfo.sizeBytes(info);
        }
        final TreeMap<Long, Long> inOrder = new TreeMap<>();
        for (int i = 0; i < areas; i++)
        {
            inOrder.put(VfioRegionInfo.areaOffsetBytes(info, answerBytes, i),
                VfioRegionInfo.areaSizeBytes(info, answerBytes, i));
        }
        long end = 0;
        for (final Map.Entry<Long, Long> area : inOrder.entrySet())
        {
            if (area.getKey() > end)
            {
                break;
            }
            end = Math.max(end, area.getKey() + area.getValue());
        }
        return end;
    }

    /**
     * Maps what can be mapped.
     *
     * @param name of the function, for the message.
     * @return the registers; to be unmapped with {@link Mappings#munmap}.
     * @throws PciException when nothing can be mapped.
     */
    MappedBar map(final String name)
    {
        if (0 == mappableBytes)
        {
            throw new PciException("the registers of " + name + " cannot be mapped: of " + lengthBytes +
                " bytes the kernel offers none, which it does when they do not fill pages of their own");
        }
        final long address = Mappings.mmap(0, mappableBytes, Mappings.PROT_READ | Mappings.PROT_WRITE,
            Mappings.MAP_SHARED, device.fd(), offsetBytes);
        if (address < 0)
        {
            throw new PciException(
                "the registers of " + name + " cannot be mapped: " + Errno.describe((int)-address));
        }
        return new MappedBar(address, mappableBytes);
    }

    /**
     * {@return bytes read or a negated errno}
     *
     * @param at     in the region.
     * @param buffer address to read to.
     * @param bytes  to read.
     */
    long read(final long at, final long buffer, final int bytes)
    {
        return Files.pread(device.fd(), buffer, bytes, offsetBytes + at);
    }

    /**
     * {@return bytes written or a negated errno}
     *
     * @param at     in the region.
     * @param buffer address to write from.
     * @param bytes  to write.
     */
    long write(final long at, final long buffer, final int bytes)
    {
        return Files.pwrite(device.fd(), buffer, bytes, offsetBytes + at);
    }
}
