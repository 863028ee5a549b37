package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Namespaces that share queue pairs, on two reactors, while the controller misbehaves, is reset, and channels close
 * with commands outstanding and open again: each request completes once, with the right data or an error, and its
 * memory is written by nobody afterwards unless that was said.
 */
class NvmeNamespacesChaosPropertyTest
{
    private static final int ROUNDS = 10;
    private static final int REQUESTS = 12;
    private static final int REGION_BYTES = 16 << 10;
    private static final int BLOCK = 512;
    private static final int OPEN_TRIES = 50;
    private static final byte UNKNOWN = -1;
    private static final ModelScript.Action[] MISDEEDS = {
        ModelScript.Action.HOLD, ModelScript.Action.HOLD, ModelScript.Action.TWICE, ModelScript.Action.UNKNOWN_ID,
        ModelScript.Action.ERROR, ModelScript.Action.FINAL_ERROR, ModelScript.Action.FATAL};

    private ModelController model;
    private NvmeController controller;

    @Property(tries = 15, shrinking = ShrinkingMode.OFF)
    void shouldCompleteEachRequestOnceWhateverNamespacesDo(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final int namespaces = 2 + random.nextInt(4);
        final DmaMemory arena = DmaMemory.map(2L * namespaces * REQUESTS * REGION_BYTES);
        model = model(random, namespaces);
        controller = NvmeController.start(
            model.start(), MemoryRegistry.of(arena), NvmeFixture.settings(), NvmeListener.NONE);
        if (0 == random.nextInt(3))
        {
            controller.removeNs(1 + random.nextInt(20_000_000));
        }
        final List<NvmeDevice> devices = new ArrayList<>();
        for (int nsid = 1; nsid <= namespaces; nsid++)
        {
            devices.add(NvmeDevice.open(NvmeDeviceConfig.of("n" + nsid, NvmeFixture.ADDRESS, nsid)
                .withTimeoutNs(15_000_000L).withQueueDepth(1 + random.nextInt(40))
                .withInterrupts(random.nextBoolean()), controller));
        }
        model.script = script(random.nextLong());
        final List<Load> loads = new ArrayList<>();
        for (int reactor = 0; reactor < 2; reactor++)
        {
            Load first = null;
            for (final NvmeDevice device : devices)
            {
                final long memory = arena.address() + (long)loads.size() * REQUESTS * REGION_BYTES;
                final Load load = new Load(device, first, memory, reactor * REQUESTS, random.nextLong());
                loads.add(load);
                first = null == first ? load : first;
            }
        }
        for (int round = 0; round < ROUNDS && ControllerState.FAILED != controller.state(); round++)
        {
            round(random, loads);
        }
        model.script = ModelScript.GOOD;
        if (ControllerState.FAILED != controller.state())
        {
            loads.forEach(Load::sendReads);
            loads.forEach(Load::await);
        }
        loads.reversed().forEach(Load::close);
        devices.forEach(NvmeDevice::close);
        controller.close();
        model.end();
        assertEquals(List.of(), model.faults(), () -> "seed " + seed);
        assertEquals(0, model.dma.mapped(), () -> "seed " + seed);
        arena.close();
    }

    private void round(final Random random, final List<Load> loads)
    {
        loads.forEach(Load::send);
        final CompletableFuture<Void> reset = 0 != random.nextInt(4) ? CompletableFuture.completedFuture(null) :
            CompletableFuture.runAsync(this::reset);
        final List<Load> closing = new ArrayList<>();
        for (final Load load : loads)
        {
            if (0 == random.nextInt(4))
            {
                closing.add(load);
                load.beginClosing();
            }
        }
        if (0 == random.nextInt(5))
        {
            // All of one reactor: its queue pair goes.
            loads.stream().filter((load) -> load.base == 0 && !closing.contains(load)).forEach((load) ->
            {
                closing.add(load);
                load.beginClosing();
            });
        }
        closing.forEach(Load::openAgain);
        loads.forEach(Load::await);
        reset.join();
    }

    private void reset()
    {
        try
        {
            controller.reset();
        }
        catch (final BlockDeviceException e)
        {
            assertTrue(ControllerState.FAILED == controller.state(), e.getMessage());
        }
    }

    private static ModelController model(final Random random, final int namespaces)
    {
        final ModelController made = new ModelController(NvmeFixture.ADDRESS, new ModelOptions().with((options) ->
        {
            options.doAbortsWork = random.nextBoolean();
            options.hasInterrupts = random.nextBoolean();
            options.isShadowSupported = random.nextBoolean();
            options.transferLimit = 1 + random.nextInt(4);
            options.queueEntriesMax = 4 << random.nextInt(7);
            options.queuePairs = 2;
            options.vectors = 1 + random.nextInt(3);
            options.optionalCommands = random.nextInt(0x10) |
                (random.nextBoolean() ? IdentifyControllerIo.NVM_VERIFY : 0);
        }), random.nextLong());
        for (int nsid = 1; nsid <= namespaces; nsid++)
        {
            made.with(nsid, ModelNamespace.of(2L * REQUESTS * REGION_BYTES, BLOCK));
        }
        return made;
    }

    private static ModelScript script(final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        return (command) ->
        {
            if (!command.isIo())
            {
                return ModelScript.Action.COMPLETE;
            }
            if (0 == random.nextInt(80))
            {
                return MISDEEDS[random.nextInt(MISDEEDS.length)];
            }
            return random.nextBoolean() ? ModelScript.Action.LATER : ModelScript.Action.COMPLETE;
        };
    }

    /** Requests to one namespace on one reactor, each with blocks and memory of its own, and what the blocks hold. */
    private final class Load
    {
        private final NvmeDevice device;
        private final long memory;
        private final int base;
        private final Random random;
        private final byte[] held = new byte[REQUESTS];
        private final byte[] written = new byte[REQUESTS];
        private final List<Initiator.Io> ios = new ArrayList<>();
        private final boolean ownsReactor;
        private final Initiator reactor;
        private Initiator initiator;
        private CompletableFuture<Void> closed;

        Load(final NvmeDevice device, final Load first, final long memory, final int base, final long seed)
        {
            this.device = device;
            this.memory = memory;
            this.base = base;
            random = TestSeeds.fixed(seed);
            // The first channel of a reactor stays in its initiator: it is closed and others are opened beside it.
            ownsReactor = null == first;
            reactor = null == first ? new Initiator("chaos-" + base, device) : first.reactor;
            initiator = null == first ? reactor : reactor.beside(device);
        }

        void send()
        {
            ios.clear();
            for (int i = 0; i < REQUESTS; i++)
            {
                ios.add(io(i, operation(i)));
            }
            initiator.send(ios);
        }

        void sendReads()
        {
            ios.clear();
            for (int i = 0; i < REQUESTS; i++)
            {
                ios.add(io(i, BlockOperation.READ));
            }
            initiator.send(ios);
        }

        private BlockOperation operation(final int index)
        {
            return switch (random.nextInt(6))
            {
                case 0, 1 -> BlockOperation.WRITE;
                case 2 -> BlockOperation.WRITE_ZEROES;
                case 3 -> UNKNOWN == held[index] ? BlockOperation.WRITE : BlockOperation.COMPARE;
                default -> BlockOperation.READ;
            };
        }

        private Initiator.Io io(final int index, final BlockOperation operation)
        {
            final int blocks = REGION_BYTES / BLOCK;
            final long buffer = memory + (long)index * REGION_BYTES;
            final Initiator.Io io = initiator.io().then((done) ->
            {
                if (null == done.request().hold() && model.mayWrite(buffer, REGION_BYTES))
                {
                    model.fault("memory of " + done.request() + " may still be written");
                }
            });
            Initiator.fill(io.request(), operation, (long)(base + index) * blocks, blocks, false);
            switch (operation)
            {
                case WRITE ->
                {
                    written[index] = (byte)(1 + random.nextInt(100));
                    NativeMemory.fill(buffer, REGION_BYTES, written[index]);
                }
                case COMPARE -> NativeMemory.fill(buffer, REGION_BYTES, held[index]);
                default -> written[index] = 0;
            }
            if (BlockOperation.WRITE_ZEROES != operation)
            {
                io.request().addSegment(buffer, REGION_BYTES);
            }
            return io;
        }

        void beginClosing()
        {
            closed = initiator.beginClosing();
        }

        void openAgain()
        {
            initiator.get(closed);
            awaitHolds();
            if (initiator != reactor)
            {
                initiator.close();
                initiator = reactor;
            }
            for (int i = 0; i < OPEN_TRIES && ControllerState.FAILED != controller.state(); i++)
            {
                try
                {
                    initiator = reactor.beside(device);
                    return;
                }
                catch (final AssertionError e)
                {
                    // It was reset in between, which whoever opens is told of.
                    assertTrue(e.getCause().getCause() instanceof BlockDeviceException, e::toString);
                }
            }
            assertEquals(ControllerState.FAILED, controller.state());
        }

        /** Memory that the controller may still write is not used for anything else meanwhile. */
        private void awaitHolds()
        {
            final CompletableFuture<Void> released = new CompletableFuture<>();
            final int[] left = {1};
            initiator.call(() ->
            {
                for (final Initiator.Io io : ios)
                {
                    if (null != io.request().hold())
                    {
                        left[0]++;
                        io.request().hold().whenReleased(() -> countDown(left, released));
                    }
                }
                countDown(left, released);
                return null;
            });
            initiator.get(released);
        }

        private static void countDown(final int[] left, final CompletableFuture<Void> released)
        {
            left[0]--;
            if (0 == left[0])
            {
                released.complete(null);
            }
        }

        void await()
        {
            for (int i = 0; i < ios.size(); i++)
            {
                final Initiator.Io io = ios.get(i);
                final BlockStatus status = reactor.await(io);
                final BlockOperation operation = io.request().operation();
                if (BlockStatus.SUCCESS == status)
                {
                    held[i] = operation.changesData() ? written[i] : held[i];
                    if (BlockOperation.READ == operation && UNKNOWN != held[i])
                    {
                        check(i);
                    }
                }
                else
                {
                    assertTrue(BlockStatus.DEVICE_ERROR == status || BlockStatus.ABORTED == status,
                        () -> status + " of " + io.request());
                    held[i] = operation.changesData() ? UNKNOWN : held[i];
                }
            }
            ios.clear();
        }

        private void check(final int index)
        {
            final long buffer = memory + (long)index * REGION_BYTES;
            for (int i = 0; i < REGION_BYTES; i++)
            {
                assertEquals(held[index], NativeMemory.getByte(buffer + i), "byte " + i + " of request " + index);
            }
        }

        void close()
        {
            if (initiator != reactor)
            {
                initiator.close();
            }
            if (ownsReactor)
            {
                reactor.close();
            }
        }
    }
}
