package io.millrace.simulation;

import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * The PDUs that an end of a connection sends, followed byte by byte. On request it flips a bit of the next one, where
 * its receiver has to notice: in what a digest covers, or in the type or the header length, which do not fit each other
 * then.
 */
final class SentPdus
{
    private static final int NONE = -1;
    private static final int DATA_WAITS = 12;
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int[] SELF_EVIDENT = {CommonHeader.TYPE_OFFSET, CommonHeader.HEADER_LENGTH_OFFSET};

    private final Draw draw;
    private final byte[] header = new byte[CommonHeader.SIZE_BYTES];
    /** Bytes of the present PDU that were sent. */
    private int sent;
    private int flipOffset = NONE;
    /** PDUs without a digest of data that are left alone. */
    private int dataWaits;
    private Consumer<String> onFlipped;

    SentPdus(final Draw draw)
    {
        this.draw = draw;
    }

    /**
     * Flips a bit of the next PDU in which that is noticed.
     *
     * @param listener notified of what was flipped.
     */
    void flip(final Consumer<String> listener)
    {
        onFlipped = listener;
        dataWaits = draw.of(0, DATA_WAITS, 3 * DATA_WAITS);
    }

    boolean isToFlip()
    {
        return null != onFlipped;
    }

    /**
     * Follows what was sent.
     *
     * @param queue that ends with it.
     * @param count bytes.
     */
    void sent(final ByteQueue queue, final int count)
    {
        int left = count;
        while (left > 0)
        {
            if (sent < header.length)
            {
                header[sent] = queue.fromEnd(left);
                sent++;
                left--;
                if (sent == header.length && isToFlip() && count - left >= header.length)
                {
                    choose();
                    flipIfPassed(queue, left + header.length, 0, header.length);
                }
            }
            else
            {
                final int step = Math.min(left, lengthBytes() - sent);
                flipIfPassed(queue, left, sent, step);
                sent += step;
                left -= step;
            }
            if (sent >= header.length && sent == lengthBytes())
            {
                sent = 0;
            }
        }
    }

    private int lengthBytes()
    {
        return (int)INT.get(header, CommonHeader.PDU_LENGTH_OFFSET);
    }

    private void choose()
    {
        final int type = header[CommonHeader.TYPE_OFFSET];
        if (type < PduType.CAPSULE_COMMAND)
        {
            // The first ones, and the last ones, have no digests.
            return;
        }
        final int flags = header[CommonHeader.FLAGS_OFFSET];
        final int dataOffset = header[CommonHeader.DATA_OFFSET_OFFSET] & 0xFF;
        final boolean hasDataDigest = 0 != (flags & CommonHeader.FLAG_DATA_DIGEST) && dataOffset > 0;
        if (!hasDataDigest && dataWaits > 0)
        {
            dataWaits--;
        }
        else if (hasDataDigest && !draw.oneIn(4))
        {
            flipOffset = dataOffset + draw.below(lengthBytes() - dataOffset);
        }
        else if (0 != (flags & CommonHeader.FLAG_HEADER_DIGEST))
        {
            flipOffset = draw.below(
                (header[CommonHeader.HEADER_LENGTH_OFFSET] & 0xFF) + CommonHeader.DIGEST_SIZE_BYTES);
        }
        else
        {
            flipOffset = SELF_EVIDENT[draw.below(SELF_EVIDENT.length)];
        }
    }

    /** Bytes of the PDU from an offset on begin so many bytes before the end of the queue. */
    private void flipIfPassed(final ByteQueue queue, final int fromEnd, final int from, final int count)
    {
        if (NONE != flipOffset && flipOffset >= from && flipOffset < from + count)
        {
            final int bit = draw.below(Byte.SIZE);
            queue.flip(fromEnd - (flipOffset - from), bit);
            onFlipped.accept("bit " + bit + " of byte " + flipOffset + " of a PDU of type " +
                header[CommonHeader.TYPE_OFFSET] + " and " + lengthBytes() + " bytes");
            onFlipped = null;
            flipOffset = NONE;
        }
    }
}
