package io.millrace.spdk;

import io.millrace.bindings.spdk.SpdkReactorCalls;
import io.millrace.reactor.Poller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Messages of SPDK and DPDK: errors and warnings go to a listener, the last ones explain a failed start. Polled on the
 * reactor of SPDK's application thread; other methods by the thread that starts SPDK, before.
 */
final class SpdkMessages implements Poller
{
    private static final int TEXT_BYTES = 512;
    private static final int RECENT_MAX = 4;
    private static final int MESSAGES_PER_POLL = 8;

    private final SpdkMessageListener listener;
    private final MemorySegment text = Arena.global().allocate(TEXT_BYTES);
    private final Deque<String> recent = new ArrayDeque<>();

    SpdkMessages(final SpdkMessageListener listener)
    {
        this.listener = listener;
    }

    @Override
    public synchronized int poll()
    {
        int count = 0;
        int level = SpdkReactorCalls.readLog(text);
        while (!SpdkReactorCalls.isNoMessage(level))
        {
            onMessage(level, text.getString(0));
            level = ++count < MESSAGES_PER_POLL ? SpdkReactorCalls.readLog(text) : -1;
        }
        return count;
    }

    private void onMessage(final int level, final String message)
    {
        if (SpdkReactorCalls.LOG_LOST == level)
        {
            listener.onWarning("SPDK: " + message + " messages were lost");
        }
        else if (SpdkReactorCalls.LOG_ERROR == level || SpdkReactorCalls.LOG_WARNING == level)
        {
            if (SpdkReactorCalls.LOG_ERROR == level)
            {
                listener.onError("SPDK: " + message);
            }
            else
            {
                listener.onWarning("SPDK: " + message);
            }
            if (RECENT_MAX == recent.size())
            {
                recent.removeFirst();
            }
            recent.addLast(message);
        }
    }

    /**
     * Passes on what somebody else has to say of SPDK.
     *
     * @param sentence with its subject.
     */
    void report(final String sentence)
    {
        listener.onError(sentence);
    }

    /**
     * {@return what SPDK last complained of, as the end of a sentence; empty when it did not}
     */
    synchronized String explain()
    {
        while (poll() > 0)
        {
            // Until there are no more.
        }
        return recent.isEmpty() ? "" : "; SPDK says: " + String.join("; ", recent);
    }
}
