package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.nvmf.LaterDevice;
import io.millrace.reactor.ReactorConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Over a device that completes later, so that data is copied into buffers, of which there are few.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TcpSlowDeviceTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int DEPTH = 256;
    private static final int WRITE_BYTES = 2 * BLOCK;
    /** Room for half of the commands. */
    private static final long POOL_BYTES = 1L << 20;

    private final LaterDevice device = new LaterDevice(BLOCK, 16L << 20);
    private TargetFixture target;
    private TestHost admin;

    @BeforeEach
    void start() throws IOException
    {
        target = new TargetFixture(
            1, TcpTransportConfig.defaults(), device, POOL_BYTES, ReactorConfig.SPIN_NS_DEFAULT);
        admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
    }

    @AfterEach
    void stop()
    {
        device.hold(false);
        if (null != admin)
        {
            admin.close();
        }
        target.close();
    }

    @Test
    void shouldReadWhatWasWritten() throws IOException
    {
        try (TestHost host = io(1, Digests.HEADER_AND_DATA))
        {
            final byte[] small = TcpIoTest.random(BLOCK, 1);
            final byte[] large = TcpIoTest.random(32 * BLOCK, 2);
            host.writeInCapsule(1, 0, 1, small);
            host.write(2, 8, 32, large);
            assertArrayEquals(small, host.read(3, 0, 1, BLOCK));
            assertArrayEquals(large, host.read(4, 8, 32, large.length));
        }
    }

    @Test
    void shouldWaitWithTheCapsuleUntilThereIsABuffer() throws IOException
    {
        try (TestHost first = io(1, Digests.DATA);
            TestHost second = io(2, Digests.NONE);
            TestHost third = io(3, Digests.HEADER))
        {
            device.hold(true);
            final TestHost[] hosts = {first, second, third};
            for (int i = 0; i < hosts.length; i++)
            {
                sendWrites(hosts[i], i);
            }
            TargetFixture.await("all hosts to wait", () -> target.transport().counters().stalledCapsules() >= 3);
            device.hold(false);
            for (int i = 0; i < hosts.length; i++)
            {
                for (int command = 0; command < DEPTH; command++)
                {
                    hosts[i].expectSuccess(command);
                }
                for (int command = 0; command < DEPTH; command += 17)
                {
                    assertArrayEquals(TcpIoTest.random(WRITE_BYTES, 1000 * i + command),
                        hosts[i].read(0, lba(i, command), 2, WRITE_BYTES));
                }
            }
        }
        TargetFixture.await("no buffer in use", () -> 0 == target.pool(0).usedBytes());
    }

    @Test
    void shouldGiveUpACapsuleThatWaitsWhenItsHostGoes() throws IOException
    {
        for (int i = 1; i <= 3; i++)
        {
            final TestHost host = io(i, Digests.NONE);
            device.hold(true);
            sendWrites(host, 0);
            final int stalled = i;
            TargetFixture.await("a capsule to wait",
                () -> target.transport().counters().stalledCapsules() >= stalled);
            host.socket().setSoLinger(true, 0);
            host.close();
            TargetFixture.await("the connection to go", () -> 1 == target.transport().connectionCount());
            // The device still holds what it was given, and only that.
            assertEquals(device.held() * (long)WRITE_BYTES, target.pool(0).usedBytes());
            device.hold(false);
            TargetFixture.await("no buffer in use", () -> 0 == target.pool(0).usedBytes());
        }
        try (TestHost host = io(4, Digests.NONE))
        {
            host.writeInCapsule(1, 0, 1, TcpIoTest.random(BLOCK, 1));
            assertArrayEquals(TcpIoTest.random(BLOCK, 1), host.read(2, 0, 1, BLOCK));
        }
        assertEquals(0, device.held());
    }

    private static void sendWrites(final TestHost host, final int index) throws IOException
    {
        final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (int command = 0; command < DEPTH; command++)
        {
            stream.write(WirePdu.capsule(host.digests(),
                WireCommand.writeInCapsule(command, lba(index, command), 2, WRITE_BYTES),
                TcpIoTest.random(WRITE_BYTES, 1000 * index + command)));
        }
        host.send(stream.toByteArray());
    }

    private static long lba(final int index, final int command)
    {
        return 1024L * index + 2L * command;
    }

    private TestHost io(final int queueId, final Digests digests) throws IOException
    {
        return TestHost.io(target.address(), TargetFixture.NQN, admin, queueId, DEPTH, digests);
    }
}
