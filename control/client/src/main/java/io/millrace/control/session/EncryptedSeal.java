package io.millrace.control.session;

import io.millrace.control.codec.EncryptedDecoder;
import io.millrace.control.codec.EncryptedEncoder;
import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.MessageHeaderEncoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A seal that hides a message and shows who sent it: AES-256-GCM under the sender's key. The nonce is four zero bytes
 * and the counter, big-endian; header, session id and counter are authenticated with the message.
 *
 * <p>As the schema's Encrypted:
 * <pre>
 *  0                8                16               24       28
 *  +----------------+----------------+----------------+--------+-----------------------+-----------------+
 *  | header         | session id     | counter        | length | message, encrypted    | tag of 16 bytes |
 *  +----------------+----------------+----------------+--------+-----------------------+-----------------+
 * </pre>
 */
final class EncryptedSeal extends MessageSeal
{
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int TAG_BYTES = 16;
    private static final int NONCE_BYTES = 12;
    private static final int CLEAR_LENGTH = MessageHeaderEncoder.ENCODED_LENGTH + EncryptedEncoder.BLOCK_LENGTH;
    private static final int MESSAGE_OFFSET = CLEAR_LENGTH + EncryptedEncoder.messageHeaderLength();

    private final SecretKey sendKey;
    private final SecretKey receiveKey;
    private final Cipher sender;
    private final Cipher receiver;
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final EncryptedEncoder encrypted = new EncryptedEncoder();
    private final byte[] input = new byte[MESSAGE_LENGTH_MAX + TAG_BYTES];
    private final byte[] output = new byte[MESSAGE_LENGTH_MAX + TAG_BYTES];
    private final byte[] clear = new byte[CLEAR_LENGTH];
    private final UnsafeBuffer opened = new UnsafeBuffer(new byte[MESSAGE_LENGTH_MAX + TAG_BYTES]);
    private int openedLength;

    EncryptedSeal(final long sessionId, final SecretKey sendKey, final SecretKey receiveKey)
    {
        super(sessionId);
        this.sendKey = sendKey;
        this.receiveKey = receiveKey;
        sender = cipher();
        receiver = cipher();
    }

    private static Cipher cipher()
    {
        try
        {
            return Cipher.getInstance(CIPHER);
        }
        catch (final GeneralSecurityException e)
        {
            throw new IllegalStateException("this JVM has no " + CIPHER + ", which every JVM must have", e);
        }
    }

    private static GCMParameterSpec nonce(final long counter)
    {
        return new GCMParameterSpec(TAG_BYTES * Byte.SIZE,
            ByteBuffer.allocate(NONCE_BYTES).putInt(0).putLong(counter).array());
    }

    @Override
    int close(final long counter, final MutableDirectBuffer buffer, final int offset, final int length)
    {
        buffer.getBytes(offset + HEADROOM_LENGTH, input, 0, length);
        encrypted.wrapAndApplyHeader(buffer, offset, header).sessionId(sessionId()).counter(counter);
        buffer.getBytes(offset, clear);
        final int outputLength;
        try
        {
            sender.init(Cipher.ENCRYPT_MODE, sendKey, nonce(counter));
            sender.updateAAD(clear);
            outputLength = sender.doFinal(input, 0, length, output);
        }
        catch (final GeneralSecurityException e)
        {
            throw new IllegalStateException("a message cannot be encrypted", e);
        }
        buffer.putInt(offset + CLEAR_LENGTH, outputLength, ByteOrder.LITTLE_ENDIAN);
        buffer.putBytes(offset + MESSAGE_OFFSET, output, 0, outputLength);
        return MESSAGE_OFFSET + outputLength;
    }

    @Override
    boolean isGenuine(final long counter, final DirectBuffer buffer, final int offset, final int length)
    {
        if (EncryptedDecoder.TEMPLATE_ID != word(buffer, offset + MessageHeaderDecoder.templateIdEncodingOffset()) ||
            EncryptedDecoder.BLOCK_LENGTH != word(buffer, offset + MessageHeaderDecoder.blockLengthEncodingOffset()) ||
            length < MESSAGE_OFFSET + TAG_BYTES + MessageHeaderDecoder.ENCODED_LENGTH)
        {
            return false;
        }
        final int inputLength = buffer.getInt(offset + CLEAR_LENGTH, ByteOrder.LITTLE_ENDIAN);
        if (inputLength < TAG_BYTES + MessageHeaderDecoder.ENCODED_LENGTH || inputLength > input.length ||
            inputLength > length - MESSAGE_OFFSET)
        {
            return false;
        }
        buffer.getBytes(offset, clear);
        buffer.getBytes(offset + MESSAGE_OFFSET, input, 0, inputLength);
        try
        {
            receiver.init(Cipher.DECRYPT_MODE, receiveKey, nonce(counter));
            receiver.updateAAD(clear);
            openedLength = receiver.doFinal(input, 0, inputLength, opened.byteArray());
        }
        catch (final GeneralSecurityException _)
        {
            return false;
        }
        return true;
    }

    @Override
    public DirectBuffer messageBuffer()
    {
        return opened;
    }

    @Override
    public int messageOffset()
    {
        return 0;
    }

    @Override
    public int messageLength()
    {
        return openedLength;
    }
}
