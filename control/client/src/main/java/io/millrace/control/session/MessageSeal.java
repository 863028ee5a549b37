package io.millrace.control.session;

import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.MessageHeaderEncoder;
import io.millrace.control.codec.SealedDecoder;
import io.millrace.control.codec.SealedEncoder;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import javax.crypto.Mac;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Seals the messages of one side of a session, and opens those of the other: HMAC-SHA-256 under the sender's key over
 * session id, counter (eight bytes each, little-endian) and the message with its header. Both keys are made for this
 * session alone. Belongs to one thread.
 *
 * <p>In front of a message lie, as the schema's Sealed:
 * <pre>
 *  0                8                16               24                              56       60
 *  +----------------+----------------+----------------+-------------------------------+--------+---------
 *  | header         | session id     | counter        | MAC                           | length | message ...
 *  +----------------+----------------+----------------+-------------------------------+--------+---------
 * </pre>
 */
public final class MessageSeal
{
    /** Bytes of the seal in front of the message. */
    public static final int HEADROOM_LENGTH = MessageHeaderEncoder.ENCODED_LENGTH + SealedEncoder.BLOCK_LENGTH +
        SealedEncoder.messageHeaderLength();
    /** Longest message with its header, without the seal, in bytes. */
    public static final int MESSAGE_LENGTH_MAX = 16 * 1024;

    private static final int SESSION_ID_OFFSET =
        MessageHeaderEncoder.ENCODED_LENGTH + SealedEncoder.sessionIdEncodingOffset();
    private static final int COUNTER_OFFSET =
        MessageHeaderEncoder.ENCODED_LENGTH + SealedEncoder.counterEncodingOffset();
    private static final int MAC_OFFSET = MessageHeaderEncoder.ENCODED_LENGTH + SealedEncoder.macEncodingOffset();
    private static final int MAC_LENGTH = SealedEncoder.macEncodingLength();

    private final long sessionId;
    private final Mac sender;
    private final Mac receiver;
    private final ReplayWindow window = new ReplayWindow();
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final SealedEncoder sealed = new SealedEncoder();
    private final byte[] scratch = new byte[MESSAGE_LENGTH_MAX];
    private final byte[] mac = new byte[MAC_LENGTH];
    private long sent;
    private long refusedCount;
    private int messageOffset;
    private int messageLength;

    MessageSeal(final long sessionId, final byte[] sendKey, final byte[] receiveKey)
    {
        this.sessionId = sessionId;
        this.sender = SharedSecret.macOf(SharedSecret.keyOf(sendKey));
        this.receiver = SharedSecret.macOf(SharedSecret.keyOf(receiveKey));
    }

    /**
     * Looks whether bytes begin as a sealed message, without regard to whether it is genuine.
     *
     * @param buffer with a message.
     * @param offset of its header.
     * @param length of it, in bytes.
     * @return whether {@link #sessionId(DirectBuffer, int)} may be asked.
     */
    public static boolean isSealed(final DirectBuffer buffer, final int offset, final int length)
    {
        return length >= HEADROOM_LENGTH + MessageHeaderDecoder.ENCODED_LENGTH &&
            SealedDecoder.TEMPLATE_ID == word(buffer, offset + MessageHeaderDecoder.templateIdEncodingOffset()) &&
            SealedDecoder.SCHEMA_ID == word(buffer, offset + MessageHeaderDecoder.schemaIdEncodingOffset());
    }

    /**
     * Reads whose seal it claims to be.
     *
     * @param buffer with a message that {@link #isSealed(DirectBuffer, int, int)}.
     * @param offset of its header.
     * @return session id.
     */
    public static long sessionId(final DirectBuffer buffer, final int offset)
    {
        return buffer.getLong(offset + SESSION_ID_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Seals a message in place.
     *
     * @param buffer with the message at {@code offset} + {@link #HEADROOM_LENGTH}.
     * @param offset where the seal begins.
     * @param length of the message with its header, at most {@link #MESSAGE_LENGTH_MAX} bytes.
     * @return bytes of both, from {@code offset}.
     */
    public int seal(final MutableDirectBuffer buffer, final int offset, final int length)
    {
        final long counter = ++sent;
        compute(sender, counter, buffer, offset + HEADROOM_LENGTH, length);
        sealed.wrapAndApplyHeader(buffer, offset, header).sessionId(sessionId).counter(counter);
        buffer.putBytes(offset + MAC_OFFSET, mac);
        buffer.putInt(offset + HEADROOM_LENGTH - Integer.BYTES, length, ByteOrder.LITTLE_ENDIAN);
        return HEADROOM_LENGTH + length;
    }

    /**
     * Opens a sealed message. When it is not genuine, not of this session and direction, or was here before, it is
     * counted and nothing else happens. Never throws, whatever the bytes are.
     *
     * @param buffer with a message.
     * @param offset of its header.
     * @param length of it, in bytes.
     * @return whether {@link #messageOffset()} and {@link #messageLength()} tell where the message inside is.
     */
    public boolean open(final DirectBuffer buffer, final int offset, final int length)
    {
        if (isGenuine(buffer, offset, length))
        {
            return true;
        }
        refusedCount++;
        return false;
    }

    private boolean isGenuine(final DirectBuffer buffer, final int offset, final int length)
    {
        if (!isSealed(buffer, offset, length) || sessionId != sessionId(buffer, offset))
        {
            return false;
        }
        final int blockLength = word(buffer, offset + MessageHeaderDecoder.blockLengthEncodingOffset());
        final int lengthOffset = MessageHeaderDecoder.ENCODED_LENGTH + blockLength;
        if (blockLength < SealedDecoder.BLOCK_LENGTH || lengthOffset + Integer.BYTES > length)
        {
            return false;
        }
        final int inner = buffer.getInt(offset + lengthOffset, ByteOrder.LITTLE_ENDIAN);
        if (inner < MessageHeaderDecoder.ENCODED_LENGTH || inner > MESSAGE_LENGTH_MAX ||
            inner > length - lengthOffset - Integer.BYTES)
        {
            return false;
        }
        final long counter = buffer.getLong(offset + COUNTER_OFFSET, ByteOrder.LITTLE_ENDIAN);
        final int innerOffset = offset + lengthOffset + Integer.BYTES;
        if (!window.isFresh(counter))
        {
            return false;
        }
        compute(receiver, counter, buffer, innerOffset, inner);
        final byte[] claimed = new byte[MAC_LENGTH];
        buffer.getBytes(offset + MAC_OFFSET, claimed);
        if (!MessageDigest.isEqual(mac, claimed) || !window.accept(counter))
        {
            return false;
        }
        messageOffset = innerOffset;
        messageLength = inner;
        return true;
    }

    /**
     * {@return where the header of the message opened last is, in the buffer given}
     */
    public int messageOffset()
    {
        return messageOffset;
    }

    /**
     * {@return bytes of the message opened last, with its header}
     */
    public int messageLength()
    {
        return messageLength;
    }

    /**
     * {@return how many messages were refused; above 0 somebody else sends on this stream}
     */
    public long refusedCount()
    {
        return refusedCount;
    }

    private void compute(
        final Mac key, final long counter, final DirectBuffer buffer, final int offset, final int length)
    {
        SessionTranscript.update(key, sessionId);
        SessionTranscript.update(key, counter);
        buffer.getBytes(offset, scratch, 0, length);
        key.update(scratch, 0, length);
        final byte[] result = key.doFinal();
        System.arraycopy(result, 0, mac, 0, MAC_LENGTH);
    }

    private static int word(final DirectBuffer buffer, final int index)
    {
        return buffer.getShort(index, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }
}
