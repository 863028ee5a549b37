package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Controllers of all kinds that misbehave at random, under load from two reactors: each request completes once, on its
 * reactor, with the right data or an error, and never while the controller may still write to its memory.
 */
class NvmeChaosPropertyTest
{
    private static final int ROUNDS = 12;
    private static final int REQUESTS = 24;
    private static final int REGION_BYTES = 32 << 10;
    private static final long TIMEOUT_NS = 15_000_000L;
    private static final ModelScript.Action[] MISDEEDS = {
        ModelScript.Action.HOLD, ModelScript.Action.TWICE, ModelScript.Action.UNKNOWN_ID,
        ModelScript.Action.WRONG_QUEUE, ModelScript.Action.ERROR, ModelScript.Action.FATAL};

    @Property(tries = 12, shrinking = ShrinkingMode.OFF)
    void shouldCompleteEachRequestOnce(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final DmaMemory arena = DmaMemory.map(2L * REQUESTS * REGION_BYTES);
        final ModelController model = model(random);
        final NvmeFixture fixture = NvmeFixture.open(model, arena, NvmeFixture.config()
            .withTimeoutNs(TIMEOUT_NS).withQueueDepth(1 + random.nextInt(40)).withInterrupts(random.nextBoolean()));
        model.script = script(random.nextLong());
        try (Initiator one = new Initiator("one", fixture); Initiator two = new Initiator("two", fixture))
        {
            final Load first = new Load(one, model, fixture, arena.address(), 0, random.nextLong());
            final Load second = new Load(two, model, fixture,
                arena.address() + (long)REQUESTS * REGION_BYTES, REQUESTS, random.nextLong());
            for (int round = 0; round < ROUNDS; round++)
            {
                first.send();
                second.send();
                first.await();
                second.await();
            }
            // Whatever it was left in: good again, everything is as it was written.
            model.script = ModelScript.GOOD;
            if (ControllerState.FAILED != fixture.controller.state())
            {
                first.verify();
                second.verify();
            }
        }
        fixture.close();
        arena.close();
    }

    private static ModelController model(final Random random)
    {
        final int blockBytes = random.nextBoolean() ? 512 : 4096;
        return new ModelController(NvmeFixture.ADDRESS, new ModelOptions().with((options) ->
        {
            options.doAbortsWork = random.nextBoolean();
            options.hasInterrupts = random.nextBoolean();
            options.isSglSupported = random.nextBoolean();
            options.isShadowSupported = random.nextBoolean();
            options.doorbellStrideBytes = 4 << random.nextInt(3);
            options.transferLimit = 1 + random.nextInt(4);
            options.queueEntriesMax = 4 << random.nextInt(7);
            options.optionalCommands = random.nextInt(0x10) |
                (random.nextBoolean() ? IdentifyControllerIo.NVM_VERIFY : 0);
        }), random.nextLong()).with(1, ModelNamespace.of(2L * REQUESTS * REGION_BYTES, blockBytes));
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
            if (0 == random.nextInt(60))
            {
                return MISDEEDS[random.nextInt(MISDEEDS.length)];
            }
            return random.nextBoolean() ? ModelScript.Action.LATER : ModelScript.Action.COMPLETE;
        };
    }

    /** One initiator's requests, each with blocks and memory of its own, and what its blocks must hold. */
    private static final class Load
    {
        private static final byte UNKNOWN = -1;

        private final Initiator initiator;
        private final ModelController model;
        private final NvmeFixture fixture;
        private final long memory;
        private final int firstRegion;
        private final Random random;
        private final byte[] held = new byte[REQUESTS];
        private final byte[] written = new byte[REQUESTS];
        private final List<Initiator.Io> ios = new ArrayList<>();

        Load(
            final Initiator initiator,
            final ModelController model,
            final NvmeFixture fixture,
            final long memory,
            final int firstRegion,
            final long seed)
        {
            this.initiator = initiator;
            this.model = model;
            this.fixture = fixture;
            this.memory = memory;
            this.firstRegion = firstRegion;
            random = TestSeeds.fixed(seed);
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

        private BlockOperation operation(final int index)
        {
            return switch (random.nextInt(7))
            {
                case 0, 1 -> BlockOperation.WRITE;
                case 2 -> BlockOperation.WRITE_ZEROES;
                case 3 -> UNKNOWN == held[index] ? BlockOperation.WRITE : BlockOperation.COMPARE;
                case 4 -> BlockOperation.FLUSH;
                case 5 -> BlockOperation.VERIFY;
                default -> BlockOperation.READ;
            };
        }

        private Initiator.Io io(final int index, final BlockOperation operation)
        {
            final int blockBytes = fixture.geometry().blockSizeBytes();
            final int blocks = BlockOperation.FLUSH == operation ? 0 : REGION_BYTES / blockBytes;
            final long lba = 0 == blocks ? 0 : (long)(firstRegion + index) * blocks;
            final long buffer = memory + (long)index * REGION_BYTES;
            final Initiator.Io io = initiator.io().then((done) ->
            {
                if (model.mayWrite(buffer, REGION_BYTES))
                {
                    model.fault("memory of " + done.request() + " may still be written");
                }
            });
            Initiator.fill(io.request(), operation, lba, blocks, random.nextBoolean());
            switch (operation)
            {
                case WRITE ->
                {
                    written[index] = (byte)(1 + random.nextInt(100));
                    NativeMemory.fill(buffer, REGION_BYTES, written[index]);
                }
                case COMPARE -> NativeMemory.fill(buffer, REGION_BYTES, held[index]);
                case READ -> NativeMemory.fill(buffer, REGION_BYTES, (byte)0x77);
                default -> written[index] = 0;
            }
            if (BlockOperation.FLUSH != operation && BlockOperation.WRITE_ZEROES != operation &&
                BlockOperation.VERIFY != operation)
            {
                addSegments(io, buffer);
            }
            return io;
        }

        /** In one piece, or in some whose borders are no page's. */
        private void addSegments(final Initiator.Io io, final long buffer)
        {
            final int blockBytes = fixture.geometry().blockSizeBytes();
            int done = 0;
            while (done < REGION_BYTES && io.request().segments().count() < 7 && random.nextBoolean())
            {
                final int piece = blockBytes * (1 + random.nextInt(Math.max(1, (REGION_BYTES - done) / blockBytes)));
                io.request().addSegment(buffer + done, piece);
                done += piece;
            }
            if (done < REGION_BYTES)
            {
                io.request().addSegment(buffer + done, REGION_BYTES - done);
            }
        }

        void await()
        {
            for (int i = 0; i < REQUESTS; i++)
            {
                final Initiator.Io io = ios.get(i);
                final BlockStatus status = initiator.await(io);
                final BlockOperation operation = io.request().operation();
                if (BlockStatus.SUCCESS != status)
                {
                    assertEquals(BlockStatus.DEVICE_ERROR, status, () -> io.request().toString());
                    held[i] = operation.changesData() ? UNKNOWN : held[i];
                }
                else if (operation.changesData())
                {
                    held[i] = written[i];
                }
                else if (BlockOperation.READ == operation)
                {
                    check(i);
                }
            }
        }

        private void check(final int index)
        {
            if (UNKNOWN != held[index])
            {
                final long buffer = memory + (long)index * REGION_BYTES;
                for (int i = 0; i < REGION_BYTES; i++)
                {
                    assertEquals(held[index], NativeMemory.getByte(buffer + i));
                }
            }
        }

        void verify()
        {
            ios.clear();
            for (int i = 0; i < REQUESTS; i++)
            {
                ios.add(io(i, BlockOperation.READ));
            }
            initiator.send(ios);
            await();
            for (final Initiator.Io io : ios)
            {
                assertTrue(io.result().isDone());
            }
        }
    }
}
