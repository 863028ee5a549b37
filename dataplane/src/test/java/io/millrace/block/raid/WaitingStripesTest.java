package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a channel lets its reactor sleep beside stripe requests that wait: each was tried since it was armed. */
class WaitingStripesTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int STRIP_BYTES = 16 << 10;
    private static final long MEMBER_BYTES = 16 << 20;
    /** More than a poll tries, in two polls. */
    private static final int WAITING = 100;
    private static final long OTHER_ROWS = 32L * STRIP_BYTES;

    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory memory = DmaMemory.map(BLOCK_BYTES);
    private final List<Initiator.Io> ios = new ArrayList<>();
    private final List<HeldMember> members = fixture.memoryMembers(2, MEMBER_BYTES, BLOCK_BYTES).stream()
        .map(HeldMember::new).toList();
    private final RaidDevice array = fixture.create(RaidLevel.RAID1, STRIP_BYTES, List.copyOf(members));
    private final Initiator host = new Initiator("host", array);
    private final RaidChannel channel = (RaidChannel)host.channel();

    @AfterEach
    void close()
    {
        members.forEach(HeldMember::letGo);
        ios.forEach((each) -> assertEquals(BlockStatus.SUCCESS, host.get(each.result())));
        host.close();
        fixture.stop();
        array.close();
        fixture.close();
        memory.close();
    }

    private void holdWrites()
    {
        members.forEach((each) -> each.hold((operation, block) -> BlockOperation.WRITE == operation && block >= 0));
    }

    private int held()
    {
        return members.stream().mapToInt(HeldMember::held).sum();
    }

    private void write(final long offset)
    {
        final Initiator.Io io = host.io();
        Initiator.fill(io.request(), BlockOperation.WRITE, offset / BLOCK_BYTES, 1, false, memory.address(),
            BLOCK_BYTES);
        ios.add(io);
        assertTrue(channel.submit(io.request()));
    }

    /** On the reactor of the channel, while that of the array's own work does nothing. */
    private void alone(final Callable<Void> steps) throws InterruptedException
    {
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.WRITE, 0, 1, false, memory.address(), BLOCK_BYTES));
        final CountDownLatch isBlocked = new CountDownLatch(1);
        final CountDownLatch mayGoOn = new CountDownLatch(1);
        final CompletableFuture<Boolean> blocking = fixture.reactor().call(() ->
        {
            isBlocked.countDown();
            return mayGoOn.await(20, TimeUnit.SECONDS);
        });
        assertTrue(isBlocked.await(20, TimeUnit.SECONDS));
        try
        {
            host.call(steps);
        }
        finally
        {
            mayGoOn.countDown();
        }
        assertTrue(RaidFixture.get(blocking));
    }

    private void assertSleepsAfterTwoPolls()
    {
        assertFalse(channel.canSleep(), "not all were tried");
        channel.poll();
        assertFalse(channel.canSleep(), "a poll tries a part of them");
        channel.poll();
        assertTrue(channel.canSleep());
        assertTrue(channel.canSleep());
    }

    @Test
    void shouldSleepWhenAllWereTriedSinceItWasArmed() throws InterruptedException
    {
        alone(() ->
        {
            holdWrites();
            assertTrue(array.locks().tryExclusive(OTHER_ROWS, STRIP_BYTES));
            for (int i = 0; i <= WAITING; i++)
            {
                write(0);
            }
            assertFalse(channel.canSleep(), "it is armed");
            assertSleepsAfterTwoPolls();
            write(OTHER_ROWS);
            assertSleepsAfterTwoPolls();
            array.channels().onProgress();
            assertFalse(channel.canSleep(), "it is armed again");
            assertSleepsAfterTwoPolls();
            array.locks().releaseExclusive(OTHER_ROWS, STRIP_BYTES);
            final int before = held();
            for (int polls = 0; before == held(); polls++)
            {
                assertTrue(polls < 2, "tried all");
                channel.poll();
            }
            assertFalse(channel.canSleep(), "others may wait for what one that went on has done");
            channel.poll();
            channel.poll();
            assertTrue(channel.canSleep());
            return null;
        });
    }

    /** By whoever brings something about, each by itself: what else happens soon would hide that one is missing. */
    @Test
    void shouldBeTriedAgainWhenSomethingHasComeAbout() throws InterruptedException
    {
        alone(() ->
        {
            holdWrites();
            write(0);
            write(0);
            assertTriedAgainAfter(() -> array.publish(array.view()));
            array.gates().close();
            assertTriedAgainAfter(new JournalEpochs(array, true)::resume);
            assertTriedAgainAfter(array::onWorkEnded);
            return null;
        });
    }

    private void assertTriedAgainAfter(final Runnable progress)
    {
        channel.canSleep();
        channel.poll();
        assertTrue(channel.canSleep());
        progress.run();
        assertFalse(channel.canSleep());
    }

    @Test
    void shouldNotSleepWhileAMemberHasSomethingToDo() throws InterruptedException
    {
        alone(() ->
        {
            holdWrites();
            write(0);
            channel.poll();
            assertTrue(channel.canSleep());
            members.forEach(HeldMember::letGo);
            assertFalse(channel.canSleep(), "a member is to be polled");
            channel.poll();
            members.forEach(HeldMember::full);
            write(0);
            assertFalse(channel.canSleep(), "members are to be asked again");
            return null;
        });
    }
}
