package io.millrace.control.session;

import io.millrace.control.codec.EncryptedDecoder;
import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.MessageHeaderEncoder;
import io.millrace.control.codec.SealedDecoder;
import io.millrace.control.codec.SealedEncoder;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Seals the messages of one side of a session, and opens those of the other: {@link EncryptedSeal} where both encrypt,
 * {@link AuthenticatedSeal} else. Both begin with the schema's header, session id and counter. Keys are made for one
 * session and one direction alone; a seal takes {@link #MESSAGES_MAX} messages, then the session ends and another has
 * new ones. Belongs to one thread.
 */
public abstract sealed class MessageSeal permits AuthenticatedSeal, EncryptedSeal
{
    /** Most bytes that a seal adds to a message; so many are left free in front of one. */
    public static final int HEADROOM_LENGTH = MessageHeaderEncoder.ENCODED_LENGTH + SealedEncoder.BLOCK_LENGTH +
        SealedEncoder.messageHeaderLength();
    /** Longest message with its header, without the seal, in bytes. */
    public static final int MESSAGE_LENGTH_MAX = 16 * 1024;
    /** Messages under one key; GCM's bound is far above. */
    public static final long MESSAGES_MAX = 1L << 32;

    static final int SESSION_ID_OFFSET =
        MessageHeaderEncoder.ENCODED_LENGTH + SealedEncoder.sessionIdEncodingOffset();
    static final int COUNTER_OFFSET = MessageHeaderEncoder.ENCODED_LENGTH + SealedEncoder.counterEncodingOffset();

    private final long sessionId;
    private final ReplayWindow window = new ReplayWindow();
    private long sent;
    private long refusedCount;

    MessageSeal(final long sessionId)
    {
        this.sessionId = sessionId;
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
        if (length < COUNTER_OFFSET + Long.BYTES + Integer.BYTES + MessageHeaderDecoder.ENCODED_LENGTH ||
            SealedDecoder.SCHEMA_ID != word(buffer, offset + MessageHeaderDecoder.schemaIdEncodingOffset()))
        {
            return false;
        }
        final int templateId = word(buffer, offset + MessageHeaderDecoder.templateIdEncodingOffset());
        return SealedDecoder.TEMPLATE_ID == templateId || EncryptedDecoder.TEMPLATE_ID == templateId;
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
     * {@return whether no more messages may be sealed, and the session has to end}
     */
    public final boolean isUsedUp()
    {
        return sent >= MESSAGES_MAX;
    }

    /**
     * Seals a message in place.
     *
     * @param buffer with the message at {@code offset} + {@link #HEADROOM_LENGTH}.
     * @param offset where the sealed message begins.
     * @param length of the message with its header, at most {@link #MESSAGE_LENGTH_MAX} bytes.
     * @return bytes of the sealed message, from {@code offset}.
     * @throws IllegalStateException when it {@link #isUsedUp()}.
     */
    public final int seal(final MutableDirectBuffer buffer, final int offset, final int length)
    {
        if (isUsedUp())
        {
            throw new IllegalStateException("so many messages were sealed that the session must end");
        }
        return close(++sent, buffer, offset, length);
    }

    /**
     * Opens a sealed message. When it is not genuine, not of this session and direction, or was here before, it is
     * counted and nothing else happens. Never throws, whatever the bytes are.
     *
     * @param buffer with a message.
     * @param offset of its header.
     * @param length of it, in bytes.
     * @return whether {@link #messageBuffer()}, {@link #messageOffset()} and {@link #messageLength()} tell where the
     * message inside is.
     */
    public final boolean open(final DirectBuffer buffer, final int offset, final int length)
    {
        if (isSealed(buffer, offset, length) && sessionId == sessionId(buffer, offset))
        {
            final long counter = buffer.getLong(offset + COUNTER_OFFSET, ByteOrder.LITTLE_ENDIAN);
            if (window.isFresh(counter) && isGenuine(counter, buffer, offset, length) && window.accept(counter))
            {
                return true;
            }
        }
        refusedCount++;
        return false;
    }

    /** Seals; answers the bytes of it. */
    abstract int close(long counter, MutableDirectBuffer buffer, int offset, int length);

    /** Whether a fresh message of this session was sealed by the other side; it can be read then. */
    abstract boolean isGenuine(long counter, DirectBuffer buffer, int offset, int length);

    /**
     * {@return what the message opened last is in, until another is opened}
     */
    public abstract DirectBuffer messageBuffer();

    /**
     * {@return where in it the message's header is}
     */
    public abstract int messageOffset();

    /**
     * {@return bytes of the message opened last, with its header}
     */
    public abstract int messageLength();

    final long sessionId()
    {
        return sessionId;
    }

    /**
     * {@return how many messages were refused; above 0 somebody else sends on this stream}
     */
    public final long refusedCount()
    {
        return refusedCount;
    }

    static int word(final DirectBuffer buffer, final int index)
    {
        return buffer.getShort(index, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }
}
