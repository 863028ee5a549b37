package io.millrace.simulation;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.EpollEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code epoll(7)}: level-triggered, or edge-triggered where asked for.
 */
final class EpollSet extends Descriptor
{
    private static final int ERROR = Epoll.EPOLLERR | Epoll.EPOLLHUP;

    /** A descriptor in a set. */
    static final class Watch
    {
        private final EpollSet set;
        private final Descriptor descriptor;
        private int events;
        private long data;
        private boolean isNew = true;

        private Watch(final EpollSet set, final Descriptor descriptor)
        {
            this.set = set;
            this.descriptor = descriptor;
        }

        void renew()
        {
            isNew = true;
            set.isChanged = true;
        }

        void leave()
        {
            set.watched.remove(this);
        }

        private int reported()
        {
            return 0 != (events & Epoll.EPOLLET) && !isNew ? 0 : descriptor.ready() & (events | ERROR);
        }
    }

    private final List<Watch> watched = new ArrayList<>();
    /** Cleared by a look that found nothing ready. */
    private boolean isChanged = true;

    @Override
    int ready()
    {
        return 0;
    }

    boolean isReady()
    {
        if (isChanged)
        {
            isChanged = false;
            for (int i = 0; i < watched.size() && !isChanged; i++)
            {
                isChanged = 0 != watched.get(i).reported();
            }
        }
        return isChanged;
    }

    int control(final int operation, final Descriptor descriptor, final long eventAddress)
    {
        isChanged = true;
        Watch watch = null;
        for (final Watch each : descriptor.watches())
        {
            watch = each.set == this ? each : watch;
        }
        if (Epoll.EPOLL_CTL_ADD == operation)
        {
            if (null != watch)
            {
                return -Errno.EEXIST;
            }
            watch = new Watch(this, descriptor);
            watched.add(watch);
            descriptor.watches().add(watch);
        }
        else if (null == watch)
        {
            return -Errno.ENOENT;
        }
        if (Epoll.EPOLL_CTL_DEL == operation)
        {
            watched.remove(watch);
            descriptor.watches().remove(watch);
            return 0;
        }
        watch.events = EpollEvent.events(eventAddress);
        watch.data = EpollEvent.data(eventAddress);
        watch.isNew = true;
        return 0;
    }

    int report(final long eventsAddress, final int eventsMax)
    {
        if (!isReady())
        {
            return 0;
        }
        int count = 0;
        for (int i = 0; i < watched.size() && count < eventsMax; i++)
        {
            final Watch watch = watched.get(i);
            final int ready = watch.reported();
            if (0 != ready)
            {
                watch.isNew = false;
                EpollEvent.set(eventsAddress + (long)count * EpollEvent.SIZE_BYTES, ready, watch.data);
                count++;
            }
        }
        return count;
    }
}
