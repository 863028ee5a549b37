package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.layout.RaidLevel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SuperblockTest
{
    private static final UUID ARRAY = new UUID(1, 1);
    private static final UUID A = new UUID(0, 0xA);
    private static final UUID B = new UUID(0, 0xB);
    private static final UUID C = new UUID(0, 0xC);
    private static final List<Slot> SLOTS = List.of(
        new Slot(A, SlotState.IN_SYNC, 0), new Slot(B, SlotState.REBUILDING, 4096), new Slot(C, SlotState.FAILED, 0));

    private static Superblock of(
        final String name,
        final RaidLevel level,
        final int stripBytes,
        final int blockSizeBytes,
        final long memberBytes,
        final long eventCount,
        final long updatedMs,
        final List<Slot> slots)
    {
        return new Superblock(
            ARRAY, name, level, stripBytes, blockSizeBytes, memberBytes, A, eventCount, true, updatedMs, 0,
            slots);
    }

    private static Superblock of(final List<Slot> slots)
    {
        return of("vol0", RaidLevel.RAID5, 65536, 512, 1 << 20, 7, 8, slots);
    }

    private static void assertRefused(final String words, final Executable made)
    {
        final String message = assertThrows(BlockDeviceException.class, made).getMessage();
        assertTrue(message.contains(words), message);
    }

    private static void assertUnreadable(final String words, final Consumer<ByteBuffer> change)
    {
        final byte[] bytes = Superblocks.encode(of(SLOTS));
        change.accept(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        Superblocks.checksum(bytes);
        final String message =
            assertThrows(InvalidSuperblockException.class, () -> Superblocks.decode(bytes)).getMessage();
        assertTrue(message.contains(words), message);
    }

    @Test
    void shouldFindTheSlotOfAnActiveMember()
    {
        final Superblock superblock = of(SLOTS);
        assertEquals(0, superblock.slotOf(A));
        assertEquals(1, superblock.slotOf(B));
        assertEquals(-1, superblock.slotOf(C));
        assertEquals(-1, superblock.slotOf(new UUID(9, 9)));
        assertEquals(-1, of(List.of(SLOTS.get(0), Slot.EMPTY, SLOTS.get(2))).slotOf(null));
    }

    private static Superblock renamed(final List<String> former)
    {
        return new Superblock(ARRAY, "vol0", RaidLevel.RAID5, 65536, 512, 1 << 20, A, 7, true, 8, 0, SLOTS,
            JournalState.NONE, ReshapeState.NONE, 0, false, former);
    }

    @Test
    void shouldRefuseFormerNamesThatAreTooManyOrTwice()
    {
        final String words = "are not up to 16 others, each once";
        final List<String> names = IntStream.rangeClosed(1, 17).mapToObj((i) -> "vol" + i).toList();
        assertEquals(16, renamed(names.subList(0, 16)).formerNames().size());
        assertRefused(words, () -> renamed(names));
        assertRefused(words, () -> renamed(List.of("vol1", "vol2", "vol1")));
    }

    /** Without them the array could be assembled by a name that it had. */
    @Test
    void shouldHaveFormerNamesInEachCopy()
    {
        final List<String> former = List.of("a".repeat(64), "b".repeat(64), "vol1");
        final Superblock superblock = renamed(former);
        assertEquals(former, superblock.forMember(B).formerNames());
        assertEquals(former, superblock.with(JournalState.NONE).formerNames());
        assertEquals(former, superblock.withChecksums(2 << 20).formerNames());
        assertEquals(former, Superblocks.decode(Superblocks.encode(superblock)).formerNames());
    }

    @Test
    void shouldTakeAMemberAgainAfterItFailed()
    {
        final Superblock superblock = of(List.of(new Slot(A, SlotState.FAILED, 0), new Slot(B, SlotState.IN_SYNC, 0),
            new Slot(A, SlotState.REBUILDING, 0)));
        assertEquals(2, superblock.slotOf(A));
    }

    @Test
    void shouldBeTheSameForAnotherMember()
    {
        final Superblock superblock = of(SLOTS);
        final Superblock other = superblock.forMember(B);
        assertEquals(B, other.member());
        assertEquals(superblock, other.forMember(A));
    }

    @Test
    void shouldKeepItsSlots()
    {
        final List<Slot> slots = new ArrayList<>(SLOTS);
        final Superblock superblock = of(slots);
        slots.set(0, Slot.EMPTY);
        assertEquals(SLOTS, superblock.slots());
    }

    @Test
    void shouldRefuseWhatIsMissing()
    {
        final UUID nil = new UUID(0, 0);
        assertRefused("UUID of the array",
            () -> new Superblock(null, "a", RaidLevel.RAID5, 65536, 512, 65536, A, 0, true, 0, 0, SLOTS));
        assertRefused("UUID of the array",
            () -> new Superblock(nil, "a", RaidLevel.RAID5, 65536, 512, 65536, A, 0, true, 0, 0, SLOTS));
        assertRefused("UUID of the member",
            () -> new Superblock(ARRAY, "a", RaidLevel.RAID5, 65536, 512, 65536, null, 0, true, 0, 0, SLOTS));
        assertRefused("name", () -> of(null, RaidLevel.RAID5, 65536, 512, 65536, 0, 0, SLOTS));
        assertRefused("level", () -> of("a", null, 65536, 512, 65536, 0, 0, SLOTS));
        assertRefused("slot", () -> of(null));
        assertRefused("slot", () -> of(Arrays.asList(SLOTS.get(0), null, SLOTS.get(1))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "a b | 65536 | 512 | 65536 | 0 | 0 | name a b is not a name",
        "a | 2048 | 512 | 65536 | 0 | 0 | strip-size 2048 is not a power of two from 4096",
        "a | 2097152 | 512 | 2097152 | 0 | 0 | strip-size 2097152",
        "a | 12288 | 512 | 12288 | 0 | 0 | strip-size 12288",
        "a | 65536 | 1024 | 65536 | 0 | 0 | block-size 1024",
        "a | 65536 | 512 | 0 | 0 | 0 | 0 bytes of data",
        "a | 65536 | 512 | 65535 | 0 | 0 | 65535 bytes of data",
        "a | 65536 | 512 | 98304 | 0 | 0 | 98304 bytes of data",
        "a | 65536 | 512 | 9007199254806528 | 0 | 0 | 9007199254806528 bytes of data",
        "a | 65536 | 512 | 65536 | -1 | 0 | event-count -1 is below 0",
        "a | 65536 | 512 | 65536 | 0 | -1 | updated -1 is below 0"})
    void shouldRefuseWhatIsOutOfItsBounds(
        final String name,
        final int stripBytes,
        final int blockSizeBytes,
        final long memberBytes,
        final long eventCount,
        final long updatedMs,
        final String words)
    {
        assertRefused(words, () -> of(
            name, RaidLevel.RAID5, stripBytes, blockSizeBytes, memberBytes, eventCount, updatedMs, SLOTS));
    }

    @Test
    void shouldTakeTheBounds()
    {
        assertEquals(0, of("a", RaidLevel.RAID5, 4096, 4096, 4096, 0, 0, SLOTS).slotOf(A));
        assertEquals(0, of("a", RaidLevel.RAID5, 1 << 20, 512, 8192L << 40, Long.MAX_VALUE, Long.MAX_VALUE,
            SLOTS).slotOf(A));
    }

    @Test
    void shouldRefuseSlotsThatDoNotFit()
    {
        assertRefused("RAID 5 of 2 members is outside 3 to 64", () -> of(SLOTS.subList(0, 2)));
        assertRefused("RAID 5 of 65 members is outside 3 to 64", () -> of(Collections.nCopies(65, Slot.EMPTY)));
        assertRefused("is in slots 0 and 2", () -> of(List.of(SLOTS.get(0), SLOTS.get(1), SLOTS.get(0))));
        assertRefused("1048577 rebuilt bytes of slot 1 are more than the 1048576",
            () -> of(List.of(SLOTS.get(0), new Slot(B, SlotState.REBUILDING, (1 << 20) + 1), Slot.EMPTY)));
        assertRefused("the state is missing", () -> new Slot(A, null, 0));
        assertRefused("EMPTY slot", () -> new Slot(A, SlotState.EMPTY, 0));
        assertRefused("UUID of the member is missing in state FAILED", () -> new Slot(null, SlotState.FAILED, 0));
        assertRefused("UUID of the member", () -> new Slot(new UUID(0, 0), SlotState.IN_SYNC, 0));
        assertRefused("is in slots 1 and 2", () -> of(List.of(SLOTS.get(0), SLOTS.get(1), SLOTS.get(1))));
        assertRefused("is in slots 0 and 1", () -> of(List.of(
            SLOTS.get(0), new Slot(A, SlotState.REBUILDING, 0), SLOTS.get(2))));
        assertRefused("-1 rebuilt bytes", () -> new Slot(A, SlotState.REBUILDING, -1));
        assertRefused("1 rebuilt bytes in state IN_SYNC", () -> new Slot(A, SlotState.IN_SYNC, 1));
        assertRefused("1 rebuilt bytes in state FAILED", () -> new Slot(A, SlotState.FAILED, 1));
        assertRefused("1 rebuilt bytes in state EMPTY", () -> new Slot(null, SlotState.EMPTY, 1));
    }

    @Test
    void shouldRefuseMoreMembersThanAnErasureCodeHas()
    {
        final List<Slot> slots = Collections.nCopies(34, Slot.EMPTY);
        of("vol0", RaidLevel.EC2, 65536, 512, 1 << 20, 7, 8, slots);
        assertRefused("superblock: EC with 1 parity strip of 34 members is outside 3 to 33: use fewer members",
            () -> of("vol0", RaidLevel.EC1, 65536, 512, 1 << 20, 7, 8, slots));
    }

    @Test
    void shouldSayWhichVersionItReads()
    {
        assertUnreadable("has version 2, and this build reads version 1", (bytes) -> bytes.putInt(8, 2));
        assertUnreadable("has version 4294967295,", (bytes) -> bytes.putInt(8, -1));
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 31, 63})
    void shouldRefuseFeaturesThatItDoesNotKnow(final int bit)
    {
        assertUnreadable("needs features 0x" + Long.toHexString(1L << bit) + ", and this build knows 0x7ff",
            (bytes) -> bytes.putLong(16, 1L << bit));
    }

    private static Superblock of(final RaidLevel level, final ReshapeState reshape)
    {
        final List<Slot> slots = new ArrayList<>();
        for (int i = 0; i < 5; i++)
        {
            slots.add(new Slot(new UUID(7, 1 + i), SlotState.IN_SYNC, 0));
        }
        return new Superblock(ARRAY, "vol0", level, 1 << 20, 512, 20L << 20, A, 7, true, 8, 0, slots,
            JournalState.NONE, reshape, 0, false, List.of());
    }

    @Test
    void shouldHaveTheSameSlotsBeforeWhileQIsMoved()
    {
        for (final ReshapeState each : List.of(
            new ReshapeState(5, 0, 0, ReshapeState.Stage.MOVING),
            new ReshapeState(5, 1, 512 << 10, ReshapeState.Stage.BACKED_UP),
            new ReshapeState(5, 19, 0, ReshapeState.Stage.PREPARING)))
        {
            final Superblock superblock = of(RaidLevel.RAID6_Q_LAST, each);
            assertTrue(superblock.isMovingQ());
            final byte[] bytes = Superblocks.encode(superblock);
            // That of older builds, which would take it for damaged, has no such bit.
            assertEquals(256 | 32 | 8, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(16));
            assertEquals(superblock, Superblocks.decode(bytes));
        }
        assertUnreadable("features 0x100 do not fit the slots before the reshape", (bytes) -> bytes.putLong(16, 256));
    }

    @ParameterizedTest
    @CsvSource({
        "RAID6,5,0,0,MOVING", "RAID5,5,0,0,MOVING", "RAID6_Q_LAST,5,20,0,MOVING", "RAID6_Q_LAST,6,0,0,MOVING",
        "RAID6_Q_LAST,5,1,1048576,MOVING", "RAID6_Q_LAST,5,1,512,MOVING", "RAID6_Q_LAST,4,4,0,BACKED_UP",
        "RAID6_Q_LAST,4,4,4096,MOVING", "RAID6_Q_LAST,4,1,0,MOVING", "RAID6_Q_LAST,3,4,0,MOVING"})
    void shouldRefuseAReshapeThatDoesNotFit(
        final RaidLevel level,
        final int previousCount,
        final long position,
        final int sliceStart,
        final ReshapeState.Stage stage)
    {
        assertRefused("does not fit " + level.title(),
            () -> of(level, new ReshapeState(previousCount, position, sliceStart, stage)));
    }

    @Test
    void shouldRefuseLostEventsThatDoNotFit()
    {
        assertUnreadable("features 0x2 do not fit the lost events", (bytes) -> bytes.putLong(16, 2));
        assertUnreadable("features 0x0 do not fit the lost events", (bytes) -> bytes.putLong(2304 + 2 * 8, 1));
        assertUnreadable("lost event 1 in state IN_SYNC", (bytes) -> bytes.putLong(2304, 1));
        assertUnreadable("lost event -1 in state FAILED", (bytes) -> bytes.putLong(2304 + 2 * 8, -1));
        assertUnreadable("is later than event count", (bytes) -> bytes.putLong(16, 2).putLong(2304 + 2 * 8, 1L << 60));
        assertUnreadable("byte 2328 is 0x1", (bytes) -> bytes.putLong(2304 + 3 * 8, 1));
    }

    @Test
    void shouldRefuseAJournalDeviceThatDoesNotFit()
    {
        // Epoch 2, in feature 1.
        final Consumer<ByteBuffer> journal = (bytes) -> bytes.putLong(176, 2);
        assertUnreadable("features 0x41 do not fit journal device null",
            (bytes) -> journal.accept(bytes.putLong(16, 65)));
        assertUnreadable("features 0x1 do not fit journal device 00000000-0000-0001-", (bytes) ->
            journal.accept(bytes.putLong(16, 1).putInt(188, 9).put(199, (byte)1)));
        assertUnreadable("0 places of journal device", (bytes) ->
            journal.accept(bytes.putLong(16, 65).put(199, (byte)1)));
        assertUnreadable("9 places of journal device null", (bytes) ->
            journal.accept(bytes.putLong(16, 1).putInt(188, 9)));
        assertUnreadable("do not fit epoch 0", (bytes) -> bytes.putLong(16, 64).putInt(188, 9).put(199, (byte)1));
    }

    @Test
    void shouldRefuseLostBlocksThatDoNotFit()
    {
        assertUnreadable("features 0x4 do not fit the lost blocks", (bytes) -> bytes.putLong(16, 4));
        assertUnreadable("features 0x0 do not fit the lost blocks", (bytes) -> bytes.putInt(276, 1));
        assertUnreadable("lost blocks 2 of slot 0", (bytes) -> bytes.putLong(16, 4).putInt(276, 2));
        assertUnreadable("a lost-block list in state FAILED",
            (bytes) -> bytes.putLong(16, 4).putInt(256 + 2 * 32 + 20, 1));
        assertUnreadable("byte 372 is 0x1", (bytes) -> bytes.putInt(256 + 3 * 32 + 20, 1));
    }

    @Test
    void shouldSayThatTheChecksumIsWrong()
    {
        final byte[] bytes = Superblocks.encode(of(SLOTS));
        bytes[4095] = 1;
        final String message =
            assertThrows(InvalidSuperblockException.class, () -> Superblocks.decode(bytes)).getMessage();
        assertTrue(message.contains("checksum 0x"), message);
        assertTrue(message.endsWith("use the other copy or another member"), message);
    }

    @Test
    void shouldNameTheFieldThatIsWrong()
    {
        assertUnreadable("byte 24 is 0x1, and version 1 writes 0 there", (bytes) -> bytes.put(24, (byte)1));
        assertUnreadable("byte 239 is 0xff", (bytes) -> bytes.put(239, (byte)-1));
        assertUnreadable("byte 4095 is 0x1", (bytes) -> bytes.put(4095, (byte)1));
        assertUnreadable("byte 352 is 0x1", (bytes) -> bytes.put(352, (byte)1));
        assertUnreadable("UUID of the array", (bytes) -> bytes.putLong(32, 0).putLong(40, 0));
        assertUnreadable("UUID of the member", (bytes) -> bytes.putLong(48, 0).putLong(56, 0));
        assertUnreadable("event-count -1", (bytes) -> bytes.putLong(64, -1));
        assertUnreadable("level 4 with 0 parity strips is none of", (bytes) -> bytes.putInt(80, 4));
        assertUnreadable("member count 65 is outside 1 to 64", (bytes) -> bytes.putInt(84, 65));
        assertUnreadable("member count 0 is outside", (bytes) -> bytes.putInt(84, 0));
        assertUnreadable("member count -1 is outside", (bytes) -> bytes.putInt(84, -1));
        assertUnreadable("strip-size 1", (bytes) -> bytes.putInt(88, 1));
        assertUnreadable("state 0 is neither", (bytes) -> bytes.putInt(104, 0));
        assertUnreadable("a name of 65 bytes", (bytes) -> bytes.putInt(108, 65));
        assertUnreadable("a name of 0 bytes", (bytes) -> bytes.putInt(108, 0));
        assertUnreadable("byte 116 is 0x78", (bytes) -> bytes.put(116, (byte)'x'));
        assertUnreadable("byte 0xa of the name", (bytes) -> bytes.put(113, (byte)'\n'));
        assertUnreadable("byte 0xe9 of the name", (bytes) -> bytes.put(113, (byte)0xE9));
        assertUnreadable("state 4 of slot 1 is unknown", (bytes) -> bytes.putInt(304, 4));
    }
}
