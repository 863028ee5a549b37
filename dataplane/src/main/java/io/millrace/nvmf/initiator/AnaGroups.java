package io.millrace.nvmf.initiator;

import io.millrace.nvme.AnaGroupDescriptor;
import io.millrace.nvme.AnaLogHeader;
import io.millrace.nvme.AnaState;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the Asymmetric Namespace Access log page, as a controller sent it. Stateless.
 */
final class AnaGroups
{
    /** Groups in a page that one command can read. */
    static final int GROUPS_MAX =
        (AdminCommand.DATA_BYTES_MAX - AnaLogHeader.SIZE_BYTES) / AnaGroupDescriptor.SIZE_BYTES;

    private static final int NAMESPACE_BYTES = 4;
    private static final int STATE_MASK = 0xF;

    private AnaGroups()
    {
    }

    /**
     * {@return state of a group; null when there is none of that number, or its state is unknown}
     *
     * @param log     of {@link AdminCommand#anaGroups}.
     * @param groupId of the group.
     */
    static AnaState state(final byte[] log, final int groupId)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(log);
        final AnaLogHeader header = new AnaLogHeader();
        final AnaGroupDescriptor group = new AnaGroupDescriptor();
        header.wrap(buffer, 0);
        int offset = AnaLogHeader.SIZE_BYTES;
        for (int i = 0; i < header.groups() && offset + AnaGroupDescriptor.SIZE_BYTES <= log.length; i++)
        {
            group.wrap(buffer, offset);
            if (groupId == group.groupId())
            {
                return AnaState.of(group.state() & STATE_MASK);
            }
            // No namespaces were asked for; a controller that sends them nevertheless is understood too.
            offset += AnaGroupDescriptor.SIZE_BYTES + NAMESPACE_BYTES * Math.clamp(group.namespaces(), 0, log.length);
        }
        return null;
    }
}
