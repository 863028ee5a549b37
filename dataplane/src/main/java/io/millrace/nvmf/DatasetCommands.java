package io.millrace.nvmf;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.nvme.CopyRange;
import io.millrace.nvme.DatasetRange;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.ana.AnaPath;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.queue.SubsystemChannels;
import io.millrace.nvmf.request.NamespaceChannel;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPayload;
import io.millrace.nvmf.request.RequestPhase;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * I/O commands that take several block requests, one after another: Dataset Management and Copy with their ranges,
 * Flush of all namespaces (NVM Command Set 1.0, sections 3.2.3 and 3.2.2; NVM Express Base 2.0, section 7.1). One
 * instance a reactor, used on its thread alone.
 */
final class DatasetCommands
{
    /** Bounds the steps of a command that a device which completes inline executes in one poll. */
    private static final int STEPS_PER_POLL = 16;
    /** Block requests count blocks in an int. */
    private static final long STEP_BLOCKS_MAX = 1L << 30;
    private static final int RANGES_MASK = 0xFF;

    private final IoCommands io;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final DatasetRange range = new DatasetRange();
    private final CopyRanges copies = new CopyRanges();

    DatasetCommands(final IoCommands io)
    {
        this.io = io;
    }

    /**
     * {@return whether a command is carried out in steps}
     *
     * @param request of a command whose block request was a flush, a deallocation or a copy.
     */
    static boolean hasSteps(final Request request)
    {
        final SubmissionQueueEntry entry = request.entry();
        return IoOpcode.DATASET_MANAGEMENT == entry.opcode() || IoOpcode.COPY == entry.opcode() || isFlushOfAll(entry);
    }

    void flush(final QueuePair queuePair, final Request request)
    {
        if (isFlushOfAll(request.entry()))
        {
            final int refusal = refusalOfAll(queuePair);
            request.step(0);
            if (NvmeStatus.SUCCESS != refusal)
            {
                queuePair.complete(request, refusal);
            }
            else if (awaitsUnopened(queuePair, request))
            {
                return;
            }
            else if (nextFlush(queuePair, request))
            {
                run(queuePair, request);
            }
            else
            {
                queuePair.complete(request, NvmeStatus.SUCCESS);
            }
            return;
        }
        final NamespaceChannel namespace = io.namespace(queuePair, request);
        if (null != namespace)
        {
            request.blockRequest().reset(BlockOperation.FLUSH, 0, 0);
            namespace.bind(request);
            namespace.device().submit(request);
        }
    }

    void manage(final QueuePair queuePair, final Request request)
    {
        final NamespaceChannel namespace = io.namespace(queuePair, request);
        if (null == namespace)
        {
            return;
        }
        final SubmissionQueueEntry entry = request.entry();
        final int rangesBytes = ranges(entry) * DatasetRange.SIZE_BYTES;
        if (RequestPayload.NONE == request.payload())
        {
            // Hosts may send the whole table of 256 ranges whatever the count; Linux does.
            final int status = request.dataPointer().checkFromHost(rangesBytes,
                DatasetRange.COUNT_MAX * DatasetRange.SIZE_BYTES);
            if (NvmeStatus.SUCCESS != status)
            {
                queuePair.complete(request, status);
                return;
            }
        }
        if (!receiveRanges(queuePair, request, namespace))
        {
            return;
        }
        final int status = checkRanges(request, namespace);
        final boolean deallocates = 0 != (entry.cdw11() & DatasetRange.DEALLOCATE);
        if (NvmeStatus.SUCCESS != status || !deallocates)
        {
            queuePair.complete(request, status);
        }
        else if (namespace.geometry().readOnly())
        {
            queuePair.complete(request, NvmeStatus.NAMESPACE_WRITE_PROTECTED | NvmeStatus.DO_NOT_RETRY);
        }
        else if (!namespace.geometry().supportsDeallocate() || !nextRange(request))
        {
            // Deallocation is a hint; one that cannot be followed is no error.
            queuePair.complete(request, NvmeStatus.SUCCESS);
        }
        else
        {
            run(queuePair, request);
        }
    }

    /** Whether a command goes on now, its ranges received. */
    private static boolean receiveRanges(
        final QueuePair queuePair, final Request request, final NamespaceChannel namespace)
    {
        final int lengthBytes = request.dataPointer().lengthBytes();
        if (queuePair.channels().isLimited() &&
            !queuePair.resources().qos().admits(request, namespace, false, 0, lengthBytes))
        {
            return false;
        }
        namespace.bind(request);
        return queuePair.resources().payloads().receive(request, lengthBytes);
    }

    void copy(final QueuePair queuePair, final Request request)
    {
        final NamespaceChannel namespace = io.namespace(queuePair, request);
        if (null == namespace)
        {
            return;
        }
        final SubmissionQueueEntry entry = request.entry();
        int status = CopyRanges.check(entry, namespace.geometry());
        if (NvmeStatus.SUCCESS == status && RequestPayload.NONE == request.payload())
        {
            status = request.dataPointer().checkFromHost(
                CopyRanges.count(entry) * CopyRange.SIZE_BYTES, CopyRanges.TABLE_BYTES_MAX);
        }
        if (NvmeStatus.SUCCESS != status)
        {
            queuePair.complete(request, status);
            return;
        }
        if (!receiveRanges(queuePair, request, namespace))
        {
            return;
        }
        status = copies.checkRanges(request, namespace.geometry());
        if (NvmeStatus.SUCCESS != status)
        {
            queuePair.complete(request, status);
        }
        else if (nextCopy(queuePair, request))
        {
            run(queuePair, request);
        }
    }

    private boolean nextCopy(final QueuePair queuePair, final Request request)
    {
        return copies.next(request, IoCommands.forcesUnitAccess(queuePair, request.entry(), request.namespace()));
    }

    /**
     * A block request of a command in steps has succeeded.
     *
     * @param queuePair it came in on.
     * @param request   the command's request.
     */
    void onStepDone(final QueuePair queuePair, final Request request)
    {
        if (RequestPhase.STEPPING == request.phase())
        {
            request.phase(RequestPhase.STEP_DONE);
        }
        else if (!queuePair.state().isGone() && next(queuePair, request))
        {
            run(queuePair, request);
        }
        else
        {
            queuePair.complete(request, NvmeStatus.SUCCESS);
        }
    }

    /**
     * Hands filled block requests to the device until one does not complete at once.
     */
    private void run(final QueuePair queuePair, final Request request)
    {
        final int serial = request.serial();
        for (int steps = 0; steps < STEPS_PER_POLL; steps++)
        {
            request.phase(RequestPhase.STEPPING);
            if (!request.namespace().device().trySubmit(request))
            {
                request.namespace().device().enqueue(request);
                return;
            }
            if (serial != request.serial() || RequestPhase.STEP_DONE != request.phase())
            {
                // Failed and answered, or at the device.
                if (serial == request.serial() && RequestPhase.STEPPING == request.phase())
                {
                    request.phase(RequestPhase.SUBMITTED);
                }
                return;
            }
            if (queuePair.state().isGone() || !next(queuePair, request))
            {
                queuePair.complete(request, NvmeStatus.SUCCESS);
                return;
            }
        }
        request.namespace().device().enqueue(request);
    }

    private boolean next(final QueuePair queuePair, final Request request)
    {
        return switch (request.entry().opcode())
        {
            case IoOpcode.DATASET_MANAGEMENT -> nextRange(request);
            case IoOpcode.COPY -> nextCopy(queuePair, request);
            default -> nextFlush(queuePair, request);
        };
    }

    /**
     * A success would say of every namespace that its data is safe, those included that cannot be reached here.
     */
    private static int refusalOfAll(final QueuePair queuePair)
    {
        final AnaPath path = queuePair.association().anaPath();
        final SubsystemChannels channels = queuePair.channels();
        for (int nsid = 1; nsid < channels.limit(); nsid++)
        {
            final NamespaceChannel namespace = channels.get(nsid);
            if (null != namespace && path.isRefusing(namespace.anaGroup()))
            {
                return path.refusal(namespace.anaGroup());
            }
        }
        return NvmeStatus.SUCCESS;
    }

    /**
     * Has a flush of all wait for devices that are not open on this reactor: what their caches hold may have been
     * written by way of others. {@return whether it waits, or has been refused}
     */
    private static boolean awaitsUnopened(final QueuePair queuePair, final Request request)
    {
        final SubsystemChannels channels = queuePair.channels();
        for (int nsid = 1; nsid < channels.served().limit(); nsid++)
        {
            final NamespaceChannel namespace = channels.find(nsid);
            if (null != namespace && namespace.volatileCache() && !namespace.device().openNow())
            {
                if (!namespace.device().openQueue().await(request, namespace))
                {
                    queuePair.complete(request, NvmeStatus.NAMESPACE_NOT_READY);
                }
                return true;
            }
        }
        return false;
    }

    private static boolean nextFlush(final QueuePair queuePair, final Request request)
    {
        final SubsystemChannels channels = queuePair.channels();
        for (int nsid = request.step() + 1; nsid < channels.limit(); nsid++)
        {
            final NamespaceChannel namespace = channels.get(nsid);
            if (null != namespace && namespace.isOpen())
            {
                if (null != request.namespace())
                {
                    request.namespace().unbind(request);
                }
                request.step(nsid);
                request.blockRequest().reset(BlockOperation.FLUSH, 0, 0);
                namespace.bind(request);
                return true;
            }
        }
        return false;
    }

    private boolean nextRange(final Request request)
    {
        wrapRanges(request);
        for (int index = request.step(); index < ranges(request.entry()); index++)
        {
            range.wrap(view, index * DatasetRange.SIZE_BYTES);
            final long left = Integer.toUnsignedLong(range.blocks()) - request.stepBlocks();
            if (left > 0)
            {
                final long blocks = Math.min(left, STEP_BLOCKS_MAX);
                final BlockRequest blockRequest = request.blockRequest();
                blockRequest.reset(BlockOperation.DEALLOCATE, range.startingLba() + request.stepBlocks(), (int)blocks);
                request.step(index);
                request.stepBlocks(request.stepBlocks() + blocks);
                return true;
            }
            request.stepBlocks(0);
        }
        return false;
    }

    private int checkRanges(final Request request, final NamespaceChannel namespace)
    {
        wrapRanges(request);
        for (int index = 0; index < ranges(request.entry()); index++)
        {
            range.wrap(view, index * DatasetRange.SIZE_BYTES);
            final long blocks = Integer.toUnsignedLong(range.blocks());
            if (blocks > 0 && !namespace.geometry().contains(range.startingLba(), blocks))
            {
                return NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY;
            }
        }
        return NvmeStatus.SUCCESS;
    }

    private void wrapRanges(final Request request)
    {
        view.wrap(request.bufferAddress(), ranges(request.entry()) * DatasetRange.SIZE_BYTES);
    }

    private static int ranges(final SubmissionQueueEntry entry)
    {
        return (entry.cdw10() & RANGES_MASK) + 1;
    }

    private static boolean isFlushOfAll(final SubmissionQueueEntry entry)
    {
        return IoOpcode.FLUSH == entry.opcode() && Namespace.NSID_ALL == entry.namespaceId();
    }
}
