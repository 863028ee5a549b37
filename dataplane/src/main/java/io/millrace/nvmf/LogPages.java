package io.millrace.nvmf;

import io.millrace.nvme.AnaLogHeader;
import io.millrace.nvme.ErrorLogEntry;
import io.millrace.nvme.FirmwareSlotLog;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SmartLog;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.NamespaceTotals;
import io.millrace.nvmf.queue.AsyncEvents;
import io.millrace.nvmf.queue.ErrorLog;
import io.millrace.nvmf.queue.QueuePair;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Log pages that Get Log Page returns (NVM Express Base 2.0, section 5.16). One instance a reactor, used on its thread
 * alone.
 */
final class LogPages
{
    /**
     * Makes a log page.
     */
    @FunctionalInterface
    private interface Maker
    {
        /**
         * {@return the whole page}
         *
         * @param queuePair that it was asked for on.
         * @param entry     of the command.
         */
        PageContent make(QueuePair queuePair, SubmissionQueueEntry entry);
    }

    /**
     * Makes a log page that is short.
     */
    @FunctionalInterface
    private interface BytesMaker
    {
        byte[] make(QueuePair queuePair, SubmissionQueueEntry entry);
    }

    /**
     * A log page that is supported.
     *
     * @param onDiscovery whether discovery controllers have it.
     * @param onIo        whether I/O controllers have it.
     * @param maker       maker of the page.
     */
    private record LogPage(boolean onDiscovery, boolean onIo, Maker maker)
    {
    }

    private static final int INVALID_FIELD = NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
    private static final int INDEX_OFFSET = 1 << 23;
    private static final int CSI_SHIFT = 24;
    private static final int EFFECTS_BYTES = 4096;
    private static final int EFFECTS_IO_OFFSET = 1024;
    private static final int TABLE_BYTES = 1024;
    private static final int IDS = 256;
    private static final int SECTOR_BYTES = 512;
    private static final int DATA_UNIT_SECTORS = 1000;
    private static final int SPARE_PERCENT = 100;
    private static final int ACTIVE_SLOT_1 = 1;

    private final Target target;
    private final Command[] adminCommands;
    private final Command[] ioCommands;
    private final Features features;
    private final DiscoveryLog discoveryLog;
    private final LogPage[] pages = new LogPage[IDS];

    LogPages(
        final Target target, final Command[] adminCommands, final Command[] ioCommands, final Features features)
    {
        this.target = target;
        this.adminCommands = adminCommands;
        this.ioCommands = ioCommands;
        this.features = features;
        discoveryLog = new DiscoveryLog(target);
        pages[LogPageId.SUPPORTED_LOG_PAGES] = new LogPage(true, true, whole(this::supportedPages));
        pages[LogPageId.ERROR_INFORMATION] = new LogPage(false, true, whole(LogPages::errors));
        pages[LogPageId.SMART] = new LogPage(false, true, whole(this::smart));
        pages[LogPageId.FIRMWARE_SLOT] = new LogPage(false, true, whole(LogPages::firmwareSlot));
        pages[LogPageId.CHANGED_NAMESPACES] = new LogPage(false, true, whole(LogPages::changedNamespaces));
        pages[LogPageId.COMMAND_EFFECTS] = new LogPage(false, true, whole(this::commandEffects));
        pages[LogPageId.ANA] = new LogPage(false, true, whole(LogPages::ana));
        pages[LogPageId.FEATURE_EFFECTS] = new LogPage(true, true, whole(this::featureEffects));
        // No management interface command is supported, which is what a page of zeroes says.
        pages[LogPageId.MANAGEMENT_EFFECTS] = new LogPage(false, true,
            whole((queuePair, entry) -> new byte[EFFECTS_BYTES]));
        pages[LogPageId.DISCOVERY] = new LogPage(true, false,
            (queuePair, entry) -> discoveryLog.of(Controller.of(queuePair).hostNqn(), queuePair.local()));
    }

    private static Maker whole(final BytesMaker maker)
    {
        return (queuePair, entry) -> PageContent.of(maker.make(queuePair, entry));
    }

    /**
     * {@return how many bytes a command asks for}
     *
     * @param entry of the command.
     */
    static long lengthBytes(final SubmissionQueueEntry entry)
    {
        return (((entry.cdw11() & 0xFFFFL) << 16 | entry.cdw10() >>> 16) + 1) * Integer.BYTES;
    }

    /**
     * {@return where in the page a command begins; negative when no page is so long}
     *
     * @param entry of the command.
     */
    static long offset(final SubmissionQueueEntry entry)
    {
        return (long)entry.cdw13() << 32 | entry.cdw12() & 0xFFFFFFFFL;
    }

    /**
     * Checks everything but the length of the page.
     *
     * @param controller that is asked.
     * @param entry      of the command.
     * @return status of the command.
     */
    int check(final Controller controller, final SubmissionQueueEntry entry)
    {
        final int logPageId = entry.cdw10() & 0xFF;
        if (!isSupported(logPageId, controller))
        {
            return NvmeStatus.INVALID_LOG_PAGE | NvmeStatus.DO_NOT_RETRY;
        }
        final int nsid = entry.namespaceId();
        final boolean isOfNamespace = LogPageId.SMART == logPageId && 0 != nsid && Namespace.NSID_ALL != nsid;
        final boolean isOfOtherSet = LogPageId.COMMAND_EFFECTS == logPageId && 0 != entry.cdw14() >>> CSI_SHIFT;
        return isOfNamespace || isOfOtherSet || 0 != (entry.cdw14() & INDEX_OFFSET) || 0 != (entry.cdw12() & 3) ?
            INVALID_FIELD : NvmeStatus.SUCCESS;
    }

    /**
     * {@return the whole page}
     *
     * @param queuePair that it was asked for on.
     * @param entry     of a command that has been checked.
     */
    PageContent page(final QueuePair queuePair, final SubmissionQueueEntry entry)
    {
        return pages[entry.cdw10() & 0xFF].maker().make(queuePair, entry);
    }

    /**
     * {@return where a page ends; what lies behind what {@link #page} answered is zero}
     *
     * @param entry       of a command that has been checked.
     * @param lengthBytes of what was answered.
     */
    long endBytes(final SubmissionQueueEntry entry, final long lengthBytes)
    {
        // nvme-cli asks for the largest page there could be, in pieces.
        return LogPageId.ANA == (entry.cdw10() & 0xFF) ? AnaLog.SIZE_BYTES_MAX : lengthBytes;
    }

    private boolean isSupported(final int logPageId, final Controller controller)
    {
        final LogPage page = pages[logPageId];
        return null != page && (controller.subsystem().isDiscovery() ? page.onDiscovery() : page.onIo());
    }

    private byte[] supportedPages(final QueuePair queuePair, final SubmissionQueueEntry entry)
    {
        final byte[] bytes = new byte[TABLE_BYTES];
        final UnsafeBuffer page = new UnsafeBuffer(bytes);
        for (int id = 0; id < IDS; id++)
        {
            if (isSupported(id, Controller.of(queuePair)))
            {
                page.putInt(id * Integer.BYTES, LogPageId.EFFECT_SUPPORTED, ByteOrder.LITTLE_ENDIAN);
            }
        }
        return bytes;
    }

    private static byte[] errors(final QueuePair queuePair, final SubmissionQueueEntry entry)
    {
        final byte[] bytes = new byte[ErrorLog.ENTRIES * ErrorLogEntry.SIZE_BYTES];
        Controller.of(queuePair).errorLog().write(new UnsafeBuffer(bytes),
            queuePair.local().transportType().code());
        return bytes;
    }

    private byte[] smart(final QueuePair queuePair, final SubmissionQueueEntry entry)
    {
        final byte[] bytes = new byte[SmartLog.SIZE_BYTES];
        final SmartLog log = new SmartLog();
        log.wrap(new UnsafeBuffer(bytes), 0);
        final Controller controller = Controller.of(queuePair);
        final NamespaceTotals totals = controller.subsystem().totals();
        log.availableSpare(SPARE_PERCENT)
            .dataUnitsRead(dataUnits(totals.bytesRead()))
            .dataUnitsWritten(dataUnits(totals.bytesWritten()))
            .hostReadCommands(totals.readCommands())
            .hostWriteCommands(totals.writeCommands())
            .powerOnHours(TimeUnit.NANOSECONDS.toHours(target.nowNs() - target.startNs()))
            .mediaErrors(totals.mediaErrors())
            .errorLogEntries(controller.errorLog().count());
        return bytes;
    }

    private static long dataUnits(final long lengthBytes)
    {
        return (lengthBytes / SECTOR_BYTES + DATA_UNIT_SECTORS - 1) / DATA_UNIT_SECTORS;
    }

    private static byte[] firmwareSlot(final QueuePair queuePair, final SubmissionQueueEntry entry)
    {
        final byte[] bytes = new byte[FirmwareSlotLog.SIZE_BYTES];
        final FirmwareSlotLog log = new FirmwareSlotLog();
        log.wrap(new UnsafeBuffer(bytes), 0);
        log.activeFirmware(ACTIVE_SLOT_1).revision1(IdentifyData.FIRMWARE_REVISION);
        return bytes;
    }

    private static byte[] changedNamespaces(final QueuePair queuePair, final SubmissionQueueEntry entry)
    {
        final AsyncEvents events = Controller.of(queuePair).asyncEvents();
        final byte[] bytes = new byte[AsyncEvents.CHANGED_NAMESPACES_MAX * Integer.BYTES];
        final UnsafeBuffer page = new UnsafeBuffer(bytes);
        if (events.changedNamespaces().size() > AsyncEvents.CHANGED_NAMESPACES_MAX)
        {
            page.putInt(0, Namespace.NSID_ALL, ByteOrder.LITTLE_ENDIAN);
            return bytes;
        }
        int index = 0;
        for (final int nsid : events.changedNamespaces())
        {
            page.putInt(index * Integer.BYTES, nsid, ByteOrder.LITTLE_ENDIAN);
            index++;
        }
        return bytes;
    }

    private static byte[] ana(final QueuePair queuePair, final SubmissionQueueEntry entry)
    {
        final Controller controller = Controller.of(queuePair);
        return controller.subsystem().ana().logPage(controller, 0 != (entry.cdw10() & AnaLogHeader.GROUPS_ONLY));
    }

    private byte[] commandEffects(final QueuePair queuePair, final SubmissionQueueEntry entry)
    {
        final byte[] bytes = new byte[EFFECTS_BYTES];
        final UnsafeBuffer page = new UnsafeBuffer(bytes);
        effects(page, 0, adminCommands);
        effects(page, EFFECTS_IO_OFFSET, ioCommands);
        return bytes;
    }

    private static void effects(final UnsafeBuffer page, final int offset, final Command[] commands)
    {
        for (int opcode = 0; opcode < IDS; opcode++)
        {
            if (null != commands[opcode])
            {
                page.putInt(offset + opcode * Integer.BYTES, commands[opcode].effects(), ByteOrder.LITTLE_ENDIAN);
            }
        }
    }

    private byte[] featureEffects(final QueuePair queuePair, final SubmissionQueueEntry entry)
    {
        final byte[] bytes = new byte[TABLE_BYTES];
        final UnsafeBuffer page = new UnsafeBuffer(bytes);
        for (int id = 0; id < IDS; id++)
        {
            page.putInt(id * Integer.BYTES, features.effects(id, Controller.of(queuePair)), ByteOrder.LITTLE_ENDIAN);
        }
        return bytes;
    }
}
