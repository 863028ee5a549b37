package io.millrace.nvmf.initiator.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.rdma.endpoint.CompletionStatus;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When commands are sent and completed: in which order, and not before the device has let go of their memory. */
class RdmaHostOrderTest
{
    private static final CapsuleLimits ONE_DESCRIPTOR =
        new CapsuleLimits(0, IdentifyControllerIo.SGL_ANY_ALIGNMENT | IdentifyControllerIo.SGL_KEYED, 1);
    private static final CapsuleLimits IN_CAPSULE = new CapsuleLimits(8192, IdentifyControllerIo.SGL_ANY_ALIGNMENT |
        IdentifyControllerIo.SGL_KEYED | IdentifyControllerIo.SGL_OFFSET, 1);
    /** As many of this length as the bounce buffer holds. */
    private static final int LARGE_BYTES = 1 << 20;
    private static final int LARGE_COMMANDS = 4;
    private static final int MANY_SLOTS = 256;

    private final Arena arena = Arena.ofShared();
    private final List<int[]> arrived = new ArrayList<>();
    private HostRequest last;
    private RdmaHostFixture fixture = new RdmaHostFixture();

    @AfterEach
    void shouldLeaveNothing()
    {
        fixture.close();
        arena.close();
    }

    /** Answers nothing by itself. */
    private void hold(final CapsuleLimits limits)
    {
        fixture.controller.script((controller, entry, capsule) ->
        {
            synchronized (arrived)
            {
                arrived.add(new int[]{entry.commandId(), entry.opcode()});
            }
        });
        fixture.openReady(limits, UnaryOperator.identity());
    }

    private void awaitArrived(final int count)
    {
        Waits.until(count + " commands", () ->
        {
            synchronized (arrived)
            {
                return count == arrived.size();
            }
        });
    }

    private int id(final int index)
    {
        synchronized (arrived)
        {
            return arrived.get(index)[0];
        }
    }

    private List<CompletableFuture<Integer>> fillBounceBuffer()
    {
        final long heap = arena.allocate(LARGE_BYTES, 4096).address();
        final List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < LARGE_COMMANDS + 1; i++)
        {
            all.add(fixture.submit((request) -> last = request.write(1, 0, 1, heap, LARGE_BYTES)));
        }
        awaitArrived(LARGE_COMMANDS);
        return all;
    }

    /** A short one that would fit does not overtake a long one that does not. */
    @Test
    void shouldSendCommandsThatWaitInTheirOrder()
    {
        hold(ONE_DESCRIPTOR);
        final List<CompletableFuture<Integer>> all = fillBounceBuffer();
        all.add(fixture.submit((request) -> request.flush(1)));
        // An answer that comes by the same queue: whatever was sent before has arrived by then.
        fixture.controller.run(() -> fixture.controller.answer(id(0), 0));
        awaitArrived(LARGE_COMMANDS + 2);
        synchronized (arrived)
        {
            assertEquals(IoOpcode.WRITE, arrived.get(LARGE_COMMANDS)[1]);
            assertEquals(IoOpcode.FLUSH, arrived.get(LARGE_COMMANDS + 1)[1]);
        }
        for (int i = 1; i < LARGE_COMMANDS + 2; i++)
        {
            final int id = id(i);
            fixture.controller.run(() -> fixture.controller.answer(id, 0));
        }
        all.forEach((each) -> assertEquals(0, Waits.get(each)));
    }

    @Test
    void shouldRefuseAnAnswerToACommandThatWaits()
    {
        hold(ONE_DESCRIPTOR);
        final List<CompletableFuture<Integer>> all = fillBounceBuffer();
        final int waiting = fixture.call(() -> last.commandId());
        fixture.controller.run(() -> fixture.controller.answer(waiting, 0));
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.contains("which has not been sent"), reason);
        assertEquals(all.size(), fixture.lost.size());
        assertTrue(all.stream().noneMatch(CompletableFuture::isDone));
    }

    /** What waited on one connection is not sent on the next one; its bounce buffer is whole again, and registered. */
    @Test
    void shouldForgetCommandsThatWaitedWithTheirConnection()
    {
        hold(ONE_DESCRIPTOR);
        final List<CompletableFuture<Integer>> all = fillBounceBuffer();
        fixture.call(() ->
        {
            fixture.queue().close("the test closes it");
            return null;
        });
        assertEquals("the test closes it", Waits.get(fixture.closed));
        assertEquals(all.size(), fixture.lost.size());
        assertEquals(0, fixture.call(() -> fixture.queue().exchange().bounce().takenBytes()));
        synchronized (arrived)
        {
            arrived.clear();
        }
        hold(ONE_DESCRIPTOR);
        final long heap = arena.allocate(LARGE_BYTES, 4096).address();
        final CompletableFuture<Integer> write =
            fixture.submit((request) -> request.write(1, 0, 1, heap, LARGE_BYTES));
        awaitArrived(1);
        fixture.controller.run(() -> fixture.controller.answer(id(0), 0));
        assertEquals(0, Waits.get(write));
        assertEquals(0, fixture.call(() -> fixture.queue().inFlight()));
        assertTrue(all.stream().noneMatch(CompletableFuture::isDone));
    }

    /** The answer is there, and the device may send the payload again: it is not the submitter's yet. */
    @Test
    void shouldCompleteNoCommandWhoseCapsuleTheDeviceHas()
    {
        hold(IN_CAPSULE);
        fixture.model.network().holdAcknowledgements(true);
        final CompletableFuture<Integer> write =
            fixture.submit((request) -> request.write(1, 0, 1, fixture.memory.address(), 4096));
        awaitArrived(1);
        fixture.controller.run(() -> fixture.controller.answer(id(0), NvmeStatus.INVALID_FIELD));
        Waits.until("the answer", () -> fixture.call(() -> fixture.queue().exchange().hasAnswered()));
        // Another turn of the reactor.
        fixture.call(() -> null);
        assertFalse(write.isDone());
        assertEquals(1, fixture.call(() -> fixture.queue().inFlight()));
        fixture.model.network().holdAcknowledgements(false);
        assertEquals(NvmeStatus.INVALID_FIELD, Waits.get(write));
        assertEquals(0, fixture.call(() -> fixture.queue().inFlight()));
    }

    /** Its memory is the peer's until the queue pair is gone, whatever the device still reports. */
    @Test
    void shouldCompleteNoCommandOfAConnectionThatEnds()
    {
        hold(IN_CAPSULE);
        fixture.model.network().holdAcknowledgements(true);
        final CompletableFuture<Integer> write =
            fixture.submit((request) -> request.write(1, 0, 1, fixture.memory.address(), 4096));
        awaitArrived(1);
        fixture.controller.run(() -> fixture.controller.answer(id(0), 0));
        Waits.until("the answer", () -> fixture.call(() -> fixture.queue().exchange().hasAnswered()));
        fixture.call(() ->
        {
            fixture.queue().close("the test closes it");
            fixture.queue().onSent(id(0), CompletionStatus.SUCCESS);
            return null;
        });
        assertEquals("the test closes it", Waits.get(fixture.closed));
        assertFalse(write.isDone());
        assertEquals(1, fixture.lost.size());
        fixture.model.network().holdAcknowledgements(false);
    }

    @Test
    void shouldRefuseASecondAnswerToACommandWhoseCapsuleTheDeviceHas()
    {
        hold(IN_CAPSULE);
        fixture.model.network().holdAcknowledgements(true);
        final CompletableFuture<Integer> write =
            fixture.submit((request) -> request.write(1, 0, 1, fixture.memory.address(), 4096));
        awaitArrived(1);
        fixture.controller.run(() ->
        {
            fixture.controller.answer(id(0), 0);
            fixture.controller.answer(id(0), 0);
        });
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.contains("which was answered before"), reason);
        assertFalse(write.isDone());
        assertEquals(1, fixture.lost.size());
        fixture.model.network().holdAcknowledgements(false);
    }

    /** Answers come and acknowledgements do not: the send queue fills up, and commands wait. */
    @Test
    void shouldWaitForRoomInTheSendQueue()
    {
        fixture.openReady(ONE_DESCRIPTOR, UnaryOperator.identity());
        fixture.model.network().holdAcknowledgements(true);
        final List<CompletableFuture<Integer>> all = new ArrayList<>();
        CompletableFuture<Integer> done = CompletableFuture.completedFuture(0);
        // More than the send queue has entries.
        while (!fixture.call(() -> fixture.queue().exchange().hasWaiting()))
        {
            assertEquals(0, Waits.get(done));
            assertTrue(all.size() < 4 * RdmaHostFixture.SLOTS, "a send queue without end");
            done = fixture.submit((request) -> request.flush(1));
            all.add(done);
        }
        assertTrue(all.size() >= 2 * RdmaHostFixture.SLOTS, () -> all.size() + " commands");
        fixture.model.network().holdAcknowledgements(false);
        all.forEach((each) -> assertEquals(0, Waits.get(each)));
    }

    @Test
    void shouldHandOnBothResultsOfAnAnswer()
    {
        fixture.controller.script((controller, entry, capsule) ->
            controller.answer(entry.commandId(), NvmeStatus.INVALID_FIELD, 0x1234_5678, 0x9ABC_DEF0));
        fixture.openReady(ONE_DESCRIPTOR, UnaryOperator.identity());
        final HostRequest request = Waits.get(fixture.submitRequest((each) -> each.flush(1)));
        assertEquals(NvmeStatus.INVALID_FIELD, request.status());
        assertEquals(0x1234_5678, request.result0());
        assertEquals(0x9ABC_DEF0, request.result1());
    }

    /** What a controller wrote for a read that it failed then is not the payload. */
    @Test
    void shouldLeaveThePayloadOfAFailedReadAsItWas()
    {
        fixture.controller.script((controller, entry, capsule) ->
        {
            NativeMemory.fill(controller.dataAddress(), 4096, (byte)0x33);
            final long rest = NativeMemory.getLong(capsule + 32);
            controller.write(controller.dataAddress(), 4096, NativeMemory.getLong(capsule + 24), (int)(rest >>> 24));
            controller.answer(entry.commandId(), NvmeStatus.INVALID_FIELD);
        });
        fixture.openReady(ONE_DESCRIPTOR, UnaryOperator.identity());
        final long heap = arena.allocate(4096, 4096).fill((byte)0x5A).address();
        assertEquals(NvmeStatus.INVALID_FIELD,
            Waits.get(fixture.submit((request) -> request.read(1, 0, 1, heap, 4096))));
        assertEquals("5a".repeat(4096), ScriptedController.hex(heap, 4096));
    }

    /** A queue whose answers fill whole pages to the last byte. */
    @Test
    void shouldReceiveIntoEveryBuffer()
    {
        fixture.close();
        fixture = new RdmaHostFixture(MANY_SLOTS);
        fixture.openReady(ONE_DESCRIPTOR, UnaryOperator.identity());
        for (int i = 0; i < MANY_SLOTS + 2; i++)
        {
            assertEquals(0, Waits.get(fixture.submit((request) -> request.flush(1))));
        }
    }
}
