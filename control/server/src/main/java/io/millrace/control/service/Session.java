package io.millrace.control.service;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.exceptions.AeronException;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.session.KeyAgreementPair;
import io.millrace.control.session.MessageSeal;
import io.millrace.control.session.SessionTranscript;
import io.millrace.control.wire.MessagePublication;
import io.millrace.control.wire.OfferResult;
import io.millrace.control.wire.ResponseWriter;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;

/**
 * The session of a client: authentication, send queue and time of the last message. The send queue is bounded; a client
 * that does not read loses its session without affecting others. Confined to the service's thread.
 */
final class Session
{
    /** State of the session. */
    enum State
    {
        /** A challenge was sent. */
        PROVING,
        /** Commands are accepted. */
        OPEN,
        /** Queued messages are sent, then it is closed. */
        CLOSING,
        /** Over. */
        CLOSED
    }

    /** Outstanding commands. */
    static final int COMMANDS_MAX = 1024;
    /** Incomplete lists; each holds its snapshots. */
    static final int LISTS_MAX = 32;

    private static final int OUTGOING_MAX = 4 * COMMANDS_MAX;
    private static final int EVENTS_MAX = 4 * COMMANDS_MAX;
    private static final int SEND_LIMIT = 1024;
    private static final long STALL_MAX_NS = TimeUnit.SECONDS.toNanos(3);

    private final Aeron aeron;
    private final long id;
    private final Origin origin;
    private final Role role;
    private final KeyRing.Key key;
    private final SessionTranscript transcript;
    private final KeyAgreementPair keys;
    private final long publicationId;
    private final long openedNs;
    private final ArrayDeque<OutgoingMessage> outgoing = new ArrayDeque<>();
    private State state;
    private Caller caller;
    private MessagePublication publication;
    private MessageSeal seal;
    private boolean wasConnected;
    private boolean isStalled;
    private boolean isSubscribed;
    private long stalledNs;
    private long lastReceivedNs;
    private long eventSequence;
    private int eventsWaiting;
    private int commands;
    private int changes;
    private int lists;

    /**
     * @param aeron         that adds the publication.
     * @param origin        of its request.
     * @param role          that it is given.
     * @param key           that it has to prove; null for none.
     * @param transcript    of the opening so far; null without a key.
     * @param keys          to encrypt with; null: it is not encrypted.
     * @param publicationId of the publication that is being added.
     */
    Session(
        final Aeron aeron,
        final long id,
        final Origin origin,
        final Role role,
        final KeyRing.Key key,
        final SessionTranscript transcript,
        final KeyAgreementPair keys,
        final long publicationId,
        final long nowNs)
    {
        this.aeron = aeron;
        this.id = id;
        this.origin = origin;
        this.role = role;
        this.key = key;
        this.transcript = transcript;
        this.keys = keys;
        this.publicationId = publicationId;
        openedNs = nowNs;
        lastReceivedNs = nowNs;
        state = null == key ? State.OPEN : State.PROVING;
    }

    long id()
    {
        return id;
    }

    Role role()
    {
        return role;
    }

    /** The client; null before it is admitted. */
    Caller caller()
    {
        return caller;
    }

    /** Admits the client. */
    void admit(final Caller value)
    {
        caller = value;
    }

    Origin origin()
    {
        return origin;
    }

    KeyRing.Key key()
    {
        return key;
    }

    /**
     * Whether it may take over as a manager: local users with access to the driver's directory, and keys of role
     * manager.
     */
    boolean mayManage()
    {
        return null == key || key.isManager();
    }

    SessionTranscript transcript()
    {
        return transcript;
    }

    KeyAgreementPair keys()
    {
        return keys;
    }

    State state()
    {
        return state;
    }

    MessageSeal seal()
    {
        return seal;
    }

    long openedNs()
    {
        return openedNs;
    }

    long lastReceivedNs()
    {
        return lastReceivedNs;
    }

    void touch(final long nowNs)
    {
        lastReceivedNs = nowNs;
    }

    long eventSequence()
    {
        return eventSequence;
    }

    void subscribe()
    {
        isSubscribed = true;
    }

    boolean isSubscribed()
    {
        return isSubscribed;
    }

    /** It is authenticated: messages are sealed from now on. The challenge was sent already. */
    void open(final MessageSeal value)
    {
        seal = value;
        publication.seal(value);
        state = State.OPEN;
    }

    /** Accepts a command, unless too many are outstanding. */
    boolean begin()
    {
        if (commands >= COMMANDS_MAX)
        {
            return false;
        }
        commands++;
        return true;
    }

    void beginChange()
    {
        changes++;
    }

    void endChange()
    {
        changes--;
    }

    /** Whether commands are not decided that may change what it lists. */
    boolean awaitsChanges()
    {
        return 0 != changes;
    }

    boolean beginList()
    {
        if (lists >= LISTS_MAX)
        {
            return false;
        }
        lists++;
        return true;
    }

    void endList()
    {
        lists--;
    }

    void send(final OutgoingMessage message)
    {
        if (State.CLOSED == state)
        {
            return;
        }
        if (outgoing.size() - eventsWaiting >= OUTGOING_MAX)
        {
            close();
            return;
        }
        outgoing.addLast(message);
    }

    /** Answers a command that {@link #begin()} accepted. */
    void answer(final long correlationId, final Reply reply)
    {
        send(new OutgoingMessage()
        {
            @Override
            public int encode(final ResponseWriter writer)
            {
                return writer.answer(id, correlationId, reply.code(), reply.value(), reply.text());
            }

            @Override
            public boolean onSent()
            {
                commands--;
                return true;
            }
        });
    }

    /** The records of a list and its answer were sent. */
    void endCommand()
    {
        commands--;
    }

    /** Queues an event if the client subscribed; if too many are queued, only the sequence is advanced. */
    void publish(final ServiceEvent event)
    {
        if (!isSubscribed || State.OPEN != state ||
            !event.dataPlane().isEmpty() && !event.dataPlane().equals(caller.dataPlane()))
        {
            return;
        }
        eventSequence++;
        if (eventsWaiting >= EVENTS_MAX)
        {
            return;
        }
        eventsWaiting++;
        final ControlEvent value = new ControlEvent(
            eventSequence, event.epochNs(), event.kind(), event.change(), event.name(), event.text());
        outgoing.addLast(new OutgoingMessage()
        {
            @Override
            public int encode(final ResponseWriter writer)
            {
                return writer.event(value);
            }

            @Override
            public boolean onSent()
            {
                eventsWaiting--;
                return true;
            }
        });
    }

    /** Events were lost before the session got them. */
    void skipEvents(final long count)
    {
        if (isSubscribed)
        {
            eventSequence += count;
        }
    }

    /** Sends what waits, then closes. */
    void closeAfterSending()
    {
        if (State.CLOSED != state)
        {
            state = State.CLOSING;
        }
    }

    /** Sends queued messages; returns the number sent. */
    int poll(final ResponseWriter writer, final long nowNs)
    {
        if (null == publication && !isAdded())
        {
            return 0;
        }
        if (publication.isConnected())
        {
            wasConnected = true;
        }
        else if (wasConnected)
        {
            close();
            return 1;
        }
        int sent = 0;
        while (sent < SEND_LIMIT && !outgoing.isEmpty())
        {
            final OutgoingMessage first = outgoing.peekFirst();
            final OfferResult result = publication.offer(writer.buffer(), first.encode(writer));
            if (OfferResult.SENT != result && OfferResult.TOO_LONG != result)
            {
                onUnsent(result, nowNs);
                return sent;
            }
            isStalled = false;
            sent++;
            if (first.onSent())
            {
                outgoing.removeFirst();
            }
        }
        if (State.CLOSING == state && outgoing.isEmpty())
        {
            close();
        }
        return sent;
    }

    private boolean isAdded()
    {
        try
        {
            final ExclusivePublication added = aeron.getExclusivePublication(publicationId);
            if (null == added)
            {
                return false;
            }
            publication = new MessagePublication(added);
            return true;
        }
        catch (final AeronException _)
        {
            // The response channel is unavailable, so the error cannot be reported.
            state = State.CLOSED;
            return false;
        }
    }

    private void onUnsent(final OfferResult result, final long nowNs)
    {
        if (!isStalled)
        {
            isStalled = true;
            stalledNs = nowNs;
        }
        if (OfferResult.GONE == result || nowNs - stalledNs >= STALL_MAX_NS)
        {
            close();
        }
    }

    boolean hasOutgoing()
    {
        return !outgoing.isEmpty();
    }

    void close()
    {
        if (State.CLOSED == state)
        {
            return;
        }
        state = State.CLOSED;
        outgoing.clear();
        if (null != publication)
        {
            CloseHelper.quietClose(publication);
        }
        else if (!aeron.isClosed())
        {
            aeron.asyncRemovePublication(publicationId);
        }
    }
}
