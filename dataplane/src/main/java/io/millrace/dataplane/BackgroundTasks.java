package io.millrace.dataplane;

import io.millrace.block.BackgroundWork;
import io.millrace.nvmf.PollGroup;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Spreads the background work of all devices over the reactors, by count. Any thread.
 */
final class BackgroundTasks
{
    private final List<PollGroup> groups;
    private final AtomicIntegerArray counts;

    /**
     * Creates it without work.
     *
     * @param groups of the reactors.
     */
    BackgroundTasks(final List<PollGroup> groups)
    {
        this.groups = List.copyOf(groups);
        counts = new AtomicIntegerArray(groups.size());
    }

    /**
     * {@return a task of the reactor that has the fewest, not begun yet}
     *
     * @param work to do.
     */
    BackgroundTask assign(final BackgroundWork work)
    {
        int least = 0;
        for (int i = 1; i < counts.length(); i++)
        {
            least = counts.get(i) < counts.get(least) ? i : least;
        }
        final int chosen = least;
        counts.incrementAndGet(chosen);
        final BackgroundTask task = new BackgroundTask(work, groups.get(chosen));
        task.done().thenRun(() -> counts.decrementAndGet(chosen));
        return task;
    }
}
