package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import java.util.Arrays;

/**
 * What is done to one stripe, or part of it: of a request to the array, or on behalf of {@link ArrayWork}. It enters
 * the region of the write-intent bitmap, locks its rows, reads the present {@link ArrayView}, then reads and writes
 * members. A pooled slot of a channel; the reactor's only; nothing is allocated.
 * <p>
 * A member that fails a write, or fails a read for another reason than its medium, is reported, and the request waits
 * until the view says what has become of it: so no write that a member missed is acknowledged before the superblocks
 * of the others say that it failed.
 */
abstract class StripeRequest
{
    private static final int NO_REGION = -1;
    private static final int NO_SLOT = -1;

    protected final RaidChannel channel;
    /** One for each slot. */
    protected BlockRequest[] parts = {};
    private final RequestBuffer buffer;
    private final SlotlessPart slotless;
    /** Null of an array without them. */
    protected final BlockChecksums checksums;
    protected Purpose purpose;
    protected StripedRequest parent;
    protected ArrayView view;
    /** That a rebuild or a copy is of, by the view of who began it; null: of none. */
    protected RaidMember target;
    /** Slots whose medium failed a read of this request, by bit. */
    protected long badSlots;
    /** Next of the list that it is in. */
    StripeRequest next;

    private StripeState state = StripeState.FREE;
    private WorkListener onDone;
    private BlockStatus status;
    private int region;
    private final RowLock lock;
    /** What it has of a request of a host, in offsets on the array. */
    private long arrayStart;
    private long arrayEnd;
    private final PartFailures failures;
    /** Slot of the last part that failed; its cause is the request's if that fails, too. */
    private int failedPart;
    /** Whether the medium of a member failed in this phase, so that others are read. */
    private boolean isReadAgain;
    /** Whether the phase that failed came before that of writing. */
    private boolean isEarlyPhase;
    /** Whether members were written: when it does not succeed, they may differ. */
    private boolean hasWritten;
    private int outstanding;
    private boolean isIssuing;

    /**
     * Creates a slot.
     *
     * @param channel that it is of.
     */
    StripeRequest(final RaidChannel channel)
    {
        this.channel = channel;
        buffer = new RequestBuffer(channel.buffers());
        slotless = new SlotlessPart(this, channel);
        failures = new PartFailures(channel.device());
        checksums = channel.device().pages().checksums();
        lock = new RowLock(channel.device().locks(), channel.device().channels());
        fitParts(channel.layout().memberCount());
        channel.created(this);
    }

    /** No part is at a member: makes those for slots that the array has got since. */
    private void fitParts(final int slotCount)
    {
        final int first = parts.length;
        if (first < slotCount)
        {
            parts = Arrays.copyOf(parts, slotCount);
            for (int slot = first; slot < slotCount; slot++)
            {
                final int partSlot = slot;
                parts[slot] = new BlockRequest(this, (part) -> onPart(partSlot, part));
            }
        }
    }

    /**
     * {@return how it went, when it has ended}
     */
    final BlockStatus status()
    {
        return status;
    }

    /**
     * {@return who is notified when it is done, of work of the array's own; null for a request's}
     */
    final WorkListener onDone()
    {
        return onDone;
    }

    final StripedRequest parent()
    {
        return parent;
    }

    /**
     * Begins.
     *
     * @param newPurpose what for.
     * @param newParent  that it is a part of; null for work of the array's own.
     * @param newOnDone  notified at its end, for work of the array's own; else null.
     */
    final void begin(final Purpose newPurpose, final StripedRequest newParent, final WorkListener newOnDone)
    {
        purpose = newPurpose;
        parent = newParent;
        onDone = newOnDone;
        target = null;
        status = BlockStatus.SUCCESS;
        region = NO_REGION;
        lock.clear();
        arrayEnd = 0;
        failures.clear();
        slotless.clearFailure();
        badSlots = 0;
        isReadAgain = false;
        failedPart = NO_SLOT;
        hasWritten = false;
        outstanding = 0;
        state = StripeState.ENTERING;
    }

    /**
     * Says which region of the bitmap it writes.
     *
     * @param memberOffset in that region.
     */
    protected final void entering(final long memberOffset)
    {
        region = channel.device().intent().region(memberOffset);
    }

    /**
     * Enters a region of the bitmap with the rows locked, unless it is in one. It leaves that when it ends.
     *
     * @param memberOffset in the region.
     * @return whether it is in the region; else its bit is going to be stored.
     */
    protected final boolean enter(final long memberOffset)
    {
        final WriteIntent intent = channel.device().intent();
        if (NO_REGION == region && intent.enter(intent.region(memberOffset)))
        {
            entering(memberOffset);
        }
        return NO_REGION != region;
    }

    /**
     * Says what it locks.
     *
     * @param offset in bytes, as the level counts them.
     * @param length in bytes.
     * @param shared whether others may have it, too.
     */
    protected final void locking(final long offset, final int length, final boolean shared)
    {
        lock.want(offset, length, shared);
    }

    /**
     * Says what it has of a request of a host.
     *
     * @param start offset on the array of its first byte.
     * @param end   behind its last byte.
     */
    protected final void covering(final long start, final long end)
    {
        arrayStart = start;
        arrayEnd = end;
    }

    /**
     * {@return whether it has any of a part of the array, for a host}
     *
     * @param start offset on the array of its first byte.
     * @param end   behind its last byte.
     */
    final boolean isIn(final long start, final long end)
    {
        return StripeState.FREE != state && arrayStart < end && arrayEnd > start;
    }

    /**
     * Locks rows that {@link #plan} found to be needed, and plans again.
     *
     * @param offset in bytes, as the level counts them.
     * @param length in bytes.
     * @return what {@link #plan} is to return.
     */
    protected final BlockStatus lockShared(final long offset, final int length)
    {
        locking(offset, length, true);
        state = StripeState.LOCKING;
        return advance() ? BlockStatus.SUCCESS : null;
    }

    /**
     * {@return whether it has the lock of its rows}
     */
    protected final boolean isLocked()
    {
        return lock.isHeld();
    }

    /**
     * Goes on as far as it can.
     *
     * @return whether it need not be tried again: members have it, or it has ended.
     */
    final boolean advance()
    {
        if (StripeState.ENTERING == state)
        {
            if (NO_REGION != region && !channel.device().intent().enter(region))
            {
                return giveUp();
            }
            state = StripeState.LOCKING;
        }
        if (StripeState.LOCKING == state)
        {
            if (!lock.acquire())
            {
                if (!isAborted())
                {
                    return false;
                }
                finish(BlockStatus.ABORTED);
                return true;
            }
            state = StripeState.BUFFERING;
        }
        if (StripeState.BUFFERING == state)
        {
            return buffer();
        }
        if (StripeState.ADMITTING == state)
        {
            return admit();
        }
        if (StripeState.EXPIRING == state)
        {
            finish(status);
            return true;
        }
        return StripeState.REPORTED != state || onReported();
    }

    /** {@return whether it has ended, since its region will not be set any more} */
    private boolean giveUp()
    {
        if (channel.isClosing() || null != channel.device().view().failure() || channel.device().hasEnded())
        {
            region = NO_REGION;
            end(channel.isClosing() ? BlockStatus.ABORTED : BlockStatus.DEVICE_ERROR);
            return true;
        }
        return false;
    }

    /**
     * {@return whether it ends since the channel closes}
     */
    protected final boolean isAborted()
    {
        return channel.isClosing() && !isUnderWay();
    }

    /**
     * {@return whether it ends before members are closed, when the channel closes: they have it in part}
     */
    final boolean isUnderWay()
    {
        return StripeState.FREE != state && mustEnd(hasWritten);
    }

    /**
     * {@return whether parity may not match, or not in a replay of the journal, when it ends now}
     *
     * @param isWritten whether members were written, and may differ.
     */
    protected boolean mustEnd(final boolean isWritten)
    {
        return false;
    }

    /** Members are to be written: waits until they may be. */
    protected final void admitting()
    {
        state = StripeState.ADMITTING;
        if (!admit())
        {
            channel.retryLater(this);
        }
    }

    /**
     * Begins to write members, or plans again, or ends.
     *
     * @return false when it has to wait.
     */
    protected boolean admit()
    {
        throw new IllegalStateException("only writes with parity wait before they write members");
    }

    /** Its entry in the journal, or a part of it, was written. */
    protected void onJournaled()
    {
        throw new IllegalStateException("only writes with parity have entries in the journal");
    }

    /** A member that failed is reported: no other is written until the view says what has become of it. */
    protected void onReporting()
    {
    }

    /**
     * {@return whether nothing that it has logged and not written is replayed any more, though it has not succeeded;
     * until then its rows stay locked, since others would log of them what does not fit}
     */
    protected boolean isExpired()
    {
        return true;
    }

    /**
     * It ends, with its rows still locked.
     *
     * @param result how it went.
     */
    protected void onEnding(final BlockStatus result)
    {
    }

    private boolean buffer()
    {
        view = channel.device().view();
        fitParts(view.slotCount());
        if (isAborted() || null != view.failure())
        {
            finish(isAborted() ? BlockStatus.ABORTED : BlockStatus.DEVICE_ERROR);
            return true;
        }
        final BlockStatus planned = channel.isHeld() ? null : Purpose.FLUSH == purpose ? flush() : plan();
        if (null == planned)
        {
            return false;
        }
        if (BlockStatus.SUCCESS != planned)
        {
            finish(planned);
        }
        return true;
    }

    private BlockStatus flush()
    {
        issuing(StripeState.WRITING);
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (view.isWritable(slot))
            {
                part(slot, BlockOperation.FLUSH, 0, 0);
                submit(slot);
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    /**
     * Decides by the view how it is done, takes buffers and submits the first parts.
     *
     * @return null when there is no buffer now, {@link BlockStatus#SUCCESS} when it is under way or done, else why it
     *     cannot be done.
     */
    protected abstract BlockStatus plan();

    /** All members have read. */
    protected abstract void onRead();

    /** A member could not read: the rows are to be repaired. */
    protected abstract void onUnreadable();

    /** All members have written or flushed. */
    protected void onWritten()
    {
        finish(BlockStatus.SUCCESS);
    }

    /**
     * A member does not do what it was asked for.
     *
     * @param slot      of the member.
     * @param operation that it ended as not supported.
     * @return whether that is no failure of the member.
     */
    protected boolean onRefused(final int slot, final BlockOperation operation)
    {
        return false;
    }

    /**
     * The member that is to replace another one does not do what it was asked for.
     *
     * @param operation that it ended as not supported.
     * @return whether that is no failure of the member.
     */
    protected boolean onTargetRefused(final BlockOperation operation)
    {
        return false;
    }

    /** Members differ in what was written, which superblocks must not deny that are written meanwhile. */
    protected final void tearing()
    {
        if (NO_REGION != region)
        {
            channel.device().intent().tear(region);
        }
    }

    /** Members match in all that was written so far. */
    protected final void matching()
    {
        hasWritten = false;
    }

    /** Plans again in the next cycle; the rows stay locked. */
    protected final void planAgain()
    {
        if (isAborted())
        {
            finish(BlockStatus.ABORTED);
            return;
        }
        buffer.release();
        state = StripeState.BUFFERING;
        channel.retryLater(this);
    }

    /** It has ended, and is in no pool of the channel. */
    protected void onFree()
    {
        // Its owner has it.
    }

    /**
     * {@return whether it goes back to the channel's pool at its end}
     */
    protected boolean isPooled()
    {
        return true;
    }

    /**
     * Takes a buffer, which comes back at the end.
     *
     * @param lengthBytes of the buffer.
     * @return its address; 0: none is free now.
     */
    protected final long acquireBuffer(final int lengthBytes)
    {
        return buffer.acquire(lengthBytes);
    }

    /** A member may still use memory of a part that has ended: payload or buffer. */
    private void onHeld(final MemoryHold hold)
    {
        if (null != parent)
        {
            parent.hold(hold);
        }
        buffer.hold(hold);
    }

    /**
     * {@return whether what was written is enough although members failed, which the array tolerates}
     *
     * @param present view, in which they failed.
     * @param slots   that failed, by bit.
     */
    protected abstract boolean isWrittenWithout(ArrayView present, long slots);

    /** Parts are submitted from here on to {@link #issued}. */
    protected final void issuing(final StripeState newState)
    {
        state = newState;
        hasWritten |= StripeState.WRITING == newState;
        isIssuing = true;
    }

    /** All parts of a phase were submitted. */
    protected final void issued()
    {
        isIssuing = false;
        if (0 == outstanding)
        {
            onPhase();
        }
    }

    /**
     * Submits a part to its member.
     *
     * @param slot      of the member.
     * @param operation what to do.
     * @param offset    in bytes of the member's data; 0 for a flush.
     * @param length    in bytes; 0 for a flush.
     * @return the part; its segments are to be filled before {@link #submit}.
     */
    protected final BlockRequest part(
        final int slot, final BlockOperation operation, final long offset, final int length)
    {
        final int shift = channel.blockShift();
        return 0 == length ? parts[slot].reset(operation, 0, 0) :
            parts[slot].reset(operation, RaidChannel.dataOffsetBytes() + offset >>> shift, length >>> shift);
    }

    protected final void submit(final int slot)
    {
        final BlockRequest part = parts[slot];
        outstanding++;
        if (null != checksums && purpose.changesContent() && part.operation().changesData())
        {
            checksums.onWrite(view.member(slot), part);
            if (slot == view.targetSlot())
            {
                checksums.onWrite(view.target(), part);
            }
        }
        if (slot == view.targetSlot() && BlockOperation.READ != part.operation())
        {
            outstanding++;
            slotless.submitLike(view.target(), part);
        }
        channel.submit(view.member(slot), part);
    }

    /**
     * Writes a part of the buffer to the member that is to replace another one, and to no other.
     *
     * @param offset  in bytes of the member's data.
     * @param address of the part.
     * @param length  in bytes.
     */
    protected final void submitCopy(final long offset, final long address, final int length)
    {
        outstanding++;
        if (null != checksums)
        {
            checksums.onKnown(view.target(), offset, address, length);
        }
        slotless.submit(view.target(), RaidChannel.dataOffsetBytes() + offset, address, length, false);
    }

    /**
     * Writes a part of an entry of the journal to the device that has these, stable when it ends.
     *
     * @param offset  in bytes of the device.
     * @param address of the part.
     * @param length  in bytes.
     */
    final void submitEntry(final long offset, final long address, final int length)
    {
        outstanding++;
        slotless.submit(view.journalDevice(), offset, address, length, true);
    }

    /**
     * {@return whether it uses a member}
     *
     * @param member of the array.
     */
    final boolean uses(final RaidMember member)
    {
        return switch (state)
        {
            case READING, ADMITTING, JOURNALING, WRITING, REPORTED -> view.isUsed(member);
            case FREE, ENTERING, LOCKING, BUFFERING, EXPIRING -> false;
        };
    }

    /**
     * Goes on where a member has ended a part that covers all of it, as if that had been submitted here. It has begun.
     *
     * @param by    view that the part went by.
     * @param slot  of the member.
     * @param ended part of another request.
     */
    final void adopt(final ArrayView by, final int slot, final BlockRequest ended)
    {
        view = by;
        fitParts(by.slotCount());
        issuing(BlockOperation.READ == ended.operation() ? StripeState.READING : StripeState.WRITING);
        isIssuing = false;
        outstanding++;
        final BlockRequest part = parts[slot].reset(ended.operation(), ended.lba(), ended.blocks());
        part.failedAs(ended, by.member(slot).device());
        MemoryQuarantine.completeWith(part, ended.status(), ended.hold());
    }

    private void onPart(final int slot, final BlockRequest part)
    {
        if (BlockStatus.SUCCESS != part.status())
        {
            onPartFailed(slot, part);
        }
        onPartEnded(part);
    }

    /**
     * A part has ended.
     *
     * @param part with its status, which was looked at.
     */
    final void onPartEnded(final BlockRequest part)
    {
        outstanding--;
        if (null != part.hold())
        {
            final MemoryHold hold = part.hold();
            part.clearHold();
            onHeld(hold);
        }
        if (0 == outstanding && !isIssuing)
        {
            onPhase();
        }
    }

    private void onPartFailed(final int slot, final BlockRequest part)
    {
        failedPart = slot;
        if (BlockOperation.READ == part.operation() && BlockStatus.MEDIA_ERROR == part.status())
        {
            badSlots |= 1L << slot;
            isReadAgain = true;
        }
        else if (BlockStatus.NOT_SUPPORTED != part.status() || !onRefused(slot, part.operation()))
        {
            failures.add(slot, part.status());
        }
    }

    private void onPhase()
    {
        if (!failures.isEmpty() || slotless.hasFailed())
        {
            if (isAborted())
            {
                finish(BlockStatus.ABORTED);
                return;
            }
            failures.report(view, parts);
            slotless.report();
            isEarlyPhase = StripeState.WRITING != state;
            onReporting();
            state = StripeState.REPORTED;
            channel.retryLater(this);
        }
        else if (StripeState.READING == state)
        {
            if (isAborted() && Purpose.READ != purpose)
            {
                finish(BlockStatus.ABORTED);
            }
            else if (isReadAgain)
            {
                replan();
            }
            else if (channel.isHeld())
            {
                planAgain();
            }
            else
            {
                onRead();
            }
        }
        else if (StripeState.JOURNALING == state)
        {
            onJournaled();
        }
        else
        {
            onWritten();
        }
    }

    private void replan()
    {
        isReadAgain = false;
        onUnreadable();
        buffer.release();
        state = StripeState.BUFFERING;
        if (!buffer())
        {
            channel.retryLater(this);
        }
    }

    /** {@return whether it need not be tried again} */
    private boolean onReported()
    {
        if (isAborted())
        {
            finish(BlockStatus.ABORTED);
            return true;
        }
        final ArrayView present = channel.device().view();
        if (null == present.failure() && (failures.isAnyWritten(view, present) ||
            slotless.hasFailed() && present.isWritten(slotless.member())))
        {
            return false;
        }
        final long failed = failures.slots();
        failures.clear();
        slotless.clearFailure();
        // A member that failed may still write to memory of a read: it is not given to another one.
        if (null != present.failure() || Purpose.READ == purpose && parent.isHeld())
        {
            finish(BlockStatus.DEVICE_ERROR);
        }
        else if (isEarlyPhase || Purpose.FLUSH != purpose && !isWrittenWithout(present, failed))
        {
            isReadAgain = false;
            buffer.release();
            state = StripeState.BUFFERING;
            return buffer();
        }
        else
        {
            onWritten();
        }
        return true;
    }

    /**
     * Ends a request that has its lock.
     *
     * @param result how it went.
     */
    protected final void finish(final BlockStatus result)
    {
        buffer.release();
        final boolean isTorn = NO_REGION != region && BlockStatus.SUCCESS != result && hasWritten;
        if (isTorn && StripeState.EXPIRING != state)
        {
            // Before others have the rows, or superblocks that wait for its end say that parity matches.
            channel.device().intent().tear(region);
        }
        if (BlockStatus.SUCCESS != result && !isExpired())
        {
            status = result;
            state = StripeState.EXPIRING;
            channel.retryLater(this);
            return;
        }
        onEnding(result);
        lock.release();
        if (NO_REGION != region)
        {
            channel.device().intent().leave(region);
        }
        end(result);
    }

    private void end(final BlockStatus result)
    {
        if (BlockStatus.SUCCESS != result && NO_SLOT != failedPart && null != parent)
        {
            parent.failedAs(parts[failedPart], result, view.member(failedPart).device());
        }
        status = result;
        state = StripeState.FREE;
        channel.onEnded(this);
    }
}
