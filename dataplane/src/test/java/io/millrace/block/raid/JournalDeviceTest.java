package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.AllocationProbe;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.RaidJournalDetails.State;
import io.millrace.block.raid.format.JournalPlaces;
import io.millrace.block.raid.format.JournalState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays with a journal device: which are assembled, what becomes of it while they serve, and changes of it. */
class JournalDeviceTest
{
    private static final int STRIP_BYTES = 16 << 10;
    private static final int BLOCK = 4096;
    private static final int MEMBERS = 4;
    private static final long MEMBER_BYTES = 1 << 20;
    private static final int CHUNK_BYTES = 64 << 10;
    private static final long JOURNAL_BYTES = 2 << 20;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(1 << 20);
    private List<MemberDisk> disks = new ArrayList<>();
    private PowerSupply supply = new PowerSupply(random.nextLong());
    private JournalMode mode = JournalMode.ALWAYS;
    private RaidLevel level = RaidLevel.RAID5;
    private CopyRates rates = CopyRates.DEFAULT;
    private boolean force;
    private final byte[] model =
        new byte[(int)layout().dataBytes()];
    private RaidDevice array;
    private Initiator initiator;

    /** Members d0 to d3, journal devices d4 and d5; d6 gets Q. */
    JournalDeviceTest()
    {
        for (int i = 0; i < MEMBERS + 3; i++)
        {
            disks.add(MemberDisk.create("d" + i,
                i < MEMBERS || 6 == i ? RaidFixture.deviceBytes(MEMBER_BYTES) : JOURNAL_BYTES, BLOCK, supply));
        }
    }

    @AfterEach
    void close()
    {
        closeArray();
        fixture.close();
        disks.forEach(MemberDisk::close);
        arena.close();
    }

    private RaidConfig config(final String journal)
    {
        final List<String> names = new ArrayList<>(disks.subList(0, MEMBERS).stream().map(MemberDisk::name).toList());
        if (RaidLevel.RAID6 == level)
        {
            names.add("d6");
        }
        return new RaidConfig("array", level, STRIP_BYTES, names, List.of(), true, false, force, rates, mode, journal,
            false);
    }

    private void open(final String journal, final String... missing)
    {
        open(journal, List.of(), missing);
    }

    private void open(final String journal, final List<BlockDevice> unused, final String... missing)
    {
        final RaidConfig config = config(journal);
        array = fixture.assemble(config, disks.stream().filter((each) -> !Arrays.asList(missing).contains(each.name()))
            .filter((each) -> config.members().contains(each.name()) || each.name().equals(journal))
            .map(BlockDevice.class::cast).toList(), unused, RaidTimes.DEFAULT);
        initiator = new Initiator("host", array);
    }

    private void closeArray()
    {
        if (null != initiator)
        {
            initiator.close();
            initiator = null;
        }
        fixture.stop();
        if (null != array)
        {
            array.close();
            array = null;
            supply = new PowerSupply(random.nextLong());
            disks = new ArrayList<>(disks.stream().map((disk) -> disk.restart(supply)).toList());
        }
    }

    /** Cuts the power; nothing is lost that was written. */
    private void crash()
    {
        initiator.run(BlockOperation.FLUSH, 0, 0, false);
        initiator.close();
        initiator = null;
        fixture.cut(supply);
        closeArray();
    }

    private Initiator.Io begin(final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, model, offset, length);
        NativeMemory.asByteBuffer(arena.address(), length).put(bytes);
        final Initiator.Io io = initiator.io();
        Initiator.fill(
            io.request(), BlockOperation.WRITE, offset / BLOCK, length / BLOCK, false, arena.address(), length);
        initiator.send(io);
        return io;
    }

    private void write(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final int blocks = 1 + random.nextInt(CHUNK_BYTES / BLOCK);
            assertEquals(BlockStatus.SUCCESS, initiator.await(
                begin(random.nextInt(model.length / BLOCK - blocks + 1) * BLOCK, blocks * BLOCK)));
        }
    }

    private void verify()
    {
        for (int offset = 0; offset < model.length; offset += CHUNK_BYTES)
        {
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, offset / BLOCK, CHUNK_BYTES / BLOCK,
                false, arena.address(), CHUNK_BYTES));
            assertArrayEquals(Arrays.copyOfRange(model, offset, offset + CHUNK_BYTES),
                NativeMemory.bytes(arena.address(), CHUNK_BYTES), "at " + offset);
        }
    }

    private RaidJournalDetails journal()
    {
        return array.details().journal();
    }

    private Superblock superblock(final int disk)
    {
        try (MemberIo io = new MemberIo(null))
        {
            return FoundMember.read(io, disks.get(disk)).superblock();
        }
    }

    private void use(final int disk)
    {
        final RaidConfig config = config("d" + disk);
        JournalDeviceSettings.use(array, config, disks.get(disk), null);
    }

    private void assertRefused(final String text, final Runnable action)
    {
        final long writes = disks.stream().mapToLong(MemberDisk::writes).sum();
        final String sentence = assertThrows(BlockDeviceException.class, action::run).getMessage();
        assertTrue(sentence.contains(text), sentence);
        assertEquals(writes, disks.stream().mapToLong(MemberDisk::writes).sum(), sentence);
    }

    @Test
    void shouldLogOnTheDeviceAloneOneWriteAnEntry()
    {
        open("d4");
        assertEquals(new RaidJournalDetails("d4", State.ACTIVE), journal());
        assertEquals(DeviceHealth.ONLINE, array.status().health());
        // The device is larger than the journal of a member.
        assertTrue(array.journal().places().placeCount() >
            JournalPlaces.of(MEMBERS, STRIP_BYTES).placeCount());
        final long before = disks.get(4).writes();
        final long[] members = new long[MEMBERS];
        for (int i = 0; i < MEMBERS; i++)
        {
            members[i] = disks.get(i).writes();
        }
        assertEquals(BlockStatus.SUCCESS, initiator.await(begin(0, BLOCK)));
        assertEquals(before + 1, disks.get(4).writes());
        // Who writes an entry waits until superblocks do without the device that failed it.
        assertTrue(array.view().isWritten(array.journalDevice().member()));
        assertEquals(1, array.journal().tail());
        assertEquals(List.of("d0", "d1", "d2", "d3"), array.details().members().stream()
            .map(RaidMemberDetails::name).toList());
        write(3 * array.journal().places().placeCount());
        verify();
    }

    @Test
    void shouldNotNeedTheDeviceAfterACleanStop()
    {
        open("d4");
        write(20);
        closeArray();
        assertNull(superblock(0).journal().device());
        open("d4", "d4");
        assertEquals(new RaidJournalDetails("d4", State.MISSING), journal());
        assertEquals(DeviceHealth.DEGRADED, array.status().health());
        assertTrue(array.status().reason().contains("journal device d4 is missing, and members have the journal"),
            array.status().reason());
        assertTrue(array.view().isJournaling());
        assertTrue(array.intent().nextResync(0) < 0);
        write(20);
        verify();
        crash();
        // It is back, and what it has is not replayed.
        open("d4");
        assertEquals(new RaidJournalDetails("d4", State.ACTIVE), journal());
        verify();
        write(20);
        verify();
    }

    @Test
    void shouldHaveAnotherUuidEachTimeItIsAttached()
    {
        open("d4");
        write(1);
        final Superblock first = superblock(4);
        assertEquals(first.member(), superblock(0).journal().device());
        assertEquals(first.member(), first.journal().device());
        assertEquals(array.journal().places().placeCount(), superblock(1).journal().placeCount());
        crash();
        open("d4");
        assertTrue(disks.get(0).reads() < array.journal().places().placeCount(), "entries are read of members");
        assertEquals(first.member(), superblock(4).member(), "it has entries that count");
        closeArray();
        open("d4");
        assertNotEquals(first.member(), superblock(4).member());
    }

    @ParameterizedTest
    @CsvSource({"FAILING", "HANGING"})
    void shouldGoOnWithTheJournalOnMembersWhenTheDeviceFails(final MemberState state)
    {
        open("d4");
        write(10);
        final long epoch = array.view().journalEpoch();
        disks.get(4).state(state);
        final Initiator.Io io = begin(0, 3 * STRIP_BYTES);
        if (MemberState.HANGING == state)
        {
            ArrayFixture.await(() -> array.channels().hostBytes() > 0, "submitted");
            // Its time-out.
            disks.get(4).state(MemberState.FAILING);
        }
        assertEquals(BlockStatus.SUCCESS, initiator.await(io));
        assertEquals(new RaidJournalDetails("d4", State.FAILED), journal());
        assertTrue(array.view().isComplete());
        assertTrue(array.view().journalEpoch() > epoch);
        assertEquals(DeviceHealth.DEGRADED, array.status().health());
        assertTrue(array.status().reason().startsWith("journal device d4 WRITE ended with DEVICE_ERROR, and members"),
            array.status().reason());
        assertNull(superblock(0).journal().device());
        write(50);
        verify();
        crash();
        // The journal of members counts, with one of them lost, and that of the device does not.
        open("d4", "d1");
        assertEquals(new RaidJournalDetails("d4", State.ACTIVE), journal());
        verify();
    }

    @Test
    void shouldFailTheDeviceByHand()
    {
        open("d4");
        RaidFixture.get(array.fail("d4"));
        assertEquals(new RaidJournalDetails("d4", State.FAILED), journal());
        write(10);
        JournalDeviceSettings.useMembers(array);
        assertEquals(new RaidJournalDetails("", State.NONE), journal());
        assertEquals(DeviceHealth.ONLINE, array.status().health());
        use(4);
        assertEquals(new RaidJournalDetails("d4", State.ACTIVE), journal());
        write(10);
        verify();
    }

    @Test
    void shouldUseTheDeviceOnlyWhileDegradedInThatMode()
    {
        mode = JournalMode.DEGRADED;
        open("d4");
        write(10);
        assertEquals(new RaidJournalDetails("d4", State.IDLE), journal());
        assertEquals(0, array.journal().tail());
        assertNull(superblock(0).journal().device());
        disks.get(1).state(MemberState.FAILING);
        write(10);
        ArrayFixture.await(() -> array.view().isJournaling(), "journaling");
        assertEquals(new RaidJournalDetails("d4", State.ACTIVE), journal());
        assertEquals(superblock(4).member(), superblock(0).journal().device());
        write(10);
        verify();
    }

    @ParameterizedTest
    @CsvSource({"ALWAYS", "DEGRADED"})
    void shouldAddReplaceAndRemoveTheDeviceUnderLoad(final JournalMode ofMode)
    {
        mode = ofMode;
        open("");
        write(20);
        assertEquals(new RaidJournalDetails("", State.NONE), journal());
        final CompletableFuture<Void> changes = CompletableFuture.runAsync(() ->
        {
            for (int i = 0; i < 3; i++)
            {
                use(4);
                assertEquals("d4", journal().device());
                use(5);
                assertEquals("d5", journal().device());
                JournalDeviceSettings.useMembers(array);
            }
        });
        while (!changes.isDone())
        {
            write(5);
        }
        changes.join();
        assertEquals(new RaidJournalDetails("", State.NONE), journal());
        assertNull(superblock(4), "erased");
        assertNull(superblock(5), "erased");
        assertEquals(MEMBERS, array.members().size());
        write(20);
        verify();
        use(5);
        write(20);
        crash();
        open("d5", JournalMode.ALWAYS == ofMode ? new String[]{"d2"} : new String[0]);
        verify();
    }

    @Test
    void shouldRefuseToComputeDataWhenTheDeviceIsLostWithThePower()
    {
        open("d4");
        write(20);
        crash();
        assertRefused("journal device d4 is missing, may have entries for ", () -> open("d4", "d4", "d1"));
        assertRefused("journal device d5 is not the one that has the journal (", () -> open("d5", "d1"));
        disks.get(4).failMedia(8, 1);
        assertRefused("journal device d4 cannot be read (", () -> open("d4", "d1"));
        disks.get(4).healMedia();
        force = true;
        open("d4", "d4", "d1");
        assertEquals(new RaidJournalDetails("d4", State.MISSING), journal());
    }

    private byte[] content(final int disk)
    {
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(disks.get(disk)))
        {
            final ByteBuffer content = ByteBuffer.allocate((int)JOURNAL_BYTES);
            while (content.hasRemaining())
            {
                content.put(open.read(content.position(), MemberIo.LENGTH_MAX));
            }
            return content.array();
        }
    }

    private void restore(final int disk, final byte[] content)
    {
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(disks.get(disk)))
        {
            for (int offset = 0; offset < content.length; offset += MemberIo.LENGTH_MAX)
            {
                open.write(offset, Arrays.copyOfRange(content, offset, offset + MemberIo.LENGTH_MAX));
            }
        }
    }

    /** With entries of before: those that count are lost, and it must not look as if there had been none. */
    @Test
    void shouldKnowACopyFromBeforeTheLastStart()
    {
        open("d4");
        write(20);
        crash();
        final byte[] copy = content(4);
        open("d4");
        write(20);
        crash();
        restore(4, copy);
        assertRefused("journal device d4 is as it was before the array's journal began (epoch ",
            () -> open("d4", "d1"));
        assertRefused(" is as it was before the array's journal began (epoch ",
            () -> open("", List.of(disks.get(4)), "d1"));
        corruptParity();
        rates = new CopyRates(4096, 4096);
        final UUID before = superblock(4).member();
        open("d4");
        assertNotEquals(before, superblock(4).member());
        assertTrue(array.status().reason().contains("; it may be a copy): entries are lost: parity is resynchronized"),
            array.status().reason());
        array.copyRates(CopyRates.DEFAULT);
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        RaidFixture.get(array.fail("d" + (0 == layout().parityP(0) ? 1 : 0)));
        verify();
    }

    @Test
    void shouldKnowACopyFromBeforeAChangeOfMembers()
    {
        rates = new CopyRates(4096, 4096);
        open("d4");
        write(20);
        final byte[] copy = content(4);
        raise();
        write(20);
        crash();
        final byte[] last = content(4);
        restore(4, copy);
        assertRefused("journal device d4 is as it was before the array's journal began (epoch ",
            () -> open("d4", "d1"));
        restore(4, last);
        open("d4", "d1");
        verify();
    }

    @Test
    void shouldGoOnWhenTheDeviceDoesNotTakeASuperblock()
    {
        open("d4");
        write(20);
        disks.get(4).state(MemberState.FAILING);
        raise();
        assertEquals(new RaidJournalDetails("d4", State.FAILED), journal());
        write(20);
        verify();
        crash();
        open("d4", "d1");
        verify();
    }

    private static ArrayLayout layout()
    {
        return ArrayLayout.of(RaidLevel.RAID5, MEMBERS, STRIP_BYTES, MEMBER_BYTES);
    }

    private void raise()
    {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        array.change(new MemberChange.Grow(disks.get(6), RaidLevel.RAID6_Q_LAST, done));
        RaidFixture.get(done);
        level = RaidLevel.RAID6;
    }

    /** As a write that was torn leaves it. */
    private void corruptParity()
    {
        final byte[] junk = new byte[BLOCK];
        random.nextBytes(junk);
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(disks.get(layout().parityP(0))))
        {
            open.write(RaidChannel.dataOffsetBytes(), junk);
        }
    }

    private void checkParityIsComputedWithoutQ()
    {
        verify();
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        assertFalse(array.view().isComplete(), "Q was there early");
        RaidFixture.get(array.fail("d" + (0 == layout().parityP(0) ? 1 : 0)));
        verify();
    }

    @Test
    void shouldStartWithoutTheDeviceWhileQIsComputed()
    {
        rates = new CopyRates(4096, 4096);
        open("d4");
        write(20);
        raise();
        assertEquals(BlockStatus.SUCCESS, initiator.await(begin(0, BLOCK)));
        crash();
        corruptParity();
        assertRefused("journal device d4 is missing, may have entries for ", () -> open("d4", "d4", "d1"));
        rates = new CopyRates(512 << 10, 512 << 10);
        open("d4", "d4");
        checkParityIsComputedWithoutQ();
    }

    @Test
    void shouldStartWithoutQThoughParityMayNotMatch()
    {
        mode = JournalMode.DEGRADED;
        open("");
        raise();
        ArrayFixture.await(() -> array.view().isComplete(), "raised");
        write(20);
        assertEquals(BlockStatus.SUCCESS, initiator.await(begin(0, BLOCK)));
        crash();
        corruptParity();
        assertRefused("parity may not match the data in ", () -> open("", "d1"));
        open("", "d6");
        checkParityIsComputedWithoutQ();
    }

    @Test
    void shouldNotSayThatParityMatchesBeforeItIsResynchronized()
    {
        open("d4");
        write(20);
        crash();
        // The array's own work does not begin.
        RaidAssembly.assemble(config("d5"),
            disks.subList(0, 6).stream().filter((each) -> !"d4".equals(each.name())).map(BlockDevice.class::cast)
            .toList(), null).close();
        final JournalState journal = superblock(0).journal();
        assertEquals(superblock(5).member(), journal.device());
        assertFalse(journal.isMatched());
        disks = new ArrayList<>(disks.stream().map((disk) -> disk.restart(supply)).toList());
        open("d5", "d4");
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        verify();
    }

    @Test
    void shouldResynchronizeWhenTheDeviceAloneIsLostWithThePower()
    {
        open("d4");
        write(20);
        crash();
        open("d4", "d4");
        assertTrue(array.status().reason().contains("parity is resynchronized where it may not match"),
            array.status().reason());
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        verify();
        crash();
        open("d4");
        verify();
        assertEquals(DeviceHealth.ONLINE, array.status().health());
    }

    @Test
    void shouldReplayADeviceThatSettingsDoNotName()
    {
        open("d4");
        write(20);
        crash();
        open("", List.of(disks.get(4)), "d1");
        assertEquals(new RaidJournalDetails("", State.NONE), journal());
        verify();
        closeArray();
        open("", List.of(disks.get(4)));
        assertTrue(array.intent().nextResync(0) < 0);
    }

    @Test
    void shouldRefuseADeviceThatDoesNotFit()
    {
        open("");
        try (MemberDisk small = MemberDisk.create("small", (1 << 20) + (36 << 10) - BLOCK, BLOCK, supply);
            MemberDisk fine = MemberDisk.create("fine", 4 << 20, 512, supply))
        {
            assertRefused("journal device small of 1081344 bytes has room for 1044480 bytes of journal, less than " +
                "1048576: use a larger device", () -> JournalDeviceSettings.use(array, config("small"), small, null));
            assertRefused("device fine has blocks of 512 bytes and device d0 of 4096: use devices of one block size",
                () -> JournalDeviceSettings.use(array, config("fine"), fine, null));
        }
        assertRefused("device d0 is listed twice", () -> use(0));
        assertRefused("journal device d1 is the member of slot 1 of array array (RAID 5, UUID ", () -> use(1));
    }

    @Test
    void shouldRefuseADeviceThatHoldsOtherData()
    {
        open("");
        try (MemberIo io = new MemberIo(null);
            MemberIo.Member open = io.open(disks.get(4)))
        {
            open.write(0, Arrays.copyOf("XFSB".getBytes(StandardCharsets.US_ASCII), BLOCK));
        }
        assertRefused("journal device d4 holds ", () -> use(4));
        closeArray();
        assertRefused("journal device d4 holds ", () -> open("d4"));
    }

    @Test
    void shouldRefuseMembersAndJournalDevicesInEachOthersPlace()
    {
        open("d4");
        write(10);
        crash();
        final RaidConfig wanted = config("d0");
        assertRefused("journal device d0 is the member of slot 0 of array array (", () -> RaidAssembly.assemble(
            named(wanted, "d5", "d1", "d2", "d3"), List.copyOf(disks.subList(0, 6)), null));
        assertRefused("device d4 is the journal device of array array (", () -> RaidAssembly.assemble(
            named(config("d5"), "d0", "d1", "d2", "d4"), List.copyOf(disks.subList(0, 6)), null));
        open("d4", "d3");
        verify();
    }

    @Test
    void shouldRefuseADeviceOfAnotherArray()
    {
        open("d4");
        write(10);
        closeArray();
        final List<BlockDevice> others = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++)
        {
            others.add(fixture.own(MemoryDevice.create("d" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK)));
        }
        array = fixture.assemble(config(""), others);
        assertRefused("journal device d4 is the journal device of array array (RAID 5, UUID ", () -> use(4));
        others.add(disks.get(4));
        fixture.stop();
        array.close();
        array = null;
        assertRefused("journal device d4 is the journal device of array array (RAID 5, UUID ",
            () -> RaidAssembly.assemble(config("d4"), others, null));
    }

    @Test
    void shouldNotCreateAnArrayWithoutItsDevice()
    {
        assertRefused("journal device d4 is missing, and a new array needs all its devices: make it available, or " +
            "remove journal-device", () -> open("d4", "d4"));
    }

    /** Each time from all devices: what one attempt has left is no obstacle for the next. */
    @Test
    void shouldBeginACreationAgainHoweverOftenItWasCut()
    {
        int steps = 1;
        while (!isCreatedBefore(steps))
        {
            steps++;
        }
        for (int first = steps - 1; first > 0; first -= 1 + random.nextInt(3))
        {
            for (int second = 1; second < steps; second += 1 + random.nextInt(6))
            {
                assertFalse(isCreatedBefore(first));
                if (!isCreatedBefore(second))
                {
                    open("d4");
                    closeArray();
                }
                erase();
            }
        }
    }

    /** Cuts the power before a step of the creation, unless it ends before; then all is erased again. */
    private boolean isCreatedBefore(final int step)
    {
        supply.cutBefore(step);
        try
        {
            open("d4");
            closeArray();
            erase();
            return true;
        }
        catch (final BlockDeviceException e)
        {
            supply = new PowerSupply(random.nextLong());
            disks = new ArrayList<>(disks.stream().map((disk) -> disk.restart(supply)).toList());
            return false;
        }
    }

    private void erase()
    {
        try (MemberIo io = new MemberIo(null))
        {
            disks.forEach((each) -> FoundMember.wipe(io, each));
        }
        supply = new PowerSupply(random.nextLong());
        disks = new ArrayList<>(disks.stream().map((disk) -> disk.restart(supply)).toList());
    }

    private static RaidConfig named(final RaidConfig of, final String... members)
    {
        return new RaidConfig(of.name(), of.level(), of.stripBytes(), List.of(members), List.of(), true, false, false,
            of.copyRates(), of.journal(), of.journalDevice(), false);
    }

    @Test
    void shouldAllocateNothing()
    {
        try (RaidFixture other = new RaidFixture(); DmaMemory memory = DmaMemory.map(16 << 20))
        {
            final List<BlockDevice> members = other.memoryMembers(MEMBERS + 1, MEMBER_BYTES, BLOCK);
            final RaidDevice logging = other.assemble(new RaidConfig("array", RaidLevel.RAID5, STRIP_BYTES,
                List.of("m0", "m1", "m2", "m3"), List.of(), true, false, false, CopyRates.DEFAULT, JournalMode.ALWAYS,
                "m4", false), members);
            try (Initiator host = new Initiator("host", logging))
            {
                new AllocationProbe(host, memory.address(), logging.geometry()).assertAllocatesNothingWhenWarm();
            }
            assertTrue(logging.journal().tail() > 0);
            other.stop();
            logging.close();
        }
    }

    /** The device ends before the offset at which members have checksums. */
    @Test
    void shouldHaveNoChecksumsOfBlocks()
    {
        for (int i = 0; i < MEMBERS; i++)
        {
            disks.get(i).close();
            disks.set(i, MemberDisk.create("d" + i, RaidFixture.deviceBytes(2 * MEMBER_BYTES), BLOCK, supply));
        }
        final RaidConfig config = new RaidConfig("array", RaidLevel.RAID5, STRIP_BYTES, List.of("d0", "d1", "d2", "d3"),
            List.of(), true, false, false, CopyRates.DEFAULT, JournalMode.ALWAYS, "d4", true);
        array = fixture.assemble(config,
            disks.subList(0, MEMBERS + 1).stream().map(BlockDevice.class::cast).toList(), List.of(),
            new RaidTimes(1_000_000, 1_000_000));
        initiator = new Initiator("host", array);
        ArrayFixture.await(() -> 0 == array.intent().dirtyCount(), "stored");
        assertEquals(List.of(), List.copyOf(fixture.failures()));
        assertEquals("d4", array.view().journalDevice().device().name());
    }
}
