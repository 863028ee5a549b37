package io.millrace.cli.local.drive;

import io.millrace.block.BlockDeviceException;
import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.InvalidIdentifyException;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.pci.PciException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Active namespaces of a drive (NVM Command Set 1.0, section 4.1.5.1). One whose Identify data are invalid has a
 * message in place of its properties.
 */
final class DriveNamespaces
{
    private static final String NONE = "-";

    private final List<Row> rows = new ArrayList<>();

    /**
     * A namespace.
     *
     * @param nsid      identifier.
     * @param namespace null where its Identify data are invalid.
     * @param message   why; null where they are valid.
     */
    private record Row(int nsid, NamespaceInfo namespace, String message)
    {
    }

    /**
     * Asks for the first 1024 of them.
     *
     * @param admin access to the drive.
     */
    DriveNamespaces(final DriveAdmin admin)
    {
        final UnsafeBuffer list = new UnsafeBuffer(admin.identify(IdentifyCns.ACTIVE_NAMESPACES, 0));
        for (int at = 0; at < IdentifyCns.DATA_BYTES; at += Integer.BYTES)
        {
            final int nsid = list.getInt(at, ByteOrder.LITTLE_ENDIAN);
            if (0 == nsid)
            {
                break;
            }
            add(admin, nsid);
        }
    }

    private void add(final DriveAdmin admin, final int nsid)
    {
        final DirectBuffer data = new UnsafeBuffer(admin.identify(IdentifyCns.NAMESPACE, nsid));
        try
        {
            final NamespaceInfo namespace = NamespaceInfo.of(nsid, data, descriptors(admin, nsid));
            if (null != namespace)
            {
                rows.add(new Row(nsid, namespace, null));
            }
        }
        catch (final InvalidIdentifyException e)
        {
            rows.add(new Row(nsid, null, "drive " + e.getMessage()));
        }
    }

    /** Drives before 1.3 have none. */
    private static DirectBuffer descriptors(final DriveAdmin admin, final int nsid)
    {
        try
        {
            return new UnsafeBuffer(admin.identify(IdentifyCns.NAMESPACE_DESCRIPTORS, nsid));
        }
        catch (final PciException | BlockDeviceException e)
        {
            return null;
        }
    }

    /**
     * {@return whether the Identify data of all are valid}
     */
    boolean areValid()
    {
        return rows.stream().allMatch((row) -> null == row.message());
    }

    /**
     * Prints them for people.
     *
     * @param terminal to print to.
     */
    void print(final Terminal terminal)
    {
        if (rows.isEmpty())
        {
            terminal.line("no active namespaces");
            return;
        }
        final Table table =
            new Table(">NSID", ">SIZE", ">BLOCKS", ">BLOCK", ">METADATA", "PROTECTION", "IDENTITY", "MESSAGE");
        for (final Row row : rows)
        {
            final String nsid = Integer.toUnsignedString(row.nsid());
            final NamespaceInfo each = row.namespace();
            if (null == each)
            {
                table.row(nsid, NONE, NONE, NONE, NONE, NONE, NONE, row.message());
                continue;
            }
            final String identity = each.identity().text();
            table.row(nsid, DriveView.size(each.sizeBytes()),
                Long.toString(each.blockCount()), Integer.toString(each.blockSizeBytes()),
                Integer.toString(each.metadataBytes()),
                0 == each.protectionType() ? NONE : "type " + each.protectionType(),
                identity.isEmpty() ? NONE : identity, "");
        }
        table.print(terminal, "");
    }

    /** The namespaces as maps, for JSON. One with a message has its identifier besides. */
    List<Map<String, Object>> json()
    {
        return rows.stream().map(DriveNamespaces::json).toList();
    }

    private static Map<String, Object> json(final Row row)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("nsid", Integer.toUnsignedLong(row.nsid()));
        final NamespaceInfo each = row.namespace();
        if (null == each)
        {
            map.put("message", row.message());
            return map;
        }
        map.put("size-bytes", each.sizeBytes());
        map.put("blocks", each.blockCount());
        map.put("block-bytes", each.blockSizeBytes());
        map.put("metadata-bytes", each.metadataBytes());
        map.put("protection-type", each.protectionType());
        map.put("uuid", each.identity().uuid());
        map.put("nguid", each.identity().nguid());
        map.put("eui64", each.identity().eui64());
        return map;
    }
}
