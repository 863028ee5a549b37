package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.dataplane.snapshot.ReactorSnapshot;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import io.millrace.testing.MeasuresTime;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Hosts of a data plane read an array one of whose members is slow, and some leave while it works: each gets the data,
 * and all memory comes back.
 */
@MeasuresTime
class HedgedReadsDataPlaneTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:hedged";
    private static final int BLOCK = 4096;
    private static final long MEMBER_BYTES = 4 << 20;
    private static final int MODEL_BLOCKS = 256;
    private static final int READ_BLOCKS_MAX = 4;
    private static final int READS = 48;
    private static final int ROUNDS = 10;
    private static final long SLOW_NS = 30_000_000;
    private static final FaultRule SLOW = new FaultRule(FaultEffect.DELAY, Set.of(BlockOperation.READ), 0,
        Long.MAX_VALUE, BlockStatus.SUCCESS, SLOW_NS, 1, 1, 0);

    private final Random random = TestSeeds.random();
    private final byte[] model = new byte[MODEL_BLOCKS * BLOCK];

    private static DataPlane start(final String level, final int memberCount, final String served)
    {
        final List<DeviceConfig> devices = new ArrayList<>();
        final List<String> members = new ArrayList<>();
        for (int i = 0; i < memberCount; i++)
        {
            devices.add(DeviceConfig.memory("m" + i, MEMBER_BYTES, BLOCK));
            members.add("m" + i);
        }
        devices.add(DeviceConfig.fault("late", "m0", FaultPlan.of(1, SLOW)));
        members.set(0, "late");
        devices.add(DeviceConfig.of("vol", "raid",
            Map.of("level", level, "members", members, "spares", List.of(), "hedge-reads", 100)));
        if (!"vol".equals(served))
        {
            devices.add(DeviceConfig.of(served, "delay", Map.of("base", "vol")));
        }
        return DataPlane.start(new DataPlaneConfig(
            List.of(ReactorConfig.of("hedged0", -1), ReactorConfig.of("hedged1", -1)),
            DataPlaneConfig.MEMORY_BYTES_MIN * 4,
            devices,
            List.of(new SubsystemSettings(NQN, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(),
                List.of(new SubsystemSettings.NamespaceSettings(1, served, null)))),
            List.of(new ListenerSettings(
                TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))),
            DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(),
            TcpTransportConfig.defaults()), TargetListener.NONE, (event) ->
            {
            });
    }

    private static long used(final DataPlane dataPlane)
    {
        return dataPlane.reactorSnapshots().stream().mapToLong(ReactorSnapshot::poolUsedBytes).sum();
    }

    /** One host, with a connection. */
    private final class Host implements AutoCloseable
    {
        private final HostFixture fixture = new HostFixture();
        private final RemoteController controller;
        private final RemoteQueuePair queue;
        private final MemorySegment memory = fixture.memory((long)READS * READ_BLOCKS_MAX * BLOCK);
        private final int[] firsts = new int[READS];
        private final int[] counts = new int[READS];

        Host(final DataPlane dataPlane)
        {
            controller = fixture.connect(
                ConnectionConfig.to(dataPlane.addresses().getFirst().socketAddress(), NQN).build());
            queue = fixture.queue(controller);
        }

        void write()
        {
            random.nextBytes(model);
            final MemorySegment all = fixture.memory(model.length);
            MemorySegment.copy(model, 0, all, ValueLayout.JAVA_BYTE, 0, model.length);
            for (int i = 0; i < MODEL_BLOCKS; i++)
            {
                final int block = i;
                assertEquals(0, fixture.run(queue,
                    (r) -> r.write(1, block, 1, all.address() + (long)block * BLOCK, BLOCK)));
            }
        }

        List<CompletableFuture<Integer>> read()
        {
            memory.fill((byte)0);
            final List<CompletableFuture<Integer>> reads = new ArrayList<>();
            for (int i = 0; i < READS; i++)
            {
                final int count = 1 + random.nextInt(READ_BLOCKS_MAX);
                final int first = random.nextInt(MODEL_BLOCKS - count + 1);
                firsts[i] = first;
                counts[i] = count;
                final long address = memory.address() + (long)i * READ_BLOCKS_MAX * BLOCK;
                reads.add(fixture.submit(queue, (r) -> r.read(1, first, count, address, count * BLOCK)));
            }
            return reads;
        }

        void check(final List<CompletableFuture<Integer>> reads)
        {
            reads.forEach((each) -> assertEquals(0, Waits.get(each)));
            for (int i = 0; i < READS; i++)
            {
                assertArrayEquals(
                    Arrays.copyOfRange(model, firsts[i] * BLOCK, (firsts[i] + counts[i]) * BLOCK),
                    memory.asSlice((long)i * READ_BLOCKS_MAX * BLOCK, (long)counts[i] * BLOCK)
                        .toArray(ValueLayout.JAVA_BYTE));
            }
        }

        @Override
        public void close()
        {
            controller.close();
            fixture.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"5,4,vol", "6,5,vol", "1,2,vol", "10,4,vol", "5,4,delayed"})
    void shouldGiveEachHostTheDataAndTakeAllMemoryBack(final String level, final int memberCount, final String served)
    {
        try (DataPlane dataPlane = start(level, memberCount, served); Host host = new Host(dataPlane))
        {
            host.write();
            Waits.until("a complete array", () ->
            {
                final DeviceSnapshot array = dataPlane.devices().get("vol");
                return DeviceHealth.ONLINE == array.health() && null == array.progress() &&
                    0 == dataPlane.arrays().get("vol").resyncBytes();
            });
            // What channels keep for themselves.
            final long before = used(dataPlane);
            for (int round = 0; round < ROUNDS; round++)
            {
                try (Host leaving = new Host(dataPlane))
                {
                    final List<CompletableFuture<Integer>> reads = host.read();
                    final List<CompletableFuture<Integer>> left = leaving.read();
                    // Some are answered, and some are with the member.
                    Waits.get(left.get(random.nextInt(READS)));
                    host.check(reads);
                }
            }
            assertTrue(dataPlane.arrays().get("vol").hedgesWon() > 0, "no hedge won");
            Waits.until(() -> "memory that is back: " + dataPlane.reactorSnapshots(), () ->
                dataPlane.reactorSnapshots().stream().allMatch((each) -> 0 == each.poolQuarantinedBytes()) &&
                    before == used(dataPlane));
            assertEquals(DeviceHealth.ONLINE, dataPlane.devices().get("vol").health());
        }
    }
}
