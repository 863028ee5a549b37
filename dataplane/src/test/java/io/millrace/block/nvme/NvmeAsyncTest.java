package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvme.IoOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reactors go on whatever the threads of controllers wait for. */
class NvmeAsyncTest
{
    private static final int BLOCK = 512;
    private static final long SIZE_BYTES = 1 << 20;
    private static final long TIMEOUT_NS = 300_000_000L;
    private static final byte LATE = 0x6B;

    private final DmaMemory arena = DmaMemory.map(4 << 20);
    private final MemoryRegistry registry = MemoryRegistry.of(arena);
    private final List<Initiator> initiators = new ArrayList<>();
    private final List<NvmeFixture> fixtures = new ArrayList<>();

    @AfterEach
    void close()
    {
        initiators.forEach(Initiator::close);
        fixtures.forEach(NvmeFixture::close);
        arena.close();
    }

    private NvmeFixture fixture(final ModelOptions options)
    {
        final ModelController model =
            new ModelController(NvmeFixture.ADDRESS, options, 1).with(1, ModelNamespace.of(SIZE_BYTES, BLOCK));
        fixtures.add(NvmeFixture.open(model, registry, NvmeFixture.config().withTimeoutNs(TIMEOUT_NS)));
        return fixtures.getLast();
    }

    private Initiator initiator(final NvmeFixture fixture)
    {
        initiators.add(new Initiator("async-" + initiators.size(), fixture));
        return initiators.getLast();
    }

    private BlockStatus read(final Initiator initiator)
    {
        return initiator.run(BlockOperation.READ, 3, 1, false, arena.address(), BLOCK);
    }

    @Test
    void shouldServeWhileAControllerDoesNotAnswerToAnOpen()
    {
        final NvmeFixture fixture = fixture(new ModelOptions());
        // On a reactor that has no queue pair of the controller yet.
        final Initiator initiator = initiator(fixture(new ModelOptions()));
        fixture.model.options.isSilent = true;
        final CompletableFuture<BlockChannel> opened = initiator.open(fixture);
        final long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < 500_000_000L)
        {
            final long callNs = System.nanoTime();
            initiator.call(() -> null);
            assertTrue(System.nanoTime() - callNs < 250_000_000L, "the reactor was held up");
            assertFalse(opened.isDone());
        }
        fixture.model.options.isSilent = false;
        initiator.get(initiator.close(initiator.get(opened)));
        assertEquals(BlockStatus.SUCCESS, read(initiator));
    }

    @Test
    void shouldOpenOnEachOthersReactorsWhileBothControllersAreReset()
    {
        final NvmeFixture one = fixture(new ModelOptions());
        final NvmeFixture two = fixture(new ModelOptions());
        final Initiator first = initiator(one);
        final Initiator second = initiator(two);
        for (int round = 0; round < 10; round++)
        {
            final CompletableFuture<Void> resets = CompletableFuture.allOf(
                CompletableFuture.runAsync(one.controller::reset), CompletableFuture.runAsync(two.controller::reset));
            final CompletableFuture<BlockChannel> crossed = first.open(two);
            final CompletableFuture<BlockChannel> back = second.open(one);
            final BlockChannel onFirst = first.get(crossed);
            final BlockChannel onSecond = second.get(back);
            final CompletableFuture<Void> closedFirst = first.close(onFirst);
            second.get(second.close(onSecond));
            first.get(closedFirst);
            first.get(resets);
        }
        assertEquals(BlockStatus.SUCCESS, read(first));
        assertEquals(BlockStatus.SUCCESS, read(second));
    }

    @Test
    void shouldQuarantineMemoryUntilAControllerThatDoesNotLetGoHasBeenStopped()
    {
        final ModelOptions options = new ModelOptions().with((o) -> o.timeoutUnits = 2);
        options.doAbortsWork = false;
        final NvmeFixture fixture = fixture(options);
        fixture.controller.removeNs(50_000_000L);
        final Initiator initiator = initiator(fixture);
        final ModelController model = fixture.model;
        NativeMemory.fill(arena.address(), BLOCK, LATE);
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(BlockOperation.WRITE, 3, 1, false, arena.address(), BLOCK));
        NativeMemory.fill(arena.address(), BLOCK, (byte)0);
        model.script = (command) -> command.isIo() && IoOpcode.READ == command.opcode() ?
            ModelScript.Action.HOLD : ModelScript.Action.COMPLETE;
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), BlockOperation.READ, 3, 1, false, arena.address(), BLOCK);
        initiator.send(io);
        while (0 == model.heldCount())
        {
            Thread.onSpinWait();
        }
        // It is asked to delete the queue, and answers nothing more.
        options.isSilent = true;
        options.neverStops = true;
        initiator.closeChannel();
        assertEquals(BlockStatus.ABORTED, initiator.await(io));
        assertTrue(model.mayWrite(arena.address(), BLOCK), "the controller still has the command");
        assertNotNull(io.request().hold());
        assertEquals(BLOCK, initiator.quarantine().bytes());
        final CompletableFuture<Byte> released = new CompletableFuture<>();
        initiator.call(() ->
        {
            io.request().hold().whenReleased(() -> released.complete(NativeMemory.getByte(arena.address())));
            return null;
        });
        assertFalse(released.isDone());
        assertEquals(0, NativeMemory.getByte(arena.address()));
        // It writes late: to memory that nobody else has.
        assertTrue(model.release());
        assertEquals(LATE, NativeMemory.getByte(arena.address()));
        assertEquals(BLOCK, initiator.quarantine().bytes());
        assertEquals(LATE, initiator.get(released));
        assertTrue(model.isClosed() || !model.isReady(), "released while the controller may write");
        assertEquals(0, initiator.quarantine().bytes());
    }

    @Test
    void shouldRefuseToBlockAReactor()
    {
        final NvmeFixture fixture = fixture(new ModelOptions());
        final Initiator initiator = initiator(fixture);
        final IllegalStateException refused = initiator.call(() ->
            assertThrows(IllegalStateException.class, () -> fixture.controller.identify(1, 0)));
        assertTrue(refused.getMessage().contains("must not block"), refused.getMessage());
        fixture.controller.identify(1, 0);
    }

    @Test
    void shouldCloseThoughAReactorEndedWithAChannel()
    {
        final NvmeFixture fixture = fixture(new ModelOptions());
        final Initiator initiator = initiator(fixture);
        final Initiator other = new Initiator("ended", fixture);
        other.reactor().close();
        fixture.controller.reset();
        assertEquals(BlockStatus.SUCCESS, read(initiator));
    }
}
