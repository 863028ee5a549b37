package io.millrace.block.fault;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.reactor.Reactor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A device that passes requests on to another one, except as its plan says. Owns the other device.
 */
public final class FaultDevice implements BlockDevice
{
    private final String name;
    private final BlockDevice inner;
    private final BlockGeometry geometry;
    private final FaultPlan plan;
    private final AtomicLongArray faultCounts;
    private final AtomicInteger channelCount = new AtomicInteger();

    private FaultDevice(final String name, final BlockDevice inner, final FaultPlan plan)
    {
        this.name = name;
        this.inner = inner;
        this.plan = plan;
        faultCounts = new AtomicLongArray(Math.max(1, plan.rules().size()));
        final BlockGeometry g = inner.geometry();
        // A delayed write keeps its memory, and a lent read could not be told from one that was tampered with.
        geometry = new BlockGeometry(g.blockSizeBytes(), g.blockCount(), g.maxTransferBytes(), g.memoryAlignmentBytes(),
            false, false, g.volatileWriteCache(), g.supportsWriteZeroes(), g.supportsDeallocate(),
            g.deallocatedReadsZero(), g.readOnly());
    }

    /**
     * Wraps a device and takes its name.
     *
     * @param inner to pass requests on to; closed with this device.
     * @param plan  of faults.
     * @return the wrapping device.
     */
    public static FaultDevice wrap(final BlockDevice inner, final FaultPlan plan)
    {
        return wrap(inner.name(), inner, plan);
    }

    /**
     * Wraps a device.
     *
     * @param name  of the wrapping device.
     * @param inner to pass requests on to; closed with this device.
     * @param plan  of faults.
     * @return the wrapping device.
     */
    public static FaultDevice wrap(final String name, final BlockDevice inner, final FaultPlan plan)
    {
        return new FaultDevice(name, inner, plan);
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    /**
     * {@return the wrapped device}
     */
    public BlockDevice inner()
    {
        return inner;
    }

    /**
     * How often a rule did something, on all channels together. Any thread.
     *
     * @param rule index in the plan.
     * @return count of faults.
     */
    public long faultCount(final int rule)
    {
        return faultCounts.get(rule);
    }

    @Override
    public BlockChannel open(final Reactor reactor)
    {
        final FaultDecider decider = new FaultDecider(plan, channelCount.getAndIncrement(), faultCounts);
        return new FaultChannel(inner.open(reactor), reactor, decider);
    }

    @Override
    public void close()
    {
        inner.close();
    }
}
