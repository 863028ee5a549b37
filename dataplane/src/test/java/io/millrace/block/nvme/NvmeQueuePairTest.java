package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.millrace.nvme.AdminOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Namespaces of a controller share a queue pair on each reactor: how many queue pairs there are, and how commands share
 * them.
 */
class NvmeQueuePairTest extends NvmeNamespacesFixture
{
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
    void shouldAllocateNothingWithManyNamespaces()
    {
        open(20);
        final List<Initiator> all = reactor("probe");
        final Initiator probed = all.get(13);
        new AllocationProbe(probed, arena.address(), devices.get(13).geometry()).assertAllocatesNothingWhenWarm();
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
