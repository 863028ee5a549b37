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
 * A seal that shows who sent a message and leaves it readable: HMAC-SHA-256 under the sender's key over session id,
 * counter (eight bytes each, little-endian) and the message with its header.
 *
 * <p>In front of a message lie, as the schema's Sealed:
 * <pre>
 *  0                8                16               24                              56       60
 *  +----------------+----------------+----------------+-------------------------------+--------+---------
 *  | header         | session id     | counter        | MAC                           | length | message ...
 *  +----------------+----------------+----------------+-------------------------------+--------+---------
 * </pre>
 */
final class AuthenticatedSeal extends MessageSeal
{
    private static final int MAC_OFFSET = MessageHeaderEncoder.ENCODED_LENGTH + SealedEncoder.macEncodingOffset();
    private static final int MAC_LENGTH = SealedEncoder.macEncodingLength();

    private final Mac sender;
    private final Mac receiver;
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final SealedEncoder sealed = new SealedEncoder();
    private final byte[] scratch = new byte[MESSAGE_LENGTH_MAX];
    private final byte[] mac = new byte[MAC_LENGTH];
    private DirectBuffer messageBuffer;
    private int messageOffset;
    private int messageLength;

    AuthenticatedSeal(final long sessionId, final byte[] sendKey, final byte[] receiveKey)
    {
        super(sessionId);
        this.sender = SharedSecret.macOf(SharedSecret.keyOf(sendKey));
        this.receiver = SharedSecret.macOf(SharedSecret.keyOf(receiveKey));
    }

    @Override
    int close(final long counter, final MutableDirectBuffer buffer, final int offset, final int length)
    {
        compute(sender, counter, buffer, offset + HEADROOM_LENGTH, length);
        sealed.wrapAndApplyHeader(buffer, offset, header).sessionId(sessionId()).counter(counter);
        buffer.putBytes(offset + MAC_OFFSET, mac);
        buffer.putInt(offset + HEADROOM_LENGTH - Integer.BYTES, length, ByteOrder.LITTLE_ENDIAN);
        return HEADROOM_LENGTH + length;
    }

    @Override
    boolean isGenuine(final long counter, final DirectBuffer buffer, final int offset, final int length)
    {
        final int blockLength = word(buffer, offset + MessageHeaderDecoder.blockLengthEncodingOffset());
        final int lengthOffset = MessageHeaderDecoder.ENCODED_LENGTH + blockLength;
        if (SealedDecoder.TEMPLATE_ID != word(buffer, offset + MessageHeaderDecoder.templateIdEncodingOffset()) ||
            blockLength < SealedDecoder.BLOCK_LENGTH || lengthOffset + Integer.BYTES > length)
        {
            return false;
        }
        final int inner = buffer.getInt(offset + lengthOffset, ByteOrder.LITTLE_ENDIAN);
        if (inner < MessageHeaderDecoder.ENCODED_LENGTH || inner > MESSAGE_LENGTH_MAX ||
            inner > length - lengthOffset - Integer.BYTES)
        {
            return false;
        }
        final int innerOffset = offset + lengthOffset + Integer.BYTES;
        compute(receiver, counter, buffer, innerOffset, inner);
        final byte[] claimed = new byte[MAC_LENGTH];
        buffer.getBytes(offset + MAC_OFFSET, claimed);
        if (!MessageDigest.isEqual(mac, claimed))
        {
            return false;
        }
        messageBuffer = buffer;
        messageOffset = innerOffset;
        messageLength = inner;
        return true;
    }

    @Override
    public DirectBuffer messageBuffer()
    {
        return messageBuffer;
    }

    @Override
    public int messageOffset()
    {
        return messageOffset;
    }

    @Override
    public int messageLength()
    {
        return messageLength;
    }

    private void compute(
        final Mac key, final long counter, final DirectBuffer buffer, final int offset, final int length)
    {
        SessionTranscript.update(key, sessionId());
        SessionTranscript.update(key, counter);
        buffer.getBytes(offset, scratch, 0, length);
        key.update(scratch, 0, length);
        final byte[] result = key.doFinal();
        System.arraycopy(result, 0, mac, 0, MAC_LENGTH);
    }
}
