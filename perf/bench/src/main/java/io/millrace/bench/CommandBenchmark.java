package io.millrace.bench;

import io.millrace.block.discard.DiscardDevice;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of a command in the target without network and device: a slot is taken, the entry copied and checked, the block
 * request made, completed at once by the null device, the completion written and the slot given back. The rest of the
 * cost of a 4 KiB I/O is sockets and media.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.NATIVE, JvmFlags.COLLECTOR})
public class CommandBenchmark
{
    private static final String NQN = "nqn.2026-11.io.millrace:bench";
    private static final TransportAddress LOCAL = TransportAddress.tcp("127.0.0.1", 4420);
    private static final long POOL_BYTES = 16L << 20;

    private Reactor reactor;
    private DmaMemory memory;
    private DiscardDevice device;
    private PollGroup pollGroup;
    private LocalHost adminQueue;
    private LocalHost reads;
    private LocalHost capsuleWrites;
    private LocalHost writes;

    /**
     * Connects queues to a target whose reactor is not started, so that this thread is its thread.
     */
    @Setup
    public void setUp()
    {
        reactor = new Reactor(ReactorConfig.of("bench", -1));
        memory = DmaMemory.map(POOL_BYTES);
        device = DiscardDevice.create("null0", 1L << 30, LocalHost.DATA_BYTES);
        final Subsystem subsystem = new Subsystem(SubsystemConfig.open(NQN));
        subsystem.addNamespace(Namespace.of(NQN, 1, device));
        final Target target = new Target(TargetConfig.defaults());
        target.addSubsystem(subsystem);
        target.addListener(LOCAL);
        pollGroup = new PollGroup(reactor, target,
            new BufferPool(memory.address(), memory.lengthBytes(), target.config().maxTransferBytes()));
        adminQueue = new LocalHost(pollGroup, LOCAL);
        final int controllerId = adminQueue.connect(NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC);
        // The reactor does not run: its devices are opened here.
        pollGroup.devices().poll();
        reads = queue(1, controllerId, IoOpcode.READ, SglDescriptor.TRANSPORT_DATA_BLOCK);
        capsuleWrites = queue(2, controllerId, IoOpcode.WRITE, SglDescriptor.DATA_BLOCK_OFFSET);
        writes = queue(3, controllerId, IoOpcode.WRITE, SglDescriptor.TRANSPORT_DATA_BLOCK);
    }

    private LocalHost queue(final int queueId, final int controllerId, final int opcode, final int sglType)
    {
        final LocalHost host = new LocalHost(pollGroup, LOCAL);
        host.connect(NQN, queueId, controllerId);
        host.prepare(opcode, sglType);
        return host;
    }

    /**
     * Closes everything.
     */
    @TearDown
    public void tearDown()
    {
        writes.close();
        capsuleWrites.close();
        reads.close();
        adminQueue.close();
        pollGroup.close();
        reactor.close();
        device.close();
        memory.close();
    }

    /**
     * A read that is lent the device's memory.
     *
     * @return the answer.
     */
    @Benchmark
    public int read()
    {
        return reads.execute(0);
    }

    /**
     * A write whose data came in the capsule.
     *
     * @return the answer.
     */
    @Benchmark
    public int writeInCapsule()
    {
        return capsuleWrites.execute(LocalHost.DATA_BYTES);
    }

    /**
     * A write whose data is asked for: with a buffer of the pool and a copy of 4 KiB in place of the network.
     *
     * @return the answer.
     */
    @Benchmark
    public int write()
    {
        return writes.execute(0);
    }
}
