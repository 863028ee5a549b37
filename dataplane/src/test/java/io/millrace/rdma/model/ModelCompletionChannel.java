package io.millrace.rdma.model;

import java.util.ArrayDeque;

/**
 * A completion channel. Under the monitor of its network.
 */
final class ModelCompletionChannel
{
    final ModelDevice device;
    final int fd;
    int queues;
    private final ModelDescriptors descriptors;
    private final ArrayDeque<ModelCompletionQueue> events = new ArrayDeque<>();

    ModelCompletionChannel(final ModelDevice device, final ModelDescriptors descriptors)
    {
        this.device = device;
        this.descriptors = descriptors;
        fd = descriptors.open();
    }

    void add(final ModelCompletionQueue queue)
    {
        events.add(queue);
        descriptors.raise(fd);
    }

    /** {@return the queue of the oldest event, or null} */
    ModelCompletionQueue take()
    {
        final ModelCompletionQueue queue = events.poll();
        if (events.isEmpty())
        {
            descriptors.lower(fd);
        }
        return queue;
    }

    /** What was not taken goes with its queue. */
    void remove(final ModelCompletionQueue queue)
    {
        queues--;
        events.removeIf((each) -> each == queue);
        if (events.isEmpty())
        {
            descriptors.lower(fd);
        }
    }

    void close()
    {
        descriptors.close(fd);
    }
}
