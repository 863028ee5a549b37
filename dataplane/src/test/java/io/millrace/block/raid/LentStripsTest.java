package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.StripedDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads of degraded arrays whose members lend their memory. */
class LentStripsTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 1 << 20;
    private static final int READS = 300;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(4 << 20);
    private final AtomicInteger loans = new AtomicInteger();
    private final List<LendingMember> members = new ArrayList<>();
    private ArrayLayout layout;
    private RaidDevice array;
    private Initiator host;
    private byte[] model;

    private static BlockDevice memory()
    {
        return MemoryDevice.create("memory", RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK);
    }

    private void create(final RaidLevel level, final int memberCount, final int lost)
    {
        add(memberCount, LentStripsTest::memory, UnaryOperator.identity());
        start(level, false, lost);
    }

    private void add(final int count, final Supplier<BlockDevice> device, final UnaryOperator<BlockGeometry> geometry)
    {
        for (int i = 0; i < count; i++)
        {
            final BlockDevice inner = device.get();
            members.add(new LendingMember("m" + i, inner, geometry.apply(inner.geometry()), loans));
            fixture.own(members.get(i));
        }
    }

    private void start(final RaidLevel level, final boolean hasChecksums, final int lost)
    {
        array = fixture.assemble(new RaidConfig("array", level, STRIP,
            members.stream().map(BlockDevice::name).toList(), List.of(), false, false, false, CopyRates.DEFAULT,
            JournalMode.DEGRADED, "", hasChecksums), List.<BlockDevice>copyOf(members));
        layout = array.layout();
        host = new Initiator("host", array);
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        model = new byte[(int)layout.dataBytes()];
        random.nextBytes(model);
        for (int offset = 0; offset < model.length; offset += 8 * STRIP)
        {
            write(offset, Math.min(8 * STRIP, model.length - offset));
        }
        for (int i = 0; i < lost; i++)
        {
            RaidFixture.get(array.fail(members.get(i).name()));
        }
        members.forEach(LendingMember::forget);
    }

    @AfterEach
    void close()
    {
        host.close();
        fixture.stop();
        array.close();
        fixture.close();
        arena.close();
    }

    private void write(final int offset, final int length)
    {
        NativeMemory.asByteBuffer(arena.address(), length).put(model, offset, length);
        assertEquals(BlockStatus.SUCCESS,
            host.run(BlockOperation.WRITE, offset / BLOCK, length / BLOCK, false, arena.address(), length));
    }

    private void assertRead(final int offset, final int length)
    {
        NativeMemory.fill(arena.address(), length, (byte)-1);
        assertEquals(BlockStatus.SUCCESS,
            host.run(BlockOperation.READ, offset / BLOCK, length / BLOCK, false, arena.address(), length));
        assertArrayEquals(
            Arrays.copyOfRange(model, offset, offset + length), NativeMemory.bytes(arena.address(), length));
    }

    /** In two pieces, so that rows are not computed where the host wants them. */
    private void assertReadInPieces(final int offset, final int first, final int length)
    {
        final long second = arena.address() + (1 << 20) + 256;
        assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.READ, offset / BLOCK, length / BLOCK, false,
            arena.address(), first, second, length - first));
        assertArrayEquals(
            Arrays.copyOfRange(model, offset, offset + first), NativeMemory.bytes(arena.address(), first));
        assertArrayEquals(
            Arrays.copyOfRange(model, offset + first, offset + length), NativeMemory.bytes(second, length - first));
    }

    private int sum(final ToIntFunction<LendingMember> counted)
    {
        return members.stream().mapToInt(counted).sum();
    }

    @ParameterizedTest
    @CsvSource({"RAID5, 5, 1", "RAID6, 6, 1", "RAID6, 6, 2", "EC3, 8, 3"})
    void shouldComputeFromWhatIsLentAndGiveItBack(final RaidLevel level, final int count, final int lost)
    {
        create(level, count, lost);
        for (int i = 0; i < READS; i++)
        {
            final int blocks = 1 + random.nextInt(3 * STRIP / BLOCK);
            final int offset = random.nextInt(model.length / BLOCK - blocks) * BLOCK;
            assertRead(offset, blocks * BLOCK);
            if (blocks > 1)
            {
                assertReadInPieces(offset, 1 + random.nextInt(blocks * BLOCK - 1), blocks * BLOCK);
            }
            assertEquals(0, loans.get(), "not given back");
        }
        assertTrue(sum(LendingMember::lent) > READS, "nothing was lent");
        // A writer is refused by what is lent.
        random.nextBytes(model);
        for (int offset = 0; offset < model.length; offset += 8 * STRIP)
        {
            write(offset, Math.min(8 * STRIP, model.length - offset));
        }
        assertRead(0, 8 * STRIP);
    }

    /** Parity only as far as data is missing. */
    @ParameterizedTest
    @CsvSource({"RAID6, 6, 1", "EC3, 8, 1", "EC3, 8, 2"})
    void shouldBorrowAsManyStripsAsThereAreOfData(final RaidLevel level, final int count, final int lost)
    {
        create(level, count, lost);
        for (int offset = 0; offset < model.length; offset += STRIP)
        {
            final int before = sum(LendingMember::lent);
            assertRead(offset, BLOCK);
            final int lent = sum(LendingMember::lent) - before;
            assertTrue(0 == lent || layout.dataCount() == lent, () -> "borrowed " + lent);
        }
        assertTrue(sum(LendingMember::lent) > 0, "nothing was lent");
    }

    @ParameterizedTest
    @CsvSource({"REFUSE", "FAIL"})
    void shouldHoldNothingWhileItReadsWhatAMemberDidNotLend(final LendingMember.Answer answer)
    {
        create(RaidLevel.RAID6, 6, 1);
        members.getLast().answer(answer);
        for (int offset = 0; offset < model.length; offset += STRIP)
        {
            assertRead(offset, BLOCK);
        }
        assertTrue(sum(LendingMember::lent) > 0, "nobody was asked");
        assertTrue(sum(LendingMember::copied) > 0, "nothing was read");
        assertEquals(0, members.stream().mapToInt(LendingMember::loansWhileCopied).max().orElseThrow());
        assertEquals(0, loans.get(), "not given back");
        assertTrue(array.view().member(5) != null && array.view().isReadable(5, 0), "the member was failed");
    }

    @Test
    void shouldNotBorrowFromAMemberThatHasLostBlocks()
    {
        create(RaidLevel.RAID6, 6, 1);
        final RaidMember losing = array.view().member(3);
        // Of the second stripe, which has data in the first four slots.
        RaidFixture.get(fixture.reactor().call(() -> array.lostBlockChanges().lose(losing, STRIP, BLOCK)));
        final int start = layout.dataCount() * STRIP;
        for (int offset = start; offset < 2 * start; offset += STRIP)
        {
            assertRead(offset, BLOCK);
        }
        assertTrue(sum(LendingMember::lent) > 0, "nobody was asked");
        assertEquals(0, members.get(3).lent());
    }

    /** What is lent is not compared with checksums. */
    @Test
    void shouldNotComputeFromWrongBlocksThatWouldBeLent()
    {
        add(4, LentStripsTest::memory, UnaryOperator.identity());
        start(RaidLevel.RAID5, true, 1);
        assertEquals(0, layout.dataSlot(0, 0));
        try (Initiator direct = new Initiator("corrupting", members.get(layout.dataSlot(0, 1))))
        {
            NativeMemory.fill(arena.address(), BLOCK, (byte)77);
            assertEquals(BlockStatus.SUCCESS, direct.run(BlockOperation.WRITE,
                RaidChannel.dataOffsetBytes() / BLOCK, 1, false, arena.address(), BLOCK));
        }
        assertEquals(BlockStatus.MEDIA_ERROR,
            host.run(BlockOperation.READ, 0, 1, false, arena.address(), BLOCK));
        assertRead(BLOCK, BLOCK);
    }

    /** As of devices that have some rows in several places. */
    @Test
    void shouldCopyWhatIsLentInPieces()
    {
        // Strips that end within those of the array.
        final int stripBlocks = 63;
        add(6, () -> new StripedDevice(9L * stripBlocks * BLOCK, BLOCK, stripBlocks, 3), UnaryOperator.identity());
        start(RaidLevel.RAID6, false, 2);
        for (int offset = 0; offset < model.length; offset += STRIP)
        {
            assertRead(offset, STRIP);
            assertEquals(0, loans.get(), "not given back");
        }
        assertTrue(sum(LendingMember::lent) > 0, "nobody was asked");
    }

    @Test
    void shouldNotBorrowFromMembersThatMayAnswerLater()
    {
        add(4, LentStripsTest::memory, (geometry) -> geometry.toBuilder().completesInline(false).build());
        start(RaidLevel.RAID5, false, 1);
        for (int offset = 0; offset < model.length; offset += STRIP)
        {
            assertRead(offset, BLOCK);
        }
        assertEquals(0, sum(LendingMember::lent));
    }

    @ParameterizedTest
    @CsvSource({"RAID5, 5, 1", "RAID1, 2, 1", "RAID10, 4, 1"})
    void shouldAskOneMemberAloneForWhatItHas(final RaidLevel level, final int count, final int lost)
    {
        create(level, count, lost);
        int reads = 0;
        for (int offset = 0; offset < model.length; offset += STRIP)
        {
            final int before = sum(LendingMember::lent);
            assertRead(offset, BLOCK);
            reads += before == sum(LendingMember::lent) ? 1 : 0;
        }
        assertEquals(reads, sum(LendingMember::copied));
        assertEquals(0, members.getFirst().copied() + members.getFirst().lent());
    }
}
