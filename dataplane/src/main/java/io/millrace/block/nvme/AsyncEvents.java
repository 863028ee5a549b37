package io.millrace.block.nvme;

import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.ErrorLogEntry;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SmartLog;
import io.millrace.nvme.identify.ControllerInfo;
import java.util.StringJoiner;

/**
 * Asynchronous events of the controller (NVM Express Base 2.0, section 5.2). Reading the log page that an event names
 * enables the next event of its type. Used on the controller's thread alone.
 */
final class AsyncEvents
{
    private static final int KELVIN_OFFSET = 273;
    private static final int CHANGED_NAMESPACES_BYTES = 4096;

    private final AdminQueue queue;
    private final AdminCommands admin;
    private final Notes notes;
    private final ErrorLogEntry error = new ErrorLogEntry();
    private final SmartLog smart = new SmartLog();
    private int requests;
    private String warning = "";

    /**
     * Creates the handler over the admin queue.
     *
     * @param queue that events come by.
     * @param admin commands.
     * @param notes that become of events.
     */
    AsyncEvents(final AdminQueue queue, final AdminCommands admin, final Notes notes)
    {
        this.queue = queue;
        this.admin = admin;
        this.notes = notes;
    }

    /**
     * Enables the events of a controller that was just enabled.
     *
     * @param info of the controller.
     */
    void configure(final ControllerInfo info)
    {
        requests = info.asyncEventLimit();
        // Optional events are in OAES; every controller has health warnings.
        admin.configureEvents(
            AsyncEvent.ENABLE_HEALTH_WARNINGS | info.optionalAsyncEvents() & AsyncEvent.ENABLE_NAMESPACE_NOTICES);
        queue.armEvents(requests);
    }

    /**
     * Handles events that arrived.
     *
     * @return whether namespaces changed.
     */
    boolean handle()
    {
        boolean haveNamespacesChanged = false;
        queue.poll();
        boolean isAny = false;
        for (int index = queue.takeEvent(); index >= 0; index = queue.takeEvent())
        {
            if (NvmeStatus.SUCCESS == queue.eventStatus(index))
            {
                isAny = true;
                haveNamespacesChanged |= handle(queue.event(index));
            }
            else
            {
                // It accepts fewer requests than it reports.
                requests = Math.max(0, requests - 1);
            }
        }
        if (isAny)
        {
            queue.armEvents(requests);
        }
        return haveNamespacesChanged;
    }

    /**
     * {@return warnings of the health log when the drive last announced a change; empty for none}
     */
    String warning()
    {
        return warning;
    }

    private boolean handle(final int event)
    {
        switch (AsyncEvent.type(event))
        {
            case AsyncEvent.TYPE_ERROR ->
            {
                notes.add("reports an error (event " + AsyncEvent.information(event) + "h)" + newestError());
            }
            case AsyncEvent.TYPE_HEALTH -> health();
            case AsyncEvent.TYPE_NOTICE ->
            {
                if (AsyncEvent.NOTICE_NAMESPACE_CHANGED == AsyncEvent.information(event))
                {
                    admin.logPage(LogPageId.CHANGED_NAMESPACES, 0, CHANGED_NAMESPACES_BYTES);
                    return true;
                }
                acknowledge(event);
            }
            default -> acknowledge(event);
        }
        return false;
    }

    /** What the newest entry of the error log says; reading it lets the drive send the next event. */
    private String newestError()
    {
        if (NvmeStatus.SUCCESS != admin.logPage(LogPageId.ERROR_INFORMATION, 0, ErrorLogEntry.SIZE_BYTES))
        {
            return "";
        }
        error.wrap(admin.data(), 0);
        return 0 == error.errorCount() ? ", its error log is empty" : ", number " + error.errorCount() + ": " +
            NvmeStatus.name(error.statusField() >>> 1) + " of namespace " +
            Integer.toUnsignedString(error.namespaceId()) + " at block " + Long.toUnsignedString(error.lba());
    }

    private void health()
    {
        if (NvmeStatus.SUCCESS != admin.logPage(LogPageId.SMART, 0, SmartLog.SIZE_BYTES))
        {
            return;
        }
        smart.wrap(admin.data(), 0);
        final int bits = smart.criticalWarning();
        final StringJoiner what = new StringJoiner(", ");
        add(what, bits, SmartLog.WARNING_SPARE, "spare of " + smart.availableSpare() +
            "% is below its threshold of " + smart.availableSpareThreshold() + "%");
        add(what, bits, SmartLog.WARNING_TEMPERATURE, "temperature of " +
            (smart.compositeTemperature() - KELVIN_OFFSET) + " degrees Celsius is beyond its threshold");
        add(what, bits, SmartLog.WARNING_RELIABILITY, "reliability is degraded");
        add(what, bits, SmartLog.WARNING_READ_ONLY, "media is read-only");
        add(what, bits, SmartLog.WARNING_BACKUP, "backup of volatile memory has failed");
        warning = what.toString();
        notes.add(0 == what.length() ? "reports that its health has recovered" : "warns: " + what);
    }

    private static void add(final StringJoiner what, final int warning, final int bit, final String text)
    {
        if (0 != (warning & bit))
        {
            what.add(text);
        }
    }

    /** Reads as little as possible of the page that the event names. */
    private void acknowledge(final int event)
    {
        if (0 != AsyncEvent.logPage(event))
        {
            admin.logPage(AsyncEvent.logPage(event), 0, Integer.BYTES);
        }
    }
}
