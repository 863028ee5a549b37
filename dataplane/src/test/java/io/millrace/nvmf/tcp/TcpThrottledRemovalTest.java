package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.testing.MeasuresTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A namespace goes while writes to it wait for a limit, some in their connections as there is no room for them. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@MeasuresTime
class TcpThrottledRemovalTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int CONNECTIONS = 8;
    private static final int WRITES_FIRST = 300;
    private static final int WRITES_OTHER = 2;
    /** Beyond the device that takes the namespace's id. */
    private static final long LBA = 16_000;
    private static final int NEIGHBOUR_WRITES = 50;
    private static final long REMOVAL_MS_MAX = 8_000;

    private final TargetFixture target = new TargetFixture();
    private final List<TestHost> hosts = new ArrayList<>();

    @BeforeEach
    void connectHosts() throws IOException
    {
        final TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
        target.subsystem().qos().limitHost(TestHost.HOST_NQN, QosLimits.ofIops(1)).join();
        final byte[] data = TcpIoTest.random(2 * BLOCK, 1);
        for (int i = 0; i < CONNECTIONS; i++)
        {
            final TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1 + i, 1024, Digests.NONE);
            hosts.add(host);
            for (int id = 0; id < (0 == i ? WRITES_FIRST : WRITES_OTHER); id++)
            {
                host.sendCapsule(WireCommand.writeInCapsule(id, LBA, 2, data.length), data);
            }
        }
        hosts.add(admin);
        TargetFixture.await("writes to wait in their connections", () ->
            target.transport().counters().stalledCapsules() > 0);
    }

    @AfterEach
    void close()
    {
        hosts.forEach(TestHost::close);
        target.close();
    }

    @Test
    void shouldEndThemAtOnce() throws Exception
    {
        final long startNs = System.nanoTime();
        target.subsystem().removeNamespace(1).get(30, TimeUnit.SECONDS);
        final long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        assertTrue(ms < REMOVAL_MS_MAX, () -> "removal took " + ms + " ms");
        expectRefused();
    }

    @Test
    void shouldWriteNothingToTheNamespaceThatHasItsIdNext() throws Exception
    {
        final CompletableFuture<Void> removed = target.subsystem().removeNamespace(1);
        final MemoryDevice next = MemoryDevice.create("next", 4 << 20, BLOCK);
        target.subsystem().addNamespace(Namespace.of(TargetFixture.NQN, 1, next));
        removed.get(30, TimeUnit.SECONDS);
        for (int i = 1; i < CONNECTIONS; i++)
        {
            for (int id = 0; id < WRITES_OTHER; id++)
            {
                // Those that have not begun may be looked at when the id is another namespace's.
                assertNotEquals(NvmeStatus.SUCCESS, hosts.get(i).expect(PduType.CAPSULE_RESPONSE).status());
            }
        }
        target.subsystem().qos().limitHost(TestHost.HOST_NQN, QosLimits.NONE).join();
        final byte[] zeroes = new byte[BLOCK];
        assertArrayEquals(zeroes, hosts.get(2).read(100, 0, 1, BLOCK));
        target.subsystem().removeNamespace(1).get(30, TimeUnit.SECONDS);
    }

    @Test
    void shouldHaveRoomForAHostAtAnotherAddress() throws IOException
    {
        final String nqn = "nqn.2026-11.io.millrace:neighbour";
        target.subsystem().qos().limitNamespace(1, QosLimits.ofIops(200)).join();
        try (TestHost admin = TestHost.openFrom(target.address(), "127.0.0.2");
            TestHost host = TestHost.openFrom(target.address(), "127.0.0.2"))
        {
            admin.initialize(Digests.NONE, 0);
            admin.sendCapsule(WireCommand.connect(1, 0, 32), WireCommand.connectData(TargetFixture.NQN, nqn, 0xFFFF));
            final int controllerId = admin.expect(PduType.CAPSULE_RESPONSE).result0() & 0xFFFF;
            admin.sendCapsule(WireCommand.propertySet(2, 0x14, 0x00460001), WirePdu.NOTHING);
            admin.expectSuccess(2);
            host.initialize(Digests.NONE, 0);
            host.sendCapsule(
                WireCommand.connect(1, 1, 64), WireCommand.connectData(TargetFixture.NQN, nqn, controllerId));
            host.expectSuccess(1);
            final byte[] data = TcpIoTest.random(2 * BLOCK, 1);
            final long startNs = System.nanoTime();
            for (int id = 0; id < NEIGHBOUR_WRITES; id++)
            {
                host.sendCapsule(WireCommand.writeInCapsule(id, 0, 2, data.length), data);
            }
            for (int id = 0; id < NEIGHBOUR_WRITES; id++)
            {
                assertEquals(NvmeStatus.SUCCESS, host.expect(PduType.CAPSULE_RESPONSE).status());
            }
            final long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            assertTrue(ms < 8_000, () -> NEIGHBOUR_WRITES + " writes took " + ms + " ms");
        }
    }

    /** There is no room for a write's data while another namespace's writes wait, but its own limit lets it go. */
    @Test
    void shouldGoOnInItsConnectionWhenItsOwnLimitAllows() throws Exception
    {
        final MemoryDevice device = MemoryDevice.create("mem1", 1 << 20, BLOCK);
        target.subsystem().addNamespace(Namespace.of(TargetFixture.NQN, 2, device));
        target.subsystem().qos().limitNamespace(1, QosLimits.ofIops(1)).join();
        target.subsystem().qos().limitNamespace(2, QosLimits.ofIops(20)).join();
        target.subsystem().qos().limitHost(TestHost.HOST_NQN, QosLimits.NONE).join();
        final long stalled = target.transport().counters().stalledCapsules();
        final byte[] data = TcpIoTest.random(2 * BLOCK, 1);
        try (TestHost host = TestHost.io(target.address(), TargetFixture.NQN, hosts.getLast(), 100, 64, Digests.NONE))
        {
            final long startNs = System.nanoTime();
            for (int id = 0; id < NEIGHBOUR_WRITES; id++)
            {
                host.sendCapsule(onSecond(WireCommand.writeInCapsule(id, 0, 2, data.length)), data);
            }
            for (int id = 0; id < NEIGHBOUR_WRITES; id++)
            {
                assertEquals(NvmeStatus.SUCCESS, host.expect(PduType.CAPSULE_RESPONSE).status());
            }
            final long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            System.out.println(NEIGHBOUR_WRITES + " writes took " + ms + " ms");
            assertTrue(ms > 1_000 && ms < 8_000, () -> NEIGHBOUR_WRITES + " writes took " + ms + " ms");
            assertTrue(target.transport().counters().stalledCapsules() > stalled, "none had to wait in its connection");

            // Its namespace goes while it waits in its connection, and another one comes.
            target.subsystem().qos().limitNamespace(2, QosLimits.ofIops(1)).join();
            final long before = target.transport().counters().stalledCapsules();
            for (int id = 0; id < WRITES_OTHER + 1; id++)
            {
                host.sendCapsule(onSecond(WireCommand.writeInCapsule(id, 0, 2, data.length)), data);
            }
            TargetFixture.await("a write to wait in its connection",
                () -> target.transport().counters().stalledCapsules() > before);
            target.subsystem().removeNamespace(2).get(30, TimeUnit.SECONDS);
            for (int id = 0; id < WRITES_OTHER + 1; id++)
            {
                final int status = host.expect(PduType.CAPSULE_RESPONSE).status();
                assertTrue(0 == status || NvmeStatus.INVALID_NAMESPACE == NvmeStatus.code(status), "status " + status);
            }
        }
        finally
        {
            target.subsystem().removeNamespace(2).get(30, TimeUnit.SECONDS);
            device.close();
        }
    }

    private static byte[] onSecond(final byte[] command)
    {
        final SubmissionQueueEntry entry = new SubmissionQueueEntry();
        entry.wrap(new UnsafeBuffer(command), 0);
        entry.namespaceId(2);
        return command;
    }

    private void expectRefused() throws IOException
    {
        for (int i = 1; i < CONNECTIONS; i++)
        {
            assertEquals(NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY,
                hosts.get(i).expect(PduType.CAPSULE_RESPONSE).status());
            // Those behind it have not begun, and may be looked at when the id is another namespace's.
            for (int id = 1; id < WRITES_OTHER; id++)
            {
                assertNotEquals(NvmeStatus.SUCCESS, hosts.get(i).expect(PduType.CAPSULE_RESPONSE).status());
            }
        }
    }
}
