package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.DatasetRange;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.qos.QosSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What happens to commands that are over a limit. The limits are such that a command which waits would do so for
 * minutes: nothing here depends on how fast it runs.
 */
class QosTest
{
    private static final int BLOCK = 512;
    private static final int MEMORY = 1;
    private static final int MANUAL = 2;
    private static final int MIB_BLOCKS = (1 << 20) / BLOCK;
    /** A transfer of 1 MiB uses what comes in 256 seconds. */
    private static final QosLimits SLOW = QosLimits.ofBytes(QosLimits.BYTES_PER_SECOND_MIN);
    private static final int INVALID_NAMESPACE = NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY;

    private final ManualDevice device = ManualDevice.create(64);
    private final TestTarget target = new TestTarget(2);
    private final TestHost admin;
    private final TestHost host;

    QosTest()
    {
        target.owned(device);
        target.subsystem().addNamespace(new Namespace(MANUAL, device, UUID.randomUUID()));
        target.reactor(0).run(() -> device.automatic(BlockStatus.SUCCESS));
        admin = target.admin();
        host = target.io(admin, 1);
    }

    @AfterEach
    void close()
    {
        target.close();
    }

    private SubsystemQos qos()
    {
        return target.subsystem().qos();
    }

    private void limit(final int nsid, final QosLimits limits)
    {
        qos().limitNamespace(nsid, limits).join();
    }

    /** Limits a namespace so that the next command on it waits. */
    private void exhaust(final int nsid)
    {
        limit(nsid, SLOW);
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(read(host, nsid, 0, MIB_BLOCKS)).status());
    }

    private void exhaustHost()
    {
        qos().limitHost(TestHost.HOST_NQN, SLOW).join();
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(read(host, MEMORY, 0, MIB_BLOCKS)).status());
    }

    private static CompletableFuture<Completion> read(
        final TestHost from, final int nsid, final long lba, final int blocks)
    {
        return from.submit((entry) -> entry.opcode(IoOpcode.READ).namespaceId(nsid).startingLba(lba)
            .cdw12(blocks - 1).sglLength(blocks * BLOCK));
    }

    private static CompletableFuture<Completion> write(
        final TestHost from, final int nsid, final long lba, final byte[] data, final boolean inCapsule)
    {
        return from.submit((entry) -> entry.opcode(IoOpcode.WRITE).namespaceId(nsid).startingLba(lba)
            .cdw12(data.length / BLOCK - 1), data, inCapsule);
    }

    private QosSnapshot only()
    {
        final List<QosSnapshot> snapshots = qos().snapshots();
        assertEquals(1, snapshots.size());
        return snapshots.getFirst();
    }

    private long usedBytes()
    {
        return target.reactor(0).call(() -> target.reactor(0).buffers().usedBytes());
    }

    private static void succeeds(final CompletableFuture<Completion> answer)
    {
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(answer).status());
    }

    @Test
    void shouldHoldInOrderWhatIsOverTheLimit()
    {
        exhaust(MANUAL);
        final List<CompletableFuture<Completion>> reads = new ArrayList<>();
        for (int i = 0; i < 100; i++)
        {
            reads.add(read(host, MANUAL, i, 1));
        }
        assertEquals(1, target.reactor(0).call(() -> device.asked().size()));
        TestTarget.await("counted", () -> only().throttledReads() >= 1);
        limit(MANUAL, QosLimits.NONE);
        for (int i = 0; i < 100; i++)
        {
            succeeds(reads.get(i));
            assertEquals("READ " + i + "+1", device.asked().get(i + 1));
        }
        assertTrue(qos().snapshots().isEmpty());
    }

    @Test
    void shouldAskForNoDataAndHoldNoBufferMeanwhile()
    {
        exhaust(MEMORY);
        final byte[] data = IoCommandsTest.random(16 * BLOCK);
        final CompletableFuture<Completion> write = write(host, MEMORY, 8, data, false);
        final CompletableFuture<Completion> read = read(host, MEMORY, 8, 16);
        assertEquals(0, host.wantedCount());
        assertEquals(0, usedBytes());
        assertFalse(host.isPaused());
        limit(MEMORY, QosLimits.NONE);
        succeeds(write);
        succeeds(read);
        assertArrayEquals(data, TestHost.await(read(host, MEMORY, 8, 16)).data());
    }

    @Test
    void shouldKeepDataThatCameInItsCapsule()
    {
        exhaust(MEMORY);
        final List<CompletableFuture<Completion>> writes = new ArrayList<>();
        final List<byte[]> data = new ArrayList<>();
        for (int i = 0; i < 20; i++)
        {
            data.add(IoCommandsTest.random(2 * BLOCK));
            // All capsules lie at one place, one after another.
            writes.add(write(host, MEMORY, 2 * i, data.get(i), true));
            assertFalse(host.isPaused());
        }
        assertEquals(20 * 4096, usedBytes());
        limit(MEMORY, QosLimits.NONE);
        for (int i = 0; i < 20; i++)
        {
            succeeds(writes.get(i));
            assertArrayEquals(data.get(i), TestHost.await(read(host, MEMORY, 2 * i, 2)).data());
        }
        assertEquals(0, usedBytes());
    }

    @Test
    void shouldLeaveACapsuleWithItsConnectionWhenTooMuchIsKept()
    {
        final TestHost other = target.io(admin, 2);
        final TestHost third = target.io(target.admin(), 1);
        exhaust(MEMORY);
        // Of a quarter of the pool as much as is left for others: 64 times 8 KiB.
        final List<CompletableFuture<Completion>> writes = new ArrayList<>();
        final byte[] data = IoCommandsTest.random(16 * BLOCK);
        for (int i = 0; i < 40; i++)
        {
            writes.add(write(host, MEMORY, 16 * i, data, true));
        }
        for (int i = 40; i < 65; i++)
        {
            assertFalse(other.isPaused());
            writes.add(write(other, MEMORY, 16 * i, data, true));
        }
        assertTrue(other.isPaused());
        assertFalse(other.retryCapsule());
        assertEquals(1 << 19, usedBytes());
        // Neither its own namespaces nor other connections are in the way of the first one.
        succeeds(read(host, MANUAL, 0, 8));
        succeeds(write(third, MANUAL, 0, data, true));
        limit(MEMORY, QosLimits.NONE);
        TestTarget.await("room", other::retryCapsule);
        writes.forEach(QosTest::succeeds);
        assertArrayEquals(data, TestHost.await(read(host, MEMORY, 16 * 64, 16)).data());
        assertEquals(0, usedBytes());
    }

    @Test
    void shouldNotHoldUpOtherNamespacesAndOtherCommands()
    {
        exhaust(MEMORY);
        final CompletableFuture<Completion> held = read(host, MEMORY, 0, 1);
        succeeds(read(host, MANUAL, 0, 1));
        succeeds(write(host, MANUAL, 0, new byte[BLOCK], true));
        succeeds(host.submit((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(MEMORY)));
        succeeds(admin.submit((entry) -> entry.opcode(AdminOpcode.IDENTIFY).cdw10(IdentifyCns.CONTROLLER)
            .sglLength(4096)));
        // What cannot be carried out anyway need not wait to be told so.
        assertEquals(NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY,
            TestHost.await(read(host, MEMORY, TestTarget.BLOCKS, 1)).status());
        assertFalse(held.isDone());
        limit(MEMORY, QosLimits.NONE);
        succeeds(held);
    }

    @Test
    void shouldNotHoldUpReadsForWritesNorWritesForReads()
    {
        limit(MEMORY, new QosLimits(0, 0, 0, QosLimits.BYTES_PER_SECOND_MIN, 0, 0, QosLimits.BURST_MS_DEFAULT));
        succeeds(read(host, MEMORY, 0, MIB_BLOCKS));
        final CompletableFuture<Completion> read = read(host, MEMORY, 0, 1);
        final CompletableFuture<Completion> compare = host.submit((entry) -> entry.opcode(IoOpcode.COMPARE)
            .namespaceId(MEMORY), new byte[BLOCK], true);
        succeeds(write(host, MEMORY, 0, new byte[1 << 20], false));
        assertFalse(read.isDone());
        assertFalse(compare.isDone());
        limit(MEMORY, new QosLimits(0, 0, 0, 0, QosLimits.BYTES_PER_SECOND_MIN, 0, QosLimits.BURST_MS_DEFAULT));
        succeeds(read);
        succeeds(compare);
        succeeds(write(host, MEMORY, 0, new byte[1 << 20], false));
        final CompletableFuture<Completion> write = write(host, MEMORY, 0, new byte[BLOCK], false);
        succeeds(read(host, MEMORY, 0, MIB_BLOCKS));
        assertFalse(write.isDone());
        limit(MEMORY, QosLimits.NONE);
        succeeds(write);
    }

    @Test
    void shouldCountEveryKindOfWrite()
    {
        // By commands, so that those without bytes wait as well.
        limit(MANUAL, new QosLimits(0, 1, 0, 0, 0, 0, QosLimits.BURST_MS_DEFAULT));
        final byte[] ranges = new byte[16];
        final DatasetRange range = new DatasetRange();
        range.wrap(new UnsafeBuffer(ranges), 0);
        range.startingLba(100).blocks(10);
        final List<CompletableFuture<Completion>> writes = new ArrayList<>();
        for (int i = 0; i < 20; i++)
        {
            writes.add(host.submit((entry) -> entry.opcode(IoOpcode.WRITE_ZEROES).namespaceId(MANUAL).cdw12(7)));
            writes.add(host.submit((entry) -> entry.opcode(IoOpcode.DATASET_MANAGEMENT).namespaceId(MANUAL)
                .cdw11(DatasetRange.DEALLOCATE), ranges, true));
            writes.add(write(host, MANUAL, 0, new byte[BLOCK], false));
        }
        succeeds(read(host, MANUAL, 5, 1));
        final List<String> asked = new ArrayList<>(target.reactor(0).call(() -> List.copyOf(device.asked())));
        // More than one only on a machine that takes seconds for this.
        assertTrue(asked.size() < 40, asked.toString());
        assertTrue(asked.contains("READ 5+1"));
        limit(MANUAL, QosLimits.NONE);
        writes.forEach(QosTest::succeeds);
        asked.clear();
        target.reactor(0).run(() -> asked.addAll(device.asked()));
        assertTrue(asked.remove("READ 5+1"));
        for (int i = 0; i < 60; i += 3)
        {
            assertEquals(List.of("WRITE_ZEROES 0+8", "DEALLOCATE 100+10", "WRITE 0+1"), asked.subList(i, i + 3));
        }
    }

    @Test
    void shouldAbortWhatWaits()
    {
        exhaust(MEMORY);
        final int first = host.nextCommandId();
        final CompletableFuture<Completion> read = read(host, MEMORY, 0, 1);
        final CompletableFuture<Completion> kept = write(host, MEMORY, 0, new byte[BLOCK], true);
        final CompletableFuture<Completion> last = write(host, MEMORY, 0, new byte[BLOCK], false);
        assertEquals(0, abort(first));
        assertEquals(0, abort(first + 1));
        assertEquals(NvmeStatus.ABORT_REQUESTED, TestHost.await(read).status());
        assertEquals(NvmeStatus.ABORT_REQUESTED, TestHost.await(kept).status());
        assertEquals(0, usedBytes());
        assertFalse(last.isDone());
        TestTarget.await("counted", () -> 1 == only().waiting());
        limit(MEMORY, QosLimits.NONE);
        succeeds(last);
        assertEquals(1, abort(first + 2));
    }

    private int abort(final int commandId)
    {
        return admin.execute((entry) -> entry.opcode(AdminOpcode.ABORT).cdw10(commandId << 16 | 1)).result0();
    }

    @Test
    void shouldForgetWhatWaitsWhenItsConnectionGoes()
    {
        final TestHost other = target.io(admin, 2);
        exhaust(MEMORY);
        final List<CompletableFuture<Completion>> gone = new ArrayList<>();
        final List<CompletableFuture<Completion>> left = new ArrayList<>();
        for (int i = 0; i < 10; i++)
        {
            gone.add(write(host, MEMORY, i, new byte[BLOCK], 0 == i % 2));
            gone.add(read(host, MEMORY, i, 1));
            left.add(read(other, MEMORY, i, 1));
        }
        host.close();
        gone.forEach((answer) -> assertTrue(answer.isCompletedExceptionally()));
        assertEquals(0, usedBytes());
        TestTarget.await("counted", () -> 10 == only().waiting());
        limit(MEMORY, QosLimits.NONE);
        left.forEach(QosTest::succeeds);
    }

    @Test
    void shouldFailWhatWaitsWhenTheNamespaceGoes()
    {
        exhaust(MANUAL);
        exhaustHost();
        final List<CompletableFuture<Completion>> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++)
        {
            waiting.add(read(host, MANUAL, i, 1));
            waiting.add(write(host, MANUAL, i, new byte[BLOCK], 0 == i % 2));
        }
        final CompletableFuture<Completion> memory = read(host, MEMORY, 0, 1);
        // Those wait for the host's limit; one let through waits for the namespace's.
        final TestHost unlimited = hostNamed("nqn.2026-11.io.millrace:other");
        waiting.add(read(unlimited, MANUAL, 0, 1));
        final int asked = target.reactor(0).call(() -> device.asked().size());
        target.subsystem().removeNamespace(MANUAL).join();
        waiting.forEach((answer) -> assertEquals(INVALID_NAMESPACE, TestHost.await(answer).status()));
        assertEquals(0, usedBytes());
        // Another namespace of the same id is not theirs, and not limited.
        target.subsystem().addNamespace(new Namespace(MANUAL, device, UUID.randomUUID()));
        TestTarget.await("namespace", () ->
            NvmeStatus.SUCCESS == TestHost.await(read(unlimited, MANUAL, 0, 1)).status());
        assertEquals(asked + 1, (int)target.reactor(0).call(() -> device.asked().size()));
        assertTrue(qos().namespace(MANUAL).isNone());
        assertFalse(memory.isDone());
        qos().limitHost(TestHost.HOST_NQN, QosLimits.NONE).join();
        succeeds(memory);
    }

    /** An I/O queue of another host. */
    private TestHost hostNamed(final String hostNqn)
    {
        final TestHost otherAdmin = target.connection();
        assertEquals(NvmeStatus.SUCCESS, otherAdmin.connect(TestTarget.NQN, 0, 0xFFFF,
            (command, data) -> data.hostNqn(hostNqn)).status());
        assertEquals(NvmeStatus.SUCCESS, otherAdmin.enable().status());
        final TestHost io = target.connection();
        assertEquals(NvmeStatus.SUCCESS, io.connect(TestTarget.NQN, 1, otherAdmin.queuePair().association().id(),
            (command, data) -> data.hostNqn(hostNqn)).status());
        return io;
    }

    @Test
    void shouldLimitOneHostOnAllNamespacesAndNoOther()
    {
        exhaustHost();
        final TestHost sameHost = target.io(admin, 2);
        final TestHost otherHost = hostNamed("nqn.2026-11.io.millrace:other");
        final CompletableFuture<Completion> first = read(host, MEMORY, 0, 1);
        final CompletableFuture<Completion> second = write(host, MANUAL, 0, new byte[BLOCK], true);
        final CompletableFuture<Completion> third = read(sameHost, MANUAL, 0, 1);
        succeeds(read(otherHost, MEMORY, 0, MIB_BLOCKS));
        succeeds(read(otherHost, MEMORY, 0, MIB_BLOCKS));
        assertFalse(first.isDone() || second.isDone() || third.isDone());
        assertEquals(TestHost.HOST_NQN, only().hostNqn());
        assertEquals(0, only().nsid());
        assertEquals(SLOW, only().limits());
        // Its limits wait for a host that comes again.
        host.close();
        sameHost.close();
        final TestHost again = target.io(admin, 1);
        final CompletableFuture<Completion> fourth = read(again, MANUAL, 0, 1);
        assertFalse(fourth.isDone());
        qos().limitHost(TestHost.HOST_NQN, QosLimits.NONE).join();
        succeeds(fourth);
    }

    @Test
    void shouldPassTheHostsLimitAndThenTheNamespaces()
    {
        exhaust(MEMORY);
        exhaustManualHost();
        final byte[] data = IoCommandsTest.random(BLOCK);
        final CompletableFuture<Completion> memory = write(host, MEMORY, 0, data, true);
        final CompletableFuture<Completion> manual = read(host, MANUAL, 0, 1);
        assertFalse(manual.isDone());
        qos().limitHost(TestHost.HOST_NQN, QosLimits.NONE).join();
        succeeds(manual);
        assertFalse(memory.isDone());
        limit(MEMORY, QosLimits.NONE);
        succeeds(memory);
        assertArrayEquals(data, TestHost.await(read(host, MEMORY, 0, 1)).data());
    }

    private void exhaustManualHost()
    {
        qos().limitHost(TestHost.HOST_NQN, SLOW).join();
        succeeds(read(host, MANUAL, 0, MIB_BLOCKS));
    }

    @Test
    void shouldGoByNewLimitsAtOnce()
    {
        exhaust(MEMORY);
        // The command that used the tokens up may have waited for them itself.
        final long before = only().throttledReads();
        final List<CompletableFuture<Completion>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++)
        {
            waiting.add(read(host, MEMORY, i, 1));
        }
        limit(MEMORY, QosLimits.ofIops(2000));
        waiting.forEach(QosTest::succeeds);
        TestTarget.await("counted", () -> 0 == only().waiting());
        assertEquals(100, only().throttledReads() - before);
        assertTrue(only().waitNs() > 0);
        assertEquals(0, only().throttledWrites());
        assertEquals(QosLimits.ofIops(2000), qos().namespace(MEMORY));
    }

    @Test
    void shouldHoldWhatWaitsThroughAPause()
    {
        exhaust(MEMORY);
        final CompletableFuture<Completion> waiting = read(host, MEMORY, 0, 1);
        target.target().pause(true).join();
        limit(MEMORY, QosLimits.NONE);
        // Several cycles and timers later it is still there.
        for (int i = 0; i < 100; i++)
        {
            admin.status();
        }
        assertFalse(waiting.isDone());
        target.target().pause(false).join();
        succeeds(waiting);
    }

    @Test
    void shouldNotHoldWhatHadBegunBeforeThereWasALimit()
    {
        host.holdData(true);
        final byte[] data = IoCommandsTest.random(BLOCK);
        final CompletableFuture<Completion> write = write(host, MEMORY, 7, data, false);
        assertEquals(1, host.wantedCount());
        exhaust(MEMORY);
        final CompletableFuture<Completion> later = write(host, MEMORY, 7, data, false);
        host.deliverHeld();
        succeeds(write);
        assertFalse(later.isDone());
        host.holdData(false);
        limit(MEMORY, QosLimits.NONE);
        succeeds(later);
    }

    @Test
    void shouldRefuseLimitsThatAreOutOfBounds()
    {
        assertThrows(IllegalArgumentException.class, () -> QosLimits.ofIops(-1));
        assertThrows(IllegalArgumentException.class, () -> QosLimits.ofIops(QosLimits.IOPS_MAX + 1));
        assertEquals("limit of 4095 bytes a second is not within 4096 to 137438953472: choose a value within, or 0 " +
            "for no limit", assertThrows(IllegalArgumentException.class, () -> QosLimits.ofBytes(4095)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> new QosLimits(1, 0, 0, 0, 0, 0, 1));
        assertNull(qos().limitNamespace(99, SLOW));
        assertTrue(qos().snapshots().isEmpty());
    }
}
