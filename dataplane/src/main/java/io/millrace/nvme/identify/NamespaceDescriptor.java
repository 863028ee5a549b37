package io.millrace.nvme.identify;

import io.millrace.nvme.Flyweight;

/**
 * Namespace Identification Descriptor: a header of 4 bytes, then the identifier (NVM Express Base 2.0, section
 * 5.17.2.3; CNS 03h). Descriptors follow each other; one of type 0 ends the list.
 */
public final class NamespaceDescriptor extends Flyweight
{
    /** Size of the header in bytes. */
    public static final int HEADER_BYTES = 4;

    /** Type: IEEE extended unique identifier, 8 bytes. */
    public static final int TYPE_EUI64 = 1;
    /** Type: globally unique identifier, 16 bytes. */
    public static final int TYPE_NGUID = 2;
    /** Type: UUID, 16 bytes, most significant first. */
    public static final int TYPE_UUID = 3;
    /** Type: command set identifier, 1 byte. */
    public static final int TYPE_CSI = 4;

    private static final int TYPE_OFFSET = 0;
    private static final int LENGTH_OFFSET = 1;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public NamespaceDescriptor()
    {
    }

    /**
     * {@return type of the identifier (NIDT)}
     */
    public int type()
    {
        return buffer.getByte(offset + TYPE_OFFSET) & 0xFF;
    }

    /**
     * Sets type of the identifier (NIDT).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public NamespaceDescriptor type(final int value)
    {
        buffer.putByte(offset + TYPE_OFFSET, (byte)value);
        return this;
    }

    /**
     * {@return length of the identifier in bytes (NIDL)}
     */
    public int length()
    {
        return buffer.getByte(offset + LENGTH_OFFSET) & 0xFF;
    }

    /**
     * Sets length of the identifier in bytes (NIDL).
     *
     * @param value new value.
     * @return this, to chain.
     */
    public NamespaceDescriptor length(final int value)
    {
        buffer.putByte(offset + LENGTH_OFFSET, (byte)value);
        return this;
    }
}
