package io.millrace.block.fault;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A device that passes requests on to another one, except as its plan says. The plan may be replaced while channels are
 * open: any thread but the reactors'.
 */
public final class FaultDevice implements BlockDevice
{
    private final String name;
    private final BlockDevice inner;
    private final boolean ownsInner;
    private final List<FaultChannel> channels = new ArrayList<>();
    private volatile FaultPlan plan;
    private volatile AtomicLongArray faultCounts;
    private int channelCount;

    private FaultDevice(final String name, final BlockDevice inner, final boolean ownsInner, final FaultPlan plan)
    {
        this.name = name;
        this.inner = inner;
        this.ownsInner = ownsInner;
        set(plan);
    }

    private void set(final FaultPlan newPlan)
    {
        plan = newPlan;
        faultCounts = new AtomicLongArray(Math.max(1, newPlan.rules().size()));
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
        return new FaultDevice(name, inner, true, plan);
    }

    /**
     * Wraps a device that its owner closes.
     *
     * @param name  of the wrapping device.
     * @param inner to pass requests on to; not closed with this device.
     * @param plan  of faults.
     * @return the wrapping device.
     */
    public static FaultDevice wrapBorrowed(final String name, final BlockDevice inner, final FaultPlan plan)
    {
        return new FaultDevice(name, inner, false, plan);
    }

    /**
     * Replaces the plan; counts of faults begin again. Requests that a former rule keeps hanging end with
     * {@link io.millrace.block.BlockStatus#ABORTED}; those that it delays come when they would have.
     *
     * @param newPlan of faults.
     * @return done when every open channel goes by it.
     */
    public synchronized CompletableFuture<Void> plan(final FaultPlan newPlan)
    {
        set(newPlan);
        return CompletableFuture.allOf(channels.stream().map((channel) -> channel.reactor().call(() ->
        {
            channel.replace(newPlan, faultCounts);
            return null;
        })).toArray(CompletableFuture[]::new));
    }

    /**
     * {@return the plan it goes by}
     */
    public FaultPlan plan()
    {
        return plan;
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public BlockGeometry geometry()
    {
        // A delayed write keeps its memory, and a lent read could not be modified.
        return inner.geometry().toBuilder().lendsReads(false).completesInline(false)
            .supportsCompare(true).supportsVerify(true).supportsWriteZeroes(true).build();
    }

    @Override
    public List<BlockDevice> members()
    {
        return List.of(inner);
    }

    /**
     * {@inheritDoc}
     * That of the wrapped device: faults are not reported as bad health, as they are intended.
     */
    @Override
    public DeviceStatus status()
    {
        return inner.status();
    }

    /**
     * {@return the wrapped device}
     */
    public BlockDevice inner()
    {
        return inner;
    }

    /**
     * How often a rule was applied, on all channels together, since the plan was set. Any thread.
     *
     * @param rule index in the plan.
     * @return count of faults.
     */
    public long faultCount(final int rule)
    {
        return faultCounts.get(rule);
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        inner.open(context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                listener.onOpened(add(channel, context));
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                listener.onOpenFailed(reason);
            }
        });
    }

    private synchronized FaultChannel add(final BlockChannel below, final ReactorContext context)
    {
        final FaultChannel channel = new FaultChannel(this, below, context, channelCount, plan, faultCounts);
        channelCount++;
        channels.add(channel);
        return channel;
    }

    synchronized void remove(final FaultChannel channel)
    {
        channels.remove(channel);
    }

    @Override
    public void close()
    {
        if (ownsInner)
        {
            inner.close();
        }
    }
}
