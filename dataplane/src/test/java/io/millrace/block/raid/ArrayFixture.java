package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
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
    /** By settings. */
    private RaidLevel wantedLevel;
    private String name = "array";
    private final int memberCount;
    private final JournalMode journal;
    private final boolean checksums;
    private byte[] model;
    private RaidTimes times = RaidTimes.DEFAULT;
    private CopyRates rates = CopyRates.DEFAULT;
    private List<MemberDisk> disks = new ArrayList<>();
    private final Set<String> lost = new HashSet<>();
    private final Set<String> detached = new HashSet<>();
    private PowerSupply supply;
    private RaidConfig config;
    private RaidDevice array;
    private Initiator initiator;

    /** A new array, full of random bytes, that is in sync. */
    ArrayFixture(final Random random, final RaidLevel level, final int memberCount, final int spareCount)
    {
        this(random, level, memberCount, spareCount, JournalMode.DEGRADED);
    }

    ArrayFixture(
        final Random random,
        final RaidLevel level,
        final int memberCount,
        final int spareCount,
        final JournalMode journal)
    {
        this(random, level, memberCount, spareCount, journal, false);
    }

    ArrayFixture(
        final Random random,
        final RaidLevel level,
        final int memberCount,
        final int spareCount,
        final JournalMode journal,
        final boolean checksums)
    {
        this.checksums = checksums;
        this.random = random;
        this.level = level;
        wantedLevel = level;
        this.memberCount = memberCount;
        this.journal = journal;
        supply = new PowerSupply(random.nextLong());
        for (int i = 0; i < memberCount + spareCount; i++)
        {
            addDisk();
        }
        final List<String> names = disks.stream().map(MemberDisk::name).toList();
        config = config(names.subList(0, memberCount), names.subList(memberCount, names.size()));
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
    void name(final String newName)
    {
        name = newName;
        config = config(config.members(), config.spares());
    }

    /** Of the next life. */
    void times(final RaidTimes newTimes)
    {
        times = newTimes;
    }

    /** Of this life and the next. */
    void copyRates(final CopyRates newRates)
    {
        rates = newRates;
        array.copyRates(newRates);
        config = config(config.members(), config.spares());
    }

    /** Assembles the array of the drives that are there; no array is. */
    void open()
    {
        final List<BlockDevice> named = devices(config);
        array = fixture.assemble(config, named, disks.stream().filter((disk) -> !lost.contains(disk.name()))
            .map(BlockDevice.class::cast).filter((each) -> !named.contains(each)).toList(), times);
        initiator = new Initiator("host", array);
    }

    private RaidConfig config(final List<String> members, final List<String> spares)
    {
        return new RaidConfig(name, wantedLevel, STRIP_BYTES, members, spares, false, false, false, rates, journal,
            "", checksums);
    }

    private List<BlockDevice> devices(final RaidConfig of)
    {
        return disks.stream().filter((disk) -> of.members().contains(disk.name()) || of.spares().contains(disk.name()))
            .filter((disk) -> !detached.contains(disk.name())).map(BlockDevice.class::cast).toList();
    }

    /** A drive of zeroes that is no member, named by its number. */
    MemberDisk addDisk(final long sizeBytes)
    {
        final MemberDisk disk = MemberDisk.create("d" + disks.size(), sizeBytes, BLOCK_BYTES, supply);
        disks.add(disk);
        return disk;
    }

    /** A drive with the content that another one has now, but for what is in its cache. */
    MemberDisk addCopy(final int of)
    {
        final MemberDisk disk = addDisk();
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member from = io.open(disks.get(of));
            MemberIo.Member to = io.open(disk))
        {
            final int length = 256 << 10;
            final long sizeBytes = disk.geometry().sizeBytes();
            for (long offset = 0; offset < sizeBytes; offset += length)
            {
                to.write(offset, from.read(offset, (int)Math.min(length, sizeBytes - offset)));
            }
        }
        return disk;
    }

    /** In the next life a drive is not there, unless it is named. */
    void lose(final int index)
    {
        lost.add(disks.get(index).name());
    }

    /** In the next lives a drive is not there, though it is named. */
    void detach(final int index)
    {
        detached.add(disks.get(index).name());
        lose(index);
    }

    MemberDisk addDisk()
    {
        return addDisk(RaidFixture.deviceBytes(MEMBER_BYTES) + (checksums ? ChecksumArea.PAGE_BYTES : 0));
    }

    /** Applies settings to the array that serves; names divided by blanks. */
    void set(final String members, final String spares)
    {
        apply(config(names(members), names(spares)));
    }

    /** Applies a level, too. */
    void set(final RaidLevel newLevel, final String members, final String spares)
    {
        final RaidLevel before = wantedLevel;
        wantedLevel = newLevel;
        try
        {
            set(members, spares);
        }
        catch (final BlockDeviceException e)
        {
            wantedLevel = before;
            throw e;
        }
    }

    private void apply(final RaidConfig wanted)
    {
        final List<BlockDevice> present = array.members();
        final List<BlockDevice> before = devices(config);
        final List<BlockDevice> added = devices(wanted).stream()
            .filter((each) -> !present.contains(each) && !before.contains(each)).toList();
        MembershipSettings.apply(array, config, wanted, added, null);
        config = wanted;
    }

    private static List<String> names(final String text)
    {
        return text.isEmpty() ? List.of() : List.of(text.split(" "));
    }

    /** Settings of the next life, with another level. */
    void configure(final RaidLevel newLevel, final String members, final String spares)
    {
        wantedLevel = newLevel;
        configure(members, spares);
    }

    /** Settings of the next life. */
    void configure(final String members, final String spares)
    {
        config = config(names(members), names(spares));
    }

    /** {@return what lies on a drive that no channel is open to} */
    FoundMember read(final int index)
    {
        try (MemberIo io = new MemberIo(null))
        {
            return FoundMember.read(io, disks.get(index));
        }
    }

    /** A channel to the array on another reactor. */
    Initiator anotherHost(final String name)
    {
        return new Initiator(name, array);
    }

    void awaitOnline()
    {
        await(() -> (DeviceHealth.ONLINE == array.status().health() || 0 != lostBlocks()) &&
            array.view().isComplete() && null == array.view().target(), "online, but " + array.status());
    }

    /** Takes the capacity in that the array has by now; what is new reads as zeroes. */
    void extend()
    {
        array.grow(array.availableBytes());
        model = Arrays.copyOf(model, (int)array.geometry().sizeBytes());
    }

    /** Writes some blocks at random places. */
    void writeAnywhere(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final int blocks = 1 + random.nextInt(CHUNK_BYTES / BLOCK_BYTES);
            write(random.nextInt(model.length / BLOCK_BYTES - blocks + 1) * BLOCK_BYTES, blocks * BLOCK_BYTES);
        }
    }

    /** Stops the array and assembles it of the same drives. */
    void restart()
    {
        closeArray();
        restartDisks();
        open();
    }

    /** No host is there any more, and the power is cut before a step from now on; the next one is 1. */
    void cutBefore(final int step)
    {
        initiator.close();
        initiator = null;
        supply.cutBefore(supply.steps() + step);
    }

    boolean isCut()
    {
        return supply.isCut();
    }

    /** Cuts the power while no host is there, and assembles the array of the same drives when it is back. */
    void losePower()
    {
        cutPower();
        open();
    }

    /** Cuts the power while no host is there; drives are there again, and no array is. */
    void cutPower()
    {
        if (null != initiator)
        {
            initiator.close();
            initiator = null;
        }
        fixture.cut(supply);
        fixture.stop();
        array.close();
        restartDisks();
    }

    /** Stops the array and assembles it of the same drives, and nothing more, as if the process was killed then. */
    void assembleAlone()
    {
        closeArray();
        restartDisks();
        RaidAssembly.assemble(config, devices(config), List::of, null, times).close();
    }

    private void restartDisks()
    {
        supply = new PowerSupply(random.nextLong());
        disks = new ArrayList<>(disks.stream().map((disk) -> disk.restart(supply)).toList());
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

    /** The array's own work has so many turns. */
    void turn(final int count)
    {
        fixture.turn(count);
    }

    /** Ends the array's own work. */
    void stopWork()
    {
        fixture.stop();
    }

    /** {@return what lies on a drive that channels may be open to, but for what is in its cache} */
    byte[] readData(final int index, final long memberOffset, final int length)
    {
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(disks.get(index)))
        {
            return open.read(RaidChannel.dataOffsetBytes() + memberOffset, length);
        }
    }

    /** {@return the last block of a drive} */
    byte[] lastBlock(final int index)
    {
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(disks.get(index)))
        {
            return open.read(disks.get(index).geometry().sizeBytes() - BLOCK_BYTES, BLOCK_BYTES);
        }
    }

    /** Writes zeroes in place of the first copy of a member's superblock; no channel is open to it. */
    void eraseFirstSuperblock(final int index)
    {
        closeArray();
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(disks.get(index)))
        {
            open.write(0, new byte[BLOCK_BYTES]);
        }
    }

    /** Copies the last block of a drive of another array to the end of the same drive here; both are stopped. */
    void copyLastBlock(final ArrayFixture from, final int index)
    {
        from.closeArray();
        closeArray();
        final MemberDisk source = from.disks.get(index);
        final MemberDisk target = disks.get(index);
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member read = io.open(source);
            MemberIo.Member write = io.open(target))
        {
            write.write(target.geometry().sizeBytes() - BLOCK_BYTES,
                read.read(source.geometry().sizeBytes() - BLOCK_BYTES, BLOCK_BYTES));
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

    /** {@return how a write ends that does not have to succeed; the content is not known when it does not} */
    BlockStatus tryWrite(final int offset, final int length)
    {
        return initiator.run(BlockOperation.WRITE, offset / BLOCK_BYTES, length / BLOCK_BYTES, false, arena.address(),
            length);
    }

    /** Writes of memory that lies in two places, a block in the first. */
    void writeScattered(final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, model, offset, length);
        final long second = arena.address() + 2 * BLOCK_BYTES;
        NativeMemory.asByteBuffer(arena.address(), BLOCK_BYTES).put(bytes, 0, BLOCK_BYTES);
        NativeMemory.asByteBuffer(second, length - BLOCK_BYTES).put(bytes, BLOCK_BYTES, length - BLOCK_BYTES);
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE, offset / BLOCK_BYTES,
            length / BLOCK_BYTES, false, arena.address(), BLOCK_BYTES, second, length - BLOCK_BYTES));
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

    /** Makes stable what a drive has, behind the array's back. */
    void flush(final int slot)
    {
        final Initiator direct = new Initiator("flushing", disks.get(slot));
        assertEquals(BlockStatus.SUCCESS, direct.run(BlockOperation.FLUSH, 0, 0, false));
        direct.close();
    }

    /** Reads everything and compares it with what was written. */
    void verify()
    {
        for (int offset = 0; offset < model.length; offset += CHUNK_BYTES)
        {
            verify(offset, CHUNK_BYTES);
        }
    }

    /** Reads a part and compares it with what was written. */
    void verify(final int offset, final int length)
    {
        assertEquals(BlockStatus.SUCCESS, read(offset, length), () -> "read at " + offset);
        final byte[] bytes = new byte[length];
        NativeMemory.asByteBuffer(arena.address(), length).get(bytes);
        assertArrayEquals(Arrays.copyOfRange(model, offset, offset + length), bytes, () -> "at " + offset);
    }

    /** {@return blocks of the array that end with a media error; all others have what was written} */
    Set<Integer> unreadable()
    {
        final Set<Integer> unreadable = new TreeSet<>();
        final byte[] bytes = new byte[BLOCK_BYTES];
        for (int block = 0; block < model.length / BLOCK_BYTES; block++)
        {
            final int at = block;
            final BlockStatus status = read((long)block * BLOCK_BYTES, BLOCK_BYTES);
            if (BlockStatus.MEDIA_ERROR == status)
            {
                unreadable.add(block);
                continue;
            }
            assertEquals(BlockStatus.SUCCESS, status, () -> "read of block " + at);
            NativeMemory.asByteBuffer(arena.address(), BLOCK_BYTES).get(bytes);
            assertArrayEquals(Arrays.copyOfRange(model, block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES), bytes,
                () -> "block " + at);
        }
        return unreadable;
    }

    /** {@return blocks in the lists of all members} */
    int lostBlocks()
    {
        return array.raidMembers().stream().mapToInt((member) -> member.lostBlocks().count()).sum();
    }

    Queue<String> events()
    {
        return fixture.events();
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
