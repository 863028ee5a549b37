package io.millrace.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.OutagePolicy;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A write that its submitter believes ended is not executed afterwards: not when its device is closed, and not when a
 * queue sends it again.
 */
class LateWriteTest
{
    private static final int KEEP_ALIVE_MS = 250;
    private static final int WRITES = 16;
    /** A slow machine may take longer than a bound for some. */
    private static final int ROUNDS = 5;
    private static final int MDTS_OFFSET = 77;
    private static final int BLOCK = ModelTarget.BLOCK_BYTES;
    private static final TransportAddress ADDRESS =
        TransportAddress.tcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));

    private final ModelTarget target = new ModelTarget(TestSeeds.seed(), KEEP_ALIVE_MS);
    private final DmaMemory arena = DmaMemory.map(4 << 20);
    private final Reactor admin = new Reactor(ReactorConfig.of("test-admin", -1));

    @BeforeEach
    void start()
    {
        admin.start();
        target.executePercent(0);
    }

    @AfterEach
    void stop()
    {
        admin.close();
        arena.close();
    }

    /** Whether the connection is lost before the channel is closed, or the controller just does not answer. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotEndAWriteOfAClosedChannelBeforeItsControllerCannotExecuteIt(final boolean isLost)
    {
        try (RemoteDevice device = connect(isLost ? 60_000 : 300))
        {
            final Initiator initiator = new Initiator("host", device);
            final List<Initiator.Io> writes = new ArrayList<>();
            final AtomicLong lateAtEnd = new AtomicLong();
            for (int i = 0; i < WRITES; i++)
            {
                final Initiator.Io io = initiator.io().then((ended) ->
                    lateAtEnd.accumulateAndGet(target.lateAfter(System.nanoTime()), Math::max));
                Initiator.fill(io.request(), BlockOperation.WRITE, i, 1, false, arena.address(), BLOCK);
                writes.add(io);
            }
            initiator.send(writes);
            if (isLost)
            {
                target.cutAll();
                Waits.until("late writes", this::hasLateWrites);
            }
            initiator.close();
            for (final Initiator.Io io : writes)
            {
                assertEquals(BlockStatus.ABORTED, initiator.await(io));
            }
            assertEquals(0, lateAtEnd.get());
        }
    }

    /** They may have been executed by the time that this thread looks. */
    private boolean hasLateWrites()
    {
        return target.lateCount() + target.lateWrites() > 0;
    }

    private Initiator.Io send(final Initiator initiator, final BlockOperation operation, final int blocks)
    {
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), operation, 0, blocks, false, arena.address(), (long)blocks * BLOCK);
        initiator.send(io);
        return io;
    }

    /** With a command time-out, and so a time that a close waits for answers. */
    private RemoteDevice connect(final int commandTimeoutMs)
    {
        return RemoteDevice.connect(InnerTarget.config(List.of(ADDRESS))
            .withTimeouts(KEEP_ALIVE_MS, 2_000, commandTimeoutMs).withReconnect(1, 10, 60_000), target.groups,
            List.of(admin));
    }

    @Test
    void shouldSendNoFurtherCommandOfAWriteAfterTheClose()
    {
        // 2^1 pages of 4 KiB.
        target.controllerData((data) -> data[MDTS_OFFSET] = 1);
        try (RemoteDevice device = connect(60_000))
        {
            final Initiator initiator = new Initiator("host", device);
            target.executePercent(100);
            assertEquals(BlockStatus.SUCCESS, initiator.await(send(initiator, BlockOperation.WRITE, 4)));
            assertEquals(2, target.commands());
            target.executePercent(0);
            target.resetCounts();
            final Initiator.Io write = send(initiator, BlockOperation.WRITE, 4);
            final CompletableFuture<Void> closed = initiator.beginClosing();
            target.executePercent(100);
            assertEquals(BlockStatus.ABORTED, initiator.await(write));
            Waits.get(closed);
            assertEquals(1, target.commands());
            initiator.close();
        }
    }

    @Test
    void shouldCloseAsSoonAsTheLastCommandIsAnswered()
    {
        long leastNs = Long.MAX_VALUE;
        // A read that is not answered has 5 s.
        for (int i = 0; i < ROUNDS && leastNs >= TimeUnit.SECONDS.toNanos(3); i++)
        {
            leastNs = Math.min(leastNs, closeNs());
        }
        assertTrue(leastNs < TimeUnit.SECONDS.toNanos(3), () -> "waited longer than for the answer");
    }

    /** {@return how long a close takes from the answer to the last command on} */
    private long closeNs()
    {
        try (RemoteDevice device = connect(60_000))
        {
            final Initiator initiator = new Initiator("host", device);
            target.executePercent(100);
            assertEquals(BlockStatus.SUCCESS, initiator.await(send(initiator, BlockOperation.READ, 1)));
            target.executePercent(0);
            final Initiator.Io read = send(initiator, BlockOperation.READ, 1);
            final CompletableFuture<Void> closed = initiator.beginClosing();
            assertFalse(closed.isDone());
            final long answeredNs = System.nanoTime();
            target.executePercent(100);
            Waits.get(closed);
            final long tookNs = System.nanoTime() - answeredNs;
            assertEquals(BlockStatus.SUCCESS, initiator.await(read));
            initiator.close();
            return tookNs;
        }
    }

    /** A close that waits for the end of a write looks again and again whether it has to end an association. */
    @Test
    void shouldResetOnceForAWriteOfAClosedChannelWhenItsControllerConfirmsNoReset()
    {
        target.refusesReset(true);
        try (RemoteDevice device = connect(300))
        {
            final Initiator initiator = new Initiator("host", device);
            target.executePercent(100);
            assertEquals(BlockStatus.SUCCESS, initiator.await(send(initiator, BlockOperation.READ, 1)));
            // A slow machine may have had to reset it for the read.
            final int before = target.controllers();
            target.executePercent(0);
            final Initiator.Io write = send(initiator, BlockOperation.WRITE, 1);
            initiator.close();
            assertEquals(BlockStatus.ABORTED, initiator.await(write));
            assertEquals(before + 1, target.controllers());
        }
    }

    @Test
    void shouldSendAWriteAgainWhenItsFormerControllerCannotExecuteItAnyMore()
    {
        final AtomicLong lateAtEnd = new AtomicLong();
        final List<CompletableFuture<HostRequest>> written = new ArrayList<>();
        try (Host host = new Host(KEEP_ALIVE_MS))
        {
            for (int i = 0; i < WRITES; i++)
            {
                final int lba = i;
                NativeMemory.putLong(arena.address() + (long)i * BLOCK, 100 + i);
                written.add(host.submit((request) ->
                    request.write(1, lba, 1, arena.address() + (long)lba * BLOCK, BLOCK),
                    (request) -> lateAtEnd.accumulateAndGet(target.lateAfter(System.nanoTime()), Math::max)));
            }
            target.cutAll();
            Waits.until("late writes", this::hasLateWrites);
            target.executePercent(100);
            for (int i = 0; i < WRITES; i++)
            {
                assertTrue(Waits.get(written.get(i)).isSuccess());
                assertEquals(100 + i, target.read(i));
            }
            assertEquals(0, lateAtEnd.get());
        }
    }

    @Test
    void shouldSendReadsAgainAtOnce()
    {
        // Two of these are longer than anybody waits.
        try (Host host = new Host(60_000))
        {
            final CompletableFuture<HostRequest> read =
                host.submit((request) -> request.read(1, 3, 1, arena.address(), BLOCK), (request) ->
                {
                });
            target.cutAll();
            assertFalse(read.isDone());
            target.executePercent(100);
            assertTrue(Waits.get(read).isSuccess());
        }
    }

    /** The attempts meanwhile sent nothing, so that the time without commands is that after the loss. */
    @Test
    void shouldReconnectSoonAfterTheTimeOfLateWritesWhenAttemptsFailMeanwhile()
    {
        boolean isSoon = false;
        for (int i = 0; i < ROUNDS && !isSoon; i++)
        {
            isSoon = reconnectsSoon();
        }
        assertTrue(isSoon, "waited for the time of late writes twice");
    }

    /** {@return whether it takes less than twice the time of late writes; it is never less than once} */
    private boolean reconnectsSoon()
    {
        target.executePercent(0);
        final int keepAliveMs = 1_000;
        try (Host host = new Host(keepAliveMs))
        {
            final CompletableFuture<HostRequest> write =
                host.submit((request) -> request.write(1, 0, 1, arena.address(), BLOCK), (done) ->
                {
                });
            final long fenceMs = host.controller.info().commandEndMs(keepAliveMs);
            final long startNs = admin.call(admin::nowNs).join();
            final int before = target.controllers();
            target.up(false);
            Waits.until("failed attempts and the time of late writes", () -> target.controllers() > before &&
                admin.call(admin::nowNs).join() - startNs > (fenceMs + 200) * 1_000_000);
            target.executePercent(100);
            target.up(true);
            assertTrue(Waits.get(write).isSuccess());
            final long tookMs = (admin.call(admin::nowNs).join() - startNs) / 1_000_000;
            // From the last attempt that failed on it would be as long again.
            assertTrue(tookMs >= fenceMs, "took " + tookMs + " ms, of which " + fenceMs + " had to be");
            return tookMs < 2 * fenceMs;
        }
    }

    /** A queue as load generators have one. */
    private final class Host implements AutoCloseable
    {
        private final HostPollGroup group = target.groups.acquire(admin);
        private final RemoteController controller;
        private final RemoteQueuePair queue;

        Host(final int keepAliveMs)
        {
            controller = Waits.get(RemoteController.connect(group, InnerTarget.HOST,
                ConnectionConfig.to(ADDRESS, InnerTarget.NQN).keepAliveMs(keepAliveMs).reconnectDelayMs(1, 10)
                    .outagePolicy(OutagePolicy.WAIT).build(), ControllerListener.NONE));
            queue = Waits.get(controller.openQueuePair(group));
        }

        CompletableFuture<HostRequest> submit(
            final Consumer<HostRequest> filling,
            final Consumer<HostRequest> onEnd)
        {
            final CompletableFuture<HostRequest> ended = new CompletableFuture<>();
            final HostRequest request = new HostRequest(this, (done) ->
            {
                onEnd.accept(done);
                ended.complete(done);
            });
            filling.accept(request);
            assertTrue(Waits.get(admin.call(() -> queue.submit(request))));
            return ended;
        }

        @Override
        public void close()
        {
            controller.close();
            target.groups.release(group);
        }
    }
}
