package io.millrace.cli.local.drive;

import io.millrace.nvme.LogPageId;
import io.millrace.nvme.SmartLog;
import io.millrace.pci.PciException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Health of a drive (NVM Express Base 2.0, section 5.16.1.3).
 */
final class DriveHealth
{
    private static final int KELVIN = 273;
    private static final String[] WARNINGS = {
        "spare space is low", "temperature is out of range", "it has become unreliable", "it is read-only",
        "its backup of volatile memory has failed", "its persistent memory is read-only"};

    private final SmartLog log;

    DriveHealth(final SmartLog log)
    {
        this.log = log;
    }

    /**
     * {@return the health of a drive}
     *
     * @param admin access to the drive.
     * @throws io.millrace.pci.PciException when it cannot be asked.
     */
    static DriveHealth of(final DriveAdmin admin)
    {
        final SmartLog log = new SmartLog();
        log.wrap(new UnsafeBuffer(admin.logPage(LogPageId.SMART, SmartLog.SIZE_BYTES)), 0);
        return new DriveHealth(log);
    }

    /** Short form; {@code -} unless the kernel's driver is bound: drives bound to vfio-pci are not opened for it. */
    static String summary(final Drive drive)
    {
        if (drive.controller().isEmpty())
        {
            return "-";
        }
        try (DriveAdmin admin = new KernelAdmin(drive.controller()))
        {
            return of(admin).text();
        }
        catch (final PciException e)
        {
            return "-";
        }
    }

    String text()
    {
        final String warning = warning();
        return (warning.isEmpty() ? "good" : warning) + ", " + (log.compositeTemperature() - KELVIN) + " C, " +
            log.percentageUsed() + "% used";
    }

    private String warning()
    {
        for (int i = 0; i < WARNINGS.length; i++)
        {
            if (0 != (log.criticalWarning() >>> i & 1))
            {
                return WARNINGS[i];
            }
        }
        return "";
    }

    Map<String, Object> json()
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("critical-warning", log.criticalWarning());
        map.put("warning", warning());
        map.put("temperature-celsius", log.compositeTemperature() - KELVIN);
        map.put("available-spare-percent", log.availableSpare());
        map.put("available-spare-threshold-percent", log.availableSpareThreshold());
        map.put("used-percent", log.percentageUsed());
        map.put("data-units-read", log.dataUnitsRead());
        map.put("data-units-written", log.dataUnitsWritten());
        map.put("read-commands", log.hostReadCommands());
        map.put("write-commands", log.hostWriteCommands());
        map.put("busy-minutes", log.controllerBusyTime());
        map.put("power-cycles", log.powerCycles());
        map.put("power-on-hours", log.powerOnHours());
        map.put("unsafe-shutdowns", log.unsafeShutdowns());
        map.put("media-errors", log.mediaErrors());
        map.put("error-log-entries", log.errorLogEntries());
        return map;
    }
}
