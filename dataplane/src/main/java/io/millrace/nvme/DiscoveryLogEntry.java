package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Record of the Discovery log page, 1024 bytes (NVM Express Base 2.0, section 5.16.1.23; LID 70h).
 */
public final class DiscoveryLogEntry extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 1024;

    /** Subsystem type: referral to another discovery service. */
    public static final int SUBTYPE_REFERRAL = 1;
    /** Subsystem type: NVM subsystem. */
    public static final int SUBTYPE_NVM = 2;
    /** Subsystem type: this discovery service. */
    public static final int SUBTYPE_CURRENT_DISCOVERY = 3;
    /** Flag: other entries lead to the same information. */
    public static final int FLAG_DUPLICATE = 1;
    /** Flag: a connection may persist by keep alive. */
    public static final int FLAG_PERSISTENT = 1 << 1;
    /** Controller id: any. */
    public static final int CONTROLLER_ID_DYNAMIC = 0xFFFF;
    /** Type of queue pair of RDMA: connected, reliable. */
    public static final int QUEUE_PAIR_CONNECTED = 1;
    /** Provider of RDMA: none said. */
    public static final int RDMA_PROVIDER_NONE = 1;
    /** Connection manager of RDMA: the one of librdmacm. */
    public static final int RDMA_CONNECTION_MANAGER = 1;

    private static final int TRANSPORT_TYPE_OFFSET = 0;
    private static final int ADDRESS_FAMILY_OFFSET = 1;
    private static final int SUBSYSTEM_TYPE_OFFSET = 2;
    private static final int TRANSPORT_REQUIREMENTS_OFFSET = 3;
    private static final int PORT_ID_OFFSET = 4;
    private static final int CONTROLLER_ID_OFFSET = 6;
    private static final int ADMIN_QUEUE_SIZE_MAX_OFFSET = 8;
    private static final int FLAGS_OFFSET = 10;
    private static final int SERVICE_ID_OFFSET = 32;
    private static final int SERVICE_ID_BYTES = 32;
    private static final int SUBSYSTEM_NQN_OFFSET = 256;
    private static final int SUBSYSTEM_NQN_BYTES = 256;
    private static final int ADDRESS_OFFSET = 512;
    private static final int ADDRESS_BYTES = 256;
    private static final int SECURITY_TYPE_OFFSET = 768;
    private static final int RDMA_PROVIDER_OFFSET = 769;
    private static final int RDMA_CONNECTION_MANAGER_OFFSET = 770;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public DiscoveryLogEntry()
    {
    }

    /**
     * {@return transport type (TRTYPE)}
     */
    public int transportType()
    {
        return buffer.getByte(offset + TRANSPORT_TYPE_OFFSET) & 0xFF;
    }

    /**
     * Sets transport type (TRTYPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry transportType(final int value)
    {
        buffer.putByte(offset + TRANSPORT_TYPE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return address family (ADRFAM)}
     */
    public int addressFamily()
    {
        return buffer.getByte(offset + ADDRESS_FAMILY_OFFSET) & 0xFF;
    }

    /**
     * Sets address family (ADRFAM).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry addressFamily(final int value)
    {
        buffer.putByte(offset + ADDRESS_FAMILY_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return subsystem type (SUBTYPE)}
     */
    public int subsystemType()
    {
        return buffer.getByte(offset + SUBSYSTEM_TYPE_OFFSET) & 0xFF;
    }

    /**
     * Sets subsystem type (SUBTYPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry subsystemType(final int value)
    {
        buffer.putByte(offset + SUBSYSTEM_TYPE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return transport requirements (TREQ)}
     */
    public int transportRequirements()
    {
        return buffer.getByte(offset + TRANSPORT_REQUIREMENTS_OFFSET) & 0xFF;
    }

    /**
     * Sets transport requirements (TREQ).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry transportRequirements(final int value)
    {
        buffer.putByte(offset + TRANSPORT_REQUIREMENTS_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return port (PORTID)}
     */
    public int portId()
    {
        return buffer.getShort(offset + PORT_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets port (PORTID).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry portId(final int value)
    {
        buffer.putShort(offset + PORT_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return controller id (CNTLID); FFFFh is the dynamic controller model}
     */
    public int controllerId()
    {
        return buffer.getShort(offset + CONTROLLER_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets controller id (CNTLID); FFFFh is the dynamic controller model.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry controllerId(final int value)
    {
        buffer.putShort(offset + CONTROLLER_ID_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return largest admin queue in entries (ASQSZ)}
     */
    public int adminQueueSizeMax()
    {
        return buffer.getShort(offset + ADMIN_QUEUE_SIZE_MAX_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets largest admin queue in entries (ASQSZ).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry adminQueueSizeMax(final int value)
    {
        buffer.putShort(offset + ADMIN_QUEUE_SIZE_MAX_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return entry flags (EFLAGS)}
     */
    public int flags()
    {
        return buffer.getShort(offset + FLAGS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * Sets entry flags (EFLAGS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry flags(final int value)
    {
        buffer.putShort(offset + FLAGS_OFFSET, (short)value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return transport service identifier (TRSVCID)}
     */
    public String serviceId()
    {
        return padded(SERVICE_ID_OFFSET, SERVICE_ID_BYTES);
    }

    /**
     * Sets transport service identifier (TRSVCID).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry serviceId(final String value)
    {
        padded(SERVICE_ID_OFFSET, SERVICE_ID_BYTES, value, (byte)' ');
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
    public DiscoveryLogEntry subsystemNqn(final String value)
    {
        padded(SUBSYSTEM_NQN_OFFSET, SUBSYSTEM_NQN_BYTES, value, (byte)0);
        return this;
    }

    /**
     * {@return transport address (TRADDR)}
     */
    public String address()
    {
        return padded(ADDRESS_OFFSET, ADDRESS_BYTES);
    }

    /**
     * Sets transport address (TRADDR).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry address(final String value)
    {
        padded(ADDRESS_OFFSET, ADDRESS_BYTES, value, (byte)' ');
        return this;
    }

    /**
     * {@return security of TCP (TSAS, SECTYPE)}
     */
    public int securityType()
    {
        return buffer.getByte(offset + SECURITY_TYPE_OFFSET) & 0xFF;
    }

    /**
     * Sets security of TCP (TSAS, SECTYPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry securityType(final int value)
    {
        buffer.putByte(offset + SECURITY_TYPE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return type of queue pair of RDMA (TSAS, RDMA_QPTYPE), in the place of {@link #securityType}}
     */
    public int queuePairType()
    {
        return buffer.getByte(offset + SECURITY_TYPE_OFFSET) & 0xFF;
    }

    /**
     * Sets type of queue pair of RDMA (TSAS, RDMA_QPTYPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry queuePairType(final int value)
    {
        buffer.putByte(offset + SECURITY_TYPE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return provider of RDMA (TSAS, RDMA_PRTYPE)}
     */
    public int rdmaProvider()
    {
        return buffer.getByte(offset + RDMA_PROVIDER_OFFSET) & 0xFF;
    }

    /**
     * Sets provider of RDMA (TSAS, RDMA_PRTYPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry rdmaProvider(final int value)
    {
        buffer.putByte(offset + RDMA_PROVIDER_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return connection manager of RDMA (TSAS, RDMA_CMS)}
     */
    public int rdmaConnectionManager()
    {
        return buffer.getByte(offset + RDMA_CONNECTION_MANAGER_OFFSET) & 0xFF;
    }

    /**
     * Sets connection manager of RDMA (TSAS, RDMA_CMS).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public DiscoveryLogEntry rdmaConnectionManager(final int value)
    {
        buffer.putByte(offset + RDMA_CONNECTION_MANAGER_OFFSET, (byte)value);
        return this;
    }
}
