package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockStatus;
import io.millrace.block.discard.DiscardDevice;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.jfr.FlightEvents;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.request.QueuePairTransport;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.transport.DataPointer;
import io.millrace.nvmf.transport.DataPointerFormat;
import io.millrace.testing.AllocationWindows;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import jdk.jfr.Recording;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nothing is allocated per I/O once a queue pair is warm: measured on the reactor's thread.
 */
class AllocationTest
{
    private static final int BLOCK = 4096;
    private static final DataPointerFormat FORMAT = new DataPointerFormat(
        EnumSet.of(DataPointer.Kind.IN_CAPSULE, DataPointer.Kind.TRANSPORT), 8 * BLOCK);
    private static final int MEASURED = 10_000;
    private static final int WARM_UP_BATCHES = 2;
    private static final int BATCHES_MIN = 100;

    @ParameterizedTest
    @ValueSource(strings = {"memory", "null", "failing"})
    void shouldAllocateNothingForEachCommand(final String kind)
    {
        measure(kind);
    }

    @Test
    void shouldAllocateNothingWhileSlowRequestsAreRecordedAndNoneIs()
    {
        FlightEvents.install();
        try (Recording recording = new Recording())
        {
            recording.enable("io.millrace.SlowRequest").with("longerThan", "1000 s");
            recording.start();
            assertEquals(1_000_000_000_000L, FlightEvents.slowRequestNs());
            measure("memory");
        }
        assertEquals(Long.MAX_VALUE, FlightEvents.slowRequestNs());
    }

    private static void measure(final String kind)
    {
        final BlockDevice device = switch (kind)
        {
            case "memory" -> MemoryDevice.create("mem0", 1 << 22, BLOCK);
            case "null" -> DiscardDevice.create("null0", 1L << 30, BLOCK);
            default -> FaultDevice.wrapBorrowed("failing", DiscardDevice.create("null0", 1L << 30, BLOCK),
                FaultPlan.of(1, FaultRule.error(BlockStatus.MEDIA_ERROR)));
        };
        final boolean fails = "failing".equals(kind);
        try (TestTarget target = new TestTarget(1, device))
        {
            final TestHost admin = target.admin();
            final int controllerId = admin.queuePair().association().id();
            final TestHost io = target.io(admin, 1);
            assertEquals(controllerId, io.queuePair().association().id());
            final Load load = target.reactor(0).call(() -> new Load(io.queuePair()));
            for (int batch = 0; batch < WARM_UP_BATCHES; batch++)
            {
                target.reactor(0).call(load::measure);
            }
            final AllocationWindows batches = new AllocationWindows(1, BATCHES_MIN);
            // Code that is still interpreted allocates, and so does now and then what the compiler does to running
            // code; a command that allocates by itself does so in every batch.
            while (!batches.isOver())
            {
                batches.end(target.reactor(0).call(load::measure));
            }
            target.reactor(0).run(() -> load.end(fails));
            batches.assertClean(MEASURED + " rounds");
        }
    }

    /** Runs commands straight through a queue pair, whose transport it is. */
    private static final class Load
    {
        private final QueuePair queuePair;
        private final UnsafeBuffer buffer;
        private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        private final long payload;
        private final UnsafeBuffer completionBuffer = new UnsafeBuffer(new byte[CompletionQueueEntry.SIZE_BYTES]);
        private final CompletionQueueEntry completion = new CompletionQueueEntry();
        private final QueuePair direct;
        private int answered;
        private int failed;
        private int batches;
        private int commandId;

        Load(final QueuePair connected)
        {
            queuePair = connected;
            buffer = new UnsafeBuffer(new byte[SubmissionQueueEntry.SIZE_BYTES]);
            payload = Arena.global().allocate(8 * BLOCK, BLOCK).address();
            entry.wrap(buffer, 0);
            completion.wrap(completionBuffer, 0);
            // A second queue pair of the same controller whose transport allocates nothing either.
            direct = queuePair.resources().newQueuePair(new Transport(), queuePair.local());
            direct.connect(queuePair.association(), 2, 128, false, queuePair.channels());
        }

        long measure()
        {
            final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
            final long id = Thread.currentThread().threadId();
            answered = 0;
            batches++;
            final long before = threads.getThreadAllocatedBytes(id);
            final long after = threads.getThreadAllocatedBytes(id);
            run(MEASURED);
            final long bytes = threads.getThreadAllocatedBytes(id) - after - (after - before);
            assertEquals(7 * MEASURED, answered);
            return bytes;
        }

        void end(final boolean fails)
        {
            assertEquals(fails ? 7L * MEASURED * batches : 0, failed);
            assertEquals(0, direct.outstanding());
            direct.onDisconnected("over");
        }

        private void run(final int rounds)
        {
            for (int i = 0; i < rounds; i++)
            {
                final long lba = i & 0xFF;
                command(IoOpcode.WRITE, lba, 1, true);
                command(IoOpcode.WRITE, lba, 8, false);
                command(IoOpcode.READ, lba, 1, false);
                command(IoOpcode.READ, lba, 8, false);
                command(IoOpcode.FLUSH, 0, 0, false);
                command(IoOpcode.WRITE_ZEROES, lba, 1, false);
                command(IoOpcode.VERIFY, lba, 1, false);
            }
        }

        private void command(final int opcode, final long lba, final int blocks, final boolean inCapsule)
        {
            commandId = (commandId + 1) & 0xFFFF;
            entry.opcode(opcode).commandId(commandId).flags(SglDescriptor.FLAGS_PSDT_SGL).namespaceId(1)
                .startingLba(lba).cdw12(Math.max(0, blocks - 1)).sglLength(blocks * BLOCK)
                .sglType(inCapsule ? SglDescriptor.DATA_BLOCK_OFFSET : SglDescriptor.TRANSPORT_DATA_BLOCK);
            final Request request = direct.dispatcher().begin(buffer, 0);
            request.dataPointer(FORMAT, inCapsule ? payload : 0, inCapsule ? blocks * BLOCK : 0);
            direct.dispatcher().onCommand(request);
        }

        private final class Transport implements QueuePairTransport
        {
            @Override
            public void receiveData(final Request request)
            {
                direct.dispatcher().onDataReceived(request);
            }

            @Override
            public void respond(final Request request)
            {
                direct.writeCompletion(request, completion);
                failed += NvmeStatus.SUCCESS == NvmeStatus.ofField(completion.statusField()) ? 0 : 1;
                answered++;
                direct.onSent(request, direct.resources().reactor().clockNs());
                direct.onFlushed();
            }

            @Override
            public void disconnect(final String reason)
            {
                failed++;
            }

            @Override
            public String remote()
            {
                return "";
            }

            @Override
            public DataPointerFormat dataPointers()
            {
                return FORMAT;
            }
        }
    }
}
