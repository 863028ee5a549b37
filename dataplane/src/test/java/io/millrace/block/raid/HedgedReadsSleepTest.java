package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.StripeLocks;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import io.millrace.testing.MeasuresTime;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A reactor sleeps while its writes wait for rows that a hedged read of another one has locked. */
@MeasuresTime
class HedgedReadsSleepTest
{
    private static final int ROUNDS = 4;
    /** What waits is tried again later, woken or not. */
    private static final long RETRIED_NS = StripeLocks.MARK_NS_MAX / 4;

    private final Random random = TestSeeds.random();

    private static Initiator.Io write(final HedgeFixture f, final Initiator host)
    {
        final Initiator.Io io = host.io();
        Initiator.fill(io.request(), BlockOperation.WRITE, 0, 1, false, f.memory(1), HedgeFixture.BLOCK);
        host.send(io);
        return io;
    }

    @Test
    void shouldWakeAWriteWhenAHedgedReadUnlocksItsRows()
    {
        try (HedgeFixture f = new HedgeFixture(random, RaidLevel.RAID5, 3);
            Initiator other = new Initiator("other", f.array))
        {
            long leastNs = Long.MAX_VALUE;
            for (int i = 0; i < ROUNDS && leastNs > RETRIED_NS; i++)
            {
                final long begun = f.array.hedgeCounts().begun();
                f.members.forEach(HedgeFixture::holdReads);
                final Initiator.Io read = f.begin(0, 1);
                ArrayFixture.await(() -> begun + 1 == f.array.hedgeCounts().begun() &&
                    f.others().stream().allMatch((each) -> 0 != each.held()), "hedged");
                final Initiator.Io written = write(f, other);
                final long sleeps = other.reactor().dutyCycle().sleepCount();
                // The first sleep may be that of before the write.
                ArrayFixture.await(() -> other.reactor().dutyCycle().sleepCount() > sleeps + 1, "asleep");
                assertFalse(written.result().isDone());
                final long startNs = System.nanoTime();
                f.members.forEach(HeldMember::letGo);
                assertEquals(BlockStatus.SUCCESS, other.get(written.result()));
                leastNs = Math.min(leastNs, System.nanoTime() - startNs);
                assertEquals(BlockStatus.SUCCESS, f.host.await(read));
                if (read.request().lent())
                {
                    f.releaseLoan(read);
                }
            }
            assertTrue(leastNs <= RETRIED_NS, "took " + leastNs + " ns at best");
        }
    }
}
