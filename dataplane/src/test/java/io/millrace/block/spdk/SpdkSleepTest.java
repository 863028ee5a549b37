package io.millrace.block.spdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.DutyCycle;
import io.millrace.spdk.SpdkTesting;
import io.millrace.testing.MeasuresTime;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * When a reactor sleeps that polls an SPDK thread, which wakes nobody.
 */
@Tag("spdk")
@MeasuresTime
class SpdkSleepTest
{
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 1024;
    /** After which timed pollers of SPDK may be late. */
    private static final long QUIET_MS = 1_100;
    private static final long WATCHED_MS = 1_000;
    /** A reactor that never sleeps longer than 10 ms has a hundred. */
    private static final long QUIET_SLEEPS_MAX = 60;
    /** One that sleeps longer than 100 ms. */
    private static final long QUIET_SLEEPS_MIN = 5;
    /** Of a request of a second, each of 1 ms at most; a machine with more to do has fewer. */
    private static final long ACTIVE_SLEEPS_MIN = 150;
    private static final long ACTIVE_SLEEPS_MAX = 2_000;

    private static void pause(final long ms)
    {
        final long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        for (long leftNs = endNs - System.nanoTime(); leftNs > 0; leftNs = endNs - System.nanoTime())
        {
            LockSupport.parkNanos(leftNs);
        }
    }

    @Test
    void shouldSleepUntilTimedPollersOfSpdkWithoutRequests()
    {
        final String bdev = SpdkTesting.name("Quiet");
        SpdkTesting.rpc("bdev_malloc_create",
            "{'name':'" + bdev + "','num_blocks':" + BLOCKS + ",'block_size':" + BLOCK + "}");
        final SpdkDevice device = SpdkDevice.open("quiet", bdev, SpdkTesting.runtime());
        try (DmaMemory memory = DmaMemory.map(BLOCK); Initiator initiator = new Initiator("quiet", device))
        {
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK));
            pause(QUIET_MS);
            final DutyCycle cycle = initiator.reactor().dutyCycle();
            final long before = cycle.sleepCount();
            pause(WATCHED_MS);
            final long sleeps = cycle.sleepCount() - before;
            assertTrue(sleeps >= QUIET_SLEEPS_MIN && sleeps <= QUIET_SLEEPS_MAX, () -> sleeps + " sleeps");
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK));
        }
        device.close();
        SpdkTesting.rpc("bdev_malloc_delete", "{'name':'" + bdev + "'}");
    }

    @Test
    void shouldSleepShortlyWhileARequestTakesLong()
    {
        final String base = SpdkTesting.name("Base");
        final String bdev = SpdkTesting.name("Slow");
        SpdkTesting.rpc("bdev_malloc_create",
            "{'name':'" + base + "','num_blocks':" + BLOCKS + ",'block_size':" + BLOCK + "}");
        SpdkTesting.rpc("bdev_delay_create", "{'name':'" + bdev + "','base_bdev_name':'" + base +
            "','avg_read_latency':1000000,'p99_read_latency':1000000,'avg_write_latency':0,'p99_write_latency':0}");
        final SpdkDevice device = SpdkDevice.open("slow", bdev, SpdkTesting.runtime());
        try (DmaMemory memory = DmaMemory.map(BLOCK); Initiator initiator = new Initiator("slow", device))
        {
            final DutyCycle cycle = initiator.reactor().dutyCycle();
            final long before = cycle.sleepCount();
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK));
            final long sleeps = cycle.sleepCount() - before;
            assertTrue(sleeps >= ACTIVE_SLEEPS_MIN && sleeps <= ACTIVE_SLEEPS_MAX, () -> sleeps + " sleeps");
        }
        device.close();
        SpdkTesting.rpc("bdev_delay_delete", "{'name':'" + bdev + "'}");
        SpdkTesting.rpc("bdev_malloc_delete", "{'name':'" + base + "'}");
    }
}
