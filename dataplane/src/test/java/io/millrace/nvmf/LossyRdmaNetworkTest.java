package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.rdma.model.ModelNetwork;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Packets that are lost, late and overtake each other: each read has what was written last, and nothing is left. */
class LossyRdmaNetworkTest
{
    private static final int BLOCK = TransportContractFixture.BLOCK_BYTES;
    private static final int ROUNDS = 60;
    private static final int PLACES = 4;
    private static final int BLOCKS_MAX = 12;
    private static final int LOST_ONE_IN = 12;
    private static final long DEVICE_BYTES = 16L << 20;

    @Test
    void shouldKeepDataOverANetworkThatLosesPackets()
    {
        final RandomGenerator random = TestSeeds.random();
        final RdmaTargetFixture rdma = new RdmaTargetFixture();
        final TransportContractFixture fixture = rdma.serve(RdmaTargetFixture.lendingDevice(DEVICE_BYTES), 2,
            RdmaTargetFixture.POOL_BYTES, RdmaTransportConfig.defaults());
        final ModelNetwork network = rdma.model().network();
        network.timeouts(2_000_000L, 500_000_000L);
        network.delay(0, 200_000);
        network.loss(LOST_ONE_IN);
        final RemoteController controller = fixture.connect();
        final List<RemoteQueuePair> queues = List.of(fixture.openQueue(controller), fixture.openQueue(controller));
        final MemorySegment source = fixture.random((PLACES + 1) * BLOCKS_MAX * BLOCK, random.nextLong());
        final MemorySegment read = fixture.memory((long)PLACES * BLOCKS_MAX * BLOCK);
        for (int round = 0; round < ROUNDS; round++)
        {
            verify(fixture, queues, source, read, random);
        }
        rdma.close();
    }

    /** Writes to each place at once, then reads each by another queue. */
    private static void verify(
        final TransportContractFixture fixture,
        final List<RemoteQueuePair> queues,
        final MemorySegment source,
        final MemorySegment read,
        final RandomGenerator random)
    {
        final int[] blocks = new int[PLACES];
        final long[] from = new long[PLACES];
        final List<CompletableFuture<Integer>> under = new ArrayList<>();
        for (int i = 0; i < PLACES; i++)
        {
            final int place = i;
            blocks[i] = 1 + random.nextInt(BLOCKS_MAX);
            from[i] = (long)random.nextInt(PLACES * BLOCKS_MAX) * BLOCK;
            under.add(fixture.submit(queues.get(i % 2), (request) -> request.write(1, (long)place * BLOCKS_MAX,
                blocks[place], source.address() + from[place], blocks[place] * BLOCK)));
        }
        under.forEach((each) -> assertEquals(NvmeStatus.SUCCESS, TransportContractFixture.get(each)));
        under.clear();
        read.fill((byte)0);
        for (int i = 0; i < PLACES; i++)
        {
            final int place = i;
            under.add(fixture.submit(queues.get((i + 1) % 2), (request) -> request.read(1, (long)place * BLOCKS_MAX,
                blocks[place], read.address() + (long)place * BLOCKS_MAX * BLOCK, blocks[place] * BLOCK)));
        }
        under.forEach((each) -> assertEquals(NvmeStatus.SUCCESS, TransportContractFixture.get(each)));
        for (int i = 0; i < PLACES; i++)
        {
            assertEquals(-1, source.asSlice(from[i], (long)blocks[i] * BLOCK).mismatch(
                read.asSlice((long)i * BLOCKS_MAX * BLOCK, (long)blocks[i] * BLOCK)), "place " + i);
        }
    }
}
