package io.millrace.cli.local.drive;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.nvme.NamespaceIdentity;
import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.nvme.IdentifyCns;
import io.millrace.nvme.IdentifyNamespace;
import io.millrace.pci.PciException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Active namespaces of a drive (NVM Command Set 1.0, section 4.1.5.1).
 */
final class DriveNamespaces
{
    private static final int METADATA_MASK = 0xFFFF;
    private static final int BLOCK_SHIFT_OFFSET = 16;
    private static final int BLOCK_SHIFT_MASK = 0x1F;

    private final List<DriveNamespace> namespaces = new ArrayList<>();

    /**
     * One of them.
     *
     * @param nsid           its number.
     * @param blocks         of it.
     * @param blockBytes     of a block's data.
     * @param metadataBytes  of a block.
     * @param protectionType of protection information, 0 for none.
     * @param identity       identifiers of it.
     */
    private record DriveNamespace(
        int nsid, long blocks, int blockBytes, int metadataBytes, int protectionType, NamespaceIdentity identity)
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
            namespaces.add(read(admin, nsid));
        }
    }

    private static DriveNamespace read(final DriveAdmin admin, final int nsid)
    {
        final IdentifyNamespace identify = new IdentifyNamespace();
        identify.wrap(new UnsafeBuffer(admin.identify(IdentifyCns.NAMESPACE, nsid)), 0);
        final int format = identify.format(Math.min(identify.formatIndex(), identify.formats()));
        return new DriveNamespace(nsid, identify.size(), 1 << (format >>> BLOCK_SHIFT_OFFSET & BLOCK_SHIFT_MASK),
            format & METADATA_MASK, identify.protectionSettings() & IdentifyNamespace.PROTECTION_TYPE_MASK,
            NamespaceIdentity.of(identify, new UnsafeBuffer(descriptors(admin, nsid))));
    }

    /** Drives before 1.3 have none. */
    private static byte[] descriptors(final DriveAdmin admin, final int nsid)
    {
        try
        {
            return admin.identify(IdentifyCns.NAMESPACE_DESCRIPTORS, nsid);
        }
        catch (final PciException | BlockDeviceException e)
        {
            return new byte[IdentifyCns.DATA_BYTES];
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
        for (final DriveNamespace each : namespaces)
        {
            table.row(Integer.toString(each.nsid), DriveView.size(each.blocks * each.blockBytes),
                Long.toString(each.blocks), Integer.toString(each.blockBytes), Integer.toString(each.metadataBytes),
                0 == each.protectionType ? "-" : "type " + each.protectionType,
                each.identity.text().isEmpty() ? "-" : each.identity.text());
        }
        table.print(terminal, "");
    }

    /** The namespaces as maps, for JSON. */
    List<Map<String, Object>> json()
    {
        final List<Map<String, Object>> list = new ArrayList<>();
        for (final DriveNamespace each : namespaces)
        {
            final Map<String, Object> map = new LinkedHashMap<>();
            map.put("nsid", each.nsid);
            map.put("size-bytes", each.blocks * each.blockBytes);
            map.put("blocks", each.blocks);
            map.put("block-bytes", each.blockBytes);
            map.put("metadata-bytes", each.metadataBytes);
            map.put("protection-type", each.protectionType);
            map.put("uuid", each.identity.uuid());
            map.put("nguid", each.identity.nguid());
            map.put("eui64", each.identity.eui64());
            list.add(map);
        }
        return list;
    }
}
