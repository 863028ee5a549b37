package io.millrace.cli.local.drive;

import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.nvme.ErrorLogEntry;
import io.millrace.nvme.FirmwareSlotLog;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvme.identify.IdentifyControllerAdmin;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Log pages of a drive, read once (NVM Express Base 2.0, sections 5.16.1.2 to 5.16.1.4).
 */
final class DriveLogs
{
    private static final int NONE = 0xFFFF;
    private static final int SLOT_MASK = 7;
    private static final int NEXT_SLOT_SHIFT = 4;
    private static final int BIT_SHIFT = 8;
    private static final int FIRST_SLOT_READ_ONLY = 1;
    private static final int SLOTS_SHIFT = 1;

    /** Log pages; the names are values of an option. */
    enum Page
    {
        /** Health. */
        smart,
        /** Firmware slots. */
        firmware,
        /** Commands that failed. */
        error
    }

    private final IdentifyController identify = new IdentifyController();
    private final IdentifyControllerAdmin attributes = new IdentifyControllerAdmin();
    private final Set<Page> pages;
    private final DriveHealth health;
    private final FirmwareSlotLog firmware = new FirmwareSlotLog();
    private final List<ErrorLogEntry> errors = new ArrayList<>();

    /**
     * Reads pages.
     *
     * @param admin access to the drive.
     * @param pages wanted.
     * @throws io.millrace.pci.PciException when one cannot be read.
     */
    DriveLogs(final DriveAdmin admin, final Set<Page> pages)
    {
        this.pages = pages;
        identify.wrap(new UnsafeBuffer(admin.identify(IdentifyCns.CONTROLLER, 0)), 0);
        attributes.wrap(identify.buffer(), 0);
        health = pages.contains(Page.smart) ? DriveHealth.of(admin) : null;
        if (pages.contains(Page.firmware))
        {
            firmware.wrap(new UnsafeBuffer(admin.logPage(LogPageId.FIRMWARE_SLOT, FirmwareSlotLog.SIZE_BYTES)), 0);
        }
        if (pages.contains(Page.error))
        {
            final byte[] page = admin.logPage(LogPageId.ERROR_INFORMATION,
                (attributes.errorLogPageEntries() + 1) * ErrorLogEntry.SIZE_BYTES);
            final UnsafeBuffer buffer = new UnsafeBuffer(page);
            for (int at = 0; at + ErrorLogEntry.SIZE_BYTES <= page.length; at += ErrorLogEntry.SIZE_BYTES)
            {
                final ErrorLogEntry entry = new ErrorLogEntry();
                entry.wrap(buffer, at);
                if (0 != entry.errorCount())
                {
                    errors.add(entry);
                }
            }
        }
    }

    /**
     * Prints them for people.
     *
     * @param address  of the drive.
     * @param terminal to print to.
     */
    void print(final String address, final Terminal terminal)
    {
        terminal.line(address + ": " + model() + ", serial " + serial() + ", firmware " + revision());
        if (null != health)
        {
            terminal.line("health: " + health.text());
            health.json().forEach((name, value) -> terminal.line("  " + name + ": " + value));
        }
        if (pages.contains(Page.firmware))
        {
            terminal.line("firmware slots:");
            final Table table = new Table(">SLOT", "REVISION", "STATE");
            for (final Map<String, Object> slot : slots())
            {
                table.row(slot.get("slot").toString(), text((String)slot.get("revision")), (String)slot.get("state"));
            }
            table.print(terminal, "  ");
        }
        if (pages.contains(Page.error))
        {
            printErrors(terminal);
        }
    }

    private void printErrors(final Terminal terminal)
    {
        if (errors.isEmpty())
        {
            terminal.line("errors: none");
            return;
        }
        terminal.line("errors, newest first:");
        final Table table = new Table(">COUNT", ">QUEUE", ">COMMAND", "STATUS", ">NSID", ">BLOCK", "FIELD");
        for (final ErrorLogEntry entry : errors)
        {
            final int field = entry.parameterLocation();
            table.row(Long.toUnsignedString(entry.errorCount()), number(entry.sqId()), number(entry.commandId()),
                NvmeStatus.name(status(entry)), Integer.toUnsignedString(entry.namespaceId()),
                Long.toUnsignedString(entry.lba()),
                NONE == field ? "-" : "byte " + (field & 0xFF) + " bit " + (field >>> BIT_SHIFT & SLOT_MASK));
        }
        table.print(terminal, "  ");
    }

    /**
     * {@return the logs as maps, for JSON}
     *
     * @param address of the drive.
     */
    Map<String, Object> json(final String address)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("address", address);
        map.put("model", model());
        map.put("serial", serial());
        map.put("firmware", revision());
        if (null != health)
        {
            map.put("smart", health.json());
        }
        if (pages.contains(Page.firmware))
        {
            map.put("firmware-slots", slots());
        }
        if (pages.contains(Page.error))
        {
            map.put("errors", errors.stream().map(DriveLogs::json).toList());
        }
        return map;
    }

    private static Map<String, Object> json(final ErrorLogEntry entry)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("count", entry.errorCount());
        map.put("queue", entry.sqId());
        map.put("command", entry.commandId());
        map.put("status", NvmeStatus.code(status(entry)));
        map.put("status-name", NvmeStatus.name(status(entry)));
        map.put("more", 0 != (status(entry) & NvmeStatus.MORE));
        map.put("do-not-retry", !NvmeStatus.isRetryable(status(entry)));
        map.put("parameter-location", entry.parameterLocation());
        map.put("nsid", Integer.toUnsignedLong(entry.namespaceId()));
        map.put("block", Long.toUnsignedString(entry.lba()));
        map.put("command-specific", entry.commandSpecific());
        return map;
    }

    /** Slots that the drive supports, or that are not empty. */
    private List<Map<String, Object>> slots()
    {
        final int count = attributes.firmwareUpdates() >>> SLOTS_SHIFT & SLOT_MASK;
        final int active = firmware.activeFirmware() & SLOT_MASK;
        final int next = firmware.activeFirmware() >>> NEXT_SLOT_SHIFT & SLOT_MASK;
        final List<Map<String, Object>> slots = new ArrayList<>();
        for (int slot = 1; slot <= FirmwareSlotLog.SLOT_COUNT; slot++)
        {
            final String revision = DriveView.printable(firmware.revision(slot));
            if (slot <= count || slot == active || !revision.isEmpty())
            {
                final boolean isReadOnly = 1 == slot && 0 != (attributes.firmwareUpdates() & FIRST_SLOT_READ_ONLY);
                final Map<String, Object> map = new LinkedHashMap<>();
                map.put("slot", slot);
                map.put("revision", revision);
                map.put("state", (slot == active ? "active" : slot == next ? "active after the next reset" : "-") +
                    (isReadOnly ? ", read-only" : ""));
                slots.add(map);
            }
        }
        return slots;
    }

    /** Status without its phase tag. */
    private static int status(final ErrorLogEntry entry)
    {
        return entry.statusField() >>> 1;
    }

    private String model()
    {
        return DriveView.printable(identify.modelNumber());
    }

    private String serial()
    {
        return DriveView.printable(identify.serialNumber());
    }

    private String revision()
    {
        return DriveView.printable(identify.firmwareRevision());
    }

    private static String number(final int value)
    {
        return NONE == value ? "-" : Integer.toString(value);
    }

    private static String text(final String value)
    {
        return value.isEmpty() ? "-" : value;
    }
}
