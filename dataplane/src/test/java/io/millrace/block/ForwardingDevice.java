package io.millrace.block;

import java.util.function.Supplier;

/**
 * A device whose channels pass what they are asked for on to those of another device. A test builds on it what is to be
 * counted, held or answered otherwise.
 */
public abstract class ForwardingDevice implements BlockDevice
{
    private final BlockDevice inner;
    private final Supplier<BlockGeometry> geometry;

    /** With the other device's geometry, which may grow. */
    protected ForwardingDevice(final BlockDevice inner)
    {
        this.inner = inner;
        geometry = inner::geometry;
    }

    /** With a geometry of its own. */
    protected ForwardingDevice(final BlockDevice inner, final BlockGeometry geometry)
    {
        this.inner = inner;
        this.geometry = () -> geometry;
    }

    /** {@return a channel that passes requests on to one of the other device} */
    protected abstract BlockChannel forward(BlockChannel below, ReactorContext context);

    @Override
    public String name()
    {
        return inner.name();
    }

    @Override
    public final BlockGeometry geometry()
    {
        return geometry.get();
    }

    @Override
    public final void open(final ReactorContext context, final OpenListener listener)
    {
        inner.open(context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                listener.onOpened(forward(channel, context));
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
        inner.close();
    }

    /** Of one reactor. */
    protected abstract static class Channel implements BlockChannel
    {
        /** The other device's. */
        protected final BlockChannel below;

        /** Passes requests on to a channel. */
        protected Channel(final BlockChannel below)
        {
            this.below = below;
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            return below.submit(request);
        }

        @Override
        public void releaseLoan(final BlockRequest request)
        {
            below.releaseLoan(request);
        }

        @Override
        public int poll()
        {
            return below.poll();
        }

        @Override
        public boolean canSleep()
        {
            return below.canSleep();
        }

        @Override
        public int inFlight()
        {
            return below.inFlight();
        }

        @Override
        public void close(final CloseListener listener)
        {
            below.close((closed) -> listener.onClosed(this));
        }
    }
}
