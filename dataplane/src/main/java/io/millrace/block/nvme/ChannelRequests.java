package io.millrace.block.nvme;

import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.nvme.queue.DataPointer;
import io.millrace.block.nvme.queue.PayloadMemory;
import io.millrace.block.nvme.queue.SlotShare;
import io.millrace.block.nvme.queue.SlotShares;
import io.millrace.block.nvme.queue.SubmissionQueue;
import io.millrace.block.status.CommandStatus;
import io.millrace.nvme.NvmeStatus;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;

/**
 * The requests that a channel has taken: sends their commands, handles the completions, retries failed commands where
 * possible, and completes the requests. A request that one command cannot do is processed by a {@link SplitRequest}. As
 * many commands as the channel has of the queue pair's slots ({@link SlotShares}), as many split requests as
 * {@link #SPLITS_MAX}. Rings no doorbell. Its channel's reactor only; nothing is allocated.
 */
final class ChannelRequests
{
    /** How often a command is sent at most. */
    static final int TRIES_MAX = 4;
    /** How many requests that take several commands can be processed at once. */
    private static final int SPLITS_MAX = 32;
    /** A long request leaves room for others. */
    private static final int SPLIT_COMMANDS_MAX = 16;

    private final NvmeChannel channel;
    private final Reactor reactor;
    private final ControllerRecovery recovery;
    private final CommandSlots slots;
    private final SlotShares shares;
    private final SlotShare share;
    private final SubmissionQueue submissions;
    private final CommandSizes sizes;
    private final CommandWriter writer;
    private final SplitRequestQueue splits = new SplitRequestQueue(SPLITS_MAX);
    private final TransferLimits limits;
    /** Of when the channel was made. */
    private final BlockGeometry geometry;
    private int count;
    private boolean hasReportedTransferErrors;
    private MemoryQuarantine quarantine;
    private List<MemoryHold> holds;

    /**
     * Has none yet.
     *
     * @param channel that took them; its device and reactor are known.
     * @param recovery  recovery of its controller.
     * @param pair    that commands go to.
     * @param limits  of their commands.
     * @param payload memory that requests point into.
     * @param memory  of the channel.
     */
    ChannelRequests(
        final NvmeChannel channel,
        final ControllerRecovery recovery,
        final ReactorQueuePair pair,
        final TransferLimits limits,
        final PayloadMemory payload,
        final ChannelMemory memory)
    {
        this.channel = channel;
        this.recovery = recovery;
        reactor = channel.reactor();
        slots = pair.slots();
        shares = pair.shares();
        submissions = pair.queuePair().submissions();
        final NvmeDevice device = channel.device();
        share = new SlotShare(Math.min(device.config().queueDepth(), slots.count()));
        this.limits = limits;
        geometry = device.geometry();
        final DataPointer pointer = new DataPointer(payload, limits.pageShift(), limits.isSglSupported());
        sizes = new CommandSizes(limits, pointer, device.namespace().info().blockShift());
        writer = new CommandWriter(device.namespace(), pair.queuePair(), memory, pointer);
    }

    /**
     * {@return how many there are}
     */
    int count()
    {
        return count;
    }

    /**
     * {@return what the channel has of the queue pair's slots}
     */
    SlotShare share()
    {
        return share;
    }

    /**
     * Accepts a request, and sends as many of its commands as possible.
     *
     * @param request to process; it may be complete when this returns.
     * @return false when there is no room for it now.
     */
    boolean submit(final BlockRequest request)
    {
        // Split requests need slots for their next commands.
        if (shares.available(share) <= splits.size())
        {
            return false;
        }
        final BlockOperation operation = request.operation();
        if (geometry.readOnly() && operation.changesData())
        {
            request.complete(BlockStatus.WRITE_PROTECTED);
            return true;
        }
        if (!isOffered(operation))
        {
            request.complete(BlockStatus.NOT_SUPPORTED);
            return true;
        }
        if (BlockOperation.FLUSH == operation && !geometry.volatileWriteCache())
        {
            request.complete(BlockStatus.SUCCESS);
            return true;
        }
        if (BlockOperation.COPY == operation)
        {
            // Before the first of several commands is sent; and QEMU's drive says Internal Error of a wrong source.
            final BlockStatus refusal = channel.device().geometry().checkCopy(request);
            if (BlockStatus.SUCCESS != refusal)
            {
                request.complete(refusal);
                return true;
            }
        }
        final boolean flushes = BlockOperation.DEALLOCATE == operation && request.forceUnitAccess() &&
            geometry.volatileWriteCache();
        final int blocks = sizes.ofPart(request, 0);
        if (blocks == request.blocks() && !flushes)
        {
            count++;
            send(take(request, null, 0, blocks));
            return true;
        }
        return submitSplit(request, flushes);
    }

    private boolean isOffered(final BlockOperation operation)
    {
        return switch (operation)
        {
            case COMPARE -> geometry.supportsCompare();
            case VERIFY -> limits.verifyBlocksMax() > 0;
            case WRITE_ZEROES -> limits.zeroesBlocksMax() > 0;
            default -> true;
        };
    }

    private boolean submitSplit(final BlockRequest request, final boolean flushes)
    {
        if (splits.isFull())
        {
            return false;
        }
        count++;
        advance(splits.begin(request, flushes));
        return true;
    }

    /** Continues the split requests that have more to send, in turn. */
    void advance()
    {
        for (int i = splits.size(); i > 0; i--)
        {
            advance(splits.take());
        }
    }

    /** Sends as many commands of a split request as possible, and queues it for the rest. */
    private void advance(final SplitRequest split)
    {
        split.listed(true);
        while (split.hasMore() && split.outstanding() < SPLIT_COMMANDS_MAX && shares.available(share) > 0)
        {
            final int offset = split.sentBlocks();
            final int blocks = sizes.ofPart(split.request(), offset);
            split.onSent(blocks);
            send(take(split.request(), split, offset, blocks));
        }
        if (!split.hasMore() && split.isFlushDue() && shares.available(share) > 0 && split.takeFlush())
        {
            split.onSent(0);
            send(take(split.request(), split, 0, 0));
        }
        if (split.hasMore() || split.isFlushDue())
        {
            splits.add(split);
        }
        else
        {
            split.listed(false);
            endIfDone(split);
        }
    }

    /** Writes the entry of a command, for the first time or again. */
    private void send(final int slot)
    {
        final int commandId = slots.begin(slot, reactor.nowNs());
        final long entry = submissions.nextEntry();
        final BlockRequest request = slots.request(slot);
        final SplitRequest split = slots.split(slot);
        final int offset = slots.offset(slot);
        final int blocks = slots.blocks(slot);
        if (null != split && 0 == blocks)
        {
            writer.flush(entry, commandId);
        }
        else if (!writer.put(entry, commandId, slot, request, offset, blocks))
        {
            recovery.note("was given payload that is not mapped for it: " + request);
            finish(slot, BlockStatus.DEVICE_ERROR);
            return;
        }
        submissions.advance();
    }

    private int take(final BlockRequest request, final SplitRequest split, final int offset, final int blocks)
    {
        shares.take(share);
        return slots.take(this, request, split, offset, blocks);
    }

    private void release(final int slot)
    {
        slots.release(slot);
        shares.release(share);
    }

    /**
     * The controller has completed a command.
     *
     * @param slot   of the command.
     * @param status that it ended with.
     */
    void onCompletion(final int slot, final int status)
    {
        if (null != quarantine)
        {
            // The request has ended before.
            release(slot);
        }
        else if (NvmeStatus.SUCCESS != status)
        {
            onFailure(slot, status);
        }
        else if (null == slots.split(slot))
        {
            final BlockRequest request = slots.request(slot);
            release(slot);
            count--;
            request.complete(BlockStatus.SUCCESS);
        }
        else
        {
            finish(slot, BlockStatus.SUCCESS);
        }
    }

    private void onFailure(final int slot, final int status)
    {
        if (NvmeStatus.DATA_TRANSFER_ERROR == NvmeStatus.code(status) && !hasReportedTransferErrors)
        {
            hasReportedTransferErrors = true;
            recovery.note("cannot reach the memory of a command (" + slots.request(slot) +
                "): where the IOMMU stopped it the kernel's log names the address");
        }
        if (!CommandStatus.isWorthRetry(status) || slots.tries(slot) >= TRIES_MAX)
        {
            slots.request(slot).failedWithNvme(status);
            finish(slot, CommandStatus.of(status));
        }
        else if (channel.isAborting())
        {
            finish(slot, BlockStatus.ABORTED);
        }
        else if (channel.isLive())
        {
            send(slot);
        }
    }

    private void finish(final int slot, final BlockStatus status)
    {
        final BlockRequest request = slots.request(slot);
        final SplitRequest split = slots.split(slot);
        if (null == quarantine)
        {
            release(slot);
        }
        else
        {
            slots.abandon(slot);
        }
        if (null == split)
        {
            count--;
            complete(request, status);
        }
        else
        {
            split.onDone(status);
            if (!split.isListed() && split.isFlushDue())
            {
                splits.add(split);
            }
            else
            {
                endIfDone(split);
            }
        }
    }

    private void endIfDone(final SplitRequest split)
    {
        if (0 == split.outstanding() && !split.isListed())
        {
            final BlockRequest request = split.request();
            final BlockStatus status = split.status();
            splits.end(split);
            count--;
            complete(request, status);
        }
    }

    private void complete(final BlockRequest request, final BlockStatus status)
    {
        if (null == quarantine)
        {
            request.complete(status);
        }
        else
        {
            holds.add(quarantine.completeHeld(request, status));
        }
    }

    /**
     * Ends every request though the controller may still have their commands, which keep their slots until
     * {@link #onCompletion} or {@link #endAll}.
     *
     * @param keeper of the memory of the requests.
     * @return to be released when the channel has no slots any more.
     */
    List<MemoryHold> giveUp(final MemoryQuarantine keeper)
    {
        quarantine = keeper;
        holds = new ArrayList<>();
        for (int slot = 0; slot < slots.count(); slot++)
        {
            if (isOwn(slot))
            {
                finish(slot, BlockStatus.ABORTED);
            }
        }
        endUnsent(BlockStatus.ABORTED);
        return holds;
    }

    private boolean isOwn(final int slot)
    {
        return slots.isBusy(slot) && slots.owner(slot) == this;
    }

    /**
     * Sends a command again that a stopped controller had; while that goes on no new ones are taken.
     *
     * @param slot of the command.
     */
    void resend(final int slot)
    {
        if (slots.tries(slot) < TRIES_MAX)
        {
            send(slot);
        }
        else
        {
            finish(slot, BlockStatus.DEVICE_ERROR);
        }
    }

    /**
     * The controller has none of the commands any more: ends every request.
     *
     * @param status that they end with.
     */
    void endAll(final BlockStatus status)
    {
        for (int slot = 0; slot < slots.count(); slot++)
        {
            if (isOwn(slot))
            {
                if (null == quarantine)
                {
                    finish(slot, status);
                }
                else
                {
                    release(slot);
                }
            }
        }
        endUnsent(status);
    }

    /**
     * Ends requests that have more to send and wait for room, as far as the controller has none of their commands.
     *
     * @param status that they end with.
     */
    void endUnsent(final BlockStatus status)
    {
        while (splits.size() > 0)
        {
            final SplitRequest split = splits.take();
            split.fail(status);
            split.listed(false);
            endIfDone(split);
        }
    }
}
