package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.validation.ResourceValidation;

/**
 * How much data every member of an array has room for, and whether the array may use it. Any thread.
 *
 * @param smallest device that has least; null: a slot has no member.
 * @param bytes    of data, whole strips; 0: a slot has no member.
 */
record MemberRoom(BlockDevice smallest, long bytes)
{
    /**
     * {@return the room on the members in the slots of an array}
     *
     * @param array that serves.
     */
    static MemberRoom of(final RaidDevice array)
    {
        final ArrayView view = array.view();
        BlockDevice smallest = null;
        long bytes = Long.MAX_VALUE;
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            final RaidMember member = view.member(slot);
            if (null == member || null == member.device())
            {
                return new MemberRoom(null, 0);
            }
            if (of(array, member.device()) < bytes)
            {
                smallest = member.device();
                bytes = of(array, smallest);
            }
        }
        return new MemberRoom(smallest, bytes);
    }

    /**
     * {@return bytes of data that a device has room for as a member}
     *
     * @param array  that it is of.
     * @param device that is or will be a member.
     */
    static long of(final RaidDevice array, final BlockDevice device)
    {
        final int stripBytes = array.layout().stripBytes();
        final long deviceBytes = device.geometry().sizeBytes();
        return Math.min(null == array.pages().checksums() ? MemberArea.dataBytes(deviceBytes, stripBytes) :
            ChecksumArea.dataBytes(deviceBytes, stripBytes, array.geometry().blockSizeBytes()),
            ResourceValidation.SIZE_BYTES_MAX / stripBytes * stripBytes);
    }

    /**
     * {@return why an array cannot use more of its members now, a sentence; null: it can}
     *
     * @param array       that serves.
     * @param memberBytes data of each member from then on; 0: as much as all have room for.
     */
    static String problem(final RaidDevice array, final long memberBytes)
    {
        final ArrayView view = array.view();
        final String name = "array " + array.name();
        if (null != array.pages().checksums())
        {
            return ArrayGrowth.checksumProblem(array);
        }
        final String unsteadiness = view.map().isReshaping() ?
            name + " is being reshaped: grow it when that has ended" : ArrayGrowth.unsteadiness(array);
        if (null != unsteadiness)
        {
            return unsteadiness;
        }
        final MemberRoom room = of(array);
        final long presentBytes = view.layout().memberBytes();
        final long wantedBytes = 0 == memberBytes ? room.bytes : memberBytes;
        if (0 != memberBytes % view.layout().stripBytes())
        {
            return name + " has strips of " + view.layout().stripBytes() + " bytes, and " + memberBytes +
                " bytes of each member are no multiple of that: choose one";
        }
        if (wantedBytes < presentBytes)
        {
            return name + " has " + presentBytes + " bytes of data on each member, more than " + wantedBytes +
                ": an array does not become smaller; create another one and copy the data";
        }
        if (wantedBytes > room.bytes)
        {
            return "device " + room.smallest.name() + " has room for " + room.bytes + " bytes of data, less than " +
                wantedBytes + ": replace it by a larger device, or make it larger";
        }
        if (wantedBytes == presentBytes)
        {
            return name + " uses " + presentBytes + " bytes of each member already" + (0 == memberBytes ? ", and " +
                room.smallest.name() + " has room for no more: replace it by a larger device, or make it larger" :
                ": choose a larger size");
        }
        if (null != array.intent() && wantedBytes > array.intent().memberBytesMax())
        {
            return name + " can have at most " + array.intent().memberBytesMax() + " bytes of data on each member " +
                "before it is started again, less than " + wantedBytes + ": grow it to that, restart the data plane " +
                "and grow it once more";
        }
        for (final RaidMember each : array.raidMembers())
        {
            if (each != array.journalDevice().member() && view.slotOf(each) < 0 &&
                of(array, each.device()) < wantedBytes)
            {
                return "device " + each.device().name() + ", which array " + array.name() + " has no slot for, has " +
                    "room for " + of(array, each.device()) + " bytes of data, less than " + wantedBytes +
                    ": remove it from members and spares, or replace it by a larger device";
            }
        }
        return null;
    }
}
