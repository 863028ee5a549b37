package io.millrace.block;

import io.millrace.memory.MemoryDomain;
import io.millrace.memory.Segments;

/**
 * One I/O: a pooled slot that is filled, submitted, completed and reused. Not thread-safe: it belongs to one reactor
 * for its whole life, to its submitter while idle and to the channel while submitted.
 * <p>
 * Its payload is {@link #segments()}, which together make {@code blocks} times the block size. A wrapper that needs
 * state of its own for a request (RAID, fault, remote) keeps it in its own slot and submits requests of its own.
 */
public final class BlockRequest
{
    /** Status code type and status code of an NVMe status. */
    private static final int NVME_CODE_MASK = 0x7FF;

    private final Segments segments = new Segments();
    private final BlockCompletionListener listener;
    private final Object owner;

    private BlockOperation operation = BlockOperation.FLUSH;
    private BlockStatus status = BlockStatus.SUCCESS;
    private long lba;
    private int blocks;
    private boolean forceUnitAccess;
    private boolean lendable;
    private boolean lent;
    private int channelSlot = -1;
    private BlockRequest next;
    private BlockRequest previous;
    private long sourceLba;
    private MemoryHold hold;
    private FailureCause cause = FailureCause.NONE;
    private int causeCode;
    private int nvmeStatus;
    private BlockDevice failedDevice;
    /** Gets the request if the device completes it as not supported; null for none. */
    private BlockCompletionListener fallback;
    /** Whether the request ends then instead; false without a fallback. */
    private boolean isFallbackCancelled;

    /**
     * Creates a slot at set-up; it is reused for the life of its owner.
     *
     * @param owner    of the slot, for the listener to find its context without a look-up; may be null.
     * @param listener notified of every completion.
     */
    public BlockRequest(final Object owner, final BlockCompletionListener listener)
    {
        this.owner = owner;
        this.listener = listener;
    }

    /**
     * Begins a new use: sets what is asked for and forgets segments, status and lending.
     *
     * @param newOperation what to do.
     * @param newLba       first block; 0 for a flush.
     * @param newBlocks    how many; 0 for a flush.
     * @return this, to chain.
     */
    public BlockRequest reset(final BlockOperation newOperation, final long newLba, final int newBlocks)
    {
        operation = newOperation;
        lba = newLba;
        blocks = newBlocks;
        forceUnitAccess = false;
        lendable = false;
        lent = false;
        segments.clear();
        channelSlot = -1;
        next = null;
        previous = null;
        sourceLba = 0;
        hold = null;
        nvmeStatus = 0;
        failedDevice = null;
        if (null != fallback)
        {
            fallback(null);
        }
        // Rare, and storing a reference costs the collector's mark as well.
        if (BlockStatus.SUCCESS != status || FailureCause.NONE != cause)
        {
            status = BlockStatus.SUCCESS;
            cause = FailureCause.NONE;
        }
        return this;
    }

    /**
     * Begins a new use as {@link BlockOperation#COPY}, as {@link #reset} does.
     *
     * @param newSourceLba first block of what is copied.
     * @param newLba       first block of what is overwritten.
     * @param newBlocks    how many.
     * @return this, to chain.
     * @throws IllegalArgumentException when the ranges overlap: parts of a copy may be done in any order, and again.
     */
    public BlockRequest resetCopy(final long newSourceLba, final long newLba, final int newBlocks)
    {
        final long distance = newLba - newSourceLba;
        if (distance < newBlocks && distance > -newBlocks)
        {
            throw new IllegalArgumentException("copy of " + newBlocks + " blocks from " + newSourceLba + " to " +
                newLba + " overwrites part of its source: use ranges that do not overlap");
        }
        reset(BlockOperation.COPY, newLba, newBlocks);
        sourceLba = newSourceLba;
        return this;
    }

    /**
     * Asks that a write be stable when it completes, and that the data of a read, Compare or Verify come from the
     * non-volatile medium. The second is for devices that pass commands on, to a drive or a target: others read as
     * without it.
     *
     * @param force true for FUA.
     * @return this, to chain.
     */
    public BlockRequest forceUnitAccess(final boolean force)
    {
        forceUnitAccess = force;
        return this;
    }

    /**
     * Says that a read without segments may be answered with the device's own memory. Only for devices whose geometry
     * says {@code lendsReads}. After completion {@link #lent()} is true, the segments point into the device, and the
     * submitter must hand the request to {@link BlockChannel#releaseLoan} when the data has been used. A device whose
     * largest transfer may lie in more than {@link Segments#COUNT_MAX} places lends nothing.
     * <p>
     * A read with segments that is lendable may be answered in other memory by any device: then it completes as lent,
     * with success, and with a {@link #hold()} on the memory of its segments, which the device may still write to.
     *
     * @param isLendable true to allow it.
     * @return this, to chain.
     */
    public BlockRequest lendable(final boolean isLendable)
    {
        lendable = isLendable;
        return this;
    }

    /**
     * Adds a segment.
     *
     * @param address     of its first byte.
     * @param lengthBytes length in bytes; positive.
     * @return this, to chain.
     */
    public BlockRequest addSegment(final long address, final int lengthBytes)
    {
        segments.add(address, lengthBytes);
        return this;
    }

    /**
     * Called by the channel, once: sets the status and tells the submitter.
     *
     * @param result how it went.
     */
    public void complete(final BlockStatus result)
    {
        if (status != result)
        {
            // A rule that fails requests is there for the host to see it.
            if (BlockStatus.NOT_SUPPORTED == result && null != fallback && FailureCause.FAULT_RULE != cause)
            {
                fallBack();
                return;
            }
            status = result;
        }
        listener.onComplete(this);
    }

    private void fallBack()
    {
        final BlockCompletionListener taker = fallback;
        final boolean isCancelled = isFallbackCancelled;
        fallback(null);
        cause = FailureCause.NONE;
        nvmeStatus = 0;
        failedDevice = null;
        if (isCancelled)
        {
            failed(FailureCause.CANCELLED, 0);
            complete(BlockStatus.ABORTED);
        }
        else
        {
            taker.onComplete(this);
        }
    }

    /**
     * Sets who gets the request instead of its submitter if the device completes it as not supported.
     *
     * @param newFallback that goes on with it, null for none.
     */
    void fallback(final BlockCompletionListener newFallback)
    {
        fallback = newFallback;
        isFallbackCancelled = false;
    }

    /**
     * {@return whether the device has the request, and the {@link #fallback fallback} gets it otherwise}
     */
    boolean isTried()
    {
        return null != fallback;
    }

    /** Ends the request as aborted if the device, which has it, completes it as not supported. */
    void cancelFallback()
    {
        isFallbackCancelled = true;
    }

    /**
     * Sets the cause of the failure, before the request is completed. The first cause is kept: the first failure of
     * several commands is the request's.
     *
     * @param from whose code it is.
     * @param code of the failure.
     */
    public void failed(final FailureCause from, final int code)
    {
        if (FailureCause.NONE == cause)
        {
            cause = from;
            causeCode = code;
        }
    }

    /**
     * Sets the NVMe status that a command for the request ended with, before the request is completed with the
     * {@link BlockStatus} it stands for. The first is kept, as of {@link #failed}, which it includes.
     *
     * @param status of 15 bits: those of the completion without its phase tag (NVM Express Base 2.0, section
     *               3.3.3.2.1), which are type and code, retry delay, more, and do-not-retry.
     */
    public void failedWithNvme(final int status)
    {
        failed(FailureCause.NVME_STATUS, status & NVME_CODE_MASK);
        if (0 == nvmeStatus)
        {
            nvmeStatus = status;
        }
    }

    /**
     * {@return NVMe status of the device's own that the request ended with, of 15 bits, as the device said it; 0 when
     * it has none}
     */
    public int nvmeStatus()
    {
        return nvmeStatus;
    }

    /**
     * Copies the failure of the request that a wrapper submitted for this one.
     *
     * @param inner  request that failed.
     * @param device that the inner request was submitted to.
     */
    public void failedAs(final BlockRequest inner, final BlockDevice device)
    {
        failedFrom(inner);
        failedDevice = null == inner.failedDevice ? device : inner.failedDevice;
    }

    /** Copies the failure of a request to the same device that was submitted for this one. */
    void failedFrom(final BlockRequest part)
    {
        failed(part.cause, part.causeCode);
        nvmeStatus = 0 == nvmeStatus ? part.nvmeStatus : nvmeStatus;
        failedDevice = part.failedDevice;
    }

    /**
     * {@return whose {@link #causeCode()} says why the request failed}
     */
    public FailureCause cause()
    {
        return cause;
    }

    /**
     * {@return code of the failure, as {@link #cause()} has it; without meaning when that is {@link FailureCause#NONE}}
     */
    public int causeCode()
    {
        return causeCode;
    }

    /**
     * {@return the wrapped device that failed; null when it is the one that the request was submitted to}
     */
    public BlockDevice failedDevice()
    {
        return failedDevice;
    }

    /**
     * Ends a request whose memory the device may still use; see {@link MemoryQuarantine}.
     *
     * @param result    how it went.
     * @param stillHeld released when the device is done with the memory.
     */
    void complete(final BlockStatus result, final MemoryHold stillHeld)
    {
        hold = stillHeld;
        complete(result);
    }

    /**
     * {@return hold that is released when the device is done with the memory of an ended request; null when it is}
     */
    public MemoryHold hold()
    {
        return hold;
    }

    /**
     * The submitter has registered for the release of the hold.
     */
    public void clearHold()
    {
        hold = null;
    }

    /**
     * Called by a lending channel before it completes a read. What is lent is the host's memory.
     *
     * @param address     of the device's own memory.
     * @param lengthBytes of the read.
     */
    public void lend(final long address, final int lengthBytes)
    {
        segments.set(address, lengthBytes);
        lent = true;
    }

    /**
     * Called by a lending channel before it completes a read whose blocks lie in several places, as stripes do.
     *
     * @param memory the device's own, in the order of the blocks, together as long as the read; copied.
     * @throws IllegalStateException when it is not the host's memory, which submitters count on.
     */
    public void lend(final Segments memory)
    {
        if (MemoryDomain.HOST != memory.domain())
        {
            throw new IllegalStateException(memory + " of " + memory.domain() + " memory cannot be lent");
        }
        segments.copyFrom(memory);
        lent = true;
    }

    /**
     * The submitter gave lent memory back.
     */
    public void clearLent()
    {
        lent = false;
    }

    /**
     * {@return owner of this slot}
     */
    public Object owner()
    {
        return owner;
    }

    /**
     * {@return what is asked for}
     */
    public BlockOperation operation()
    {
        return operation;
    }

    /**
     * {@return outcome, once complete}
     */
    public BlockStatus status()
    {
        return status;
    }

    /**
     * {@return first block; of a copy, of what is overwritten}
     */
    public long lba()
    {
        return lba;
    }

    /**
     * {@return count of blocks}
     */
    public int blocks()
    {
        return blocks;
    }

    /**
     * {@return whether a write must be stable when it completes, or a read be of the medium; see
     * {@link #forceUnitAccess(boolean)}}
     */
    public boolean forceUnitAccess()
    {
        return forceUnitAccess;
    }

    /**
     * {@return whether a read may be answered with the device's own memory}
     */
    public boolean lendable()
    {
        return lendable;
    }

    /**
     * {@return whether the segments point into the device's own memory}
     */
    public boolean lent()
    {
        return lent;
    }

    /**
     * {@return the payload: the submitter's memory, or the device's own when it is {@link #lent()}; empty when there is
     * none}
     */
    public Segments segments()
    {
        return segments;
    }

    /**
     * {@return slot that the owning channel keeps its own state under; -1 when none}
     */
    public int channelSlot()
    {
        return channelSlot;
    }

    /**
     * For the channel that owns the request.
     *
     * @param slot of the channel's own state.
     */
    public void channelSlot(final int slot)
    {
        channelSlot = slot;
    }

    /**
     * {@return next request of the list its present owner keeps it in}
     */
    public BlockRequest next()
    {
        return next;
    }

    /**
     * Links requests for their present owner.
     *
     * @param following request, or null.
     */
    public void next(final BlockRequest following)
    {
        next = following;
    }

    /** {@return request before it in a {@link ChannelQueue}} */
    BlockRequest previous()
    {
        return previous;
    }

    /** Links requests of a {@link ChannelQueue}. */
    void previous(final BlockRequest preceding)
    {
        previous = preceding;
    }

    /**
     * {@return first block of what is copied; 0 but for {@link BlockOperation#COPY}}
     */
    public long sourceLba()
    {
        return sourceLba;
    }

    @Override
    public String toString()
    {
        return operation + (BlockOperation.COPY == operation ? " source=" + sourceLba : "") + " lba=" + lba +
            " blocks=" + blocks + " status=" + status;
    }
}
