package io.millrace.block.raid;

import io.millrace.block.raid.layout.ArrayLayout;

/** Where hosts see a block of a member. Stateless; for events. */
final class HostPlace
{
    /** The block is parity: hosts see nothing of it. */
    static final String PARITY = "parity";

    private HostPlace()
    {
    }

    /**
     * {@return the place of a block, in words}
     *
     * @param device       of the member.
     * @param slot         of the member; negative: it has left.
     * @param memberOffset of the block, in bytes of the member's data.
     */
    static String of(final RaidDevice device, final int slot, final long memberOffset)
    {
        final ArrayLayout layout = device.view().map().layoutAt(memberOffset);
        if (slot < 0 || null == layout || slot >= layout.memberCount())
        {
            return "in no slot of the array";
        }
        final long memberStrip = memberOffset >>> layout.stripShift();
        final long strip;
        if (layout.parityCount() > 0)
        {
            final int index = layout.dataIndex(memberStrip, slot);
            if (index < 0)
            {
                return PARITY;
            }
            strip = memberStrip * layout.dataCount() + index;
        }
        else
        {
            strip = layout.strip(slot, memberStrip);
        }
        return strip < 0 ? "in no strip of the array" : "LBA " + ((strip << layout.stripShift()) +
            (memberOffset & layout.stripBytes() - 1) >>> device.geometry().blockShift()) + " of the array";
    }
}
