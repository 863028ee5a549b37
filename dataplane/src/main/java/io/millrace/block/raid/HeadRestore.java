package io.millrace.block.raid;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.ReshapeState;
import java.util.Map;

/**
 * Copies the backup of a slice back that was being moved in the head of an array when it ended, on each member by
 * itself. Stateless. Set-up only.
 */
final class HeadRestore
{
    private HeadRestore()
    {
    }

    /**
     * Restores what superblocks say that there is a backup of; stable when this returns.
     *
     * @param io     to read and write with.
     * @param map    as superblocks have it.
     * @param bySlot members in slots; those without one are left out.
     * @return a member that could not be restored; null: all were.
     */
    static JournalReplay.Failure run(final MemberIo io, final StripMap map, final Map<Integer, RaidMember> bySlot)
    {
        if (ReshapeState.Stage.BACKED_UP != map.state().stage())
        {
            return null;
        }
        for (int slot = 0; slot < map.old().memberCount(); slot++)
        {
            final RaidMember member = bySlot.get(slot);
            if (null != member)
            {
                try
                {
                    restore(io, map, member);
                }
                catch (final BlockDeviceException e)
                {
                    return new JournalReplay.Failure(member, e);
                }
            }
        }
        return null;
    }

    private static void restore(final MemberIo io, final StripMap map, final RaidMember member)
    {
        final int start = map.state().sliceStart();
        try (MemberIo.Member open = io.open(member.device()))
        {
            for (int i = 0; i < map.headRows(); i++)
            {
                final long row = map.state().position() + i;
                for (int done = 0; done < map.sliceBytes(); done += MemberIo.LENGTH_MAX)
                {
                    final int length = Math.min(MemberIo.LENGTH_MAX, map.sliceBytes() - done);
                    final long data = MemberArea.DATA_OFFSET_BYTES;
                    open.write(data + (row << map.layout().stripShift()) + start + done,
                        open.read(data + map.backupOffset(row, start + done), length));
                }
            }
        }
    }
}
