package io.millrace.nvmf;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The reactor that owns a queue pair, visible to all threads. Any thread.
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
     * The queue pair moves. Called on the former reactor, when the adoption is queued on the other.
     */
    void handOver(final PollGroup from, final PollGroup to)
    {
        // The other reactor may already have moved it again.
        owner.compareAndSet(from, to);
    }

    /**
     * Runs a task on the reactor that owns the queue pair then; after its adoption when it moves.
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
