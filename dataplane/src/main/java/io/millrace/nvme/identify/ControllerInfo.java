package io.millrace.nvme.identify;

import io.millrace.nvme.ControllerCapabilities;
import io.millrace.nvme.SubmissionQueueEntry;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Properties of a controller, decoded from its Identify Controller data structure (NVM Express Base 2.0, section
 * 5.17.2.1). Sizes are in bytes and bounded, whatever the controller reports. Immutable.
 *
 * @param controllerId          within its subsystem (CNTLID).
 * @param subsystemNqn          of its subsystem (SUBNQN); empty where a drive has none.
 * @param serialNumber          without padding (SN), as the next two; a character that a terminal could not print is a
 *                              question mark.
 * @param modelNumber           (MN).
 * @param firmwareRevision      (FR).
 * @param vendorId              PCI vendor (VID).
 * @param version               of the specification it complies with: major in bits 31:16, minor in 15:8, tertiary in
 *                              7:0 (VER).
 * @param type                  see {@link IdentifyController#TYPE_IO} and its like; 0 before 1.4 (CNTRLTYPE).
 * @param namespaceIdMax        largest valid namespace identifier, unsigned (NN).
 * @param memoryPageShift       log2 of its smallest memory page, the unit of its size limits (CAP.MPSMIN).
 * @param maxTransferBytes      of one command (MDTS, or less by its transport), {@link Integer#MAX_VALUE} for no limit.
 * @param inCapsuleDataBytes    that an I/O capsule may carry (IOCCSZ); 0 where they begin behind an offset.
 * @param optionalAdminCommands as OACS has them.
 * @param optionalCommands      optional NVM commands, as ONCS has them.
 * @param copyFormats           descriptor formats of Copy, as OCFS has them.
 * @param logPageAttributes     as LPA has them.
 * @param sglSupport            as SGLS has it.
 * @param sglDescriptors        most SGL descriptors of a command (MSDBD); 0 for no limit.
 * @param volatileWriteCache    whether writes without FUA are stable only after a flush (VWC).
 * @param trafficKeepAlive      whether any command restarts its keep-alive timer (TBKAS).
 * @param quiesceTimeMs         that it needs to end all commands after it has lost its host (CQT).
 * @param keepAliveGranularity  of the keep-alive time-out, in units of 100 ms; 0 when it has none (KAS).
 * @param atomicWriteBlocks     that a write stores whole or not at all, also when power fails, where a namespace has no
 *                              unit of its own (AWUPF).
 * @param asyncEventLimit       Asynchronous Event Requests it holds at once (AERL).
 * @param optionalAsyncEvents   as OAES has them.
 * @param shutdownLatencyUs     that a normal shutdown may take, in microseconds; 0 when it is not reported (RTD3E).
 * @param anaCapabilities       as ANACAP has it; 0 when it reports no asymmetric namespace access, as are the next
 *                              three.
 * @param anaTransitionSeconds  longest time that an ANA group is in transition (ANATT).
 * @param anaGroupIdMax         largest ANA group id, unsigned (ANAGRPMAX).
 * @param anaGroups             how many ANA groups there are, unsigned (NANAGRPID).
 */
public record ControllerInfo(
    int controllerId,
    String subsystemNqn,
    String serialNumber,
    String modelNumber,
    String firmwareRevision,
    int vendorId,
    int version,
    int type,
    int namespaceIdMax,
    int memoryPageShift,
    long maxTransferBytes,
    int inCapsuleDataBytes,
    int optionalAdminCommands,
    int optionalCommands,
    int copyFormats,
    int logPageAttributes,
    int sglSupport,
    int sglDescriptors,
    boolean volatileWriteCache,
    boolean trafficKeepAlive,
    int quiesceTimeMs,
    int keepAliveGranularity,
    int atomicWriteBlocks,
    int asyncEventLimit,
    int optionalAsyncEvents,
    long shutdownLatencyUs,
    int anaCapabilities,
    int anaTransitionSeconds,
    int anaGroupIdMax,
    int anaGroups)
{
    private static final int CAPSULE_UNIT_BYTES = 16;
    private static final int TRANSFER_SHIFT_MAX = 30;
    private static final int SUBMISSION_ENTRY_SHIFT = 6;
    private static final int COMPLETION_ENTRY_SHIFT = 4;
    private static final int NIBBLE = 0xF;

    /**
     * Decodes the data of any controller.
     *
     * @param data            Identify Controller, {@value IdentifyController#SIZE_BYTES} bytes.
     * @param memoryPageShift log2 of the controller's smallest memory page, from
     *                        {@link ControllerCapabilities#memoryPageShiftMin}.
     * @return its properties.
     */
    public static ControllerInfo of(final DirectBuffer data, final int memoryPageShift)
    {
        return of(data, memoryPageShift, Integer.MAX_VALUE);
    }

    /**
     * Decodes the data of a controller that is reached over a transport with a limit of its own.
     *
     * @param data             as of {@link #of(DirectBuffer, int)}.
     * @param memoryPageShift  as of {@link #of(DirectBuffer, int)}.
     * @param transferBytesMax of one command over the transport.
     * @return its properties.
     */
    public static ControllerInfo of(
        final DirectBuffer data, final int memoryPageShift, final int transferBytesMax)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(data, 0, IdentifyController.SIZE_BYTES);
        final IdentifyController identify = new IdentifyController();
        final IdentifyControllerAdmin admin = new IdentifyControllerAdmin();
        final IdentifyControllerIo io = new IdentifyControllerIo();
        final IdentifyControllerFabrics fabrics = new IdentifyControllerFabrics();
        identify.wrap(buffer, 0);
        admin.wrap(buffer, 0);
        io.wrap(buffer, 0);
        fabrics.wrap(buffer, 0);
        final int transferShift = identify.maxDataTransferSize();
        final boolean isAna = 0 != (identify.multiPathCapabilities() & IdentifyController.MULTI_PATH_ANA);
        final long capsuleBytes = Integer.toUnsignedLong(fabrics.ioCommandCapsuleSize()) * CAPSULE_UNIT_BYTES;
        return new ControllerInfo(
            identify.controllerId(),
            printable(identify.subsystemNqn()),
            printable(identify.serialNumber()),
            printable(identify.modelNumber()),
            printable(identify.firmwareRevision()),
            identify.vendorId(),
            identify.version(),
            identify.controllerType(),
            io.namespaces(),
            memoryPageShift,
            Math.min(transferBytesMax, 0 == transferShift || transferShift + memoryPageShift > TRANSFER_SHIFT_MAX ?
                Integer.MAX_VALUE : 1L << transferShift + memoryPageShift),
            // TCP has no data at an offset other than 0, RDMA hardly; such a controller is sent none in capsules.
            0 == fabrics.inCapsuleDataOffset() ?
                Math.clamp(capsuleBytes - SubmissionQueueEntry.SIZE_BYTES, 0, Integer.MAX_VALUE) : 0,
            admin.optionalAdminCommands(),
            io.optionalNvmCommands(),
            io.copyFormats(),
            admin.logPageAttributes(),
            io.sglSupport(),
            fabrics.maxSglDescriptors(),
            0 != (io.volatileWriteCache() & IdentifyControllerIo.CACHE_PRESENT),
            0 != (identify.controllerAttributes() & IdentifyController.ATTRIBUTE_TRAFFIC_KEEP_ALIVE),
            admin.commandQuiesceTimeMs(),
            admin.keepAliveSupport(),
            1 + io.atomicWriteUnitPowerFail(),
            1 + admin.asyncEventRequestLimit(),
            identify.optionalAsyncEvents(),
            Integer.toUnsignedLong(identify.entryLatencyUs()),
            isAna ? admin.anaCapabilities() : 0,
            isAna ? admin.anaTransitionTime() : 0,
            isAna ? admin.anaGroupIdMax() : 0,
            isAna ? admin.anaGroups() : 0);
    }

    /**
     * Decodes the data of a controller that is to have I/O queues.
     *
     * @param data            as of {@link #of(DirectBuffer, int)}.
     * @param memoryPageShift as of {@link #of(DirectBuffer, int)}.
     * @return its properties.
     * @throws InvalidIdentifyException when it has no I/O queues or namespaces, or entries of another size.
     */
    public static ControllerInfo ofIoController(final DirectBuffer data, final int memoryPageShift)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(data, 0, IdentifyController.SIZE_BYTES);
        final IdentifyController identify = new IdentifyController();
        final IdentifyControllerIo io = new IdentifyControllerIo();
        identify.wrap(buffer, 0);
        io.wrap(buffer, 0);
        checkEntrySize("submission", io.submissionEntrySize(), SUBMISSION_ENTRY_SHIFT);
        checkEntrySize("completion", io.completionEntrySize(), COMPLETION_ENTRY_SHIFT);
        if (0 == io.namespaces())
        {
            throw new InvalidIdentifyException(
                "says that it can have no namespaces (NN 0): its Identify data are invalid");
        }
        final int type = identify.controllerType();
        if (IdentifyController.TYPE_DISCOVERY == type || IdentifyController.TYPE_ADMINISTRATIVE == type)
        {
            throw new InvalidIdentifyException("is not an I/O controller: its controller type is " + type);
        }
        return of(data, memoryPageShift);
    }

    private static void checkEntrySize(final String queue, final int sizes, final int wantedShift)
    {
        final int least = sizes & NIBBLE;
        final int most = sizes >>> 4 & NIBBLE;
        if (least > wantedShift || most < wantedShift)
        {
            throw new InvalidIdentifyException("takes " + queue + " queue entries of 2^" + least + " to 2^" + most +
                " bytes, not of 2^" + wantedShift + ": its Identify data are invalid");
        }
    }

    private static String printable(final String text)
    {
        final StringBuilder printable = new StringBuilder(text.strip());
        for (int i = 0; i < printable.length(); i++)
        {
            if (printable.charAt(i) < ' ' || printable.charAt(i) > '~')
            {
                printable.setCharAt(i, '?');
            }
        }
        return printable.toString();
    }

    /**
     * {@return whether it is a discovery controller, which has no I/O queues}
     */
    public boolean discovery()
    {
        return IdentifyController.TYPE_DISCOVERY == type;
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
     * {@return whether it offers Copy with descriptors of format 0, the only ones used here}
     */
    public boolean offersCopy()
    {
        return offers(IdentifyControllerIo.NVM_COPY) && 0 != (copyFormats & IdentifyControllerIo.COPY_FORMAT_0);
    }

    /**
     * {@return whether it reports asymmetric namespace access}
     */
    public boolean reportsAna()
    {
        return 0 != anaCapabilities;
    }

    /**
     * {@return model, serial number and firmware, for people}
     */
    public String description()
    {
        return modelNumber + ", serial " + serialNumber + ", firmware " + firmwareRevision;
    }

    /**
     * {@return the specification's version as people write it, such as 2.0.0}
     */
    public String versionText()
    {
        return (version >>> 16) + "." + (version >>> 8 & 0xFF) + "." + (version & 0xFF);
    }
}
