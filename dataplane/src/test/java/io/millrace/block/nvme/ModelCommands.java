package io.millrace.block.nvme;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.DatasetRange;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SmartLog;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvme.identify.IdentifyControllerAdmin;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvme.identify.IdentifyNvmController;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What the commands of a {@link ModelController} do.
 */
final class ModelCommands
{
    /** The command is kept. */
    static final int NO_ANSWER = -1;
    private static final int NAMESPACES_MAX = 128;
    private static final int NSID_ALL = -1;
    private static final int FORCE_UNIT_ACCESS = 1 << 30;
    private static final int PRACT = 1 << 29;
    private static final int PRCHK_MASK = 7 << 26;
    private static final int PRCHK_GUARD = 4 << 26;
    private static final int PRCHK_REFERENCE = 1 << 26;

    private final ModelController controller;
    private final UnsafeBuffer page = new UnsafeBuffer(new byte[4096]);
    private final Deque<ModelCommand> eventRequests = new ArrayDeque<>();
    private final Deque<Integer> events = new ArrayDeque<>();
    private final List<Integer> masked = new ArrayList<>();
    final SmartLog smart = new SmartLog();
    private long shadowAddress;
    private long eventIndexAddress;
    private int result;

    ModelCommands(final ModelController controller)
    {
        this.controller = controller;
        smart.wrap(new UnsafeBuffer(new byte[SmartLog.SIZE_BYTES]), 0);
        smart.compositeTemperature(300).availableSpare(5).availableSpareThreshold(10);
    }

    int result()
    {
        return result;
    }

    void clearResult()
    {
        result = 0;
    }

    /** The controller was stopped. */
    void forget()
    {
        eventRequests.clear();
        events.clear();
        masked.clear();
        shadowAddress = 0;
        eventIndexAddress = 0;
    }

    void shadow(final ModelQueue queue, final int index)
    {
        if (0 != shadowAddress && 0 != queue.id)
        {
            final long offset = (long)index * controller.options.doorbellStrideBytes;
            queue.shadow(shadowAddress + offset, eventIndexAddress + offset);
        }
    }

    void raise(final int event)
    {
        if (!masked.contains(AsyncEvent.type(event)))
        {
            events.add(event);
            deliver();
        }
    }

    private void deliver()
    {
        while (!events.isEmpty() && !eventRequests.isEmpty())
        {
            final int event = events.poll();
            masked.add(AsyncEvent.type(event));
            controller.completeKept(eventRequests.poll(), NvmeStatus.SUCCESS, event);
        }
    }

    /** Finds out what a command that is not carried out may write nevertheless. */
    void note(final ModelCommand command)
    {
        final ModelNamespace namespace = controller.namespaces.get(command.namespaceId());
        if (command.isIo() && IoOpcode.READ == command.opcode() && null != namespace)
        {
            command.ranges().addAll(data().runs(command, command.blocks() * namespace.blockBytes));
        }
    }

    int execute(final ModelCommand command)
    {
        result = 0;
        return command.isIo() ? executeIo(command) : executeAdmin(command);
    }

    private ModelData data()
    {
        return new ModelData(controller.dma, 1 << controller.options.pageShiftMin);
    }

    private int executeAdmin(final ModelCommand command)
    {
        return switch (command.opcode())
        {
            case AdminOpcode.IDENTIFY -> identify(command);
            case AdminOpcode.SET_FEATURES -> setFeatures(command);
            case AdminOpcode.CREATE_COMPLETION_QUEUE -> createCompletionQueue(command);
            case AdminOpcode.CREATE_SUBMISSION_QUEUE -> createSubmissionQueue(command);
            case AdminOpcode.DELETE_SUBMISSION_QUEUE -> deleteSubmissionQueue(command);
            case AdminOpcode.DELETE_COMPLETION_QUEUE -> deleteCompletionQueue(command);
            case AdminOpcode.ABORT ->
            {
                final int found = controller.abort(command.dword(10) & 0xFFFF, command.dword(10) >>> 16) ? 0 : 1;
                result = found;
                yield NvmeStatus.SUCCESS;
            }
            case AdminOpcode.ASYNC_EVENT_REQUEST ->
            {
                if (eventRequests.size() > controller.options.eventRequestLimit)
                {
                    yield NvmeStatus.ASYNC_EVENT_LIMIT_EXCEEDED;
                }
                eventRequests.add(command);
                deliver();
                yield NO_ANSWER;
            }
            case AdminOpcode.GET_LOG_PAGE -> logPage(command);
            case AdminOpcode.DOORBELL_BUFFER_CONFIG ->
            {
                if (!controller.options.isShadowSupported)
                {
                    yield NvmeStatus.INVALID_OPCODE;
                }
                shadowAddress = controller.dma.address(command.prp1(), 4096);
                eventIndexAddress = controller.dma.address(command.prp2(), 4096);
                yield NvmeStatus.SUCCESS;
            }
            default -> NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
        };
    }

    private int identify(final ModelCommand command)
    {
        page.setMemory(0, 4096, (byte)0);
        final int nsid = command.namespaceId();
        switch (command.dword(10) & 0xFF)
        {
            case IdentifyCns.CONTROLLER -> identifyController();
            case IdentifyCns.CONTROLLER_COMMAND_SET ->
            {
                final IdentifyNvmController nvm = new IdentifyNvmController();
                nvm.wrap(page, 0);
                nvm.writeZeroesSizeLimit(controller.options.writeZeroesLimit)
                    .verifySizeLimit(controller.options.verifyLimit)
                    .datasetRangeSizeLimit(controller.options.datasetRangeLimit);
            }
            case IdentifyCns.NAMESPACE ->
            {
                if (nsid < 1 || nsid > NAMESPACES_MAX)
                {
                    return NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY;
                }
                if (controller.namespaces.containsKey(nsid))
                {
                    controller.namespaces.get(nsid).identify(page);
                }
            }
            case IdentifyCns.NAMESPACE_DESCRIPTORS ->
            {
                final ModelNamespace namespace = controller.namespaces.get(nsid);
                if (null == namespace || null == namespace.descriptors)
                {
                    return NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
                }
                page.putBytes(0, namespace.descriptors);
            }
            default ->
            {
                return NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
            }
        }
        final byte[] garbage = controller.options.garbage;
        if (null != garbage)
        {
            page.putBytes(0, garbage);
        }
        put(command.prp1(), 4096);
        return NvmeStatus.SUCCESS;
    }

    private void identifyController()
    {
        final ModelOptions options = controller.options;
        final IdentifyController identify = new IdentifyController();
        identify.wrap(page, 0);
        identify.vendorId(0x1234).serialNumber(options.serial).modelNumber("Model controller").firmwareRevision("1")
            .maxDataTransferSize(options.transferLimit).controllerType(options.controllerType)
            .version(2 << 16).optionalAsyncEvents(AsyncEvent.ENABLE_NAMESPACE_NOTICES);
        final IdentifyControllerIo io = new IdentifyControllerIo();
        io.wrap(page, 0);
        io.namespaces(NAMESPACES_MAX)
            .submissionEntrySize(options.submissionEntrySizes).completionEntrySize(0x44)
            .optionalNvmCommands(options.optionalCommands).copyFormats(options.copyFormats)
            .volatileWriteCache(options.isCachePresent ? IdentifyControllerIo.CACHE_PRESENT : 0)
            .sglSupport(options.isSglSupported ? IdentifyControllerIo.SGL_ANY_ALIGNMENT : 0);
        final IdentifyControllerAdmin admin = new IdentifyControllerAdmin();
        admin.wrap(page, 0);
        admin.asyncEventRequestLimit(options.eventRequestLimit)
            .optionalAdminCommands(options.isShadowSupported ? IdentifyControllerAdmin.ADMIN_DOORBELL_BUFFER_CONFIG : 0)
            .logPageAttributes(IdentifyControllerAdmin.LOG_EXTENDED_DATA);
    }

    private void put(final long iova, final int lengthBytes)
    {
        final byte[] bytes = new byte[lengthBytes];
        page.getBytes(0, bytes);
        NativeMemory.asByteBuffer(controller.dma.address(iova, lengthBytes), lengthBytes).put(bytes);
    }

    private int setFeatures(final ModelCommand command)
    {
        if (FeatureId.NUMBER_OF_QUEUES == (command.dword(10) & 0xFF))
        {
            final int wanted = Math.min(command.dword(11) & 0xFFFF, command.dword(11) >>> 16) + 1;
            final int given = Math.min(wanted, controller.options.queuePairs) - 1;
            result = given | given << 16;
        }
        return NvmeStatus.SUCCESS;
    }

    private int createCompletionQueue(final ModelCommand command)
    {
        final int id = command.dword(10) & 0xFFFF;
        final int entries = (command.dword(10) >>> 16) + 1;
        if (id < 1 || id > controller.options.queuePairs || controller.hasCompletionQueue(id))
        {
            return NvmeStatus.INVALID_QUEUE_ID | NvmeStatus.DO_NOT_RETRY;
        }
        if (entries < 2 || entries > controller.options.queueEntriesMax)
        {
            return NvmeStatus.INVALID_QUEUE_SIZE | NvmeStatus.DO_NOT_RETRY;
        }
        final boolean isInterrupting = 0 != (command.dword(11) & 2);
        if (isInterrupting && command.dword(11) >>> 16 >= controller.options.vectors)
        {
            return NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
        }
        controller.check(1 == (command.dword(11) & 1), "completion queue is not contiguous");
        controller.addCompletionQueue(
            id, entries, command.prp1(), isInterrupting ? command.dword(11) >>> 16 : -1);
        return NvmeStatus.SUCCESS;
    }

    private int createSubmissionQueue(final ModelCommand command)
    {
        final int id = command.dword(10) & 0xFFFF;
        final int completionId = command.dword(11) >>> 16;
        final int entries = (command.dword(10) >>> 16) + 1;
        if (id < 1 || id > controller.options.queuePairs || controller.hasSubmissionQueue(id))
        {
            return NvmeStatus.INVALID_QUEUE_ID | NvmeStatus.DO_NOT_RETRY;
        }
        if (!controller.hasCompletionQueue(completionId))
        {
            return NvmeStatus.COMPLETION_QUEUE_INVALID | NvmeStatus.DO_NOT_RETRY;
        }
        if (entries < 2 || entries > controller.options.queueEntriesMax)
        {
            return NvmeStatus.INVALID_QUEUE_SIZE | NvmeStatus.DO_NOT_RETRY;
        }
        controller.addSubmissionQueue(id, entries, command.prp1(), completionId);
        return NvmeStatus.SUCCESS;
    }

    private int deleteSubmissionQueue(final ModelCommand command)
    {
        if (!controller.hasSubmissionQueue(command.dword(10)))
        {
            return NvmeStatus.INVALID_QUEUE_ID | NvmeStatus.DO_NOT_RETRY;
        }
        controller.deleteSubmissionQueue(command.dword(10));
        return NvmeStatus.SUCCESS;
    }

    private int deleteCompletionQueue(final ModelCommand command)
    {
        if (!controller.hasCompletionQueue(command.dword(10)))
        {
            return NvmeStatus.INVALID_QUEUE_ID | NvmeStatus.DO_NOT_RETRY;
        }
        controller.check(!controller.hasSubmissionQueue(command.dword(10)), "completion queue is deleted first");
        controller.deleteCompletionQueue(command.dword(10));
        return NvmeStatus.SUCCESS;
    }

    private int logPage(final ModelCommand command)
    {
        final int id = command.dword(10) & 0xFF;
        final int lengthBytes = ((command.dword(10) >>> 16) + 1) * 4;
        page.setMemory(0, 4096, (byte)0);
        switch (id)
        {
            case LogPageId.SMART -> page.putBytes(0, smart.buffer(), 0, SmartLog.SIZE_BYTES);
            case LogPageId.ERROR_INFORMATION, LogPageId.CHANGED_NAMESPACES, LogPageId.FIRMWARE_SLOT ->
                page.putInt(0, command.dword(12));
            default ->
            {
                return NvmeStatus.INVALID_LOG_PAGE | NvmeStatus.DO_NOT_RETRY;
            }
        }
        put(command.prp1(), lengthBytes);
        masked.clear();
        return NvmeStatus.SUCCESS;
    }

    private boolean isCached(final ModelCommand command)
    {
        return controller.options.isCachePresent && 0 == (command.dword(12) & FORCE_UNIT_ACCESS);
    }

    private int flushAll()
    {
        controller.namespaces.values().forEach(ModelNamespace::flush);
        return NvmeStatus.SUCCESS;
    }

    private int executeIo(final ModelCommand command)
    {
        if (IoOpcode.FLUSH == command.opcode() && NSID_ALL == command.namespaceId())
        {
            return flushAll();
        }
        final ModelNamespace namespace = controller.namespaces.get(command.namespaceId());
        if (null == namespace)
        {
            return NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY;
        }
        return switch (command.opcode())
        {
            case IoOpcode.FLUSH ->
            {
                namespace.flush();
                yield NvmeStatus.SUCCESS;
            }
            case IoOpcode.READ, IoOpcode.WRITE, IoOpcode.COMPARE -> transfer(command, namespace);
            case IoOpcode.WRITE_ZEROES ->
            {
                if (!isOffered(IdentifyControllerIo.NVM_WRITE_ZEROES))
                {
                    yield NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
                }
                final int limit = controller.options.writeZeroesLimit;
                controller.check(0 == limit || (long)command.blocks() * namespace.blockBytes <= 4096L << limit,
                    "Write Zeroes of " + command.blocks());
                final int protection = command.dword(12) & (PRACT | PRCHK_MASK);
                controller.check(protection == (0 == namespace.protectionType ? 0 : PRACT),
                    "protection of Write Zeroes 0x" + Integer.toHexString(protection));
                yield zero(namespace, command.startingLba(), command.blocks(), isCached(command));
            }
            case IoOpcode.VERIFY -> verify(command, namespace);
            case IoOpcode.DATASET_MANAGEMENT -> deallocate(command, namespace);
            case IoOpcode.COPY -> copy(command, namespace);
            default -> NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
        };
    }

    private boolean isOffered(final int command)
    {
        return 0 != (controller.options.optionalCommands & command);
    }

    private static int zero(
        final ModelNamespace namespace, final long lba, final long blocks, final boolean isCached)
    {
        if (!namespace.contains(lba, blocks))
        {
            return NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY;
        }
        namespace.change(lba, blocks, isCached);
        namespace.zero(lba, blocks);
        return NvmeStatus.SUCCESS;
    }

    private int verify(final ModelCommand command, final ModelNamespace namespace)
    {
        final int blocks = command.blocks();
        final long lba = command.startingLba();
        final int limit = controller.options.verifyLimit;
        if (!isOffered(IdentifyControllerIo.NVM_VERIFY) && 0 == limit)
        {
            return NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
        }
        final long blockBytes = namespace.blockBytes + (namespace.isExtended ? namespace.metadataBytes : 0);
        controller.check(0 == limit || blocks * blockBytes <= 1L << limit + controller.options.pageShiftMin,
            "Verify of " + blocks);
        final int expected = switch (namespace.protectionType)
        {
            case 0 -> 0;
            case 3 -> PRCHK_GUARD;
            default -> PRCHK_GUARD | PRCHK_REFERENCE;
        };
        final int protection = command.dword(12) & (PRACT | PRCHK_MASK);
        controller.check(expected == protection, "protection of Verify 0x" + Integer.toHexString(protection));
        controller.check(0 == (expected & PRCHK_REFERENCE) || command.dword(14) == (int)lba,
            "reference tag " + command.dword(14) + " of Verify " + lba);
        controller.check(0 == command.prp1() && 0 == command.prp2() && 0 == command.metadataPointer(),
            "Verify has a data pointer");
        if (!namespace.contains(lba, blocks))
        {
            return NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY;
        }
        return namespace.isBad(lba, blocks) ?
            NvmeStatus.UNRECOVERED_READ_ERROR | NvmeStatus.MORE | NvmeStatus.DO_NOT_RETRY : NvmeStatus.SUCCESS;
    }

    private int deallocate(final ModelCommand command, final ModelNamespace namespace)
    {
        if (!isOffered(IdentifyControllerIo.NVM_DATASET_MANAGEMENT))
        {
            return NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
        }
        final int ranges = (command.dword(10) & 0xFF) + 1;
        controller.check(DatasetRange.DEALLOCATE == command.dword(11), "DSM attributes " + command.dword(11));
        final long list = data().runs(command, ranges * DatasetRange.SIZE_BYTES).getFirst()[0];
        int status = NvmeStatus.SUCCESS;
        for (int i = 0; i < ranges; i++)
        {
            final long range = list + 16L * i;
            final long blocks = NativeMemory.getInt(range + 4) & 0xFFFF_FFFFL;
            final int limit = controller.options.datasetRangeLimit;
            controller.check(0 == limit || blocks <= limit, "DSM range of " + blocks);
            status |= zero(namespace, NativeMemory.getLong(range + 8), blocks, controller.options.isCachePresent);
        }
        return status;
    }

    /** Offsets and bits are the specification's (NVM Command Set 1.0, section 3.2.2), descriptor format 0. */
    private int copy(final ModelCommand command, final ModelNamespace namespace)
    {
        if (!isOffered(IdentifyControllerIo.NVM_COPY))
        {
            return NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
        }
        if (namespace.isWriteProtected)
        {
            return NvmeStatus.NAMESPACE_WRITE_PROTECTED | NvmeStatus.DO_NOT_RETRY;
        }
        final int ranges = (command.dword(12) & 0xFF) + 1;
        controller.check(1 == ranges, "Copy of " + ranges + " ranges");
        controller.check(0 == (command.dword(12) & 0xBFFF_FF00), "Copy with dword 12 " + command.dword(12));
        final long descriptor = data().runs(command, 32).getFirst()[0];
        final long source = NativeMemory.getLong(descriptor + 8);
        final int blocks = (NativeMemory.getInt(descriptor + 16) & 0xFFFF) + 1;
        for (final int reserved : new int[]{0, 4, 20, 24, 28})
        {
            controller.check(0 == NativeMemory.getInt(descriptor + reserved), "Copy descriptor byte " + reserved);
        }
        controller.check(0 == NativeMemory.getInt(descriptor + 16) >>> 16, "Copy descriptor byte 18");
        controller.check(blocks <= namespace.copyRangeMax && Integer.compareUnsigned(blocks, namespace.copyMax) <= 0,
            "Copy of " + blocks);
        if (!namespace.contains(source, blocks) || !namespace.contains(command.startingLba(), blocks))
        {
            return NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY;
        }
        if (source <= namespace.badBlock && namespace.badBlock < source + blocks)
        {
            return NvmeStatus.UNRECOVERED_READ_ERROR | NvmeStatus.MORE | NvmeStatus.DO_NOT_RETRY;
        }
        namespace.change(command.startingLba(), blocks, isCached(command));
        NativeMemory.copy(namespace.address(source), namespace.address(command.startingLba()),
            (long)blocks * namespace.blockBytes);
        return NvmeStatus.SUCCESS;
    }

    private int transfer(final ModelCommand command, final ModelNamespace namespace)
    {
        final int opcode = command.opcode();
        final int blocks = command.blocks();
        final long lba = command.startingLba();
        if (!namespace.contains(lba, blocks))
        {
            return NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY;
        }
        if (IoOpcode.COMPARE == opcode && !isOffered(IdentifyControllerIo.NVM_COMPARE))
        {
            return NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
        }
        if (IoOpcode.WRITE == opcode && namespace.isWriteProtected)
        {
            return NvmeStatus.NAMESPACE_WRITE_PROTECTED | NvmeStatus.DO_NOT_RETRY;
        }
        final int lengthBytes = blocks * namespace.blockBytes;
        final int limit = controller.options.transferLimit;
        if (0 != limit && lengthBytes > 1L << limit + controller.options.pageShiftMin)
        {
            controller.fault("transfer of " + lengthBytes + " bytes beyond MDTS");
            return NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
        }
        final int boundary = namespace.boundaryBlocks;
        controller.check(0 == boundary || lba / boundary == (lba + blocks - 1) / boundary,
            "transfer of " + blocks + " at " + lba + " crosses a boundary");
        if (IoOpcode.WRITE != opcode && namespace.isBad(lba, blocks))
        {
            return NvmeStatus.UNRECOVERED_READ_ERROR | NvmeStatus.MORE | NvmeStatus.DO_NOT_RETRY;
        }
        metadata(command, namespace);
        return move(command, namespace, lengthBytes);
    }

    private int move(final ModelCommand command, final ModelNamespace namespace, final int lengthBytes)
    {
        controller.check(0 == command.flags() >>> 6 || controller.options.isSglSupported, "SGL is not supported");
        if (IoOpcode.WRITE == command.opcode())
        {
            namespace.change(command.startingLba(), command.blocks(), isCached(command));
        }
        long device = namespace.address(command.startingLba());
        for (final long[] run : data().runs(command, lengthBytes))
        {
            switch (command.opcode())
            {
                case IoOpcode.READ -> NativeMemory.copy(device, run[0], run[1]);
                case IoOpcode.WRITE -> NativeMemory.copy(run[0], device, run[1]);
                default ->
                {
                    if (-1 != NativeMemory.mismatch(run[0], device, run[1]))
                    {
                        return NvmeStatus.COMPARE_FAILURE | NvmeStatus.DO_NOT_RETRY;
                    }
                }
            }
            device += run[1];
        }
        return NvmeStatus.SUCCESS;
    }

    private void metadata(final ModelCommand command, final ModelNamespace namespace)
    {
        final boolean isProtected = 0 != namespace.protectionType;
        controller.check(isProtected == (0 != (command.dword(12) & PRACT)), "PRACT of " + command.dword(12));
        if (isProtected)
        {
            controller.check(3 == namespace.protectionType || command.dword(14) == (int)command.startingLba(),
                "reference tag " + command.dword(14) + " of " + command.startingLba());
        }
        else if (namespace.metadataBytes > 0)
        {
            final int lengthBytes = command.blocks() * namespace.metadataBytes;
            final long address = controller.dma.address(command.metadataPointer(), lengthBytes);
            final int offset = (int)command.startingLba() * namespace.metadataBytes;
            if (IoOpcode.READ == command.opcode())
            {
                NativeMemory.asByteBuffer(address, lengthBytes).put(namespace.metadata, offset, lengthBytes);
            }
            else
            {
                NativeMemory.asByteBuffer(address, lengthBytes).get(namespace.metadata, offset, lengthBytes);
            }
        }
    }
}
