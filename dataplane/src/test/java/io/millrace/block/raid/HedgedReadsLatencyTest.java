package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import io.millrace.testing.MeasuresTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long reads of an array take of which one member is slow. */
@MeasuresTime
class HedgedReadsLatencyTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int READS = 24;
    /** So long that nothing but the member takes it. */
    private static final long SLOW_NS = 3_000_000_000L;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(READS * BLOCK);
    private RaidDevice array;
    private Initiator host;

    private void create(final RaidLevel level, final int memberCount, final int slowSlot)
    {
        final List<BlockDevice> members = new ArrayList<>();
        for (int i = 0; i < memberCount; i++)
        {
            final BlockDevice memory = MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK);
            final FaultDevice member = FaultDevice.wrap(memory, FaultPlan.NONE);
            members.add(member);
            fixture.own(member);
        }
        array = fixture.assemble(RaidFixture.config(level, STRIP, members, List.of()), members,
            new RaidTimes(2_000_000_000L, 5_000_000_000L, 10_000_000_000L, 100_000));
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        final FaultRule slow = new FaultRule(FaultEffect.DELAY, Set.of(BlockOperation.READ), 0, Long.MAX_VALUE,
            BlockStatus.SUCCESS, SLOW_NS, 1, 1, 0);
        RaidFixture.get(((FaultDevice)members.get(slowSlot)).plan(FaultPlan.of(random.nextLong(), slow)));
        host = new Initiator("host", array);
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

    /** {@return the 99th percentile of as many reads of one block each, all at once} */
    private long percentileNs()
    {
        final long[] endsNs = new long[READS];
        final List<Initiator.Io> all = new ArrayList<>();
        for (int i = 0; i < READS; i++)
        {
            final int number = i;
            final Initiator.Io io = host.io();
            Initiator.fill(io.request(), BlockOperation.READ, (long)i * STRIP / BLOCK % (MEMBER_BYTES / BLOCK), 1,
                false, arena.address() + (long)i * BLOCK, BLOCK);
            io.request().lendable(true);
            all.add(io.then((done) ->
            {
                endsNs[number] = System.nanoTime();
                if (done.request().lent())
                {
                    host.channel().releaseLoan(done.request());
                }
            }));
        }
        final long beganNs = System.nanoTime();
        host.send(all);
        all.forEach((io) -> assertEquals(BlockStatus.SUCCESS, host.await(io)));
        Arrays.setAll(endsNs, (i) -> endsNs[i] - beganNs);
        Arrays.sort(endsNs);
        return endsNs[READS * 99 / 100];
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4,1", "RAID6,5,1", "RAID1,2,1", "RAID10,4,3"})
    void shouldNotTakeAsLongAsTheSlowMember(final RaidLevel level, final int memberCount, final int slowSlot)
    {
        create(level, memberCount, slowSlot);
        array.hedgeReads(0);
        assertTrue(percentileNs() > SLOW_NS / 2);
        assertEquals(0, array.hedgeCounts().begun());
        array.hedgeReads(100);
        final long hedgedNs = percentileNs();
        assertTrue(hedgedNs < SLOW_NS / 2, () -> "took " + hedgedNs + " ns");
        assertTrue(array.hedgeCounts().won() > 0);
    }
}
