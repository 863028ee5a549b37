package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.reactor.HeldClock;
import io.millrace.status.DataPlaneCounters;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** How long a reader may keep a writer from memory that was lent to its answer, by a clock that the test sets. */
class RdmaLoanTest
{
    private static final int BLOCK = TransportContractFixture.BLOCK_BYTES;
    private static final long BELOW_LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(900);
    private static final long LITTLE_NS = 50_000;
    private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final RdmaTargetFixture rdma = new RdmaTargetFixture();
    private final HeldClock clock = rdma.clock();
    private final TransportContractFixture fixture = rdma.serve(RdmaTargetFixture.lendingDevice(8L << 20));

    /** Timers of the target that are due run. */
    private void pass(final long ns)
    {
        clock.advance(ns);
        rdma.turn();
    }

    /** A reactor looks at descriptors now and then, by its clock, which is held. */
    private void awaitByClock(final String what, final BooleanSupplier condition) throws InterruptedException
    {
        fixture.await(what, () ->
        {
            // Not faster than the reactor sees it: a busy machine must not bring limits closer.
            pass(LITTLE_NS);
            return condition.getAsBoolean();
        });
    }

    @Test
    void shouldEndAReaderOnlyWhenItKeepsAWriterWaitingTooLong() throws InterruptedException
    {
        final RemoteQueuePair writer = fixture.openQueue(fixture.connect());
        final ScriptedRdmaHost.Queue queue = rdma.openController();
        final int key = queue.key();
        fixture.await("no command but the writer's for events", () -> 1 == fixture.requestsInUse());
        clock.hold();
        final Runnable release = rdma.block();
        queue.send(ScriptedRdmaHost.command(false, 1, 0, 16, rdma.scripted().dataAddress(), 16 * BLOCK, key));
        fixture.await("the capsule to be in the target's memory", queue::hasDelivered);
        rdma.cut();
        release.run();
        awaitByClock("the answer", () -> 2 == fixture.requestsInUse());
        final MemorySegment data = fixture.random(16 * BLOCK, 8);
        final CompletableFuture<Integer> write =
            fixture.submit(writer, (request) -> request.write(1, 0, 16, data.address(), 16 * BLOCK));
        awaitByClock("the write to wait", () -> 3 == fixture.requestsInUse());
        pass(BELOW_LIMIT_NS);
        assertFalse(write.isDone());
        assertFalse(queue.closed.isDone());
        assertEquals(4, fixture.transport().connectionCount());
        pass(REST_NS);
        awaitByClock("the write", write::isDone);
        assertEquals(NvmeStatus.SUCCESS, TransportContractFixture.get(write));
        fixture.await("the reader's queue to end", () -> fixture.transport().connectionCount() < 4);
        assertTrue(fixture.transport().counters().get(DataPlaneCounters.Value.SEND_TIMEOUTS) > 0);
        clock.release();
        rdma.reconnect();
        rdma.close();
    }
}
