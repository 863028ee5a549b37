package io.millrace.block.fault;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.ChannelQueue;
import io.millrace.block.CloseListener;
import io.millrace.block.Emulation;
import io.millrace.block.EmulationBuffers;
import io.millrace.block.FailureCause;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.ReactorContext;
import io.millrace.memory.Segments;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.TimerListener;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * One reactor's channel to a {@link FaultDevice}: submits to the wrapped device, with requests of its own, the requests
 * that its decider passes. Set up once with all its slots.
 */
final class FaultChannel implements BlockChannel
{
    private static final int SLOT_COUNT = 256;

    private final FaultDevice device;
    private final BlockChannel inner;
    private final Emulation emulation;
    private final EmulationBuffers emulationBuffers;
    private final Reactor reactor;
    private final int number;
    private FaultDecider decider;
    private boolean isClosed;
    private final Slot[] slots = new Slot[SLOT_COUNT];
    private Slot free;
    private final ChannelQueue queue;
    private int inFlight;

    FaultChannel(
        final FaultDevice device,
        final BlockChannel inner,
        final ReactorContext context,
        final int number,
        final FaultPlan plan,
        final AtomicLongArray faultCounts)
    {
        this.device = device;
        this.inner = inner;
        reactor = context.reactor();
        emulationBuffers = new EmulationBuffers(context.buffers());
        emulation = new Emulation(device.below(), inner, emulationBuffers);
        this.number = number;
        decider = new FaultDecider(plan, number, faultCounts);
        queue = new ChannelQueue(device.below().geometry(), FaultChannel::apply);
        for (int i = 0; i < SLOT_COUNT; i++)
        {
            slots[i] = new Slot(this);
            slots[i].next = free;
            free = slots[i];
        }
    }

    Reactor reactor()
    {
        return reactor;
    }

    /**
     * Replaces the plan from the next request on, and ends the requests that hang.
     *
     * @param plan        to go by.
     * @param faultCounts of the plan.
     */
    void replace(final FaultPlan plan, final AtomicLongArray faultCounts)
    {
        if (isClosed)
        {
            return;
        }
        decider = new FaultDecider(plan, number, faultCounts);
        for (final Slot slot : slots)
        {
            if (State.HUNG == slot.state)
            {
                finish(slot, BlockStatus.ABORTED);
            }
        }
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        final Slot slot = free;
        if (null == slot)
        {
            return false;
        }
        free = slot.next;
        inFlight++;
        slot.begin(request, decider.decide(request));
        if (decider.delayNs() > 0)
        {
            slot.state = State.DELAYED;
            // Not the clock of the cycle, which may have begun long ago.
            slot.timerId = reactor.schedule(reactor.clockNs() + decider.delayNs(), slot);
        }
        else
        {
            enqueue(slot);
        }
        return true;
    }

    @Override
    public int poll()
    {
        return queue.poll() + emulation.poll() + inner.poll();
    }

    @Override
    public boolean canSleep()
    {
        return 0 == queue.size() && emulation.canSleep() && inner.canSleep();
    }

    @Override
    public int inFlight()
    {
        // A write cache may write back when no request is left.
        return 0 == inFlight ? inner.inFlight() : inFlight;
    }

    @Override
    public void close(final CloseListener listener)
    {
        isClosed = true;
        device.remove(this);
        for (final Slot slot : slots)
        {
            if (State.DELAYED == slot.state)
            {
                reactor.cancel(slot.timerId);
                finish(slot, BlockStatus.ABORTED);
            }
            else if (State.HUNG == slot.state)
            {
                finish(slot, BlockStatus.ABORTED);
            }
        }
        for (BlockRequest left = queue.removeFirst(); null != left; left = queue.removeFirst())
        {
            finish((Slot)left.owner(), BlockStatus.ABORTED);
        }
        emulation.close();
        inner.close((closed) ->
        {
            emulationBuffers.close();
            listener.onClosed(this);
        });
    }

    private void enqueue(final Slot slot)
    {
        slot.state = State.READY;
        queue.submit(slot.innerRequest);
    }

    /**
     * Applies the decision for a request.
     *
     * @return false when the inner channel refuses it now; it stays queued.
     */
    private static boolean apply(final BlockRequest innerRequest)
    {
        final Slot slot = (Slot)innerRequest.owner();
        final FaultRule rule = slot.rule;
        if (slot.powerLoss != slot.channel.device.powerLoss())
        {
            slot.channel.finish(slot, BlockStatus.ABORTED);
            return true;
        }
        if (null == rule)
        {
            return slot.channel.passOn(slot);
        }
        switch (rule.effect())
        {
            case ERROR, LOST_WRITE -> slot.channel.finishByRule(slot, null);
            case HANG -> slot.state = State.HUNG;
            case TORN_WRITE ->
            {
                if (0 != slot.blocks)
                {
                    return slot.channel.passOn(slot);
                }
                slot.channel.finishByRule(slot, null);
            }
            case POWER_LOSS -> slot.channel.losePower(slot);
            case DELAY -> throw new IllegalStateException("a delay was left over: " + rule);
        }
        return true;
    }

    private void losePower(final Slot slot)
    {
        device.losePower(decider.lossRandom(), new PowerLoss(slot.rule.status(), slot.ruleNumber));
        finish(slot, slot.rule.status());
    }

    private boolean passOn(final Slot slot)
    {
        // Before the call, since the completion may come within it.
        slot.state = State.PASSED_ON;
        if (emulation.submit(slot.innerRequest))
        {
            return true;
        }
        slot.state = State.READY;
        return false;
    }

    private static void fill(final BlockRequest target, final BlockRequest source, final int blocks)
    {
        if (BlockOperation.COPY == source.operation())
        {
            target.resetCopy(source.sourceLba(), source.lba(), blocks).forceUnitAccess(source.forceUnitAccess());
            return;
        }
        target.reset(source.operation(), source.lba(), blocks).forceUnitAccess(source.forceUnitAccess());
        final Segments payload = source.segments();
        if (0 != payload.count() && blocks > 0)
        {
            payload.slice(0, (int)((long)payload.totalBytes() / source.blocks() * blocks), target.segments());
        }
    }

    private void onInnerComplete(final Slot slot, final BlockStatus status)
    {
        if (BlockStatus.SUCCESS != status)
        {
            slot.request.failedAs(slot.innerRequest, device.inner());
            finish(slot, status, slot.innerRequest.hold());
        }
        else if (null != slot.rule)
        {
            finishByRule(slot, slot.innerRequest.hold());
        }
        else
        {
            finish(slot, status, slot.innerRequest.hold());
        }
    }

    private void finishByRule(final Slot slot, final MemoryHold hold)
    {
        slot.request.failed(FailureCause.FAULT_RULE, slot.ruleNumber);
        finish(slot, slot.rule.status(), hold);
    }

    private void onDelayOver(final Slot slot)
    {
        enqueue(slot);
    }

    private void finish(final Slot slot, final BlockStatus status)
    {
        finish(slot, status, null);
    }

    /** The memory of a request is that of the request below, so the device below may hold it. */
    private void finish(final Slot slot, final BlockStatus status, final MemoryHold hold)
    {
        final BlockRequest request = slot.request;
        final PowerLoss loss = device.powerLoss();
        final boolean isLost = slot.powerLoss != loss;
        if (isLost)
        {
            request.failed(FailureCause.FAULT_RULE, loss.ruleNumber());
        }
        slot.request = null;
        slot.powerLoss = null;
        slot.rule = null;
        slot.state = State.FREE;
        slot.next = free;
        free = slot;
        inFlight--;
        MemoryQuarantine.completeWith(request, isLost ? loss.status() : status, hold);
    }

    private enum State
    {
        /** Holds no request. */
        FREE,
        /** A timer runs. */
        DELAYED,
        /** Queued for the application of its decision. */
        READY,
        /** With the inner channel. */
        PASSED_ON,
        /** Kept until the channel is closed. */
        HUNG
    }

    /** One request on its way through the channel. */
    private static final class Slot implements TimerListener
    {
        private final FaultChannel channel;
        private final BlockRequest innerRequest;
        private State state = State.FREE;
        private BlockRequest request;
        /** The last one when the request came. */
        private PowerLoss powerLoss;
        private FaultRule rule;
        private int ruleNumber;
        private int blocks;
        private long timerId;
        private Slot next;

        Slot(final FaultChannel channel)
        {
            this.channel = channel;
            innerRequest = new BlockRequest(this, FaultChannel::onInnerComplete);
        }

        void begin(final BlockRequest newRequest, final FaultRule newRule)
        {
            request = newRequest;
            powerLoss = channel.device.powerLoss();
            rule = newRule;
            ruleNumber = channel.decider.ruleNumber();
            blocks = null != newRule && FaultEffect.TORN_WRITE == newRule.effect() ?
                channel.decider.tornBlocks(newRequest.blocks()) : newRequest.blocks();
            fill(innerRequest, newRequest, blocks);
        }

        @Override
        public void onTimer(final long nowNs)
        {
            channel.onDelayOver(this);
        }
    }

    private static void onInnerComplete(final BlockRequest innerRequest)
    {
        final Slot slot = (Slot)innerRequest.owner();
        slot.channel.onInnerComplete(slot, innerRequest.status());
    }
}
