package io.millrace.block.raid;

import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceProgress;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.reactor.Reactor;

/**
 * Rebuilds the member of a slot, copies one that is to be replaced, and resynchronizes the regions that a crash left
 * dirty: some stripe requests at a time, each begun when another has ended and the rate allows it. What is copied
 * counts up to the first that has not ended well. The reactor's only.
 */
final class RegionCopies
{
    /** Requests of hosts wait at the members behind all that copies have there. */
    private static final int COPIES_BESIDE_HOSTS = 1;
    private static final long NS_PER_S = 1_000_000_000L;

    private final RaidDevice device;
    private final RaidChannel channel;
    private final int stripBytes;
    private final int stripShift;
    private final Reactor reactor;
    private final boolean hasParity;
    private final int blockShift;
    private final int blockBytes;
    private final CopyRate rate;
    private final CopyLength besideHosts = new CopyLength();
    private final LostBlockStore lists;
    private final LostBlockChanges lost;
    private final CopyWindow window = new CopyWindow(this::onCopyEnded);
    /** Null of an array without checksums. */
    private final ChecksumWindow checksums;
    private Purpose purpose;
    private boolean isBeginning;
    /** What is copied now: offsets of a member's data. */
    private long nextOffset;
    private long endOffset;
    /** Everything before it is copied, of a rebuild or a replacement. */
    private long copiedOffset;
    private long shownPerMille;
    /** Of a resync without parity: the slot whose strips are next at the offset. */
    private int nextSlot;
    private int slot;
    /** In the slot; null: none is rebuilt. */
    private RaidMember target;
    /** Whether only regions that the bitmap has set are copied: the member has the others. */
    private boolean isByBitmap;
    /** Whose return was announced last. */
    private RaidMember announced;
    private int region;
    /** When the resync of the region began. */
    private int tornCount;
    /** When the next copy may begin. */
    private long resumeNs;
    /** When the last copy began, and what it takes at the least rate. */
    private long beganNs;
    private long longestNs;
    /** When the reactor wakes for that. */
    private long timerNs;
    /** Regions before it are left out of resyncs until the next retry: a block of the last cannot be read. */
    private int resyncFrom;
    /** Whether a block that the rebuild needs cannot be read. */
    private boolean isRebuildStalled;
    /** Whether a block of a member that is to be replaced cannot be read, and not be computed. */
    private boolean isCopyStalled;
    private long retryNs;
    /** Up to here blocks are copied one by one, since some cannot be computed, and those are noted as lost; 0: none. */
    private long singleEnd;
    /** Whether the target's list of lost blocks is awaited before what was copied counts. */
    private boolean isListAwaited;

    /**
     * Copies nothing yet.
     *
     * @param device  of the regions.
     * @param channel to the members.
     * @param reactor that it is used on.
     * @param lists   of lost blocks.
     */
    RegionCopies(
        final RaidDevice device, final RaidChannel channel, final Reactor reactor, final LostBlockStore lists)
    {
        this.lists = lists;
        this.device = device;
        lost = device.lostBlockChanges();
        this.channel = channel;
        this.reactor = reactor;
        final ArrayLayout layout = device.layout();
        stripBytes = layout.stripBytes();
        stripShift = layout.stripShift();
        hasParity = layout.parityCount() > 0;
        blockShift = device.geometry().blockShift();
        blockBytes = device.geometry().blockSizeBytes();
        rate = new CopyRate(layout.memberCount());
        checksums = null == device.pages().checksums() ? null : new ChecksumWindow(device, channel, 1);
        if (null != checksums)
        {
            device.pages().checksums().copyWindow(checksums);
        }
        resumeNs = reactor.nowNs();
        timerNs = resumeNs;
        retryNs = resumeNs;
    }

    /**
     * {@return whether stripe requests are under way}
     */
    boolean isBusy()
    {
        return window.isBusy();
    }

    /**
     * {@return whether there is nothing to begin before a timer or a completion}
     */
    boolean canSleep()
    {
        if (isListAwaited || !canBegin() || reactor.clockNs() - resumeNs < 0)
        {
            return true;
        }
        final ArrayView view = device.view();
        final Purpose chosen = choose(view);
        return null == chosen || !window.isEmpty() && (!isSelected(chosen, view) || nextOffset == limit());
    }

    /**
     * {@return whether a rebuild or a resync goes on; not one that waits for its next try}
     */
    boolean isPending()
    {
        return isBusy() || null != choose(device.view());
    }

    /**
     * Begins copies in place of those that have ended.
     *
     * @return stripe requests that were begun.
     */
    int poll()
    {
        if (isListAwaited)
        {
            if (!takeList())
            {
                return 0;
            }
            endFailed();
        }
        if (!canBegin() || reactor.nowNs() - resumeNs < 0)
        {
            return 0;
        }
        if (reactor.nowNs() - retryNs >= 0)
        {
            resyncFrom = 0;
            isRebuildStalled = false;
            isCopyStalled = false;
        }
        final ArrayView view = device.view();
        final Purpose chosen = choose(view);
        if (null == chosen)
        {
            if (window.isEmpty())
            {
                endProgress();
            }
            return 0;
        }
        if (!isSelected(chosen, view))
        {
            if (!window.isEmpty())
            {
                // What was begun for another purpose or member ends first.
                return 0;
            }
            select(chosen, view);
        }
        return begin();
    }

    /** Whether another copy may be under way; those beside one that has failed end first. */
    private boolean canBegin()
    {
        return !window.hasFailed() &&
            window.hasRoom(rate.isBesideHosts() ? COPIES_BESIDE_HOSTS : CopyWindow.COPIES_MAX);
    }

    private boolean isSelected(final Purpose chosen, final ArrayView view)
    {
        return purpose == chosen && target == targetOf(chosen, view) && !(nextOffset == endOffset && window.isEmpty());
    }

    private Purpose choose(final ArrayView view)
    {
        if (null == device.intent())
        {
            return null;
        }
        final int rebuilding = view.firstOf(SlotState.REBUILDING);
        final boolean isRebuilding =
            rebuilding >= 0 && !isRebuildStalled && view.member(rebuilding).rebuiltBytes() < memberBytes();
        final boolean isResyncing = isResyncing(view);
        if (isResyncing || isRebuilding)
        {
            return isResyncing ? Purpose.RESYNC : Purpose.REBUILD;
        }
        final boolean isCopying =
            null != view.target() && !isCopyStalled && view.target().rebuiltBytes() < memberBytes();
        return isCopying ? Purpose.COPY : null;
    }

    private long memberBytes()
    {
        return device.layout().memberBytes();
    }

    /**
     * {@return whether a resync goes on, or is next; not one that waits for its next try}
     *
     * @param view of the array.
     */
    boolean isResyncing(final ArrayView view)
    {
        // Parity can be computed again only from all data.
        return null != device.intent() && (!hasParity || view.hasAllData()) &&
            device.intent().nextResync(resyncFrom) >= 0;
    }

    /** Null when none is written. */
    private static RaidMember targetOf(final Purpose of, final ArrayView view)
    {
        final int slot = slotOf(of, view);
        return slot < 0 ? null : Purpose.COPY == of ? view.target() : view.member(slot);
    }

    private static int slotOf(final Purpose of, final ArrayView view)
    {
        return Purpose.COPY == of ? view.targetSlot() : view.firstOf(SlotState.REBUILDING);
    }

    private void select(final Purpose chosen, final ArrayView view)
    {
        announceLost();
        purpose = chosen;
        slot = slotOf(chosen, view);
        target = targetOf(chosen, view);
        nextSlot = 0;
        singleEnd = 0;
        isByBitmap = Purpose.REBUILD == chosen && 0 != view.lostEvent(slot);
        if (Purpose.RESYNC == chosen)
        {
            region = device.intent().nextResync(resyncFrom);
            tornCount = device.intent().tornCount();
            nextOffset = region * device.intent().regionBytes();
            endOffset = Math.min(nextOffset + device.intent().regionBytes(), memberBytes());
            progress("resync", region * 1000L / device.intent().regionCount());
        }
        else
        {
            nextOffset = target.rebuiltBytes();
            copiedOffset = nextOffset;
            shownPerMille = -1;
            endOffset = memberBytes();
            // From the beginning on, however long the first copies take.
            progress(name(), nextOffset * 1000 / endOffset);
            announce();
        }
    }

    private void announce()
    {
        if (isByBitmap && target != announced)
        {
            announced = target;
            final WriteIntent intent = device.intent();
            int count = 0;
            for (int each = intent.region(nextOffset); each < intent.regionCount(); each++)
            {
                count += intent.isMarked(each) ? 1 : 0;
            }
            device.reports().announce("slot " + slot + " (" + target + ") is back: " + count + " of " +
                intent.regionCount() + " regions are copied");
        }
    }

    private int begin()
    {
        isBeginning = true;
        int begun = 0;
        // Copies may end while they are begun.
        while (begun < CopyWindow.COPIES_MAX && nextOffset < limit() && canBegin() && canVerify() &&
            reactor.nowNs() - resumeNs >= 0 && channel.hasFreeStripe())
        {
            // A rebuild may go on where one with a shorter buffer stopped.
            final long leftOfStrip = stripBytes - (nextOffset & stripBytes - 1);
            final int bytesMax = bytesMax();
            final int length = (int)Math.min(Math.min(bytesMax, Math.min(leftOfStrip, leftOfWindow())),
                Math.min(endOffset, device.view().map().rowsEnd(nextOffset)) - nextOffset);
            if (isByBitmap && !isMarked())
            {
                skipRegion();
                continue;
            }
            final long offset = hasParity ? rowsOffset() : arrayOffset();
            if (offset >= 0)
            {
                // Before it begins: it may end at once.
                beganNs = reactor.nowNs();
                longestNs = (long)((double)length * NS_PER_S / device.copyRates().minBytesPerS());
                channel.beginWork(purpose, target, offset, length, window.add(nextOffset, nextSlot));
                begun++;
            }
            advance(length);
        }
        isBeginning = false;
        onEnded();
        return begun;
    }

    /** Copies in several slots at an offset, of a resync without parity, have one length. */
    private int bytesMax()
    {
        final int most = channel.sizes().workBytesMax();
        final boolean isShort = rate.isBesideHosts() && (hasParity || Purpose.RESYNC != purpose);
        return 0 != singleEnd ? blockBytes : isShort ? Math.min(most, besideHosts.bytes()) : most;
    }

    /** Whether what is read next can be verified; other copies that are under way need what the window has. */
    private boolean canVerify()
    {
        return null == checksums || Purpose.RESYNC == purpose || checksums.has(nextOffset) ||
            window.isEmpty() && checksums.move(nextOffset);
    }

    private long leftOfWindow()
    {
        return null == checksums ? stripBytes : checksums.end(nextOffset) - nextOffset;
    }

    /** Where the present copying ends: whole strips go on when it is known which blocks are lost. */
    private long limit()
    {
        return 0 != singleEnd ? singleEnd : endOffset;
    }

    /** When the next copy may begin. Without hosts as many as may be under way can begin at once. */
    private void pace(final int length)
    {
        final long nowNs = reactor.nowNs();
        final long ns = rate.batchNs(length, device.copyRates(), device.hostBytes(), nowNs);
        final long earliestNs = nowNs - (rate.isBesideHosts() ? 0 : CopyWindow.COPIES_MAX * ns);
        resumeNs = (resumeNs - earliestNs < 0 ? earliestNs : resumeNs) + ns;
        if (resumeNs - nowNs > 0 && timerNs != resumeNs)
        {
            timerNs = resumeNs;
            reactor.schedule(resumeNs, (now) ->
            {
            });
        }
    }

    /**
     * Whether the bitmap has the rows at the present place set. A write is noted in the region of the first copy, which
     * may be the one before. Once more for each copy: writes that began before the member was there have set theirs.
     */
    private boolean isMarked()
    {
        final WriteIntent intent = device.intent();
        if (intent.isMarked(intent.region(nextOffset)))
        {
            return true;
        }
        final ArrayLayout layout = device.layout();
        final long strip = hasParity ? -1 : layout.strip(slot, nextOffset >>> stripShift);
        return strip >= 0 && intent.isMarked(intent.region(layout.memberStrip(strip, 0) << stripShift));
    }

    /** All strips behind the first of a region have their first copy in it, too. */
    private void skipRegion()
    {
        final long regionBytes = device.intent().regionBytes();
        nextOffset = Math.min((nextOffset & -regionBytes) + regionBytes, endOffset);
    }

    /** The present place; -1: a reshape has left its rows free, or the slot has no part in those of the old layout. */
    private long rowsOffset()
    {
        final ArrayLayout layout = device.view().map().layoutAt(nextOffset);
        return null == layout || slot >= layout.memberCount() ? -1 : nextOffset;
    }

    /** Offset on the array of the strip at the present place; -1: nothing is copied from there. */
    private long arrayOffset()
    {
        final ArrayLayout layout = device.layout();
        final long memberStrip = nextOffset >>> stripShift;
        final int at = Purpose.RESYNC == purpose ? nextSlot : slot;
        final long strip = layout.strip(at, memberStrip);
        if (strip < 0)
        {
            return -1;
        }
        // Of copies in several slots.
        if (Purpose.RESYNC == purpose && layout.slot(strip, 0) != at)
        {
            return -1;
        }
        return (strip << stripShift) + (nextOffset & stripBytes - 1);
    }

    private void advance(final int length)
    {
        if (hasParity || Purpose.RESYNC != purpose || device.layout().memberCount() - 1 == nextSlot)
        {
            nextOffset += length;
            nextSlot = 0;
            pace(length);
        }
        else
        {
            nextSlot++;
        }
    }

    private void onCopyEnded()
    {
        if (rate.isBesideHosts())
        {
            besideHosts.onEnded(reactor.nowNs() - beganNs, longestNs);
        }
        onEnded();
    }

    /** A copy has ended, or all were begun that can be. */
    private void onEnded()
    {
        if (isBeginning)
        {
            return;
        }
        window.removeCopied();
        onCopied();
        endFailed();
    }

    /** When all before the first that has failed counts, and none is under way any more. */
    private void endFailed()
    {
        if (!window.hasFailed() || window.isBusy() || isListAwaited)
        {
            return;
        }
        if (BlockStatus.MEDIA_ERROR == window.worst())
        {
            if (0 == singleEnd)
            {
                copySingly();
                return;
            }
            announceLost();
            device.reports().trouble(name() + " stopped: a block near byte " + window.firstOffset() +
                " of the members' data cannot be read" + (Purpose.RESYNC == purpose ? "" :
                ", and the list of lost blocks of " + target + " is full") + "; retried every " +
                device.times().retryNs() / NS_PER_S + " s: overwrite it from a host, or copy the data off");
            retryNs = reactor.nowNs() + device.times().retryNs();
            isRebuildStalled |= Purpose.REBUILD == purpose;
            isCopyStalled |= Purpose.COPY == purpose;
            resyncFrom = Purpose.RESYNC == purpose ? region + 1 : resyncFrom;
            purpose = null;
        }
        repeat();
    }

    /** The same once more, a block at a time: those that cannot be computed are lost, unless there is no room. */
    private void copySingly()
    {
        // Of a resync, other slots may follow at the same offset.
        singleEnd = 0 == nextSlot ? nextOffset :
            Math.min((nextOffset & -stripBytes) + stripBytes, endOffset);
        repeat();
    }

    /** From the first that has failed on: what is copied behind it counts with that only. */
    private void repeat()
    {
        nextOffset = window.firstOffset();
        nextSlot = window.firstSlot();
        window.clear();
    }

    private void onCopied()
    {
        if (Purpose.RESYNC != purpose)
        {
            final long copied = window.isEmpty() ? nextOffset : window.firstOffset();
            if (copied != copiedOffset)
            {
                copiedOffset = copied;
                isListAwaited = true;
                takeList();
            }
        }
        else if (window.isEmpty() && nextOffset >= limit())
        {
            isListAwaited = true;
            takeList();
        }
    }

    /**
     * What was copied counts, and may be read, when the list is stored that says which of it may not.
     *
     * @return whether it is.
     */
    private boolean takeList()
    {
        if (Purpose.RESYNC == purpose)
        {
            return takeLists();
        }
        // One that failed meanwhile never comes back to its slot: all views since have had this one.
        final boolean isTarget = target == targetOf(purpose, device.view());
        if (isTarget && (!target.lostBlocks().isStored() || null != checksums && !lists.isDurable()))
        {
            return false;
        }
        isListAwaited = false;
        if (isTarget)
        {
            target.rebuiltBytes(copiedOffset);
        }
        if (copiedOffset >= singleEnd)
        {
            singleEnd = 0;
            announceLost();
        }
        final long perMille = copiedOffset * 1000 / endOffset;
        if (perMille != shownPerMille)
        {
            shownPerMille = perMille;
            progress(copiedOffset == endOffset ? null : name(), perMille);
        }
        return true;
    }

    /** Members in sync get lists, too: superblocks say so before the bitmap says that members are alike. */
    private boolean takeLists()
    {
        if (!lists.isDurable())
        {
            return false;
        }
        isListAwaited = false;
        singleEnd = 0;
        announceLost();
        if (nextOffset == endOffset)
        {
            device.intent().onResynced(region, tornCount);
            if (device.intent().nextResync(0) < 0)
            {
                progress(null, 0);
                device.reports().clear();
            }
        }
        return true;
    }

    /**
     * {@return whether it goes on when lists of lost blocks are stored}
     */
    boolean isListAwaited()
    {
        return isListAwaited;
    }

    /** Of the present operation. One that is given up leaves none for the next. */
    private void announceLost()
    {
        final int count = lost.newCount();
        if (0 == count)
        {
            return;
        }
        final String blocks = count + (1 == count ? " block" : " blocks");
        if (Purpose.RESYNC == purpose)
        {
            device.reports().announceLoss("resync: " + blocks + " of members " + (1 == count ? "is" : "are") +
                " lost, since what others have of the same rows cannot be read, from byte " + lost.newOffset() +
                " of the members' data (" + hostPlace() + ") on");
        }
        else if (null != checksums)
        {
            // Those with a checksum mismatch are lost, too.
            device.reports().announceLoss(name() + ": " + blocks + " of members " + (1 == count ? "is" : "are") +
                " lost, since others of the same rows cannot be read or have a checksum mismatch: the first at byte " +
                lost.newOffset() + " of the members' data (" + hostPlace() + "); overwrite " +
                (1 == count ? "it" : "them") + " from a host");
        }
        else if (device.view().isWritten(target))
        {
            device.reports().announceLoss("slot " + slot + " (" + target + "): " + blocks +
                (1 == count ? " is" : " are") + " lost, which other members cannot read: the first at byte " +
                lost.newOffset() + " of the member's data (" + hostPlace() + "); overwrite " +
                (1 == count ? "it" : "them") + " from a host");
        }
        lost.announced();
    }

    /** Of the first block that is lost; where it is parity, and data of its row is lost as well, of that. */
    private String hostPlace()
    {
        final ArrayView view = device.view();
        final long offset = lost.newOffset();
        final int of = view.target() == lost.newMember() ? view.targetSlot() : view.slotOf(lost.newMember());
        final String place = HostPlace.of(device, of, offset);
        for (int each = 0; HostPlace.PARITY.equals(place) && each < view.slotCount(); each++)
        {
            final String other = HostPlace.of(device, each, offset);
            if (!HostPlace.PARITY.equals(other) && null != view.member(each) &&
                view.member(each).lostBlocks().covers(offset, 1 << blockShift, blockShift))
            {
                return other;
            }
        }
        return place;
    }

    private String name()
    {
        return switch (purpose)
        {
            case REBUILD -> "rebuild";
            case COPY -> "replacement";
            default -> "resync";
        };
    }

    /** The member has failed, say; what is tried again later goes on. */
    private void endProgress()
    {
        if (null != purpose)
        {
            announceLost();
            device.reports().endProgress(name());
            purpose = null;
            leaveWindow();
        }
    }

    /** None are under way, nor begun before another call of {@link #poll}: no page of checksums stays for them. */
    void leaveWindow()
    {
        if (null != checksums)
        {
            checksums.leave();
        }
    }

    private void progress(final String operation, final long perMille)
    {
        device.reports().progress(null == operation ? null : new DeviceProgress(operation, (int)perMille));
    }
}
