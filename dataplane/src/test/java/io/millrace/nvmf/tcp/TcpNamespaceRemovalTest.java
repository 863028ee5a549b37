package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.LaterDevice;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A namespace goes soon, whatever hosts and devices owe: data that was asked for, answers that nobody takes, I/O that
 * hangs. What a host may still do with a command whose data was asked for, it may do.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TcpNamespaceRemovalTest extends PendingCommandsFixture
{
    /** Far below the time limits of data and answers, which are 30 s. */
    private static final long REMOVAL_MS_MAX = 8_000;
    private static final int ATTEMPTS_MAX = 8;

    /** Removes it, and checks that whoever did nothing wrong is told what became of it and goes on. */
    private void remove() throws Exception
    {
        final long startNs = System.nanoTime();
        final CompletableFuture<Void> removed = target.subsystem().removeNamespace(1);
        removed.get(REMOVAL_MS_MAX, TimeUnit.MILLISECONDS);
        System.out.println("removed within " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs) + " ms");
        bystander.sendCapsule(WireCommand.read(7, 0, 1, BLOCK), WirePdu.NOTHING);
        assertEquals(NvmeStatus.INVALID_NAMESPACE,
            NvmeStatus.code(bystander.expect(PduType.CAPSULE_RESPONSE).status()));
    }

    @Test
    void shouldNotWaitForDataThatNeverComes() throws Exception
    {
        startOnMemory();
        try (TestHost host = io())
        {
            sendWrites(host);
            remove();
            TargetFixture.await("buffers back", () -> 0 == target.pool(0).usedBytes());
            // Those whose data was not asked for were answered, then the host's time was up.
            expectSomeAnswers(host,
                (status) -> assertEquals(NvmeStatus.INVALID_NAMESPACE, NvmeStatus.code(status)));
        }
    }

    @Test
    void shouldTakeDataThatIsOnItsWay() throws Exception
    {
        startOnMemory();
        try (TestHost host = io())
        {
            final CompletableFuture<Void> removed = writeAcross(
                host, TcpIoTest.random(BYTES, 1), () -> target.subsystem().removeNamespace(1));
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
        final MemoryDevice device = startOnMemory();
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
        try (TestHost host = narrow(queueId, writes + 1, digests))
        {
            for (int id = 0; id < writes; id++)
            {
                host.sendCapsule(WireCommand.write(id, id, 1, BLOCK), WirePdu.NOTHING);
            }
            target.awaitRequests(writes);
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
        startOnMemory();
        try (TestHost host = narrow())
        {
            final byte[] data = TcpIoTest.random(BYTES, 1);
            host.write(1, 0, BLOCKS, data);
            // As many as its share of buffers holds copies of.
            final int reads = 8;
            sendReads(host, reads);
            target.awaitRequests(reads - 1);
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
        startOnMemory();
        try (TestHost host = narrow())
        {
            sendReads(host, 100);
            target.awaitRequests(99);
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
        bystander.write(1, 0, 1, new byte[BLOCK]);
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
            sendReads(host, 100);
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
