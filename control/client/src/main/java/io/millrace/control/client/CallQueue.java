package io.millrace.control.client;

import io.millrace.control.codec.Code;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.Resource;
import io.millrace.control.wire.OfferResult;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Queued calls and calls that wait for an answer, in order. Respects the window of the data plane; requeues sent calls
 * when the connection is lost. Confined to the thread of the client.
 */
final class CallQueue
{
    private static final long EXPIRY_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ArrayDeque<Call> unsent = new ArrayDeque<>();
    private final Map<Long, Call> sent = new LinkedHashMap<>();
    private long expiryDueNs;
    private long unmatchedCount;

    void add(final Call call)
    {
        unsent.addLast(call);
    }

    /** Before all others. */
    void addFirst(final Call call)
    {
        unsent.addFirst(call);
    }

    /** Sends as many as the window and the connection take. */
    int send(final Connection connection, final int window, final long term)
    {
        int count = 0;
        while (sent.size() < window && !unsent.isEmpty())
        {
            final Call call = unsent.peekFirst();
            final String missing = connection.missingFeature(call.command());
            if (null != missing)
            {
                unsent.removeFirst();
                call.onAnswer(Code.UNSUPPORTED, 0, connection.session().dataPlaneName() + " does not know " + missing +
                    " (schema version " + connection.session().peer().schemaVersion() + "): update it");
                count++;
                continue;
            }
            call.onSend();
            final OfferResult result = connection.offer(
                new CommandHeader(connection.session().sessionId(), call.correlationId(), call.commandId(), term),
                call.command());
            if (OfferResult.TOO_LONG == result)
            {
                unsent.removeFirst();
                call.onAnswer(Code.INVALID, 0, "the command is longer than the term buffers of the request channel " +
                    "allow: set term-length=1m in its URI");
            }
            else if (OfferResult.SENT == result)
            {
                unsent.removeFirst();
                sent.put(call.correlationId(), call);
            }
            else
            {
                break;
            }
            count++;
        }
        return count;
    }

    void onAnswer(final long correlationId, final Code code, final long value, final String text)
    {
        final Call call = sent.remove(correlationId);
        if (null == call)
        {
            unmatchedCount++;
        }
        else
        {
            call.onAnswer(code, value, text);
        }
    }

    void onResource(final long correlationId, final Resource resource)
    {
        final Call call = sent.get(correlationId);
        if (null == call)
        {
            unmatchedCount++;
        }
        else
        {
            call.onResource(resource);
        }
    }

    /**
     * The connection is lost: what may be repeated goes back in front of the line, in its order. What must not be sent
     * in another session ends, whether it was sent or not.
     */
    void onLost(final String reason)
    {
        final ArrayDeque<Call> again = new ArrayDeque<>(sent.size());
        for (final Call call : sent.values())
        {
            if (call.isRetryable())
            {
                again.addFirst(call);
            }
            else
            {
                call.onAbandoned("the session was lost (" + reason + (call.command().changes() ?
                    "), and the command cannot be repeated in another: check whether it was executed" :
                    "): retry"));
            }
        }
        sent.clear();
        unsent.removeIf((call) ->
        {
            if (!call.isBound())
            {
                return false;
            }
            call.onAbandoned("the session was lost (" + reason + ") before the command was sent");
            return true;
        });
        again.forEach(unsent::addFirst);
    }

    /** Ends calls whose time is up. */
    void expire(final long nowNs, final String reason)
    {
        if (nowNs - expiryDueNs < 0)
        {
            return;
        }
        expiryDueNs = nowNs + EXPIRY_INTERVAL_NS;
        expire(sent.values().iterator(), nowNs, reason, "; the command may still be executed: check whether it was");
        expire(unsent.iterator(), nowNs, reason, "");
    }

    private static void expire(
        final Iterator<Call> calls, final long nowNs, final String reason, final String ofChanges)
    {
        while (calls.hasNext())
        {
            final Call call = calls.next();
            if (nowNs - call.deadlineNs() >= 0)
            {
                calls.remove();
                call.onTimeout("no answer in time" + (reason.isEmpty() ? "" : ": " + reason) +
                    (call.command().changes() ? ofChanges : ""));
            }
        }
    }

    void close()
    {
        sent.values().forEach(call -> call.onAbandoned("the client was closed"));
        sent.clear();
        unsent.forEach(call -> call.onAbandoned("the client was closed"));
        unsent.clear();
    }

    /** Answers and records that belong to no call: mostly of calls whose time was up. */
    long unmatchedCount()
    {
        return unmatchedCount;
    }
}
