package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Hosts that read their answers slowly, and buffers that run out.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TcpBackpressureTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int READ_BLOCKS = 32;
    private static final int READ_BYTES = READ_BLOCKS * BLOCK;
    private static final int READS = 30;

    private TargetFixture target;

    @AfterEach
    void stop()
    {
        target.close();
    }

    @ParameterizedTest
    @EnumSource(Digests.class)
    void shouldContinueExactlyWhereTheSocketStopped(final Digests digests) throws IOException
    {
        target = fixture(true);
        readSlowly(digests);
    }

    @ParameterizedTest
    @EnumSource(Digests.class)
    void shouldContinueExactlyWithResponseCapsules(final Digests digests) throws IOException
    {
        target = fixture(false);
        readSlowly(digests);
    }

    private void readSlowly(final Digests digests) throws IOException
    {
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = TestHost.open(target.address(), 2048))
        {
            host.initialize(digests, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 64);
            final byte[] data = TcpIoTest.random(READ_BYTES, 1);
            host.write(1, 0, READ_BLOCKS, data);
            for (int i = 0; i < READS; i++)
            {
                host.sendCapsule(WireCommand.read(i, i % 7, READ_BLOCKS - 7, READ_BYTES - 7 * BLOCK), WirePdu.NOTHING);
            }
            for (int i = 0; i < READS; i++)
            {
                final int from = i % 7 * BLOCK;
                assertArrayEquals(
                    Arrays.copyOfRange(data, from, from + READ_BYTES - 7 * BLOCK), host.receiveRead(i), "read " + i);
            }
        }
    }

    @Test
    void shouldLetOthersWriteWhatASlowHostBorrowed() throws IOException
    {
        target = fixture(true);
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost slow = TestHost.open(target.address(), 2048);
            TestHost writer = TestHost.io(target.address(), TargetFixture.NQN, admin, 2, 32, Digests.NONE))
        {
            slow.initialize(Digests.NONE, 0);
            slow.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 64);
            final byte[] old = TcpIoTest.random(READ_BYTES, 1);
            final byte[] fresh = TcpIoTest.random(READ_BYTES, 2);
            writer.write(1, 0, READ_BLOCKS, old);
            for (int i = 0; i < READS; i++)
            {
                slow.sendCapsule(WireCommand.read(i, 0, READ_BLOCKS, READ_BYTES), WirePdu.NOTHING);
            }
            target.awaitRequests(READS - 1);

            writer.write(2, 0, READ_BLOCKS, fresh);

            assertTrue(target.transport().counters().copiedLoans() > 0);
            for (int i = 0; i < READS; i++)
            {
                assertArrayEquals(old, slow.receiveRead(i), "read " + i);
            }
            assertArrayEquals(fresh, slow.read(40, 0, READ_BLOCKS, READ_BYTES));
        }
    }

    @Test
    void shouldGoOnWithOthersWhenAHostReadsNothingAtAll() throws IOException
    {
        target = fixture(true);
        try (TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost stuck = TestHost.open(target.address(), 2048);
            TestHost other = TestHost.io(target.address(), TargetFixture.NQN, admin, 2, 32, Digests.NONE))
        {
            stuck.initialize(Digests.NONE, 0);
            stuck.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 64);
            for (int i = 0; i < READS; i++)
            {
                stuck.sendCapsule(WireCommand.read(i, 0, READ_BLOCKS, READ_BYTES), WirePdu.NOTHING);
            }
            for (int i = 0; i < 200; i++)
            {
                other.writeInCapsule(1, 0, 1, TcpIoTest.random(BLOCK, i));
                assertArrayEquals(TcpIoTest.random(BLOCK, i), other.read(2, 0, 1, BLOCK));
            }
        }
        TargetFixture.await("no connection left", () -> 0 == target.transport().connectionCount());
        assertEquals(0, target.pool(0).usedBytes());
    }

    private static TargetFixture fixture(final boolean c2hSuccess)
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        final TcpTransportConfig config = new TcpTransportConfig(
            defaults.inCapsuleDataBytes(), defaults.maxH2cDataBytes(), defaults.receiveBufferBytes(), c2hSuccess,
            defaults.connectTimeoutNs(), defaults.connectionsMax(), 8192, 0);
        final TargetFixture fixture = new TargetFixture(
            1, config, MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK), 16L << 20,
            ReactorConfig.SPIN_NS_DEFAULT);
        assertTrue(fixture.transport().config().socketSendBytes() > 0);
        return fixture;
    }
}
