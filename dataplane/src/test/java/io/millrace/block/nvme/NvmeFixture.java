package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import java.util.List;

/**
 * A model controller, the driver over it and one device, as one device that closes all of it.
 */
final class NvmeFixture implements BlockDevice
{
    static final String ADDRESS = "0000:01:00.0";
    static final long TIMEOUT_NS = 200_000_000L;

    final ModelController model;
    final NvmeController controller;
    final NvmeDevice device;

    private NvmeFixture(final ModelController model, final NvmeController controller, final NvmeDevice device)
    {
        this.model = model;
        this.controller = controller;
        this.device = device;
    }

    static ControllerSettings settings()
    {
        return new ControllerSettings(2_000_000_000L, 64, 5_000_000L);
    }

    static NvmeFixture open(final ModelController model, final DmaMemory arena, final NvmeDeviceConfig config)
    {
        return open(model, MemoryRegistry.of(arena), config);
    }

    static NvmeFixture open(
        final ModelController model, final MemoryRegistry registry, final NvmeDeviceConfig config)
    {
        model.start();
        final NvmeController controller = NvmeController.start(model, registry, settings(), NvmeListener.NONE);
        return new NvmeFixture(model, controller, NvmeDevice.open(config, controller));
    }

    static NvmeDeviceConfig config()
    {
        return NvmeDeviceConfig.of("nvme0", ADDRESS, 1).withTimeoutNs(30_000_000_000L);
    }

    @Override
    public String name()
    {
        return device.name();
    }

    @Override
    public BlockGeometry geometry()
    {
        return device.geometry();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        device.open(context, listener);
    }

    @Override
    public void close()
    {
        device.close();
        controller.close();
        model.end();
        assertEquals(List.of(), model.faults());
        assertEquals(0, model.dma.mapped());
    }
}
