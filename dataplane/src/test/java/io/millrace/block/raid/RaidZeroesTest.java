package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Write Zeroes and Deallocate of arrays: what members are asked for, and what is left of the data. */
class RaidZeroesTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int CHUNK = 64 << 10;
    private static final int STEPS = 80;
    /** Nearly the longest sleep of a reactor. */
    private static final long UNWOKEN_NS = 900_000_000;
    private static final UnaryOperator<BlockGeometry.Builder> ABLE = (builder) -> builder;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(CHUNK);
    private final List<CountedDevice> members = new ArrayList<>();
    private RaidDevice array;
    private Initiator initiator;
    private byte[] model;

    @AfterEach
    void close()
    {
        if (null != initiator)
        {
            initiator.close();
        }
        fixture.stop();
        if (null != array)
        {
            array.close();
        }
        fixture.close();
        arena.close();
    }

    private void create(
        final RaidLevel level, final int memberCount, final UnaryOperator<BlockGeometry.Builder> abilitiesOfFirst)
    {
        for (int i = 0; i < memberCount; i++)
        {
            final CountedDevice member = new CountedDevice(
                MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK),
                0 == i ? abilitiesOfFirst : ABLE);
            fixture.own(member);
            members.add(member);
        }
        array = fixture.create(level, STRIP, List.<BlockDevice>copyOf(members));
        initiator = new Initiator("host", array);
        model = new byte[(int)array.layout().dataBytes()];
        for (int offset = 0; offset < model.length; offset += CHUNK)
        {
            write(offset, CHUNK);
        }
        if (null != array.intent())
        {
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        }
        members.forEach(CountedDevice::forget);
    }

    private void write(final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, model, offset, length);
        NativeMemory.asByteBuffer(arena.address(), length).put(bytes);
        assertEquals(BlockStatus.SUCCESS, initiator.run(
            BlockOperation.WRITE, offset / BLOCK, length / BLOCK, false, arena.address(), length));
    }

    private void zero(final int offset, final int length, final boolean isForced)
    {
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.WRITE_ZEROES, offset / BLOCK, length / BLOCK, isForced));
        Arrays.fill(model, offset, offset + length, (byte)0);
    }

    /** What an array with parity leaves as it is, the model has, too: all of it while it journals. */
    private void deallocate(final int offset, final int length)
    {
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.DEALLOCATE, offset / BLOCK, length / BLOCK, false));
        final int unit = array.layout().level().parityCount() > 0 ? array.layout().dataCount() * STRIP : 1;
        final int from = (offset + unit - 1) / unit * unit;
        final int to = (offset + length) / unit * unit;
        if (from < to && !array.view().isJournaling())
        {
            Arrays.fill(model, from, to, (byte)0);
        }
    }

    private void verify()
    {
        final byte[] bytes = new byte[CHUNK];
        for (int offset = 0; offset < model.length; offset += CHUNK)
        {
            final int at = offset;
            assertEquals(BlockStatus.SUCCESS, initiator.run(
                BlockOperation.READ, offset / BLOCK, CHUNK / BLOCK, false, arena.address(), CHUNK), () -> "at " + at);
            NativeMemory.asByteBuffer(arena.address(), CHUNK).get(bytes);
            assertArrayEquals(Arrays.copyOfRange(model, offset, offset + CHUNK), bytes, () -> "at " + at);
        }
    }

    /** Parity and copies are right: the data is the same without some members. */
    private void verifyWithout(final int... slots)
    {
        verify();
        for (final int slot : slots)
        {
            members.get(slot).fail(BlockOperation.WRITE);
            array.onMemberFailed(array.view().member(slot), "is taken away by the test");
            ArrayFixture.await(() -> SlotState.FAILED == array.view().state(slot), "failed");
        }
        verify();
    }

    private boolean isInOneRegion(final CountedDevice.Asked asked)
    {
        final WriteIntent intent = array.intent();
        return null == intent || intent.region(asked.lba() * BLOCK) ==
            intent.region((asked.lba() + asked.blocks()) * BLOCK - 1);
    }

    private int[] tolerated(final RaidLevel level)
    {
        return switch (level)
        {
            case RAID0 -> new int[0];
            case RAID6, EC2 -> new int[]{0, 2};
            case EC3 -> new int[]{0, 2, 4};
            default -> new int[]{1};
        };
    }

    @ParameterizedTest
    @CsvSource({"RAID0,3", "RAID1,2", "RAID1,3", "RAID10,4", "RAID10,3", "RAID5,3", "RAID5,5", "RAID6,4", "EC2,5",
        "RAID6,6", "EC3,6"})
    void shouldPassAllOfTheArrayOnToEachMember(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, ABLE);
        for (final BlockOperation operation : List.of(BlockOperation.WRITE_ZEROES, BlockOperation.DEALLOCATE))
        {
            assertEquals(BlockStatus.SUCCESS, initiator.run(operation, 0, model.length / BLOCK, false));
            Arrays.fill(model, (byte)0);
            final boolean isOdd = RaidLevel.RAID10 == level && 0 != memberCount % 2;
            for (final CountedDevice member : members)
            {
                assertEquals(MEMBER_BYTES, member.bytes(operation), operation + " of " + member.name());
                assertEquals(member.bytes(operation), member.asked().stream().mapToLong((each) ->
                    (long)each.blocks() * BLOCK).sum(), "nothing else");
                assertTrue(member.asked().stream().allMatch(this::isInOneRegion), "in a region of the bitmap");
                // Not strip by strip, whose count is 128.
                assertTrue(member.count(operation) <= (isOdd ? 16 : 8), () -> member.count(operation) + " requests");
            }
            verify();
            members.forEach(CountedDevice::forget);
            for (int offset = 0; offset < model.length; offset += CHUNK)
            {
                write(offset, CHUNK);
            }
            members.forEach(CountedDevice::forget);
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID0,3", "RAID1,3", "RAID10,4", "RAID10,3", "RAID5,3", "RAID5,5", "RAID6,4", "EC2,5", "RAID6,6",
        "EC3,6"})
    void shouldKeepCopiesAndParityRightWhateverRangesAreZeroed(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, ABLE);
        for (int step = 0; step < STEPS; step++)
        {
            final int blocks = 1 + random.nextInt(random.nextInt(3) == 0 ? 100 : 12);
            final int lba = random.nextInt(model.length / BLOCK - blocks + 1);
            switch (random.nextInt(3))
            {
                case 0 -> write(lba * BLOCK, Math.min(blocks * BLOCK, CHUNK));
                case 1 -> zero(lba * BLOCK, blocks * BLOCK, random.nextBoolean());
                default -> deallocate(lba * BLOCK, blocks * BLOCK);
            }
        }
        verifyWithout(tolerated(level));
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,4", "RAID6,4", "EC2,5"})
    void shouldZeroWhileAMemberIsMissing(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, ABLE);
        verifyWithout(1);
        zero(STRIP / 2, model.length / 2, true);
        deallocate(model.length / 2 + STRIP / 4, model.length / 4);
        write(3 * STRIP, STRIP);
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID0,3", "RAID1,2", "RAID10,4", "RAID10,3", "RAID5,4", "RAID6,5", "EC3,6"})
    void shouldEmulateOverMembersThatSupportNothing(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, (builder) -> builder.supportsWriteZeroes(false).supportsDeallocate(false)
            .deallocatedReadsZero(false));
        assertFalse(array.geometry().supportsWriteZeroes());
        assertFalse(array.geometry().supportsDeallocate());
        assertFalse(array.geometry().deallocatedReadsZero());
        zero(BLOCK, model.length - 2 * BLOCK, true);
        assertEquals(BlockStatus.NOT_SUPPORTED, initiator.run(BlockOperation.DEALLOCATE, 0, 64, false));
        verifyWithout(tolerated(level));
    }

    @Test
    void shouldOfferWhatAllMembersDo()
    {
        create(RaidLevel.RAID1, 2, (builder) -> builder.deallocatedReadsZero(false));
        assertTrue(array.geometry().supportsWriteZeroes());
        assertTrue(array.geometry().supportsDeallocate());
        assertFalse(array.geometry().deallocatedReadsZero());
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.DEALLOCATE, 0, model.length / BLOCK, false));
        members.forEach((member) -> assertEquals(MEMBER_BYTES, member.bytes(BlockOperation.DEALLOCATE)));
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,4", "EC2,5"})
    void shouldNotDeallocateWithParityWhenAMemberMayHoldAnythingAfterwards(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, (builder) -> builder.deallocatedReadsZero(false));
        assertTrue(array.geometry().supportsWriteZeroes());
        assertFalse(array.geometry().supportsDeallocate());
        assertEquals(BlockStatus.NOT_SUPPORTED,
            initiator.run(BlockOperation.DEALLOCATE, 0, model.length / BLOCK, false));
        members.forEach((member) -> assertTrue(member.asked().isEmpty()));
        verify();
    }

    @Test
    void shouldLeaveWhatIsNoWholeStripeWhenItDeallocatesWithParity()
    {
        create(RaidLevel.RAID5, 3, ABLE);
        deallocate(STRIP, 4 * STRIP);
        // The second stripe.
        members.forEach((member) -> assertEquals(
            List.of(new CountedDevice.Asked(BlockOperation.DEALLOCATE, STRIP / BLOCK, STRIP / BLOCK, false)),
            List.copyOf(member.asked())));
        members.forEach(CountedDevice::forget);
        deallocate(STRIP, STRIP);
        members.forEach((member) -> assertTrue(member.asked().isEmpty()));
        verifyWithout(2);
    }

    @ParameterizedTest
    @CsvSource({"RAID0,3", "RAID1,2", "RAID10,4", "RAID10,3", "RAID5,4", "RAID6,4", "EC2,5"})
    void shouldForceUnitAccessOfAllThatItZeroes(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, ABLE);
        zero(BLOCK, model.length / 2, true);
        members.forEach((member) ->
        {
            assertFalse(member.asked().isEmpty());
            assertTrue(member.asked().stream().allMatch(CountedDevice.Asked::isForced), member.name());
        });
        members.forEach(CountedDevice::forget);
        zero(BLOCK, model.length / 2, false);
        members.forEach((member) ->
            assertTrue(member.asked().stream().noneMatch(CountedDevice.Asked::isForced), member.name()));
    }

    @ParameterizedTest
    @CsvSource({"RAID0,3", "RAID1,2", "RAID10,4", "RAID10,3", "RAID5,4", "RAID6,5", "EC3,6"})
    void shouldWriteZeroesToAMemberThatRefusesThem(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, ABLE);
        members.get(0).refuse(BlockOperation.WRITE_ZEROES);
        members.get(1).refuse(BlockOperation.DEALLOCATE);
        zero(BLOCK, model.length / 2, true);
        deallocate(model.length / 2, model.length / 2);
        verify();
        assertEquals(new DeviceStatus(DeviceHealth.ONLINE, ""), array.status());
        assertTrue(members.get(0).bytes(BlockOperation.WRITE) > 0);
        assertEquals(0, members.get(0).count(BlockOperation.WRITE_ZEROES));
        assertTrue(members.get(1).asked().stream().filter((each) -> BlockOperation.WRITE == each.operation() &&
            !each.isForced()).count() == 0);
        // What is known is not asked again.
        zero(0, model.length, false);
        verifyWithout(tolerated(level));
    }

    @ParameterizedTest
    @CsvSource({"RAID0,3", "RAID1,2"})
    void shouldLeaveAMemberAsItIsThatRefusesToDeallocateWhatNeedNotBeZero(
        final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, (builder) -> builder.deallocatedReadsZero(false));
        members.get(1).refuse(BlockOperation.DEALLOCATE);
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.DEALLOCATE, 0, model.length / BLOCK, false));
        // Parts that the second refused are done again.
        assertTrue(members.get(0).bytes(BlockOperation.DEALLOCATE) >= MEMBER_BYTES);
        assertTrue(members.get(1).asked().isEmpty());
        assertEquals(DeviceHealth.ONLINE, array.status().health());
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID10,4", "RAID10,3", "RAID5,4", "RAID6,4", "EC2,5"})
    void shouldGoOnWithoutAMemberThatFailsToZero(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, ABLE);
        members.get(0).fail(BlockOperation.WRITE_ZEROES);
        zero(BLOCK, model.length / 2, true);
        assertEquals(SlotState.FAILED, array.view().state(0));
        verify();
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID5,4", "RAID6,4", "EC2,5"})
    void shouldZeroAMemberThatRefusesWhileAnotherFails(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, ABLE);
        members.get(0).fail(BlockOperation.WRITE_ZEROES);
        members.get(1).refuse(BlockOperation.WRITE_ZEROES);
        zero(0, model.length / 2, true);
        assertEquals(SlotState.FAILED, array.view().state(0));
        verify();
    }

    @Test
    void shouldEndWithAnErrorWhenNoMemberIsLeftToZero()
    {
        create(RaidLevel.RAID5, 3, ABLE);
        members.get(0).fail(BlockOperation.WRITE_ZEROES);
        members.get(1).fail(BlockOperation.WRITE_ZEROES);
        assertEquals(BlockStatus.DEVICE_ERROR,
            initiator.run(BlockOperation.WRITE_ZEROES, 0, model.length / BLOCK, false));
        assertEquals(DeviceHealth.FAILED, array.status().health());
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,3", "RAID6,4", "EC2,5"})
    void shouldSetTheBitOfARegionBeforeItIsZeroed(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture clean = new ArrayFixture(random, level, memberCount, 0))
        {
            clean.restart();
            final long before = clean.disk(0).writes();
            clean.zero(0, 2 * ArrayFixture.STRIP_BYTES);
            assertTrue(clean.disk(0).writes() - before >= 2, "a page of the bitmap, and zeroes");
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,3", "RAID6,4", "EC2,5"})
    void shouldWaitForRowsThatAnotherHas(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, ABLE);
        zero(8 * STRIP, 2 * STRIP, false);
        assertTrue(array.locks().tryExclusive(0, BLOCK));
        final Initiator.Io waiting = initiator.io();
        Initiator.fill(waiting.request(), BlockOperation.WRITE_ZEROES, 0, 2 * STRIP / BLOCK, false);
        initiator.send(waiting);
        zero(8 * STRIP, 2 * STRIP, false);
        assertFalse(waiting.result().isDone());
        array.locks().releaseExclusive(0, BLOCK);
        assertEquals(BlockStatus.SUCCESS, initiator.await(waiting));
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID5,3", "RAID6,4", "EC2,5"})
    void shouldZeroWhileASpareIsRebuilt(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture spared = new ArrayFixture(random, level, memberCount, 1))
        {
            final int chunk = spared.layout().dataCount() * ArrayFixture.STRIP_BYTES;
            spared.array().copyRates(new CopyRates(1, 8 << 20));
            spared.disk(0).state(MemberState.FAILING);
            spared.write(0, ArrayFixture.BLOCK_BYTES);
            ArrayFixture.await(() -> SlotState.REBUILDING == spared.array().view().state(0), "rebuilt onto the spare");
            int zeroed = 0;
            while (!spared.array().view().isComplete())
            {
                zeroed++;
                final int offset = random.nextInt((int)spared.layout().dataBytes() / chunk - 1) * chunk;
                spared.zero(offset, chunk);
                if (0 == zeroed % 4)
                {
                    spared.write(offset, chunk);
                }
            }
            assertTrue(zeroed > 4, "the rebuild was over before");
            // What was rebuilt is needed now.
            spared.disk(1).state(MemberState.FAILING);
            spared.verify();
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID0,3", "RAID1,2", "RAID5,3"})
    void shouldEndEachOnceWhenTheChannelCloses(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount, ABLE);
        members.get(0).refuse(BlockOperation.WRITE_ZEROES);
        zero(0, 4 * STRIP, false);
        final List<Initiator.Io> ios = new ArrayList<>();
        // Far more than end before the channel closes.
        for (int i = 0; i < 1_000; i++)
        {
            final int lba = i % 20;
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), BlockOperation.WRITE_ZEROES, lba, model.length / BLOCK - lba, false);
            ios.add(io);
        }
        initiator.send(ios);
        initiator.closeChannel();
        for (final Initiator.Io io : ios)
        {
            final BlockStatus status = initiator.await(io);
            assertTrue(BlockStatus.SUCCESS == status || BlockStatus.ABORTED == status, () -> "ended with " + status);
        }
        assertTrue(ios.stream().anyMatch((io) -> BlockStatus.ABORTED == io.request().status()));
    }

    @Test
    void shouldGoOnWhenTheReactorWouldSleepBetweenParts()
    {
        create(RaidLevel.RAID0, 3, ABLE);
        members.get(0).refuse(BlockOperation.WRITE_ZEROES);
        zero(0, 4 * STRIP, false);
        final ReactorConfig config = new ReactorConfig("sleeper", -1, ReactorConfig.IdleMode.SLEEP, 0);
        try (Initiator sleeper = new Initiator(config, array))
        {
            final Initiator.Io io = sleeper.io();
            Initiator.fill(io.request(), BlockOperation.WRITE_ZEROES, 0, model.length / BLOCK, false);
            sleeper.send(io);
            assertEquals(BlockStatus.SUCCESS, sleeper.await(io));
            assertTrue(io.sleptNs() < UNWOKEN_NS, () -> "found " + io.sleptNs() + " ns after the reactor fell asleep");
        }
        Arrays.fill(model, (byte)0);
        verify();
    }

    @Test
    void shouldReadAndWriteWhileMoreIsZeroedThanThereAreParts()
    {
        create(RaidLevel.RAID5, 3, (builder) -> builder);
        // Strip by strip: as many parts as the array has stripes.
        members.get(0).refuse(BlockOperation.WRITE_ZEROES);
        zero(0, 2 * STRIP, false);
        final Initiator.Io zeroes = initiator.io();
        Initiator.fill(zeroes.request(), BlockOperation.WRITE_ZEROES, 0, model.length / BLOCK - 2 * STRIP / BLOCK,
            false);
        final Initiator.Io read = initiator.io();
        Initiator.fill(read.request(), BlockOperation.READ, model.length / BLOCK - 1, 1, false, arena.address(), BLOCK);
        final boolean[] isFirst = new boolean[1];
        read.then((done) -> isFirst[0] = !zeroes.result().isDone());
        initiator.send(zeroes, read);
        assertEquals(BlockStatus.SUCCESS, initiator.await(read));
        assertEquals(BlockStatus.SUCCESS, initiator.await(zeroes));
        assertTrue(isFirst[0], "the read waited for all zeroes");
        Arrays.fill(model, 0, model.length - 2 * STRIP, (byte)0);
        verifyWithout(1);
    }
}
