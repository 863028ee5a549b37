package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.CloseListener;
import io.millrace.block.DeviceProperties;
import io.millrace.block.ForwardingDevice;
import io.millrace.block.ReactorContext;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.device.DeviceDependencies;
import io.millrace.dataplane.device.DeviceFactory;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The end of a data plane whose device does not let go. */
class DataPlaneCloseTest
{
    private static final long WAIT_MS = 1_500;
    /** Of which a slow machine may take WAIT_MS for some. */
    private static final int CLOSES = 5;

    /** A memory device whose channels never say that they have closed. */
    private static final class StuckDevice extends ForwardingDevice
    {
        private final AtomicInteger opened = new AtomicInteger();
        private final AtomicInteger closing = new AtomicInteger();

        private StuckDevice(final String name)
        {
            super(MemoryDevice.create(name, 256L * OperationsFixture.BLOCK, OperationsFixture.BLOCK));
        }

        @Override
        protected BlockChannel forward(final BlockChannel below, final ReactorContext context)
        {
            opened.incrementAndGet();
            return new Channel(below)
            {
                @Override
                public void close(final CloseListener listener)
                {
                    closing.incrementAndGet();
                }
            };
        }
    }

    @Test
    void shouldEndThoughADeviceDoesNotClose()
    {
        final List<StuckDevice> devices = List.of(new StuckDevice("stuck0"), new StuckDevice("stuck1"));
        final OperationsFixture fixture = new OperationsFixture(1, WAIT_MS);
        final TransportAddress address = fixture.serveVolume();
        for (int i = 0; i < devices.size(); i++)
        {
            final StuckDevice device = devices.get(i);
            fixture.dataPlane.devices().create(
                DeviceConfig.of(device.name(), "stuck", Map.of()), new StuckFactory(device));
            fixture.namespace(OperationsFixture.NQN, 2 + i, device.name());
        }
        fixture.queue(fixture.connect(address));
        OperationsFixture.until("open", () -> devices.stream().allMatch((each) -> 1 == each.opened.get()));

        final long beganNs = System.nanoTime();
        fixture.dataPlane.close();
        final long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
        System.out.println("closed after " + tookMs + " ms with devices that do not close");
        assertTrue(devices.stream().allMatch((each) -> 1 == each.closing.get()));
        assertTrue(tookMs >= WAIT_MS && tookMs < 20 * WAIT_MS, "took " + tookMs + " ms");
        final List<String> said = fixture.events.stream().map(DataPlaneEvent::text)
            .filter((text) -> text.contains("did not close")).toList();
        assertEquals(1, said.size(), said::toString);
        // A slow machine may not have closed the volume in that time either.
        assertTrue(said.getFirst().matches("reactor ops0 ends while (?=.*stuck0)(?=.*stuck1)[\\w, ]+ did not close " +
            "within 1 s: what is in flight there is lost"), said::toString);
        // Again does nothing, and does not wait again.
        long againNs = Long.MAX_VALUE;
        for (int i = 0; i < CLOSES && againNs >= TimeUnit.MILLISECONDS.toNanos(WAIT_MS); i++)
        {
            final long startNs = System.nanoTime();
            fixture.dataPlane.close();
            againNs = System.nanoTime() - startNs;
        }
        assertTrue(TimeUnit.NANOSECONDS.toMillis(againNs) < WAIT_MS, "waited again");
        fixture.close();
    }

    private record StuckFactory(StuckDevice device) implements DeviceFactory
    {
        @Override
        public String type()
        {
            return "stuck";
        }

        @Override
        public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies context)
        {
            return device;
        }
    }
}
