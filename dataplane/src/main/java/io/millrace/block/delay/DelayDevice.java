package io.millrace.block.delay;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.ChannelQueue;
import io.millrace.block.CloseListener;
import io.millrace.block.DeviceProperties;
import io.millrace.block.DeviceStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.TimerListener;
import java.util.List;

/**
 * A device that holds each request for a time before it passes it on to another device. Times have the resolution of
 * the reactor's timers, 1 ms. They may be changed while channels are open, on any thread, and hold for requests from
 * then on.
 */
public final class DelayDevice implements BlockDevice
{
    /** Setting with the name of the device below. */
    public static final String BASE = "base";

    private final String name;
    private final BlockDevice base;
    private volatile long readDelayNs;
    private volatile long writeDelayNs;

    private DelayDevice(final String name, final BlockDevice base, final DeviceProperties properties)
    {
        this.name = name;
        this.base = base;
        apply(properties);
    }

    /**
     * A device over another one, which its owner closes.
     *
     * @param name       of the device.
     * @param base       to pass requests on to.
     * @param properties of the device, with its times.
     * @return the device.
     */
    public static DelayDevice over(final String name, final BlockDevice base, final DeviceProperties properties)
    {
        return new DelayDevice(name, base, properties);
    }

    /**
     * Applies other times to requests from now on.
     *
     * @param properties of the device, with its times.
     */
    public void apply(final DeviceProperties properties)
    {
        readDelayNs = properties.number("read-delay", 0);
        writeDelayNs = properties.number("write-delay", 0);
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public BlockGeometry geometry()
    {
        // Only reads that have memory of their own may be answered in that of the device below.
        return base.geometry().toBuilder().lendsReads(false).completesInline(false).build();
    }

    @Override
    public List<BlockDevice> members()
    {
        return List.of(base);
    }

    @Override
    public DeviceStatus status()
    {
        return base.status();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        base.open(context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                listener.onOpened(new DelayChannel(DelayDevice.this, channel, context.reactor()));
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                listener.onOpenFailed(reason);
            }
        });
    }

    @Override
    public void close()
    {
        // The device below belongs to its owner.
    }

    private long delayNs(final BlockOperation operation)
    {
        return operation.changesData() || BlockOperation.FLUSH == operation ? writeDelayNs : readDelayNs;
    }

    /** One reactor's channel. A request is in a slot until its time is over, then in the queue, then below. */
    private static final class DelayChannel implements BlockChannel
    {
        private static final int SLOT_COUNT = 256;

        private final DelayDevice device;
        private final BlockChannel below;
        private final Reactor reactor;
        private final ChannelQueue queue;
        private final Slot[] slots = new Slot[SLOT_COUNT];
        private Slot free;
        private int delayed;

        DelayChannel(final DelayDevice device, final BlockChannel below, final Reactor reactor)
        {
            this.device = device;
            this.below = below;
            this.reactor = reactor;
            queue = new ChannelQueue(device.base.geometry(), below::submit);
            for (int i = 0; i < SLOT_COUNT; i++)
            {
                slots[i] = new Slot(this);
                slots[i].next = free;
                free = slots[i];
            }
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            final long delayNs = device.delayNs(request.operation());
            if (0 == delayNs)
            {
                return !queue.isBlocking() && below.submit(request);
            }
            final Slot slot = free;
            if (null == slot)
            {
                return false;
            }
            free = slot.next;
            slot.request = request;
            // Not the clock of the cycle, which may have begun long ago.
            slot.timerId = reactor.schedule(reactor.clockNs() + delayNs, slot);
            delayed++;
            return true;
        }

        private BlockRequest release(final Slot slot)
        {
            final BlockRequest request = slot.request;
            slot.request = null;
            slot.next = free;
            free = slot;
            delayed--;
            return request;
        }

        /** Requests are passed on as they are, so a loan is of the channel below. */
        @Override
        public void releaseLoan(final BlockRequest request)
        {
            below.releaseLoan(request);
        }

        @Override
        public boolean isLoanWanted(final BlockRequest request)
        {
            return below.isLoanWanted(request);
        }

        @Override
        public int poll()
        {
            return queue.poll() + below.poll();
        }

        @Override
        public boolean canSleep()
        {
            return 0 == queue.size() && below.canSleep();
        }

        @Override
        public int inFlight()
        {
            return delayed + queue.size() + below.inFlight();
        }

        @Override
        public void close(final CloseListener listener)
        {
            for (final Slot slot : slots)
            {
                if (null != slot.request)
                {
                    reactor.cancel(slot.timerId);
                    release(slot).complete(BlockStatus.ABORTED);
                }
            }
            for (BlockRequest left = queue.removeFirst(); null != left; left = queue.removeFirst())
            {
                left.complete(BlockStatus.ABORTED);
            }
            below.close((closed) -> listener.onClosed(this));
        }
    }

    /** Holds a request until its time is over. */
    private static final class Slot implements TimerListener
    {
        private final DelayChannel channel;
        private BlockRequest request;
        private long timerId;
        private Slot next;

        Slot(final DelayChannel channel)
        {
            this.channel = channel;
        }

        @Override
        public void onTimer(final long nowNs)
        {
            channel.queue.submit(channel.release(this));
        }
    }
}
