package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Identify Controller data structure, 4096 bytes (NVM Express Base 2.0, section 5.17.2.1; CNS 01h). Fields that no
 * host or target here uses have no accessor and stay as they are.
 */
public final class IdentifyController extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 4096;

    /** Controller type: I/O. */
    public static final int TYPE_IO = 1;
    /** Controller type: discovery. */
    public static final int TYPE_DISCOVERY = 2;
    /** Controller type: administrative. */
    public static final int TYPE_ADMINISTRATIVE = 3;

    /** Multi-path: the subsystem may have several ports. */
    public static final int MULTI_PATH_PORTS = 1;
    /** Multi-path: the subsystem may have several controllers. */
    public static final int MULTI_PATH_CONTROLLERS = 1 << 1;
    /** Multi-path: asymmetric namespace access is reported. */
    public static final int MULTI_PATH_ANA = 1 << 3;
    /** ANA capabilities: each of the five states may be reported. */
    public static final int ANA_ALL_STATES = 0x1F;
    /** ANA capabilities: a namespace stays in its group while it is attached. */
    public static final int ANA_GROUP_FIXED = 1 << 6;
    /** Controller attribute: host identifiers of 128 bits. */
    public static final int ATTRIBUTE_HOST_ID_128 = 1;
    /** Controller attribute: traffic counts as keep alive (TBKAS). */
    public static final int ATTRIBUTE_TRAFFIC_KEEP_ALIVE = 1 << 6;

    /** Log page attribute: commands supported and effects. */
    public static final int LOG_COMMAND_EFFECTS = 1 << 1;
    /** Log page attribute: offsets and lengths of 32 bits. */
    public static final int LOG_EXTENDED_DATA = 1 << 2;
    /** Log page attribute: supported log pages, feature and management command effects. */
    public static final int LOG_MISCELLANEOUS = 1 << 5;

    /** Optional admin command: Doorbell Buffer Config. */
    public static final int ADMIN_DOORBELL_BUFFER_CONFIG = 1 << 8;

    /** Optional NVM command: Compare. */
    public static final int NVM_COMPARE = 1;
    /** Optional NVM command: Dataset Management. */
    public static final int NVM_DATASET_MANAGEMENT = 1 << 2;
    /** Optional NVM command: Write Zeroes. */
    public static final int NVM_WRITE_ZEROES = 1 << 3;
    /** Select and save of features. */
    public static final int NVM_SELECT_FEATURES = 1 << 4;
    /** Timestamp feature. */
    public static final int NVM_TIMESTAMP = 1 << 6;
    /** Optional NVM command: Verify. */
    public static final int NVM_VERIFY = 1 << 7;
    /** Optional NVM command: Copy. */
    public static final int NVM_COPY = 1 << 8;
    /** Copy descriptor format 0. */
    public static final int COPY_FORMAT_0 = 1;

    /** Volatile write cache is present. */
    public static final int CACHE_PRESENT = 1;
    /** Flush with namespace id FFFFFFFFh flushes all namespaces. */
    public static final int CACHE_FLUSH_ALL = 3 << 1;

    /** SGL support: any alignment. */
    public static final int SGL_ANY_ALIGNMENT = 1;
    /** SGL support: mask of the two bits that say whether there is any. */
    public static final int SGL_SUPPORTED_MASK = 3;
    /** SGL support: keyed data blocks. */
    public static final int SGL_KEYED = 1 << 2;
    /** SGL support: address may be an offset into the capsule. */
    public static final int SGL_OFFSET = 1 << 20;
    /** SGL support: transport data blocks. */
    public static final int SGL_TRANSPORT = 1 << 21;

    /** Optional fabrics command: Disconnect. */
    public static final int FABRICS_DISCONNECT = 1;

    private static final int VENDOR_ID_OFFSET = 0;
    private static final int SERIAL_NUMBER_OFFSET = 4;
    private static final int SERIAL_NUMBER_BYTES = 20;
    private static final int MODEL_NUMBER_OFFSET = 24;
    private static final int MODEL_NUMBER_BYTES = 40;
    private static final int FIRMWARE_REVISION_OFFSET = 64;
    private static final int FIRMWARE_REVISION_BYTES = 8;
    private static final int MULTI_PATH_CAPABILITIES_OFFSET = 76;
    private static final int MAX_DATA_TRANSFER_SIZE_OFFSET = 77;
    private static final int CONTROLLER_ID_OFFSET = 78;
    private static final int VERSION_OFFSET = 80;
    private static final int ENTRY_LATENCY_US_OFFSET = 88;
    private static final int OPTIONAL_ASYNC_EVENTS_OFFSET = 92;
    private static final int CONTROLLER_ATTRIBUTES_OFFSET = 96;
    private static final int CONTROLLER_TYPE_OFFSET = 111;
    private static final int OPTIONAL_ADMIN_COMMANDS_OFFSET = 256;
    private static final int ABORT_COMMAND_LIMIT_OFFSET = 258;
    private static final int ASYNC_EVENT_REQUEST_LIMIT_OFFSET = 259;
    private static final int FIRMWARE_UPDATES_OFFSET = 260;
    private static final int LOG_PAGE_ATTRIBUTES_OFFSET = 261;
    private static final int ERROR_LOG_PAGE_ENTRIES_OFFSET = 262;
    private static final int WARNING_TEMPERATURE_OFFSET = 266;
    private static final int CRITICAL_TEMPERATURE_OFFSET = 268;
    private static final int KEEP_ALIVE_SUPPORT_OFFSET = 320;
    private static final int ANA_TRANSITION_TIME_OFFSET = 342;
    private static final int ANA_CAPABILITIES_OFFSET = 343;
    private static final int ANA_GROUP_ID_MAX_OFFSET = 344;
    private static final int ANA_GROUPS_OFFSET = 348;
    private static final int COMMAND_QUIESCE_TIME_OFFSET = 386;
    private static final int SUBMISSION_ENTRY_SIZE_OFFSET = 512;
    private static final int COMPLETION_ENTRY_SIZE_OFFSET = 513;
    private static final int MAX_COMMANDS_OFFSET = 514;
    private static final int NAMESPACES_OFFSET = 516;
    private static final int OPTIONAL_NVM_COMMANDS_OFFSET = 520;
    private static final int FUSED_OPERATIONS_OFFSET = 522;
    private static final int VOLATILE_WRITE_CACHE_OFFSET = 525;
    private static final int ATOMIC_WRITE_UNIT_OFFSET = 526;
    private static final int ATOMIC_WRITE_UNIT_POWER_FAIL_OFFSET = 528;
    private static final int COPY_FORMATS_OFFSET = 534;
    private static final int SGL_SUPPORT_OFFSET = 536;
    private static final int MAX_NAMESPACES_OFFSET = 540;
    private static final int SUBSYSTEM_NQN_OFFSET = 768;
    private static final int SUBSYSTEM_NQN_BYTES = 256;
    private static final int IO_COMMAND_CAPSULE_SIZE_OFFSET = 1792;
    private static final int IO_RESPONSE_CAPSULE_SIZE_OFFSET = 1796;
    private static final int IN_CAPSULE_DATA_OFFSET_OFFSET = 1800;
    private static final int FABRICS_CONTROLLER_ATTRIBUTES_OFFSET = 1802;
    private static final int MAX_SGL_DESCRIPTORS_OFFSET = 1803;
    private static final int OPTIONAL_FABRICS_COMMANDS_OFFSET = 1804;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public IdentifyController()
    {
    }

    /**
     * {@return PCI vendor id (VID)}
     */
    public int vendorId()
    {
        return buffer.getShort(offset + VENDOR_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets PCI vendor id (VID).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController vendorId(final int value)
    {
        buffer.putShort(offset + VENDOR_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return serial number (SN)}
     */
    public String serialNumber()
    {
        return padded(SERIAL_NUMBER_OFFSET, SERIAL_NUMBER_BYTES);
    }

    /**
     * Sets serial number (SN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController serialNumber(final String value)
    {
        padded(SERIAL_NUMBER_OFFSET, SERIAL_NUMBER_BYTES, value, (byte)' ');
        return this;
    }

    /**
     * {@return model number (MN)}
     */
    public String modelNumber()
    {
        return padded(MODEL_NUMBER_OFFSET, MODEL_NUMBER_BYTES);
    }

    /**
     * Sets model number (MN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController modelNumber(final String value)
    {
        padded(MODEL_NUMBER_OFFSET, MODEL_NUMBER_BYTES, value, (byte)' ');
        return this;
    }

    /**
     * {@return firmware revision (FR)}
     */
    public String firmwareRevision()
    {
        return padded(FIRMWARE_REVISION_OFFSET, FIRMWARE_REVISION_BYTES);
    }

    /**
     * Sets firmware revision (FR).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController firmwareRevision(final String value)
    {
        padded(FIRMWARE_REVISION_OFFSET, FIRMWARE_REVISION_BYTES, value, (byte)' ');
        return this;
    }

    /**
     * {@return multi-path I/O and namespace sharing capabilities (CMIC)}
     */
    public int multiPathCapabilities()
    {
        return buffer.getByte(offset + MULTI_PATH_CAPABILITIES_OFFSET) & 0xFF;
    }

    /**
     * Sets multi-path I/O and namespace sharing capabilities (CMIC).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController multiPathCapabilities(final int value)
    {
        buffer.putByte(offset + MULTI_PATH_CAPABILITIES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return largest data transfer as a power of two of the smallest page (MDTS); 0 is no limit}
     */
    public int maxDataTransferSize()
    {
        return buffer.getByte(offset + MAX_DATA_TRANSFER_SIZE_OFFSET) & 0xFF;
    }

    /**
     * Sets largest data transfer as a power of two of the smallest page (MDTS); 0 is no limit.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController maxDataTransferSize(final int value)
    {
        buffer.putByte(offset + MAX_DATA_TRANSFER_SIZE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return controller id (CNTLID)}
     */
    public int controllerId()
    {
        return buffer.getShort(offset + CONTROLLER_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets controller id (CNTLID).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController controllerId(final int value)
    {
        buffer.putShort(offset + CONTROLLER_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return version of the specification (VER)}
     */
    public int version()
    {
        return buffer.getInt(offset + VERSION_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets version of the specification (VER).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController version(final int value)
    {
        buffer.putInt(offset + VERSION_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return RTD3 entry latency in microseconds (RTD3E)}
     */
    public int entryLatencyUs()
    {
        return buffer.getInt(offset + ENTRY_LATENCY_US_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets RTD3 entry latency in microseconds (RTD3E).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController entryLatencyUs(final int value)
    {
        buffer.putInt(offset + ENTRY_LATENCY_US_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return optional asynchronous events (OAES), bits of {@link AsyncEvent}}
     */
    public int optionalAsyncEvents()
    {
        return buffer.getInt(offset + OPTIONAL_ASYNC_EVENTS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets optional asynchronous events (OAES), bits of {@link AsyncEvent}.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController optionalAsyncEvents(final int value)
    {
        buffer.putInt(offset + OPTIONAL_ASYNC_EVENTS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return controller attributes (CTRATT)}
     */
    public int controllerAttributes()
    {
        return buffer.getInt(offset + CONTROLLER_ATTRIBUTES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets controller attributes (CTRATT).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController controllerAttributes(final int value)
    {
        buffer.putInt(offset + CONTROLLER_ATTRIBUTES_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return controller type (CNTRLTYPE)}
     */
    public int controllerType()
    {
        return buffer.getByte(offset + CONTROLLER_TYPE_OFFSET) & 0xFF;
    }

    /**
     * Sets controller type (CNTRLTYPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController controllerType(final int value)
    {
        buffer.putByte(offset + CONTROLLER_TYPE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return optional admin commands (OACS)}
     */
    public int optionalAdminCommands()
    {
        return buffer.getShort(offset + OPTIONAL_ADMIN_COMMANDS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets optional admin commands (OACS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController optionalAdminCommands(final int value)
    {
        buffer.putShort(offset + OPTIONAL_ADMIN_COMMANDS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return concurrent Abort commands less one (ACL)}
     */
    public int abortCommandLimit()
    {
        return buffer.getByte(offset + ABORT_COMMAND_LIMIT_OFFSET) & 0xFF;
    }

    /**
     * Sets concurrent Abort commands less one (ACL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController abortCommandLimit(final int value)
    {
        buffer.putByte(offset + ABORT_COMMAND_LIMIT_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return outstanding Asynchronous Event Requests less one (AERL)}
     */
    public int asyncEventRequestLimit()
    {
        return buffer.getByte(offset + ASYNC_EVENT_REQUEST_LIMIT_OFFSET) & 0xFF;
    }

    /**
     * Sets outstanding Asynchronous Event Requests less one (AERL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController asyncEventRequestLimit(final int value)
    {
        buffer.putByte(offset + ASYNC_EVENT_REQUEST_LIMIT_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return firmware update capabilities (FRMW)}
     */
    public int firmwareUpdates()
    {
        return buffer.getByte(offset + FIRMWARE_UPDATES_OFFSET) & 0xFF;
    }

    /**
     * Sets firmware update capabilities (FRMW).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController firmwareUpdates(final int value)
    {
        buffer.putByte(offset + FIRMWARE_UPDATES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return log page attributes (LPA)}
     */
    public int logPageAttributes()
    {
        return buffer.getByte(offset + LOG_PAGE_ATTRIBUTES_OFFSET) & 0xFF;
    }

    /**
     * Sets log page attributes (LPA).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController logPageAttributes(final int value)
    {
        buffer.putByte(offset + LOG_PAGE_ATTRIBUTES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return entries of the error information log less one (ELPE)}
     */
    public int errorLogPageEntries()
    {
        return buffer.getByte(offset + ERROR_LOG_PAGE_ENTRIES_OFFSET) & 0xFF;
    }

    /**
     * Sets entries of the error information log less one (ELPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController errorLogPageEntries(final int value)
    {
        buffer.putByte(offset + ERROR_LOG_PAGE_ENTRIES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return warning composite temperature in kelvins (WCTEMP)}
     */
    public int warningTemperature()
    {
        return buffer.getShort(offset + WARNING_TEMPERATURE_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets warning composite temperature in kelvins (WCTEMP).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController warningTemperature(final int value)
    {
        buffer.putShort(offset + WARNING_TEMPERATURE_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return critical composite temperature in kelvins (CCTEMP)}
     */
    public int criticalTemperature()
    {
        return buffer.getShort(offset + CRITICAL_TEMPERATURE_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets critical composite temperature in kelvins (CCTEMP).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController criticalTemperature(final int value)
    {
        buffer.putShort(offset + CRITICAL_TEMPERATURE_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return granularity of the keep alive timer in units of 100 ms (KAS); 0 is no support}
     */
    public int keepAliveSupport()
    {
        return buffer.getShort(offset + KEEP_ALIVE_SUPPORT_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets granularity of the keep alive timer in units of 100 ms (KAS); 0 is no support.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController keepAliveSupport(final int value)
    {
        buffer.putShort(offset + KEEP_ALIVE_SUPPORT_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return ANA transition time in seconds (ANATT)}
     */
    public int anaTransitionTime()
    {
        return buffer.getByte(offset + ANA_TRANSITION_TIME_OFFSET) & 0xFF;
    }

    /**
     * Sets ANA transition time in seconds (ANATT).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController anaTransitionTime(final int value)
    {
        buffer.putByte(offset + ANA_TRANSITION_TIME_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return ANA capabilities (ANACAP)}
     */
    public int anaCapabilities()
    {
        return buffer.getByte(offset + ANA_CAPABILITIES_OFFSET) & 0xFF;
    }

    /**
     * Sets ANA capabilities (ANACAP).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController anaCapabilities(final int value)
    {
        buffer.putByte(offset + ANA_CAPABILITIES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return largest ANA group id (ANAGRPMAX)}
     */
    public int anaGroupIdMax()
    {
        return buffer.getInt(offset + ANA_GROUP_ID_MAX_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets largest ANA group id (ANAGRPMAX).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController anaGroupIdMax(final int value)
    {
        buffer.putInt(offset + ANA_GROUP_ID_MAX_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return count of ANA groups (NANAGRPID)}
     */
    public int anaGroups()
    {
        return buffer.getInt(offset + ANA_GROUPS_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets count of ANA groups (NANAGRPID).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController anaGroups(final int value)
    {
        buffer.putInt(offset + ANA_GROUPS_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return longest time in milliseconds that it needs to end all commands after it has lost its host (CQT, since
     * NVM Express Base 2.1); 0 when it is not reported}
     */
    public int commandQuiesceTimeMs()
    {
        return buffer.getShort(offset + COMMAND_QUIESCE_TIME_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets longest time that it needs to end all commands after it has lost its host.
     *
     * @param value in milliseconds.
     * @return this, to chain.
     */
    public IdentifyController commandQuiesceTimeMs(final int value)
    {
        buffer.putShort(offset + COMMAND_QUIESCE_TIME_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return submission queue entry size: smallest in bits 3:0, largest in bits 7:4, as powers of two (SQES)}
     */
    public int submissionEntrySize()
    {
        return buffer.getByte(offset + SUBMISSION_ENTRY_SIZE_OFFSET) & 0xFF;
    }

    /**
     * Sets submission queue entry size: smallest in bits 3:0, largest in bits 7:4, as powers of two (SQES).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController submissionEntrySize(final int value)
    {
        buffer.putByte(offset + SUBMISSION_ENTRY_SIZE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return completion queue entry size: smallest in bits 3:0, largest in bits 7:4, as powers of two (CQES)}
     */
    public int completionEntrySize()
    {
        return buffer.getByte(offset + COMPLETION_ENTRY_SIZE_OFFSET) & 0xFF;
    }

    /**
     * Sets completion queue entry size: smallest in bits 3:0, largest in bits 7:4, as powers of two (CQES).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController completionEntrySize(final int value)
    {
        buffer.putByte(offset + COMPLETION_ENTRY_SIZE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return most outstanding commands of a queue (MAXCMD)}
     */
    public int maxCommands()
    {
        return buffer.getShort(offset + MAX_COMMANDS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets most outstanding commands of a queue (MAXCMD).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController maxCommands(final int value)
    {
        buffer.putShort(offset + MAX_COMMANDS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return largest namespace id (NN)}
     */
    public int namespaces()
    {
        return buffer.getInt(offset + NAMESPACES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets largest namespace id (NN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController namespaces(final int value)
    {
        buffer.putInt(offset + NAMESPACES_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return optional NVM commands (ONCS)}
     */
    public int optionalNvmCommands()
    {
        return buffer.getShort(offset + OPTIONAL_NVM_COMMANDS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets optional NVM commands (ONCS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController optionalNvmCommands(final int value)
    {
        buffer.putShort(offset + OPTIONAL_NVM_COMMANDS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return copy descriptor formats (OCFS)}
     */
    public int copyFormats()
    {
        return buffer.getShort(offset + COPY_FORMATS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets copy descriptor formats (OCFS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController copyFormats(final int value)
    {
        buffer.putShort(offset + COPY_FORMATS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return fused operations (FUSES)}
     */
    public int fusedOperations()
    {
        return buffer.getShort(offset + FUSED_OPERATIONS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets fused operations (FUSES).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController fusedOperations(final int value)
    {
        buffer.putShort(offset + FUSED_OPERATIONS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return volatile write cache: present in bit 0, flush of all namespaces in bits 2:1 (VWC)}
     */
    public int volatileWriteCache()
    {
        return buffer.getByte(offset + VOLATILE_WRITE_CACHE_OFFSET) & 0xFF;
    }

    /**
     * Sets volatile write cache: present in bit 0, flush of all namespaces in bits 2:1 (VWC).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController volatileWriteCache(final int value)
    {
        buffer.putByte(offset + VOLATILE_WRITE_CACHE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return atomic write unit in blocks less one (AWUN)}
     */
    public int atomicWriteUnit()
    {
        return buffer.getShort(offset + ATOMIC_WRITE_UNIT_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets atomic write unit in blocks less one (AWUN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController atomicWriteUnit(final int value)
    {
        buffer.putShort(offset + ATOMIC_WRITE_UNIT_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return atomic write unit at power failure in blocks less one (AWUPF)}
     */
    public int atomicWriteUnitPowerFail()
    {
        return buffer.getShort(offset + ATOMIC_WRITE_UNIT_POWER_FAIL_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets atomic write unit at power failure in blocks less one (AWUPF).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController atomicWriteUnitPowerFail(final int value)
    {
        buffer.putShort(offset + ATOMIC_WRITE_UNIT_POWER_FAIL_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return SGL support (SGLS)}
     */
    public int sglSupport()
    {
        return buffer.getInt(offset + SGL_SUPPORT_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets SGL support (SGLS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController sglSupport(final int value)
    {
        buffer.putInt(offset + SGL_SUPPORT_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return most namespaces (MNAN)}
     */
    public int maxNamespaces()
    {
        return buffer.getInt(offset + MAX_NAMESPACES_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets most namespaces (MNAN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController maxNamespaces(final int value)
    {
        buffer.putInt(offset + MAX_NAMESPACES_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return NQN of the subsystem (SUBNQN)}
     */
    public String subsystemNqn()
    {
        return padded(SUBSYSTEM_NQN_OFFSET, SUBSYSTEM_NQN_BYTES);
    }

    /**
     * Sets NQN of the subsystem (SUBNQN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController subsystemNqn(final String value)
    {
        padded(SUBSYSTEM_NQN_OFFSET, SUBSYSTEM_NQN_BYTES, value, (byte)0);
        return this;
    }

    /**
     * {@return I/O command capsule size in units of 16 bytes (IOCCSZ)}
     */
    public int ioCommandCapsuleSize()
    {
        return buffer.getInt(offset + IO_COMMAND_CAPSULE_SIZE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets I/O command capsule size in units of 16 bytes (IOCCSZ).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController ioCommandCapsuleSize(final int value)
    {
        buffer.putInt(offset + IO_COMMAND_CAPSULE_SIZE_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return I/O response capsule size in units of 16 bytes (IORCSZ)}
     */
    public int ioResponseCapsuleSize()
    {
        return buffer.getInt(offset + IO_RESPONSE_CAPSULE_SIZE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets I/O response capsule size in units of 16 bytes (IORCSZ).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController ioResponseCapsuleSize(final int value)
    {
        buffer.putInt(offset + IO_RESPONSE_CAPSULE_SIZE_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return offset of data in a capsule in units of 16 bytes (ICDOFF)}
     */
    public int inCapsuleDataOffset()
    {
        return buffer.getShort(offset + IN_CAPSULE_DATA_OFFSET_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets offset of data in a capsule in units of 16 bytes (ICDOFF).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController inCapsuleDataOffset(final int value)
    {
        buffer.putShort(offset + IN_CAPSULE_DATA_OFFSET_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return fabrics controller attributes (FCATT); bit 0 clear is the dynamic controller model}
     */
    public int fabricsControllerAttributes()
    {
        return buffer.getByte(offset + FABRICS_CONTROLLER_ATTRIBUTES_OFFSET) & 0xFF;
    }

    /**
     * Sets fabrics controller attributes (FCATT); bit 0 clear is the dynamic controller model.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController fabricsControllerAttributes(final int value)
    {
        buffer.putByte(offset + FABRICS_CONTROLLER_ATTRIBUTES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return most SGL data block descriptors in a capsule (MSDBD)}
     */
    public int maxSglDescriptors()
    {
        return buffer.getByte(offset + MAX_SGL_DESCRIPTORS_OFFSET) & 0xFF;
    }

    /**
     * Sets most SGL data block descriptors in a capsule (MSDBD).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController maxSglDescriptors(final int value)
    {
        buffer.putByte(offset + MAX_SGL_DESCRIPTORS_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return optional fabrics commands (OFCS)}
     */
    public int optionalFabricsCommands()
    {
        return buffer.getShort(offset + OPTIONAL_FABRICS_COMMANDS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets optional fabrics commands (OFCS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IdentifyController optionalFabricsCommands(final int value)
    {
        buffer.putShort(offset + OPTIONAL_FABRICS_COMMANDS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
