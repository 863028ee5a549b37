package io.millrace.nvmf.initiator;

import io.millrace.nvme.ControllerCapabilities;
import io.millrace.nvme.IdentifyController;
import io.millrace.nvme.SubmissionQueueEntry;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Properties that a controller reported when it was connected. Immutable.
 *
 * @param controllerId         within its subsystem.
 * @param subsystemNqn         of its subsystem.
 * @param serialNumber         without padding.
 * @param modelNumber          without padding.
 * @param firmwareRevision     without padding.
 * @param vendorId             PCI vendor.
 * @param version              of the specification it complies with: major in bits 31:16, minor in 15:8, tertiary in
 *                             7:0.
 * @param discovery            whether it is a discovery controller, which has no I/O queues.
 * @param namespaceIdMax       largest valid namespace identifier.
 * @param ioQueueCount         I/O queues it grants.
 * @param queueEntriesMax      largest queue; one fewer commands may be outstanding.
 * @param maxTransferBytes     of one command.
 * @param inCapsuleDataBytes   that an I/O capsule may carry.
 * @param optionalCommands     optional NVM commands, as ONCS has it.
 * @param volatileWriteCache   whether writes without FUA are stable only after a flush.
 * @param memoryPageShift      log2 of its smallest memory page, the unit of its size limits.
 * @param trafficKeepAlive     whether any command restarts its keep-alive timer (TBKAS).
 * @param quiesceTimeMs        that it needs to end all commands after it has lost its host (CQT).
 * @param atomicWriteBlocks    that a write stores whole or not at all, also when power fails (AWUPF).
 * @param asyncEventLimit      asynchronous event requests it holds at once.
 * @param keepAliveGranularity of the keep-alive time-out, in units of 100 ms; 0 when it has none.
 * @param optionalAsyncEvents  as OAES has it.
 * @param anaCapabilities      as ANACAP has it; 0 when it reports no asymmetric namespace access, as are the next
 *                             three.
 * @param anaTransitionSeconds longest time that an ANA group is in transition (ANATT).
 * @param anaGroupIdMax        largest ANA group id (ANAGRPMAX).
 * @param anaGroups            how many ANA groups there are (NANAGRPID).
 */
public record ControllerInfo(
    int controllerId,
    String subsystemNqn,
    String serialNumber,
    String modelNumber,
    String firmwareRevision,
    int vendorId,
    int version,
    boolean discovery,
    int namespaceIdMax,
    int ioQueueCount,
    int queueEntriesMax,
    long maxTransferBytes,
    int inCapsuleDataBytes,
    int optionalCommands,
    boolean volatileWriteCache,
    int memoryPageShift,
    boolean trafficKeepAlive,
    int quiesceTimeMs,
    int atomicWriteBlocks,
    int asyncEventLimit,
    int keepAliveGranularity,
    int optionalAsyncEvents,
    int anaCapabilities,
    int anaTransitionSeconds,
    int anaGroupIdMax,
    int anaGroups)
{
    private static final int CAPSULE_UNIT_BYTES = 16;

    static ControllerInfo parse(final int controllerId, final long capabilities, final byte[] data)
    {
        final IdentifyController identify = new IdentifyController();
        identify.wrap(new UnsafeBuffer(data), 0);
        final int shift = identify.maxDataTransferSize();
        final int pageShift = ControllerCapabilities.memoryPageShiftMin(capabilities);
        final boolean isAna = 0 != (identify.multiPathCapabilities() & IdentifyController.MULTI_PATH_ANA);
        final long capsuleBytes = Integer.toUnsignedLong(identify.ioCommandCapsuleSize()) * CAPSULE_UNIT_BYTES;
        return new ControllerInfo(
            controllerId,
            identify.subsystemNqn(),
            identify.serialNumber().strip(),
            identify.modelNumber().strip(),
            identify.firmwareRevision().strip(),
            identify.vendorId(),
            identify.version(),
            IdentifyController.TYPE_DISCOVERY == identify.controllerType(),
            identify.namespaces(),
            0,
            ControllerCapabilities.queueEntriesMax(capabilities),
            0 == shift || shift + pageShift > 31 ? Integer.MAX_VALUE : 1L << shift + pageShift,
            // Data at an offset other than 0 is not for TCP; such a controller is sent none in capsules.
            0 == identify.inCapsuleDataOffset() ?
                Math.clamp(capsuleBytes - SubmissionQueueEntry.SIZE_BYTES, 0, Integer.MAX_VALUE) : 0,
            identify.optionalNvmCommands(),
            0 != (identify.volatileWriteCache() & IdentifyController.CACHE_PRESENT),
            pageShift,
            0 != (identify.controllerAttributes() & IdentifyController.ATTRIBUTE_TRAFFIC_KEEP_ALIVE),
            identify.commandQuiesceTimeMs(),
            1 + identify.atomicWriteUnitPowerFail(),
            identify.asyncEventRequestLimit() + 1,
            identify.keepAliveSupport(),
            identify.optionalAsyncEvents(),
            isAna ? identify.anaCapabilities() : 0,
            isAna ? identify.anaTransitionTime() : 0,
            isAna ? identify.anaGroupIdMax() : 0,
            isAna ? identify.anaGroups() : 0);
    }

    ControllerInfo withIoQueueCount(final int count)
    {
        return new ControllerInfo(controllerId, subsystemNqn, serialNumber, modelNumber, firmwareRevision, vendorId,
            version, discovery, namespaceIdMax, count, queueEntriesMax, maxTransferBytes, inCapsuleDataBytes,
            optionalCommands, volatileWriteCache, memoryPageShift, trafficKeepAlive, quiesceTimeMs, atomicWriteBlocks,
            asyncEventLimit, keepAliveGranularity, optionalAsyncEvents, anaCapabilities, anaTransitionSeconds,
            anaGroupIdMax, anaGroups);
    }

    /**
     * {@return time in milliseconds after the host has lost the association by which the controller has ended all its
     * commands, if it follows the specification: it detects the loss within two keep-alive time-outs, or three where
     * any command restarts its timer, then ends its commands within its quiesce time (NVM Express Base 2.1, sections
     * 3.9 and 9.6)}
     *
     * @param keepAliveMs keep-alive time-out of the association; above 0.
     */
    public long commandEndMs(final int keepAliveMs)
    {
        final long granularityMs = Math.max(1, 100L * keepAliveGranularity);
        final long roundedMs = (keepAliveMs + granularityMs - 1) / granularityMs * granularityMs;
        return (trafficKeepAlive ? 3 : 2) * roundedMs + quiesceTimeMs;
    }

    /**
     * {@return whether it offers an optional NVM command}
     *
     * @param command bit of ONCS, as {@link IdentifyController} has it.
     */
    public boolean offers(final int command)
    {
        return 0 != (optionalCommands & command);
    }

    /**
     * {@return whether it reports asymmetric namespace access}
     */
    public boolean reportsAna()
    {
        return 0 != anaCapabilities;
    }

    /**
     * {@return the specification's version as people write it, such as 2.0.0}
     */
    public String versionText()
    {
        return (version >>> 16) + "." + (version >>> 8 & 0xFF) + "." + (version & 0xFF);
    }
}
