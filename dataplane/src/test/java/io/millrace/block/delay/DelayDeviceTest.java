package io.millrace.block.delay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceProperties;
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.DmaMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The contract with delays of requests of every kind, and that they are as long as they should be. */
class DelayDeviceTest extends BlockDeviceContractTest
{
    private static final long DELAY_NS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Of requests that the test does not send: they would not end. */
    private static final long ENDLESS_NS = TimeUnit.HOURS.toNanos(1);
    private static final List<BlockDevice> BASES = new ArrayList<>();

    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        BASES.add(MemoryDevice.create("memory", SIZE_BYTES, 4096));
        return DelayDevice.over("slow", BASES.getLast(), delays(1, 1));
    }

    /** Its owner closes the device below, when all is closed above. */
    @AfterAll
    static void closeBases() throws Exception
    {
        for (final BlockDevice each : BASES)
        {
            each.close();
        }
        BASES.clear();
    }

    private static DeviceProperties delays(final long readNs, final long writeNs)
    {
        return DeviceProperties.of(Map.of("base", "memory", "read-delay", readNs, "write-delay", writeNs));
    }

    private static long tookNs(final Initiator initiator, final BlockOperation operation)
    {
        final long beganNs = initiator.nowNs();
        assertEquals(BlockStatus.SUCCESS,
            initiator.run(operation, 0, BlockOperation.FLUSH == operation ? 0 : 1, false));
        return initiator.nowNs() - beganNs;
    }

    @Test
    void shouldHoldRequestsAsLongAsItsSettingsSayWhileTheyChange()
    {
        final DelayDevice slow = (DelayDevice)device;
        try (Initiator other = new Initiator("delay", slow))
        {
            slow.apply(delays(DELAY_NS, ENDLESS_NS));
            assertTrue(tookNs(other, BlockOperation.VERIFY) >= DELAY_NS);
            slow.apply(delays(ENDLESS_NS, DELAY_NS));
            assertTrue(tookNs(other, BlockOperation.WRITE_ZEROES) >= DELAY_NS);
            assertTrue(tookNs(other, BlockOperation.FLUSH) >= DELAY_NS);
            slow.apply(delays(0, 0));
            tookNs(other, BlockOperation.VERIFY);
        }
    }

    @Test
    void shouldBeWhatTheDeviceBelowIs()
    {
        assertEquals(List.of(BASES.getLast()), device.members());
        assertEquals(BASES.getLast().status(), device.status());
        assertEquals(BASES.getLast().geometry().sizeBytes(), device.geometry().sizeBytes());
    }
}
