package io.millrace.control.service;

import java.security.SecureRandom;
import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.agrona.collections.Hashing;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * All sessions, with limits: in total, over UDP, and for unauthenticated ones in total and per address. Confined to the
 * service's thread.
 */
final class SessionTable
{
    /** Open and opening sessions. */
    static final int SESSIONS_MAX = 256;
    /** Sessions over UDP, so that IPC always has capacity. */
    static final int REMOTE_MAX = 128;
    /** Additional sessions that only report that the limit is reached. */
    static final int REJECTED_MAX = 32;
    /** Unauthenticated sessions. */
    static final int PROVING_MAX = 32;
    /** Unauthenticated sessions of one address. */
    static final int PROVING_PER_ADDRESS_MAX = 8;

    private static final int INITIAL_CAPACITY = 16;

    /** Iterators of its own for each user: one goes through them while another counts. */
    private final Long2ObjectHashMap<Session> sessions =
        new Long2ObjectHashMap<>(INITIAL_CAPACITY, Hashing.DEFAULT_LOAD_FACTOR, false);
    private final SecureRandom random = new SecureRandom();

    Session get(final long id)
    {
        return sessions.get(id);
    }

    void add(final Session session)
    {
        sessions.put(session.id(), session);
    }

    int size()
    {
        return sessions.size();
    }

    long newId()
    {
        while (true)
        {
            final long id = random.nextLong();
            if (0 != id && !sessions.containsKey(id))
            {
                return id;
            }
        }
    }

    /** Whether one more may be opened. */
    boolean hasRoom(final boolean isRemote)
    {
        return sessions.size() < SESSIONS_MAX &&
            (!isRemote || count((each) -> each.origin().isRemote()) < REMOTE_MAX);
    }

    /** Whether another rejection may be sent. */
    boolean hasRoomToRefuse()
    {
        return count((each) -> Session.State.CLOSING == each.state()) < REJECTED_MAX;
    }

    /** The unauthenticated session to close in favour of a new one of this address; null: none. */
    Session proverToDrop(final String address)
    {
        final Predicate<Session> isProving = (each) -> Session.State.PROVING == each.state();
        final Predicate<Session> isOfAddress =
            isProving.and((each) -> each.origin().address().equals(address));
        return count(isOfAddress) >= PROVING_PER_ADDRESS_MAX ? oldest(isOfAddress) :
            count(isProving) >= PROVING_MAX ? oldest(isProving) : null;
    }

    private int count(final Predicate<Session> predicate)
    {
        int count = 0;
        for (final Session each : sessions.values())
        {
            count += predicate.test(each) ? 1 : 0;
        }
        return count;
    }

    private Session oldest(final Predicate<Session> predicate)
    {
        Session oldest = null;
        for (final Session each : sessions.values())
        {
            if (predicate.test(each) && (null == oldest || each.openedNs() - oldest.openedNs() < 0))
            {
                oldest = each;
            }
        }
        return oldest;
    }

    void forEach(final Consumer<Session> consumer)
    {
        sessions.values().forEach(consumer);
    }

    /** Goes through all, which may be removed on the way. */
    Iterator<Session> iterator()
    {
        return sessions.values().iterator();
    }

    boolean any(final Predicate<Session> predicate)
    {
        return count(predicate) > 0;
    }

    void remove(final Session session)
    {
        sessions.remove(session.id());
    }

    void clear()
    {
        sessions.clear();
    }
}
