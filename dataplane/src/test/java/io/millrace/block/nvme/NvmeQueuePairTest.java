package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.AllocationProbe;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvme.AdminOpcode;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Namespaces of a controller share a queue pair on each reactor: how many there are, who gets what of it, and what
 * becomes of the others when one closes or hangs.
 */
class NvmeQueuePairTest
{
    private static final int SIZE_BYTES = 64 << 10;
    private static final int BLOCK = 512;
    private static final long TIMEOUT_NS = 400_000_000L;
    private static final long PATIENCE_NS = 20_000_000_000L;
    private static final byte LATE = 0x6B;

    private final ModelOptions options = new ModelOptions();
    private final DmaMemory arena = DmaMemory.map(4 << 20);
    private final List<NvmeDevice> devices = new ArrayList<>();
    private final List<Initiator> initiators = new ArrayList<>();
    private ModelController model;
    private NvmeController controller;

    @AfterEach
    void close()
    {
        model.script = ModelScript.GOOD;
        initiators.reversed().forEach(Initiator::close);
        devices.forEach(NvmeDevice::close);
        controller.close();
        model.end();
        assertEquals(List.of(), model.faults());
        assertEquals(0, model.dma.mapped());
        arena.close();
    }

    private void open(final int namespaces, final UnaryOperator<NvmeDeviceConfig> change)
    {
        model = new ModelController(NvmeFixture.ADDRESS, options, 1);
        for (int nsid = 1; nsid <= namespaces; nsid++)
        {
            model.with(nsid, ModelNamespace.of(SIZE_BYTES, BLOCK));
        }
        controller = NvmeController.start(
            model.start(), MemoryRegistry.of(arena), NvmeFixture.settings(), NvmeListener.NONE);
        for (int nsid = 1; nsid <= namespaces; nsid++)
        {
            devices.add(NvmeDevice.open(change.apply(NvmeDeviceConfig.of("n" + nsid, NvmeFixture.ADDRESS, nsid)
                .withTimeoutNs(TIMEOUT_NS)), controller));
        }
    }

    private void open(final int namespaces)
    {
        open(namespaces, UnaryOperator.identity());
    }

    /** One initiator for each namespace, all on one reactor, which owns the first. */
    private List<Initiator> reactor(final String name)
    {
        final List<Initiator> made = new ArrayList<>();
        // Sleeps at once, so that lost wake-ups show.
        made.add(new Initiator(new ReactorConfig(name, -1, ReactorConfig.IdleMode.SLEEP, 0), devices.getFirst()));
        for (final NvmeDevice device : devices.subList(1, devices.size()))
        {
            made.add(made.getFirst().beside(device));
        }
        initiators.addAll(made);
        return made;
    }

    private void closeChannel(final Initiator initiator)
    {
        initiators.remove(initiator);
        initiator.close();
    }

    private long buffer(final int index)
    {
        return arena.address() + (long)index * 4096;
    }

    private Initiator.Io io(final Initiator initiator, final BlockOperation operation, final long lba, final int index)
    {
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), operation, lba, 1, false, buffer(index), BLOCK);
        return io;
    }

    private BlockStatus run(final Initiator initiator, final BlockOperation operation, final long lba, final int index)
    {
        final Initiator.Io io = io(initiator, operation, lba, index);
        initiator.send(io);
        return initiator.await(io);
    }

    /** Keeps commands of a namespace. */
    private void hold(final int nsid)
    {
        model.script = (command) -> command.isIo() && nsid == command.namespaceId() ?
            ModelScript.Action.HOLD : ModelScript.Action.COMPLETE;
    }

    private static void await(final BooleanSupplier condition, final String what)
    {
        final long beginNs = System.nanoTime();
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - beginNs < PATIENCE_NS, what);
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldUseAQueuePairAndAVectorForEachReactorWhateverTheNamespaces()
    {
        options.queuePairs = 2;
        options.vectors = 3;
        options.hasInterrupts = true;
        open(100, (config) -> config.withInterrupts(true));
        final List<Initiator> one = reactor("one");
        final List<Initiator> two = reactor("two");
        assertEquals(2, model.queuesCreated());
        assertEquals(Set.of(1, 2), model.vectorsUsed());
        assertEquals(List.of(), controller.notes());
        for (int i = 0; i < 100; i++)
        {
            NativeMemory.fill(buffer(i), BLOCK, (byte)(i + 1));
            assertEquals(BlockStatus.SUCCESS, run(one.get(i), BlockOperation.WRITE, 7, i));
        }
        for (int i = 0; i < 100; i++)
        {
            NativeMemory.fill(buffer(i), BLOCK, (byte)0);
            assertEquals(BlockStatus.SUCCESS, run(two.get(i), BlockOperation.READ, 7, i));
            assertEquals((byte)(i + 1), NativeMemory.getByte(buffer(i) + BLOCK - 1), "namespace " + (i + 1));
        }
        assertEquals(2, model.queuesCreated());
        // The last channel of a reactor takes its queue pair along, no other one.
        for (int i = 99; i >= 1; i--)
        {
            closeChannel(two.get(i));
        }
        assertEquals(3, model.submissionQueues());
        closeChannel(two.getFirst());
        assertEquals(2, model.submissionQueues());
        assertEquals(BlockStatus.SUCCESS, run(one.getLast(), BlockOperation.READ, 7, 0));
    }

    @Test
    void shouldBeAsDeepAsTheNamespacesWantTogether()
    {
        options.queueEntriesMax = 4096;
        open(3);
        reactor("deep");
        assertEquals(List.of(3 * NvmeDeviceConfig.QUEUE_DEPTH_DEFAULT + 1), model.queueEntries());
    }

    @Test
    void shouldPollWhereThereAreFewerVectorsThanReactors()
    {
        options.vectors = 2;
        options.hasInterrupts = true;
        open(2, (config) -> config.withInterrupts(true));
        final List<Initiator> one = reactor("one");
        final List<Initiator> two = reactor("two");
        assertEquals(Set.of(1), model.vectorsUsed());
        assertEquals(List.of("drive 0000:01:00.0 has no interrupt vector for queue pair 2: a reactor with commands " +
            "outstanding polls"), controller.notes());
        assertEquals(BlockStatus.SUCCESS, run(one.getLast(), BlockOperation.READ, 0, 0));
        assertEquals(BlockStatus.SUCCESS, run(two.getLast(), BlockOperation.READ, 0, 0));
    }

    @Test
    void shouldSayThatAQueuePairWasMadeWithoutInterrupts()
    {
        options.hasInterrupts = true;
        open(1);
        final Initiator first = reactor("first").getFirst();
        model.with(2, ModelNamespace.of(SIZE_BYTES, BLOCK));
        devices.add(NvmeDevice.open(
            NvmeDeviceConfig.of("n2", NvmeFixture.ADDRESS, 2).withInterrupts(true), controller));
        initiators.add(first.beside(devices.getLast()));
        assertEquals(List.of("drive 0000:01:00.0 has a queue pair without interrupts that namespace 2 shares with " +
            "those that were opened before: a reactor with commands outstanding polls"), controller.notes());
        assertEquals(BlockStatus.SUCCESS, run(initiators.getLast(), BlockOperation.READ, 0, 0));
        assertEquals(1, model.queuesCreated());
    }

    @Test
    void shouldCompleteRequestsOfOthersWhoeverPolls()
    {
        open(2);
        final List<Initiator> pair = reactor("poller");
        final Initiator.Io first = io(pair.getFirst(), BlockOperation.READ, 0, 0);
        final Initiator.Io second = io(pair.getLast(), BlockOperation.READ, 0, 1);
        final BlockChannel poller = pair.getLast().channel();
        final boolean isDone = pair.getFirst().call(() ->
        {
            assertTrue(pair.getFirst().channel().submit(first.request()));
            assertTrue(poller.submit(second.request()));
            final long beginNs = System.nanoTime();
            while (!(first.result().isDone() && second.result().isDone()) && System.nanoTime() - beginNs < PATIENCE_NS)
            {
                poller.poll();
            }
            return first.result().isDone();
        });
        assertTrue(isDone, "only the other channel was polled");
        assertEquals(BlockStatus.SUCCESS, second.result().join());
    }

    @Test
    void shouldLetACompletionSubmitToAndCloseOtherChannels()
    {
        open(3);
        final List<Initiator> three = reactor("re-entrant");
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        final Initiator.Io onSecond = io(three.get(1), BlockOperation.READ, 1, 1);
        final Initiator.Io onThird = io(three.get(2), BlockOperation.READ, 2, 2).then((done) ->
            // A channel that is polled meanwhile closes another one, whose request is in the same poll or done.
            three.get(1).channel().close((gone) -> closed.complete(null)));
        final Initiator.Io first = io(three.getFirst(), BlockOperation.READ, 0, 0).then((done) ->
        {
            assertTrue(three.get(1).channel().submit(onSecond.request()));
            assertTrue(three.get(2).channel().submit(onThird.request()));
        });
        final BlockChannel poller = three.getFirst().channel();
        three.getFirst().call(() ->
        {
            assertTrue(poller.submit(first.request()));
            final long beginNs = System.nanoTime();
            while (!closed.isDone() && System.nanoTime() - beginNs < PATIENCE_NS)
            {
                poller.poll();
            }
            return null;
        });
        assertTrue(closed.isDone());
        assertEquals(BlockStatus.SUCCESS, onSecond.result().join());
        assertEquals(BlockStatus.SUCCESS, onThird.result().join());
        initiators.remove(three.get(1));
        assertEquals(BlockStatus.SUCCESS, run(three.get(2), BlockOperation.READ, 0, 0));
        assertEquals(2, model.submissionQueues());
    }

    /** The number of the pair, and its memory, are free for the next attempt. */
    @Test
    void shouldKeepNoHalfOfAQueuePairThatIsRefused()
    {
        options.queuePairs = 1;
        open(1);
        final int mapped = model.dma.mapped();
        model.script = (command) -> !command.isIo() && AdminOpcode.CREATE_SUBMISSION_QUEUE == command.opcode() ?
            ModelScript.Action.FINAL_ERROR : ModelScript.Action.COMPLETE;
        for (int i = 0; i < 3; i++)
        {
            final AssertionError refused = assertThrows(AssertionError.class, () -> reactor("refused"));
            assertTrue(refused.getCause().getMessage().contains("refused Create I/O Submission Queue 1"),
                refused.getCause().getMessage());
            assertEquals(mapped, model.dma.mapped());
        }
        model.script = ModelScript.GOOD;
        assertEquals(BlockStatus.SUCCESS, run(reactor("taken").getFirst(), BlockOperation.READ, 7, 0));
    }

    @Test
    void shouldOpenAgainWhileTheQueuePairIsDeleted()
    {
        options.queuePairs = 1;
        open(2);
        final Initiator initiator = reactor("again").getFirst();
        closeChannel(initiators.getLast());
        BlockChannel first = null;
        BlockChannel second = null;
        for (int round = 0; round < 20; round++)
        {
            final List<CompletableFuture<Void>> closed = null == first ? List.of(initiator.beginClosing()) :
                List.of(initiator.close(first), initiator.close(second));
            // One pair is all that there is: it is deleted before the next is made.
            final CompletableFuture<BlockChannel> opened = initiator.open(devices.getFirst());
            second = initiator.get(initiator.open(devices.getLast()));
            first = initiator.get(opened);
            closed.forEach(initiator::get);
            assertEquals(2, model.submissionQueues());
            assertSame(((NvmeChannel)first).pair(), ((NvmeChannel)second).pair());
        }
        initiator.get(initiator.close(first));
        assertEquals(2, model.submissionQueues());
        initiator.get(initiator.close(second));
        assertEquals(1, model.submissionQueues());
        assertEquals(1 + 20, model.queuesCreated());
    }

    @Test
    void shouldOpenThoughTheLastChannelClosesBeforeTheAnswerIsThere()
    {
        options.queuePairs = 1;
        open(1);
        final Initiator initiator = reactor("race").getFirst();
        BlockChannel channel = initiator.get(initiator.open(devices.getFirst()));
        initiator.get(initiator.beginClosing());
        for (int round = 0; round < 50; round++)
        {
            final BlockChannel last = channel;
            final CompletableFuture<BlockChannel> opened = new CompletableFuture<>();
            initiator.call(() ->
            {
                devices.getFirst().open(ReactorContext.of(initiator.reactor()), new OpenListener()
                {
                    @Override
                    public void onOpened(final BlockChannel made)
                    {
                        opened.complete(made);
                    }

                    @Override
                    public void onOpenFailed(final BlockDeviceException reason)
                    {
                        opened.completeExceptionally(reason);
                    }
                });
                // In the same cycle: the pair is found before it is retired.
                last.close((gone) ->
                {
                });
                return null;
            });
            channel = initiator.get(opened);
        }
        initiator.get(initiator.close(channel));
        assertEquals(1, model.submissionQueues());
    }

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
    void shouldServeOthersWhileANamespaceHangsWithAllItMayHave()
    {
        options.queueEntriesMax = 64;
        open(4, (config) -> config.withTimeoutNs(30_000_000_000L));
        final List<Initiator> four = reactor("fair");
        for (int nsid = 1; nsid <= 3; nsid++)
        {
            final int hung = nsid;
            model.script = (command) -> command.isIo() && command.namespaceId() <= hung ?
                ModelScript.Action.HOLD : ModelScript.Action.COMPLETE;
            final List<Initiator.Io> flood = new ArrayList<>();
            for (int i = 0; i < 200; i++)
            {
                flood.add(io(four.get(nsid - 1), BlockOperation.READ, i % 100, 100 + i));
            }
            four.get(nsid - 1).send(flood);
            for (int i = 0; i < 50; i++)
            {
                assertEquals(BlockStatus.SUCCESS, run(four.getLast(), BlockOperation.READ, i, 0));
            }
        }
        assertTrue(model.heldCount() < 63, "all slots are taken");
        assertTrue(model.heldCount() > 40, "slots are left unused: " + model.heldCount());
        // What hangs is completed, and all is served in the end.
        model.script = ModelScript.GOOD;
        await(() -> !model.release() && 0 == model.heldCount() && four.getFirst().call(() ->
            0 == four.stream().mapToInt((each) -> each.channel().inFlight()).sum()), "all are completed");
    }

    @Test
    void shouldServeMoreNamespacesThanThereAreSlots()
    {
        options.queueEntriesMax = 4;
        open(12);
        final List<Initiator> all = reactor("narrow");
        final List<Initiator.Io> ios = new ArrayList<>();
        for (int round = 0; round < 40; round++)
        {
            for (int i = 0; i < all.size(); i++)
            {
                final Initiator.Io io = io(all.get(i), BlockOperation.READ, round, i);
                ios.add(io);
                all.get(i).send(io);
            }
        }
        ios.forEach((io) -> assertEquals(BlockStatus.SUCCESS, all.getFirst().await(io)));
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

    @Test
    void shouldAllocateNothingWithManyNamespaces()
    {
        open(20);
        final List<Initiator> all = reactor("probe");
        final Initiator probed = all.get(13);
        final AllocationProbe probe = new AllocationProbe(probed, arena.address(), devices.get(13).geometry());
        assertEquals(0, probe.allocatedBytesWhenWarm(), () -> "bytes allocated, after " + probe.rounds() + " rounds");
    }

    @Test
    void shouldShareAPairAmongChannelsOfOneNamespaceToo()
    {
        open(1);
        final Initiator initiator = reactor("same").getFirst();
        final BlockChannel other = initiator.get(initiator.open(devices.getFirst()));
        assertSame(((NvmeChannel)initiator.channel()).pair(), ((NvmeChannel)other).pair());
        initiator.get(initiator.close(other));
        assertEquals(BlockStatus.SUCCESS, run(initiator, BlockOperation.READ, 0, 0));
    }
}
