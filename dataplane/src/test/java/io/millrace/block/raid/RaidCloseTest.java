package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Channels that close while some members have a write of a degraded array and others do not: nothing that a missing
 * member held is lost.
 */
class RaidCloseTest
{
    private static final int BLOCK = 4096;
    /** So that all rows of a stripe are one entry. */
    private static final int STRIP = BLOCK;
    private static final int CHUNK = 64 << 10;
    private static final RaidTimes IMPATIENT = new RaidTimes(2_000_000_000L, 5_000_000_000L, 20_000_000L);
    /** Bits of the bitmap are cleared soon, too. */
    private static final RaidTimes HURRIED = new RaidTimes(1_000_000L, 5_000_000_000L, 20_000_000L);

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(2 * CHUNK);
    private final List<CountedDevice> members = new ArrayList<>();
    private int memberBytes = 256 << 10;
    private RaidConfig config;
    private RaidDevice array;
    private byte[] model;

    @AfterEach
    void close()
    {
        members.forEach(CountedDevice::letGo);
        stop();
        fixture.close();
        arena.close();
    }

    private void stop()
    {
        fixture.stop();
        array.close();
    }

    /** Full of random bytes, and in sync. */
    private void create(final RaidLevel level, final int memberCount, final RaidTimes times)
    {
        for (int i = 0; i < memberCount; i++)
        {
            final CountedDevice member = new CountedDevice(
                MemoryDevice.create("m" + i, RaidFixture.deviceBytes(memberBytes), BLOCK), (builder) -> builder);
            fixture.own(member);
            members.add(member);
        }
        config = RaidFixture.config(level, STRIP, List.<BlockDevice>copyOf(members), List.of());
        array = fixture.assemble(config, List.<BlockDevice>copyOf(members), times);
        model = new byte[(int)ArrayLayout.of(level, memberCount, STRIP, memberBytes).dataBytes()];
        random.nextBytes(model);
        try (Initiator host = new Initiator("filling", array))
        {
            for (int offset = 0; offset < model.length; offset += CHUNK)
            {
                NativeMemory.asByteBuffer(arena.address(), CHUNK).put(model, offset, CHUNK);
                assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.WRITE, offset / BLOCK, CHUNK / BLOCK, false,
                    arena.address(), CHUNK));
            }
        }
        awaitResync();
    }

    private void awaitResync()
    {
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
    }

    /** Without the member that has the last data of the first stripe. */
    private void createDegraded(final RaidLevel level, final int memberCount, final int lost, final RaidTimes times)
    {
        create(level, memberCount, times);
        degrade(lost);
    }

    private void degrade(final int lost)
    {
        RaidFixture.get(array.fail("m" + lost));
        ArrayFixture.await(() -> array.view().isJournaling(), "journaling");
    }

    /** Without the member that has failed. */
    private void restart(final int lost)
    {
        stop();
        members.forEach(CountedDevice::letGo);
        final List<BlockDevice> left = new ArrayList<>(members);
        left.remove(lost);
        array = fixture.assemble(config, left);
    }

    private Initiator.Io begin(final Initiator host, final BlockOperation operation, final int length)
    {
        final Initiator.Io io = host.io();
        if (BlockOperation.WRITE == operation)
        {
            final byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            NativeMemory.asByteBuffer(arena.address(), length).put(bytes);
            Initiator.fill(io.request(), operation, 0, length / BLOCK, false, arena.address(), length);
        }
        else
        {
            Initiator.fill(io.request(), operation, 0, length / BLOCK, false);
        }
        host.send(io);
        return io;
    }

    /** What the host has sent is in the array from its start on. */
    private void written(final BlockOperation operation, final int length)
    {
        if (BlockOperation.WRITE == operation)
        {
            NativeMemory.asByteBuffer(arena.address(), length).get(model, 0, length);
        }
        else
        {
            Arrays.fill(model, 0, length, (byte)0);
        }
    }

    private void verify()
    {
        final long address = arena.address() + CHUNK;
        try (Initiator host = new Initiator("verifying", array))
        {
            for (int offset = 0; offset < model.length; offset += CHUNK)
            {
                assertEquals(BlockStatus.SUCCESS,
                    host.run(BlockOperation.READ, offset / BLOCK, CHUNK / BLOCK, false, address, CHUNK));
                assertArrayEquals(Arrays.copyOfRange(model, offset, offset + CHUNK),
                    NativeMemory.bytes(address, CHUNK), "at " + offset);
            }
        }
    }

    /** All members but one have the write in place, and that one has it to do. */
    private void awaitHeld(final int hanging, final int parts)
    {
        ArrayFixture.await(() -> 1 == members.get(hanging).held() && parts - 1 ==
            members.stream().mapToLong((each) -> each.count(BlockOperation.WRITE)).sum(), "written in part");
    }

    private int lengthOf(final BlockOperation operation)
    {
        // Zeroes of whole stripes are no writes with parity; data leaves the lost strip as it is.
        return BlockOperation.WRITE == operation ? (array.layout().dataCount() - 1) * STRIP :
            array.layout().dataCount() * STRIP;
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4,2,0", "RAID5,4,2,1", "RAID5,4,2,3", "RAID6,5,3,0", "RAID6,5,3,1", "RAID6,5,3,2",
        "RAID6,5,3,4", "EC3,6,4,0", "EC3,6,4,5"})
    void shouldEndAWriteBeforeMembersAreClosed(
        final RaidLevel level, final int memberCount, final int lost, final int slow)
    {
        createDegraded(level, memberCount, lost, RaidTimes.DEFAULT);
        final Initiator host = new Initiator("host", array);
        members.forEach(CountedDevice::forget);
        members.get(slow).hang();
        final Initiator.Io io = begin(host, BlockOperation.WRITE, lengthOf(BlockOperation.WRITE));
        awaitHeld(slow, memberCount - 1);
        // It waits for its rows; no member has received any of its data.
        final Initiator.Io waiting = host.io();
        Initiator.fill(waiting.request(), BlockOperation.WRITE, 0, 1, false, arena.address() + CHUNK, BLOCK);
        host.send(waiting);
        final CompletableFuture<Void> closing = host.beginClosing();
        assertEquals(BlockStatus.ABORTED, host.await(waiting));
        assertFalse(closing.isDone());
        assertFalse(io.result().isDone());
        members.get(slow).letGo();
        assertEquals(BlockStatus.SUCCESS, host.await(io));
        host.close();
        written(BlockOperation.WRITE, lengthOf(BlockOperation.WRITE));
        assertEquals(SlotState.IN_SYNC, array.view().state(slow));
        assertFalse(array.journal().isPinned());
        verify();
        restart(lost);
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4,2,0,WRITE", "RAID5,4,2,1,WRITE", "RAID5,4,2,3,WRITE", "RAID5,4,2,1,WRITE_ZEROES",
        "RAID5,4,2,3,WRITE_ZEROES"})
    void shouldReplayAWriteThatAMemberDidNotEnd(
        final RaidLevel level, final int memberCount, final int lost, final int hanging, final BlockOperation operation)
    {
        createDegraded(level, memberCount, lost, IMPATIENT);
        final Initiator host = new Initiator("host", array);
        members.forEach(CountedDevice::forget);
        members.get(hanging).hang();
        final int length = lengthOf(operation);
        final Initiator.Io io = begin(host, operation, length);
        awaitHeld(hanging, memberCount - 1);
        host.close();
        final String failure = array.view().failure();
        restart(lost);
        written(operation, length);
        verify();
        assertEquals(BlockStatus.DEVICE_ERROR, host.await(io));
        assertTrue(failure.contains("m" + hanging), failure);
    }

    @ParameterizedTest
    @CsvSource({"RAID6,5,3,0,WRITE", "RAID6,5,3,1,WRITE", "RAID6,5,3,2,WRITE", "RAID6,5,3,4,WRITE",
        "RAID6,5,3,1,WRITE_ZEROES"})
    void shouldGoOnWithoutAMemberThatDoesNotEndAWriteWhereTheLevelAllowsThat(
        final RaidLevel level, final int memberCount, final int lost, final int hanging, final BlockOperation operation)
    {
        createDegraded(level, memberCount, lost, IMPATIENT);
        final Initiator host = new Initiator("host", array);
        members.forEach(CountedDevice::forget);
        members.get(hanging).hang();
        final int length = lengthOf(operation);
        final Initiator.Io io = begin(host, operation, length);
        awaitHeld(hanging, memberCount - 1);
        host.close();
        assertEquals(BlockStatus.SUCCESS, host.await(io));
        assertEquals(SlotState.FAILED, array.view().state(hanging));
        written(operation, length);
        verify();
        restart(lost);
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4,2", "RAID6,5,3"})
    void shouldNotLoseWhatAMissingMemberHeldWhenTheJournalHangs(
        final RaidLevel level, final int memberCount, final int lost)
    {
        createDegraded(level, memberCount, lost, IMPATIENT);
        final Initiator host = new Initiator("host", array);
        members.forEach(CountedDevice::forget);
        final int hanging = 0;
        // Places are on members in turn.
        members.get(hanging).hangJournal();
        Initiator.Io io = begin(host, BlockOperation.WRITE, lengthOf(BlockOperation.WRITE));
        while (0 == members.get(hanging).held())
        {
            if (io.result().isDone())
            {
                assertEquals(BlockStatus.SUCCESS, host.await(io));
                written(BlockOperation.WRITE, lengthOf(BlockOperation.WRITE));
                io = begin(host, BlockOperation.WRITE, lengthOf(BlockOperation.WRITE));
            }
            Thread.onSpinWait();
        }
        host.close();
        final boolean isWritten = BlockStatus.SUCCESS == host.await(io);
        assertEquals(RaidLevel.RAID6 == level, isWritten);
        assertEquals(isWritten, null == array.view().failure());
        if (isWritten)
        {
            written(BlockOperation.WRITE, lengthOf(BlockOperation.WRITE));
            verify();
        }
        restart(lost);
        verify();
    }

    @Test
    void shouldServeOtherReactorsWhenAChannelClosesAmidAWrite()
    {
        createDegraded(RaidLevel.RAID6, 5, 3, IMPATIENT);
        try (Initiator other = new Initiator("other", array))
        {
            final Initiator host = new Initiator("host", array);
            members.forEach(CountedDevice::forget);
            members.get(1).hang();
            final Initiator.Io io = begin(host, BlockOperation.WRITE, lengthOf(BlockOperation.WRITE));
            awaitHeld(1, 4);
            // Of the same rows, and planned when nobody has them any more.
            final Initiator.Io next = other.io();
            final long address = arena.address() + CHUNK;
            NativeMemory.fill(address, BLOCK, (byte)7);
            Initiator.fill(next.request(), BlockOperation.WRITE, STRIP / BLOCK, 1, false, address, BLOCK);
            other.send(next);
            host.close();
            assertEquals(BlockStatus.SUCCESS, host.await(io));
            assertEquals(BlockStatus.SUCCESS, other.await(next));
            written(BlockOperation.WRITE, lengthOf(BlockOperation.WRITE));
            Arrays.fill(model, STRIP, STRIP + BLOCK, (byte)7);
            assertNull(array.view().failure());
        }
        verify();
        restart(3);
        verify();
    }

    @Test
    void shouldNotWaitForMetadataOfAMemberThatHangs()
    {
        // Two regions of the bitmap.
        memberBytes = 2 << 20;
        create(RaidLevel.RAID6, 5, HURRIED);
        // Bits that are set when it is degraded stay.
        ArrayFixture.await(() -> 0 == array.intent().dirtyCount(), "cleared");
        degrade(3);
        try (Initiator other = new Initiator("other", array))
        {
            final Initiator host = new Initiator("host", array);
            members.forEach(CountedDevice::forget);
            members.get(1).hang();
            final Initiator.Io io = begin(host, BlockOperation.WRITE, lengthOf(BlockOperation.WRITE));
            awaitHeld(1, 4);
            members.get(1).hangWholly();
            // A region that has no bit: the bitmap is written before.
            assertTrue(array.intent().dirtyCount() <= 1);
            final int offset = model.length - BLOCK;
            final Initiator.Io next = other.io();
            final long address = arena.address() + CHUNK;
            NativeMemory.fill(address, BLOCK, (byte)7);
            Initiator.fill(next.request(), BlockOperation.WRITE, offset / BLOCK, 1, false, address, BLOCK);
            other.send(next);
            ArrayFixture.await(() -> 2 == members.get(1).held(), "stuck");
            host.close();
            assertEquals(BlockStatus.SUCCESS, host.await(io));
            assertEquals(BlockStatus.SUCCESS, other.await(next));
            written(BlockOperation.WRITE, lengthOf(BlockOperation.WRITE));
            Arrays.fill(model, offset, offset + BLOCK, (byte)7);
        }
        verify();
        restart(3);
        verify();
    }

    @Test
    void shouldLeaveItToAResyncWhenNoMemberIsMissing()
    {
        create(RaidLevel.RAID5, 4, IMPATIENT);
        final Initiator host = new Initiator("host", array);
        members.forEach(CountedDevice::forget);
        members.get(1).hang();
        final Initiator.Io io = begin(host, BlockOperation.WRITE, 2 * STRIP);
        awaitHeld(1, 3);
        host.close();
        assertEquals(BlockStatus.ABORTED, host.await(io));
        assertEquals(1, array.intent().tornCount());
        members.get(1).letGo();
        awaitResync();
        assertTrue(array.view().isComplete());
        // The member has the old data still, and another one the new.
        NativeMemory.asByteBuffer(arena.address(), STRIP).get(model, 0, STRIP);
        verify();
        RaidFixture.get(array.fail("m2"));
        verify();
    }
}
