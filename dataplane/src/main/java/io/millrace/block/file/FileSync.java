package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.reactor.Reactor;

/**
 * Syncs of one channel's file. With direct I/O each is an entry in the rings. Of a buffered file one runs at a time,
 * for all slots that waited when it began: Linux reports data that it failed to write back to one sync of a
 * descriptor, and others beside it succeed. It does not write that data again either, so no sync of the device
 * succeeds after such an error. Single-threaded.
 */
final class FileSync
{
    /** Learns how syncs end. */
    @FunctionalInterface
    interface Listener
    {
        /**
         * A slot's sync has ended; the slot may begin another one.
         *
         * @param slot   of the request.
         * @param result negated errno, else 0 or more.
         */
        void onSynced(int slot, int result);
    }

    private final FileDevice device;
    private final Reactor reactor;
    private final EntryWriter entries;
    private final boolean isDirect;
    private final Listener listener;
    private int[] waiting;
    private int waitingCount;
    /** The first one has the entry. */
    private int[] running;
    private int runningCount;

    /**
     * Of a channel.
     *
     * @param device    whose file it is.
     * @param reactor   of the channel.
     * @param entries   of the channel.
     * @param slotCount of the channel.
     * @param listener  of the channel.
     */
    FileSync(
        final FileDevice device,
        final Reactor reactor,
        final EntryWriter entries,
        final int slotCount,
        final Listener listener)
    {
        this.device = device;
        this.reactor = reactor;
        this.entries = entries;
        this.listener = listener;
        isDirect = device.isDirect();
        waiting = new int[slotCount];
        running = new int[slotCount];
    }

    /**
     * Begins a sync for a slot.
     *
     * @param slot that has none.
     */
    void begin(final int slot)
    {
        if (isDirect)
        {
            entries.sync(slot);
            return;
        }
        waiting[waitingCount++] = slot;
        if (0 == runningCount)
        {
            beginNext();
        }
    }

    /**
     * Sends the entry of a slot again, which the kernel has not carried out.
     *
     * @param slot whose entry has completed.
     */
    void repeat(final int slot)
    {
        entries.sync(slot);
    }

    /**
     * {@return whether a slot that waits for a sync has the entry of it}
     *
     * @param slot that has begun one.
     */
    boolean hasEntry(final int slot)
    {
        return isDirect || runningCount > 0 && slot == running[0];
    }

    /**
     * The entry of a slot has completed.
     *
     * @param slot   of the entry.
     * @param result negated errno, else 0.
     */
    void onCompletion(final int slot, final int result)
    {
        if (isDirect)
        {
            listener.onSynced(slot, result);
            return;
        }
        if (result < 0 && -Errno.ECANCELED != result)
        {
            device.onLostWrites(-result, reactor);
        }
        end(result < 0 ? result : -device.lostWritesErrno());
        if (waitingCount > 0)
        {
            beginNext();
        }
    }

    private void beginNext()
    {
        do
        {
            final int[] free = running;
            running = waiting;
            runningCount = waitingCount;
            waiting = free;
            waitingCount = 0;
            if (0 == device.lostWritesErrno())
            {
                entries.sync(running[0]);
                return;
            }
            end(-device.lostWritesErrno());
        }
        while (waitingCount > 0);
    }

    private void end(final int result)
    {
        // What begins meanwhile waits for the next one.
        for (int i = 0; i < runningCount; i++)
        {
            listener.onSynced(running[i], result);
        }
        runningCount = 0;
    }
}
