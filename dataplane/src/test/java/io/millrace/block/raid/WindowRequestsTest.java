package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.ReshapeState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests of hosts, and the window of a reshape. */
class WindowRequestsTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 1 << 20;
    private static final int ROWS = 16;
    /** Stripe requests of a channel. */
    private static final int STRIPE_REQUESTS = 128;
    private static final int POLLS = 100;
    private static final long LOOK_NS = 200_000_000;

    private static Initiator.Io send(
        final Initiator host,
        final RaidChannel channel,
        final BlockOperation operation,
        final long offset,
        final int length,
        final long address)
    {
        final Initiator.Io io = host.io();
        if (0 != address)
        {
            Initiator.fill(io.request(), operation, offset / BLOCK, length / BLOCK, false, address, length);
        }
        else
        {
            Initiator.fill(io.request(), operation, offset / BLOCK, length / BLOCK, false);
        }
        assertTrue(channel.submit(io.request()));
        return io;
    }

    /**
     * What is left of a stripe whose first rows were written waits for no window: the window waits for it, also while
     * requests elsewhere have all stripe requests of the channel.
     */
    @ParameterizedTest
    @EnumSource(names = {"WRITE", "WRITE_ZEROES"})
    void shouldWaitForRowsOfAStripeThatNoStripeRequestHasYet(final BlockOperation operation)
    {
        try (RaidFixture fixture = new RaidFixture(); DmaMemory memory = DmaMemory.map(STRIP))
        {
            final List<HeldMember> members = fixture.memoryMembers(3, (long)ROWS * STRIP, BLOCK).stream()
                .map(HeldMember::new).toList();
            final RaidDevice array = fixture.create(RaidLevel.RAID5, STRIP, List.copyOf(members));
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
            final AtomicBoolean isDrained = new AtomicBoolean();
            final List<Initiator.Io> ios = new ArrayList<>();
            try (Initiator host = new Initiator("host", array))
            {
                members.forEach((each) -> each.hold((asked, block) -> true));
                final long far = 4L * STRIP;
                host.call(() ->
                {
                    final RaidChannel channel = (RaidChannel)host.channel();
                    // Of two parts each, which need no buffers.
                    final int length = 2 * channel.sizes().rowBytesMax();
                    assertTrue(2 * length < STRIP);
                    for (int i = 2; i < STRIPE_REQUESTS; i += 2)
                    {
                        ios.add(send(host, channel, BlockOperation.READ, far, length, memory.address()));
                    }
                    assertTrue(channel.hasFreeStripe());
                    ios.add(send(host, channel, operation, 0, STRIP,
                        BlockOperation.WRITE == operation ? memory.address() : 0));
                    assertFalse(channel.hasFreeStripe());
                    // They have the next ones that are free.
                    ios.add(send(host, channel, BlockOperation.WRITE_ZEROES, far, BLOCK, 0));
                    ios.add(send(host, channel, BlockOperation.WRITE_ZEROES, far + STRIP / 2, BLOCK, 0));
                    return null;
                });
                final long farBlock = far / 2 / BLOCK;
                members.forEach((each) -> each.hold((asked, block) -> block >= farBlock));
                ArrayFixture.await(() -> host.call(() ->
                    isLeft((RaidChannel)host.channel(), operation)), "written in part");
                host.call(() ->
                {
                    ((RaidChannel)host.channel()).window().drain(window(), () -> isDrained.set(true));
                    return null;
                });
                LockSupport.parkNanos(LOOK_NS);
                assertFalse(isDrained.get(), "rows of the window are still to be written");
                members.forEach(HeldMember::letGo);
                ios.forEach((io) -> assertEquals(BlockStatus.SUCCESS, host.await(io)));
                ArrayFixture.await(isDrained::get, "drained");
            }
            fixture.stop();
            array.close();
        }
    }

    /** Members that end what they are asked for at once leave a channel that has nothing to be polled for. */
    @Test
    void shouldBePolledUntilTheWindowIsDrained()
    {
        try (RaidFixture fixture = new RaidFixture(); DmaMemory memory = DmaMemory.map(BLOCK))
        {
            final RaidDevice array =
                fixture.create(RaidLevel.RAID5, STRIP, fixture.memoryMembers(3, (long)ROWS * STRIP, BLOCK));
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
            final AtomicBoolean isDrained = new AtomicBoolean();
            try (Initiator host = new Initiator("host", array))
            {
                final Initiator.Io io = host.call(() ->
                {
                    final RaidChannel channel = (RaidChannel)host.channel();
                    channel.hold();
                    final Initiator.Io sent = send(host, channel, BlockOperation.WRITE, 0, BLOCK, memory.address());
                    channel.window().drain(window(), () -> isDrained.set(true));
                    channel.resume();
                    return sent;
                });
                assertEquals(BlockStatus.SUCCESS, host.await(io));
                ArrayFixture.await(isDrained::get, "drained");
            }
            fixture.stop();
            array.close();
        }
    }

    /** They were submitted before there was a window, and nobody asks again whether they may begin. */
    @Test
    void shouldWaitForWritesThatWereGathered()
    {
        try (RaidFixture fixture = new RaidFixture(); DmaMemory memory = DmaMemory.map(BLOCK))
        {
            final RaidDevice array =
                fixture.create(RaidLevel.RAID5, STRIP, fixture.memoryMembers(3, (long)ROWS * STRIP, BLOCK));
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
            final AtomicBoolean isDrained = new AtomicBoolean();
            try (Initiator host = new Initiator("host", array))
            {
                // Its region is set in the bitmap from here on.
                assertEquals(BlockStatus.SUCCESS,
                    host.run(BlockOperation.WRITE, 2, 1, false, memory.address(), BLOCK));
                final List<Initiator.Io> ios = new ArrayList<>();
                final boolean isEarly = host.call(() ->
                {
                    final RaidChannel channel = (RaidChannel)host.channel();
                    ios.add(send(host, channel, BlockOperation.WRITE, 0, BLOCK, memory.address()));
                    ios.add(send(host, channel, BlockOperation.WRITE, BLOCK, BLOCK, memory.address()));
                    assertTrue(channel.hasGathered());
                    channel.window().drain(window(), () -> isDrained.set(true));
                    return isDrained.get();
                });
                assertFalse(isEarly, "rows of the window are still to be written");
                ios.forEach((io) -> assertEquals(BlockStatus.SUCCESS, host.await(io)));
                ArrayFixture.await(isDrained::get, "drained");
            }
            fixture.stop();
            array.close();
        }
    }

    private static StripMap window()
    {
        return StripMap.of(ArrayLayout.of(RaidLevel.RAID5, 4, STRIP, (long)ROWS * STRIP),
            new ReshapeState(3, 0, 0, ReshapeState.Stage.MOVING)).waitingFor(0, STRIP);
    }

    /** Whether a request has rows of a stripe left that no stripe request has. */
    private static boolean isLeft(final RaidChannel channel, final BlockOperation operation)
    {
        final ArrayRequest first =
            BlockOperation.WRITE == operation ? channel.firstIssuing() : channel.zeroes().first();
        return null != first && 0 != first.nextRow() && !channel.hasFreeStripe();
    }

    /** A member that does not answer makes a step of the reshape last. */
    private static ArrayFixture inWindow()
    {
        final ArrayFixture fixture = new ArrayFixture(TestSeeds.random(), RaidLevel.RAID5, 4, 0);
        fixture.copyRates(new CopyRates(64 << 10, 64 << 10));
        fixture.addDisk();
        fixture.set("d0 d1 d2 d3 d4", "");
        ArrayFixture.await(() -> fixture.array().view().map().state().position() > 0, "begun");
        fixture.disk(1).state(MemberState.HANGING);
        ArrayFixture.await(() -> blocks(fixture), "in a step");
        return fixture;
    }

    private static long windowOffset(final ArrayFixture fixture)
    {
        final StripMap map = fixture.array().view().map();
        return map.state().position() * map.layout().dataCount() * ArrayFixture.STRIP_BYTES;
    }

    private static boolean blocks(final ArrayFixture fixture)
    {
        final long offset = windowOffset(fixture);
        return fixture.array().view().map().blocks(offset, offset + BLOCK);
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE_ZEROES", "DEALLOCATE", "READ"})
    void shouldNotBeBusyWithRequestsThatWait(final BlockOperation operation)
    {
        try (ArrayFixture fixture = inWindow(); Initiator host = fixture.anotherHost("waiting");
            DmaMemory memory = DmaMemory.map(BLOCK))
        {
            final long lba = windowOffset(fixture) / BLOCK;
            final Initiator.Io io = host.io();
            if (BlockOperation.READ == operation)
            {
                Initiator.fill(io.request(), operation, lba, 1, false, memory.address(), BLOCK);
            }
            else
            {
                Initiator.fill(io.request(), operation, lba, 12, false);
            }
            host.send(io);
            final int done = host.call(() ->
            {
                int count = 0;
                for (int i = 0; i < POLLS; i++)
                {
                    count += host.channel().poll();
                }
                return count;
            });
            assertFalse(io.result().isDone());
            assertEquals(0, done, "polls that did something");
            host.call(() ->
            {
                fixture.array().channels().onProgress();
                assertFalse(host.channel().canSleep(), "it is armed, to be woken when the window moves");
                return null;
            });
            fixture.disk(1).state(MemberState.ONLINE);
            assertEquals(BlockStatus.SUCCESS, host.await(io));
        }
    }

    @Test
    void shouldEndZeroesThatWaitWhenTheChannelCloses()
    {
        try (ArrayFixture fixture = inWindow(); Initiator host = fixture.anotherHost("waiting"))
        {
            final Initiator.Io io = host.io();
            Initiator.fill(io.request(), BlockOperation.WRITE_ZEROES, windowOffset(fixture) / BLOCK, 12, false);
            host.send(io);
            host.closeChannel();
            assertEquals(BlockStatus.ABORTED, host.await(io));
            fixture.disk(1).state(MemberState.ONLINE);
        }
    }
}
