package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.nvme.AdminOpcode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Closing of a namespace, a queue pair or a controller: what becomes of commands that hang, of their memory, and of the
 * other namespaces.
 */
class NvmeQueuePairCloseTest extends NvmeNamespacesFixture
{
    private static final byte LATE = 0x6B;

    @Test
    void shouldAbortCommandsOfOneNamespaceThatClosesAndLeaveTheOthers()
    {
        open(2);
        final List<Initiator> pair = reactor("abort");
        hold(1);
        final Initiator.Io io = io(pair.getFirst(), BlockOperation.READ, 0, 0).then((done) ->
            assertFalse(model.mayWrite(buffer(0), BLOCK), "memory may be written"));
        pair.getFirst().send(io);
        await(() -> 1 == model.heldCount(), "the command is held");
        final CompletableFuture<Void> closed = pair.getFirst().beginClosing();
        while (!closed.isDone())
        {
            assertEquals(BlockStatus.SUCCESS, run(pair.getLast(), BlockOperation.READ, 0, 1));
        }
        assertEquals(BlockStatus.ABORTED, io.result().join());
        assertEquals(0, controller.resets());
        assertEquals(1, model.queuesCreated());
        assertEquals(BlockStatus.SUCCESS, run(pair.getLast(), BlockOperation.READ, 0, 1));
    }

    @Test
    void shouldEndAbortedWhatHasMoreToSendWhenItsNamespaceCloses()
    {
        options.transferLimit = 1;
        open(2);
        final List<Initiator> pair = reactor("split");
        hold(1);
        final Initiator.Io io = pair.getFirst().io();
        // 24 commands, of which 16 are sent at once.
        Initiator.fill(io.request(), BlockOperation.READ, 0, 96, false, arena.address(), 96 * BLOCK);
        pair.getFirst().send(io);
        await(() -> model.heldCount() >= 6, "commands are held");
        pair.getFirst().get(pair.getFirst().beginClosing());
        assertEquals(BlockStatus.ABORTED, io.result().join());
        assertFalse(model.mayWrite(arena.address(), 96 * BLOCK));
        assertEquals(0, controller.resets());
        assertEquals(BlockStatus.SUCCESS, run(pair.getLast(), BlockOperation.READ, 0, 1));
    }

    @Test
    void shouldResetForANamespaceThatClosesWhenAbortDoesNotHelp()
    {
        options.doAbortsWork = false;
        open(2);
        final List<Initiator> pair = reactor("reset");
        hold(1);
        final Initiator.Io io = io(pair.getFirst(), BlockOperation.READ, 0, 0).then((done) ->
            assertFalse(model.mayWrite(buffer(0), BLOCK), "memory may be written"));
        pair.getFirst().send(io);
        await(() -> 1 == model.heldCount(), "the command is held");
        pair.getFirst().get(pair.getFirst().beginClosing());
        assertEquals(BlockStatus.ABORTED, io.result().join());
        await(() -> 1 == controller.resets(), "one reset");
        assertEquals(BlockStatus.SUCCESS, run(pair.getLast(), BlockOperation.READ, 0, 1));
        assertEquals(1, controller.resets());
    }

    @Test
    void shouldDeleteTheQueuesWhenOnlyNamespacesAreLeftThatClose()
    {
        options.doAbortsWork = false;
        open(2, (config) -> config.withTimeoutNs(2_000_000_000L));
        final List<Initiator> pair = reactor("both");
        hold(1);
        final Initiator.Io io = io(pair.getFirst(), BlockOperation.READ, 0, 0);
        pair.getFirst().send(io);
        await(() -> 1 == model.heldCount(), "the command is held");
        final CompletableFuture<Void> first = pair.getFirst().beginClosing();
        final CompletableFuture<Void> second = pair.getLast().beginClosing();
        pair.getFirst().get(first);
        pair.getFirst().get(second);
        assertEquals(BlockStatus.ABORTED, io.result().join());
        assertEquals(0, controller.resets());
        assertEquals(1, model.submissionQueues());
    }

    /** The controller has completed a command before it takes the delete of its queue: the command is not aborted. */
    @Test
    void shouldFindWhatWasCompletedBeforeTheQueuesWereDeleted()
    {
        options.doAbortsWork = false;
        open(1, (config) -> config.withTimeoutNs(2_000_000_000L));
        final Initiator initiator = reactor("deleted").getFirst();
        model.script = (command) ->
        {
            if (command.isIo())
            {
                return ModelScript.Action.HOLD;
            }
            if (AdminOpcode.DELETE_SUBMISSION_QUEUE == command.opcode())
            {
                // From now on nobody polls the queues.
                model.release();
            }
            return ModelScript.Action.COMPLETE;
        };
        final Initiator.Io io = io(initiator, BlockOperation.READ, 0, 0);
        initiator.send(io);
        await(() -> 1 == model.heldCount(), "the command is held");
        initiator.get(initiator.beginClosing());
        assertEquals(BlockStatus.SUCCESS, io.result().join());
        assertEquals(0, controller.resets());
        assertEquals(1, model.submissionQueues());
    }

    @Test
    void shouldFindLateCompletionsOfANamespaceThatIsGone()
    {
        open(2, (config) -> config.withTimeoutNs(2_000_000_000L));
        controller.removeNs(1);
        final List<Initiator> pair = reactor("late");
        NativeMemory.fill(buffer(0), BLOCK, LATE);
        assertEquals(BlockStatus.SUCCESS, run(pair.getFirst(), BlockOperation.WRITE, 0, 0));
        NativeMemory.fill(buffer(0), BLOCK, (byte)0);
        hold(1);
        options.doAbortsWork = false;
        final Initiator.Io io = io(pair.getFirst(), BlockOperation.READ, 0, 0);
        pair.getFirst().send(io);
        await(() -> 1 == model.heldCount(), "the command is held");
        pair.getFirst().get(pair.getFirst().beginClosing());
        assertEquals(BlockStatus.ABORTED, io.result().join());
        assertNotNull(io.request().hold());
        assertEquals(BLOCK, pair.getFirst().quarantine().bytes());
        assertTrue(model.mayWrite(buffer(0), BLOCK));
        // The other namespace's commands are not mistaken for it, though many are sent meanwhile.
        for (int i = 0; i < 20; i++)
        {
            assertEquals(BlockStatus.SUCCESS, run(pair.getLast(), BlockOperation.READ, 0, 1));
        }
        assertEquals(0, NativeMemory.getByte(buffer(0)));
        // Nobody polls now: it is looked for by itself.
        assertTrue(model.release());
        await(() -> pair.getFirst().call(() -> 0 == pair.getFirst().quarantine().bytes()), "the hold is released");
        assertEquals(LATE, NativeMemory.getByte(buffer(0)));
        assertEquals(0, controller.resets());
        assertEquals(1, model.queuesCreated());
    }

    @Test
    void shouldResetForCommandsOfANamespaceThatIsGone()
    {
        open(2);
        controller.removeNs(1);
        final List<Initiator> pair = reactor("overdue");
        hold(1);
        options.doAbortsWork = false;
        final Initiator.Io io = io(pair.getFirst(), BlockOperation.READ, 0, 0);
        pair.getFirst().send(io);
        await(() -> 1 == model.heldCount(), "the command is held");
        pair.getFirst().get(pair.getFirst().beginClosing());
        assertNotNull(io.request().hold());
        // Nobody polls.
        await(() -> pair.getFirst().call(() -> 0 == pair.getFirst().quarantine().bytes()), "the hold is released");
        await(() -> 1 == controller.resets(), "one reset");
        assertEquals(BlockStatus.SUCCESS, run(pair.getLast(), BlockOperation.READ, 0, 1));
        assertEquals(0, model.heldCount(), "it was not sent again");
    }

    @Test
    void shouldNotSendAgainForANamespaceWhoseTimeIsUpDuringAReset()
    {
        open(2, (config) -> config.withTimeoutNs(100_000_000L));
        controller.removeNs(1);
        final List<Initiator> pair = reactor("away");
        hold(1);
        options.doAbortsWork = false;
        final Initiator.Io io = io(pair.getFirst(), BlockOperation.READ, 0, 0);
        pair.getFirst().send(io);
        await(() -> 1 == model.heldCount(), "the command is held");
        options.neverReady = true;
        final CompletableFuture<Void> reset = CompletableFuture.runAsync(controller::reset);
        final ReactorQueuePair queues = ((NvmeChannel)pair.getFirst().channel()).pair();
        await(() -> QueuePairState.DRAINED == queues.state(), "the controller is stopped");
        pair.getFirst().get(pair.getFirst().beginClosing());
        assertEquals(BlockStatus.ABORTED, io.result().join());
        assertNotNull(io.request().hold());
        options.neverReady = false;
        pair.getFirst().get(reset);
        await(() -> pair.getFirst().call(() -> 0 == pair.getFirst().quarantine().bytes()), "the hold is released");
        assertEquals(BlockStatus.SUCCESS, run(pair.getLast(), BlockOperation.READ, 0, 1));
        assertEquals(0, model.heldCount(), "it was not sent again");
    }

    @Test
    void shouldReleaseMemoryOfANamespaceThatIsGoneWhenTheControllerIsReset()
    {
        open(2, (config) -> config.withTimeoutNs(1_000_000_000L));
        controller.removeNs(1);
        final List<Initiator> pair = reactor("gone");
        hold(1);
        options.doAbortsWork = false;
        final Initiator.Io io = io(pair.getFirst(), BlockOperation.READ, 0, 0);
        pair.getFirst().send(io);
        await(() -> 1 == model.heldCount(), "the command is held");
        pair.getFirst().get(pair.getFirst().beginClosing());
        assertNotNull(io.request().hold());
        controller.reset();
        await(() -> pair.getFirst().call(() -> 0 == pair.getFirst().quarantine().bytes()), "the hold is released");
        assertEquals(0, model.heldCount(), "it was not sent again");
        assertEquals(BlockStatus.SUCCESS, run(pair.getLast(), BlockOperation.READ, 0, 1));
    }

    @Test
    void shouldNotResetOnceMoreForAPairThatWasRetiredDuringAReset()
    {
        options.timeoutUnits = 20;
        open(1, (config) -> config.withTimeoutNs(50_000_000L));
        final List<Initiator> one = reactor("one");
        final List<Initiator> two = reactor("two");
        options.neverReady = true;
        final CompletableFuture<Void> reset = CompletableFuture.runAsync(controller::reset);
        await(() -> ControllerState.RESETTING == controller.state() && !model.isReady(), "it is being reset");
        final CompletableFuture<Void> closed = two.getFirst().beginClosing();
        // Its time is up while the controller is away: the pair is not announced to it again.
        final NvmeChannel channel = (NvmeChannel)two.getFirst().channel();
        await(() -> QueuePairState.RETIRED == channel.pair().state(), "the pair is retired");
        options.neverReady = false;
        two.getFirst().get(reset);
        two.getFirst().get(closed);
        assertEquals(BlockStatus.SUCCESS, run(one.getFirst(), BlockOperation.READ, 0, 0));
        assertEquals(1, controller.resets(), () -> controller.notes().toString());
        assertEquals(ControllerState.LIVE, controller.state());
    }

    @Test
    void shouldCloseWithinABoundThoughTheFunctionIsNotGivenBack() throws Exception
    {
        open(1);
        devices.removeFirst().close();
        controller.closeNs(200_000_000L);
        final CountDownLatch gate = new CountDownLatch(1);
        model.closeGate = gate;
        try
        {
            CompletableFuture.runAsync(controller::close).get(10, TimeUnit.SECONDS);
            assertTrue(controller.notes().getLast().startsWith("drive 0000:01:00.0 is not given back yet"),
                () -> controller.notes().toString());
            assertFalse(model.isClosed());
        }
        finally
        {
            gate.countDown();
        }
        await(model::isClosed, "it is given back after all");
        await(() -> ControllerState.CLOSED == controller.state(), "it is closed");
    }
}
