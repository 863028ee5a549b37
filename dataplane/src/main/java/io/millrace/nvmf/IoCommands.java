package io.millrace.nvmf;

import io.millrace.block.BlockCompletionListener;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.memory.Segments;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.queue.CommandHandler;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.queue.QueuePairState;
import io.millrace.nvmf.request.NamespaceChannel;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPayload;
import io.millrace.nvmf.request.RequestPhase;

/**
 * Commands of I/O queues (NVM Command Set 1.0, section 3). The hot path: nothing is allocated here. One instance a
 * reactor, used on its thread alone.
 */
final class IoCommands implements CommandHandler, BlockCompletionListener
{
    private static final int BLOCKS_MASK = 0xFFFF;
    /** Dword 12: force unit access. */
    private static final int FORCE_UNIT_ACCESS = 1 << 30;
    /** Dword 12: protection information field; there is no protection information. */
    private static final int PROTECTION_MASK = 0xF << 26;
    /** Dword 12 of Write Zeroes: deallocate. */
    private static final int WRITE_ZEROES_DEALLOCATE = 1 << 25;

    // Effects of I/O commands. Their scope is optional and left out: Linux 6.1 warns of bits that it does not know.
    private static final int READS = LogPageId.EFFECT_SUPPORTED;
    private static final int WRITES = LogPageId.EFFECT_SUPPORTED | LogPageId.EFFECT_CONTENT_CHANGE;
    private static final int INVALID_FIELD = NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;

    private final DatasetCommands dataset = new DatasetCommands(this);
    private final Command[] commands = Command.table(
        new Command(IoOpcode.FLUSH, READS, false, dataset::flush),
        new Command(IoOpcode.WRITE, WRITES, false, this::write),
        new Command(IoOpcode.READ, READS, false, this::read),
        new Command(IoOpcode.COMPARE, READS, false, this::compare),
        new Command(IoOpcode.WRITE_ZEROES, WRITES, false, this::writeZeroes),
        new Command(IoOpcode.DATASET_MANAGEMENT, WRITES, false, dataset::manage),
        new Command(IoOpcode.VERIFY, READS, false, this::verify),
        new Command(IoOpcode.COPY, WRITES, false, dataset::copy));

    /**
     * {@return commands by opcode; null where there is none}
     */
    Command[] commands()
    {
        return commands;
    }

    @Override
    public void execute(final QueuePair queuePair, final Request request)
    {
        final int opcode = request.entry().opcode();
        if (IoOpcode.READ == opcode)
        {
            read(queuePair, request);
        }
        else if (IoOpcode.WRITE == opcode)
        {
            write(queuePair, request);
        }
        else
        {
            final Command command = commands[opcode];
            if (null == command)
            {
                queuePair.complete(request, NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY);
            }
            else if (0 != (request.entry().flags() & SglDescriptor.FLAGS_FUSED_MASK))
            {
                queuePair.complete(request, INVALID_FIELD);
            }
            else
            {
                command.handler().execute(queuePair, request);
            }
        }
    }

    /**
     * A device is done with a request.
     *
     * @param blockRequest the completed block request.
     */
    @Override
    public void onComplete(final BlockRequest blockRequest)
    {
        final Request request = (Request)blockRequest.owner();
        final QueuePair queuePair = (QueuePair)request.owner();
        if (0 != request.bufferAddress())
        {
            request.namespace().device().onReturned(request);
        }
        final BlockStatus status = blockRequest.status();
        if (BlockStatus.SUCCESS != status)
        {
            request.namespace().device().onFailed(blockRequest);
            fail(queuePair, request, status);
            return;
        }
        switch (blockRequest.operation())
        {
            case READ ->
            {
                if (!request.isLastPart())
                {
                    queuePair.meter().onRead(request.dataLength());
                    queuePair.sendPart(request);
                    return;
                }
                if (blockRequest.lent())
                {
                    request.data().copyFrom(blockRequest.segments());
                }
                request.sendsData(true);
                queuePair.meter().onRead(request.dataLength());
            }
            case WRITE ->
            {
                onWritten(queuePair, request);
                return;
            }
            case COMPARE ->
            {
                if (!request.isLastPart())
                {
                    receiveNextPart(queuePair, request);
                    return;
                }
            }
            case FLUSH, DEALLOCATE, COPY ->
            {
                if (DatasetCommands.hasSteps(request))
                {
                    dataset.onStepDone(queuePair, request);
                    return;
                }
            }
            case WRITE_ZEROES, VERIFY ->
            {
            }
        }
        queuePair.complete(request, NvmeStatus.SUCCESS);
    }

    private void onWritten(final QueuePair queuePair, final Request request)
    {
        queuePair.meter().onWritten(request.dataLength());
        if (request.isLastPart())
        {
            queuePair.complete(request, NvmeStatus.SUCCESS);
        }
        else
        {
            receiveNextPart(queuePair, request);
        }
    }

    private void receiveNextPart(final QueuePair queuePair, final Request request)
    {
        if (QueuePairState.IO != queuePair.state())
        {
            queuePair.complete(request, NvmeStatus.ABORTED_SQ_DELETION);
            return;
        }
        request.endPart();
        request.payload(RequestPayload.BUFFERED);
        // A part that was received into memory of the device was never submitted.
        if (RequestPhase.EXECUTING != request.phase())
        {
            request.phase(RequestPhase.EXECUTING);
        }
        execute(queuePair, request);
    }

    private void read(final QueuePair queuePair, final Request request)
    {
        final SubmissionQueueEntry entry = request.entry();
        final NamespaceChannel namespace = namespace(queuePair, request);
        if (null == namespace)
        {
            return;
        }
        final int blocks = (entry.cdw12() & BLOCKS_MASK) + 1;
        final int lengthBytes = blocks << namespace.blockShift();
        int status = checkRange(queuePair, entry, namespace, blocks, lengthBytes);
        if (NvmeStatus.SUCCESS == status)
        {
            status = request.dataPointer().checkToHost(lengthBytes);
        }
        if (NvmeStatus.SUCCESS != status)
        {
            queuePair.complete(request, status);
            return;
        }
        if (queuePair.channels().isLimited() &&
            !queuePair.resources().qos().admits(request, namespace, true, lengthBytes, 0))
        {
            return;
        }
        final BlockRequest blockRequest = request.blockRequest()
            .reset(BlockOperation.READ, entry.startingLba(), blocks);
        if (namespace.lendsReads())
        {
            blockRequest.lendable(true);
        }
        else
        {
            if (!namespace.device().admits(request))
            {
                namespace.bind(request);
                namespace.device().awaitAdmission(request);
                return;
            }
            if (!queuePair.resources().payloads().acquireParts(request, lengthBytes))
            {
                return;
            }
            request.beginPart(lengthBytes);
            if (!request.isLastPart() || 0 != request.partOffset())
            {
                blockRequest.reset(BlockOperation.READ,
                    entry.startingLba() + (request.partOffset() >> namespace.blockShift()),
                    request.dataLength() >> namespace.blockShift());
            }
            blockRequest.segments().copyFrom(request.data());
            // A part is sent from its buffer.
            blockRequest.lendable(request.isLastPart() && 0 == request.partOffset());
        }
        blockRequest.forceUnitAccess(0 != (entry.cdw12() & FORCE_UNIT_ACCESS));
        namespace.bind(request);
        namespace.device().submit(request);
    }

    private void write(final QueuePair queuePair, final Request request)
    {
        final NamespaceChannel namespace = namespace(queuePair, request);
        if (null != namespace)
        {
            if (namespace.geometry().readOnly())
            {
                queuePair.complete(request, NvmeStatus.NAMESPACE_WRITE_PROTECTED | NvmeStatus.DO_NOT_RETRY);
            }
            else
            {
                transferFromHost(queuePair, request, namespace, BlockOperation.WRITE);
            }
        }
    }

    private void compare(final QueuePair queuePair, final Request request)
    {
        final NamespaceChannel namespace = namespace(queuePair, request);
        if (null != namespace)
        {
            transferFromHost(queuePair, request, namespace, BlockOperation.COMPARE);
        }
    }

    private void transferFromHost(
        final QueuePair queuePair,
        final Request request,
        final NamespaceChannel namespace,
        final BlockOperation operation)
    {
        final SubmissionQueueEntry entry = request.entry();
        final int blocks = (entry.cdw12() & BLOCKS_MASK) + 1;
        final int lengthBytes = blocks << namespace.blockShift();
        // Checked once: what came in the capsule is named only while it is there.
        if (RequestPayload.NONE == request.payload())
        {
            int status = checkRange(queuePair, entry, namespace, blocks, lengthBytes);
            if (NvmeStatus.SUCCESS == status)
            {
                status = request.dataPointer().checkFromHost(lengthBytes, lengthBytes);
            }
            if (NvmeStatus.SUCCESS != status)
            {
                queuePair.complete(request, status);
                return;
            }
        }
        if (queuePair.channels().isLimited() && !queuePair.resources().qos().admits(
            request, namespace, BlockOperation.COMPARE == operation, lengthBytes, lengthBytes))
        {
            return;
        }
        namespace.bind(request);
        if (RequestPayload.NONE == request.payload() && namespace.writesFromCapsule() &&
            request.dataPointer().isInCapsule())
        {
            request.data().set(request.capsuleDataAddress(), lengthBytes);
            fill(queuePair, request, namespace, operation);
            if (namespace.device().trySubmit(request))
            {
                return;
            }
        }
        // What has come in its capsule takes a buffer in any case, so that what is behind it can go on.
        if (!request.dataPointer().isInCapsule() && !namespace.device().admits(request))
        {
            namespace.device().awaitAdmission(request);
            return;
        }
        if (queuePair.resources().payloads().receiveParts(request, lengthBytes))
        {
            if (request.storedBytes() == request.dataLength())
            {
                onWritten(queuePair, request);
                return;
            }
            fill(queuePair, request, namespace, operation);
            namespace.device().submit(request);
        }
    }

    private static void fill(
        final QueuePair queuePair,
        final Request request,
        final NamespaceChannel namespace,
        final BlockOperation operation)
    {
        final SubmissionQueueEntry entry = request.entry();
        final int stored = request.storedBytes();
        final int restBytes = request.dataLength() - stored;
        final Segments segments = request.blockRequest()
            .reset(operation, entry.startingLba() + (request.partOffset() + stored >> namespace.blockShift()),
                restBytes >> namespace.blockShift())
            .forceUnitAccess(forcesUnitAccess(queuePair, entry, namespace))
            .segments();
        if (0 == stored)
        {
            segments.copyFrom(request.data());
        }
        else
        {
            request.data().slice(stored, restBytes, segments);
        }
    }

    private void writeZeroes(final QueuePair queuePair, final Request request)
    {
        final SubmissionQueueEntry entry = request.entry();
        final NamespaceChannel namespace = namespace(queuePair, request);
        if (null == namespace)
        {
            return;
        }
        final int blocks = (entry.cdw12() & BLOCKS_MASK) + 1;
        final int refusal = namespace.geometry().readOnly() ?
            NvmeStatus.NAMESPACE_WRITE_PROTECTED | NvmeStatus.DO_NOT_RETRY : NvmeStatus.SUCCESS;
        if (!admitsRange(queuePair, request, namespace, blocks, refusal, false))
        {
            return;
        }
        final boolean deallocates = 0 != (entry.cdw12() & WRITE_ZEROES_DEALLOCATE) &&
            namespace.geometry().supportsDeallocate() && namespace.geometry().deallocatedReadsZero();
        request.blockRequest()
            .reset(deallocates ? BlockOperation.DEALLOCATE : BlockOperation.WRITE_ZEROES, entry.startingLba(), blocks)
            .forceUnitAccess(forcesUnitAccess(queuePair, entry, namespace));
        namespace.bind(request);
        namespace.device().submit(request);
    }

    private void verify(final QueuePair queuePair, final Request request)
    {
        final SubmissionQueueEntry entry = request.entry();
        final NamespaceChannel namespace = namespace(queuePair, request);
        if (null == namespace)
        {
            return;
        }
        final int blocks = (entry.cdw12() & BLOCKS_MASK) + 1;
        if (!admitsRange(queuePair, request, namespace, blocks, NvmeStatus.SUCCESS, true))
        {
            return;
        }
        request.blockRequest()
            .reset(BlockOperation.VERIFY, entry.startingLba(), blocks)
            .forceUnitAccess(0 != (entry.cdw12() & FORCE_UNIT_ACCESS));
        namespace.bind(request);
        namespace.device().submit(request);
    }

    /** Whether a command that names a range and moves no data goes on now; one that is wrong has been answered. */
    private boolean admitsRange(
        final QueuePair queuePair,
        final Request request,
        final NamespaceChannel namespace,
        final int blocks,
        final int refusal,
        final boolean isRead)
    {
        final int outside = checkRange(queuePair, request.entry(), namespace, blocks, 0);
        final int status = NvmeStatus.SUCCESS == outside ? refusal : outside;
        if (NvmeStatus.SUCCESS != status)
        {
            queuePair.complete(request, status);
            return false;
        }
        return !queuePair.channels().isLimited() ||
            queuePair.resources().qos().admits(request, namespace, isRead, 0, 0);
    }

    /**
     * Finds the namespace of a command, or fails the command, or has it wait until the device is open.
     *
     * @param queuePair it came in on.
     * @param request   the command's request.
     * @return channel of the namespace; null when the command has been answered or waits.
     */
    NamespaceChannel namespace(final QueuePair queuePair, final Request request)
    {
        final NamespaceChannel bound = request.namespace();
        if (null != bound)
        {
            // A command that was executed up to a wait continues with its namespace, even if that was removed since.
            final int late = RequestPayload.NONE != request.payload() ? NvmeStatus.SUCCESS : bound.isRetired() ?
                NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY :
                queuePair.association().anaPath().refusal(bound.anaGroup());
            if (NvmeStatus.SUCCESS == late)
            {
                return bound;
            }
            bound.unbind(request);
            queuePair.complete(request, late);
            return null;
        }
        final NamespaceChannel namespace = queuePair.channels().find(request.entry().namespaceId());
        if (null == namespace)
        {
            queuePair.complete(request, NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY);
            return null;
        }
        final int refusal = queuePair.association().anaPath().refusal(namespace.anaGroup());
        if (NvmeStatus.SUCCESS != refusal)
        {
            queuePair.complete(request, refusal);
            return null;
        }
        if (!namespace.isOpen() && !namespace.device().openNow())
        {
            if (!namespace.device().openQueue().await(request, namespace))
            {
                // Without the do-not-retry bit: hosts try again.
                queuePair.complete(request, NvmeStatus.NAMESPACE_NOT_READY);
            }
            return null;
        }
        return namespace;
    }

    private static int checkRange(
        final QueuePair queuePair,
        final SubmissionQueueEntry entry,
        final NamespaceChannel namespace,
        final int blocks,
        final int lengthBytes)
    {
        if (0 != (entry.cdw12() & PROTECTION_MASK))
        {
            return INVALID_FIELD;
        }
        if (!namespace.geometry().contains(entry.startingLba(), blocks))
        {
            return NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY;
        }
        return lengthBytes > queuePair.resources().maxTransferBytes() ? INVALID_FIELD : NvmeStatus.SUCCESS;
    }

    /**
     * {@return whether what a command writes must be stable when it is answered}
     *
     * @param queuePair it came in on.
     * @param entry     the command's entry.
     * @param namespace the command's namespace.
     */
    static boolean forcesUnitAccess(
        final QueuePair queuePair, final SubmissionQueueEntry entry, final NamespaceChannel namespace)
    {
        return 0 != (entry.cdw12() & FORCE_UNIT_ACCESS) ||
            namespace.volatileCache() && queuePair.association().writeThrough();
    }

    private static void fail(final QueuePair queuePair, final Request request, final BlockStatus status)
    {
        if (BlockStatus.MEDIA_ERROR == status)
        {
            request.namespace().io().onMediaError();
        }
        if (BlockOperation.COPY == request.blockRequest().operation())
        {
            // The first range that was not copied.
            request.result(request.step() - 1, 0);
        }
        queuePair.complete(request, StatusMap.of(request.blockRequest()));
    }
}
