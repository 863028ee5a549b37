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
 * A client that is talked to: what it has proven, what waits to be sent to it, and when it was heard last. What it does
 * not read is bounded; a client that lets it pile up, or reads nothing for a while, loses its session and nobody else
 * notices. Belongs to the service's thread.
 */
final class Session
{
    /** How far it is. */
    enum State
    {
        /** A challenge was sent. */
        PROVING,
        /** It may command. */
        OPEN,
        /** It gets what waits, and is closed then. */
        LEAVING,
        /** Over. */
        CLOSED
    }

    /** Commands whose answers have not been sent. */
    static final int COMMANDS_MAX = 1024;
    /** Lists of which not all was sent; each holds what was there when it was asked for. */
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
    private final ArrayDeque<Outgoing> outgoing = new ArrayDeque<>();
    private State state;
    private Caller caller;
    private MessagePublication publication;
    private MessageSeal seal;
    private boolean wasConnected;
    private boolean isStalled;
    private boolean isSubscribed;
    private long stalledNs;
    private long heardNs;
    private long eventSequence;
    private int eventsWaiting;
    private int commands;
    private int lists;

    /**
     * @param aeron         that adds the publication.
     * @param origin        where its request came from.
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
        heardNs = nowNs;
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

    /** Whose it is; null before it was let in. */
    Caller caller()
    {
        return caller;
    }

    /** Lets it in. */
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
     * Whether it may take charge as a manager: who may write the media driver's directory may, and keys made for
     * it.
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

    long heardNs()
    {
        return heardNs;
    }

    void heard(final long nowNs)
    {
        heardNs = nowNs;
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

    /** It has proven itself: what is sent from now on is sealed. The challenge is out, or it were not answered. */
    void open(final MessageSeal value)
    {
        seal = value;
        publication.seal(value);
        state = State.OPEN;
    }

    /** Takes a command in, unless too many wait for their answers. */
    boolean begin()
    {
        if (commands >= COMMANDS_MAX)
        {
            return false;
        }
        commands++;
        return true;
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

    void send(final Outgoing message)
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

    /** Answers a command that {@link #begin()} took in. */
    void answer(final long correlationId, final Reply reply)
    {
        send(new Outgoing()
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

    /** Tells an event if it subscribed; when too many wait already the number alone goes up. */
    void tell(final ServiceEvent event)
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
        outgoing.addLast(new Outgoing()
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

    /** Events were lost before they came here. */
    void skipEvents(final long count)
    {
        if (isSubscribed)
        {
            eventSequence += count;
        }
    }

    /** Sends what waits, then closes. */
    void leave()
    {
        if (State.CLOSED != state)
        {
            state = State.LEAVING;
        }
    }

    /** Sends as much as goes now; answers how many messages went. */
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
            final Outgoing first = outgoing.peekFirst();
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
        if (State.LEAVING == state && outgoing.isEmpty())
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
            // The channel of the answers cannot be had: there is no way to say so.
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
