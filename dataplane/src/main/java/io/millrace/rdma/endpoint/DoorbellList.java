package io.millrace.rdma.endpoint;

/**
 * The queues whose collected requests leave at the end of a poll of their completion queue, in the order of their first
 * one. Reactor's thread; nothing is allocated but for a new queue.
 */
final class DoorbellList
{
    private Entry first;
    private Entry last;

    /** The place of one queue in the list, where it is once at most. */
    final class Entry
    {
        private final Runnable ring;
        private boolean isListed;
        private Entry next;

        private Entry(final Runnable ring)
        {
            this.ring = ring;
        }

        /** Has the queue's requests leave at the end of this poll, or of the next one. */
        void ringWhenPolled()
        {
            if (isListed)
            {
                return;
            }
            isListed = true;
            if (null == first)
            {
                first = this;
            }
            else
            {
                last.next = this;
            }
            last = this;
        }

        /** It may collect again, and come to the end of the list, while its requests leave. */
        private void leave()
        {
            first = next;
            next = null;
            isListed = false;
            ring.run();
        }
    }

    /**
     * {@return the place of a queue, which is not in the list yet}
     *
     * @param ring posts what the queue has collected, or does nothing when it is closed.
     */
    Entry entry(final Runnable ring)
    {
        return new Entry(ring);
    }

    boolean isEmpty()
    {
        return null == first;
    }

    /** {@return how many queues had collected requests} */
    int ring()
    {
        int count = 0;
        // A request that fails may have handlers post others, and close the queue.
        for (Entry entry = first; null != entry; entry = first)
        {
            entry.leave();
            count++;
        }
        return count;
    }
}
