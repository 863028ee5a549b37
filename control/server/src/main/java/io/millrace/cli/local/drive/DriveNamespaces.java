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
 * Active namespaces of a drive (NVM Command Set 1.0, section 4.1.5.1).
 */
final class DriveNamespaces
{
    private final List<NamespaceInfo> namespaces = new ArrayList<>();

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
            final NamespaceInfo namespace = read(admin, nsid);
            if (null != namespace)
            {
                namespaces.add(namespace);
            }
        }
    }

    private static NamespaceInfo read(final DriveAdmin admin, final int nsid)
    {
        try
        {
            return NamespaceInfo.of(nsid, new UnsafeBuffer(admin.identify(IdentifyCns.NAMESPACE, nsid)),
                descriptors(admin, nsid));
        }
        catch (final InvalidIdentifyException e)
        {
            throw new BlockDeviceException("drive " + e.getMessage(), e);
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
     * Prints them for people.
     *
     * @param terminal to print to.
     */
    void print(final Terminal terminal)
    {
        if (namespaces.isEmpty())
        {
            terminal.line("no active namespaces");
            return;
        }
        final Table table = new Table(">NSID", ">SIZE", ">BLOCKS", ">BLOCK", ">METADATA", "PROTECTION", "IDENTITY");
        for (final NamespaceInfo each : namespaces)
        {
            final String identity = each.identity().text();
            table.row(Integer.toString(each.nsid()), DriveView.size(each.sizeBytes()),
                Long.toString(each.blockCount()), Integer.toString(each.blockSizeBytes()),
                Integer.toString(each.metadataBytes()),
                0 == each.protectionType() ? "-" : "type " + each.protectionType(),
                identity.isEmpty() ? "-" : identity);
        }
        table.print(terminal, "");
    }

    /** The namespaces as maps, for JSON. */
    List<Map<String, Object>> json()
    {
        final List<Map<String, Object>> list = new ArrayList<>();
        for (final NamespaceInfo each : namespaces)
        {
            final Map<String, Object> map = new LinkedHashMap<>();
            map.put("nsid", each.nsid());
            map.put("size-bytes", each.sizeBytes());
            map.put("blocks", each.blockCount());
            map.put("block-bytes", each.blockSizeBytes());
            map.put("metadata-bytes", each.metadataBytes());
            map.put("protection-type", each.protectionType());
            map.put("uuid", each.identity().uuid());
            map.put("nguid", each.identity().nguid());
            map.put("eui64", each.identity().eui64());
            list.add(map);
        }
        return list;
    }
}
