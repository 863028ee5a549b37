package io.millrace.nvme.identify;

import io.millrace.nvme.Flyweight;
import java.nio.ByteOrder;

/**
 * I/O Command Set Independent Identify Namespace data structure, 4096 bytes (NVM Express Base 2.0, section 5.17.2.8;
 * CNS 08h).
 */
public final class IndependentNamespace extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 4096;

    /** Feature: no volatile write cache (VWCNP). */
    public static final int FEATURE_NO_VOLATILE_CACHE = 1 << 5;
    /** Status: ready. */
    public static final int STATUS_READY = 1;

    private static final int FEATURES_OFFSET = 0;
    private static final int MULTI_PATH_CAPABILITIES_OFFSET = 1;
    private static final int ANA_GROUP_ID_OFFSET = 4;
    private static final int ATTRIBUTES_OFFSET = 8;
    private static final int STATUS_OFFSET = 14;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public IndependentNamespace()
    {
    }

    /**
     * {@return common features (NSFEAT)}
     */
    public int features()
    {
        return buffer.getByte(offset + FEATURES_OFFSET) & 0xFF;
    }

    /**
     * Sets common features (NSFEAT).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IndependentNamespace features(final int value)
    {
        buffer.putByte(offset + FEATURES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return multi-path I/O and sharing capabilities (NMIC); bit 0: may be shared}
     */
    public int multiPathCapabilities()
    {
        return buffer.getByte(offset + MULTI_PATH_CAPABILITIES_OFFSET) & 0xFF;
    }

    /**
     * Sets multi-path I/O and sharing capabilities (NMIC); bit 0: may be shared.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IndependentNamespace multiPathCapabilities(final int value)
    {
        buffer.putByte(offset + MULTI_PATH_CAPABILITIES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return ANA group id (ANAGRPID)}
     */
    public int anaGroupId()
    {
        return buffer.getInt(offset + ANA_GROUP_ID_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets ANA group id (ANAGRPID).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IndependentNamespace anaGroupId(final int value)
    {
        buffer.putInt(offset + ANA_GROUP_ID_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return attributes (NSATTR); bit 0: write protected}
     */
    public int attributes()
    {
        return buffer.getByte(offset + ATTRIBUTES_OFFSET) & 0xFF;
    }

    /**
     * Sets attributes (NSATTR); bit 0: write protected.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IndependentNamespace attributes(final int value)
    {
        buffer.putByte(offset + ATTRIBUTES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return status (NSTAT); bit 0: ready}
     */
    public int status()
    {
        return buffer.getByte(offset + STATUS_OFFSET) & 0xFF;
    }

    /**
     * Sets status (NSTAT); bit 0: ready.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public IndependentNamespace status(final int value)
    {
        buffer.putByte(offset + STATUS_OFFSET, (byte)value);
        return this;
    }
}
