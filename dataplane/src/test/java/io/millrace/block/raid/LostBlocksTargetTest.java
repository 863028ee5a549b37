package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two slots are rebuilt, and a copy that waits for its rows is of one of them: what it cannot compute is lost of that
 * one. Strips are one block, so that a block is lost at the first try; a lock of the test is what the copy waits for.
 */
class LostBlocksTargetTest
{
    private static final int BLOCK = 4096;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int REPLACED = 1;
    /** Strips of members, none of them parity on those that are copied to. */
    private static final int FIRST = 2;
    private static final int SECOND = 7;
    private static final long COPIED = 16L * BLOCK;
    /** Until members have changed, none is copied wholly. */
    private static final CopyRates SLOW = new CopyRates(256 << 10, 256 << 10);
    private static final CopyRates FAST = new CopyRates(1L << 40, 1L << 40);

    private final Random random = TestSeeds.random();
    private final PowerSupply supply = new PowerSupply(random.nextLong());
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(BLOCK);
    private final List<MemberDisk> disks = new ArrayList<>();
    private final List<CountedDevice> devices = new ArrayList<>();
    private ArrayLayout layout;
    private RaidDevice array;

    @AfterEach
    void close()
    {
        fixture.stop();
        array.close();
        fixture.close();
        arena.close();
    }

    private CountedDevice add(final String name)
    {
        final MemberDisk disk = MemberDisk.create(name, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK, supply);
        final CountedDevice device = new CountedDevice(disk, (builder) -> builder);
        disks.add(disk);
        devices.add(device);
        fixture.own(device);
        return device;
    }

    /** Full of zeroes, with a spare that is not. */
    private void assemble(final RaidLevel level, final int memberCount)
    {
        for (int i = 0; i < memberCount; i++)
        {
            add("m" + i);
        }
        final BlockDevice spare = add("spare");
        final List<String> names = devices.stream().map(CountedDevice::name).toList();
        array = fixture.assemble(new RaidConfig("array", level, BLOCK, names.subList(0, memberCount),
            List.of(spare.name()), true, false, false, SLOW), List.<BlockDevice>copyOf(devices));
        layout = array.layout();
        try (Initiator direct = new Initiator("corrupting", spare))
        {
            for (final int strip : new int[] {FIRST, SECOND})
            {
                final byte[] bytes = new byte[BLOCK];
                random.nextBytes(bytes);
                NativeMemory.asByteBuffer(arena.address(), BLOCK).put(bytes);
                assertEquals(BlockStatus.SUCCESS,
                    direct.run(BlockOperation.WRITE, lba(strip), 1, false, arena.address(), BLOCK));
            }
        }
    }

    private static long lba(final int memberStrip)
    {
        return RaidChannel.dataOffsetBytes() / BLOCK + memberStrip;
    }

    private CountedDevice device(final String name)
    {
        return devices.stream().filter((each) -> name.equals(each.name())).findFirst().orElseThrow();
    }

    private void failBlock(final String name)
    {
        disks.get(devices.indexOf(device(name))).failMedia(lba(FIRST), 1);
    }

    /** The member of {@link #REPLACED} is copied in part, with the rows that matter. */
    private void beginReplacement()
    {
        final CompletableFuture<Void> stored = new CompletableFuture<>();
        array.change(new MemberChange.Replace(add("replacement"), devices.get(REPLACED), stored));
        RaidFixture.get(stored);
        ArrayFixture.await(() -> array.view().target().rebuiltBytes() >= COPIED, "copied in part");
    }

    /** What requests lock of a strip of a slot's member. */
    private long lockOffset(final int slot, final int memberStrip)
    {
        return layout.level().parityCount() > 0 ? (long)memberStrip * BLOCK :
            layout.strip(slot, memberStrip) * BLOCK;
    }

    private void lock(final int slot, final int memberStrip)
    {
        ArrayFixture.await(
            () -> array.locks().tryExclusiveOnce(lockOffset(slot, memberStrip), BLOCK), "locked by the test");
    }

    private void unlock(final int slot, final int memberStrip)
    {
        array.locks().releaseExclusive(lockOffset(slot, memberStrip), BLOCK);
    }

    /** Fails the member of a slot: the spare takes it, and its copy waits for the rows that are locked. */
    private void beginRebuild(final int slot, final int locked)
    {
        device("spare").forget();
        RaidFixture.get(array.fail(devices.get(slot).name()));
        ArrayFixture.await(() -> COPIED / BLOCK - locked ==
            device("spare").asked().stream().filter((each) -> each.lba() < COPIED / BLOCK).count(), "waiting");
        assertEquals(SlotState.REBUILDING, array.view().state(slot));
        ArrayFixture.await(() -> (long)FIRST * BLOCK == array.view().member(slot).rebuiltBytes(), "copied before that");
    }

    private RaidMember member(final String name)
    {
        return array.raidMembers().stream().filter((each) -> name.equals(each.device().name())).findFirst()
            .orElseThrow();
    }

    private int lost()
    {
        return array.raidMembers().stream().mapToInt((each) -> each.lostBlocks().count()).sum();
    }

    /** Of the array: the block that a slot's member has there. */
    private long block(final int slot, final int memberStrip)
    {
        if (0 == layout.level().parityCount())
        {
            return layout.strip(slot, memberStrip);
        }
        return (long)memberStrip * layout.dataCount() + layout.dataIndex(memberStrip, slot);
    }

    private BlockStatus read(final long block)
    {
        try (Initiator host = new Initiator("host", array))
        {
            return host.run(BlockOperation.READ, block, 1, false, arena.address(), BLOCK);
        }
    }

    /** Another slot came first for a while: the block was lost of its member, and read of the other one as it was. */
    @ParameterizedTest
    @CsvSource({"RAID6,6,2,m4 m5", "EC3,7,2,m4 m5 m6", "RAID1,3,2,m0 replacement", "RAID10,4,3,m2"})
    void shouldLoseABlockOfTheMemberThatIsCopiedTo(
        final RaidLevel level, final int memberCount, final int slot, final String unreadable)
    {
        assemble(level, memberCount);
        beginReplacement();
        lock(slot, FIRST);
        lock(slot, SECOND);
        final RaidMember target = member("spare");
        final RaidMember other = member("replacement");
        List.of(unreadable.split(" ")).forEach(this::failBlock);
        beginRebuild(slot, 2);
        RaidFixture.get(array.fail("m" + REPLACED));
        assertEquals(SlotState.REBUILDING, array.view().state(REPLACED));
        unlock(slot, FIRST);
        ArrayFixture.await(() -> 1 == lost(), "lost");
        RaidFixture.get(array.fail("replacement"));
        unlock(slot, SECOND);
        array.copyRates(FAST);
        ArrayFixture.await(() -> SlotState.IN_SYNC == array.view().state(slot), "rebuilt");
        assertEquals(target, array.view().member(slot));
        assertEquals(BlockStatus.MEDIA_ERROR, read(block(slot, FIRST)));
        assertTrue(target.lostBlocks().covers((long)FIRST * BLOCK, BLOCK, layout.stripShift()));
        assertTrue(other.lostBlocks().isEmpty());
        assertEquals(BlockStatus.SUCCESS, read(block(slot, SECOND)));
    }

    /** The one that was copied to has left: another one is rebuilt, and has the block. */
    @Test
    void shouldLoseNothingOfAnotherMember()
    {
        assemble(RaidLevel.RAID6, 6);
        beginReplacement();
        lock(0, FIRST);
        failBlock("m4");
        failBlock("m5");
        beginRebuild(0, 1);
        RaidFixture.get(array.fail("m" + REPLACED));
        assertEquals(SlotState.REBUILDING, array.view().state(REPLACED));
        RaidFixture.get(array.fail("spare"));
        unlock(0, FIRST);
        array.copyRates(FAST);
        ArrayFixture.await(() -> SlotState.IN_SYNC == array.view().state(REPLACED), "rebuilt");
        assertEquals(BlockStatus.SUCCESS, read(block(REPLACED, FIRST)));
        final byte[] bytes = new byte[BLOCK];
        NativeMemory.asByteBuffer(arena.address(), BLOCK).get(bytes);
        assertArrayEquals(new byte[BLOCK], bytes);
        assertEquals(0, lost());
    }
}
