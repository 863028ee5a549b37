package io.millrace.nvmf;

import io.millrace.block.BlockGeometry;
import io.millrace.memory.BufferPool;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvme.identify.IdentifyControllerAdmin;
import io.millrace.nvme.identify.IdentifyControllerFabrics;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvme.identify.IdentifyNamespace;
import io.millrace.nvme.identify.IdentifyNamespaceWriteUnits;
import io.millrace.nvme.identify.IndependentNamespace;
import io.millrace.nvme.identify.NamespaceDescriptor;
import io.millrace.nvmf.ana.AnaTable;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.ServedNamespace;
import io.millrace.nvmf.queue.AsyncEvents;
import io.millrace.nvmf.queue.ErrorLog;
import io.millrace.nvmf.transport.DataPointerFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Data structures of Identify (NVM Express Base 2.0, section 5.17; NVM Command Set 1.0, section 4.1.5). One instance a
 * reactor, used on its thread alone.
 */
final class IdentifyData
{
    /** Firmware revision: the version of this implementation. */
    static final String FIRMWARE_REVISION = "0.1";

    /**
     * Writes one data structure.
     */
    @FunctionalInterface
    private interface Structure
    {
        /**
         * {@return status of the command}
         *
         * @param controller that is asked.
         * @param entry      of the command.
         * @param data       4096 bytes, zero.
         */
        int write(Controller controller, SubmissionQueueEntry entry, UnsafeBuffer data);
    }

    private static final int INVALID_FIELD = NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
    private static final int INVALID_NAMESPACE = NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY;
    private static final int PAGE_SHIFT = 12;
    private static final int CAPSULE_UNIT_BYTES = 16;
    private static final int ENTRY_SIZE_64 = 0x66;
    private static final int ENTRY_SIZE_16 = 0x44;
    private static final int CSI_SHIFT = 24;
    private static final int LIST_IDS = 1024;
    private static final int CONTROLLER_LIST_IDS = 2047;
    private static final int FIRMWARE_ONE_SLOT_READ_ONLY = 1 << 1 | 1;
    /** What the specification recommends where nothing is measured. */
    private static final int WARNING_TEMPERATURE_K = 0x157;
    private static final int CRITICAL_TEMPERATURE_K = 0x175;

    private final Target target;
    private final IdentifyController controllerData = new IdentifyController();
    private final IdentifyControllerAdmin adminAttributes = new IdentifyControllerAdmin();
    private final IdentifyControllerIo ioAttributes = new IdentifyControllerIo();
    private final IdentifyControllerFabrics fabricsAttributes = new IdentifyControllerFabrics();
    private final IdentifyNamespace namespaceData = new IdentifyNamespace();
    private final IdentifyNamespaceWriteUnits writeUnits = new IdentifyNamespaceWriteUnits();
    private final IndependentNamespace independentData = new IndependentNamespace();
    private final NamespaceDescriptor descriptor = new NamespaceDescriptor();
    private final Structure[] structures = new Structure[256];

    IdentifyData(final Target target)
    {
        this.target = target;
        structures[IdentifyCns.NAMESPACE] = this::namespace;
        structures[IdentifyCns.CONTROLLER] = this::controller;
        structures[IdentifyCns.ACTIVE_NAMESPACES] = this::namespaceList;
        structures[IdentifyCns.NAMESPACE_DESCRIPTORS] = this::descriptors;
        structures[IdentifyCns.NAMESPACE_COMMAND_SET] = this::namespaceCommandSet;
        structures[IdentifyCns.CONTROLLER_COMMAND_SET] = this::controllerCommandSet;
        structures[IdentifyCns.ACTIVE_NAMESPACES_COMMAND_SET] = this::namespaceListCommandSet;
        structures[IdentifyCns.NAMESPACE_INDEPENDENT] = this::independentNamespace;
        // All allocated namespaces are active.
        structures[IdentifyCns.ALLOCATED_NAMESPACES] = this::namespaceList;
        structures[IdentifyCns.ALLOCATED_NAMESPACE] = this::namespace;
        structures[IdentifyCns.NAMESPACE_CONTROLLERS] = this::namespaceControllers;
        structures[IdentifyCns.SUBSYSTEM_CONTROLLERS] = this::controllerList;
        structures[IdentifyCns.COMMAND_SETS] = this::commandSets;
    }

    /**
     * Writes what a command asks for.
     *
     * @param controller that is asked.
     * @param entry      of the command.
     * @param data       4096 bytes, zero.
     * @return status of the command.
     */
    int write(final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        final int cns = entry.cdw10() & 0xFF;
        final Structure structure = structures[cns];
        if (null == structure || controller.subsystem().isDiscovery() && IdentifyCns.CONTROLLER != cns)
        {
            return INVALID_FIELD;
        }
        return structure.write(controller, entry, data);
    }

    private int controller(final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        final Subsystem subsystem = controller.subsystem();
        controllerData.wrap(data, 0);
        adminAttributes.wrap(data, 0);
        ioAttributes.wrap(data, 0);
        controllerData
            .serialNumber(subsystem.config().serialNumber())
            .modelNumber(subsystem.config().modelNumber())
            .firmwareRevision(FIRMWARE_REVISION)
            .maxDataTransferSize(Integer.numberOfTrailingZeros(target.config().maxTransferBytes()) - PAGE_SHIFT)
            .controllerId(controller.id())
            .version(ControllerProperty.VERSION_2_0)
            .controllerAttributes(
                IdentifyController.ATTRIBUTE_HOST_ID_128 | IdentifyController.ATTRIBUTE_TRAFFIC_KEEP_ALIVE)
            .optionalAsyncEvents(Controller.noticesOf(subsystem))
            .subsystemNqn(subsystem.nqn());
        adminAttributes
            .asyncEventRequestLimit(AsyncEvents.REQUESTS_MAX - 1)
            .errorLogPageEntries(ErrorLog.ENTRIES - 1)
            .keepAliveSupport(KeepAlive.GRANULARITY_100_MS);
        ioAttributes
            .maxCommands(target.config().queueDepthMax())
            .sglSupport(controller.adminQueuePair().transport().dataPointers().sglSupport());
        if (subsystem.isDiscovery())
        {
            controllerData.controllerType(IdentifyController.TYPE_DISCOVERY);
            adminAttributes.logPageAttributes(IdentifyControllerAdmin.LOG_EXTENDED_DATA);
        }
        else
        {
            controllerData
                .controllerType(IdentifyController.TYPE_IO)
                .multiPathCapabilities(
                    IdentifyController.MULTI_PATH_PORTS | IdentifyController.MULTI_PATH_CONTROLLERS |
                    IdentifyController.MULTI_PATH_ANA);
            adminOfIoController();
            ioOfIoController(controller);
            fabricsOfIoController(controller, data);
        }
        return NvmeStatus.SUCCESS;
    }

    private void adminOfIoController()
    {
        adminAttributes
            .anaTransitionTime(target.config().anaTransitionSeconds())
            .anaCapabilities(IdentifyControllerAdmin.ANA_ALL_STATES | IdentifyControllerAdmin.ANA_GROUP_FIXED)
            .anaGroupIdMax(AnaTable.GROUPS_MAX)
            .anaGroups(AnaTable.GROUPS_MAX)
            .abortCommandLimit(AdminCommands.ABORTS_MAX - 1)
            .firmwareUpdates(FIRMWARE_ONE_SLOT_READ_ONLY)
            .logPageAttributes(IdentifyControllerAdmin.LOG_COMMAND_EFFECTS |
                IdentifyControllerAdmin.LOG_EXTENDED_DATA | IdentifyControllerAdmin.LOG_MISCELLANEOUS)
            .warningTemperature(WARNING_TEMPERATURE_K)
            .criticalTemperature(CRITICAL_TEMPERATURE_K);
    }

    private void ioOfIoController(final Controller controller)
    {
        final Subsystem subsystem = controller.subsystem();
        final boolean isCached = subsystem.hasVolatileCache();
        // A host to which no cache is reported sends no flushes: a cache that is added later must not be used for its
        // writes.
        controller.writeThrough(!isCached || !controller.features().isWriteCacheEnabled());
        ioAttributes
            .submissionEntrySize(ENTRY_SIZE_64)
            .completionEntrySize(ENTRY_SIZE_16)
            .namespaces(Namespace.NSID_MAX)
            .maxNamespaces(Namespace.NSID_MAX)
            .optionalNvmCommands(IdentifyControllerIo.NVM_COMPARE | IdentifyControllerIo.NVM_DATASET_MANAGEMENT |
                IdentifyControllerIo.NVM_WRITE_ZEROES | IdentifyControllerIo.NVM_VERIFY |
                (subsystem.supportsCopy() ? IdentifyControllerIo.NVM_COPY : 0) |
                IdentifyControllerIo.NVM_SELECT_FEATURES | IdentifyControllerIo.NVM_TIMESTAMP)
            .copyFormats(subsystem.supportsCopy() ? IdentifyControllerIo.COPY_FORMAT_0 : 0)
            .volatileWriteCache(IdentifyControllerIo.CACHE_FLUSH_ALL |
                (isCached ? IdentifyControllerIo.CACHE_PRESENT : 0));
    }

    private void fabricsOfIoController(final Controller controller, final UnsafeBuffer data)
    {
        final DataPointerFormat dataPointers = controller.adminQueuePair().transport().dataPointers();
        fabricsAttributes.wrap(data, 0);
        fabricsAttributes
            .ioCommandCapsuleSize(
                (SubmissionQueueEntry.SIZE_BYTES + dataPointers.inCapsuleDataBytesMax()) / CAPSULE_UNIT_BYTES)
            .ioResponseCapsuleSize(1)
            .inCapsuleDataOffset(dataPointers.inCapsuleDataOffset())
            .maxSglDescriptors(dataPointers.descriptorsMax())
            .optionalFabricsCommands(IdentifyControllerFabrics.FABRICS_DISCONNECT);
    }

    private int namespace(final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        final int nsid = entry.namespaceId();
        if (!isValid(nsid))
        {
            return INVALID_NAMESPACE;
        }
        final ServedNamespace served = controller.subsystem().servedNamespace(nsid);
        if (null != served)
        {
            final BlockGeometry geometry = served.geometry();
            final AnaState ana = controller.anaPath().state(served.namespace().anaGroup());
            // How much is in use cannot be known then (NVM Express Base 2.0, section 8.1.4).
            final boolean isUseUnknown = AnaState.INACCESSIBLE == ana || AnaState.PERSISTENT_LOSS == ana;
            namespaceData.wrap(data, 0);
            namespaceData
                .size(geometry.blockCount())
                .capacity(geometry.blockCount())
                .utilization(isUseUnknown ? 0 : geometry.blockCount())
                .multiPathCapabilities(IdentifyNamespace.MULTI_PATH_SHARED)
                .deallocateFeatures(deallocateFeatures(geometry))
                .copyRangeLimit(CopyRanges.rangeBlocksMax(geometry))
                .copyLimit(CopyRanges.totalBlocksMax(geometry))
                .copyRangesLimit(geometry.supportsCopy() ? CopyRanges.COUNT_MAX - 1 : 0)
                .capacityBytes(isUseUnknown ? 0 : geometry.sizeBytes())
                .anaGroupId(served.namespace().anaGroup())
                .attributes(geometry.readOnly() ? IdentifyNamespace.ATTRIBUTE_WRITE_PROTECTED : 0)
                .setNguid(bytes(served.namespace().uuid()))
                .format0(geometry.blockShift() << 16);
            writeSizes(geometry);
        }
        // An inactive namespace is all zeroes.
        return NvmeStatus.SUCCESS;
    }

    /**
     * Sizes of writes that suit the device, and that it stores whole (NVM Command Set 1.0, sections 2.1.4 and 4.1.5.1).
     * A device that has no preference leaves them undefined, and the host goes by blocks.
     */
    private void writeSizes(final BlockGeometry geometry)
    {
        final int shift = geometry.blockShift();
        // Larger writes may be moved in parts, each with its own I/O.
        final int atomicBlocks = Math.min(BufferPool.FLOOR_BUFFER_BYTES_MAX, geometry.atomicWriteBytes()) >>> shift;
        final int optimalBlocks = geometry.optimalWriteBytes() >>> shift;
        int features = 0;
        writeUnits.wrap(namespaceData.buffer(), 0);
        if (atomicBlocks > 1)
        {
            features |= IdentifyNamespace.FEATURE_ATOMIC_UNITS;
            writeUnits.atomicWriteUnit(atomicBlocks - 1).atomicWriteUnitPowerFail(atomicBlocks - 1);
        }
        if (optimalBlocks > 1)
        {
            // Linux takes the granularity for the size of a physical block, which must be a power of two there.
            final int granularity = Integer.lowestOneBit(optimalBlocks);
            features |= IdentifyNamespace.FEATURE_OPTIMAL_SIZES;
            writeUnits
                .preferredWriteGranularity(granularity - 1)
                .preferredWriteAlignment(granularity - 1)
                .optimalWriteSize(optimalBlocks - 1);
        }
        namespaceData.features(features);
    }

    private static int deallocateFeatures(final BlockGeometry geometry)
    {
        return geometry.supportsDeallocate() && geometry.deallocatedReadsZero() ?
            IdentifyNamespace.DEALLOCATE_READS_ZERO | IdentifyNamespace.DEALLOCATE_WRITE_ZEROES : 0;
    }

    private int namespaceList(final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        final int after = entry.namespaceId();
        if (Integer.compareUnsigned(after, 0xFFFFFFFE) >= 0)
        {
            return INVALID_NAMESPACE;
        }
        final Subsystem subsystem = controller.subsystem();
        int count = 0;
        for (long nsid = Integer.toUnsignedLong(after) + 1; nsid <= Namespace.NSID_MAX && count < LIST_IDS; nsid++)
        {
            if (null != subsystem.namespace((int)nsid))
            {
                data.putInt(count * Integer.BYTES, (int)nsid, ByteOrder.LITTLE_ENDIAN);
                count++;
            }
        }
        return NvmeStatus.SUCCESS;
    }

    private int namespaceListCommandSet(
        final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        return isNvm(entry) ? namespaceList(controller, entry, data) : INVALID_FIELD;
    }

    private int descriptors(final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        final Namespace namespace = controller.subsystem().namespace(entry.namespaceId());
        if (null == namespace)
        {
            return INVALID_NAMESPACE;
        }
        final byte[] uuid = bytes(namespace.uuid());
        int offset = describe(data, 0, NamespaceDescriptor.TYPE_NGUID, uuid);
        offset = describe(data, offset, NamespaceDescriptor.TYPE_UUID, uuid);
        describe(data, offset, NamespaceDescriptor.TYPE_CSI, new byte[]{IdentifyCns.CSI_NVM});
        return NvmeStatus.SUCCESS;
    }

    private int describe(final UnsafeBuffer data, final int offset, final int type, final byte[] value)
    {
        descriptor.wrap(data, offset);
        descriptor.type(type).length(value.length);
        data.putBytes(offset + NamespaceDescriptor.HEADER_BYTES, value);
        return offset + NamespaceDescriptor.HEADER_BYTES + value.length;
    }

    private int namespaceCommandSet(
        final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        if (!isNvm(entry))
        {
            return INVALID_FIELD;
        }
        // Storage tags and extended formats: there are none, so all of it is zero.
        return isValid(entry.namespaceId()) ? NvmeStatus.SUCCESS : INVALID_NAMESPACE;
    }

    private int controllerCommandSet(
        final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        // Zero is "no limit" everywhere. For a set that is not there zeroes would do as well, but spdk_nvme_perf takes
        // success for its presence and goes on to ask for its commands.
        return isNvm(entry) ? NvmeStatus.SUCCESS : INVALID_FIELD;
    }

    private int independentNamespace(
        final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        if (!isValid(entry.namespaceId()))
        {
            return INVALID_NAMESPACE;
        }
        final ServedNamespace served = controller.subsystem().servedNamespace(entry.namespaceId());
        if (null != served)
        {
            final BlockGeometry geometry = served.geometry();
            independentData.wrap(data, 0);
            independentData
                .features(geometry.volatileWriteCache() ? 0 : IndependentNamespace.FEATURE_NO_VOLATILE_CACHE)
                .multiPathCapabilities(IdentifyNamespace.MULTI_PATH_SHARED)
                .anaGroupId(served.namespace().anaGroup())
                .attributes(geometry.readOnly() ? IdentifyNamespace.ATTRIBUTE_WRITE_PROTECTED : 0)
                .status(IndependentNamespace.STATUS_READY);
        }
        return NvmeStatus.SUCCESS;
    }

    private int namespaceControllers(
        final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        return null == controller.subsystem().namespace(entry.namespaceId()) ?
            INVALID_FIELD : controllerList(controller, entry, data);
    }

    private int controllerList(final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        final int from = entry.cdw10() >>> 16;
        final List<Integer> ids = controller.subsystem().controllers().list().stream().map(Controller::id)
            .filter((id) -> id >= from).sorted().limit(CONTROLLER_LIST_IDS).toList();
        data.putShort(0, (short)ids.size(), ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < ids.size(); i++)
        {
            data.putShort((i + 1) * Short.BYTES, ids.get(i).shortValue(), ByteOrder.LITTLE_ENDIAN);
        }
        return NvmeStatus.SUCCESS;
    }

    private int commandSets(final Controller controller, final SubmissionQueueEntry entry, final UnsafeBuffer data)
    {
        final int controllerId = entry.cdw10() >>> 16;
        if (0xFFFF != controllerId && controller.id() != controllerId)
        {
            return INVALID_FIELD;
        }
        data.putLong(0, 1L << IdentifyCns.CSI_NVM, ByteOrder.LITTLE_ENDIAN);
        return NvmeStatus.SUCCESS;
    }

    private static boolean isNvm(final SubmissionQueueEntry entry)
    {
        return IdentifyCns.CSI_NVM == entry.cdw11() >>> CSI_SHIFT;
    }

    private static boolean isValid(final int nsid)
    {
        return nsid > 0 && nsid <= Namespace.NSID_MAX;
    }

    private static byte[] bytes(final UUID uuid)
    {
        return ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits()).array();
    }
}
