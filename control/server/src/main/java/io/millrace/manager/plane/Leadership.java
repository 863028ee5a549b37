package io.millrace.manager.plane;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.Terms;
import io.millrace.control.service.Reply;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.change.WorkThread;
import io.millrace.manager.store.StateStore;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.agrona.concurrent.NanoClock;

/**
 * Leadership of a data plane: the manager takes a term above all known ones, which is persisted before it is sent to
 * the data plane, and holds it until another manager takes a later one. Independent of sessions. The manager's thread.
 */
final class Leadership
{
    private enum State
    {
        /** No term is held. */
        NONE,
        /** A term is being written. */
        WRITING,
        /** The term was sent to the data plane. */
        ASKING,
        /** The term is held. */
        HELD,
        /** Lost to another manager, permanently. */
        LOST
    }

    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);

    private final String dataPlane;
    private final Command.TakeTerm self;
    private final StateStore store;
    private final WorkThread work;
    private final BiConsumer<Command, Consumer<Reply>> ask;
    private final NanoClock clock;
    private final Consumer<String> log;
    private State state = State.NONE;
    /** Counts sessions: answers of other sessions are ignored. */
    private long session;
    private boolean isConnected;
    private boolean isOld;
    private LeadershipInfo seen = LeadershipInfo.NONE;
    private long term;
    /** Persisted, but not taken yet; 0: none. */
    private long written;
    private long dueNs;
    private String lastError = "";

    /**
     * @param self command with id, name and address of this manager.
     * @param ask  sends a command and passes the reply on unless the session ends.
     */
    Leadership(
        final String dataPlane,
        final Command.TakeTerm self,
        final StateStore store,
        final WorkThread work,
        final BiConsumer<Command, Consumer<Reply>> ask,
        final NanoClock clock,
        final Consumer<String> log)
    {
        this.dataPlane = dataPlane;
        this.self = self;
        this.store = store;
        this.work = work;
        this.ask = ask;
        this.clock = clock;
        this.log = log;
    }

    UUID managerId()
    {
        return self.managerId();
    }

    /**
     * The leadership of the data plane was read.
     *
     * @param info  leadership of the data plane.
     * @param older whether the data plane is of a version that has terms, and no command to take one.
     */
    void onObserved(final LeadershipInfo info, final boolean older)
    {
        isConnected = true;
        seen = info;
        isOld = older;
        dueNs = clock.nanoTime();
        if (State.HELD == state && !isOld && info.term() < term)
        {
            // The data plane lost its state.
            state = State.NONE;
        }
    }

    void onDisconnected()
    {
        isConnected = false;
        session++;
        state = State.ASKING == state ? State.NONE : state;
    }

    /** Takes a term if none is held; retries each second. */
    void poll(final long nowNs)
    {
        if (State.NONE != state || !isConnected || nowNs - dueNs < 0)
        {
            return;
        }
        if (written > seen.term() && written - seen.term() <= Terms.STEP_MAX)
        {
            ask();
            return;
        }
        final long wanted;
        try
        {
            wanted = Terms.next(store.term(), seen.term());
        }
        catch (final IllegalArgumentException | ArithmeticException e)
        {
            fail("data plane " + dataPlane + " says that its term is " + seen.term() + ", above " + Terms.MAX +
                ": restart it, or remove its state file to reset its terms");
            return;
        }
        write(wanted);
    }

    private void write(final long wanted)
    {
        state = State.WRITING;
        work.run(() ->
        {
            store.term(wanted);
            return wanted;
        }, (taken, failure) ->
        {
            state = State.NONE;
            if (null == failure)
            {
                written = taken;
                poll(clock.nanoTime());
            }
            else
            {
                fail("term cannot be saved, no commands are sent: " + Ledger.reason(failure));
            }
        });
    }

    private void ask()
    {
        if (isOld)
        {
            onTaken();
            return;
        }
        state = State.ASKING;
        final long askedIn = session;
        ask.accept(
            new Command.TakeTerm(written, self.managerId(), self.managerName(), self.managerAddress()), (reply) ->
            {
                if (askedIn == session && State.ASKING == state)
                {
                    onAnswered(reply);
                }
            });
    }

    private void onAnswered(final Reply reply)
    {
        switch (reply.code())
        {
            case OK ->
            {
                if (!reply.text().isEmpty())
                {
                    log.accept(reply.text());
                }
                onTaken();
            }
            case STALE_TERM ->
            {
                // Another manager took it first: read the leadership again.
                state = State.NONE;
                isConnected = false;
                fail(reply.text());
            }
            default ->
            {
                state = State.NONE;
                fail("the data plane does not take term " + written + ": " + reply.text());
            }
        }
    }

    private void onTaken()
    {
        state = State.HELD;
        term = written;
        written = 0;
        lastError = "";
        log.accept("active with term " + term);
    }

    private void fail(final String reason)
    {
        dueNs = clock.nanoTime() + RETRY_NS;
        if (!reason.equals(lastError))
        {
            log.accept(reason);
        }
        lastError = reason;
    }

    /**
     * Whether the leadership has to be read again before a term is taken, see {@link #onObserved}.
     */
    boolean needsRecheck(final long nowNs)
    {
        return State.NONE == state && !isConnected && nowNs - dueNs >= 0;
    }

    boolean isHeld()
    {
        return State.HELD == state;
    }

    boolean isLost()
    {
        return State.LOST == state;
    }

    /** Whether the data plane is of a version without lineages. */
    boolean isOld()
    {
        return isOld;
    }

    /** Whether another manager was active since. */
    boolean hasLostTerm()
    {
        return State.LOST == state || 0 != term && isOther(seen);
    }

    /**
     * Takes a new term for a new session, so that delayed commands of the previous session are refused.
     */
    void renew()
    {
        if (State.HELD == state && !isOld)
        {
            state = State.NONE;
        }
    }

    /**
     * Whether another manager is active. A higher term of this manager is one whose reply was lost.
     */
    boolean isOther(final LeadershipInfo info)
    {
        return isOld ? info.term() > term : info.term() >= term && !info.managerId().equals(self.managerId());
    }

    /** Another manager is active; returns whether that is new. */
    boolean lose()
    {
        final boolean isNew = State.LOST != state;
        state = State.LOST;
        return isNew;
    }

    /** Reply to commands after the leadership was lost. */
    Reply refusal()
    {
        return Reply.refused(Code.STALE_TERM, "another manager is active for data plane " + dataPlane + ": use that " +
            "one, or restart this one to take over");
    }

    /** The last term held; 0: none. */
    long term()
    {
        return term;
    }

    /** Reason why no term is held; empty: no error. */
    String lastError()
    {
        return lastError;
    }
}
