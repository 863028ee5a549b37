package io.millrace.cli.local.drive;

import io.millrace.console.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Drives for people and for programs.
 */
final class DriveView
{
    private static final int UNIT = 1024;
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    private DriveView()
    {
    }

    static Table table(final List<Drive> drives)
    {
        final Table table = new Table(
            "ADDRESS", "DRIVER", ">GROUP", ">NODE", "MODEL", "SERIAL", ">SIZE", "USE", "HEALTH");
        for (final Drive drive : drives)
        {
            table.row(drive.address(), text(drive.device().driver()), number(drive.device().iommuGroup()),
                number(drive.device().numaNode()), drive.model().isEmpty() ? drive.device().idText() : drive.model(),
                text(drive.serial()), drive.namespaces().isEmpty() ? "-" : size(drive.sizeBytes()),
                use(drive), DriveHealth.summary(drive));
        }
        return table;
    }

    /** A drive's size is seldom a whole number of anything. */
    static String size(final long sizeBytes)
    {
        double size = sizeBytes;
        int unit = 0;
        while (size >= UNIT && unit < UNITS.length - 1)
        {
            size /= UNIT;
            unit++;
        }
        return String.format(Locale.ROOT, size == Math.rint(size) ? "%.0f %s" : "%.1f %s", size, UNITS[unit]);
    }

    /** Strings of the drive are printed without control characters. */
    static String printable(final String text)
    {
        final StringBuilder printable = new StringBuilder(text.strip());
        for (int i = 0; i < printable.length(); i++)
        {
            if (printable.charAt(i) < ' ' || printable.charAt(i) > '~')
            {
                printable.setCharAt(i, '?');
            }
        }
        return printable.toString();
    }

    private static String use(final Drive drive)
    {
        final int more = drive.uses().size() - 1;
        return drive.isFree() ? "free" : drive.uses().getFirst() + (more > 0 ? ", and " + more + " more" : "");
    }

    private static String text(final String value)
    {
        return value.isEmpty() ? "-" : value;
    }

    private static String number(final int value)
    {
        return value < 0 ? "-" : Integer.toString(value);
    }

    static Map<String, Object> json(final Drive drive)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("address", drive.address());
        map.put("id", drive.device().idText());
        map.put("driver", drive.device().driver());
        map.put("iommu-group", drive.device().iommuGroup());
        map.put("numa-node", drive.device().numaNode());
        map.put("controller", drive.controller());
        map.put("model", drive.model());
        map.put("serial", drive.serial());
        map.put("firmware", drive.firmware());
        map.put("namespaces", drive.namespaces().stream().map(DriveView::json).toList());
        map.put("free", drive.isFree());
        map.put("uses", drive.uses());
        map.put("health", DriveHealth.summary(drive));
        return map;
    }

    private static Map<String, Object> json(final Drive.DriveNamespace namespace)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", namespace.name());
        map.put("size-bytes", namespace.sizeBytes());
        map.put("block-bytes", namespace.blockBytes());
        return map;
    }
}
