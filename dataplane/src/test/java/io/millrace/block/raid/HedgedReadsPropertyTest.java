package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.MemoryHold;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random reads and writes of few blocks, beside each other, over members of which some reads are slow: a read has what
 * was written last before it began, or what was written meanwhile. A block has its version in each of its words.
 */
class HedgedReadsPropertyTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int BLOCKS = 48;
    private static final int DEPTH = 24;
    private static final int REQUESTS = 6000;
    private static final int BLOCKS_MAX = 3;
    private static final int WORD = 8;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(DEPTH * BLOCKS_MAX * BLOCK);
    private final long[] acknowledged = new long[BLOCKS];
    private final long[] begun = new long[BLOCKS];
    private final boolean[] isWritten = new boolean[BLOCKS];
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private RaidDevice array;
    private Initiator host;
    private int left = REQUESTS;
    private int running;
    private long lent;
    private String wrong;

    private void create(final RaidLevel level, final int memberCount)
    {
        final List<BlockDevice> members = new ArrayList<>();
        for (int i = 0; i < memberCount; i++)
        {
            final BlockDevice memory = MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK);
            final FaultRule slow = new FaultRule(FaultEffect.DELAY, Set.of(BlockOperation.READ), 0, Long.MAX_VALUE,
                BlockStatus.SUCCESS, 5_000_000, 1, 0.05, 0);
            final FaultDevice member = FaultDevice.wrap(memory, FaultPlan.of(random.nextLong(), slow));
            members.add(member);
            fixture.own(member);
        }
        array = fixture.assemble(RaidFixture.config(level, STRIP, members, List.of()), members,
            new RaidTimes(2_000_000_000L, 5_000_000_000L, 10_000_000_000L, 20_000));
        array.hedgeReads(100);
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
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

    /** One request after another; on the reactor. */
    private final class Worker
    {
        private final long address;
        private final long[] floors = new long[BLOCKS_MAX];
        private final BlockRequest request = new BlockRequest(null, this::onComplete);
        private int block;
        private int count;

        private Worker(final long address)
        {
            this.address = address;
            running++;
        }

        private void next()
        {
            if (0 == left || null != wrong)
            {
                running--;
                if (0 == running)
                {
                    over.complete(null);
                }
                return;
            }
            left--;
            final boolean isWrite = 0 == random.nextInt(3);
            do
            {
                count = 1 + random.nextInt(BLOCKS_MAX);
                block = random.nextInt(BLOCKS - count + 1);
            }
            while (isWrite && isTaken());
            Initiator.fill(request, isWrite ? BlockOperation.WRITE : BlockOperation.READ, block, count, false, address,
                (long)count * BLOCK);
            if (isWrite)
            {
                fill();
            }
            else
            {
                request.lendable(true);
                System.arraycopy(acknowledged, block, floors, 0, count);
            }
            submit();
        }

        private void submit()
        {
            if (!host.channel().submit(request))
            {
                host.reactor().schedule(host.reactor().nowNs() + 10_000, (nowNs) -> submit());
            }
        }

        private boolean isTaken()
        {
            for (int i = 0; i < count; i++)
            {
                if (isWritten[block + i])
                {
                    return true;
                }
            }
            return false;
        }

        private void fill()
        {
            for (int i = 0; i < count; i++)
            {
                begun[block + i]++;
                isWritten[block + i] = true;
                for (int word = 0; word < BLOCK; word += WORD)
                {
                    NativeMemory.putLong(address + (long)i * BLOCK + word, stamp(block + i, begun[block + i]));
                }
            }
        }

        private void onComplete(final BlockRequest completed)
        {
            if (BlockStatus.SUCCESS != completed.status())
            {
                wrong = completed.toString();
            }
            if (BlockOperation.WRITE == completed.operation())
            {
                for (int i = 0; i < count; i++)
                {
                    acknowledged[block + i] = begun[block + i];
                    isWritten[block + i] = false;
                }
            }
            else
            {
                check();
            }
            final MemoryHold hold = completed.hold();
            if (completed.lent())
            {
                lent++;
                // The next one's memory is this one's: nobody else may write there meanwhile.
                completed.clearHold();
                host.channel().releaseLoan(completed);
                completed.clearLent();
                hold.whenReleased(this::later);
            }
            else
            {
                later();
            }
        }

        /** Not within a completion, which would not keep the stack flat. */
        private void later()
        {
            host.reactor().execute(this::next);
        }

        private void check()
        {
            for (int i = 0; i < count; i++)
            {
                final long at = request.segments().address(0) + (long)i * BLOCK;
                for (int word = 0; word < BLOCK; word += WORD)
                {
                    final long found = NativeMemory.getLong(at + word);
                    final long version = 0 == found ? 0 : found / BLOCKS;
                    if (version < floors[i] || version > begun[block + i] ||
                        0 != version && found != stamp(block + i, version))
                    {
                        wrong = "block " + (block + i) + " at " + word + ": " + Long.toHexString(found) + ", version " +
                            version + ", of " + floors[i] + " to " + begun[block + i] + ", lent " + request.lent();
                        return;
                    }
                }
            }
        }
    }

    private static long stamp(final int block, final long version)
    {
        return version * BLOCKS + block;
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,5", "RAID5,4", "RAID6,5", "EC3,6"})
    void shouldReadWhatWasWritten(final RaidLevel level, final int memberCount)
    {
        create(level, memberCount);
        host.call(() ->
        {
            final List<Worker> workers = new ArrayList<>();
            for (int i = 0; i < DEPTH; i++)
            {
                workers.add(new Worker(arena.address() + (long)i * BLOCKS_MAX * BLOCK));
            }
            workers.forEach(Worker::next);
            return null;
        });
        RaidFixture.get(over);
        assertNull(wrong);
        // Hedges that lost may not have ended.
        ArrayFixture.await(() -> 0 == host.call(() -> host.channel().inFlight()), "ended");
        assertEquals(lent, array.hedgeCounts().won());
        assertTrue(lent > 0, "no hedge won");
    }
}
