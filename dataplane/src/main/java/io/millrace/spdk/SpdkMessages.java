package io.millrace.spdk;

import io.millrace.bindings.spdk.SpdkReactorCalls;
import io.millrace.reactor.Poller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Messages of SPDK and DPDK: errors and warnings go to a listener, the last errors explain a failed start or call.
 * Polled on the reactor of SPDK's application thread; other methods by the thread that starts SPDK, before.
 */
final class SpdkMessages implements Poller
{
    private static final int TEXT_BYTES = 512;
    private static final int RECENT_MAX = 8;
    private static final int MESSAGES_PER_POLL = 8;
    /** What SPDK says when a connection finds no memory. */
    private static final Pattern UNALLOCATED = Pattern.compile("Unable to allocate (bufs|pdu pool|reqs) on tqpair");
    /** Of a method of JSON-RPC in a configuration. */
    private static final Pattern ANSWER =
        Pattern.compile("error response:.*\"message\": *\"([^\"]*)\".*");

    /** Names that SPDK puts before a message, of which one call has the same in each. */
    private static final Pattern SUBJECTS = Pattern.compile("^(\\[[^]]*] ?)+(?=.)");
    /** Punctuation at the end of a message, which is in the middle of a sentence here. */
    private static final Pattern PUNCTUATION = Pattern.compile("[.:\\s]+$");

    private final SpdkMessageListener listener;
    private final MemorySegment text = Arena.global().allocate(TEXT_BYTES);
    private final Deque<String> recent = new ArrayDeque<>();
    private final RepeatedMessages repeated = new RepeatedMessages(SystemNanoClock.INSTANCE);

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
            log(message + " messages were lost", listener::onWarning);
        }
        else if (SpdkReactorCalls.LOG_WARNING == level)
        {
            log(message, listener::onWarning);
        }
        else if (SpdkReactorCalls.LOG_ERROR == level)
        {
            final String error = explained(plain(message));
            log(error, listener::onError);
            if (RECENT_MAX == recent.size())
            {
                recent.removeFirst();
            }
            recent.addLast(error);
        }
    }

    private void log(final String message, final Consumer<String> logger)
    {
        final String logged = repeated.onMessage(message);
        if (null != logged)
        {
            logger.accept("SPDK: " + logged);
        }
    }

    /** {@return a message, with what SPDK does not say of it} */
    static String explained(final String message)
    {
        return UNALLOCATED.matcher(message).find() ? message + ": a connection to SPDK's target is refused, as its " +
            "memory is used up by others: raise spdk.memory, or keep hosts that are not yours off the listener" :
            message;
    }

    static String plain(final String message)
    {
        final Matcher answer = ANSWER.matcher(message);
        return answer.matches() ? answer.group(1) : message;
    }

    /** Begins a call: what came before does not explain its failure. */
    synchronized void begin()
    {
        drain();
        recent.clear();
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
     * {@return which errors SPDK last reported, as the end of a sentence; empty: none}
     */
    synchronized String explain()
    {
        drain();
        return sentenceEnd(recent);
    }

    /** {@return errors as the end of a sentence, each once and without its subjects; empty: none} */
    static String sentenceEnd(final Collection<String> errors)
    {
        return errors.isEmpty() ? "" : errors.stream()
            .map((each) -> PUNCTUATION.matcher(SUBJECTS.matcher(each).replaceFirst("")).replaceFirst(""))
            .distinct().collect(Collectors.joining("; ", "; SPDK says: ", ""));
    }

    private void drain()
    {
        while (poll() > 0)
        {
            // Until there are no more.
        }
    }
}
