package io.millrace.block.raid;

import io.millrace.block.StripeLocks;
import io.millrace.block.raid.layout.ArrayLayout;
import java.util.List;

/**
 * What requests of a channel have to do with the window of a reshape, whose layout changes next: those that would begin
 * in it wait until it has passed, and the reshape waits until those that are under way in it have ended. The reactor's
 * only; nothing is allocated per request.
 */
final class WindowRequests
{
    /** Longest part of a request that begins at once, of each member. */
    private static final long PART_BYTES_MAX = StripeLocks.RANGE_BYTES_MAX + ArrayLayout.STRIP_BYTES_MAX;

    private final RaidChannel channel;
    private final RaidDevice device;
    /** All of the channel, in use or not. */
    private final List<StripeRequest> stripes;
    private final DirectRequests direct;
    private final ArrayRequestList requests = new ArrayRequestList();
    /** Of the window that is to be drained. */
    private StripMap draining;
    /** Null: nobody waits. */
    private Runnable onDrained;

    /**
     * No request waits.
     *
     * @param channel that they are of.
     * @param stripes all its stripe requests, to which others may be added.
     * @param direct  its direct requests.
     */
    WindowRequests(final RaidChannel channel, final List<StripeRequest> stripes, final DirectRequests direct)
    {
        this.channel = channel;
        device = channel.device();
        this.stripes = stripes;
        this.direct = direct;
    }

    /**
     * {@return whether a request has to wait before another part of it begins; not within a stripe, which is under way}
     *
     * @param request to go on with.
     */
    boolean blocks(final ArrayRequest request)
    {
        final ArrayView view = device.view();
        final StripMap map = view.map();
        return map.isReshaping() && null == view.failure() && !device.hasEnded() && 0 == request.nextRow() &&
            map.blocks(request.nextOffset(),
            Math.min(request.endOffset(), request.nextOffset() + map.layout().dataCount() * PART_BYTES_MAX));
    }

    /**
     * Adds a request that waits.
     *
     * @param request of a host, in no list.
     */
    void add(final ArrayRequest request)
    {
        requests.add(request);
    }

    /**
     * Answers when no request is under way any more in a window that views have by now.
     *
     * @param map  with the window.
     * @param done run once, also when the channel closes.
     */
    void drain(final StripMap map, final Runnable done)
    {
        draining = map;
        onDrained = done;
        poll();
    }

    /**
     * {@return whether no request waits}
     */
    boolean isEmpty()
    {
        return requests.isEmpty();
    }

    /**
     * {@return whether there is nothing to answer before a request has ended}
     */
    boolean canSleep()
    {
        return !isDraining() || !isDrained();
    }

    /**
     * {@return whether a window is being drained: the channel is polled though no request may be under way any more}
     */
    boolean isDraining()
    {
        return null != onDrained;
    }

    /**
     * Goes on with requests that need not wait any more.
     *
     * @return how many.
     */
    int poll()
    {
        int count = 0;
        if (isDraining() && isDrained())
        {
            close();
            count++;
        }
        if (!requests.isEmpty() && !blocks(requests.first()))
        {
            release();
            channel.issue();
            count++;
        }
        return count;
    }

    /** All go on; those that have to wait come back. */
    void release()
    {
        while (!requests.isEmpty())
        {
            final ArrayRequest request = requests.removeFirst();
            switch (request.request().operation())
            {
                case WRITE_ZEROES, DEALLOCATE -> channel.zeroes().add(request);
                default -> channel.enqueue(request);
            }
        }
    }

    private boolean isDrained()
    {
        if (0 != direct.count() || channel.hasGathered() || isPartlyIssued(channel.firstIssuing()) ||
            isPartlyIssued(channel.zeroes().first()))
        {
            return false;
        }
        for (final StripeRequest each : stripes)
        {
            if (draining.isInWindow(each))
            {
                return false;
            }
        }
        return true;
    }

    /** Whether the next part of a request is the rest of a stripe. */
    private static boolean isPartlyIssued(final ArrayRequest from)
    {
        for (ArrayRequest each = from; null != each; each = each.next)
        {
            if (0 != each.nextRow())
            {
                return true;
            }
        }
        return false;
    }

    /** The channel has closed: no request is under way. */
    void close()
    {
        final Runnable done = onDrained;
        onDrained = null;
        draining = null;
        if (null != done)
        {
            done.run();
        }
    }
}
