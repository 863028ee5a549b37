package io.millrace.spdk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Exported devices that are open on a reactor, and those that still close there: a device may be opened again
 * meanwhile. On the reactor's thread only; allocates nothing for a request to a device that is open.
 */
final class ExportChannels
{
    private static final int ALL = -1;

    private final IntFunction<SpdkExportSource> sources;
    /** By the numbers of their exports; null where no request has come yet. */
    private SpdkExportChannel[] open = {};
    /** Numbers of the exports whose channels close, one for each channel. */
    private final List<Integer> closing = new ArrayList<>();
    private final List<Waiter> waiters = new ArrayList<>();

    /** Who waits for channels to be closed. */
    private record Waiter(int number, Runnable listener)
    {
    }

    ExportChannels(final IntFunction<SpdkExportSource> sources)
    {
        this.sources = sources;
    }

    /**
     * {@return the channel of an export, opened if it is the first request}
     *
     * @param number      of the export, which has a bdev.
     * @param spdkReactor that requests come from.
     */
    SpdkExportChannel get(final int number, final SpdkReactor spdkReactor)
    {
        if (number < open.length && null != open[number])
        {
            return open[number];
        }
        open = Arrays.copyOf(open, Math.max(open.length, number + 1));
        open[number] = sources.apply(number).open(spdkReactor);
        return open[number];
    }

    /**
     * Closes an export's channel.
     *
     * @param number   of the export.
     * @param listener run when none of its channels is left, those included that were closing already; maybe before
     *                 this returns.
     */
    void close(final int number, final Runnable listener)
    {
        begin(number);
        waiters.add(new Waiter(number, listener));
        notifyWaiters();
    }

    /**
     * Closes all channels. Requests that come meanwhile open them again.
     *
     * @param listener run when none of those is left, and none that was closing already; maybe before this returns.
     */
    void closeAll(final Runnable listener)
    {
        for (int i = 0; i < open.length; i++)
        {
            begin(i);
        }
        waiters.add(new Waiter(ALL, listener));
        notifyWaiters();
    }

    private void begin(final int number)
    {
        if (number >= open.length || null == open[number])
        {
            return;
        }
        final SpdkExportChannel channel = open[number];
        open[number] = null;
        closing.add(number);
        channel.close(() ->
        {
            closing.remove((Integer)number);
            notifyWaiters();
        });
    }

    private void notifyWaiters()
    {
        for (int i = 0; i < waiters.size();)
        {
            final Waiter each = waiters.get(i);
            if (ALL == each.number() ? closing.isEmpty() : !closing.contains(each.number()))
            {
                waiters.remove(i);
                each.listener().run();
                // It may have changed the list.
                i = 0;
            }
            else
            {
                i++;
            }
        }
    }
}
