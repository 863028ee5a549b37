package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.reactor.ReactorConfig;
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

/**
 * What answers of a full socket borrow from a device: left there, and copied when somebody wants to write it.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TcpLoanTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int READ_BLOCKS = 32;
    private static final int READ_BYTES = READ_BLOCKS * BLOCK;
    private static final int DEPTH = 128;
    private static final int HOSTS = 3;
    private static final int READS_PER_HOST = 1_500;
    private static final int READS_SLOW = 120;

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
                final WirePdu data = host.expect(PduType.CONTROLLER_DATA);
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

    @Test
    void shouldLetAWriterPassAHostThatReadsDropByDrop() throws IOException
    {
        try (TargetFixture target = fixture(8192);
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
            TargetFixture.await("the slow host's queue to fill",
                () -> target.reactor(0).call(() -> target.group(0).requestsInUse() >= READS_SLOW - 1).join());
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

    private static TargetFixture fixture(final int socketSendBytes)
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        return new TargetFixture(1, new TcpTransportConfig(
            defaults.inCapsuleDataBytes(), defaults.maxH2cDataBytes(), defaults.receiveBufferBytes(), true,
            defaults.connectTimeoutNs(), defaults.connectionsMax(), socketSendBytes, 0),
            MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK), 32L << 20,
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
