package io.millrace.control.wire;

import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.exceptions.AeronException;
import io.millrace.control.session.MessageSeal;
import org.agrona.MutableDirectBuffer;

/**
 * One side's way to send the messages of a session: seals them when the session is sealed, and says in few words how
 * the offer went. Belongs to one thread, and so does the publication.
 */
public final class MessagePublication implements AutoCloseable
{
    /** Where writers put a message in their buffer: in front there is room for the seal. */
    public static final int MESSAGE_OFFSET = MessageSeal.HEADROOM_LENGTH;

    private final ExclusivePublication publication;
    private MessageSeal seal;

    /**
     * Takes a publication.
     *
     * @param publication that {@link #close()} closes.
     */
    public MessagePublication(final ExclusivePublication publication)
    {
        this.publication = publication;
    }

    /**
     * Seals every message from now on.
     *
     * @param value of the session.
     */
    public void seal(final MessageSeal value)
    {
        seal = value;
    }

    /**
     * {@return whether somebody listens at the other end}
     */
    public boolean isConnected()
    {
        return publication.isConnected();
    }

    /**
     * Offers a message once, without waiting.
     *
     * @param buffer with the message at {@link #MESSAGE_OFFSET}; what is in front of it is overwritten.
     * @param length of the message with its header, in bytes.
     * @return what came of it.
     */
    public OfferResult offer(final MutableDirectBuffer buffer, final int length)
    {
        if (null != seal && seal.isUsedUp())
        {
            // Another session has other keys.
            return OfferResult.GONE;
        }
        final int offset = null == seal ? MESSAGE_OFFSET : 0;
        if (length + MESSAGE_OFFSET - offset > publication.maxMessageLength())
        {
            return OfferResult.TOO_LONG;
        }
        final int total = null == seal ? length : seal.seal(buffer, 0, length);
        final long result;
        try
        {
            result = publication.offer(buffer, offset, total);
        }
        catch (final AeronException _)
        {
            // The media driver went away under the publication.
            return OfferResult.GONE;
        }
        if (result >= 0)
        {
            return OfferResult.SENT;
        }
        return Publication.BACK_PRESSURED == result || Publication.ADMIN_ACTION == result ? OfferResult.AGAIN :
            Publication.NOT_CONNECTED == result ? OfferResult.NOT_CONNECTED : OfferResult.GONE;
    }

    /**
     * Closes the publication; what was sent is still delivered.
     */
    @Override
    public void close()
    {
        publication.close();
    }
}
