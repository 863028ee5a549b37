package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.memory.MemoryRegistry;
import java.util.List;

/**
 * Whether a device can stand by for all arrays: one could be made of it, and it holds nothing. Off the reactors, waits.
 * Immutable.
 *
 * @param problem     why it cannot, a sentence; empty: it can.
 * @param mayBeMember whether it may be a member of an array that is not there yet, or cannot be read just now: a data
 *                    plane that starts goes on with it.
 */
public record SpareExamination(String problem, boolean mayBeMember)
{
    private static final SpareExamination PASSED = new SpareExamination("", false);
    private static final int STRIP_BYTES_MIN = 4 << 10;

    /**
     * Examines a device. Nothing is written to it.
     *
     * @param device   that nothing uses.
     * @param registry memory registry of the data plane; null without one.
     * @return the result.
     */
    public static SpareExamination of(final BlockDevice device, final MemoryRegistry registry)
    {
        try
        {
            MemberGeometries.check(List.of(device));
        }
        catch (final BlockDeviceException e)
        {
            return new SpareExamination(e.getMessage(), false);
        }
        if (0 == MemberArea.dataBytes(device.geometry().sizeBytes(), STRIP_BYTES_MIN))
        {
            return new SpareExamination("device " + device.name() + " of " + device.geometry().sizeBytes() +
                " bytes is too small for a member of an array: use a larger one", false);
        }
        try (MemberIo io = new MemberIo(registry))
        {
            return of(io, device);
        }
    }

    /**
     * Reads the ends of a device.
     *
     * @param io     to read with.
     * @param device that nothing uses.
     * @return the result.
     */
    static SpareExamination of(final MemberIo io, final BlockDevice device)
    {
        final FoundMember found;
        try
        {
            found = FoundMember.read(io, device);
        }
        catch (final BlockDeviceException e)
        {
            return new SpareExamination(e.getMessage(), true);
        }
        return null != found.superblock() ? held(device, MemberErasure.describe(found.superblock()), true) :
            null != found.foreign() ? held(device, found.foreign(), false) : PASSED;
    }

    private static SpareExamination held(final BlockDevice device, final String what, final boolean mayBeMember)
    {
        return new SpareExamination("device " + device.name() + " holds " + what + ", which would be erased: use " +
            "another, or erase it first (docs/raid.md, Erasing a member)", mayBeMember);
    }
}
