package io.millrace.serve;

import io.millrace.console.LineLimit;
import io.millrace.console.Terminal;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.transport.TransportAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * Prints a line for each host that connects, disconnects or is refused. Reactors put lines into a queue and go on; a
 * thread of the log prints them. What does not fit the queue, or comes faster than {@link LineLimit} lets through, is
 * counted and left out: a peer can make as many connections as it likes, and must not fill a disk with that. Hosts that
 * were let in and those that were not have limits of their own, so that the latter do not hide the former.
 */
final class EventLog implements TargetListener, AutoCloseable
{
    private static final int QUEUE_LINES = 1024;
    private static final long CLOSE_WAIT_MS = 1_000;

    private enum Kind
    {
        HOST,
        PROBLEM
    }

    private record Line(Kind kind, long timeMs, String text)
    {
    }

    private final Terminal terminal;
    private final LongSupplier clockMs;
    private final ManyToOneConcurrentArrayQueue<Line> queue = new ManyToOneConcurrentArrayQueue<>(QUEUE_LINES);
    private final AtomicLong hostsOverflowed = new AtomicLong();
    private final AtomicLong problemsOverflowed = new AtomicLong();
    private final LineLimit hosts;
    private final LineLimit problems;
    private final Thread thread;
    private volatile boolean closed;

    EventLog(final Terminal terminal)
    {
        this(terminal, System::currentTimeMillis);
    }

    EventLog(final Terminal terminal, final LongSupplier clockMs)
    {
        this.terminal = terminal;
        this.clockMs = clockMs;
        hosts = new LineLimit(clockMs.getAsLong());
        problems = new LineLimit(clockMs.getAsLong());
        thread = Thread.ofPlatform().name("millrace-log").daemon().unstarted(this::run);
    }

    /**
     * Begins to print, what has happened so far first. Once.
     */
    void start()
    {
        thread.start();
    }

    /**
     * Forgets what has not been printed; before {@link #start}.
     */
    void clear()
    {
        queue.clear();
        hostsOverflowed.set(0);
        problemsOverflowed.set(0);
    }

    @Override
    public void onConnected(
        final String hostNqn, final String remote, final String subsystemNqn, final int controllerId)
    {
        add(Kind.HOST, "connected: " + name(hostNqn) + " from " + address(remote) + ", controller " + controllerId +
            " of " + subsystemNqn);
    }

    @Override
    public void onDisconnected(
        final String hostNqn,
        final String remote,
        final String subsystemNqn,
        final int controllerId,
        final String reason)
    {
        add(Kind.HOST, "disconnected: " + name(hostNqn) + " from " + address(remote) + ", controller " + controllerId +
            " of " + subsystemNqn + ": " + reason);
    }

    @Override
    public void onRefused(final String hostNqn, final String remote, final String subsystemNqn, final String reason)
    {
        add(Kind.PROBLEM, "refused: " + name(hostNqn) + " from " + address(remote) + " to " + name(subsystemNqn) +
            ": " + reason);
    }

    @Override
    public void onProtocolError(final String remote, final String reason)
    {
        add(Kind.PROBLEM, "protocol error: connection from " + address(remote) + ": " + reason);
    }

    @Override
    public void onAnaTransitionExpired(
        final String subsystemNqn, final TransportAddress listener, final int group)
    {
        add(Kind.PROBLEM, "transition took too long: ANA group " + group + " of " + subsystemNqn +
            " is inaccessible at " +
            (null == listener ? "other listeners" : listener.hostAndPort()));
    }

    @Override
    public void onError(final String message)
    {
        add(Kind.PROBLEM, "error: " + message);
    }

    /** Something that the operator may want to know, and that is no problem. Any thread. */
    void onNote(final String message)
    {
        add(Kind.PROBLEM, message);
    }

    private static String name(final String nqn)
    {
        return nqn.isEmpty() ? "a host without a name" : nqn;
    }

    private static String address(final String remote)
    {
        return remote.isEmpty() ? "an address that is gone" : remote;
    }

    private void add(final Kind kind, final String text)
    {
        if (closed || !queue.offer(new Line(kind, clockMs.getAsLong(), text)))
        {
            (Kind.HOST == kind ? hostsOverflowed : problemsOverflowed).incrementAndGet();
            return;
        }
        LockSupport.unpark(thread);
    }

    private void run()
    {
        while (true)
        {
            final boolean isLast = closed;
            print();
            if (isLast)
            {
                return;
            }
            final long waitMs = reportSuppressed();
            if (!closed && queue.isEmpty())
            {
                if (waitMs > 0)
                {
                    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(waitMs));
                }
                else
                {
                    LockSupport.park(this);
                }
            }
        }
    }

    /** Prints what is in the queue, as far as the limits let it. */
    void print()
    {
        for (Line line = queue.poll(); null != line; line = queue.poll())
        {
            final LineLimit limit = Kind.HOST == line.kind() ? hosts : problems;
            if (limit.take(line.timeMs()))
            {
                terminal.line(time(line.timeMs()) + " " + line.text());
            }
        }
    }

    /**
     * Says how many lines were left out, once there is room for a line again.
     *
     * @return milliseconds after which to ask again; 0 when nothing is left to say.
     */
    long reportSuppressed()
    {
        final long nowMs = clockMs.getAsLong();
        hosts.suppress(hostsOverflowed.getAndSet(0));
        problems.suppress(problemsOverflowed.getAndSet(0));
        report(hosts, nowMs, "lines of hosts that came and went");
        report(problems, nowMs, "lines of refusals and errors");
        return hosts.suppressed() + problems.suppressed() > 0 ? LineLimit.REFILL_MS : 0;
    }

    private void report(final LineLimit limit, final long nowMs, final String what)
    {
        final long suppressed = limit.suppressed();
        if (suppressed > 0 && limit.takeForReport(nowMs))
        {
            terminal.line(time(nowMs) + " left out " + suppressed + " " + what + ": at most " + LineLimit.BURST +
                " at once and one in " + LineLimit.REFILL_MS + " ms are printed");
        }
    }

    private static String time(final long timeMs)
    {
        return Instant.ofEpochMilli(timeMs).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /**
     * Ends the log; what happened until now is printed, what happens after is not.
     */
    @Override
    public void close()
    {
        closed = true;
        LockSupport.unpark(thread);
        try
        {
            // A terminal that takes no more output must not hold up the end of the process.
            thread.join(CLOSE_WAIT_MS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
