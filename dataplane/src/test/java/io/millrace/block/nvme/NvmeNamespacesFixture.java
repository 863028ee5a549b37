package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/**
 * For tests of namespaces of a model controller that share its queue pairs: makes them and their initiators, and checks
 * at the end that the controller found no fault and has no memory any more.
 */
abstract class NvmeNamespacesFixture
{
    static final int SIZE_BYTES = 64 << 10;
    static final int BLOCK = 512;
    static final long PATIENCE_NS = 20_000_000_000L;
    private static final long TIMEOUT_NS = 400_000_000L;

    final ModelOptions options = new ModelOptions();
    final DmaMemory arena = DmaMemory.map(4 << 20);
    final List<NvmeDevice> devices = new ArrayList<>();
    final List<Initiator> initiators = new ArrayList<>();
    ModelController model;
    NvmeController controller;

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

    final void open(final int namespaces, final UnaryOperator<NvmeDeviceConfig> change)
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

    final void open(final int namespaces)
    {
        open(namespaces, UnaryOperator.identity());
    }

    /** One initiator for each namespace, all on one reactor, which owns the first. */
    final List<Initiator> reactor(final String name)
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

    final void closeChannel(final Initiator initiator)
    {
        initiators.remove(initiator);
        initiator.close();
    }

    final long buffer(final int index)
    {
        return arena.address() + (long)index * 4096;
    }

    final Initiator.Io io(final Initiator initiator, final BlockOperation operation, final long lba, final int index)
    {
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), operation, lba, 1, false, buffer(index), BLOCK);
        return io;
    }

    final BlockStatus run(final Initiator initiator, final BlockOperation operation, final long lba, final int index)
    {
        final Initiator.Io io = io(initiator, operation, lba, index);
        initiator.send(io);
        return initiator.await(io);
    }

    /** Keeps commands of a namespace. */
    final void hold(final int nsid)
    {
        model.script = (command) -> command.isIo() && nsid == command.namespaceId() ?
            ModelScript.Action.HOLD : ModelScript.Action.COMPLETE;
    }

    static void await(final BooleanSupplier condition, final String what)
    {
        final long beginNs = System.nanoTime();
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - beginNs < PATIENCE_NS, what);
            Thread.onSpinWait();
        }
    }
}
