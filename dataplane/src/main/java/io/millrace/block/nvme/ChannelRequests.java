package io.millrace.block.nvme;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CompareBuffers;
import io.millrace.block.FailureCause;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.nvme.NvmeStatus;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;

/**
 * The requests that a channel has taken: turns them into commands, takes in what these come to, sends them again where
 * that is worth while, and completes the requests. A request that one command cannot do is worked off by a
 * {@link SplitRequest}. As many commands as the queue pair has slots, as many split requests as {@link #SPLITS_MAX}.
 * Rings no doorbell of submissions. Its channel's reactor only; nothing is allocated.
 */
final class ChannelRequests
{
    /** How often a command is sent at most. */
    static final int TRIES_MAX = 4;
    /** How many requests that take several commands can be worked off at once. */
    private static final int SPLITS_MAX = 32;
    /** A long request leaves room for others. */
    private static final int SPLIT_COMMANDS_MAX = 16;
    private static final int STATUS_SHIFT = 17;

    private final NvmeChannel channel;
    private final Reactor reactor;
    private final Rescue rescue;
    private final CommandSlots slots;
    private final SubmissionQueue submissions;
    private final CompletionQueue completions;
    private final int queueId;
    private final CommandSizes sizes;
    private final CommandWriter writer;
    private final SplitLine splits = new SplitLine(SPLITS_MAX);
    private final CompareBuffers compareBuffers;
    private final int blockShift;
    private final boolean isReadOnly;
    private final boolean isCachePresent;
    private int count;
    private boolean hasToldOfTransfers;
    private MemoryQuarantine quarantine;
    private List<MemoryHold> holds;

    /**
     * Has none yet.
     *
     * @param channel that took them; its device, reactor and queue pair are known.
     * @param rescue  whom it asks for help.
     * @param slots   of their commands.
     * @param limits  of their commands.
     * @param payload memory that requests point into.
     */
    ChannelRequests(
        final NvmeChannel channel,
        final Rescue rescue,
        final CommandSlots slots,
        final TransferLimits limits,
        final PayloadMemory payload)
    {
        this.channel = channel;
        this.rescue = rescue;
        this.slots = slots;
        reactor = channel.reactor();
        final QueuePair queuePair = channel.queuePair();
        queueId = queuePair.id();
        submissions = queuePair.submissions();
        completions = queuePair.completions();
        compareBuffers = queuePair.compareBuffers();
        final NvmeDevice device = channel.device();
        blockShift = device.namespace().blockShift();
        isReadOnly = device.geometry().readOnly();
        isCachePresent = device.geometry().volatileWriteCache();
        final DataPointer pointer = new DataPointer(payload, limits.pageShift(), limits.isSglSupported());
        sizes = new CommandSizes(limits, pointer, blockShift);
        writer = new CommandWriter(device.namespace(), queuePair, pointer);
    }

    /**
     * {@return how many there are}
     */
    int count()
    {
        return count;
    }

    /**
     * Takes a request, and sends what can be sent of it.
     *
     * @param request to work off; it may be complete when this returns.
     * @return false when there is no room for it now.
     */
    boolean submit(final BlockRequest request)
    {
        // Those that are being worked off can go on with a slot each.
        if (slots.freeCount() <= splits.size())
        {
            return false;
        }
        final BlockOperation operation = request.operation();
        if (isReadOnly && operation.changesData())
        {
            request.complete(BlockStatus.WRITE_PROTECTED);
            return true;
        }
        if (BlockOperation.FLUSH == operation && !isCachePresent)
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
        final SplitRequest.Way way = sizes.way(operation);
        final boolean flushes = BlockOperation.DEALLOCATE == operation && request.forceUnitAccess() && isCachePresent;
        final int blocks = SplitRequest.Way.PARTS == way ? sizes.ofPart(request, 0) : 0;
        if (SplitRequest.Way.PARTS == way && blocks == request.blocks() && !flushes)
        {
            count++;
            send(slots.take(request, null, 0, blocks));
            return true;
        }
        return submitSplit(request, way, flushes);
    }

    private boolean submitSplit(final BlockRequest request, final SplitRequest.Way way, final boolean flushes)
    {
        final boolean compares = SplitRequest.Way.COMPARED_READS == way;
        if (splits.isFull() || compares && compareBuffers.areUsedUp())
        {
            return false;
        }
        count++;
        advance(splits.begin(request, way, flushes, compares ? compareBuffers.acquire() : 0));
        return true;
    }

    /** Goes on with those that have more to send, each in its turn. */
    void advance()
    {
        for (int i = splits.size(); i > 0; i--)
        {
            advance(splits.take());
        }
    }

    /** Sends what can be sent of a request that takes several commands, and puts it in line for the rest. */
    private void advance(final SplitRequest split)
    {
        split.listed(true);
        while (split.hasMore() && slots.freeCount() > 0 && split.outstanding() < outstandingMax(split.way()))
        {
            final int offset = split.sentBlocks();
            final int blocks = sizes.next(split);
            split.onSent(blocks);
            send(slots.take(split.request(), split, offset, blocks));
        }
        if (!split.hasMore() && slots.freeCount() > 0 && split.takeFlush())
        {
            split.onSent(0);
            send(slots.take(split.request(), split, 0, 0));
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

    private static int outstandingMax(final SplitRequest.Way way)
    {
        return SplitRequest.Way.COMPARED_READS == way ? 1 : SPLIT_COMMANDS_MAX;
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
        if (null == split)
        {
            if (!writer.put(entry, commandId, slot, request, offset, blocks))
            {
                onNotMapped(slot);
                return;
            }
        }
        else if (!putPart(entry, commandId, slot, split, offset, blocks))
        {
            onNotMapped(slot);
            return;
        }
        submissions.advance();
    }

    private boolean putPart(
        final long entry,
        final int commandId,
        final int slot,
        final SplitRequest split,
        final int offset,
        final int blocks)
    {
        if (0 == blocks)
        {
            writer.flush(entry, commandId);
            return true;
        }
        switch (split.way())
        {
            case PARTS ->
            {
                return writer.put(entry, commandId, slot, split.request(), offset, blocks);
            }
            case ZERO_WRITES -> writer.zeroWrite(entry, commandId, slot, split.request(), offset, blocks);
            case VERIFY_READS -> writer.verifyRead(entry, commandId, slot, split.request(), offset, blocks);
            case COMPARED_READS ->
                writer.compareRead(entry, commandId, slot, split.request(), offset, blocks, split.buffer());
        }
        return true;
    }

    private void onNotMapped(final int slot)
    {
        rescue.note("was given payload that is not mapped for it: " + slots.request(slot));
        finish(slot, BlockStatus.DEVICE_ERROR);
    }

    /**
     * Takes in what the controller has completed.
     *
     * @param most completions to take in.
     * @return how many there were.
     */
    int takeCompletions(final int most)
    {
        int done = 0;
        while (done < most)
        {
            final long entry = completions.poll();
            if (CompletionQueue.NONE == entry)
            {
                break;
            }
            final int word = CompletionQueue.statusAndCommand(entry);
            final int submissionQueueId = CompletionQueue.queueAndHead(entry) >>> 16;
            completions.consume();
            done++;
            onCompletion(word & 0xFFFF, word >>> STATUS_SHIFT, submissionQueueId);
        }
        return done;
    }

    private void onCompletion(final int commandId, final int status, final int submissionQueueId)
    {
        final int slot = slots.find(commandId);
        if (CommandSlots.NONE == slot || queueId != submissionQueueId)
        {
            onUnexpected(commandId, submissionQueueId);
        }
        else if (NvmeStatus.SUCCESS != status)
        {
            onFailure(slot, status);
        }
        else if (null == slots.split(slot))
        {
            final BlockRequest request = slots.request(slot);
            slots.release(slot);
            count--;
            request.complete(BlockStatus.SUCCESS);
        }
        else
        {
            finish(slot, resultOfPart(slot));
        }
    }

    private BlockStatus resultOfPart(final int slot)
    {
        final SplitRequest split = slots.split(slot);
        final boolean differs = SplitRequest.Way.COMPARED_READS == split.way() && !CompareBuffers.isEqual(
            split.request(), (long)slots.offset(slot) << blockShift, split.buffer(), slots.blocks(slot) << blockShift);
        return differs ? BlockStatus.COMPARE_FAILURE : BlockStatus.SUCCESS;
    }

    /** Neither what it completed is known, nor whether it still works on it: only a reset makes that certain. */
    private void onUnexpected(final int commandId, final int submissionQueueId)
    {
        rescue.reset("completed command " + commandId + " of submission queue " + submissionQueueId +
            " on completion queue " + queueId + ", which is not outstanding");
    }

    private void onFailure(final int slot, final int status)
    {
        if (NvmeStatus.DATA_TRANSFER_ERROR == NvmeStatus.code(status) && !hasToldOfTransfers)
        {
            hasToldOfTransfers = true;
            rescue.note("cannot reach the memory of a command (" + slots.request(slot) +
                "): where the IOMMU stopped it the kernel's log names the address");
        }
        if (!CommandStatus.isWorthRetry(status) || slots.tries(slot) >= TRIES_MAX)
        {
            slots.request(slot).failed(FailureCause.NVME_STATUS, status);
            finish(slot, CommandStatus.of(status));
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
        slots.release(slot);
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
            if (SplitRequest.Way.COMPARED_READS == split.way())
            {
                compareBuffers.release(split.buffer());
            }
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
     * Ends every request though the controller may still have their commands.
     *
     * @param keeper of the memory of the requests.
     * @return to be released when the controller has none of the commands.
     */
    List<MemoryHold> giveUp(final MemoryQuarantine keeper)
    {
        quarantine = keeper;
        holds = new ArrayList<>();
        endAll(BlockStatus.ABORTED);
        return holds;
    }

    /** Sends all commands that a stopped controller had; while that goes on no new ones are taken. */
    void sendAgain()
    {
        for (int slot = 0; slot < slots.count(); slot++)
        {
            if (slots.isBusy(slot))
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
            if (slots.isBusy(slot))
            {
                finish(slot, status);
            }
        }
        while (splits.size() > 0)
        {
            final SplitRequest split = splits.take();
            split.fail(status);
            split.listed(false);
            endIfDone(split);
        }
    }
}
