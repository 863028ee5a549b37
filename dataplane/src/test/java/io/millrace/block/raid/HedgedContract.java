package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.OwningDevice;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract with an array of whose members some reads are slow, so that others answer them. */
abstract class HedgedContract extends BlockDeviceContractTest
{
    private static final int STRIP_BYTES = 16384;
    private static final int BLOCK_BYTES = 512;
    private static final long SLOW_NS = 2_000_000;
    private static final long HEDGE_NS = 10_000;

    private final Random random = TestSeeds.random();
    private final RaidLevel level;
    private final int memberCount;
    private RaidDevice array;
    private LendableReads lendable;

    HedgedContract(final RaidLevel level, final int memberCount)
    {
        this.level = level;
        this.memberCount = memberCount;
    }

    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        final RaidFixture fixture = new RaidFixture();
        final long perMember = ArrayLayout.of(level, memberCount, STRIP_BYTES, SIZE_BYTES).dataBytes() / SIZE_BYTES;
        final FaultRule slow = new FaultRule(FaultEffect.DELAY, Set.of(BlockOperation.READ), 0, Long.MAX_VALUE,
            BlockStatus.SUCCESS, SLOW_NS, 1, 0.1, 0);
        final List<BlockDevice> members = new ArrayList<>();
        for (int i = 0; i < memberCount; i++)
        {
            members.add(FaultDevice.wrap(
                MemoryDevice.create("m" + i, RaidFixture.deviceBytes(SIZE_BYTES / perMember), BLOCK_BYTES),
                FaultPlan.of(random.nextLong(), slow)));
            fixture.own(members.getLast());
        }
        array = fixture.assemble(RaidFixture.config(level, STRIP_BYTES, members, List.of()), members,
            new RaidTimes(2_000_000_000L, 5_000_000_000L, 10_000_000_000L, HEDGE_NS));
        array.hedgeReads(100);
        lendable = new LendableReads(
            new OwningDevice(new RaidContract.StoppedFirst(array, fixture), fixture::close));
        return lendable;
    }

    /** Not run: what members keep is allocated for, and {@link HedgedAllocationTest} has reads that are not late. */
    @Override
    protected void shouldAllocateNothingWhenWarm()
    {
    }

    /** Else the others would show nothing. */
    @Test
    void shouldAnswerFromOtherMemory()
    {
        try (DmaMemory memory = DmaMemory.map(BLOCK_BYTES))
        {
            for (int i = 0; 0 == lendable.loans(); i++)
            {
                assertEquals(BlockStatus.SUCCESS, initiator().run(BlockOperation.READ,
                    (long)i * STRIP_BYTES % SIZE_BYTES / BLOCK_BYTES, 1, false, memory.address(), BLOCK_BYTES));
            }
        }
        assertEquals(lendable.loans(), array.hedgeCounts().won());
    }
}
