package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.parity.SlowField;
import io.millrace.seed.TestSeeds;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What members of an erasure code hold, and that any of them may fail, as many as there is parity. */
class ErasureCodeMembersTest
{
    private final Random random = TestSeeds.random();

    /**
     * By numbers of the format and another arithmetic: a prime count of bytes between those that are compared, so that
     * they lie anywhere in strips.
     */
    @ParameterizedTest
    @CsvSource({"EC3,7,DEGRADED", "EC4,9,ALWAYS", "EC1,4,DEGRADED", "EC8,11,DEGRADED",
        "EC2,8,DEGRADED", "EC3,11,ALWAYS"})
    void shouldStoreWhatIsalWouldEncode(final RaidLevel level, final int n, final JournalMode journal)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, n, 0, journal);
            DmaMemory memory = DmaMemory.map((int)ArrayFixture.MEMBER_BYTES))
        {
            // The widest stripes are updated by the difference, the others read the rest of the stripe.
            fixture.writeAnywhere(60);
            for (int strip = 0; strip < 40; strip++)
            {
                fixture.writeScattered(strip * ArrayFixture.STRIP_BYTES, 3 * ArrayFixture.BLOCK_BYTES);
            }
            fixture.verify();
            final byte[][] members = new byte[n][];
            for (int slot = 0; slot < n; slot++)
            {
                members[slot] = data(fixture, slot, memory);
            }
            final int m = level.parityCount();
            final byte[] data = new byte[n - m];
            for (int row = 0; row < ArrayFixture.MEMBER_BYTES; row += 61)
            {
                final int stripe = row / ArrayFixture.STRIP_BYTES;
                final int p = n - 1 - stripe % n;
                for (int index = 0; index < data.length; index++)
                {
                    data[index] = members[(p + m + index) % n][row];
                }
                for (int parity = 0; parity < m; parity++)
                {
                    assertEquals(SlowField.parity(parity, data), members[(p + parity) % n][row],
                        "parity " + parity + " of stripe " + stripe);
                }
            }
        }
    }

    private static byte[] data(final ArrayFixture fixture, final int slot, final DmaMemory memory)
    {
        final int blocks = (int)ArrayFixture.MEMBER_BYTES / ArrayFixture.BLOCK_BYTES;
        try (Initiator direct = new Initiator("reading", fixture.disk(slot)))
        {
            assertEquals(BlockStatus.SUCCESS, direct.run(BlockOperation.READ,
                RaidChannel.dataOffsetBytes() / ArrayFixture.BLOCK_BYTES, blocks, false, memory.address(),
                (int)ArrayFixture.MEMBER_BYTES));
        }
        return NativeMemory.bytes(memory.address(), (int)ArrayFixture.MEMBER_BYTES);
    }

    /** One after the other, so that each smaller set is met on the way. */
    @ParameterizedTest
    @CsvSource({"EC3,5", "EC3,7", "EC4,9"})
    void shouldServeWithoutAnyMembersThatParityMakesUpFor(final RaidLevel level, final int n)
    {
        for (int set = 0; set < 1 << n; set++)
        {
            if (level.parityCount() == Integer.bitCount(set))
            {
                serveWithout(level, n, set);
            }
        }
    }

    private void serveWithout(final RaidLevel level, final int n, final int set)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, n, 0))
        {
            for (int left = set; 0 != left; left &= left - 1)
            {
                fixture.disk(Integer.numberOfTrailingZeros(left)).state(MemberState.FAILING);
                fixture.verify();
                fixture.writeAnywhere(8);
                fixture.verify();
            }
            fixture.zero(ArrayFixture.STRIP_BYTES / 2, 3 * ArrayFixture.STRIP_BYTES);
            fixture.verify();
        }
    }

    @Test
    void shouldRebuildAllThatParityMakesUpFor()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.EC3, 7, 3))
        {
            final ArrayLayout layout = fixture.layout();
            for (final int slot : new int[]{layout.parityP(0), layout.paritySlot(0, 2), layout.dataSlot(0, 1)})
            {
                fixture.disk(slot).state(MemberState.FAILING);
            }
            fixture.writeAnywhere(10);
            fixture.verify();
            fixture.awaitOnline();
            fixture.verify();
            // The others are those that were computed from: now from what was rebuilt.
            for (final int slot : new int[]{layout.dataSlot(0, 0), layout.dataSlot(0, 2), layout.dataSlot(0, 3)})
            {
                fixture.disk(slot).state(MemberState.FAILING);
            }
            fixture.verify();
        }
    }

    @Test
    void shouldRefuseAnotherCountOfParityStrips()
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final List<BlockDevice> members = fixture.memoryMembers(6, 1 << 20, 4096);
            final RaidDevice array = fixture.create(RaidLevel.EC3, 16 << 10, members);
            fixture.stop();
            array.close();
            final BlockDeviceException refusal = assertThrows(BlockDeviceException.class,
                () -> fixture.create(RaidLevel.EC2, 16 << 10, members));
            assertEquals("array array: parity-strips is 2 in the configuration and 3 in the superblocks: change the " +
                "configuration, or list other devices for a new array", refusal.getMessage());
        }
    }

    @Test
    void shouldHaveNoMoreDataStripsThanTheCode()
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final List<BlockDevice> members = fixture.memoryMembers(35, 64 << 10, 4096);
            final RaidDevice array = fixture.create(RaidLevel.EC3, 16 << 10, members);
            assertEquals("array array has 35 members, the most there can be: create another array",
                ArrayGrowth.problem(array));
            fixture.stop();
            array.close();
        }
    }
}
