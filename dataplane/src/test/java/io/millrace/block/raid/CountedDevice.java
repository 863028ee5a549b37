package io.millrace.block.raid;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.ForwardingDevice;
import io.millrace.block.ReactorContext;
import io.millrace.block.raid.format.MemberArea;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * A member that notes what it is asked for, says of itself what a test wants, and ends operations as a test wants.
 */
final class CountedDevice extends ForwardingDevice
{
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final Set<BlockOperation> refused = ConcurrentHashMap.newKeySet();
    private volatile BlockOperation failing;
    private final AtomicInteger held = new AtomicInteger();
    private volatile Holding holding = Holding.NOTHING;
    private long rangeBlock;
    private long rangeEndBlock;

    /** A request that changes data. */
    record Asked(BlockOperation operation, long lba, int blocks, boolean isForced)
    {
    }

    /** Which requests that change data wait, and what becomes of them when their channel closes. */
    private enum Holding
    {
        /** None. */
        NOTHING,
        /** Those to the array's data; they are done at the close. */
        DATA,
        /** Those to the array's data; they are aborted at the close, as of a drive that hangs. */
        HUNG_DATA,
        /** Those to a range of the array's data; they are aborted at the close. */
        HUNG_RANGE,
        /** Those to the journal; they are aborted at the close. */
        HUNG_JOURNAL,
        /** Those to the list of lost blocks; they are aborted at the close. */
        HUNG_LISTS,
        /** All; they are aborted at the close. */
        HUNG
    }

    CountedDevice(final BlockDevice inner, final UnaryOperator<BlockGeometry.Builder> abilities)
    {
        super(inner, abilities.apply(inner.geometry().toBuilder().lendsReads(false)).build());
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

    /** From now on requests that change data wait, until their channel is closed at the latest. */
    void hold()
    {
        holding = Holding.DATA;
    }

    /** From now on requests that change data wait; they end as aborted, and undone, when their channel is closed. */
    void hang()
    {
        holding = Holding.HUNG_DATA;
    }

    /** From now on requests that change a range of the data wait, as by {@link #hang}. */
    void hang(final long offsetBytes, final long endBytes)
    {
        rangeBlock = offsetBytes / geometry().blockSizeBytes();
        rangeEndBlock = endBytes / geometry().blockSizeBytes();
        holding = Holding.HUNG_RANGE;
    }

    /** From now on writes of the journal wait; they end as aborted, and undone, when their channel is closed. */
    void hangJournal()
    {
        holding = Holding.HUNG_JOURNAL;
    }

    /** From now on writes of the list of lost blocks wait; they are aborted when their channel is closed. */
    void hangLists()
    {
        holding = Holding.HUNG_LISTS;
    }

    /** From now on requests that change anything wait; they end as aborted, and undone, when their channel closes. */
    void hangWholly()
    {
        holding = Holding.HUNG;
    }

    void letGo()
    {
        holding = Holding.NOTHING;
    }

    /** {@return requests that wait} */
    int held()
    {
        return held.get();
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
            geometry().blockSizeBytes();
    }

    Queue<Asked> asked()
    {
        return asked;
    }

    @Override
    protected BlockChannel forward(final BlockChannel below, final ReactorContext context)
    {
        return new Forwarding(below);
    }

    private final class Forwarding extends Channel
    {
        private final Queue<BlockRequest> waiting = new ArrayDeque<>();

        private Forwarding(final BlockChannel below)
        {
            super(below);
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
            final long dataBlock = RaidChannel.dataOffsetBytes() / geometry().blockSizeBytes();
            if (operation.changesData() && isHeld(request.lba(), dataBlock))
            {
                held.incrementAndGet();
                waiting.add(request);
                return true;
            }
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

        private boolean isHeld(final long lba, final long dataBlock)
        {
            return switch (holding)
            {
                case NOTHING -> false;
                case DATA, HUNG_DATA -> lba >= dataBlock;
                case HUNG_RANGE -> lba >= dataBlock + rangeBlock && lba < dataBlock + rangeEndBlock;
                case HUNG -> true;
                case HUNG_JOURNAL ->
                    lba >= MemberArea.JOURNAL_OFFSET_BYTES / geometry().blockSizeBytes() && lba < dataBlock;
                case HUNG_LISTS -> lba == MemberArea.lostBlocksOffset(0) / geometry().blockSizeBytes() ||
                    lba == MemberArea.lostBlocksOffset(1) / geometry().blockSizeBytes();
            };
        }

        @Override
        public int poll()
        {
            return (Holding.NOTHING == holding ? release() : 0) + below.poll();
        }

        private int release()
        {
            int count = 0;
            while (!waiting.isEmpty() && below.submit(waiting.peek()))
            {
                waiting.remove();
                held.decrementAndGet();
                count++;
            }
            return count;
        }

        @Override
        public boolean canSleep()
        {
            return waiting.isEmpty() && below.canSleep();
        }

        @Override
        public int inFlight()
        {
            return waiting.size() + below.inFlight();
        }

        @Override
        public void close(final CloseListener listener)
        {
            if (Holding.NOTHING == holding || Holding.DATA == holding)
            {
                release();
            }
            while (!waiting.isEmpty())
            {
                held.decrementAndGet();
                waiting.remove().complete(BlockStatus.ABORTED);
            }
            super.close(listener);
        }
    }
}
