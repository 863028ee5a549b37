package io.millrace.control.client;

import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * The commands whose futures are not completed yet, and the queue on which they come to the thread of the client.
 * A command is here from its submission to the completion of its future, which is what the bound is about. Any thread
 * adds and completes; the thread of the client drains.
 */
final class PendingCommands
{
    private final int bound;
    private final AtomicInteger count = new AtomicInteger();
    private final Set<PendingCommand> commands = ConcurrentHashMap.newKeySet();
    /** Never full: it takes as many as the bound, and what is on it counts. */
    private final ManyToOneConcurrentArrayQueue<List<PendingCommand>> queue;
    /** Null: open. */
    private volatile String closeReason;

    PendingCommands(final int bound)
    {
        this.bound = bound;
        this.queue = new ManyToOneConcurrentArrayQueue<>(Math.max(2, bound));
    }

    /** Queues commands that are sent one after the other, with none of another batch in between; or fails them. */
    void add(final List<PendingCommand> batch)
    {
        if (!reserve(batch.size()))
        {
            batch.forEach((each) ->
                each.future().completeExceptionally(new ControlOverloadedException(batch.size(), bound)));
            return;
        }
        commands.addAll(batch);
        queue.offer(batch);
        // After the batch can be seen: whoever closes sets the reason first and then takes what can be seen.
        if (!isOpen())
        {
            abandon(batch);
        }
    }

    private boolean reserve(final int size)
    {
        int current = count.get();
        while (size <= bound - current)
        {
            if (count.compareAndSet(current, current + size))
            {
                return true;
            }
            current = count.get();
        }
        return false;
    }

    int drain(final Consumer<List<PendingCommand>> consumer)
    {
        return queue.drain(consumer);
    }

    /** Whether it was still here: true once for each command. */
    boolean remove(final PendingCommand command)
    {
        if (commands.remove(command))
        {
            count.decrementAndGet();
            return true;
        }
        return false;
    }

    int count()
    {
        return count.get();
    }

    boolean isOpen()
    {
        return null == closeReason;
    }

    /** Commands that are added from now on fail. The first reason stays. */
    void stop(final String reason)
    {
        if (isOpen())
        {
            closeReason = reason;
        }
    }

    /** Completes all commands, after {@link #stop(String)}. */
    void abandonAll()
    {
        abandon(commands);
    }

    /** The same on an executor, while the thread of the client is held by a callback. */
    void abandonAll(final Executor executor)
    {
        commands.forEach((each) -> executor.execute(() -> abandon(List.of(each))));
    }

    private void abandon(final Iterable<PendingCommand> abandoned)
    {
        abandoned.forEach((each) -> each.abandon(new ControlException(Code.NULL_VAL, closeReason)));
    }
}
