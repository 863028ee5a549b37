package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.memory.MemoryDomain;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the geometries of members make possible: whether they can be in one array, and its geometry. Stateless.
 */
final class MemberGeometries
{
    private static final int TENTH = 10;

    private MemberGeometries()
    {
    }

    /**
     * Checks that devices can be members of one array.
     *
     * @param devices of the configuration, at least one.
     * @throws BlockDeviceException naming the device that cannot be one, and why.
     */
    static void check(final List<BlockDevice> devices)
    {
        final Set<String> names = new HashSet<>();
        final BlockDevice first = devices.getFirst();
        for (final BlockDevice device : devices)
        {
            final BlockGeometry geometry = device.geometry();
            if (!names.add(device.name()))
            {
                throw new BlockDeviceException("device " + device.name() + " is listed twice: keep one");
            }
            if (geometry.blockSizeBytes() != first.geometry().blockSizeBytes())
            {
                throw new BlockDeviceException("device " + device.name() + " has blocks of " +
                    geometry.blockSizeBytes() + " bytes and device " + first.name() + " of " +
                    first.geometry().blockSizeBytes() + ": use devices of one block size");
            }
            if (hasArray(device))
            {
                throw new BlockDeviceException("device " + device.name() + " is an array or made of one, which an " +
                    "array cannot be made of: list the members of that one, or use RAID 10 or 6");
            }
            if (geometry.readOnly())
            {
                throw new BlockDeviceException("device " + device.name() + " is read-only: use one that is not");
            }
            if (geometry.memoryAlignmentBytes() > geometry.blockSizeBytes())
            {
                throw new BlockDeviceException("device " + device.name() + " needs memory aligned to " +
                    geometry.memoryAlignmentBytes() + " bytes, more than a block: use another device");
            }
        }
    }

    /**
     * {@return bytes of data that a device has room for, at least a strip}
     *
     * @param device of the configuration.
     * @param config of the array.
     * @throws BlockDeviceException naming the device that has no room for a strip.
     */
    static long dataBytes(final BlockDevice device, final RaidConfig config)
    {
        final BlockGeometry geometry = device.geometry();
        final long bytes = config.checksums() ?
            ChecksumArea.dataBytes(geometry.sizeBytes(), config.stripBytes(), geometry.blockSizeBytes()) :
            MemberArea.dataBytes(geometry.sizeBytes(), config.stripBytes());
        if (0 == bytes)
        {
            throw new BlockDeviceException("device " + device.name() + " of " + device.geometry().sizeBytes() +
                " bytes has no room for a strip of " + config.stripBytes() + " bytes behind " +
                MemberArea.DATA_OFFSET_BYTES + " bytes of metadata: use a larger device");
        }
        return bytes;
    }

    /**
     * Checks that a device can become a member of an array that serves, whose geometry does not change, and has room.
     *
     * @param array  that serves.
     * @param device that is {@link #check checked}.
     * @throws BlockDeviceException naming the device, and why it cannot be one.
     */
    static void checkFits(final RaidDevice array, final BlockDevice device)
    {
        final BlockGeometry wanted = array.geometry();
        final BlockGeometry geometry = device.geometry();
        if (geometry.maxTransferBytes() < wanted.maxTransferBytes())
        {
            throw unfit(device, "a transfer limit of " + geometry.maxTransferBytes() + " bytes, less than the " +
                wanted.maxTransferBytes() + " that hosts of the array use");
        }
        if (geometry.memoryAlignmentBytes() > wanted.memoryAlignmentBytes())
        {
            throw unfit(device, "memory aligned to " + geometry.memoryAlignmentBytes() + " bytes, and hosts of the " +
                "array align to " + wanted.memoryAlignmentBytes());
        }
        if (geometry.volatileWriteCache() && !wanted.volatileWriteCache())
        {
            throw unfit(device, "a volatile write cache, and hosts of the array flush none");
        }
        if (0 != (wanted.memoryDomains() & ~geometry.memoryDomains()))
        {
            throw unfit(device, "no access to memory of devices, which hosts of the array use");
        }
        final long bytes = MemberRoom.of(array, device);
        if (bytes < array.layout().memberBytes())
        {
            throw new BlockDeviceException("device " + device.name() + " has room for " + bytes +
                " bytes of data, and members of the array have " + array.layout().memberBytes() +
                ": use a larger device");
        }
    }

    private static BlockDeviceException unfit(final BlockDevice device, final String what)
    {
        return new BlockDeviceException("device " + device.name() + " has " + what +
            ": use another device, or delete the array and create it again with this one");
    }

    /**
     * {@return a sentence on members that are larger than what the array uses of them, by more than a tenth; empty:
     * there are none}
     *
     * @param array that serves.
     */
    static String sizeNote(final RaidDevice array)
    {
        final long usedBytes = array.layout().memberBytes();
        final String larger = array.raidMembers().stream()
            .filter((each) -> each != array.journalDevice().member()).map(RaidMember::device)
            .filter((each) -> MemberRoom.of(array, each) >
                usedBytes + usedBytes / TENTH)
            .map((each) -> each.name() + " has " + each.geometry().sizeBytes()).collect(Collectors.joining(", "));
        return larger.isEmpty() ? "" : "array " + array.name() + " uses " + usedBytes +
            " bytes of each member, and the rest of larger ones is not used: " + larger;
    }

    /** Work of an array begins and ends with that of all devices: one below another would not answer it then. */
    static boolean hasArray(final BlockDevice device)
    {
        return device instanceof RaidDevice || device.members().stream().anyMatch(MemberGeometries::hasArray);
    }

    /**
     * {@return size, limits and capabilities of an array}
     *
     * @param layout  of the array.
     * @param members of the array, spares included, which are {@link #check checked}.
     * @throws BlockDeviceException when a member does not take a strip at once.
     */
    static BlockGeometry ofArray(final ArrayLayout layout, final List<RaidMember> members)
    {
        final BlockGeometry first = members.getFirst().device().geometry();
        final boolean hasParity = layout.parityCount() > 0;
        int maxTransferBytes = BlockGeometry.MAX_TRANSFER_BYTES_DEFAULT;
        int alignmentBytes = 1;
        boolean isVolatile = false;
        boolean isZeroing = true;
        boolean isDeallocating = true;
        boolean isDeallocatedZero = true;
        int domains = hasParity ? MemoryDomain.HOST.bit() : -1;
        for (final RaidMember member : members)
        {
            final BlockGeometry each = member.device().geometry();
            if (each.maxTransferBytes() < layout.stripBytes())
            {
                throw new BlockDeviceException("device " + member.device().name() + " has a transfer limit of " +
                    each.maxTransferBytes() + " bytes, less than a strip of " + layout.stripBytes() +
                    ": use a smaller strip-size");
            }
            maxTransferBytes = Math.max(layout.stripBytes(), Math.min(maxTransferBytes, each.maxTransferBytes()));
            alignmentBytes = Math.max(alignmentBytes, each.memoryAlignmentBytes());
            isVolatile |= each.volatileWriteCache();
            isZeroing &= each.supportsWriteZeroes();
            isDeallocating &= each.supportsDeallocate();
            isDeallocatedZero &= each.deallocatedReadsZero();
            domains &= each.memoryDomains();
        }
        final int block = first.blockSizeBytes();
        final long stripeBytes = (long)layout.dataCount() * layout.stripBytes();
        return BlockGeometry.builder(block, layout.dataBytes() / block)
            .maxTransferBytes(maxTransferBytes)
            .memoryAlignmentBytes(alignmentBytes)
            .volatileWriteCache(isVolatile)
            .supportsWriteZeroes(isZeroing)
            // Parity matches deallocated data only when both read as zeroes.
            .supportsDeallocate(isDeallocating && (isDeallocatedZero || !hasParity))
            // With parity, only whole stripes are deallocated, and the rest of a range stays as it is.
            .deallocatedReadsZero(isDeallocating && isDeallocatedZero && !hasParity)
            .optimalWriteBytes((int)Math.min(stripeBytes, maxTransferBytes))
            .memoryDomains(domains)
            .build();
    }
}
