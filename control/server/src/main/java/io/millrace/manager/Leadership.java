package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.Terms;
import io.millrace.control.service.Reply;
import io.millrace.manager.store.StateStore;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.agrona.concurrent.NanoClock;

/**
 * Whether the manager is in charge of a data plane: it is with a term above all that are known, which is on disk before
 * the data plane is asked for it, and until another manager has a later one. Outlives sessions. The manager's thread.
 */
final class Leadership
{
    private enum State
    {
        /** No term is held. */
        NONE,
        /** One is being written. */
        WRITING,
        /** The data plane is asked for it. */
        ASKING,
        /** The manager is in charge. */
        HELD,
        /** Another manager is, for good. */
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
    /** Counts sessions: what is answered in another is of no account. */
    private long session;
    private boolean isConnected;
    private boolean isOld;
    private LeadershipInfo seen = LeadershipInfo.NONE;
    private long term;
    /** On disk, and not taken yet; 0: none. */
    private long written;
    private long dueNs;
    private String trouble = "";

    /**
     * @param self who takes a term: of it id, name and address count.
     * @param ask  sends a command, and tells the answer unless the session ends.
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
     * A session begins, or the data plane was looked at again.
     *
     * @param info  who is in charge by the data plane.
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
            // It has lost what it kept.
            state = State.NONE;
        }
    }

    void onDisconnected()
    {
        isConnected = false;
        session++;
        state = State.ASKING == state ? State.NONE : state;
    }

    /** Takes a term when none is held; what does not work is tried again each second. */
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
                ": start it again, or remove its state file, so that its terms begin anew");
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
                fail("term cannot be kept, nothing is commanded: " + Ledger.reason(failure));
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
                // Another was quicker: it is looked at again.
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
        trouble = "";
        log.accept("in charge with term " + term);
    }

    private void fail(final String reason)
    {
        dueNs = clock.nanoTime() + RETRY_NS;
        if (!reason.equals(trouble))
        {
            log.accept(reason);
        }
        trouble = reason;
    }

    /**
     * Whether the data plane has to be looked at again before a term is taken: {@link #onObserved} tells what is
     * seen.
     */
    boolean needsLook(final long nowNs)
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

    /** Whether another manager was in charge since. */
    boolean isOver()
    {
        return State.LOST == state || 0 != term && isOther(seen);
    }

    /**
     * A new session is there: commands of the one before may still be on their way, and are refused from now on, since
     * they have a term that is held no more.
     */
    void renew()
    {
        if (State.HELD == state && !isOld)
        {
            state = State.NONE;
        }
    }

    /**
     * Whether another manager is in charge by what the data plane says. A higher term of this one is one whose taking
     * was never answered.
     */
    boolean isOther(final LeadershipInfo info)
    {
        return isOld ? info.term() > term : info.term() >= term && !info.managerId().equals(self.managerId());
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
        return Reply.refused(Code.STALE_TERM, "another manager is in charge of data plane " + dataPlane +
            ": command that one, or start this one again to take over");
    }

    /** Last that was held; 0: none was. */
    long term()
    {
        return term;
    }

    /** Why no term is held; empty: nothing is wrong. */
    String trouble()
    {
        return trouble;
    }
}
