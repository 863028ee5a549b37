package io.millrace.reactor;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.RingBuffer;

/**
 * Takes what native code has written for a reactor. A record that cannot be is a broken invariant: native code has
 * written where it should not, so the state of the data path is in doubt. The reactor's thread only.
 */
final class NativeRingPoller implements Poller, MessageHandler
{
    /** A message completes an I/O, so one turn of a ring is kept as short as that of other pollers. */
    static final int MESSAGES_PER_POLL = 64;

    private final RingBuffer queue;
    private final LinkListener listener;
    private boolean isPolling;
    /** Of a listener that closes the ring: the turn goes on to use its memory. */
    private Runnable afterPoll;

    NativeRingPoller(final RingBuffer queue, final LinkListener listener)
    {
        this.queue = queue;
        this.listener = listener;
    }

    @Override
    public int poll()
    {
        isPolling = true;
        try
        {
            return queue.read(this, MESSAGES_PER_POLL);
        }
        finally
        {
            isPolling = false;
            if (null != afterPoll)
            {
                final Runnable task = afterPoll;
                afterPoll = null;
                task.run();
            }
        }
    }

    /**
     * Runs a task outside of a turn: at once, or at the end of the one whose listener calls this.
     *
     * @param task to run, once.
     */
    void runOutsidePoll(final Runnable task)
    {
        if (isPolling)
        {
            afterPoll = task;
        }
        else
        {
            task.run();
        }
    }

    @Override
    public boolean canSleep()
    {
        // Counts what is claimed too: its producer may be past the look at the sleeping flag.
        return 0 == queue.size();
    }

    @Override
    public void onMessage(final int type, final MutableDirectBuffer source, final int index, final int length)
    {
        if (DescriptorRecord.BODY_BYTES != length || type < 1)
        {
            throw new IllegalStateException("native ring: record of type " + type + " and " + length +
                " bytes at " + index + ", not of a type above 0 and " + DescriptorRecord.BODY_BYTES + " bytes");
        }
        DescriptorRecord.deliver(listener, type, source, index);
    }
}
