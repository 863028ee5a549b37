package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.service.Reply;
import io.millrace.manager.store.StateStore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.concurrent.NanoClock;

/**
 * Whether the manager is in charge of a data plane: it is with a term above all that are known, on disk before it is
 * used, and until another manager has a later one. Outlives sessions. The manager's thread.
 */
final class Tenure
{
    private enum State
    {
        /** No term is held. */
        NONE,
        /** One is being written. */
        WRITING,
        /** One is being written for a session that is over, in which another may have been seen since. */
        OUTRUN,
        /** The manager is in charge. */
        HELD,
        /** Another manager is, for good. */
        LOST
    }

    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final StateStore store;
    private final WorkThread work;
    private final NanoClock clock;
    private final Consumer<String> log;
    private State state = State.NONE;
    private long term;
    private long termSeen;
    private long dueNs;

    Tenure(
        final String name,
        final StateStore store,
        final WorkThread work,
        final NanoClock clock,
        final Consumer<String> log)
    {
        this.name = name;
        this.store = store;
        this.work = work;
        this.clock = clock;
        this.log = log;
    }

    /** A session begins with the highest term that the data plane has seen. */
    void onConnected(final long seen)
    {
        termSeen = seen;
        dueNs = clock.nanoTime();
    }

    void onDisconnected()
    {
        state = State.WRITING == state ? State.OUTRUN : state;
    }

    /** Takes a term when none is held: it is written, which may fail and is tried again each second. */
    void poll(final long nowNs)
    {
        if (State.NONE == state && nowNs - dueNs >= 0)
        {
            take();
        }
    }

    private void take()
    {
        state = State.WRITING;
        final long wanted = Math.max(store.term(), termSeen) + 1;
        work.run(() ->
        {
            store.term(wanted);
            return wanted;
        }, (taken, failure) ->
        {
            dueNs = clock.nanoTime() + (null == failure ? 0 : RETRY_NS);
            final boolean isHeld = null == failure && State.WRITING == state;
            state = isHeld ? State.HELD : State.NONE;
            if (isHeld)
            {
                term = taken;
                log.accept("in charge with term " + term);
            }
            else if (null != failure)
            {
                log.accept("term cannot be kept, nothing is commanded: " + Ledger.reason(failure));
            }
        });
    }

    boolean isHeld()
    {
        return State.HELD == state;
    }

    boolean isLost()
    {
        return State.LOST == state;
    }

    /** Whether another manager was in charge since: of the term that the data plane has seen. */
    boolean isOver()
    {
        return State.LOST == state || State.HELD == state && termSeen > term;
    }

    /** Another manager is in charge; answers whether that is new. */
    boolean lose()
    {
        final boolean isNew = State.LOST != state;
        state = State.LOST;
        return isNew;
    }

    /** What commands are answered when it is lost. */
    Reply refusal()
    {
        return Reply.refused(Code.STALE_TERM, "another manager is in charge of data plane " + name +
            ": command that one, or start this one again to take over");
    }

    /** Last that was held; 0: none was. */
    long term()
    {
        return term;
    }
}
