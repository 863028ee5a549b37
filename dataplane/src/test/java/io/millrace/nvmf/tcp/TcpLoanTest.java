package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.StripedDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.reactor.ReactorConfig;
import io.millrace.testing.MeasuresTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What answers of a full socket borrow from a device: left there, and copied when somebody wants to write it.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@MeasuresTime
class TcpLoanTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int READ_BLOCKS = 32;
    private static final int READ_BYTES = READ_BLOCKS * BLOCK;
    private static final int DEPTH = 128;
    private static final int HOSTS = 3;
    private static final int READS_PER_HOST = 1_500;
    private static final int READS_SLOW = 120;
    private static final int READERS = 100;
    private static final int WIDE_BLOCKS = 64;
    private static final long WRITE_MS_MAX = 4_000;

    @Test
    void shouldCopyNothingWhenNobodyWantsToWrite() throws IOException
    {
        try (TargetFixture target = fixture(0);
            TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            ExecutorService threads = Executors.newFixedThreadPool(HOSTS))
        {
            final List<CompletableFuture<Void>> runs = new ArrayList<>();
            for (int i = 0; i < HOSTS; i++)
            {
                final TestHost host = TestHost.io(
                    target.address(), TargetFixture.NQN, admin, 1 + i, DEPTH + 1, Digests.NONE);
                runs.add(CompletableFuture.runAsync(() -> readContinuously(host), threads));
            }
            runs.forEach(CompletableFuture::join);
            assertEquals(0, target.transport().counters().copiedLoans());
        }
    }

    private static void readContinuously(final TestHost host)
    {
        try (host)
        {
            for (int i = 0; i < DEPTH; i++)
            {
                host.sendCapsule(WireCommand.read(i, 0, READ_BLOCKS, READ_BYTES), WirePdu.NOTHING);
            }
            for (int i = 0; i < READS_PER_HOST; i++)
            {
                final WirePdu data = host.expect(PduType.C2H_DATA);
                assertEquals(READ_BYTES, data.data().length);
                if (i < READS_PER_HOST - DEPTH)
                {
                    host.sendCapsule(
                        WireCommand.read(data.commandId(), 0, READ_BLOCKS, READ_BYTES), WirePdu.NOTHING);
                }
            }
        }
        catch (final IOException e)
        {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLetAWriterPassAHostThatReadsDropByDrop(final boolean isStriped) throws IOException
    {
        try (TargetFixture target = fixture(8192, 64L << 20, isStriped ?
            new StripedDevice(TargetFixture.DEVICE_BYTES, BLOCK, 4, 2) : memory());
            TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost slow = TestHost.open(target.address(), 2048);
            TestHost writer = TestHost.io(target.address(), TargetFixture.NQN, admin, 2, 32, Digests.NONE))
        {
            slow.initialize(Digests.NONE, 0);
            slow.connectIo(TargetFixture.NQN, admin.controllerId(), 1, DEPTH);
            final byte[] old = TcpIoTest.random(READ_BYTES, 1);
            final byte[] fresh = TcpIoTest.random(READ_BYTES, 2);
            writer.write(1, 0, READ_BLOCKS, old);
            for (int i = 0; i < READS_SLOW; i++)
            {
                slow.sendCapsule(WireCommand.read(i, 0, READ_BLOCKS, READ_BYTES), WirePdu.NOTHING);
            }
            target.awaitRequests(READS_SLOW - 1);
            final Drip drip = new Drip(slow);
            drip.start();
            // The writer is less patient than the slow host is slow.
            writer.write(2, 0, READ_BLOCKS, fresh);
            assertTrue(target.transport().counters().copiedLoans() > 0);
            drip.hurry();
            for (final byte[] read : drip.finish())
            {
                assertArrayEquals(old, read);
            }
        }
    }

    /** Each of many connections borrows the same blocks many times over and takes one drop after the other. */
    @Test
    void shouldHoldAWriterUpForOneLimitHoweverManyBorrowTheSame() throws Exception
    {
        final List<TestHost> readers = new ArrayList<>();
        try (TargetFixture target = fixture(8192, 2L << 20);
            TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost writer = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, Digests.NONE))
        {
            for (int i = 0; i < READERS; i++)
            {
                final TestHost reader = TestHost.open(target.address(), 2048);
                readers.add(reader);
                reader.initialize(Digests.NONE, 0);
                reader.connectIo(TargetFixture.NQN, admin.controllerId(), 2 + i, DEPTH);
                for (int id = 0; id < READS_SLOW; id++)
                {
                    // Ranges of all lengths, so that a writer meets other readers in each part of what it writes.
                    final int blocks = 1 + (id + i) % WIDE_BLOCKS;
                    reader.sendCapsule(WireCommand.read(id, WIDE_BLOCKS - blocks, blocks, blocks * BLOCK),
                        WirePdu.NOTHING);
                }
            }
            target.awaitRequests(READERS * (READS_SLOW - 1));
            final Trickle trickle = new Trickle(readers);
            trickle.start();
            long longestMs = 0;
            for (int i = 0; i < 4; i++)
            {
                final byte[] fresh = TcpIoTest.random(WIDE_BLOCKS * BLOCK, i);
                final long startNs = System.nanoTime();
                writer.write(1, 0, WIDE_BLOCKS, fresh);
                longestMs = Math.max(longestMs, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs));
                assertArrayEquals(fresh, writer.read(2, 0, WIDE_BLOCKS, fresh.length));
            }
            trickle.end();
            System.out.println("longest write beside " + READERS + " connections that borrow the same: " + longestMs +
                " ms");
            assertTrue(longestMs < WRITE_MS_MAX, "a write took " + longestMs + " ms");
        }
        finally
        {
            readers.forEach(TestHost::close);
        }
    }

    /** Takes a few bytes of everybody's answers all the time, until it ends or all connections have ended. */
    private static final class Trickle extends Thread
    {
        private final List<TestHost> hosts;
        private volatile boolean isEnding;

        private Trickle(final List<TestHost> hosts)
        {
            this.hosts = List.copyOf(hosts);
        }

        @Override
        public void run()
        {
            final byte[] bytes = new byte[1024];
            while (!isEnding)
            {
                for (final TestHost host : hosts)
                {
                    try
                    {
                        if (host.socket().getInputStream().available() > 0)
                        {
                            host.socket().getInputStream().read(bytes);
                        }
                    }
                    catch (final IOException _)
                    {
                        // The target has ended it.
                        Thread.onSpinWait();
                    }
                }
                LockSupport.parkNanos(20_000_000L);
            }
        }

        private void end() throws InterruptedException
        {
            isEnding = true;
            join();
        }
    }

    private static TargetFixture fixture(final int socketSendBytes)
    {
        return fixture(socketSendBytes, 32L << 20);
    }

    private static MemoryDevice memory()
    {
        return MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK);
    }

    private static TargetFixture fixture(final int socketSendBytes, final long poolBytes)
    {
        return fixture(socketSendBytes, poolBytes, memory());
    }

    private static TargetFixture fixture(
        final int socketSendBytes, final long poolBytes, final BlockDevice device)
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        return new TargetFixture(1, new TcpTransportConfig(
            defaults.inCapsuleDataBytes(), defaults.maxH2cDataBytes(), defaults.receiveBufferBytes(), true,
            defaults.connectTimeoutNs(), defaults.connectionsMax(), socketSendBytes, 0),
            device, poolBytes,
            ReactorConfig.SPIN_NS_DEFAULT);
    }

    /**
     * Takes the answers of reads, one after the other with a pause between them, so that there is progress all the
     * time and yet the last of them waits for longer than a test's host does for any answer.
     */
    private static final class Drip extends Thread
    {
        private static final long PAUSE_NS = 100_000_000L;

        private final TestHost host;
        private final List<byte[]> reads = new ArrayList<>();
        private volatile boolean hurries;
        private volatile Throwable failure;

        private Drip(final TestHost host)
        {
            this.host = host;
        }

        @Override
        public void run()
        {
            try
            {
                for (int i = 0; i < READS_SLOW; i++)
                {
                    reads.add(host.receiveRead(i));
                    if (!hurries)
                    {
                        LockSupport.parkNanos(PAUSE_NS);
                    }
                }
            }
            catch (final IOException | AssertionError e)
            {
                failure = e;
            }
        }

        private void hurry()
        {
            hurries = true;
        }

        private List<byte[]> finish()
        {
            try
            {
                join();
            }
            catch (final InterruptedException e)
            {
                throw new AssertionError(e);
            }
            assertEquals(READS_SLOW, reads.size(), () -> "failed: " + failure);
            return reads;
        }
    }
}
