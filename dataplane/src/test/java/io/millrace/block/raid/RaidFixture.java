package io.millrace.block.raid;

import io.millrace.block.BackgroundWork;
import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceServices;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.ReactorContext;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Members for an array, and a reactor for its own work, for tests. */
final class RaidFixture implements DeviceServices, AutoCloseable
{
    private static final int BUFFERS_BYTES = 4 << 20;
    private static final int PATIENCE_S = 30;

    private final Reactor reactor = new Reactor(ReactorConfig.of("raid-work", -1));
    private final DmaMemory memory;
    private final BufferPool buffers;
    private final List<BlockDevice> owned = new ArrayList<>();
    private final List<CompletableFuture<Void>> ended = new ArrayList<>();
    private final List<BackgroundWork> works = new ArrayList<>();

    /** What arrays announced, in its order. */
    private final Queue<String> events = new ConcurrentLinkedQueue<>();
    /** Those of them that an operator has to do something about. */
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    RaidFixture()
    {
        this(BUFFERS_BYTES);
    }

    /** With so much memory for buffers, which says how long parts of the arrays' own work are. */
    RaidFixture(final int buffersBytes)
    {
        memory = DmaMemory.map(buffersBytes);
        buffers = new BufferPool(memory.address(), buffersBytes, BUFFERS_BYTES / 2);
        reactor.start();
        call(() -> reactor.addPoller(buffers));
    }

    /** {@return the reactor of the arrays' own work} */
    Reactor reactor()
    {
        return reactor;
    }

    /** Memory devices with room for so much data. */
    List<BlockDevice> memoryMembers(final int count, final long dataBytes, final int blockBytes)
    {
        final List<BlockDevice> members = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            members.add(own(MemoryDevice.create("m" + i, deviceBytes(dataBytes), blockBytes)));
        }
        return members;
    }

    static long deviceBytes(final long dataBytes)
    {
        return MemberArea.DATA_OFFSET_BYTES + dataBytes + 4096;
    }

    BlockDevice own(final BlockDevice device)
    {
        owned.add(device);
        return device;
    }

    static RaidConfig config(
        final RaidLevel level, final int stripBytes, final List<BlockDevice> members, final List<BlockDevice> spares)
    {
        return new RaidConfig("array", level, stripBytes, members.stream().map(BlockDevice::name).toList(),
            spares.stream().map(BlockDevice::name).toList(), false, false, false, CopyRates.DEFAULT);
    }

    /** An array whose own work runs. */
    RaidDevice assemble(final RaidConfig config, final List<BlockDevice> devices)
    {
        return assemble(config, devices, RaidTimes.DEFAULT);
    }

    RaidDevice assemble(final RaidConfig config, final List<BlockDevice> devices, final RaidTimes times)
    {
        return assemble(config, devices, List.of(), times);
    }

    /** With devices that nothing uses. */
    RaidDevice assemble(
        final RaidConfig config,
        final List<BlockDevice> devices,
        final List<BlockDevice> unused,
        final RaidTimes times)
    {
        final RaidDevice array = RaidAssembly.assemble(config, devices, () -> unused, null, times);
        array.start(this);
        return array;
    }

    RaidDevice create(final RaidLevel level, final int stripBytes, final List<BlockDevice> members)
    {
        return create(level, stripBytes, members, JournalMode.DEGRADED);
    }

    RaidDevice create(
        final RaidLevel level, final int stripBytes, final List<BlockDevice> members, final JournalMode journal)
    {
        return assemble(new RaidConfig("array", level, stripBytes, members.stream().map(BlockDevice::name).toList(),
            List.of(), false, false, false, CopyRates.DEFAULT, journal), members);
    }

    @Override
    public void onStatusChanged()
    {
        // Tests ask for the status.
    }

    @Override
    public void onEvent(final String sentence, final boolean isFailure)
    {
        events.add(sentence);
        if (isFailure)
        {
            failures.add(sentence);
        }
    }

    Queue<String> events()
    {
        return events;
    }

    Queue<String> failures()
    {
        return failures;
    }

    @Override
    public boolean run(final BackgroundWork work)
    {
        final CompletableFuture<Void> end = new CompletableFuture<>();
        ended.add(end);
        works.add(work);
        reactor.execute(() ->
        {
            work.start(new ReactorContext(reactor, buffers, new MemoryQuarantine()));
            reactor.addPoller(new Poller()
            {
                @Override
                public int poll()
                {
                    final int count = work.poll();
                    if (work.isDone())
                    {
                        reactor.removePoller(this);
                        end.complete(null);
                    }
                    return count;
                }

                @Override
                public boolean canSleep()
                {
                    return work.canSleep();
                }
            });
        });
        return true;
    }

    /** Ends the work of all arrays, as a data plane does that is closed. */
    void stop()
    {
        works.forEach((work) -> reactor.execute(work::stop));
        works.clear();
        ended.forEach(RaidFixture::get);
        ended.clear();
    }

    /** Cuts the power of drives that arrays' own work alone has channels to. */
    void cut(final PowerSupply supply)
    {
        call(supply::cut);
    }

    /** Arrays' own work has so many turns, however busy the machine is. */
    void turn(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            call(() ->
            {
            });
        }
    }

    private void call(final Runnable command)
    {
        get(reactor.call(() ->
        {
            command.run();
            return null;
        }));
    }

    static <T> T get(final CompletableFuture<T> future)
    {
        try
        {
            return future.get(PATIENCE_S, TimeUnit.SECONDS);
        }
        catch (final Exception e)
        {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close()
    {
        stop();
        call(() -> reactor.removePoller(buffers));
        reactor.close();
        for (final BlockDevice each : owned)
        {
            try
            {
                each.close();
            }
            catch (final Exception e)
            {
                throw new AssertionError(e);
            }
        }
        memory.close();
    }
}
