package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A write that ends when the member that is being replaced has it and the one that replaces it has not. */
class RaidTornReplacementTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final CopyRates SLOW = new CopyRates(1 << 20, 1 << 20);
    private static final CopyRates FAST = new CopyRates(1L << 40, 1L << 40);

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(BLOCK);
    private final List<CountedDevice> members = new ArrayList<>();
    private RaidDevice array;

    @AfterEach
    void close()
    {
        fixture.stop();
        array.close();
        fixture.close();
        arena.close();
    }

    private CountedDevice device(final String name)
    {
        final CountedDevice device = new CountedDevice(
            MemoryDevice.create(name, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK), (builder) -> builder);
        fixture.own(device);
        return device;
    }

    private void assemble(final RaidLevel level, final int memberCount)
    {
        for (int i = 0; i < memberCount; i++)
        {
            members.add(device("m" + i));
        }
        array = fixture.assemble(new RaidConfig("array", level, STRIP, members.stream().map(BlockDevice::name).toList(),
            List.of(), false, false, false, FAST), List.copyOf(members),
            new RaidTimes(2_000_000_000L, 5_000_000_000L, 20_000_000L));
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2,0", "RAID1,2,1", "RAID10,4,0", "RAID5,3,0", "RAID5,3,2", "RAID6,4,1", "EC3,5,1"})
    void shouldGiveTheReplacementWhatItsMemberHas(final RaidLevel level, final int memberCount, final int slot)
    {
        assemble(level, memberCount);
        array.copyRates(SLOW);
        final CountedDevice replacement = device("replacement");
        final CompletableFuture<Void> stored = new CompletableFuture<>();
        array.change(new MemberChange.Replace(replacement, members.get(slot), stored));
        RaidFixture.get(stored);
        ArrayFixture.await(() -> array.view().target().rebuiltBytes() > STRIP, "copied in part");
        replacement.hang();
        final byte[] written = tear(slot);
        replacement.letGo();
        array.copyRates(FAST);
        awaitReplaced(replacement, slot);
        assertArrayEquals(written, read());
    }

    /** Until members match, hosts read the first of them, and may have seen what it alone has. */
    @ParameterizedTest
    @CsvSource({"RAID1,2,0", "RAID1,2,1", "RAID10,4,0", "RAID5,3,0", "RAID5,3,2", "RAID6,4,1", "EC3,5,1"})
    void shouldNotGiveTheSlotToTheReplacementBeforeMembersMatch(
        final RaidLevel level, final int memberCount, final int slot)
    {
        assemble(level, memberCount);
        final CountedDevice replacement = device("replacement");
        final long last = MEMBER_BYTES - 4L * STRIP;
        replacement.hang(last, MEMBER_BYTES);
        final CompletableFuture<Void> stored = new CompletableFuture<>();
        array.change(new MemberChange.Replace(replacement, members.get(slot), stored));
        RaidFixture.get(stored);
        ArrayFixture.await(() -> array.view().target().rebuiltBytes() >= last, "copied but for the end");
        replacement.hang();
        final byte[] written = tear(slot);
        assertTrue(array.intent().needsResync(0));
        assertArrayEquals(written, read());
        replacement.letGo();
        awaitReplaced(replacement, slot);
        assertArrayEquals(written, read());
    }

    /** A write of the first block ends when members have it and the replacement has not. {@return what it wrote} */
    private byte[] tear(final int slot)
    {
        members.forEach(CountedDevice::forget);
        final byte[] bytes = new byte[BLOCK];
        random.nextBytes(bytes);
        try (Initiator host = new Initiator("host", array))
        {
            NativeMemory.asByteBuffer(arena.address(), BLOCK).put(bytes);
            final Initiator.Io write = host.io();
            Initiator.fill(write.request(), BlockOperation.WRITE, 0, 1, false, arena.address(), BLOCK);
            host.send(write);
            ArrayFixture.await(() -> members.get(slot).asked().stream().anyMatch((each) -> 0 == each.lba()), "written");
            host.closeChannel();
            assertEquals(BlockStatus.ABORTED, host.await(write));
        }
        return bytes;
    }

    private byte[] read()
    {
        final byte[] bytes = new byte[BLOCK];
        try (Initiator host = new Initiator("reader", array))
        {
            assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.READ, 0, 1, false, arena.address(), BLOCK));
            NativeMemory.asByteBuffer(arena.address(), BLOCK).get(bytes);
        }
        return bytes;
    }

    private void awaitReplaced(final CountedDevice replacement, final int slot)
    {
        ArrayFixture.await(() -> replacement == array.view().member(slot).device(), "replaced");
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        assertNull(array.view().target());
        array.scrub(ScrubMode.CHECK);
        ArrayFixture.await(() -> null != array.details().scrub() && !array.details().scrub().isActive(), "scrubbed");
        assertEquals(0, array.details().scrub().mismatches());
        assertTrue(array.view().isComplete());
    }
}
