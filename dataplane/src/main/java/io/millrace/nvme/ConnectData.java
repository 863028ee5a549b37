package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Data of the Connect command, 1024 bytes (NVM Express Base 2.0, section 6.3).
 */
public final class ConnectData extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 1024;

    /** Controller id that asks for any. */
    public static final int CONTROLLER_ID_DYNAMIC = 0xFFFF;
    /** Where the host identifier begins; for the parameter offset of a refusal. */
    public static final int HOST_ID_POSITION = 0;
    /** Where the controller id begins. */
    public static final int CONTROLLER_ID_POSITION = 16;
    /** Where the NQN of the subsystem begins. */
    public static final int SUBSYSTEM_NQN_POSITION = 256;
    /** Where the NQN of the host begins. */
    public static final int HOST_NQN_POSITION = 512;

    private static final int HOST_ID_OFFSET = 0;
    private static final int HOST_ID_BYTES = 16;
    private static final int CONTROLLER_ID_OFFSET = 16;
    private static final int SUBSYSTEM_NQN_OFFSET = 256;
    private static final int SUBSYSTEM_NQN_BYTES = 256;
    private static final int HOST_NQN_OFFSET = 512;
    private static final int HOST_NQN_BYTES = 256;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public ConnectData()
    {
    }

    /**
     * Copies out the host identifier (HOSTID).
     *
     * @param destination of 16 bytes.
     */
    public void hostId(final byte[] destination)
    {
        buffer.getBytes(offset + HOST_ID_OFFSET, destination, 0, HOST_ID_BYTES);
    }

    /**
     * Sets the host identifier (HOSTID).
     *
     * @param source of 16 bytes.
     * @return this, to chain.
     */
    public ConnectData setHostId(final byte[] source)
    {
        buffer.putBytes(offset + HOST_ID_OFFSET, source, 0, HOST_ID_BYTES);
        return this;
    }

    /**
     * {@return controller id (CNTLID); FFFFh asks for any}
     */
    public int controllerId()
    {
        return buffer.getShort(offset + CONTROLLER_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets controller id (CNTLID); FFFFh asks for any.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ConnectData controllerId(final int value)
    {
        buffer.putShort(offset + CONTROLLER_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
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
    public ConnectData subsystemNqn(final String value)
    {
        padded(SUBSYSTEM_NQN_OFFSET, SUBSYSTEM_NQN_BYTES, value, (byte)0);
        return this;
    }

    /**
     * {@return NQN of the host (HOSTNQN)}
     */
    public String hostNqn()
    {
        return padded(HOST_NQN_OFFSET, HOST_NQN_BYTES);
    }

    /**
     * Sets NQN of the host (HOSTNQN).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public ConnectData hostNqn(final String value)
    {
        padded(HOST_NQN_OFFSET, HOST_NQN_BYTES, value, (byte)0);
        return this;
    }
}
