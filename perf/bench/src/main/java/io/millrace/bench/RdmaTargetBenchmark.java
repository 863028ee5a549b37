package io.millrace.bench;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.SubmissionQueueEntry;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of a command in the NVMe/RDMA target without verbs, network and media: from the completion of its capsule's
 * receive request over the requests that carry its payload to the completion of its answer, and the receive buffer
 * posted again. With 32 commands outstanding, on the reactor's thread, in its loop; the payload stays where it is.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.NATIVE, JvmFlags.COLLECTOR})
public class RdmaTargetBenchmark
{
    private static final int ENTRIES = 32;
    private static final int COMMANDS = 10_000;
    private static final long DEVICE_BYTES = 64L << 20;

    private LocalRdmaTarget target;
    private LocalRdmaQueue reads;
    private LocalRdmaQueue writes;
    private LocalRdmaQueue capsuleWrites;

    /**
     * Connects queues to a target of a memory device.
     */
    @Setup
    public void setUp()
    {
        target = new LocalRdmaTarget(MemoryDevice.create("mem0", DEVICE_BYTES, LocalRdmaTarget.BLOCK_BYTES));
        reads = target.keyed(1, ENTRIES, IoOpcode.READ, 1);
        writes = target.keyed(2, ENTRIES, IoOpcode.WRITE, 1);
        capsuleWrites = target.inCapsule(3, ENTRIES, IoOpcode.WRITE);
    }

    /**
     * Closes everything.
     */
    @TearDown
    public void tearDown()
    {
        target.close();
    }

    /**
     * A read of 4 KiB that the device lends: RDMA WRITE and SEND.
     *
     * @return the answer.
     */
    @Benchmark
    @OperationsPerInvocation(COMMANDS)
    public int read()
    {
        return reads.run(target.reactor(), SubmissionQueueEntry.SIZE_BYTES, COMMANDS);
    }

    /**
     * A write of 4 KiB: RDMA READ into a buffer, a copy of 4 KiB into the device, SEND.
     *
     * @return the answer.
     */
    @Benchmark
    @OperationsPerInvocation(COMMANDS)
    public int write()
    {
        return writes.run(target.reactor(), SubmissionQueueEntry.SIZE_BYTES, COMMANDS);
    }

    /**
     * A write of 4 KiB in its capsule, two copies of 4 KiB included, one for the network: SEND.
     *
     * @return the answer.
     */
    @Benchmark
    @OperationsPerInvocation(COMMANDS)
    public int writeInCapsule()
    {
        return capsuleWrites.run(
            target.reactor(), SubmissionQueueEntry.SIZE_BYTES + LocalRdmaTarget.BLOCK_BYTES, COMMANDS);
    }
}
