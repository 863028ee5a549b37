package io.millrace.control.wire;

import io.aeron.BufferBuilder;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.Header;
import io.millrace.control.session.MessageSeal;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Puts the fragments of messages together, and none that is longer than {@link #LENGTH_MAX}: whoever sends an endless
 * one costs a buffer of that length and nothing more. What is too long or has a gap is dropped and counted. One buffer
 * a sender; {@link #free(int)} gives it back. Belongs to one thread,
 * but for the count.
 */
public final class MessageAssembler implements FragmentHandler
{
    /** Longest message with what it is sealed in, in bytes. */
    public static final int LENGTH_MAX = MessageSeal.HEADROOM_LENGTH + MessageSeal.MESSAGE_LENGTH_MAX;

    private final Int2ObjectHashMap<BufferBuilder> builders = new Int2ObjectHashMap<>();
    private final FragmentHandler handler;
    private volatile long droppedCount;

    /**
     * Makes an assembler.
     *
     * @param handler of whole messages.
     */
    public MessageAssembler(final FragmentHandler handler)
    {
        this.handler = handler;
    }

    @Override
    public void onFragment(final DirectBuffer buffer, final int offset, final int length, final Header header)
    {
        final int flags = header.flags() & FrameDescriptor.UNFRAGMENTED;
        if (FrameDescriptor.UNFRAGMENTED == flags)
        {
            if (length > LENGTH_MAX)
            {
                drop();
                return;
            }
            handler.onFragment(buffer, offset, length, header);
        }
        else if (FrameDescriptor.BEGIN_FRAG_FLAG == flags)
        {
            append(builders.computeIfAbsent(header.sessionId(), (id) -> new BufferBuilder()).reset(), buffer, offset,
                length, header);
        }
        else
        {
            onNext(FrameDescriptor.END_FRAG_FLAG == flags, buffer, offset, length, header);
        }
    }

    private void onNext(
        final boolean isLast, final DirectBuffer buffer, final int offset, final int length, final Header header)
    {
        final BufferBuilder builder = builders.get(header.sessionId());
        if (null == builder || 0 == builder.limit())
        {
            // The rest of what was dropped, or its beginning was never seen.
            return;
        }
        if (builder.nextTermOffset() != header.termOffset())
        {
            drop();
            builder.reset();
        }
        else if (append(builder, buffer, offset, length, header) && isLast)
        {
            handler.onFragment(builder.buffer(), 0, builder.limit(), header);
            builder.reset();
        }
    }

    private boolean append(
        final BufferBuilder builder,
        final DirectBuffer buffer,
        final int offset,
        final int length,
        final Header header)
    {
        if (length > LENGTH_MAX - builder.limit())
        {
            drop();
            builder.reset();
            return false;
        }
        builder.append(buffer, offset, length);
        builder.nextTermOffset(header.nextTermOffset());
        return true;
    }

    // One thread writes it.
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    private void drop()
    {
        droppedCount++;
    }

    /**
     * Forgets a sender, and what came of a message that was not whole.
     *
     * @param sessionId of its image.
     */
    public void free(final int sessionId)
    {
        builders.remove(sessionId);
    }

    /**
     * {@return how many messages were too long, or were not whole; any thread}
     */
    public long droppedCount()
    {
        return droppedCount;
    }

    /**
     * {@return bytes of the buffers that are held now}
     */
    public long heldBytes()
    {
        long bytes = 0;
        for (final BufferBuilder each : builders.values())
        {
            bytes += each.capacity();
        }
        return bytes;
    }
}
