package io.millrace.block.raid;

import io.millrace.block.raid.format.JournalPlaces;
import io.millrace.block.raid.format.JournalState;

/**
 * Decides when journaling begins and ends, for {@link ArrayWork}. While superblocks with another epoch are written, the
 * {@link WriteGates} are closed: before the first of its writes, everything that was written without being logged, or
 * logged for members that then were fewer, is stable, and no entry of the epoch before is needed.
 */
final class JournalEpochs
{
    private final RaidDevice device;
    /** Whether parity matches in all regions when entries of the epoch are replayed. */
    private boolean isMatched;
    /** Whether the superblocks of the present change begin an epoch. */
    private boolean isBeginning;

    /**
     * The epoch with which the array was assembled.
     *
     * @param device    of the journal.
     * @param isMatched whether parity matched in all regions then.
     */
    JournalEpochs(final RaidDevice device, final boolean isMatched)
    {
        this.device = device;
        this.isMatched = isMatched;
    }

    /**
     * {@return whether an epoch has to begin though no member changes}
     */
    boolean isOutdated()
    {
        final ArrayView view = device.view();
        return null != device.journal() && view.isJournaling() && (device.journal().isPinned() || isMatchedNow(view));
    }

    private boolean isMatchedNow(final ArrayView view)
    {
        return !isMatched && view.isComplete() && device.intent().nextResync(0) < 0;
    }

    /**
     * A change of the view begins. Where it needs another epoch, no write begins from here on to {@link #resume}.
     *
     * @param changed view that is to be published.
     */
    void prepare(final ArrayView changed)
    {
        final ArrayView present = device.view();
        // The place of the journal is used, or not any more: nothing of it counts. And rows that a reshape writes next
        // had the old layout when entries of them were made, as all have when the array has another count of slots.
        final boolean hasOtherSlots = present.slotCount() != changed.slotCount();
        final boolean isMoved = hasOtherSlots || !present.map().state().equals(changed.map().state());
        if (null != device.journal() && isMoved && (changed.map().isExclusive() || hasOtherSlots) ||
            isWanted(changed) && (!present.isJournaling() || isMoved || isJoined(present, changed) || isOutdated() ||
            present.journalDevice() != changed.journalDevice()))
        {
            isBeginning = true;
            device.gates().close();
        }
    }

    private boolean isWanted(final ArrayView changed)
    {
        return null != device.journal() && (JournalMode.ALWAYS == device.journalMode() || !changed.isComplete());
    }

    /**
     * Whether a slot has another member, or is in sync that was not. Entries may have what the slot's last member was
     * written, and lack what was written since without it: the next one must not get that. One that is in sync from now
     * on has no entries, which others may lose.
     */
    private boolean isJoined(final ArrayView present, final ArrayView changed)
    {
        for (int slot = 0; slot < changed.slotCount(); slot++)
        {
            if (changed.isWritable(slot) && (slot >= present.slotCount() ||
                changed.state(slot) != present.state(slot) || present.member(slot) != changed.member(slot)))
            {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return whether superblocks begin an epoch, so that what was written before has to be stable}
     */
    boolean isBeginning()
    {
        return isBeginning;
    }

    /**
     * {@return whether superblocks can be written: no write is under way that would have to be over}
     */
    boolean isReady()
    {
        return !isBeginning || device.gates().isQuiet();
    }

    /**
     * {@return the view with the epoch that its superblocks are going to have}
     *
     * @param changed view that is to be published.
     */
    ArrayView apply(final ArrayView changed)
    {
        if (isBeginning)
        {
            device.journal().restart(places(changed));
        }
        if (!isWanted(changed))
        {
            isMatched = false;
            return changed.journaling(0);
        }
        if (!isBeginning)
        {
            return changed;
        }
        isMatched = device.intent().nextResync(0) < 0;
        return changed.journaling(changed.eventCount());
    }

    /**
     * {@return what superblocks of a view say of the journal}
     *
     * @param view that {@link #apply} has returned.
     */
    JournalState state(final ArrayView view)
    {
        return view.isJournaling() ? state(view, isMatched, device.journal().places()) : JournalState.NONE;
    }

    /**
     * {@return what superblocks say of the journal}
     *
     * @param view      that journals.
     * @param isMatched whether parity matches in all regions when its entries are replayed.
     * @param places    of the entries.
     */
    static JournalState state(final ArrayView view, final boolean isMatched, final JournalPlaces places)
    {
        final RaidMember on = view.journalDevice();
        return null == on ? new JournalState(view.journalEpoch(), isMatched) :
            new JournalState(view.journalEpoch(), isMatched, on.id(), places.placeCount());
    }

    /**
     * {@return places of entries of an epoch that begins}
     *
     * @param view of the epoch.
     */
    static JournalPlaces places(final ArrayView view)
    {
        final JournalPlaces ofMembers = JournalPlaces.of(view.slotCount(), view.layout().stripBytes());
        return null == view.journalDevice() ? ofMembers :
            ofMembers.onDevice(view.journalDevice().device().geometry().sizeBytes());
    }

    /**
     * The view was published, or the array has failed or ended: writes begin again, and find that.
     * Unless members have something else in place of the journal, which writes might need.
     */
    void resume()
    {
        isBeginning = false;
        final ArrayView view = device.view();
        if (device.gates().isClosed() &&
            (!view.map().isExclusive() || null != view.failure() || device.hasEnded()))
        {
            device.gates().open();
            device.channels().onProgress();
        }
    }
}
