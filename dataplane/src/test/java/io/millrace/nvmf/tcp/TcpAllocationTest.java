package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.block.BlockDevice;
import io.millrace.block.StripedDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.testing.AllocationWindows;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An I/O allocates nothing on the reactor's thread, from the socket through the memory device and back.
 */
class TcpAllocationTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final long SPIN_NS = 1_000_000_000L;
    private static final int DEPTH = 32;
    private static final int WARM_UP_ROUNDS = 2_000;
    private static final int ROUNDS = 1_000;
    private static final int IDLE_CYCLES = 10_000;
    private static final int WINDOWS_MIN = 100;

    private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private TargetFixture target;

    private void start(final BlockDevice device)
    {
        // Spins long, because turning cold and falling asleep are so rare here that they stay interpreted, and native
        // calls that are interpreted allocate.
        target = new TargetFixture(1, TcpTransportConfig.defaults(),
            device, TargetFixture.POOL_BYTES, SPIN_NS);
    }

    private static MemoryDevice memory()
    {
        return MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK);
    }

    @AfterEach
    void stop()
    {
        target.close();
    }

    @ParameterizedTest
    @EnumSource(value = Digests.class, names = {"NONE", "HEADER_AND_DATA"})
    void shouldAllocateNothingPerIo(final Digests digests) throws IOException
    {
        start(memory());
        allocateNothing(digests);
    }

    /** The large reads are lent in eight segments. */
    @ParameterizedTest
    @EnumSource(value = Digests.class, names = {"NONE", "HEADER_AND_DATA"})
    void shouldAllocateNothingPerIoOfSegments(final Digests digests) throws IOException
    {
        start(new StripedDevice(TargetFixture.DEVICE_BYTES, BLOCK, 4, 2));
        allocateNothing(digests);
    }

    private void allocateNothing(final Digests digests) throws IOException
    {
        final long reactorThread = target.reactor(0).call(() -> Thread.currentThread().threadId()).join();
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 2 * DEPTH, digests))
        {
            final byte[] segment = segment(digests);
            final byte[] large = new byte[32 * BLOCK];
            run(host, segment, large, WARM_UP_ROUNDS);
            final AllocationWindows windows = new AllocationWindows(1, WINDOWS_MIN);
            // What is rare, such as a timer, is still interpreted now and then; an allocation per I/O falls into each
            // attempt.
            while (!windows.isOver())
            {
                final long before = threads.getThreadAllocatedBytes(reactorThread);
                assertTrue(before > 0);
                run(host, segment, large, ROUNDS);
                windows.end(threads.getThreadAllocatedBytes(reactorThread) - before);
            }
            windows.assertClean(ROUNDS * (DEPTH + 2) + " I/Os");
        }
    }

    @Test
    void shouldAllocateNothingPerCycleWithoutWork() throws IOException
    {
        start(memory());
        final long reactorThread = target.reactor(0).call(() -> Thread.currentThread().threadId()).join();
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 2 * DEPTH, Digests.NONE))
        {
            final AllocationWindows windows = new AllocationWindows(1, WINDOWS_MIN);
            while (!windows.isOver())
            {
                // Keeps the connection hot, which means that it is asked in every cycle, and the reactor awake.
                host.read(1, 0, 1, BLOCK);
                final long cycles = target.reactor(0).dutyCycle().cycles();
                final long before = threads.getThreadAllocatedBytes(reactorThread);
                TargetFixture.await("cycles", () -> target.reactor(0).dutyCycle().cycles() - cycles > IDLE_CYCLES);
                windows.end(threads.getThreadAllocatedBytes(reactorThread) - before);
            }
            windows.assertClean(IDLE_CYCLES + " cycles without work");
        }
    }

    private static byte[] segment(final Digests digests) throws IOException
    {
        final ByteArrayOutputStream segment = new ByteArrayOutputStream();
        for (int i = 0; i < DEPTH / 2; i++)
        {
            segment.write(WirePdu.capsule(
                digests, WireCommand.writeInCapsule(2 * i, i, 1, BLOCK), TcpIoTest.random(BLOCK, i)));
            segment.write(WirePdu.capsule(digests, WireCommand.read(2 * i + 1, i, 1, BLOCK), WirePdu.NOTHING));
        }
        return segment.toByteArray();
    }

    private static void run(final TestHost host, final byte[] segment, final byte[] large, final int rounds)
        throws IOException
    {
        for (int round = 0; round < rounds; round++)
        {
            host.send(segment);
            for (int i = 0; i < DEPTH / 2; i++)
            {
                host.expectSuccess(2 * i);
                host.receiveRead(2 * i + 1);
            }
            host.write(DEPTH, 64, 32, large);
            host.read(DEPTH, 64, 32, large.length);
        }
    }
}
