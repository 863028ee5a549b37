package io.millrace.nvme.identify;

import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.Flyweight;
import java.nio.ByteOrder;

/**
 * Identify Controller data structure, 4096 bytes (NVM Express Base 2.0, section 5.17.2.1; CNS 01h): Controller
 * Capabilities and Features, its bytes 255:0, and the NQN. Its other parts are {@link IdentifyControllerAdmin},
 * {@link IdentifyControllerIo} and {@link IdentifyControllerFabrics}. Fields that no host or target here uses have no
 * accessor and stay as they are.
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
    /** Controller attribute: host identifiers of 128 bits. */
    public static final int ATTRIBUTE_HOST_ID_128 = 1;
    /** Controller attribute: traffic counts as keep alive (TBKAS). */
    public static final int ATTRIBUTE_TRAFFIC_KEEP_ALIVE = 1 << 6;

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
    private static final int SUBSYSTEM_NQN_OFFSET = 768;
    private static final int SUBSYSTEM_NQN_BYTES = 256;

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
}
