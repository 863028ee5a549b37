package io.millrace.block.raid;

import io.millrace.block.BackgroundWork;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.reactor.Reactor;
import java.util.List;
import org.agrona.concurrent.SystemEpochClock;

/**
 * The array's own work, on one reactor: it alone writes superblocks and the write-intent bitmap, and publishes views.
 * One page of metadata is written at a time, lost-block lists beside the others; a rebuild or a resynchronization goes
 * on beside that.
 */
final class ArrayWork implements BackgroundWork
{
    private static final long TICK_NS = 1_000_000_000L;

    private final RaidDevice device;
    private final RaidTimes times;
    private State state = State.OPENING;
    private volatile Reactor reactor;
    private RaidChannel channel;
    private MetadataPages pages;
    private MemberWrites superblocks;
    private BitmapStore bitmap;
    private LostBlockStore lostBlocks;
    private ChecksumWriter checksums;
    private RegionCopies copies;
    /** Null of an array without redundancy. */
    private BlockRepairs repairs;
    /** Null of an array without redundancy. */
    private Scrub scrub;
    /** Null of an array without parity. */
    private Reshaping reshaping;
    private volatile Resizing resizing;
    private final JournalEpochs epochs;
    /** Superblocks of it are being written. */
    private ArrayView candidate;
    private boolean isFlushed;
    /** Whether superblocks say that rows are known not to match. */
    private boolean hasStoredMismatches;
    private ArrayMembers members;
    private Membership membership;
    private String lastFailure = "";
    private boolean isStopping;
    private StopStage stopStage = StopStage.CHECKSUMS;
    private boolean isClean;
    private long checkpointNs;
    private long checkpointBytes;

    private enum State
    {
        /** Channels to the members are opened. */
        OPENING,
        /** No superblocks are being written. */
        IDLE,
        /** Superblocks of {@link #candidate} are written when nobody writes members any more whom they wait for. */
        QUIESCING,
        /** Superblocks of {@link #candidate} are being written. */
        SUPERBLOCKS,
        /** The channel is being closed. */
        CLOSING,
        /** Nothing is under way. */
        DONE
    }

    /**
     * Work that has not begun.
     *
     * @param device to work on.
     */
    ArrayWork(final RaidDevice device)
    {
        this.device = device;
        times = device.times();
        epochs = new JournalEpochs(device, device.isMatched());
        hasStoredMismatches = device.scrubControl().hasMismatches();
    }

    /** There is something to do. Any thread. */
    void wake()
    {
        final Reactor running = reactor;
        if (null != running)
        {
            running.wake();
        }
    }

    @Override
    public void start(final ReactorContext context)
    {
        reactor = context.reactor();
        ChannelOpening.open(device, context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel opened)
            {
                channel = (RaidChannel)opened;
                begin();
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                device.publish(device.view().failed("superblocks cannot be written: " + reason.getMessage() +
                    ": delete and create the device again, or restart the data plane"));
                end();
            }
        });
    }

    private void begin()
    {
        pages = device.pages();
        superblocks = new MemberWrites(channel, pages.superblockTargets());
        lostBlocks = new LostBlockStore(device, channel);
        checksums = new ChecksumWriter(device, channel);
        copies = new RegionCopies(device, channel, reactor, lostBlocks);
        repairs = null == device.intent() ? null : new BlockRepairs(device, channel);
        scrub = null == device.intent() ? null :
            new Scrub(device, channel, this::precedesScrub, reactor, SystemEpochClock.INSTANCE);
        reshaping = null == device.journal() ? null : new Reshaping(device, this, channel, reactor);
        members = new ArrayMembers(device);
        membership = new Membership(device, this, channel, members);
        bitmap = new BitmapStore(device, channel, members, checksums, reactor);
        resizing = new Resizing(device, this, channel, membership, reactor, copies::isPending);
        checkpointNs = reactor.nowNs() + times.checkpointNs();
        scheduleTick();
        lostBlocks.announceFound();
        if (hasStoredMismatches)
        {
            device.reports().announce("a scrub before this start found rows that do not match, so reads are not " +
                "hedged: find out which drive corrupts data, and repair them (millrace raid scrub " + device.name() +
                " --repair)");
        }
        state = State.IDLE;
    }

    /** Timed work is looked at once a second, also while the reactor sleeps. */
    private void scheduleTick()
    {
        reactor.schedule(reactor.nowNs() + TICK_NS, (nowNs) ->
        {
            if (State.DONE != state)
            {
                scheduleTick();
            }
        });
    }

    @Override
    public void stop()
    {
        isStopping = true;
    }

    @Override
    public boolean isDone()
    {
        return State.DONE == state;
    }

    @Override
    public int poll()
    {
        if (State.OPENING == state || State.DONE == state)
        {
            return 0;
        }
        int count = channel.poll();
        if (isIdle())
        {
            count += next() ? 1 : 0;
        }
        else if (State.QUIESCING == state)
        {
            // In this order: what has failed by then is in the superblocks.
            final boolean isReady = epochs.isReady() && isQuiet();
            if (takeFailures())
            {
                count++;
            }
            else if (isReady)
            {
                count++;
                writeSuperblocks();
            }
        }
        else if ((State.SUPERBLOCKS == state || isStoringBitmap()) && !device.failures().isEmpty())
        {
            count++;
            device.failures().each(this::onFailed);
        }
        if (State.CLOSING != state && State.DONE != state && null == device.view().failure())
        {
            // In all states: what waits for it may be what a change of the view waits for.
            count += lostBlocks.poll() + checksums.poll();
            count += isStopping || isReshaping() ? 0 :
                resizing.poll() + copies.poll() + (null == scrub ? 0 : repairs.poll() + scrub.poll());
        }
        if (null != scrub && !scrub.isBusy() && (isStopping || null != device.view().failure()))
        {
            scrub.abort();
        }
        return count;
    }

    @Override
    public boolean canSleep()
    {
        if (State.CLOSING != state && State.DONE != state && isUnstored())
        {
            return false;
        }
        if (State.QUIESCING == state)
        {
            return channel.canSleep() && device.failures().isEmpty() && !(epochs.isReady() && isQuiet());
        }
        if (isIdle() && null != device.view().failure())
        {
            return !isStopping && device.failures().isEmpty() && device.memberChanges().isEmpty() && channel.canSleep();
        }
        return State.OPENING == state || isIdle() && channel.canSleep() && !isStopping && !bitmap.hasWanted() &&
            !epochs.isOutdated() && device.failures().isEmpty() && (isReshaping() ? reshaping.canSleep() : canWait()) ||
            !isIdle() && channel.canSleep();
    }

    /** {@return whether no metadata is being written} */
    private boolean isIdle()
    {
        return State.IDLE == state && !bitmap.isBusy();
    }

    private boolean isStoringBitmap()
    {
        return State.IDLE == state && bitmap.isBusy();
    }

    /** Of what does not go on beside a step of a reshape. */
    private boolean canWait()
    {
        return copies.canSleep() && (null == scrub || repairs.canSleep() && scrub.canSleep()) &&
            (promotedSlot() < 0 || checksums.isAwaited()) &&
            membership.canSleep() && resizing.canSleep() && !canReshape();
    }

    private boolean precedesScrub()
    {
        return copies.isPending() || resizing.isActive();
    }

    private boolean isReshaping()
    {
        return null != reshaping && reshaping.isBusy();
    }

    /** Whether a step may begin: what the array's own work does in the rows goes first. */
    private boolean canReshape()
    {
        return null != reshaping && reshaping.isDue() && !isStopping && !isCopying() && !copies.isPending() &&
            repairs.canSleep();
    }

    /** {@return whether a lost-block list or checksums wait to be stored} */
    private boolean isUnstored()
    {
        return null != lostBlocks && null == device.view().failure() &&
            !(lostBlocks.canSleep() && checksums.canSleep());
    }

    private boolean isCopying()
    {
        return lostBlocks.isBusy() || isUnstored() || copies.isBusy() || isReshaping() || resizing.isBusy() ||
            null != scrub && (repairs.isBusy() || scrub.isBusy());
    }

    /** A member that has failed may never end what it was asked for, and others wait until superblocks say so. */
    private void onFailed(final RaidMember member)
    {
        superblocks.onFailed(member);
        bitmap.onFailed(member);
        lostBlocks.onFailed(member);
    }

    /** {@return whether something was begun} */
    private boolean next()
    {
        if (takeFailures())
        {
            return true;
        }
        if (null != device.view().failure())
        {
            membership.refuseAll(device.view().failure());
            if (isReshaping() && !reshaping.abandon())
            {
                return false;
            }
            return isStopping && !isCopying() && close();
        }
        if (renewJournal())
        {
            return true;
        }
        if (isReshaping())
        {
            return reshaping.poll() || bitmap.storeWanted();
        }
        if (isStopping)
        {
            membership.refuseAll("the array is being stopped: change it when it is started again");
            return storeScrubbed() || stopStep();
        }
        return takeSpare() || promote() || announceLost() || membership.poll() || bitmap.storeWanted() ||
            bitmap.clearUnused() || checkpoint() || storeScrubbed() || resizing.step() || reshape();
    }

    /**
     * {@return whether members are becoming larger, or wait for that; any thread}
     */
    boolean isResizing()
    {
        final Resizing present = resizing;
        return null != present && present.isPending();
    }

    /**
     * Begins to make members larger.
     *
     * @param memberBytes data of each; 0: as much as all have room for.
     * @return why it cannot be, a sentence; null: it has begun.
     */
    String resize(final long memberBytes)
    {
        return resizing.request(memberBytes);
    }

    /**
     * Writes the bitmap of larger members, in which nothing changes before superblocks say how large they are, and
     * these, after everything written before is stable.
     *
     * @param larger map of the strips then.
     */
    void enlarge(final StripMap larger)
    {
        if (null == device.intent())
        {
            change(device.view().mapping(larger), true);
            return;
        }
        bitmap.storeEnlarged(larger.layout().memberBytes(), (isStored) ->
        {
            if (isStored)
            {
                change(device.view().mapping(larger), true);
            }
            else
            {
                resizing.onStored(device.view());
            }
        });
    }

    /** {@return whether a step of a reshape has begun} */
    private boolean reshape()
    {
        if (!canReshape())
        {
            if (null != reshaping)
            {
                reshaping.pause();
            }
            return false;
        }
        reshaping.begin();
        return true;
    }

    /** {@return whether superblocks with another epoch of the journal are written} */
    private boolean renewJournal()
    {
        if (!epochs.isOutdated())
        {
            return false;
        }
        final ArrayView view = device.view();
        change(view.next(), true);
        return true;
    }

    /** {@return whether members have ended all that the array's own work was writing when it was held} */
    private boolean isQuiet()
    {
        if (channel.isHeld())
        {
            for (final RaidMember member : members.withBitmap(candidate))
            {
                if (0 != channel.inFlight(member))
                {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * What hosts have read since a crash may be stable on the failed member alone, and on the others since the resync:
     * it is stable on these before superblocks say that they are the array. A flush has what was written before, so
     * that nothing is copied from its beginning on until the view is published.
     */
    private boolean takeFailures()
    {
        ArrayView changed = null == candidate ? device.view() : withoutStep(candidate);
        String reason = null;
        for (MemberFailures.Failure each = device.failures().next(); null != each;
            each = device.failures().next())
        {
            lostBlocks.onFailed(each.member());
            final ArrayView without = members.onFailed(changed, each);
            if (changed != without && null == changed.failure())
            {
                changed = without;
                reason = each.toString();
            }
        }
        if (null == reason)
        {
            return false;
        }
        lastFailure = reason;
        channel.hold();
        change(changed, true);
        return true;
    }

    /** A member that fails may lack what a step of a reshape has written, which does not count then. */
    private ArrayView withoutStep(final ArrayView of)
    {
        final ArrayView present = device.view();
        return of.slotCount() == present.slotCount() ? of.waiting(present.map()) : of;
    }

    /**
     * Fails a member, as if it had failed a write.
     *
     * @param member of the array.
     * @param reason the end of a sentence that begins with the member.
     */
    void fail(final RaidMember member, final String reason)
    {
        device.onMemberFailed(member, reason);
        takeFailures();
    }

    /**
     * Writes superblocks of a view and publishes it then.
     *
     * @param changed view of the next event count.
     * @param flush   whether everything written before is made stable first.
     */
    void change(final ArrayView changed, final boolean flush)
    {
        if (!changed.isSufficient())
        {
            // What the superblocks say stays, so that the members can be assembled again when they are back.
            candidate = null;
            state = State.IDLE;
            device.publish(device.view().failed("more members failed than " +
                device.layout().level().title(device.layout().memberCount()) + " tolerates: " +
                RaidSnapshot.reason(changed, false, "the last: " + lastFailure) +
                ": repair or reconnect them, then delete and create the device again, or restart the data plane"));
            resume();
            return;
        }
        candidate = changed;
        // Superblocks have the progress of a rebuild, too, which is stable before.
        isFlushed = flush || changed.firstOf(SlotState.REBUILDING) >= 0;
        epochs.prepare(changed);
        if (epochs.isBeginning() || channel.isHeld())
        {
            state = State.QUIESCING;
        }
        else
        {
            writeSuperblocks();
        }
    }

    private void writeSuperblocks()
    {
        final ArrayView changed = epochs.apply(candidate);
        candidate = changed;
        state = State.SUPERBLOCKS;
        hasStoredMismatches |= device.scrubControl().hasMismatches();
        pages.fillSuperblocks(superblock(changed));
        lostBlocks.onSuperblocksFilled(changed);
        final RaidMember journalDevice = changed.journalDevice();
        if (epochs.isBeginning() && changed.isJournaling() && null != journalDevice)
        {
            // Before members have the epoch: by it, a copy of the device is known that has none of its entries.
            superblocks.begin(List.of(journalDevice), false, this::onJournalDevice);
        }
        else
        {
            writeMembers();
        }
    }

    private void onJournalDevice(final long failed)
    {
        if (0 == failed)
        {
            writeMembers();
        }
        else
        {
            onSuperblocks(failed);
        }
    }

    private void writeMembers()
    {
        superblocks.begin(
            members.withSuperblocks(candidate), isFlushedBefore(), this::onSuperblocks);
    }

    private boolean isFlushedBefore()
    {
        return isFlushed || epochs.isBeginning();
    }

    private Superblock superblock(final ArrayView of)
    {
        final ArrayNames.Stored names = device.names().stored();
        return new Superblock(device.id(), names.name(), of.layout().level(), device.layout().stripBytes(),
            device.geometry().blockSizeBytes(), of.layout().memberBytes(), device.id(), of.eventCount(), isClean,
            SystemEpochClock.INSTANCE.time(), device.scrubControl().scrubbedMs(), of.slots(), epochs.state(of),
            of.map().state(), null == pages.checksums() ? 0 : ChecksumArea.offset(of.layout().memberBytes()),
            hasStoredMismatches, names.former());
    }

    private void onSuperblocks(final long failed)
    {
        state = State.IDLE;
        superblocks.report(failed);
        if (failedSlots(candidate, failed) || !superblocks.isWritten())
        {
            // Not published: the next attempt is without the members that failed, which may be spares.
            if (!takeFailures())
            {
                writeSuperblocks();
            }
            return;
        }
        final ArrayView stable = candidate;
        candidate = null;
        lostBlocks.onSuperblocksStored();
        if (stable.isComplete() && !device.view().isComplete() && null != device.intent())
        {
            bitmap.onComplete();
        }
        resizing.onStored(stable);
        device.publish(stable);
        resume();
        if (stable.isComplete())
        {
            device.reports().clear();
        }
    }

    /** A view was published: stripe requests that waited for it go on. */
    private void resume()
    {
        channel.resume();
        epochs.resume();
    }

    private boolean failedSlots(final ArrayView of, final long failed)
    {
        for (final RaidMember member : device.raidMembers())
        {
            if (0 != (failed & 1L << member.index()) && of.isWritten(member))
            {
                return true;
            }
        }
        return false;
    }

    /** {@return whether a spare takes the place of a member that failed} */
    private boolean takeSpare()
    {
        final ArrayView view = device.view();
        final int slot = view.vacantSlot();
        final RaidMember spare = slot < 0 ? null : members.takeSpare();
        if (null == spare)
        {
            if (slot >= 0)
            {
                device.spareDemand().ask(view);
            }
            return false;
        }
        rebuild(slot, spare);
        return true;
    }

    /**
     * Gives a slot without a member to one that is rebuilt there.
     *
     * @param slot  of the present view.
     * @param spare that has no slot.
     */
    void rebuild(final int slot, final RaidMember spare)
    {
        spare.rebuiltBytes(0);
        if (null != device.intent())
        {
            // It gets the bitmap, in place of an old one that it may have.
            device.intent().wantAgain();
        }
        change(device.view().with(slot, spare, SlotState.REBUILDING), false);
    }

    /** {@return slot whose next member has all of its data, and takes it now; -1: none} */
    private int promotedSlot()
    {
        final ArrayView view = device.view();
        final int rebuilding = view.firstOf(SlotState.REBUILDING);
        // One that is in sync has the bitmap. And a write that was torn may have reached the member that it was copied
        // from, where hosts have read it: the resync gives it to this one, which is the first to be read only then.
        if (copies.isBusy() || bitmap.hasWanted() || copies.isResyncing(view))
        {
            return -1;
        }
        return isCopied(rebuilding < 0 ? null : view.member(rebuilding)) ? rebuilding :
            isCopied(view.target()) ? view.targetSlot() : -1;
    }

    /** {@return whether a member that was rebuilt to its end is made one in sync} */
    private boolean promote()
    {
        final int slot = promotedSlot();
        if (slot < 0)
        {
            return false;
        }
        final ArrayView view = device.view();
        final RaidMember copied = slot == view.targetSlot() ? view.target() : view.member(slot);
        if (!checksums.storeAll(copied))
        {
            return false;
        }
        checkpointBytes = 0;
        // What was copied is stable before the superblocks say so.
        change(view.with(slot, copied, SlotState.IN_SYNC), true);
        return true;
    }

    /** {@return whether superblocks are written that say of a member that it has lost blocks} */
    private boolean announceLost()
    {
        // Of an array with checksums, a scrub loses blocks, too.
        if (!copies.isListAwaited() && null == pages.checksums() || !lostBlocks.isUnannounced())
        {
            return false;
        }
        change(device.view().next(), false);
        return true;
    }

    private boolean isCopied(final RaidMember member)
    {
        return null != member && member.rebuiltBytes() >= device.layout().memberBytes();
    }

    /** {@return whether the progress of a rebuild is written} */
    private boolean checkpoint()
    {
        final ArrayView view = device.view();
        final int slot = view.firstOf(SlotState.REBUILDING);
        if (slot < 0 || reactor.nowNs() - checkpointNs < 0)
        {
            return false;
        }
        checkpointNs = reactor.nowNs() + times.checkpointNs();
        if (checkpointBytes == view.member(slot).rebuiltBytes())
        {
            return false;
        }
        checkpointBytes = view.member(slot).rebuiltBytes();
        change(view.next(), true);
        return true;
    }

    /** {@return whether superblocks are written that say what a scrub has found} */
    private boolean storeScrubbed()
    {
        if (null == scrub || !scrub.takeUnstored())
        {
            return false;
        }
        // What it has repaired is stable before they say that all rows match.
        hasStoredMismatches = false;
        change(device.view().next(), true);
        return true;
    }

    /** {@return whether something was begun} */
    private boolean stopStep()
    {
        if (isCopying())
        {
            return false;
        }
        final WriteIntent intent = device.intent();
        switch (stopStage)
        {
            case CHECKSUMS ->
            {
                copies.leaveWindow();
                leaveRepairs();
                stopStage = checksums.storeAll(stopStage) ? StopStage.BITMAP : stopStage;
            }
            case LAST_CHECKSUMS -> stopStage = checksums.storeAll(stopStage) ? StopStage.SUPERBLOCKS : stopStage;
            case BITMAP ->
            {
                stopStage = StopStage.LAST_CHECKSUMS;
                if (null != intent)
                {
                    bitmap.storeLast();
                }
            }
            case SUPERBLOCKS ->
            {
                stopStage = StopStage.CHANNEL;
                isClean = null == intent || intent.isClosed() && checksums.isAllStored();
                // Entries are complete then: the next start does not need the journal device.
                change(isClean ? device.view().next().journalingOn(null) : device.view().next(), true);
            }
            case CHANNEL -> close();
        }
        return true;
    }

    private void leaveRepairs()
    {
        if (null != repairs)
        {
            repairs.leaveWindow();
        }
    }

    private boolean close()
    {
        state = State.CLOSING;
        device.onWorkEnded();
        channel.close((closed) -> end());
        return true;
    }

    private void end()
    {
        state = State.DONE;
        epochs.resume();
        device.onWorkEnded();
    }
}
