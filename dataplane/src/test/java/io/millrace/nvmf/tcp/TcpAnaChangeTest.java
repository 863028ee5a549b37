package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.LaterDevice;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.testing.MeasuresTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A change of ANA states ends soon, whatever hosts and devices owe: data that was asked for, answers that nobody takes,
 * commands over a limit, I/O that hangs. Who uses a namespace of another group goes on meanwhile.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@MeasuresTime
class TcpAnaChangeTest extends PendingCommandsFixture
{
    private static final int OTHER_NSID = 2;
    private static final int OTHER_GROUP = 2;
    private static final int REFUSED = AnaState.INACCESSIBLE.status();
    /** A host has one second; below the five that a device has, and the 30 of data and answers. */
    private static final long CHANGE_MS_MAX = 3_000;
    private static final long DEVICE_LIMIT_MS = 5_000;
    private static final long TRICKLE_NS = 20_000_000;

    private final MemoryDevice otherDevice = MemoryDevice.create("mem1", 1 << 20, BLOCK);
    private int bystanderReads;

    @Override
    void start(final BlockDevice device) throws IOException
    {
        super.start(device);
        bystand();
    }

    @Override
    void addNamespaces()
    {
        target.subsystem().addNamespace(Namespace.of(TargetFixture.NQN, OTHER_NSID, otherDevice, OTHER_GROUP));
    }

    @Override
    @AfterEach
    void stop()
    {
        super.stop();
        otherDevice.close();
    }

    private CompletableFuture<?> refuse()
    {
        return target.subsystem().ana().set(null, 1, AnaState.INACCESSIBLE);
    }

    /** Each connection has been asked when this returns. */
    private void awaitAsked()
    {
        target.reactor(0).call(() -> null).join();
        target.reactor(0).call(() -> null).join();
    }

    private static byte[] onOther(final byte[] command)
    {
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(new UnsafeBuffer(command), 0);
        entry.namespaceId(OTHER_NSID);
        return command;
    }

    private void bystand() throws IOException
    {
        bystander.sendCapsule(onOther(WireCommand.read(1, 0, 1, BLOCK)), WirePdu.NOTHING);
        assertArrayEquals(new byte[BLOCK], bystander.receiveRead(1));
        bystanderReads++;
    }

    /** What is done in turn with a bystander's reads, until a change is done. */
    @FunctionalInterface
    private interface Meanwhile
    {
        void run() throws IOException;
    }

    private void awaitDone(final CompletableFuture<?> change, final long msMax, final Meanwhile meanwhile)
        throws Exception
    {
        final long startNs = System.nanoTime();
        bystanderReads = 0;
        while (!change.isDone())
        {
            assertTrue(System.nanoTime() - startNs < TimeUnit.MILLISECONDS.toNanos(msMax),
                () -> "the change takes longer than " + msMax + " ms");
            bystand();
            meanwhile.run();
        }
        change.get();
        System.out.println("changed within " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs) + " ms, " +
            bystanderReads + " reads of a bystander meanwhile");
        bystand();
        bystander.sendCapsule(WireCommand.read(7, 0, 1, BLOCK), WirePdu.NOTHING);
        assertEquals(REFUSED, bystander.expect(PduType.CAPSULE_RESPONSE).status());
    }

    private void awaitEnded() throws IOException
    {
        TargetFixture.await("buffers back", () -> 0 == target.pool(0).usedBytes());
        assertTrue(target.messages().stream().anyMatch((line) -> line.contains("ANA states were changed") &&
            line.contains("neither sent nor taken")), () -> "said: " + target.messages());
    }

    @Test
    void shouldNotWaitForAHostThatTrickles() throws Exception
    {
        startOnMemory();
        try (TestHost host = io())
        {
            final WirePdu ready = sendWrites(host);
            final byte[] pdu = WirePdu.h2cData(
                Digests.NONE, ready.commandId(), ready.transferTag(), new byte[BYTES], 0, BYTES, true);
            final int[] sent = {0};
            awaitDone(refuse(), CHANGE_MS_MAX, () ->
            {
                try
                {
                    host.sendRaw(pdu, sent[0], sent[0] + 1);
                    sent[0]++;
                }
                catch (final IOException e)
                {
                    // Its connection has ended.
                }
                LockSupport.parkNanos(TRICKLE_NS);
            });
            assertTrue(sent[0] > 0);
            awaitEnded();
            expectSomeAnswers(host, (status) -> assertEquals(REFUSED, status));
        }
    }

    @Test
    void shouldTakeDataThatIsOnItsWay() throws Exception
    {
        startOnMemory();
        try (TestHost host = io())
        {
            final byte[] data = TcpIoTest.random(BYTES, 1);
            final CompletableFuture<?> change = writeAcross(host, data, this::refuse);
            awaitDone(change, CHANGE_MS_MAX, () -> { });
            target.subsystem().ana().set(null, 1, AnaState.OPTIMIZED).get(1, TimeUnit.SECONDS);
            assertArrayEquals(data, host.read(1, 0, BLOCKS, BYTES));
        }
    }

    /** What asks for the data of its writes is behind answers that it does not take. */
    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void shouldNotWaitForAHostThatDoesNotTakeItsAnswers(final int writes) throws Exception
    {
        startOnMemory();
        try (TestHost host = narrow())
        {
            sendReads(host, 8);
            for (int id = 8; id < 8 + writes; id++)
            {
                host.sendCapsule(WireCommand.write(id, 256, 1, BLOCK), WirePdu.NOTHING);
            }
            // One read may have left as far as the target knows.
            target.awaitRequests(7 + writes);
            awaitDone(refuse(), CHANGE_MS_MAX, () -> { });
            // The host did nothing that it may not do: its answers are there when it takes them.
            for (int id = 0; id < 8; id++)
            {
                assertArrayEquals(new byte[BYTES], host.receiveRead(id));
            }
            for (int id = 8; id < 8 + writes; id++)
            {
                assertEquals(REFUSED, host.expect(PduType.CAPSULE_RESPONSE).status());
            }
        }
    }

    @Test
    void shouldNotWaitForLimits() throws Exception
    {
        startOnMemory();
        target.subsystem().qos().limitNamespace(1, QosLimits.ofIops(1)).join();
        final List<TestHost> hosts = new ArrayList<>();
        final byte[] data = TcpIoTest.random(2 * BLOCK, 1);
        try
        {
            // Of the first those wait that have room for their data, the others in their connections.
            for (int i = 0; i < 4; i++)
            {
                final TestHost host = io(1 + i, 1024);
                hosts.add(host);
                for (int id = 0; id < (0 == i ? 300 : 2); id++)
                {
                    host.sendCapsule(WireCommand.writeInCapsule(id, 0, 2, data.length), data);
                }
            }
            TargetFixture.await("writes to wait in their connections",
                () -> target.transport().counters().stalledCapsules() > 0);
            awaitDone(refuse(), CHANGE_MS_MAX, () -> { });
            int refused = 0;
            for (int i = 0; i < hosts.size(); i++)
            {
                for (int id = 0; id < (0 == i ? 300 : 2); id++)
                {
                    final int status = hosts.get(i).expect(PduType.CAPSULE_RESPONSE).status();
                    assertTrue(NvmeStatus.SUCCESS == status || REFUSED == status, () -> "status " + status);
                    refused += REFUSED == status ? 1 : 0;
                }
            }
            assertTrue(refused > 290, "refused: " + refused);
            assertEquals(0, target.pool(0).usedBytes());
        }
        finally
        {
            hosts.forEach(TestHost::close);
        }
    }

    /** The limit would admit one a second. */
    @Test
    void shouldEndReadsThatWaitForALimitAtOnce() throws Exception
    {
        startOnMemory();
        target.subsystem().qos().limitNamespace(1, QosLimits.ofIops(1)).join();
        try (TestHost host = io())
        {
            for (int id = 0; id < 10; id++)
            {
                host.sendCapsule(WireCommand.read(id, 0, 1, BLOCK), WirePdu.NOTHING);
            }
            target.awaitRequests(5);
            final CompletableFuture<?> change = refuse();
            awaitAsked();
            assertTrue(change.isDone(), "ended by the change itself, not when it was their turn");
            assertEquals(0, target.requestsInUse());
        }
    }

    @Test
    void shouldNotWaitForADeviceToOpen() throws Exception
    {
        start(new LaterDevice(BLOCK, TargetFixture.DEVICE_BYTES).opensWithin(TimeUnit.SECONDS.toNanos(4)));
        try (TestHost host = io())
        {
            host.sendCapsule(WireCommand.read(1, 0, 1, BLOCK), WirePdu.NOTHING);
            target.awaitRequests(1);
            final CompletableFuture<?> change = refuse();
            awaitAsked();
            assertTrue(change.isDone(), "ended by the change itself, not at the next check");
            awaitDone(change, CHANGE_MS_MAX, () -> { });
            assertEquals(REFUSED, host.expect(PduType.CAPSULE_RESPONSE).status());
        }
    }

    /** Its data was on its way when the states changed, so that it could not be ended then. */
    @Test
    void shouldEndAWriteThatComesToWaitForItsDeviceLater() throws Exception
    {
        final LaterDevice device = new LaterDevice(BLOCK, TargetFixture.DEVICE_BYTES).depth(1);
        start(device);
        device.hold(true);
        try (TestHost host = io())
        {
            host.sendCapsule(WireCommand.read(2, 0, 1, BLOCK), WirePdu.NOTHING);
            TargetFixture.await("a read at the device", () -> 1 == device.held());
            host.sendCapsule(WireCommand.write(1, 0, BLOCKS, BYTES), WirePdu.NOTHING);
            final int tag = host.expect(PduType.READY_TO_TRANSFER).transferTag();
            final CompletableFuture<?> change = refuse();
            awaitAsked();
            host.send(WirePdu.h2cData(Digests.NONE, 1, tag, new byte[BYTES], 0, BYTES, true));
            final WirePdu answer = host.expect(PduType.CAPSULE_RESPONSE);
            assertEquals(1, answer.commandId());
            assertEquals(REFUSED, answer.status());
            assertFalse(change.isDone(), "the read is at the device");
            device.hold(false);
            assertEquals(List.of(), change.get(CHANGE_MS_MAX, TimeUnit.MILLISECONDS));
            assertArrayEquals(new byte[BLOCK], host.receiveRead(2));
            assertEquals(1, device.submitted(), "the write is none of the device's");
        }
    }

    @Test
    void shouldNameADeviceThatHangsAndNotWaitForIt() throws Exception
    {
        final LaterDevice device = new LaterDevice(BLOCK, TargetFixture.DEVICE_BYTES);
        start(device);
        device.hold(true);
        try (TestHost host = io())
        {
            final byte[] data = TcpIoTest.random(BLOCK, 1);
            host.sendCapsule(WireCommand.writeInCapsule(1, 3, 1, BLOCK), data);
            host.sendCapsule(WireCommand.read(2, 0, 1, BLOCK), WirePdu.NOTHING);
            TargetFixture.await("both at the device", () -> 2 == device.held());
            final CompletableFuture<?> change = refuse();
            final long startNs = System.nanoTime();
            awaitDone(change, 2 * DEVICE_LIMIT_MS, () -> { });
            final long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            assertTrue(ms >= DEVICE_LIMIT_MS - 100, () -> "done within " + ms + " ms");
            assertTrue(change.get().toString().contains("later"), () -> "told: " + change.getNow(null));
            assertTrue(target.messages().stream().anyMatch((line) ->
                line.contains("device later has not completed 2 commands to namespace 1") &&
                    line.contains("set the state again")), () -> "said: " + target.messages());
            // Whoever asks again waits again, and is told when they have ended, late as they are.
            final CompletableFuture<?> again = refuse();
            assertFalse(again.isDone());
            device.hold(false);
            assertEquals(List.of(), again.get(CHANGE_MS_MAX, TimeUnit.MILLISECONDS));
            host.expectSuccess(1);
            assertArrayEquals(new byte[BLOCK], host.receiveRead(2));
            target.subsystem().ana().set(null, 1, AnaState.OPTIMIZED).get(1, TimeUnit.SECONDS);
            assertArrayEquals(data, host.read(3, 3, 1, BLOCK));
        }
    }

    /** The connection and its controller are gone, but not what they brought to the device. */
    @Test
    void shouldWaitForWritesOfAHostThatIsGone() throws Exception
    {
        final LaterDevice device = new LaterDevice(BLOCK, TargetFixture.DEVICE_BYTES);
        start(device);
        device.hold(true);
        final TestHost gone = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
        final TestHost host = TestHost.io(target.address(), TargetFixture.NQN, gone, 1, DEPTH, Digests.NONE);
        host.sendCapsule(WireCommand.writeInCapsule(1, 3, 1, BLOCK), new byte[BLOCK]);
        TargetFixture.await("a write at the device", () -> 1 == device.held());
        host.close();
        gone.close();
        TargetFixture.await("its controller to go", () -> 1 == target.subsystem().controllers().count());
        final CompletableFuture<?> change = refuse();
        awaitAsked();
        assertFalse(change.isDone());
        device.hold(false);
        awaitDone(change, CHANGE_MS_MAX, () -> { });
    }
}
