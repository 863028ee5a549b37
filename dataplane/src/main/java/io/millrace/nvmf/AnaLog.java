package io.millrace.nvmf;

import io.millrace.nvme.AnaGroupDescriptor;
import io.millrace.nvme.AnaLogHeader;
import io.millrace.nvmf.ana.AnaPath;
import io.millrace.nvmf.ana.AnaTable;
import io.millrace.nvmf.namespace.Namespace;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The Asymmetric Namespace Access log page of a controller (NVM Express Base 2.0, section 5.16.1.13): the groups that
 * have namespaces, and how often each and the page have changed since the controller was reset. Guarded by the monitor
 * of the controller's subsystem, so that a page is of one moment.
 */
final class AnaLog
{
    /** Size of a page with every group and every namespace, as hosts calculate it from the controller's limits. */
    static final int SIZE_BYTES_MAX = AnaLogHeader.SIZE_BYTES +
        AnaTable.GROUPS_MAX * AnaGroupDescriptor.SIZE_BYTES + Namespace.NSID_MAX * Integer.BYTES;

    private final long[] groupChanges = new long[AnaTable.GROUPS_MAX + 1];
    private long changes;

    AnaLog()
    {
        reset();
    }

    /** The controller was reset. */
    void reset()
    {
        changes = 0;
        // 0 would say that changes of groups are not counted.
        Arrays.fill(groupChanges, 1);
    }

    /**
     * The page has changed.
     *
     * @param groups that changed state, or got or lost a namespace.
     */
    void onChanged(final BitSet groups)
    {
        changes++;
        for (int group = groups.nextSetBit(1); group > 0; group = groups.nextSetBit(group + 1))
        {
            groupChanges[group]++;
        }
    }

    /**
     * {@return the page}
     *
     * @param path       states of the controller.
     * @param namespaces attached to it, in order of their ids.
     * @param groupsOnly whether the ids of the namespaces are left out.
     */
    byte[] page(final AnaPath path, final List<Namespace> namespaces, final boolean groupsOnly)
    {
        final int[] counts = new int[groupChanges.length];
        for (final Namespace namespace : namespaces)
        {
            counts[namespace.anaGroup()]++;
        }
        final int groups = (int)Arrays.stream(counts).filter((count) -> count > 0).count();
        final byte[] bytes = new byte[AnaLogHeader.SIZE_BYTES + groups * AnaGroupDescriptor.SIZE_BYTES +
            (groupsOnly ? 0 : namespaces.size() * Integer.BYTES)];
        final UnsafeBuffer page = new UnsafeBuffer(bytes);
        final AnaLogHeader header = new AnaLogHeader();
        header.wrap(page, 0);
        header.changeCount(changes).groups(groups);
        final AnaGroupDescriptor descriptor = new AnaGroupDescriptor();
        final int[] ends = new int[counts.length];
        int offset = AnaLogHeader.SIZE_BYTES;
        for (int group = 1; group < counts.length; group++)
        {
            if (counts[group] > 0)
            {
                final int count = groupsOnly ? 0 : counts[group];
                descriptor.wrap(page, offset);
                descriptor.groupId(group).namespaces(count).changeCount(groupChanges[group])
                    .state(path.state(group).code());
                ends[group] = offset + AnaGroupDescriptor.SIZE_BYTES;
                offset = ends[group] + count * Integer.BYTES;
            }
        }
        for (final Namespace namespace : groupsOnly ? List.<Namespace>of() : namespaces)
        {
            page.putInt(ends[namespace.anaGroup()], namespace.nsid(), ByteOrder.LITTLE_ENDIAN);
            ends[namespace.anaGroup()] += Integer.BYTES;
        }
        return bytes;
    }
}
