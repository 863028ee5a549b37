package io.millrace.bench;

import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.tcp.pdu.CapsuleCommand;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * The flyweights of NVMe/TCP: {@code parse} reads what a target needs of a read command from a receive buffer that
 * holds 64 capsules in a row; {@code build} writes as many C2HData headers with the success flag. Times are per PDU.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.NATIVE})
public class PduBenchmark
{
    private static final int COUNT = 64;
    private static final int DATA_BYTES = 4096;

    private final UnsafeBuffer received =
        new UnsafeBuffer(BufferUtil.allocateDirectAligned(COUNT * CapsuleCommand.SIZE_BYTES, 64));
    private final UnsafeBuffer sent =
        new UnsafeBuffer(BufferUtil.allocateDirectAligned(COUNT * DataPdu.SIZE_BYTES, 64));
    private final CapsuleCommand capsule = new CapsuleCommand();
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private final DataPdu data = new DataPdu();

    /**
     * Fills the receive buffer.
     */
    @Setup
    public void setUp()
    {
        for (int i = 0; i < COUNT; i++)
        {
            final int offset = i * CapsuleCommand.SIZE_BYTES;
            capsule.wrap(received, offset);
            capsule.build(0, 0, CapsuleCommand.SIZE_BYTES);
            entry.wrap(received, offset + CapsuleCommand.ENTRY_OFFSET);
            entry.opcode(2).commandId(i).namespaceId(1).startingLba(8L * i).cdw12(7).sglLength(DATA_BYTES);
        }
    }

    /**
     * Reads 64 command capsules.
     *
     * @return something of each.
     */
    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long parse()
    {
        long sum = 0;
        int offset = 0;
        for (int i = 0; i < COUNT; i++)
        {
            capsule.wrap(received, offset);
            if (PduType.CAPSULE_COMMAND != capsule.type() || CapsuleCommand.SIZE_BYTES != capsule.headerLength() ||
                0 != capsule.flags() || 0 != capsule.dataOffset())
            {
                throw new IllegalStateException("not the capsule that was written");
            }
            entry.wrap(received, offset + CapsuleCommand.ENTRY_OFFSET);
            sum += entry.opcode() + entry.commandId() + entry.namespaceId() + entry.startingLba() + entry.cdw12() +
                entry.sglType() + entry.sglLength() + entry.flags();
            offset += capsule.pduLength();
        }
        return sum;
    }

    /**
     * Writes 64 C2HData headers.
     *
     * @return the buffer.
     */
    @Benchmark
    @OperationsPerInvocation(COUNT)
    public UnsafeBuffer build()
    {
        for (int i = 0; i < COUNT; i++)
        {
            data.wrap(sent, i * DataPdu.SIZE_BYTES);
            data.set(PduType.C2H_DATA, CommonHeader.FLAG_LAST | CommonHeader.FLAG_SUCCESS, DataPdu.SIZE_BYTES,
                DataPdu.SIZE_BYTES, DataPdu.SIZE_BYTES + DATA_BYTES);
            data.setTransfer(i, 0, 0, DATA_BYTES);
        }
        return sent;
    }
}
