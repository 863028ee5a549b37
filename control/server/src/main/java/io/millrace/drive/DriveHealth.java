package io.millrace.drive;

import io.millrace.nvme.LogPageId;
import io.millrace.nvme.SmartLog;
import io.millrace.pci.PciException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a drive says of its health (NVM Express Base 2.0, section 5.16.1.3).
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
     * {@return what a drive says}
     *
     * @param admin way to it.
     * @throws io.millrace.pci.PciException when it cannot be asked.
     */
    static DriveHealth of(final DriveAdmin admin)
    {
        final SmartLog log = new SmartLog();
        log.wrap(new UnsafeBuffer(admin.logPage(LogPageId.SMART, SmartLog.SIZE_BYTES)), 0);
        return new DriveHealth(log);
    }

    /** In a few words, {@code -} when the kernel cannot be asked; others' drives are not taken for that. */
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
        map.put("criticalWarning", log.criticalWarning());
        map.put("warning", warning());
        map.put("temperatureCelsius", log.compositeTemperature() - KELVIN);
        map.put("availableSparePercent", log.availableSpare());
        map.put("availableSpareThresholdPercent", log.availableSpareThreshold());
        map.put("usedPercent", log.percentageUsed());
        map.put("dataUnitsRead", log.dataUnitsRead());
        map.put("dataUnitsWritten", log.dataUnitsWritten());
        map.put("readCommands", log.hostReadCommands());
        map.put("writeCommands", log.hostWriteCommands());
        map.put("busyMinutes", log.controllerBusyTime());
        map.put("powerCycles", log.powerCycles());
        map.put("powerOnHours", log.powerOnHours());
        map.put("unsafeShutdowns", log.unsafeShutdowns());
        map.put("mediaErrors", log.mediaErrors());
        map.put("errorLogEntries", log.errorLogEntries());
        return map;
    }
}
