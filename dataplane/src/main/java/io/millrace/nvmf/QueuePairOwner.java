package io.millrace.nvmf;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Which reactor has a queue pair, for all others. Any thread.
 */
final class QueuePairOwner
{
    private final AtomicReference<PollGroup> owner;

    QueuePairOwner(final PollGroup first)
    {
        owner = new AtomicReference<>(first);
    }

    PollGroup get()
    {
        return owner.get();
    }

    /**
     * It has arrived. On the reactor that has it now.
     */
    void set(final PollGroup next)
    {
        owner.set(next);
    }

    /**
     * It is on its way. On the reactor that it leaves, when the adoption is in the line of the other.
     */
    void handOver(final PollGroup from, final PollGroup to)
    {
        // The other reactor may have been faster, and have sent it on.
        owner.compareAndSet(from, to);
    }

    /**
     * Runs something on the reactor that has it then; behind its adoption when it moves.
     */
    void execute(final Runnable task)
    {
        final PollGroup pollGroup = owner.get();
        pollGroup.reactor().execute(() ->
        {
            if (pollGroup == owner.get())
            {
                task.run();
            }
            else
            {
                execute(task);
            }
        });
    }
}
