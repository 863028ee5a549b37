package io.millrace.nvme;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A view of bytes that can be wrapped again and again. Holds no bytes of its own; bounds are those of the wrapped buffer.
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
}
