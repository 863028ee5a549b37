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
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Writes of two hosts on reactors of their own, each with several streams of writes that follow each other, and others
 * that overlap them, over members of which some requests are slow: each block holds in the end what one of the last
 * writes of it has written, whole, and parity matches. A block has who wrote it and its version in each of its words.
 */
class SequentialWritesPropertyTest
{
    private static final int BLOCK = 4096;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int BLOCKS = 192;
    private static final int DEPTH = 24;
    private static final int SLOT_BYTES = 10 * BLOCK;
    private static final int REQUESTS = 600;
    private static final int ROUNDS = 5;
    private static final int BLOCKS_MAX = 5;
    private static final int STREAMS = 3;
    private static final int WORD = 8;
    private static final int HOSTS = 2;

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map((HOSTS + 1) * (long)DEPTH * SLOT_BYTES);
    private final List<Host> hosts = new ArrayList<>();
    private final History history = new History();
    private RaidDevice array;

    /** When writes of blocks began and ended. Any thread. */
    private static final class History
    {
        private static final long UNDER_WAY = Long.MAX_VALUE;

        /** Of each block, when which write of it ended, by its value, which is when it began. */
        private final List<Map<Long, Long>> ends = new ArrayList<>();
        private final long[] lastBegun = new long[BLOCKS];
        private long now;

        private History()
        {
            for (int i = 0; i < BLOCKS; i++)
            {
                ends.add(new HashMap<>(Map.of(0L, 0L)));
            }
        }

        private synchronized long begin(final int block, final int count)
        {
            now++;
            for (int i = block; i < block + count; i++)
            {
                lastBegun[i] = now;
                ends.get(i).put(now, UNDER_WAY);
            }
            return now;
        }

        private synchronized void end(final int block, final int count, final long value)
        {
            now++;
            for (int i = block; i < block + count; i++)
            {
                ends.get(i).put(value, now);
            }
        }

        /** Whether no write of a block began after the one of a value had ended. */
        private synchronized boolean isPossible(final int block, final long value)
        {
            final Long end = ends.get(block).get(value);
            return null != end && end >= lastBegun[block];
        }
    }

    /** One of the writes that are under way; of its host's reactor. */
    private final class Writer
    {
        private final Host host;
        private final long address;
        private final BlockRequest request = new BlockRequest(null, this::onComplete);
        private int block;
        private int count;
        private long value;

        private Writer(final Host host, final long address)
        {
            this.host = host;
            this.address = address;
        }

        private void next()
        {
            if (0 == host.left || null != host.wrong)
            {
                host.running--;
                if (0 == host.running)
                {
                    host.over.complete(null);
                }
                return;
            }
            host.left--;
            count = 1 + host.random.nextInt(BLOCKS_MAX);
            final int stream = host.random.nextInt(STREAMS + 1);
            if (stream < STREAMS && host.ends[stream] + count <= BLOCKS)
            {
                block = host.ends[stream];
                host.ends[stream] = block + count;
            }
            else
            {
                block = host.random.nextInt(BLOCKS - count + 1);
                host.ends[stream % STREAMS] = block + count;
            }
            value = history.begin(block, count);
            request.reset(BlockOperation.WRITE, block, count).forceUnitAccess(0 == host.random.nextInt(8));
            final boolean isScattered = host.random.nextBoolean();
            for (int i = 0; i < count; i++)
            {
                final long at = address + (long)(isScattered ? 2 * i : i) * BLOCK;
                for (int word = 0; word < BLOCK; word += WORD)
                {
                    NativeMemory.putLong(at + word, value * BLOCKS + block + i);
                }
                if (isScattered)
                {
                    request.addSegment(at, BLOCK);
                }
            }
            if (!isScattered)
            {
                request.addSegment(address, count * BLOCK);
            }
            submit();
        }

        private void submit()
        {
            if (!host.initiator.channel().submit(request))
            {
                host.initiator.reactor().schedule(
                    host.initiator.reactor().nowNs() + 10_000, (nowNs) -> submit());
            }
        }

        private void onComplete(final BlockRequest completed)
        {
            if (BlockStatus.SUCCESS != completed.status())
            {
                host.wrong = completed.toString();
            }
            history.end(block, count, value);
            // Not within a completion, which would not keep the stack flat.
            host.initiator.reactor().execute(this::next);
        }
    }

    /** A reactor with writers. */
    private final class Host
    {
        private final Initiator initiator;
        private final Random random;
        private final int[] ends = new int[STREAMS];
        private final List<Writer> writers = new ArrayList<>();
        private CompletableFuture<Void> over;
        private int left;
        private int running;
        private volatile String wrong;

        private Host(final int number, final Random random)
        {
            this.random = random;
            initiator = new Initiator("host" + number, array);
            for (int i = 0; i < DEPTH; i++)
            {
                writers.add(new Writer(this, arena.address() + ((long)number * DEPTH + i) * SLOT_BYTES));
            }
        }

        private void start()
        {
            over = new CompletableFuture<>();
            initiator.call(() ->
            {
                left = REQUESTS;
                running = DEPTH;
                writers.forEach(Writer::next);
                return null;
            });
        }
    }

    private void create(final RaidLevel level, final int memberCount, final int stripBytes, final JournalMode journal)
    {
        final List<BlockDevice> members = new ArrayList<>();
        for (int i = 0; i < memberCount; i++)
        {
            final BlockDevice memory = MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK);
            final FaultRule slow = new FaultRule(FaultEffect.DELAY, Set.of(BlockOperation.READ, BlockOperation.WRITE),
                0, Long.MAX_VALUE, BlockStatus.SUCCESS, 200_000, 1, 0.05, 0);
            members.add(fixture.own(FaultDevice.wrap(memory, FaultPlan.of(random.nextLong(), slow))));
        }
        array = fixture.create(level, stripBytes, members, journal);
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        for (int i = 0; i < HOSTS; i++)
        {
            hosts.add(new Host(i, TestSeeds.fixed(random.nextLong())));
        }
    }

    @AfterEach
    void close()
    {
        hosts.forEach((each) -> each.initiator.close());
        fixture.stop();
        array.close();
        fixture.close();
        arena.close();
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3,16384,DEGRADED,0", "RAID5,5,4096,DEGRADED,0", "RAID5,5,65536,ALWAYS,0",
        "RAID6,6,16384,ALWAYS,0", "RAID6,6,8192,DEGRADED,2", "RAID6_Q_LAST,6,16384,DEGRADED,0",
        "RAID6_Q_LAST,6,8192,ALWAYS,2", "RAID5,4,16384,DEGRADED,1", "EC3,7,16384,DEGRADED,1"})
    void shouldLeaveWhatWasWrittenLast(
        final RaidLevel level, final int memberCount, final int stripBytes, final JournalMode journal, final int lost)
    {
        create(level, memberCount, stripBytes, journal);
        for (int round = 0; round < ROUNDS; round++)
        {
            hosts.forEach(Host::start);
            if (1 == round)
            {
                // Among writes.
                for (int i = 0; i < lost; i++)
                {
                    RaidFixture.get(array.fail("m" + i));
                }
            }
            hosts.forEach((each) ->
            {
                RaidFixture.get(each.over);
                assertNull(each.wrong);
            });
            check();
        }
        if (0 == lost)
        {
            array.scrubControl().request(ScrubMode.CHECK);
            ArrayFixture.await(() -> null != array.scrubControl().result() &&
                ScrubStatus.COMPLETED == array.scrubControl().result().status(), "scrubbed");
            assertEquals(0, array.scrubControl().result().mismatches());
        }
    }

    private void check()
    {
        final long address = arena.address() + (long)HOSTS * DEPTH * SLOT_BYTES;
        for (int i = 0; i < BLOCKS; i++)
        {
            final int block = i;
            assertEquals(BlockStatus.SUCCESS,
                hosts.getFirst().initiator.run(BlockOperation.READ, block, 1, false, address, BLOCK));
            final long found = NativeMemory.getLong(address);
            assertTrue(0 == found || found % BLOCKS == block, () -> "block " + block + " has " + found);
            assertTrue(history.isPossible(block, found / BLOCKS), () -> "block " + block + " has " + found / BLOCKS +
                ", and was last written by " + history.lastBegun[block]);
            for (int word = WORD; word < BLOCK; word += WORD)
            {
                assertEquals(found, NativeMemory.getLong(address + word));
            }
        }
    }
}
