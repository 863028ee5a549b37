package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.LaterDevice;
import io.millrace.reactor.ReactorConfig;
import io.millrace.testing.MeasuresTime;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Over a device that takes its time to open: hosts connect at once, and their first commands wait. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@MeasuresTime
class TcpSlowOpeningTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final long OPEN_NS = 2_000_000_000L;

    /** A reactor that sleeps at once, and one that does not. */
    @ParameterizedTest
    @ValueSource(longs = {0, ReactorConfig.SPIN_NS_DEFAULT})
    void shouldConnectAtOnceAndKeepCommandsUntilTheDeviceIsOpen(final long spinNs) throws IOException
    {
        final LaterDevice device = new LaterDevice(BLOCK, 16L << 20).opensWithin(OPEN_NS);
        try (TargetFixture target =
                new TargetFixture(1, TcpTransportConfig.defaults(), device, TargetFixture.POOL_BYTES, spinNs))
        {
            final long beginNs = System.nanoTime();
            final TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            try (TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, Digests.NONE);
                TestHost other = TestHost.io(target.address(), TargetFixture.NQN, admin, 2, 32, Digests.DATA))
            {
                final long connectedNs = System.nanoTime() - beginNs;
                assertTrue(connectedNs < OPEN_NS / 2, () -> "connecting took " + connectedNs + " ns");
                final byte[] small = TcpIoTest.random(BLOCK, 1);
                final byte[] large = TcpIoTest.random(32 * BLOCK, 2);
                other.sendCapsule(WireCommand.read(7, 0, 1, BLOCK), WirePdu.NOTHING);
                host.writeInCapsule(1, 0, 1, small);
                final long writtenNs = System.nanoTime() - beginNs;
                assertTrue(writtenNs >= OPEN_NS, () -> "written after " + writtenNs + " ns");
                other.receiveRead(7);
                host.write(2, 8, 32, large);
                assertArrayEquals(small, other.read(3, 0, 1, BLOCK));
                assertArrayEquals(large, other.read(4, 8, 32, large.length));
            }
            admin.close();
        }
    }

    @Test
    void shouldEndAConnectionWhoseCapsuleWaitsForADevice() throws IOException
    {
        final LaterDevice device = new LaterDevice(BLOCK, 16L << 20).opensWithin(OPEN_NS);
        try (TargetFixture target = new TargetFixture(
                1, TcpTransportConfig.defaults(), device, TargetFixture.POOL_BYTES, ReactorConfig.SPIN_NS_DEFAULT))
        {
            final TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            final TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, Digests.NONE);
            host.sendCapsule(WireCommand.writeInCapsule(1, 0, 1, BLOCK), TcpIoTest.random(BLOCK, 1));
            TargetFixture.await("a capsule to wait", () -> target.transport().counters().stalledCapsules() >= 1);
            host.socket().setSoLinger(true, 0);
            host.close();
            TargetFixture.await("the connection to go", () -> 1 == target.transport().connectionCount());
            admin.close();
        }
    }
}
