package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.LaterDevice;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A namespace goes soon, whatever hosts and devices owe: data that was asked for, answers that nobody takes, I/O that
 * hangs. What a host may still do with a command whose data was asked for, it may do.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TcpNamespaceRemovalTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int BLOCKS = 32;
    private static final int BYTES = BLOCKS * BLOCK;
    private static final int WRITES = 100;
    /** Far below the time limits of data and answers, which are 30 s. */
    private static final long REMOVAL_MS_MAX = 8_000;
    private static final int ATTEMPTS_MAX = 8;

    private TargetFixture target;
    private TestHost admin;
    private TestHost other;

    private void start(final BlockDevice device) throws IOException
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        target = new TargetFixture(1, new TcpTransportConfig(
            defaults.inCapsuleDataBytes(), defaults.maxH2cDataBytes(), defaults.receiveBufferBytes(), true,
            defaults.connectTimeoutNs(), defaults.connectionsMax(), 8192, 0), device, 8L << 20,
            ReactorConfig.SPIN_NS_DEFAULT);
        admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
        other = TestHost.io(target.address(), TargetFixture.NQN, admin, 9, 32, Digests.NONE);
    }

    @AfterEach
    void stop()
    {
        other.close();
        admin.close();
        target.close();
    }

    private TestHost io() throws IOException
    {
        return TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 128, Digests.NONE);
    }

    /** Removes it, and checks that whoever did nothing wrong is told what became of it and goes on. */
    private void remove() throws Exception
    {
        final long startNs = System.nanoTime();
        final CompletableFuture<Void> removed = target.subsystem().removeNamespace(1);
        removed.get(REMOVAL_MS_MAX, TimeUnit.MILLISECONDS);
        System.out.println("removed within " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs) + " ms");
        other.sendCapsule(WireCommand.read(7, 0, 1, BLOCK), WirePdu.NOTHING);
        assertEquals(NvmeStatus.INVALID_NAMESPACE, NvmeStatus.code(other.expect(PduType.CAPSULE_RESPONSE).status()));
    }

    @Test
    void shouldNotWaitForDataThatNeverComes() throws Exception
    {
        start(MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK));
        try (TestHost host = io())
        {
            for (int id = 0; id < WRITES; id++)
            {
                host.sendCapsule(WireCommand.write(id, 0, BLOCKS, BYTES), WirePdu.NOTHING);
            }
            host.expect(PduType.READY_TO_TRANSFER);
            TargetFixture.await("some to wait for buffers", () -> 0 != target.pool(0).waiting());
            remove();
            TargetFixture.await("buffers back", () -> 0 == target.pool(0).usedBytes());
            // Those whose data was not asked for were answered, then the host's time was up.
            int answered = 0;
            try
            {
                while (true)
                {
                    final WirePdu pdu = host.receive();
                    if (PduType.CAPSULE_RESPONSE == pdu.type())
                    {
                        assertEquals(NvmeStatus.INVALID_NAMESPACE, NvmeStatus.code(pdu.status()));
                        answered++;
                    }
                }
            }
            catch (final IOException e)
            {
                assertTrue(answered > 0 && answered < WRITES, "answered: " + answered);
            }
        }
    }

    @Test
    void shouldTakeDataThatIsOnItsWay() throws Exception
    {
        start(MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK));
        try (TestHost host = io())
        {
            final byte[] data = TcpIoTest.random(BYTES, 1);
            host.sendCapsule(WireCommand.write(1, 0, BLOCKS, BYTES), WirePdu.NOTHING);
            final int tag = host.expect(PduType.READY_TO_TRANSFER).transferTag();
            final byte[] pdu = WirePdu.h2cData(Digests.NONE, 1, tag, data, 0, BYTES, true);
            host.sendRaw(pdu, 0, 5000);
            final CompletableFuture<Void> removed = target.subsystem().removeNamespace(1);
            assertFalse(removed.isDone());
            host.sendRaw(pdu, 5000, pdu.length);
            host.expectSuccess(1);
            removed.get(REMOVAL_MS_MAX, TimeUnit.MILLISECONDS);
            host.sendCapsule(WireCommand.write(1, 0, BLOCKS, BYTES), WirePdu.NOTHING);
            assertEquals(NvmeStatus.INVALID_NAMESPACE,
                NvmeStatus.code(host.expect(PduType.CAPSULE_RESPONSE).status()));
        }
    }

    /** The first byte of what asks for its data has left, the last one has not: the host will send. */
    @Test
    void shouldNotTakeBackWhatHasLeftInPart() throws Exception
    {
        final MemoryDevice device = MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK);
        start(device);
        // The kernel takes all at once when a segment has room for it, whatever the limit of the socket buffer.
        boolean hasLeftInPart = false;
        for (int attempt = 0; attempt < ATTEMPTS_MAX && !hasLeftInPart; attempt++)
        {
            hasLeftInPart = removeWhileAsking(attempt + 1);
            target.subsystem().addNamespace(Namespace.of(TargetFixture.NQN, 1, device));
        }
        assertTrue(hasLeftInPart, "each time all had left, or nothing");
    }

    private boolean removeWhileAsking(final int queueId) throws Exception
    {
        final int writes = 700;
        // With a header digest no socket buffer is a multiple of what asks for data.
        final Digests digests = Digests.of(3);
        try (TestHost host = TestHost.open(target.address(), 2048))
        {
            host.initialize(digests, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), queueId, writes + 1);
            for (int id = 0; id < writes; id++)
            {
                host.sendCapsule(WireCommand.write(id, id, 1, BLOCK), WirePdu.NOTHING);
            }
            TargetFixture.await("writes", () -> target.reactor(0)
                .call(() -> target.group(0).requestsInUse() >= writes).join());
            final CompletableFuture<Void> removed = target.subsystem().removeNamespace(1);
            final byte[] data = TcpIoTest.random(BLOCK, 1);
            final Set<Integer> asked = new HashSet<>();
            final Set<Integer> answered = new HashSet<>();
            while (answered.size() < writes)
            {
                final WirePdu pdu = host.receive();
                final int id = pdu.commandId();
                if (PduType.READY_TO_TRANSFER == pdu.type())
                {
                    assertFalse(answered.contains(id), "asked for data of a command that was answered: " + id);
                    assertTrue(asked.add(id), "asked twice: " + id);
                    host.send(WirePdu.h2cData(digests, id, pdu.transferTag(), data, 0, BLOCK, true));
                }
                else
                {
                    assertEquals(PduType.CAPSULE_RESPONSE, pdu.type(), pdu.toString());
                    assertTrue(answered.add(id), "answered twice: " + id);
                    assertEquals(asked.contains(id) ? 0 : NvmeStatus.INVALID_NAMESPACE, NvmeStatus.code(pdu.status()),
                        id + " of " + asked.size() + " asked for");
                }
            }
            removed.get(REMOVAL_MS_MAX, TimeUnit.MILLISECONDS);
            return !asked.isEmpty() && asked.size() < writes;
        }
    }

    @Test
    void shouldNotWaitForAnswersThatNobodyTakesAndLeaveThemWhole() throws Exception
    {
        start(MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK));
        try (TestHost host = TestHost.open(target.address(), 2048))
        {
            host.initialize(Digests.NONE, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 128);
            final byte[] data = TcpIoTest.random(BYTES, 1);
            host.write(1, 0, BLOCKS, data);
            // As many as its share of buffers holds copies of.
            final int reads = 8;
            for (int id = 0; id < reads; id++)
            {
                host.sendCapsule(WireCommand.read(id, 0, BLOCKS, BYTES), WirePdu.NOTHING);
            }
            TargetFixture.await("reads", () -> target.reactor(0)
                .call(() -> target.group(0).requestsInUse() >= reads - 1).join());
            target.subsystem().removeNamespace(1).get(REMOVAL_MS_MAX, TimeUnit.MILLISECONDS);
            for (int id = 0; id < reads; id++)
            {
                assertArrayEquals(data, host.receiveRead(id));
            }
        }
    }

    @Test
    void shouldEndAHostThatBorrowsMoreThanItsShareAndTakesNothing() throws Exception
    {
        start(MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK));
        try (TestHost host = TestHost.open(target.address(), 2048))
        {
            host.initialize(Digests.NONE, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 128);
            for (int id = 0; id < 100; id++)
            {
                host.sendCapsule(WireCommand.read(id, 0, BLOCKS, BYTES), WirePdu.NOTHING);
            }
            TargetFixture.await("reads", () -> target.reactor(0)
                .call(() -> target.group(0).requestsInUse() >= 99).join());
            remove();
            TargetFixture.await("buffers back", () -> 0 == target.pool(0).usedBytes());
        }
    }

    /** Whoever removed it closes its device next, which must not have a channel any more. */
    @Test
    void shouldNotBeGoneBeforeItsDeviceIsClosed() throws Exception
    {
        final LaterDevice device = new LaterDevice(BLOCK, TargetFixture.DEVICE_BYTES)
            .closesWithin(TimeUnit.MILLISECONDS.toNanos(300));
        start(device);
        other.write(1, 0, 1, new byte[BLOCK]);
        remove();
        assertTrue(device.isChannelClosed());
    }

    @Test
    void shouldNotWaitForADeviceThatHangs() throws Exception
    {
        final LaterDevice device = new LaterDevice(BLOCK, TargetFixture.DEVICE_BYTES);
        start(device);
        device.hold(true);
        try (TestHost host = io())
        {
            for (int id = 0; id < 100; id++)
            {
                host.sendCapsule(WireCommand.read(id, 0, BLOCKS, BYTES), WirePdu.NOTHING);
            }
            TargetFixture.await("reads at the device", () -> 0 != device.held());
            remove();
            // What waited for the device, or for a buffer, was answered; the device's channel ended what it had.
            int answered = 0;
            int refused = 0;
            while (answered < 100)
            {
                final WirePdu pdu = host.receive();
                final boolean isResponse = PduType.CAPSULE_RESPONSE == pdu.type();
                answered += isResponse || pdu.has(CommonHeader.FLAG_SUCCESS) ? 1 : 0;
                refused += isResponse && 0 != pdu.status() ? 1 : 0;
            }
            assertTrue(refused > 0, "none waited");
            assertTrue(target.messages().stream().anyMatch((line) -> line.contains("has not completed") &&
                line.contains("namespace 1 of " + TargetFixture.NQN)), () -> "said: " + target.messages());
        }
    }
}
