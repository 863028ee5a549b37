package io.millrace.block;

/**
 * Requests that a channel refused ({@link BlockChannel#submit} answered false), on behalf of whoever submits to it: the
 * NVMe-oF target, or a device that is made of others. Used on the channel's reactor alone; links requests through
 * themselves, so it allocates nothing, and what bounds it is the number of requests that its owner has.
 * <p>
 * What a refusal means follows from the device. One with a queue is full: all wait in order, a refused request keeps
 * its place, and nothing overtakes it. One that completes inline ({@link BlockGeometry#completesInline()}) refuses a
 * request that meets another one's blocks: each waits for itself, and those that change data are tried first in each
 * poll, however many reads wait for them.
 * <p>
 * The owner polls the queue in each cycle while it is not empty, and does not sleep then, or for some milliseconds at
 * most: a channel does not say when it would take a request.
 */
public final class ChannelQueue
{
    private static final int ATTEMPTS_PER_POLL = 64;

    /**
     * Hands a request to the channel.
     */
    @FunctionalInterface
    public interface Submitter
    {
        /**
         * Called with a request that is in the queue no more. May add others to the queue and remove them.
         *
         * @param request to submit.
         * @return false when the channel refused it: it is queued again. Otherwise it is the channel's, or has ended,
         *     or has been queued again already.
         */
        boolean submit(BlockRequest request);
    }

    private final RequestList requests = new RequestList();
    /** Requests that change data, where requests are refused one by one; all others are in {@link #requests}. */
    private final RequestList writers = new RequestList();
    private final Submitter submitter;
    private final boolean refusesSingly;
    private boolean isPolling;

    /**
     * Creates an empty queue.
     *
     * @param geometry  of the device.
     * @param submitter to its channel.
     */
    public ChannelQueue(final BlockGeometry geometry, final Submitter submitter)
    {
        this.submitter = submitter;
        refusesSingly = geometry.completesInline();
    }

    /**
     * Submits a request behind those that wait. It is queued when the channel refuses it, and when this is called by a
     * completion within a submission, which keeps the stack flat.
     *
     * @param request in no list.
     */
    public void submit(final BlockRequest request)
    {
        add(request);
        poll();
    }

    /**
     * {@return whether a request that is not in the queue must not be submitted now, as it would overtake others}
     */
    public boolean isBlocking()
    {
        return !refusesSingly && 0 != requests.size();
    }

    /**
     * Queues a request that was refused.
     *
     * @param request in no list; its operation does not change while it waits.
     */
    public void add(final BlockRequest request)
    {
        listOf(request).add(request);
    }

    /**
     * Queues a request that has waited before, in front of all others.
     *
     * @param request in no list; its operation does not change while it waits.
     */
    public void addFirst(final BlockRequest request)
    {
        listOf(request).addFirst(request);
    }

    /**
     * Removes a request that is aborted.
     *
     * @param request that waits in this queue.
     */
    public void remove(final BlockRequest request)
    {
        listOf(request).remove(request);
    }

    /**
     * Removes the first request, for a channel that closes.
     *
     * @return the request, or null when none waits.
     */
    public BlockRequest removeFirst()
    {
        if (0 != writers.size())
        {
            return writers.removeFirst();
        }
        return 0 == requests.size() ? null : requests.removeFirst();
    }

    /**
     * {@return how many requests wait; the owner polls while it is above 0}
     */
    public int size()
    {
        return requests.size() + writers.size();
    }

    /**
     * Submits requests again, at most 64 of each kind.
     *
     * @return how many the channel took.
     */
    public int poll()
    {
        if (isPolling || 0 == size())
        {
            return 0;
        }
        isPolling = true;
        final int taken = retry(writers) + retry(requests);
        isPolling = false;
        return taken;
    }

    private int retry(final RequestList list)
    {
        int taken = 0;
        int refused = 0;
        // Those that were refused are behind those that were not tried.
        for (int left = ATTEMPTS_PER_POLL; left > 0 && refused < list.size(); left--)
        {
            final BlockRequest request = list.removeFirst();
            if (submitter.submit(request))
            {
                taken++;
            }
            else if (refusesSingly)
            {
                list.add(request);
                refused++;
            }
            else
            {
                list.addFirst(request);
                break;
            }
        }
        return taken;
    }

    private RequestList listOf(final BlockRequest request)
    {
        return refusesSingly && request.operation().changesData() ? writers : requests;
    }
}
