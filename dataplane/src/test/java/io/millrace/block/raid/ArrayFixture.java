package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** An array over {@link MemberDisk}s whose content is known, for tests. */
final class ArrayFixture implements AutoCloseable
{
    static final int STRIP_BYTES = 16 << 10;
    static final int BLOCK_BYTES = 4096;
    static final long MEMBER_BYTES = 2 << 20;

    private static final int CHUNK_BYTES = 64 << 10;
    private static final long PATIENCE_NS = 30_000_000_000L;

    private final Random random;
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(1 << 20);
    private final RaidLevel level;
    private final int memberCount;
    private final byte[] model;
    private RaidTimes times = RaidTimes.DEFAULT;
    private List<MemberDisk> disks = new ArrayList<>();
    private RaidDevice array;
    private Initiator initiator;

    /** A new array, full of random bytes, that is in sync. */
    ArrayFixture(final Random random, final RaidLevel level, final int memberCount, final int spareCount)
    {
        this.random = random;
        this.level = level;
        this.memberCount = memberCount;
        final PowerSupply supply = new PowerSupply(random.nextLong());
        for (int i = 0; i < memberCount + spareCount; i++)
        {
            disks.add(MemberDisk.create("d" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK_BYTES, supply));
        }
        model = new byte[(int)layout().dataBytes()];
        open();
        for (int offset = 0; offset < model.length; offset += CHUNK_BYTES)
        {
            write(offset, CHUNK_BYTES);
        }
        if (RaidLevel.RAID0 != level)
        {
            await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        }
    }

    ArrayLayout layout()
    {
        return ArrayLayout.of(level, memberCount, STRIP_BYTES, MEMBER_BYTES);
    }

    RaidDevice array()
    {
        return array;
    }

    MemberDisk disk(final int index)
    {
        return disks.get(index);
    }

    int memberCount()
    {
        return memberCount;
    }

    /** Of the next life. */
    void times(final RaidTimes newTimes)
    {
        times = newTimes;
    }

    private void open()
    {
        final List<String> names = disks.stream().map(MemberDisk::name).toList();
        array = fixture.assemble(new RaidConfig("array", level, STRIP_BYTES, names.subList(0, memberCount),
            names.subList(memberCount, names.size()), false, false, false, CopyRates.DEFAULT),
            List.<BlockDevice>copyOf(disks), times);
        initiator = new Initiator("host", array);
    }

    /** Stops the array and assembles it of the same drives. */
    void restart()
    {
        closeArray();
        final PowerSupply supply = new PowerSupply(random.nextLong());
        disks = new ArrayList<>(disks.stream().map((disk) -> disk.restart(supply)).toList());
        open();
    }

    private void closeArray()
    {
        if (null != initiator)
        {
            initiator.close();
            initiator = null;
            fixture.stop();
            array.close();
        }
    }

    /** Makes a block of a member's data unreadable until it is written. */
    void failBlock(final int slot, final long memberOffset)
    {
        disks.get(slot).failMedia((RaidChannel.dataOffsetBytes() + memberOffset) / BLOCK_BYTES, 1);
    }

    int badBlocks()
    {
        return disks.stream().mapToInt(MemberDisk::badBlockCount).sum();
    }

    void write(final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, model, offset, length);
        NativeMemory.asByteBuffer(arena.address(), length).put(bytes);
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE, offset / BLOCK_BYTES,
            length / BLOCK_BYTES, false, arena.address(), length));
    }

    void zero(final int offset, final int length)
    {
        Arrays.fill(model, offset, offset + length, (byte)0);
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.WRITE_ZEROES, offset / BLOCK_BYTES, length / BLOCK_BYTES, false));
    }

    /** Reads without looking at the content. */
    BlockStatus read(final long offset, final int length)
    {
        return initiator.run(BlockOperation.READ, offset / BLOCK_BYTES, length / BLOCK_BYTES, false, arena.address(),
            length);
    }

    /** Writes behind the array's back. */
    void corrupt(final int slot, final long memberOffset)
    {
        final Initiator direct = new Initiator("corrupting", disks.get(slot));
        final byte[] bytes = new byte[BLOCK_BYTES];
        random.nextBytes(bytes);
        NativeMemory.asByteBuffer(arena.address(), BLOCK_BYTES).put(bytes);
        assertEquals(BlockStatus.SUCCESS, direct.run(BlockOperation.WRITE,
            (RaidChannel.dataOffsetBytes() + memberOffset) / BLOCK_BYTES, 1, false, arena.address(), BLOCK_BYTES));
        direct.close();
    }

    /** Reads everything and compares it with what was written. */
    void verify()
    {
        final byte[] bytes = new byte[CHUNK_BYTES];
        final byte[] expected = new byte[CHUNK_BYTES];
        for (int offset = 0; offset < model.length; offset += CHUNK_BYTES)
        {
            final int at = offset;
            assertEquals(BlockStatus.SUCCESS, read(offset, CHUNK_BYTES), () -> "read at " + at);
            NativeMemory.asByteBuffer(arena.address(), CHUNK_BYTES).get(bytes);
            System.arraycopy(model, offset, expected, 0, CHUNK_BYTES);
            assertArrayEquals(expected, bytes, () -> "at " + at);
        }
    }

    static void await(final BooleanSupplier condition, final String what)
    {
        final long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "never " + what);
            LockSupport.parkNanos(100_000);
        }
    }

    @Override
    public void close()
    {
        closeArray();
        fixture.close();
        disks.forEach(MemberDisk::close);
        arena.close();
    }
}
