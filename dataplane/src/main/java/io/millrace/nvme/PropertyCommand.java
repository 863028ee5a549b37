package io.millrace.nvme;

import java.nio.ByteOrder;

/**
 * Fields of Property Get and Property Set commands in their submission queue entry, 64 bytes (NVM Express Base 2.0,
 * sections 6.6 and 6.7).
 */
public final class PropertyCommand extends Flyweight
{
    /** Size of the entry in bytes. */
    public static final int SIZE_BYTES = 64;

    /** Attribute: the property has 4 bytes. */
    public static final int SIZE_4 = 0;
    /** Attribute: the property has 8 bytes. */
    public static final int SIZE_8 = 1;
    /** Mask of the size in the attributes. */
    public static final int SIZE_MASK = 7;

    private static final int FABRICS_TYPE_OFFSET = 4;
    private static final int ATTRIBUTES_OFFSET = 40;
    private static final int PROPERTY_OFFSET_OFFSET = 44;
    private static final int VALUE_OFFSET = 48;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public PropertyCommand()
    {
    }

    /**
     * {@return fabrics type (FCTYPE)}
     */
    public int fabricsType()
    {
        return buffer.getByte(offset + FABRICS_TYPE_OFFSET) & 0xFF;
    }

    /**
     * Sets fabrics type (FCTYPE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public PropertyCommand fabricsType(final int value)
    {
        buffer.putByte(offset + FABRICS_TYPE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return attributes: size in bits 2:0 (ATTRIB)}
     */
    public int attributes()
    {
        return buffer.getByte(offset + ATTRIBUTES_OFFSET) & 0xFF;
    }

    /**
     * Sets attributes: size in bits 2:0 (ATTRIB).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public PropertyCommand attributes(final int value)
    {
        buffer.putByte(offset + ATTRIBUTES_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return offset of the property (OFST), of {@link ControllerProperty}}
     */
    public int propertyOffset()
    {
        return buffer.getInt(offset + PROPERTY_OFFSET_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets offset of the property (OFST), of {@link ControllerProperty}.
     *
     * @param value new value.
     * @return this, to chain.
     */
    public PropertyCommand propertyOffset(final int value)
    {
        buffer.putInt(offset + PROPERTY_OFFSET_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return value to set (VALUE)}
     */
    public long value()
    {
        return buffer.getLong(offset + VALUE_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Sets value to set (VALUE).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public PropertyCommand value(final long value)
    {
        buffer.putLong(offset + VALUE_OFFSET, value, ByteOrder.LITTLE_ENDIAN);
        return this;
    }
}
