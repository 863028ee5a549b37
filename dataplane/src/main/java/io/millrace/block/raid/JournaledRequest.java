package io.millrace.block.raid;

import io.millrace.block.BlockStatus;

/**
 * A stripe request that may write for a host where others write metadata of the array: it passes the {@link WriteGate},
 * and while the array journals it stores an entry of what it is going to write before it writes that in place. What it
 * writes is the subclass's. The reactor's only; nothing is allocated.
 */
abstract class JournaledRequest extends StripeRequest
{
    /** Null of an array without parity. */
    private final JournalWrite entry;
    private long entryAddress;

    /**
     * Creates a slot.
     *
     * @param channel that it is of.
     */
    JournaledRequest(final RaidChannel channel)
    {
        super(channel);
        entry = channel.layout().parityCount() > 0 ? new JournalWrite(this, channel) : null;
    }

    /**
     * {@return whether it writes, and logs that before}
     */
    protected final boolean isLogged()
    {
        return Purpose.WRITE == purpose && view.isJournaling();
    }

    /**
     * Takes a buffer with room for areas and, when it is logged, for its entry behind them.
     *
     * @param areasBytes of the areas.
     * @param stripBytes most bytes that the entry has of a strip.
     * @return its address; 0: none is free now.
     */
    protected final long acquireBuffer(final int areasBytes, final int stripBytes)
    {
        final long buffer = acquireBuffer(areasBytes + (isLogged() ? entry.bytesMax(view.slotCount(), stripBytes) : 0));
        entryAddress = buffer + areasBytes;
        return buffer;
    }

    /**
     * Begins its entry and adds each strip that it is going to write.
     *
     * @param into    the entry.
     * @param address of the buffer's part that has room for it.
     */
    protected abstract void fillEntry(JournalWrite into, long address);

    /** Writes members. What it logged is written with FUA. */
    protected abstract void writeInPlace();

    /** All that it logged is stable in place, on the members that are left. */
    protected final void completeEntry()
    {
        if (null != entry)
        {
            entry.complete();
        }
    }

    @Override
    protected final boolean admit()
    {
        final ArrayView present = channel.device().view();
        if (isAborted() || null != present.failure())
        {
            finish(isAborted() ? BlockStatus.ABORTED : BlockStatus.DEVICE_ERROR);
            return true;
        }
        if (!entry.enter())
        {
            return false;
        }
        // The gate may have been closed since the plan.
        if (channel.device().view().journalEpoch() != view.journalEpoch())
        {
            entry.leave();
            planAgain();
            return true;
        }
        if (!view.isJournaling())
        {
            writeInPlace();
            return true;
        }
        if (!entry.take(view))
        {
            entry.leave();
            return false;
        }
        fillEntry(entry, entryAddress);
        entry.seal();
        log();
        return true;
    }

    private void log()
    {
        issuing(StripeState.JOURNALING);
        entry.submit(view);
        issued();
    }

    @Override
    protected final void onJournaled()
    {
        if (entry.isWritten())
        {
            writeInPlace();
        }
        else
        {
            log();
        }
    }

    @Override
    protected final boolean mustEnd(final boolean isWritten)
    {
        // What is not logged was planned while all members were in sync: a resync repairs it.
        return null != entry && Purpose.WRITE == purpose &&
            (entry.isLive() || isWritten && !channel.isOverdue());
    }

    @Override
    protected void onReporting()
    {
        if (null != entry)
        {
            entry.leave();
        }
    }

    @Override
    protected final boolean isExpired()
    {
        return null == entry || entry.expire();
    }

    @Override
    protected final void onEnding(final BlockStatus result)
    {
        if (BlockStatus.SUCCESS == result)
        {
            completeEntry();
        }
        else if (null != entry)
        {
            entry.abandon();
        }
    }
}
