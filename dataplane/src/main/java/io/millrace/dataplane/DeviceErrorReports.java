package io.millrace.dataplane;

import io.millrace.bindings.Errno;
import io.millrace.block.FailureCause;
import io.millrace.block.spdk.SpdkDevice;
import io.millrace.nvmf.config.DeviceError;
import io.millrace.status.DeviceErrorStatus;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Reports errors of devices at a bounded rate: a distinct error when it occurs first on any reactor, and when it recurs
 * after a minute; in between, one line a minute for each device with the new counts. Reactors add and remove; one
 * thread checks, a few times a second; any thread lists.
 */
final class DeviceErrorReports
{
    /** Between two lines of a device; an error that has not occurred for this time is reported as if it were new. */
    static final long INTERVAL_MS = 60_000;

    private static final long CHECK_INTERVAL_MS = 1_000;

    private record Key(String device, String operation, String status, String cause)
    {
        static Key of(final DeviceErrorStatus error)
        {
            return new Key(error.device(), error.operation(), error.status(), error.cause());
        }
    }

    /** What was reported of a distinct error. */
    private static final class Report
    {
        private long seenCount;
        private long seenMs;
        private long reportedCount;
    }

    private final Operations operations;
    private final List<DeviceError> errors = new CopyOnWriteArrayList<>();
    private final Map<Key, Report> reports = new LinkedHashMap<>();
    private final Map<String, Long> reportedMs = new LinkedHashMap<>();
    private int knownErrors;
    private long checkedMs;

    DeviceErrorReports(final Operations operations)
    {
        this.operations = operations;
    }

    /**
     * A reactor has a distinct error. On that reactor.
     *
     * @param error that goes on counting.
     */
    void add(final DeviceError error)
    {
        errors.add(error);
    }

    /**
     * A reactor no longer counts an error. On that reactor.
     *
     * @param error that was added.
     */
    void remove(final DeviceError error)
    {
        errors.remove(error);
    }

    /**
     * {@return the distinct errors of devices that are in use, reactors added up; any thread}
     */
    List<DeviceErrorStatus> list()
    {
        final List<DeviceErrorStatus> all = new ArrayList<>();
        for (final DeviceError each : errors)
        {
            all.add(each.snapshot());
        }
        return DeviceErrorStatus.merge(all);
    }

    /**
     * Reports what is due. Always on the same thread.
     *
     * @param nowMs time of day.
     */
    void check(final long nowMs)
    {
        // The clock may be set back. New errors are reported immediately.
        if (errors.size() == knownErrors && Math.abs(nowMs - checkedMs) < CHECK_INTERVAL_MS)
        {
            return;
        }
        checkedMs = nowMs;
        knownErrors = errors.size();
        final List<DeviceErrorStatus> all = list();
        if (reports.size() > all.size())
        {
            reports.keySet().retainAll(all.stream().map(Key::of).toList());
        }
        for (final DeviceErrorStatus each : all)
        {
            check(each, nowMs);
        }
        for (final Iterator<Map.Entry<String, Long>> i = reportedMs.entrySet().iterator(); i.hasNext();)
        {
            final Map.Entry<String, Long> device = i.next();
            if (Math.abs(nowMs - device.getValue()) >= INTERVAL_MS && !summarize(device.getKey(), all))
            {
                i.remove();
            }
            else if (Math.abs(nowMs - device.getValue()) >= INTERVAL_MS)
            {
                device.setValue(nowMs);
            }
        }
    }

    private void check(final DeviceErrorStatus error, final long nowMs)
    {
        final Report report = reports.computeIfAbsent(Key.of(error), (key) -> new Report());
        if (error.count() == report.seenCount)
        {
            return;
        }
        // Fewer than before: the device was removed and added again.
        if (error.count() < report.seenCount || 0 == report.seenCount ||
            Math.abs(nowMs - report.seenMs) >= INTERVAL_MS)
        {
            final long more = error.count() - (error.count() < report.seenCount ? 0 : report.seenCount);
            operations.onDeviceErrorDue(error.device(), sentence(error, more));
            report.reportedCount = error.count();
            reportedMs.putIfAbsent(error.device(), nowMs);
        }
        report.seenCount = error.count();
        report.seenMs = nowMs;
    }

    /** Whether there was something to report. */
    private boolean summarize(final String device, final List<DeviceErrorStatus> all)
    {
        final StringBuilder text = new StringBuilder();
        for (final DeviceErrorStatus each : all)
        {
            final Report report = reports.get(Key.of(each));
            final long more = each.count() - report.reportedCount;
            if (device.equals(each.device()) && more > 0)
            {
                report.reportedCount = each.count();
                text.append(text.isEmpty() ? "device " + device + ", more errors: " : "; ")
                    .append(more).append(" times ").append(describe(each)).append(", last at LBA ")
                    .append(each.lastLba());
            }
        }
        if (text.isEmpty())
        {
            return false;
        }
        operations.onDeviceErrorSummary(text.toString());
        return true;
    }

    private String sentence(final DeviceErrorStatus error, final long more)
    {
        return describe(error) + " at LBA " + (error.count() == more ? error.firstLba() : error.lastLba()) +
            (more > 1 ? ", " + more + " times" : "") + remedy(error);
    }

    private static String describe(final DeviceErrorStatus error)
    {
        if (error.cause().isEmpty())
        {
            return error.operation() + " failed with " + error.status();
        }
        return error.operation() + " failed with " + error.status() + " (" + error.cause() +
            (0 == error.errno() ? "" : ", " + Errno.describe(error.errno())) + ")";
    }

    private String remedy(final DeviceErrorStatus error)
    {
        final DeviceError source = source(error);
        if (null == source)
        {
            return "";
        }
        final String place = source.device().location();
        if (FailureCause.FAULT_RULE == source.cause())
        {
            return "; caused by a rule of the fault device: change its rules with 'millrace device faults'";
        }
        if (source.isOfPath())
        {
            final String problem = source.device().status().reason();
            return "; no path to " + place + " executed it in time" + (problem.isEmpty() ? "" : ", " + problem) +
                ": check the target and the network";
        }
        if (source.device() instanceof SpdkDevice)
        {
            return "; SPDK ended it at bdev " + place + ": see its messages in this log; writes to a thin logical " +
                "volume end so when its store is full ('millrace spdk rpc bdev_lvol_get_lvstores')";
        }
        if (FailureCause.NVME_STATUS == source.cause())
        {
            return "; the drive at " + place + " reported it: check its health with 'millrace drive log'";
        }
        if (FailureCause.MEMORY_DOMAIN == source.cause())
        {
            return "; it cannot access the memory that the payload lies in: use it with payload in main memory";
        }
        return switch (error.errno())
        {
            case Errno.ENOSPC -> "; the file system of " + place +
                " is full: free space on it, or create devices with preallocate";
            case Errno.EDQUOT -> "; the quota of the user on the file system of " + place + " is used up: raise it";
            case Errno.EFBIG -> "; " + place + " may not grow so far: raise the limit of file size of the process";
            case Errno.EROFS -> "; the file system of " + place +
                " is read-only: see the kernel's log for why, and mount it for writing";
            case Errno.ETIMEDOUT, Errno.ENOLINK -> "; the drive below " + place +
                " does not answer: see the kernel's log";
            case Errno.EIO, Errno.ENODATA, Errno.EREMOTEIO, Errno.EILSEQ -> "; the drive below " + place +
                " failed the operation: see the kernel's log, and replace the drive if that names it";
            case Errno.ENXIO, Errno.ENODEV -> "; the drive below " + place + " is gone: see the kernel's log";
            default -> "";
        };
    }

    private DeviceError source(final DeviceErrorStatus error)
    {
        for (final DeviceError each : errors)
        {
            if (Key.of(each.snapshot()).equals(Key.of(error)))
            {
                return each;
            }
        }
        return null;
    }
}
