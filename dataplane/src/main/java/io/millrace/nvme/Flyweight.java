package io.millrace.nvme;

import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A view of bytes that can be wrapped again and again. Holds no bytes of its own; bounds are those of the wrapped
 * buffer.
 */
public abstract class Flyweight
{
    /** What is wrapped. */
    protected UnsafeBuffer buffer;
    /** Where the view begins in it. */
    protected int offset;

    /**
     * For flyweights alone.
     */
    protected Flyweight()
    {
    }

    /**
     * Points the view at bytes.
     *
     * @param newBuffer that holds them.
     * @param newOffset of the first.
     */
    public final void wrap(final UnsafeBuffer newBuffer, final int newOffset)
    {
        buffer = newBuffer;
        offset = newOffset;
    }

    /**
     * {@return what is wrapped}
     */
    public final UnsafeBuffer buffer()
    {
        return buffer;
    }

    /**
     * {@return where the view begins}
     */
    public final int offset()
    {
        return offset;
    }

    /**
     * {@return text of a field of fixed length, up to its first NUL and without trailing spaces; malformed UTF-8 is
     * replaced}
     *
     * @param fieldOffset of the field in the view.
     * @param lengthBytes of the field.
     */
    protected final String padded(final int fieldOffset, final int lengthBytes)
    {
        int end = 0;
        while (end < lengthBytes && 0 != buffer.getByte(offset + fieldOffset + end))
        {
            end++;
        }
        while (end > 0 && ' ' == buffer.getByte(offset + fieldOffset + end - 1))
        {
            end--;
        }
        final byte[] bytes = new byte[end];
        buffer.getBytes(offset + fieldOffset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Sets text in a field of fixed length and fills the rest.
     *
     * @param fieldOffset of the field in the view.
     * @param lengthBytes of the field.
     * @param value       to set.
     * @param padding     to fill the rest with.
     * @throws IllegalArgumentException when the text is longer than the field.
     */
    protected final void padded(final int fieldOffset, final int lengthBytes, final String value, final byte padding)
    {
        final byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > lengthBytes)
        {
            throw new IllegalArgumentException("'" + value + "' of " + bytes.length +
                " bytes is longer than its field of " + lengthBytes + ": shorten it");
        }
        buffer.putBytes(offset + fieldOffset, bytes);
        buffer.setMemory(offset + fieldOffset + bytes.length, lengthBytes - bytes.length, padding);
    }
}
