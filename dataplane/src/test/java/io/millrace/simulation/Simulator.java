package io.millrace.simulation;

import io.millrace.reactor.SimulatedReactor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * Runs reactors of several processes, the network and events on one thread: chance picks what is next of all that is
 * due, and time passes when nothing is.
 */
final class Simulator
{
    /** A reactor of a process. */
    static final class Node
    {
        private final SimulatedReactor reactor;
        private final int process;
        private final int epollFd;
        private long stalledUntilNs;

        private Node(final SimulatedReactor reactor, final int process, final int epollFd)
        {
            this.reactor = reactor;
            this.process = process;
            this.epollFd = epollFd;
        }

        SimulatedReactor reactor()
        {
            return reactor;
        }

        int process()
        {
            return process;
        }

        /** It gets no turn before a time, as if it had been descheduled. */
        void stall(final long untilNs)
        {
            stalledUntilNs = untilNs;
        }
    }

    /** Something that happens at a time. */
    private record Event(long dueNs, long order, Runnable action)
    {
    }

    private static final int TURN_NS_MAX = 3_000;
    /** After so many turns without anything else the next ones take twice as long, several times. */
    private static final int IDLE_TURNS = 8;
    private static final int DOUBLINGS_MAX = 6;

    private final Draw draw;
    private final SimulatedKernel kernel;
    private final Trace trace;
    private final List<Node> nodes = new ArrayList<>();
    private final PriorityQueue<Event> events =
        new PriorityQueue<>(Comparator.comparingLong(Event::dueNs).thenComparingLong(Event::order));
    private final Deadlines deadlines = new Deadlines();
    private final Answers answers = new Answers();
    private int processes;
    private long order;
    private long steps;
    /** Turns of reactors, which poll, since something else has happened. */
    private int idleTurns;

    Simulator(final Draw draw, final Trace trace)
    {
        this.draw = draw;
        this.trace = trace;
        kernel = new SimulatedKernel(draw);
    }

    SimulatedKernel kernel()
    {
        return kernel;
    }

    Deadlines deadlines()
    {
        return deadlines;
    }

    Answers answers()
    {
        return answers;
    }

    Draw draw()
    {
        return draw;
    }

    Trace trace()
    {
        return trace;
    }

    long nowNs()
    {
        return kernel.nanoTime();
    }

    long steps()
    {
        return steps;
    }

    /** {@return the place of a moment in the order of all that happens} */
    long moment()
    {
        return order++;
    }

    int newProcess()
    {
        processes++;
        return processes;
    }

    Node add(final String name, final int process)
    {
        kernel.enter(process);
        final int wakeFd = kernel.nextDescriptor();
        final SimulatedReactor reactor = new SimulatedReactor(name, draw.of(0, 0, 3_000, 20_000), kernel);
        // The event descriptor is made first, the set then.
        int epollFd = wakeFd + 1;
        while (!kernel.isSet(epollFd, process))
        {
            epollFd++;
        }
        final Node node = new Node(reactor, process, epollFd);
        nodes.add(node);
        return node;
    }

    void remove(final Node node)
    {
        nodes.remove(node);
        kernel.enter(node.process);
        node.reactor.close();
    }

    /** {@return whether a reactor of a process got no turn at some time since a moment} */
    boolean hasStalled(final int process, final long sinceNs)
    {
        return nodes.stream().anyMatch((node) -> process == node.process && node.stalledUntilNs > sinceNs);
    }

    Node any()
    {
        return nodes.get(draw.below(nodes.size()));
    }

    void at(final long dueNs, final Runnable action)
    {
        events.add(new Event(dueNs, order++, action));
    }

    void after(final long delayNs, final Runnable action)
    {
        at(nowNs() + delayNs, action);
    }

    /** Runs something on a reactor at once, between two of its cycles. */
    void on(final Node node, final Runnable task)
    {
        kernel.enter(node.process);
        node.reactor.run(task);
    }

    /** Has a reactor run something in a cycle of it, as any thread does. */
    void execute(final Node node, final Runnable task)
    {
        kernel.enter(node.process);
        node.reactor.reactor().execute(task);
    }

    /**
     * Goes on until a condition holds.
     *
     * @param what    for the message.
     * @param limitNs how long at most.
     * @param until   the condition.
     */
    void run(final String what, final long limitNs, final BooleanSupplier until)
    {
        final long endNs = nowNs() + limitNs;
        while (!until.getAsBoolean())
        {
            if (nowNs() > endNs)
            {
                throw new AssertionError(what + " did not happen within " + limitNs / 1_000_000 + " ms");
            }
            step();
        }
    }

    private boolean isDue(final Node node)
    {
        final long nowNs = nowNs();
        return nowNs >= node.stalledUntilNs &&
            (!node.reactor.isAsleep() || nowNs >= node.reactor.wakeNs() || kernel.isReady(node.epollFd));
    }

    private void step()
    {
        steps++;
        final Network network = kernel.network();
        int due = 0;
        int pick = -1;
        for (int i = 0; i < nodes.size(); i++)
        {
            if (isDue(nodes.get(i)))
            {
                due++;
                pick = draw.oneIn(due) ? i : pick;
            }
        }
        for (int i = 0; i < network.count(); i++)
        {
            if (network.isDue(i))
            {
                due++;
                pick = draw.oneIn(due) ? nodes.size() + i : pick;
            }
        }
        if (!events.isEmpty() && events.peek().dueNs <= nowNs())
        {
            idleTurns = 0;
            events.poll().action.run();
        }
        else if (pick < 0)
        {
            passTime();
        }
        else if (pick < nodes.size())
        {
            turn(nodes.get(pick));
        }
        else
        {
            idleTurns = 0;
            trace.add("delivered", pick - nodes.size(), network.deliver(pick - nodes.size()));
        }
        if (0 == (steps & 15))
        {
            checkSleepers();
            deadlines.check(nowNs());
        }
    }

    private void turn(final Node node)
    {
        kernel.enter(node.process);
        trace.add("turn", nodes.indexOf(node), nowNs());
        node.reactor.turn();
        idleTurns++;
        kernel.advance(100 + draw.below(TURN_NS_MAX << Math.min(DOUBLINGS_MAX, idleTurns / IDLE_TURNS)));
    }

    /** Something asleep that has work and was not signalled would sleep on. */
    private void checkSleepers()
    {
        for (final Node node : nodes)
        {
            kernel.enter(node.process);
            if (!kernel.isReady(node.epollFd) && node.reactor.isOverslept())
            {
                throw new AssertionError("reactor " + node.reactor.reactor().config().name() +
                    " was not woken for what waits there: it sleeps until " + node.reactor.wakeNs());
            }
        }
    }

    private void passTime()
    {
        final long nowNs = nowNs();
        long nextNs = Long.MAX_VALUE;
        for (int i = 0; i < nodes.size(); i++)
        {
            final Node node = nodes.get(i);
            nextNs = Math.min(nextNs, nowNs < node.stalledUntilNs ? node.stalledUntilNs : node.reactor.wakeNs());
        }
        final Network network = kernel.network();
        for (int i = 0; i < network.count(); i++)
        {
            nextNs = Math.min(nextNs, network.dueNs(i));
        }
        if (!events.isEmpty())
        {
            nextNs = Math.min(nextNs, events.peek().dueNs);
        }
        if (Long.MAX_VALUE == nextNs)
        {
            throw new AssertionError("nothing is left to happen");
        }
        kernel.advance(Math.max(1, nextNs - nowNs));
    }
}
