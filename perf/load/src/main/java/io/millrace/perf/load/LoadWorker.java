package io.millrace.perf.load;

import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.reactor.Poller;
import org.HdrHistogram.SingleWriterRecorder;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The load of one queue, on its part of the region. Everything but what is said otherwise happens on the queue's
 * reactor; nothing is allocated for an I/O.
 * <p>
 * At a fixed rate each command has a planned moment; when the target falls behind, commands wait for a slot while their
 * moment passes, and latency counts from that moment. Commands that are outstanding when the measurement ends belong to
 * its latencies, with the time until they complete or are given up, and so do those whose moment passed without a slot.
 */
final class LoadWorker implements Poller
{
    /** Largest recorded latency: a minute. */
    static final long LATENCY_NS_MAX = 60_000_000_000L;
    /** Digits that recorded latencies keep. */
    static final int SIGNIFICANT_DIGITS = 3;
    private static final int MESSAGES_MAX = 8;
    private static final long GAMMA = 0x9E37_79B9_7F4A_7C15L;
    private static final long PERCENT_SCALE = (1L << 32) / 100;

    private final LoadConfig config;
    private final RemoteQueuePair queue;
    private final Region region;
    private final WrittenCells cells;
    private final CellContent content;
    private final LoadSlot[] slots;
    private final LoadSlot[] idle;
    private final LoadCounters counters = new LoadCounters();
    private final SingleWriterRecorder readLatency = new SingleWriterRecorder(LATENCY_NS_MAX, SIGNIFICANT_DIGITS);
    private final SingleWriterRecorder writeLatency = new SingleWriterRecorder(LATENCY_NS_MAX, SIGNIFICANT_DIGITS);
    private final LoadMessages messages = new LoadMessages(MESSAGES_MAX);
    private final double intervalNs;
    private final double firstDelayNs;
    private final long quota;
    private final long readThreshold;

    private volatile LoadPhase wanted = LoadPhase.CONNECT;
    private volatile LoadPhase entered = LoadPhase.CONNECT;
    private volatile LoadPhase finished = LoadPhase.CONNECT;
    private volatile long measureStartNs;
    private volatile long measureEndNs;
    private volatile long measuredReads;
    private volatile long measuredWrites;
    private volatile long unfinished;
    private LoadPhase phase = LoadPhase.CONNECT;
    private LoadSlot stalled;
    private int idleCount;
    private long random;
    private long cursor;
    private long begun;
    private double plannedNs;
    private boolean failed;
    /** Completions belong to the latencies of the measurement: in it, and while what it left outstanding is awaited. */
    private boolean recording;

    /**
     * Made off the reactor; {@link #poll} is called on it.
     *
     * @param config        of the load.
     * @param queue         to drive.
     * @param region        to stay within.
     * @param index         of the worker.
     * @param bufferAddress of as many buffers as the queue is deep.
     */
    LoadWorker(
        final LoadConfig config,
        final RemoteQueuePair queue,
        final Region region,
        final int index,
        final long bufferAddress)
    {
        this.config = config;
        this.queue = queue;
        this.region = region;
        cells = config.verify() && config.writes() ? new WrittenCells((int)region.cellCount()) : null;
        content = new CellContent(region, config.seed(), counters, messages);
        slots = new LoadSlot[config.queueDepth()];
        idleCount = slots.length;
        for (int i = 0; i < slots.length; i++)
        {
            slots[i] = new LoadSlot(this, bufferAddress + (long)i * config.sizeBytes());
        }
        idle = slots.clone();
        random = BlockPattern.mix(config.seed() + index);
        final int queues = config.queues();
        intervalNs = 0 == config.ratePerSecond() ? 0 : 1e9 * queues / config.ratePerSecond();
        firstDelayNs = intervalNs * index / queues;
        quota = 0 == config.operationCount() ? Long.MAX_VALUE :
            config.operationCount() / queues + (index < config.operationCount() % queues ? 1 : 0);
        readThreshold = config.readPercent() * PERCENT_SCALE;
    }

    /**
     * Asks for a phase. Any thread.
     *
     * @param next to go on to.
     */
    void phase(final LoadPhase next)
    {
        wanted = next;
        queue.group().reactor().wake();
    }

    /**
     * {@return whether a phase is complete; any thread}
     *
     * @param ofPhase that was asked for.
     */
    boolean hasFinished(final LoadPhase ofPhase)
    {
        return ofPhase == finished;
    }

    /**
     * {@return whether a phase was begun; any thread}
     *
     * @param next that was asked for.
     */
    boolean hasEntered(final LoadPhase next)
    {
        return next == entered;
    }

    LoadCounters counters()
    {
        return counters;
    }

    LoadMessages messages()
    {
        return messages;
    }

    SingleWriterRecorder readLatency()
    {
        return readLatency;
    }

    SingleWriterRecorder writeLatency()
    {
        return writeLatency;
    }

    /**
     * {@return how long it measured; any thread, once it drains}
     */
    long measuredNs()
    {
        return measureEndNs - measureStartNs;
    }

    /**
     * {@return reads in the measurement; any thread, once it drains}
     */
    long measuredReads()
    {
        return measuredReads;
    }

    /**
     * {@return writes in the measurement; any thread, once it drains}
     */
    long measuredWrites()
    {
        return measuredWrites;
    }

    /**
     * {@return commands of the measurement that had not completed at its end, those included whose planned moment had
     * passed without a slot; any thread, once it drains}
     */
    long unfinished()
    {
        return unfinished;
    }

    RemoteQueuePair queue()
    {
        return queue;
    }

    /**
     * Abandons outstanding commands: they count with the time that they have waited, and later completions are not
     * counted. On the reactor.
     */
    void giveUp()
    {
        if (!recording)
        {
            return;
        }
        recording = false;
        final long nowNs = SystemNanoClock.INSTANCE.nanoTime();
        for (final LoadSlot slot : slots)
        {
            if (slot.outstanding)
            {
                record(slot.writes, nowNs - startNs(slot));
            }
        }
        if (idleCount < idle.length)
        {
            counters.onCompletion(nowNs);
        }
    }

    int depth()
    {
        return Math.min(queue.depth(), idle.length);
    }

    /**
     * Takes the worker off its reactor. Any other thread.
     */
    void remove()
    {
        queue.group().reactor().call(() ->
        {
            queue.group().reactor().removePoller(this);
            return null;
        }).join();
    }

    @Override
    public int poll()
    {
        if (wanted != phase)
        {
            begin(wanted);
        }
        final long before = begun;
        final LoadSlot waiting = stalled;
        if (null != waiting)
        {
            stalled = null;
            if (LoadPhase.DRAIN == phase)
            {
                cancel(waiting);
            }
            else
            {
                submit(waiting);
            }
        }
        pump();
        if (begun != before)
        {
            queue.flush();
        }
        counters.outstanding(idle.length - idleCount - (null == stalled ? 0 : 1));
        return begun != before ? 1 : 0;
    }

    @Override
    public boolean canSleep()
    {
        // A planned moment is kept by looking at the clock, a full queue by trying again; sockets wake the reactor.
        return wanted == phase && null == stalled && (0 == intervalNs || !phase.isLoad());
    }

    private void begin(final LoadPhase next)
    {
        final long nowNs = SystemNanoClock.INSTANCE.nanoTime();
        if (LoadPhase.MEASURE == phase)
        {
            measuredReads = counters.reads();
            measuredWrites = counters.writes();
            if (LoadPhase.MEASURE != finished)
            {
                measureEndNs = nowNs;
            }
            unfinished = idle.length - idleCount - (null == stalled ? 0 : 1) + recordUnsent(nowNs);
        }
        recording = LoadPhase.MEASURE == next || recording && LoadPhase.DRAIN == next;
        phase = next;
        finished = LoadPhase.CONNECT;
        counters.beginPhase();
        begun = 0;
        plannedNs = nowNs + firstDelayNs;
        if (LoadPhase.MEASURE == next)
        {
            measureStartNs = nowNs;
            measureEndNs = nowNs;
            counters.beginStalls(nowNs);
        }
        else
        {
            cursor = 0;
        }
        entered = next;
        finishIfIdle();
    }

    /** Commands whose planned moment has passed while every slot was taken have waited since that moment. */
    private long recordUnsent(final long nowNs)
    {
        if (0 == intervalNs || failed)
        {
            return 0;
        }
        long count = 0;
        if (null != stalled)
        {
            record(stalled.writes, nowNs - stalled.plannedNs);
            count++;
        }
        final long left = quota - begun - count;
        for (long i = 0; i < left && plannedNs <= nowNs; i++)
        {
            record(!picksRead(), nowNs - (long)plannedNs);
            plannedNs += intervalNs;
            count++;
        }
        return count;
    }

    private void pump()
    {
        while (idleCount > 0 && null == stalled && mayBegin())
        {
            final LoadSlot slot = idle[--idleCount];
            if (!prepare(slot))
            {
                idle[idleCount++] = slot;
                finishIfIdle();
                return;
            }
            submit(slot);
        }
    }

    private boolean mayBegin()
    {
        switch (phase)
        {
            case WARM_UP, MEASURE:
                if (failed || LoadPhase.MEASURE == phase && begun >= quota)
                {
                    finishIfIdle();
                    return false;
                }
                return 0 == intervalNs || plannedNs <= SystemNanoClock.INSTANCE.nanoTime();

            case READ_BACK:
                return !failed;

            default:
                return false;
        }
    }

    private void submit(final LoadSlot slot)
    {
        if (queue.submit(slot.request))
        {
            begun++;
            slot.outstanding = true;
            if (idle.length - 1 == idleCount)
            {
                counters.onBusy(slot.request.startNs());
            }
        }
        else
        {
            stalled = slot;
        }
    }

    /**
     * {@return whether there was anything to prepare}
     */
    private boolean prepare(final LoadSlot slot)
    {
        final boolean load = phase.isLoad();
        slot.writes = load && !picksRead();
        slot.cell = load ? pickCell() : nextPassCell();
        if (slot.cell < 0)
        {
            return false;
        }
        slot.plannedNs = 0 == intervalNs || !load ? 0 : (long)plannedNs;
        if (load)
        {
            plannedNs += intervalNs;
        }
        if (null != cells)
        {
            prepareContent(slot);
        }
        final long lba = region.lba(slot.cell);
        final int blocks = region.blocksPerCell();
        if (slot.writes)
        {
            slot.request.write(region.nsid(), lba, blocks, slot.address, config.sizeBytes());
        }
        else
        {
            slot.request.read(region.nsid(), lba, blocks, slot.address, config.sizeBytes());
        }
        return true;
    }

    private void prepareContent(final LoadSlot slot)
    {
        slot.generation = slot.writes ? cells.nextGeneration(slot.cell) : cells.generation(slot.cell);
        cells.begin(slot.cell);
        if (slot.writes)
        {
            content.fill(slot.address, slot.cell, slot.generation);
        }
    }

    private boolean picksRead()
    {
        return 100 == config.readPercent() ||
            0 != config.readPercent() && (nextRandom() >>> 32) < readThreshold;
    }

    private long pickCell()
    {
        final long count = region.cellCount();
        final long cell;
        if (config.pattern().isRandom())
        {
            cell = Math.unsignedMultiplyHigh(nextRandom(), count);
        }
        else
        {
            cell = cursor;
            cursor = cursor + 1 == count ? 0 : cursor + 1;
        }
        return null == cells ? cell : cells.findIdle(cell);
    }

    private long nextPassCell()
    {
        while (cursor < region.cellCount())
        {
            final long cell = cursor++;
            if (cells.generation(cell) > 0)
            {
                return cell;
            }
        }
        return -1;
    }

    private long nextRandom()
    {
        random += GAMMA;
        return BlockPattern.mix(random);
    }

    /**
     * A command is done.
     *
     * @param slot it was made in.
     */
    void onComplete(final LoadSlot slot)
    {
        final HostRequest request = slot.request;
        slot.outstanding = false;
        counters.onCompletion(request.completeNs());
        if (request.isSuccess())
        {
            onSuccess(slot, request);
        }
        else
        {
            onFailure(slot, request);
        }
        release(slot);
        pump();
        if (!phase.isLoad())
        {
            finishIfIdle();
        }
    }

    private void onSuccess(final LoadSlot slot, final HostRequest request)
    {
        if (slot.writes)
        {
            counters.onWrite();
        }
        else
        {
            counters.onRead();
        }
        if (recording)
        {
            record(slot.writes, request.completeNs() - startNs(slot));
        }
        if (null == cells)
        {
            if (config.verify())
            {
                content.verifyMarks(slot.address, slot.cell);
            }
        }
        else if (!slot.writes && slot.generation > 0)
        {
            content.verify(slot.address, slot.cell, slot.generation);
        }
    }

    private static long startNs(final LoadSlot slot)
    {
        return 0 == slot.plannedNs ? slot.request.startNs() : slot.plannedNs;
    }

    private void record(final boolean writes, final long waitedNs)
    {
        (writes ? writeLatency : readLatency).recordValue(Math.clamp(waitedNs, 0, LATENCY_NS_MAX));
    }

    private void onFailure(final LoadSlot slot, final HostRequest request)
    {
        final boolean unanswered = HostRequest.STATUS_HOST_PATH_ERROR == request.status() ||
            HostRequest.STATUS_ABORTED_BY_HOST == request.status();
        if (unanswered && recording)
        {
            record(slot.writes, request.completeNs() - startNs(slot));
        }
        if (LoadPhase.DRAIN == phase && HostRequest.STATUS_ABORTED_BY_HOST == request.status())
        {
            return;
        }
        counters.onError();
        messages.addError(slot.writes, region.lba(slot.cell), request.status());
        if (unanswered)
        {
            // The controller is lost permanently: further commands would only fail.
            failed = true;
        }
    }

    private void release(final LoadSlot slot)
    {
        if (null != cells)
        {
            if (!slot.writes)
            {
                cells.endRead(slot.cell);
            }
            else
            {
                cells.endWrite(slot.cell, slot.request.isSuccess() ? slot.generation : 0);
            }
        }
        idle[idleCount++] = slot;
    }

    private void cancel(final LoadSlot slot)
    {
        if (null != cells)
        {
            cells.endRead(slot.cell);
        }
        idle[idleCount++] = slot;
        finishIfIdle();
    }

    private void finishIfIdle()
    {
        if (idleCount < idle.length || null != stalled || finished == phase)
        {
            return;
        }
        final boolean done = switch (phase)
        {
            case READ_BACK -> failed || cursor >= region.cellCount();
            case WARM_UP -> failed;
            case MEASURE -> failed || begun >= quota;
            default -> true;
        };
        if (done)
        {
            if (LoadPhase.MEASURE == phase)
            {
                measureEndNs = SystemNanoClock.INSTANCE.nanoTime();
            }
            finished = phase;
        }
    }
}
