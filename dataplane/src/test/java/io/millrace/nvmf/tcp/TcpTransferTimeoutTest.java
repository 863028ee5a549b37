package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.reactor.Punctuality;
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
    private static final long STEP_NS = STEP_MS * 1_000_000L;
    private static final int STEPS = 24;
    private static final int ATTEMPTS_MAX = 10;
    private static final int LOANS = 32;
    private static final int LOAN_BLOCKS = 256;

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
            final byte[] pdu = WirePdu.h2cData(Digests.NONE, 1, tag, data, 0, data.length, true);
            final long startNs = System.nanoTime();
            host.sendRaw(pdu, 0, 5000);
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
            final long startNs = System.nanoTime();
            host.sendCapsule(WireCommand.write(1, 0, BLOCKS, data.length), WirePdu.NOTHING);
            host.expect(PduType.READY_TO_TRANSFER);
            int writes = 0;
            long endNs = 0;
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
                endNs = System.nanoTime();
            }
            final long tookMs = TimeUnit.NANOSECONDS.toMillis(endNs - startNs);
            assertTrue(0 != endNs && tookMs >= LIMIT_MS - STEP_MS,
                "ended after " + tookMs + " ms and " + writes + " writes");
            assertEquals(1, target.transport().counters().dataTimeouts());
        }
    }

    @Test
    void shouldKeepAConnectionWhoseHostIsSlow() throws Exception
    {
        start(0);
        keeps(this::writeSlowly);
    }

    private void writeSlowly(final int queueId, final Pace pace) throws Exception
    {
        try (TestHost host = io(queueId))
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
                final byte[] pdu = WirePdu.h2cData(Digests.NONE, id, tags[id], data, 0, data.length, true);
                for (int step = 0; step < STEPS; step++)
                {
                    host.sendRaw(pdu, pdu.length * step / STEPS, pdu.length * (step + 1) / STEPS);
                    pace.step(STEP_MS / 2);
                }
                host.expectSuccess(id);
            }
            assertArrayEquals(data, host.read(9, 0, BLOCKS, data.length));
        }
    }

    /** A host that takes its time, and no more of it than a limit allows as long as the machine lets it run. */
    @FunctionalInterface
    private interface SlowHost
    {
        void run(int queueId, Pace pace) throws Exception;
    }

    /** How long a host has paused at most, which is longer than it wanted where others have the processors. */
    private static final class Pace
    {
        private long lastNs = System.nanoTime();
        private long longestNs;

        private void step(final long pauseMs) throws InterruptedException
        {
            Thread.sleep(pauseMs);
            look();
        }

        private void look()
        {
            final long nowNs = System.nanoTime();
            longestNs = Math.max(longestNs, nowNs - lastNs);
            lastNs = nowNs;
        }
    }

    /** A slow host is served, unless the machine made it slower than the limit: then once more. */
    private void keeps(final SlowHost slowHost) throws Exception
    {
        for (int attempt = 1; ; attempt++)
        {
            final Pace pace = new Pace();
            try (Punctuality reactor = Punctuality.of(target.reactor(0)))
            {
                final long endedBefore = ended();
                try
                {
                    slowHost.run(attempt, pace);
                    assertEquals(endedBefore, ended());
                    return;
                }
                catch (final IOException | AssertionError e)
                {
                    pace.look();
                    final long lateMs =
                        TimeUnit.NANOSECONDS.toMillis(Math.max(pace.longestNs - STEP_NS, reactor.longestNs()));
                    if (lateMs < LIMIT_MS / 4 || ATTEMPTS_MAX == attempt)
                    {
                        throw new AssertionError(
                            "attempt " + attempt + ": nobody was later than " + lateMs + " ms", e);
                    }
                }
            }
        }
    }

    private long ended()
    {
        return target.transport().counters().dataTimeouts() + target.transport().counters().sendTimeouts();
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
            TargetFixture.await("reason", () -> target.transport().counters().lastCloseReason().contains("answers"));
            other.writeInCapsule(1, 0, 1, new byte[BLOCK]);
        }
    }

    @Test
    void shouldKeepAConnectionWhoseHostReadsSlowly() throws Exception
    {
        start(8192);
        keeps(this::readSlowly);
    }

    private void readSlowly(final int queueId, final Pace pace) throws Exception
    {
        try (TestHost host = TestHost.open(target.address(), 2048))
        {
            final byte[] data = TcpIoTest.random(BLOCKS * BLOCK, 1);
            host.initialize(Digests.NONE, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), queueId, 64);
            host.write(1, 0, BLOCKS, data);
            for (int id = 0; id < STEPS; id++)
            {
                host.sendCapsule(WireCommand.read(id, 0, BLOCKS, data.length), WirePdu.NOTHING);
            }
            for (int id = 0; id < STEPS; id++)
            {
                pace.step(STEP_MS);
                assertArrayEquals(data, host.receiveRead(id));
            }
        }
    }

    /** With buffers for a part only of what a host may borrow. */
    private void startScarce() throws IOException
    {
        target = new TargetFixture(1, TargetFixture.smallSendBuffers(),
            MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK), 2L << 20, ReactorConfig.SPIN_NS_DEFAULT);
        admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
    }

    /** A host borrows more than its share of the buffers has room for. */
    private void borrow(final TestHost host) throws IOException
    {
        for (int id = 0; id < LOANS; id++)
        {
            host.sendCapsule(WireCommand.read(id, id % 8 * LOAN_BLOCKS, LOAN_BLOCKS, LOAN_BLOCKS * BLOCK),
                WirePdu.NOTHING);
        }
        target.awaitRequests(LOANS - 1);
    }

    /** What a host borrows that takes no answers goes back in any case: by a copy, or with its connection. */
    @Test
    void shouldNotKeepWritersFromWhatAHostBorrowsBeyondItsShare() throws Exception
    {
        startScarce();
        try (TestHost host = TestHost.open(target.address(), 2048); TestHost writer = io(2))
        {
            host.initialize(Digests.NONE, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 64);
            borrow(host);
            final byte[] data = new byte[BLOCK];
            for (int i = 0; i < 8; i++)
            {
                Arrays.fill(data, (byte)i);
                writer.writeInCapsule(1, (long)i * LOAN_BLOCKS + 1, 1, data);
                assertArrayEquals(data, writer.read(2, (long)i * LOAN_BLOCKS + 1, 1, BLOCK));
            }
            assertEquals(1, target.transport().counters().sendTimeouts());
        }
    }
}
