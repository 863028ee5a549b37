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

/**
 * Hosts that stop in the middle of a transfer end; slow ones do not.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TcpTransferTimeoutTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int BLOCKS = 16;
    private static final long LIMIT_MS = 800;
    private static final long STEP_MS = 100;
    private static final int STEPS = 24;

    private TargetFixture target;
    private TestHost admin;

    private void start(final int socketSendBytes) throws IOException
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        final TcpTransportConfig config = new TcpTransportConfig(defaults.inCapsuleDataBytes(),
            defaults.maxH2cDataBytes(), defaults.receiveBufferBytes(), true, defaults.connectTimeoutNs(),
            defaults.connectionsMax(), socketSendBytes, 0)
            .transferTimeouts(TimeUnit.MILLISECONDS.toNanos(LIMIT_MS), TimeUnit.MILLISECONDS.toNanos(LIMIT_MS));
        target = new TargetFixture(1, config,
            MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK), 16L << 20,
            ReactorConfig.SPIN_NS_DEFAULT);
        admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
    }

    @AfterEach
    void stop()
    {
        admin.close();
        target.close();
    }

    private TestHost io(final int queueId) throws IOException
    {
        return TestHost.io(target.address(), TargetFixture.NQN, admin, queueId, 64, Digests.NONE);
    }

    @Test
    void shouldEndAConnectionWhoseHostStopsInTheMiddleOfItsData() throws IOException
    {
        start(0);
        try (TestHost host = io(1); TestHost other = io(2))
        {
            final byte[] data = TcpIoTest.random(BLOCKS * BLOCK, 1);
            host.sendCapsule(WireCommand.write(1, 0, BLOCKS, data.length), WirePdu.NOTHING);
            final int tag = host.expect(PduType.READY_TO_TRANSFER).transferTag();
            final byte[] pdu = WirePdu.hostData(Digests.NONE, 1, tag, data, 0, data.length, true);
            host.sendRaw(pdu, 0, 5000);
            final long startNs = System.nanoTime();
            host.expectEnd();
            final long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            assertTrue(tookMs >= LIMIT_MS - STEP_MS, "ended after " + tookMs + " ms");
            assertEquals(1, target.transport().counters().dataTimeouts());
            TargetFixture.await("buffers back", () -> 0 == target.pool(0).usedBytes());
            other.write(2, 0, BLOCKS, data);
            assertArrayEquals(data, other.read(3, 0, BLOCKS, data.length));
        }
    }

    @Test
    void shouldEndAConnectionWhoseHostSendsOthersAndNeverTheFirst() throws Exception
    {
        start(0);
        try (TestHost host = io(1))
        {
            final byte[] data = TcpIoTest.random(BLOCKS * BLOCK, 1);
            host.sendCapsule(WireCommand.write(1, 0, BLOCKS, data.length), WirePdu.NOTHING);
            host.expect(PduType.READY_TO_TRANSFER);
            int writes = 0;
            try
            {
                for (; writes < STEPS; writes++)
                {
                    host.write(2, BLOCKS, BLOCKS, data);
                    Thread.sleep(STEP_MS);
                }
            }
            catch (final IOException | AssertionError e)
            {
                assertTrue(writes >= 4, "ended after " + writes + " writes");
            }
            assertEquals(1, target.transport().counters().dataTimeouts());
        }
    }

    @Test
    void shouldKeepAConnectionWhoseHostIsSlow() throws Exception
    {
        start(0);
        try (TestHost host = io(1))
        {
            final byte[] data = TcpIoTest.random(BLOCKS * BLOCK, 1);
            for (int id = 1; id <= 3; id++)
            {
                host.sendCapsule(WireCommand.write(id, 0, BLOCKS, data.length), WirePdu.NOTHING);
            }
            final int[] tags = new int[4];
            for (int id = 1; id <= 3; id++)
            {
                tags[id] = host.expect(PduType.READY_TO_TRANSFER).transferTag();
            }
            for (int id = 1; id <= 3; id++)
            {
                final byte[] pdu = WirePdu.hostData(Digests.NONE, id, tags[id], data, 0, data.length, true);
                for (int step = 0; step < STEPS; step++)
                {
                    host.sendRaw(pdu, pdu.length * step / STEPS, pdu.length * (step + 1) / STEPS);
                    Thread.sleep(STEP_MS / 2);
                }
                host.expectSuccess(id);
            }
            assertArrayEquals(data, host.read(9, 0, BLOCKS, data.length));
            assertEquals(0, target.transport().counters().dataTimeouts());
        }
    }

    @Test
    void shouldEndAConnectionWhoseHostTakesNoAnswers() throws Exception
    {
        start(8192);
        try (TestHost host = TestHost.open(target.address(), 2048); TestHost other = io(2))
        {
            host.initialize(Digests.NONE, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 64);
            for (int id = 0; id < 30; id++)
            {
                host.sendCapsule(WireCommand.read(id, 0, BLOCKS, BLOCKS * BLOCK), WirePdu.NOTHING);
            }
            TargetFixture.await("end", () -> 1 == target.transport().counters().sendTimeouts());
            assertTrue(target.transport().counters().lastCloseReason().contains("answers"));
            other.writeInCapsule(1, 0, 1, new byte[BLOCK]);
        }
    }

    @Test
    void shouldKeepAConnectionWhoseHostReadsSlowly() throws Exception
    {
        start(8192);
        try (TestHost host = TestHost.open(target.address(), 2048))
        {
            final byte[] data = TcpIoTest.random(BLOCKS * BLOCK, 1);
            host.initialize(Digests.NONE, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 64);
            host.write(1, 0, BLOCKS, data);
            for (int id = 0; id < STEPS; id++)
            {
                host.sendCapsule(WireCommand.read(id, 0, BLOCKS, data.length), WirePdu.NOTHING);
            }
            for (int id = 0; id < STEPS; id++)
            {
                Thread.sleep(STEP_MS);
                assertArrayEquals(data, host.receiveRead(id));
            }
            assertEquals(0, target.transport().counters().sendTimeouts());
        }
    }

    /** What a host borrows that takes no answers goes back in any case: by a copy, or with its connection. */
    @Test
    void shouldNotKeepWritersFromWhatAHostBorrowsBeyondItsShare() throws Exception
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        target = new TargetFixture(1, new TcpTransportConfig(defaults.inCapsuleDataBytes(),
            defaults.maxH2cDataBytes(), defaults.receiveBufferBytes(), true, defaults.connectTimeoutNs(),
            defaults.connectionsMax(), 8192, 0), MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK),
            2L << 20, ReactorConfig.SPIN_NS_DEFAULT);
        admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
        try (TestHost host = TestHost.open(target.address(), 2048); TestHost writer = io(2))
        {
            host.initialize(Digests.NONE, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 64);
            final int blocks = 256;
            for (int id = 0; id < 32; id++)
            {
                host.sendCapsule(
                    WireCommand.read(id, id % 8 * blocks, blocks, blocks * BLOCK), WirePdu.NOTHING);
            }
            TargetFixture.await("answers", () -> target.reactor(0)
                .call(() -> target.group(0).requestsInUse() >= 31).join());
            final byte[] data = new byte[BLOCK];
            for (int i = 0; i < 8; i++)
            {
                Arrays.fill(data, (byte)i);
                writer.writeInCapsule(1, (long)i * blocks + 1, 1, data);
                assertArrayEquals(data, writer.read(2, (long)i * blocks + 1, 1, BLOCK));
            }
            assertEquals(1, target.transport().counters().sendTimeouts());
        }
    }
}
