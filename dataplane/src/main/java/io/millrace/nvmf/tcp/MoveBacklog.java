package io.millrace.nvmf.tcp;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * Capsules that arrived while their connection is about to move to another reactor, where they are dispatched. Bounded
 * by what a stalled connection can keep. Its connection's reactor only; control path.
 */
final class MoveBacklog
{
    private final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer();
    private final int bytesMax;
    private int length;

    /**
     * Creates an empty backlog.
     *
     * @param bytesMax of capsules and the bytes kept behind them.
     */
    MoveBacklog(final int bytesMax)
    {
        this.bytesMax = bytesMax;
    }

    /**
     * {@return whether there is room for so much more}
     *
     * @param moreBytes beside what is held.
     */
    boolean hasRoom(final int moreBytes)
    {
        return moreBytes <= bytesMax - length;
    }

    void add(final DirectBuffer source, final int offset, final int lengthBytes)
    {
        bytes.putBytes(length, source, offset, lengthBytes);
        length += lengthBytes;
    }

    /**
     * {@return all capsules, and the bytes behind them}
     *
     * @param rest that comes behind.
     */
    byte[] with(final PartialPdu rest)
    {
        final byte[] all = new byte[length + rest.length()];
        bytes.getBytes(0, all, 0, length);
        rest.copyTo(all, length);
        return all;
    }
}
