package io.millrace.nvmf.tcp;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * Capsules that came while their connection is about to move to another reactor: they begin there. Bounded by what a
 * connection can keep when it does not go on. Its connection's reactor only; control path.
 */
final class HeldCapsules
{
    private final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer();
    private final int bytesMax;
    private int length;

    /**
     * Holds nothing yet.
     *
     * @param bytesMax of capsules and what is kept behind them.
     */
    HeldCapsules(final int bytesMax)
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
     * {@return all of it, and something behind}
     *
     * @param rest that comes behind.
     */
    byte[] with(final KeptBytes rest)
    {
        final byte[] all = new byte[length + rest.length()];
        bytes.getBytes(0, all, 0, length);
        rest.copyTo(all, length);
        return all;
    }
}
