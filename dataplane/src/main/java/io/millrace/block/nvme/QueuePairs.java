package io.millrace.block.nvme;

import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * The I/O queue pairs of a controller: one for each reactor that has channels to its namespaces. Requests states of
 * them, and waits until their reactors have applied these. Used on the controller's thread alone.
 */
final class QueuePairs
{
    private final List<ReactorQueuePair> pairs = new ArrayList<>();

    void add(final ReactorQueuePair pair)
    {
        pairs.add(pair);
    }

    void remove(final ReactorQueuePair pair)
    {
        pairs.remove(pair);
    }

    /**
     * {@return the queue pair of a reactor, which may be {@link QueuePairState#RETIRED} by now; null when it has none}
     *
     * @param reactor whose it is.
     */
    ReactorQueuePair find(final Reactor reactor)
    {
        for (final ReactorQueuePair pair : pairs)
        {
            if (pair.reactor() == reactor)
            {
                return pair;
            }
        }
        return null;
    }

    /**
     * {@return how many there are}
     */
    int count()
    {
        return pairs.size();
    }

    /**
     * {@return those whose reactors have ended, which are taken out}
     */
    List<ReactorQueuePair> takeEnded()
    {
        final List<ReactorQueuePair> ended = new ArrayList<>(pairs);
        ended.removeIf((pair) -> !pair.reactor().hasEnded());
        pairs.removeAll(ended);
        return ended;
    }

    /**
     * {@return those whose queues have to exist on the controller}
     */
    List<ReactorQueuePair> inUse()
    {
        final List<ReactorQueuePair> used = new ArrayList<>(pairs);
        used.removeIf((pair) -> QueuePairState.RETIRED == pair.state());
        return used;
    }

    /**
     * Requests a state of all.
     *
     * @param wanted state.
     */
    void requestState(final QueuePairState wanted)
    {
        for (final ReactorQueuePair pair : pairs)
        {
            pair.requestState(wanted);
            try
            {
                pair.reactor().execute(pair);
            }
            catch (final RejectedExecutionException ended)
            {
                pair.onReactorEnded();
            }
        }
    }

    /**
     * Requests a state of all and waits until each has it, is retired, or has no reactor any more.
     *
     * @param wanted state.
     */
    void awaitState(final QueuePairState wanted)
    {
        requestState(wanted);
        for (final ReactorQueuePair pair : pairs)
        {
            while (wanted != pair.state() && QueuePairState.RETIRED != pair.state() && !pair.reactor().hasEnded())
            {
                Deadline.pause();
            }
        }
    }
}
