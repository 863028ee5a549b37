package io.millrace.rdma.model;

import io.millrace.bindings.Errno;
import io.millrace.bindings.verbs.Verbs;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * Receive requests of several queue pairs. Under the monitor of its network.
 */
final class ModelSharedReceiveQueue
{
    final ModelDevice device;
    final long pd;
    final ArrayDeque<ModelRequest> receives = new ArrayDeque<>();
    final Set<ModelQueuePair> pairs = new HashSet<>();
    private final int requests;
    private final int segments;
    private int limit;
    private int places;

    ModelSharedReceiveQueue(final ModelDevice device, final long pd, final int requests, final int segments)
    {
        this.device = device;
        this.pd = pd;
        this.requests = requests;
        this.segments = segments;
    }

    int post(final long request)
    {
        if (ModelRequest.segments(request, false) > segments)
        {
            return -Errno.EINVAL;
        }
        if (places == requests)
        {
            return -Errno.ENOMEM;
        }
        places++;
        receives.add(ModelRequest.receive(request));
        return 0;
    }

    int limit(final int requestsLeft)
    {
        if (requestsLeft > requests)
        {
            return -Errno.EINVAL;
        }
        limit = requestsLeft;
        return 0;
    }

    /** A queue pair took a request: the limit is disarmed by its event. */
    void onTaken()
    {
        if (receives.size() < limit)
        {
            limit = 0;
            device.event(Verbs.IBV_EVENT_SRQ_LIMIT_REACHED, device.core().handle(this));
        }
    }

    /** A completion was polled, or dropped with its queue pair. */
    void onCompleted()
    {
        places--;
    }
}
