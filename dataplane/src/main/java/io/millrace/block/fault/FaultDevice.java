package io.millrace.block.fault;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A device that passes requests on to another one, except as its plan says. The plan may be replaced while channels are
 * open: any thread but the reactors'.
 */
public final class FaultDevice implements BlockDevice
{
    /** Setting with the capacity of the write cache in bytes. */
    public static final String WRITE_CACHE_SIZE = "write-cache-size";

    private final String name;
    private final BlockDevice inner;
    private final boolean ownsInner;
    private final List<FaultChannel> channels = new ArrayList<>();
    /** Null without a write cache. */
    private final WriteCacheDevice cached;
    /** The last one; null before the first. */
    private volatile PowerLoss powerLoss;
    private volatile FaultPlan plan;
    private volatile AtomicLongArray faultCounts;
    private int channelCount;

    private FaultDevice(
        final String name,
        final BlockDevice inner,
        final boolean ownsInner,
        final FaultPlan plan,
        final long writeCacheBytes)
    {
        this.name = name;
        this.inner = inner;
        this.ownsInner = ownsInner;
        cached = 0 == writeCacheBytes ? null : new WriteCacheDevice(name, inner, writeCacheBytes);
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
        return new FaultDevice(name, inner, true, plan, 0);
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
        return wrapBorrowed(name, inner, plan, 0);
    }

    /**
     * Wraps a device that its owner closes, with a volatile write cache.
     *
     * @param name            of the wrapping device.
     * @param inner           to pass requests on to; not closed with this device.
     * @param plan            of faults.
     * @param writeCacheBytes capacity of the cache, from a block to 64 MiB, rounded down to whole blocks; 0 for none.
     *                        The last channel that is closed writes it back, in 10 s at most.
     * @return the wrapping device.
     * @throws BlockDeviceException when the cache is too small or too large, or there is not so much memory.
     */
    public static FaultDevice wrapBorrowed(
        final String name, final BlockDevice inner, final FaultPlan plan, final long writeCacheBytes)
    {
        return new FaultDevice(name, inner, false, plan, writeCacheBytes);
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
        return below().geometry().toBuilder().lendsReads(false).completesInline(false)
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

    /**
     * {@return the device that channels submit to: the wrapped one, or its write cache}
     */
    BlockDevice below()
    {
        return null == cached ? inner : cached;
    }

    /**
     * {@return the last loss of power; null before the first}
     */
    PowerLoss powerLoss()
    {
        return powerLoss;
    }

    /**
     * Loses power: see {@link FaultEffect#POWER_LOSS}. Any thread.
     *
     * @param seed of the choice of blocks of the write cache that survive.
     */
    public void losePower(final long seed)
    {
        losePower(new SplittableRandom(seed), new PowerLoss(BlockStatus.DEVICE_ERROR, 0));
    }

    void losePower(final SplittableRandom random, final PowerLoss loss)
    {
        if (null == cached)
        {
            powerLoss = loss;
        }
        else
        {
            cached.cache().lose(random, () -> powerLoss = loss);
        }
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        below().open(context, new OpenListener()
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
        if (null != cached)
        {
            cached.close();
        }
        if (ownsInner)
        {
            inner.close();
        }
    }
}
