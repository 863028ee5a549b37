package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.StripedDevice;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.rdma.HostBuffers;
import io.millrace.nvmf.initiator.rdma.RdmaHostTransport;
import io.millrace.nvmf.rdma.RdmaTransport;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
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
        final MemoryRegistry hostRegistry = new MemoryRegistry();
        final MemoryRegistry registry = new MemoryRegistry();
        final StripedDevice device = new StripedDevice(DEVICE_BYTES, BLOCK, 1, 2);
        device.lentMemory().forEach((memory) -> registry.add(memory, MemoryRole.BUFFERS));
        try (RdmaModel model = new RdmaModel();
            HostBuffers buffers = new HostBuffers(hostRegistry, model.hostCore());
            TransportContractFixture fixture = new TransportContractFixture(device, 2, 16L << 20, registry,
                (target, groups) -> new RdmaTransport(
                    target, groups, RdmaTransportConfig.defaults(), model.targetCore(), registry),
                (reactor) -> new HostPollGroup(reactor, List.of(new RdmaHostTransport(model.hostCore(), buffers))),
                (memory) -> hostRegistry.add(MemoryRegion.imported(
                    MemoryRole.BUFFERS, MemoryDomain.HOST, memory.address(), memory.byteSize(), BLOCK))))
        {
            fixture.listen(TransportAddress.of(
                TransportAddress.Type.RDMA, new InetSocketAddress(RdmaModel.address(2), 0)));
            model.network().timeouts(2_000_000L, 500_000_000L);
            model.network().delay(0, 200_000);
            model.network().loss(LOST_ONE_IN);
            final RemoteController controller = fixture.connect();
            final List<RemoteQueuePair> queues = List.of(fixture.openQueue(controller), fixture.openQueue(controller));
            final MemorySegment source = fixture.random((PLACES + 1) * BLOCKS_MAX * BLOCK, random.nextLong());
            final MemorySegment read = fixture.memory((long)PLACES * BLOCKS_MAX * BLOCK);
            for (int round = 0; round < ROUNDS; round++)
            {
                verify(fixture, queues, source, read, random);
            }
            fixture.endHosts();
            fixture.awaitNothing();
            assertEquals(List.of(), model.network().violations());
        }
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
