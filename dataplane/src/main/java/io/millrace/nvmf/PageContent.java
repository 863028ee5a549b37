package io.millrace.nvmf;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Data that a host reads in pieces, each written when it is asked for. Used on the reactor that asked for it, before
 * that does anything else.
 */
interface PageContent
{
    /**
     * {@return bytes of all of it}
     */
    long lengthBytes();

    /**
     * Writes a piece.
     *
     * @param offset      where the piece begins.
     * @param to          where it goes, from 0.
     * @param lengthBytes of the piece, which ends within the content.
     */
    void write(long offset, UnsafeBuffer to, int lengthBytes);

    /**
     * Content that is there as a whole.
     *
     * @param data of it.
     * @return the content.
     */
    static PageContent of(final byte[] data)
    {
        return new PageContent()
        {
            @Override
            public long lengthBytes()
            {
                return data.length;
            }

            @Override
            public void write(final long offset, final UnsafeBuffer to, final int lengthBytes)
            {
                to.putBytes(0, data, (int)Math.min(offset, data.length), lengthBytes);
            }
        };
    }
}
