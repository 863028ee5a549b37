package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BackgroundWork;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceServices;
import io.millrace.block.Initiator;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** An array whose own work is on the reactor of the test, so that a crash ends all of it at once. */
final class CrashingArray implements CrashRun.Working, DeviceServices
{
    private static final int BUFFERS_BYTES = 4 << 20;
    private static final long LATER_NS = 200_000;

    private final RaidDevice array;
    private final DmaMemory memory = DmaMemory.map(BUFFERS_BYTES);
    private final BufferPool buffers = new BufferPool(memory.address(), BUFFERS_BYTES, BUFFERS_BYTES / 4);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private Reactor reactor;
    private BackgroundWork work;

    private final Runnable onSpareWanted;
    private Runnable onBegun = () ->
    {
    };

    CrashingArray(final RaidDevice array)
    {
        this(array, () ->
        {
        });
    }

    /** With what is done when it lacks a member and has no spare; on the reactor. */
    CrashingArray(final RaidDevice array, final Runnable onSpareWanted)
    {
        this.array = array;
        this.onSpareWanted = onSpareWanted;
    }

    /** With what is done when its work has begun. */
    CrashingArray onBegun(final Runnable action)
    {
        onBegun = action;
        return this;
    }

    /** Does something a little later, on the reactor, unless its work has ended. */
    void later(final Runnable action)
    {
        reactor.schedule(reactor.nowNs() + LATER_NS, (nowNs) ->
        {
            if (!ended.isDone())
            {
                action.run();
            }
        });
    }

    @Override
    public void onSpareWanted()
    {
        onSpareWanted.run();
    }

    /** {@return whether blocks have checksums in a run by its number: in some, where the level may have them} */
    static boolean hasChecksums(final RaidLevel level, final int run)
    {
        return level.parityCount() > 0 && 1 == run % 4;
    }

    /** {@return bytes of a device with so much data, and with its checksums, if any} */
    static long deviceBytes(final long memberBytes, final int blockBytes, final boolean checksums)
    {
        return RaidFixture.deviceBytes(memberBytes) +
            (checksums ? (long)ChecksumArea.pageCount(memberBytes, blockBytes) * ChecksumArea.PAGE_BYTES : 0);
    }

    RaidDevice array()
    {
        return array;
    }

    @Override
    public void begin(final Initiator initiator)
    {
        array.start(this);
        onBegun.run();
        if (null != array.intent())
        {
            // Beside all that hosts, failures and a resync do: it must neither change nor miss anything.
            array.scrubControl().request(ScrubMode.REPAIR);
        }
    }

    @Override
    public void onStatusChanged()
    {
        // The test looks at what hosts see.
    }

    @Override
    public boolean run(final BackgroundWork newWork)
    {
        work = newWork;
        reactor.execute(() ->
        {
            newWork.start(new ReactorContext(reactor, buffers, new MemoryQuarantine()));
            reactor.addPoller(new Poller()
            {
                @Override
                public int poll()
                {
                    final int count = newWork.poll();
                    if (newWork.isDone())
                    {
                        reactor.removePoller(this);
                        ended.complete(null);
                    }
                    return count;
                }

                @Override
                public boolean canSleep()
                {
                    return newWork.canSleep();
                }
            });
        });
        return true;
    }

    @Override
    public void end(final Initiator initiator)
    {
        final ScrubResult scrub = array.scrubControl().result();
        assertEquals(0, null == scrub ? 0 : scrub.mismatches(), () -> "rows that differ outside of regions to " +
            "resynchronize: " + scrub);
        assertEquals(0, array.raidMembers().stream().mapToLong(RaidMember::wrongBlocks).sum(),
            "blocks with a checksum mismatch");
        assertEquals(0, array.raidMembers().stream().mapToLong(RaidMember::invalidChecksumPages).sum(),
            "pages of checksums that are not valid");
        if (null != work)
        {
            initiator.call(() ->
            {
                work.stop();
                return null;
            });
            initiator.get(ended);
        }
        initiator.call(() ->
        {
            reactor.removePoller(buffers);
            return null;
        });
    }

    @Override
    public String name()
    {
        return array.name();
    }

    @Override
    public BlockGeometry geometry()
    {
        return array.geometry();
    }

    @Override
    public List<BlockDevice> members()
    {
        return array.members();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        if (null == reactor)
        {
            // Write caches of members need more than the initiator has.
            reactor = context.reactor();
            reactor.addPoller(buffers);
        }
        array.open(new ReactorContext(reactor, buffers, context.quarantine()), listener);
    }

    @Override
    public void close()
    {
        array.close();
        memory.close();
    }
}
