package io.millrace.block.nvme;

import io.millrace.bindings.linux.Epoll;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CompareBuffers;
import io.millrace.nvme.NvmeStatus;
import io.millrace.reactor.Reactor;
import java.util.concurrent.locks.LockSupport;

/**
 * One reactor's way to a namespace: one I/O queue pair, no locks. {@code submit} fills entries, {@code poll} takes in
 * completions and shows the controller new entries once. A request that one command cannot do is worked off by a
 * {@link SplitRequest}.
 * <p>
 * A command whose time is up is aborted; if that does not help the controller is reset, and what it had is sent again,
 * so often and no oftener. Memory of a request is its submitter's again only when the controller completed its command
 * or was stopped.
 */
final class NvmeChannel implements BlockChannel, Runnable
{
    private static final int COMPLETIONS_PER_POLL = 64;
    /** How often a command is sent at most. */
    static final int TRIES_MAX = 4;
    private static final int SPLITS_MAX = 32;
    /** A long request leaves room for others. */
    private static final int SPLIT_COMMANDS_MAX = 16;
    private static final int TIMEOUT_CHECKS = 8;
    private static final long ABORT_GRACE_NS_MAX = 5_000_000_000L;
    private static final long CLOSE_GRACE_NS_MAX = 10_000_000_000L;
    private static final long CLOSE_PARK_NS = 100_000;
    private static final int STATUS_SHIFT = 17;

    private final NvmeDevice device;
    private final Reactor reactor;
    private final Rescue rescue;
    private final QueuePair queuePair;
    private final SubmissionQueue submissions;
    private final CompletionQueue completions;
    private final TransferLimits limits;
    private final DataPointer pointer;
    private final CommandWriter writer;
    private final CommandSlots slots;
    private final SplitLine splits = new SplitLine(SPLITS_MAX);
    private final CompareBuffers compareBuffers;
    private final int blockShift;
    private final boolean isReadOnly;
    private final boolean isCachePresent;
    private final boolean hasInterrupts;
    private final long timeoutNs;
    private int requestCount;
    private boolean hasToldOfTransfers;
    private long nextCheckNs;
    private volatile ChannelState wished = ChannelState.RUNNING;
    private volatile ChannelState state = ChannelState.RUNNING;

    /**
     * Takes a queue pair that the controller knows.
     *
     * @param device    of the channel.
     * @param reactor   that it belongs to.
     * @param rescue    whom it asks for help.
     * @param queuePair of its own.
     * @param limits    of its commands.
     * @param payload   memory that requests point into.
     */
    NvmeChannel(
        final NvmeDevice device,
        final Reactor reactor,
        final Rescue rescue,
        final QueuePair queuePair,
        final TransferLimits limits,
        final PayloadMemory payload)
    {
        this.device = device;
        this.reactor = reactor;
        this.rescue = rescue;
        this.queuePair = queuePair;
        this.limits = limits;
        submissions = queuePair.submissions();
        completions = queuePair.completions();
        pointer = new DataPointer(payload, limits.pageShift(), limits.isSglSupported());
        writer = new CommandWriter(device.namespace(), queuePair, pointer);
        slots = new CommandSlots(queuePair.depth());
        compareBuffers = queuePair.compareBuffers();
        blockShift = device.namespace().blockShift();
        isReadOnly = device.geometry().readOnly();
        isCachePresent = device.geometry().volatileWriteCache();
        hasInterrupts = queuePair.interruptFd() >= 0;
        timeoutNs = device.config().timeoutNs();
        nextCheckNs = reactor.nowNs() + timeoutNs / TIMEOUT_CHECKS;
    }

    /** Has the reactor woken by interrupts, if there are any. On the reactor. */
    void watchInterrupts()
    {
        if (hasInterrupts)
        {
            // Edge-triggered: the counter is never read.
            reactor.register(queuePair.interruptFd(), Epoll.EPOLLIN | Epoll.EPOLLET, NvmeChannel::onInterrupt);
        }
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        if (ChannelState.RUNNING != state)
        {
            return submitWhileStopped(request);
        }
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
        final SplitRequest.Way way = way(operation);
        final boolean flushes = BlockOperation.DEALLOCATE == operation && request.forceUnitAccess() && isCachePresent;
        final int blocks = SplitRequest.Way.PARTS == way ? commandBlocks(request, 0) : 0;
        if (SplitRequest.Way.PARTS == way && blocks == request.blocks() && !flushes)
        {
            requestCount++;
            send(slots.take(request, null, 0, blocks));
            return true;
        }
        return submitSplit(request, way, flushes);
    }

    private boolean submitWhileStopped(final BlockRequest request)
    {
        if (ChannelState.FAILED == state)
        {
            request.complete(BlockStatus.DEVICE_ERROR);
            return true;
        }
        return false;
    }

    private SplitRequest.Way way(final BlockOperation operation)
    {
        if (BlockOperation.WRITE_ZEROES == operation && 0 == limits.zeroesBlocksMax())
        {
            return SplitRequest.Way.ZERO_WRITES;
        }
        if (BlockOperation.COMPARE == operation && !limits.isCompareOffered())
        {
            return SplitRequest.Way.COMPARED_READS;
        }
        return SplitRequest.Way.PARTS;
    }

    private boolean submitSplit(final BlockRequest request, final SplitRequest.Way way, final boolean flushes)
    {
        final boolean compares = SplitRequest.Way.COMPARED_READS == way;
        if (splits.isFull() || compares && compareBuffers.areUsedUp())
        {
            return false;
        }
        requestCount++;
        advance(splits.begin(request, way, flushes, compares ? compareBuffers.acquire() : 0));
        return true;
    }

    /**
     * {@return blocks that the next command of a request takes}
     *
     * @param request to work off.
     * @param offset  blocks of it that other commands take.
     */
    private int commandBlocks(final BlockRequest request, final int offset)
    {
        final int left = request.blocks() - offset;
        return switch (request.operation())
        {
            case READ, WRITE, COMPARE -> payloadBlocks(request, offset, left);
            case WRITE_ZEROES -> Math.min(left, limits.zeroesBlocksMax());
            case DEALLOCATE -> Math.min(left, limits.datasetBlocksMax());
            case FLUSH -> left;
        };
    }

    private int payloadBlocks(final BlockRequest request, final int offset, final int left)
    {
        final int blocks = rangeBlocks(request.lba() + offset, Math.min(left, limits.blocksMax()));
        return 1 == request.segmentCount() ? blocks :
            pointer.reach(request, offset << blockShift, blocks << blockShift, 1 << blockShift) >> blockShift;
    }

    private int rangeBlocks(final long lba, final int blocks)
    {
        final int boundary = limits.boundaryBlocks();
        return 0 == boundary ? blocks : Math.min(blocks, boundary - (int)(lba % boundary));
    }

    /** Sends what can be sent of a request that takes several commands, and puts it in line for the rest. */
    private void advance(final SplitRequest split)
    {
        split.listed(true);
        while (split.hasMore() && slots.freeCount() > 0 && split.outstanding() < outstandingMax(split.way()))
        {
            final BlockRequest request = split.request();
            final int offset = split.sentBlocks();
            final int blocks = switch (split.way())
            {
                case PARTS -> commandBlocks(request, offset);
                case ZERO_WRITES -> bufferBlocks(request, offset, QueuePair.ZEROES_BYTES);
                case COMPARED_READS -> bufferBlocks(request, offset, CompareBuffers.BUFFER_BYTES);
            };
            split.onSent(blocks);
            send(slots.take(request, split, offset, blocks));
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

    private int bufferBlocks(final BlockRequest request, final int offset, final int bufferBytes)
    {
        final int most = Math.min(limits.blocksMax(), bufferBytes >> blockShift);
        return rangeBlocks(request.lba() + offset, Math.min(request.blocks() - offset, most));
    }

    private static int outstandingMax(final SplitRequest.Way way)
    {
        return SplitRequest.Way.COMPARED_READS == way ? 1 : SPLIT_COMMANDS_MAX;
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
            requestCount--;
            request.complete(status);
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

    @Override
    public int poll()
    {
        if (wished != state)
        {
            obey();
        }
        if (!isLive())
        {
            return 0;
        }
        submissions.ring();
        final int done = takeCompletions(COMPLETIONS_PER_POLL);
        completions.acknowledgeWhenDue();
        for (int i = splits.size(); i > 0; i--)
        {
            advance(splits.take());
        }
        submissions.ring();
        if (requestCount > 0 && reactor.nowNs() - nextCheckNs >= 0)
        {
            checkTimeouts(reactor.nowNs());
        }
        return done;
    }

    private boolean isLive()
    {
        return ChannelState.RUNNING == state || ChannelState.CLOSING == state;
    }

    private int takeCompletions(final int most)
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
            final int queueId = CompletionQueue.queueAndHead(entry) >>> 16;
            completions.consume();
            done++;
            onCompletion(word & 0xFFFF, word >>> STATUS_SHIFT, queueId);
        }
        return done;
    }

    private void onCompletion(final int commandId, final int status, final int queueId)
    {
        final int slot = slots.find(commandId);
        if (CommandSlots.NONE == slot || queuePair.id() != queueId)
        {
            onUnexpected(commandId, queueId);
        }
        else if (NvmeStatus.SUCCESS != status)
        {
            onFailure(slot, status);
        }
        else if (null == slots.split(slot))
        {
            final BlockRequest request = slots.request(slot);
            slots.release(slot);
            requestCount--;
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
    private void onUnexpected(final int commandId, final int queueId)
    {
        rescue.reset("completed command " + commandId + " of submission queue " + queueId + " on completion queue " +
            queuePair.id() + ", which is not outstanding");
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
            finish(slot, CommandStatus.of(status));
        }
        else if (isLive())
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
            requestCount--;
            request.complete(status);
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

    private void checkTimeouts(final long nowNs)
    {
        nextCheckNs = nowNs + timeoutNs / TIMEOUT_CHECKS;
        final long graceNs = Math.min(timeoutNs, ABORT_GRACE_NS_MAX);
        for (int slot = 0; slot < slots.count(); slot++)
        {
            if (!slots.isBusy(slot))
            {
                continue;
            }
            final long ageNs = nowNs - slots.startNs(slot);
            if (CommandSlots.Patience.WAITING == slots.patience(slot) && ageNs > timeoutNs)
            {
                slots.patience(slot, CommandSlots.Patience.ABORTING);
                rescue.abort(queuePair.id(), slots.identifier(slot));
            }
            else if (CommandSlots.Patience.ABORTING == slots.patience(slot) && ageNs > timeoutNs + graceNs)
            {
                slots.patience(slot, CommandSlots.Patience.RESETTING);
                rescue.reset("did not complete command " + slots.identifier(slot) + " of submission queue " +
                    queuePair.id() + " (" + slots.request(slot) + ") within " + timeoutNs / 1_000_000 +
                    " ms, nor when it was asked to abort it");
            }
        }
    }

    @Override
    public boolean canSleep()
    {
        if (wished != state)
        {
            return false;
        }
        if (0 == requestCount || !isLive())
        {
            return true;
        }
        if (!hasInterrupts)
        {
            return false;
        }
        // What comes after this look is announced.
        completions.acknowledge();
        return CompletionQueue.NONE == completions.poll();
    }

    @Override
    public int inFlight()
    {
        return requestCount;
    }

    /**
     * Asks for a state. Any thread; the reactor is woken to go there.
     *
     * @param wish state to go to.
     */
    void wish(final ChannelState wish)
    {
        wished = wish;
    }

    /**
     * {@return the state it is in; any thread}
     */
    ChannelState state()
    {
        return state;
    }

    Reactor reactor()
    {
        return reactor;
    }

    NvmeDevice device()
    {
        return device;
    }

    QueuePair queuePair()
    {
        return queuePair;
    }

    /** Goes to the state that was asked for. On the reactor. */
    @Override
    public void run()
    {
        obey();
        if (isLive())
        {
            submissions.ring();
        }
    }

    private void obey()
    {
        final ChannelState wish = wished;
        final boolean staysClosing = ChannelState.CLOSING == state && ChannelState.RUNNING == wish;
        if (wish == state || ChannelState.RETIRED == state || staysClosing)
        {
            return;
        }
        switch (wish)
        {
            case QUIESCED -> state = ChannelState.QUIESCED;
            case DRAINED ->
            {
                takeCompletions(Integer.MAX_VALUE);
                queuePair.reset();
                state = ChannelState.DRAINED;
            }
            case RUNNING ->
            {
                sendAgain();
                state = ChannelState.RUNNING;
            }
            case FAILED ->
            {
                takeCompletions(Integer.MAX_VALUE);
                state = ChannelState.FAILED;
                endAll(BlockStatus.DEVICE_ERROR);
            }
            case CLOSING, RETIRED -> throw new IllegalStateException("a channel closes by itself, not as " + wish);
        }
    }

    /** Sends all commands that a stopped controller had; while that goes on no new ones are taken. */
    private void sendAgain()
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

    /** The controller has none of the commands any more. */
    private void endAll(final BlockStatus status)
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

    /**
     * {@inheritDoc}
     * A controller that completes a request no more is told to delete the queues, which ends its commands, or is reset.
     */
    @Override
    public void close()
    {
        if (ChannelState.RUNNING == state)
        {
            state = ChannelState.CLOSING;
        }
        final long graceNs = Math.min(timeoutNs, CLOSE_GRACE_NS_MAX);
        for (long waitedNs = 0; waitedNs < graceNs && requestCount > 0 && ChannelState.CLOSING == state;)
        {
            if (0 == poll())
            {
                LockSupport.parkNanos(CLOSE_PARK_NS);
                waitedNs += CLOSE_PARK_NS;
            }
        }
        if (hasInterrupts)
        {
            reactor.deregister(queuePair.interruptFd());
        }
        final boolean hadFailed = ChannelState.FAILED == state;
        state = ChannelState.RETIRED;
        device.controller().remove(this);
        if (!hadFailed)
        {
            takeCompletions(Integer.MAX_VALUE);
        }
        endAll(BlockStatus.ABORTED);
        device.controller().free(queuePair);
    }

    private static void onInterrupt(final int events)
    {
        // It was only there to wake the reactor; the next poll finds what came.
        assert 0 != events;
    }
}
