package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.reactor.HeldClock;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What RDMA READs and WRITEs of the target leave behind when they fail, are late, or are not needed any more. */
class RdmaTransferTest
{
    private static final int BLOCK = TransportContractFixture.BLOCK_BYTES;
    private static final int BLOCKS = 16;
    private static final int LARGE_BYTES = 1 << 20;
    /** A host that has two buffers of the largest size leaves none of that for another. */
    private static final long POOL_BYTES = 4L << 20;
    private static final long TRANSFER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long DELAY_NS = 100_000_000L;

    private final LaterDevice device = new LaterDevice(BLOCK, 8L << 20);
    private final RdmaTargetFixture rdma = new RdmaTargetFixture();
    private final RdmaModel model = rdma.model();
    private final HeldClock clock = rdma.clock();
    private final ScriptedRdmaHost scripted = rdma.scripted();
    private final TransportContractFixture fixture =
        rdma.serve(device, 1, POOL_BYTES, RdmaTargetFixture.transferTimeout(TRANSFER_TIMEOUT_NS));

    @AfterEach
    void shouldLeaveNothing()
    {
        rdma.close();
    }

    private int write(final RemoteQueuePair queue, final long lba, final MemorySegment data)
    {
        return fixture.run(queue,
            (request) -> request.write(1, lba, BLOCKS, data.address(), BLOCKS * BLOCK));
    }

    /** A buffer has what another host's payload has left there. */
    @Test
    void shouldWriteNothingOfDataThatCannotBeRead()
    {
        final RemoteQueuePair other = fixture.openQueue(fixture.connect());
        final MemorySegment written = fixture.random(BLOCKS * BLOCK, 1);
        assertEquals(NvmeStatus.SUCCESS, write(other, 0, written));
        assertEquals(NvmeStatus.SUCCESS, write(other, 64, fixture.random(BLOCKS * BLOCK, 2)));
        final ScriptedRdmaHost.Queue queue = rdma.openController();
        final int before = device.submitted();
        for (int i = 0; i < 4; i++)
        {
            // Those behind the first one are flushed.
            queue.send(ScriptedRdmaHost.command(
                true, i, 0, BLOCKS, scripted.dataAddress(), BLOCKS * BLOCK, ~queue.key()));
        }
        ScriptedRdmaHost.await(queue.closed);
        fixture.await("the connection to end", () -> 3 == fixture.transport().connectionCount());
        assertEquals(before, device.submitted(), "requests to the device");
        final MemorySegment read = fixture.memory(BLOCKS * BLOCK);
        assertEquals(NvmeStatus.SUCCESS, fixture.run(other,
            (request) -> request.read(1, 0, BLOCKS, read.address(), BLOCKS * BLOCK)));
        assertEquals(-1, written.mismatch(read), "first byte that is different");
    }

    /** Another host, whose device answers no READ, has the large buffers. */
    @Test
    void shouldMoveEachPartOfATransferToItsPlace() throws Exception
    {
        final int blocks = LARGE_BYTES / BLOCK;
        final RemoteQueuePair parted = fixture.openQueue(fixture.connect());
        final MemorySegment data = fixture.random(LARGE_BYTES, 1);
        final MemorySegment read = fixture.memory(LARGE_BYTES);
        final ScriptedRdmaHost.Queue queue = rdma.openController();
        final int key = queue.key();
        final Runnable release = rdma.block();
        for (int i = 0; i < 2; i++)
        {
            queue.send(ScriptedRdmaHost.command(true, i, 1024, blocks, scripted.dataAddress(), LARGE_BYTES, key));
        }
        fixture.await("the capsules to be in the target's memory", queue::hasDelivered);
        rdma.cut();
        release.run();
        fixture.await("the other host to have the buffers", () -> fixture.buffersInUseBytes() >= 2 * LARGE_BYTES);
        for (final boolean isWrite : new boolean[]{true, false})
        {
            final int submitted = device.submitted();
            assertEquals(NvmeStatus.SUCCESS, fixture.run(parted, (request) -> isWrite ?
                request.write(1, 0, blocks, data.address(), LARGE_BYTES) :
                request.read(1, 0, blocks, read.address(), LARGE_BYTES)));
            assertTrue(device.submitted() - submitted > 1, "it was moved at once");
        }
        assertFalse(queue.closed.isDone(), "the other host has its buffers no more");
        rdma.reconnect();
        assertEquals(-1, data.mismatch(read), "first byte that is different");
    }

    /** The buffer is the device's until it has reported the READ, whatever becomes of the command. */
    @Test
    void shouldExecuteAWriteWhoseDataIsBeingReadWhenItsNamespaceIsRemoved()
    {
        final ScriptedRdmaHost.Queue queue = rdma.openController();
        final int key = queue.key();
        model.network().delay(DELAY_NS, DELAY_NS);
        queue.send(ScriptedRdmaHost.command(true, 9, 0, BLOCKS, scripted.dataAddress(), BLOCKS * BLOCK, key));
        fixture.await("the capsule to be in the target's memory", queue::hasDelivered);
        TransportContractFixture.get(fixture.group(0).reactor().call(() -> null));
        fixture.subsystem().removeNamespace(1);
        final ScriptedRdmaHost.Answer answer = queue.answer();
        model.network().delay(0, 0);
        assertEquals(new ScriptedRdmaHost.Answer(9, NvmeStatus.SUCCESS, 0), answer, "it was accepted before");
        assertEquals(1, device.submitted());
    }

    @Test
    void shouldEndAQueueThatIsDisconnectedWhenItsAnswersHaveArrived()
    {
        final ScriptedRdmaHost.Queue queue = rdma.openController();
        model.network().delay(DELAY_NS / 4, DELAY_NS / 4);
        queue.send(ScriptedRdmaHost.command(
            false, 3, 0, BLOCKS, scripted.dataAddress(), BLOCKS * BLOCK, queue.key()));
        final byte[] disconnect = new byte[SubmissionQueueEntry.SIZE_BYTES];
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(new UnsafeBuffer(disconnect), 0);
        entry.opcode(AdminOpcode.FABRICS).flags(SglDescriptor.FLAGS_PSDT_SGL).commandId(4)
            .namespaceId(FabricsType.DISCONNECT);
        queue.send(disconnect);
        ScriptedRdmaHost.await(queue.closed);
        model.network().delay(0, 0);
        assertEquals(2, queue.answers.size(), queue.answers::toString);
        queue.answers.forEach((each) -> assertEquals(NvmeStatus.SUCCESS, each.status(), each::toString));
    }

    /** The time of transfers goes on only while there are any. */
    @Test
    void shouldKeepAConnectionThatHasNothingToTransfer()
    {
        final RemoteQueuePair queue = fixture.openQueue(fixture.connect());
        assertEquals(NvmeStatus.SUCCESS, write(queue, 0, fixture.random(BLOCKS * BLOCK, 1)));
        clock.hold();
        for (int i = 0; i < 30; i++)
        {
            clock.advance(TRANSFER_TIMEOUT_NS / 10);
            rdma.turn();
        }
        clock.release();
        assertEquals(2, fixture.transport().connectionCount());
        assertEquals(NvmeStatus.SUCCESS, write(queue, 0, fixture.random(BLOCKS * BLOCK, 2)));
    }
}
