package io.millrace.block.raid;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/**
 * A member that notes what it is asked for, says of itself what a test wants, and ends operations as a test wants.
 */
final class CountedDevice implements BlockDevice
{
    private final BlockDevice inner;
    private final BlockGeometry geometry;
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final Set<BlockOperation> refused = ConcurrentHashMap.newKeySet();
    private volatile BlockOperation failing;

    /** A request that changes data. */
    record Asked(BlockOperation operation, long lba, int blocks, boolean isForced)
    {
    }

    CountedDevice(final BlockDevice inner, final UnaryOperator<BlockGeometry.Builder> abilities)
    {
        this.inner = inner;
        geometry = abilities.apply(inner.geometry().toBuilder().lendsReads(false)).build();
    }

    /** From now on an operation ends as not supported. */
    void refuse(final BlockOperation operation)
    {
        refused.add(operation);
    }

    /** From now on an operation ends as an error of the device. */
    void fail(final BlockOperation operation)
    {
        failing = operation;
    }

    /** Forgets what it was asked for. */
    void forget()
    {
        asked.clear();
    }

    /** {@return requests of an operation within the members' data} */
    long count(final BlockOperation operation)
    {
        return asked.stream().filter((each) -> operation == each.operation()).count();
    }

    /** {@return bytes of all requests of an operation within the members' data} */
    long bytes(final BlockOperation operation)
    {
        return asked.stream().filter((each) -> operation == each.operation()).mapToLong(Asked::blocks).sum() *
            geometry.blockSizeBytes();
    }

    Queue<Asked> asked()
    {
        return asked;
    }

    @Override
    public String name()
    {
        return inner.name();
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        inner.open(context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                listener.onOpened(new Channel(channel));
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

    private final class Channel implements BlockChannel
    {
        private final BlockChannel below;

        private Channel(final BlockChannel below)
        {
            this.below = below;
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            final BlockOperation operation = request.operation();
            if (refused.contains(operation))
            {
                request.complete(BlockStatus.NOT_SUPPORTED);
                return true;
            }
            if (operation == failing)
            {
                request.complete(BlockStatus.DEVICE_ERROR);
                return true;
            }
            final long dataBlock = RaidChannel.dataOffsetBytes() / geometry.blockSizeBytes();
            final Asked noted =
                new Asked(operation, request.lba() - dataBlock, request.blocks(), request.forceUnitAccess());
            if (!below.submit(request))
            {
                return false;
            }
            if (operation.changesData() && noted.lba() >= 0)
            {
                asked.add(noted);
            }
            return true;
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
