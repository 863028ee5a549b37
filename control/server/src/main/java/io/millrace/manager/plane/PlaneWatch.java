package io.millrace.manager.plane;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.concurrent.NanoClock;

/**
 * Monitors connection and reactor progress of a data plane once a second, and reports when it has been disconnected
 * long enough to count as down. The manager's thread.
 */
final class PlaneWatch
{
    private enum State
    {
        /** There is no session. */
        GONE,
        /** Disconnected for so long that it was reported as down. */
        DOWN,
        /** There is a session. */
        UP
    }

    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final long downAfterNs;
    private final PlaneLink link;
    private final NanoClock clock;
    private final PlaneListener owner;
    private final Consumer<String> log;
    private final StallDetector progress = new StallDetector();
    private State state = State.GONE;
    private long goneSinceNs;
    private long dueNs;

    PlaneWatch(
        final String name,
        final long downAfterNs,
        final PlaneLink link,
        final NanoClock clock,
        final PlaneListener owner,
        final Consumer<String> log)
    {
        this.name = name;
        this.downAfterNs = downAfterNs;
        this.link = link;
        this.clock = clock;
        this.owner = owner;
        this.log = log;
        goneSinceNs = clock.nanoTime();
        dueNs = goneSinceNs;
    }

    void onConnected()
    {
        final boolean wasDown = State.DOWN == state;
        state = State.UP;
        progress.clear();
        if (wasDown)
        {
            owner.onDown(name, false, "connected again");
        }
    }

    void onDisconnected()
    {
        state = State.GONE;
        goneSinceNs = clock.nanoTime();
    }

    void poll(final long nowNs)
    {
        if (State.GONE == state && nowNs - goneSinceNs >= downAfterNs)
        {
            state = State.DOWN;
            owner.onDown(name, true, link.lastError());
        }
        if (nowNs - dueNs >= 0)
        {
            dueNs = nowNs + INTERVAL_NS;
            if (link.isConnected())
            {
                link.submit(new Command.List(Kind.REACTOR, "").now()).onDone(this::onReactors);
            }
        }
    }

    private void onReactors(final Call call)
    {
        // Calls end with their session: this one is of the session that there is.
        if (State.UP != state || Code.OK != call.code())
        {
            return;
        }
        link.touch();
        final String before = progress.stall();
        progress.sample(call.resources(), clock.nanoTime());
        if (before.isEmpty() != progress.stall().isEmpty())
        {
            final String text = progress.stall().isEmpty() ? "all reactors make progress again" : progress.stall();
            log.accept(text);
            owner.onManaged(name, Change.CHANGED, text);
        }
    }

    /** Message about a stalled reactor; empty: none. */
    String stall()
    {
        return progress.stall();
    }
}
