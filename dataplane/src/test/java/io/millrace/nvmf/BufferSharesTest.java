package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.queue.BufferHolder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Hosts and devices that keep the buffers they have: the others go on.
 */
class BufferSharesTest
{
    private static final int BLOCK = 512;
    private static final int PAGE = 4096;
    private static final int HUNG = 2;
    private static final int WORKING = 3;
    private static final int LARGE = 64 << 10;
    private static final String OTHER_NQN = "nqn.2026-11.io.millrace:other-host";

    private final ManualDevice hung = ManualDevice.create(1024);
    private final ManualDevice working = ManualDevice.create(1024);
    private final TestTarget target = new TestTarget(1);
    private final TestHost admin;
    private final TestHost host;
    private final TestHost other;

    BufferSharesTest()
    {
        target.owned(hung);
        target.owned(working);
        target.subsystem().addNamespace(new Namespace(HUNG, hung, UUID.randomUUID()));
        target.subsystem().addNamespace(new Namespace(WORKING, working, UUID.randomUUID()));
        target.reactor(0).run(() -> working.automatic(BlockStatus.SUCCESS));
        admin = target.admin();
        host = target.io(admin, 1);
        other = otherHost();
    }

    @AfterEach
    void close()
    {
        host.deliverHeld();
        target.reactor(0).run(() ->
        {
            hung.automatic(BlockStatus.SUCCESS);
            while (0 != hung.waiting())
            {
                hung.completeFirst(BlockStatus.SUCCESS);
            }
        });
        target.close();
    }

    /** An I/O queue of another host. */
    private TestHost otherHost()
    {
        final TestHost queue = target.connection();
        final Completion connected = queue.connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC,
            (command, data) -> data.hostNqn(OTHER_NQN));
        assertEquals(NvmeStatus.SUCCESS, connected.status());
        assertEquals(NvmeStatus.SUCCESS, queue.enable().status());
        final TestHost io = target.connection();
        assertEquals(NvmeStatus.SUCCESS, io.connect(TestTarget.NQN, 1, queue.queuePair().association().id(),
            (command, data) ->
            {
                data.hostNqn(OTHER_NQN);
                command.queueSize(127);
            }).status());
        return io;
    }

    private static CompletableFuture<Completion> read(
        final TestHost from, final int nsid, final long lba, final int lengthBytes)
    {
        return from.submit((entry) -> entry.opcode(IoOpcode.READ).namespaceId(nsid).startingLba(lba)
            .cdw12(lengthBytes / BLOCK - 1).sglLength(lengthBytes));
    }

    private static CompletableFuture<Completion> write(
        final TestHost from, final int nsid, final long lba, final int lengthBytes, final boolean inCapsule)
    {
        return from.submit((entry) -> entry.opcode(IoOpcode.WRITE).namespaceId(nsid).startingLba(lba)
            .cdw12(lengthBytes / BLOCK - 1), new byte[lengthBytes], inCapsule);
    }

    private void expectWorking(final TestHost from, final int nsid)
    {
        for (int i = 0; i < 50; i++)
        {
            assertEquals(NvmeStatus.SUCCESS, TestHost.await(read(from, nsid, i, PAGE)).status());
            assertEquals(NvmeStatus.SUCCESS, TestHost.await(write(from, nsid, i, PAGE, false)).status());
            assertEquals(NvmeStatus.SUCCESS, TestHost.await(write(from, nsid, i, PAGE, true)).status());
        }
    }

    private long usedBytes()
    {
        return target.reactor(0).call(() -> target.reactor(0).buffers().usedBytes());
    }

    private long poolBytes()
    {
        return target.reactor(0).buffers().lengthBytes();
    }

    @Test
    void shouldServeOthersWhenAHostStopsInTheMiddleOfItsWrites()
    {
        host.holdData(true);
        final List<CompletableFuture<Completion>> stopped = new ArrayList<>();
        final TestHost second = target.io(admin, 2);
        second.holdData(true);
        for (int i = 0; i < 100; i++)
        {
            stopped.add(write(host, WORKING, i, LARGE, false));
            stopped.add(write(second, WORKING, i, LARGE, false));
        }
        assertTrue(usedBytes() >= poolBytes() / 2, "has not got much: " + usedBytes());
        expectWorking(other, WORKING);
        // The same host too, up to a point: its other connection, and what needs no buffer of the pool.
        assertEquals(PAGE, TestHost.await(admin.submit((entry) -> entry.opcode(AdminOpcode.IDENTIFY)
            .cdw10(IdentifyCns.CONTROLLER).sglLength(PAGE))).data().length);
        host.holdData(false);
        second.holdData(false);
        while (stopped.stream().anyMatch((each) -> !each.isDone()))
        {
            host.deliverHeld();
            second.deliverHeld();
        }
        assertEquals(0, usedBytes());
    }

    @Test
    void shouldServeOthersWhenAHostDoesNotTakeItsAnswers()
    {
        host.holdSends(true);
        for (int i = 0; i < 100; i++)
        {
            read(host, WORKING, i, LARGE);
        }
        expectWorking(other, WORKING);
        host.holdSends(false);
        host.sendHeld();
        TestTarget.await("all sent", () -> 0 == usedBytes());
    }

    @Test
    void shouldServeOtherNamespacesOfTheSameConnectionWhenADeviceHangs()
    {
        final List<CompletableFuture<Completion>> hanging = new ArrayList<>();
        for (int i = 0; i < 60; i++)
        {
            hanging.add(read(host, HUNG, i, LARGE));
        }
        for (int i = 0; i < 40; i++)
        {
            hanging.add(write(host, HUNG, i, LARGE, false));
        }
        for (int i = 0; i < 8; i++)
        {
            hanging.add(write(host, HUNG, i, PAGE, true));
        }
        assertTrue(usedBytes() <= poolBytes() * 2 / 3, "the device has too much: " + usedBytes());
        assertFalse(host.isPaused(), "what came in capsules keeps others behind it");
        expectWorking(host, WORKING);
        expectWorking(other, WORKING);
        assertTrue(hanging.stream().noneMatch(CompletableFuture::isDone));
        target.reactor(0).run(() -> hung.automatic(BlockStatus.SUCCESS));
        while (hanging.stream().anyMatch((each) -> !each.isDone()))
        {
            target.reactor(0).run(() ->
            {
                if (0 != hung.waiting())
                {
                    hung.completeFirst(BlockStatus.SUCCESS);
                }
            });
        }
        hanging.forEach((each) -> assertEquals(NvmeStatus.SUCCESS, TestHost.await(each).status()));
        assertEquals(0, usedBytes());
    }

    @Test
    void shouldConnectAndAnswerAdminCommandsWhateverIoHolds()
    {
        final TestHost[] queues = new TestHost[6];
        for (int i = 0; i < queues.length; i++)
        {
            queues[i] = i < 3 ? target.io(admin, 2 + i) : otherHosts(i);
            queues[i].holdData(true);
            for (int k = 0; k < 100; k++)
            {
                write(queues[i], WORKING, k, PAGE, false);
            }
        }
        for (int i = 0; i < 20; i++)
        {
            final TestHost fresh = target.admin();
            assertEquals(PAGE, TestHost.await(fresh.submit((entry) -> entry.opcode(AdminOpcode.IDENTIFY)
                .cdw10(IdentifyCns.CONTROLLER).sglLength(PAGE))).data().length);
        }
        for (final TestHost queue : queues)
        {
            queue.close();
        }
        assertEquals(0, usedBytes());
    }

    @Test
    void shouldSayWhoHasTheBuffersWhenCommandsWait()
    {
        assertEquals(List.of(), holders());
        host.holdData(true);
        for (int i = 0; i < 100; i++)
        {
            write(host, WORKING, i, LARGE, false);
        }
        TestTarget.await("log", () ->
        {
            holders();
            return 1 == complaints();
        });
        final List<BufferHolder> holders = holders();
        final BufferHolder connection = holders.stream()
            .filter((each) -> BufferHolder.Kind.CONNECTION == each.kind()).findFirst().orElseThrow();
        final BufferHolder owner = holders.stream()
            .filter((each) -> BufferHolder.Kind.HOST == each.kind()).findFirst().orElseThrow();
        assertEquals(TestHost.REMOTE + " queue 1 of controller 1", connection.name());
        assertEquals(TestHost.HOST_NQN, owner.name());
        assertEquals(usedBytes(), connection.heldBytes());
        assertEquals(usedBytes(), owner.heldBytes());
        assertEquals(100, connection.waiting() + connection.heldBytes() / LARGE);
        assertTrue(connection.longestHoldNs() >= 1_000_000_000L);
        assertEquals(1, complaints(), "more often than once a minute");
        host.close();
        assertEquals(List.of(), holders());
    }

    @Test
    void shouldSayWhichDeviceHangsWhileItDoes()
    {
        for (int i = 0; i < 60; i++)
        {
            read(host, HUNG, i, LARGE);
        }
        TestTarget.await("log", () ->
        {
            holders();
            return target.log().stream().anyMatch((line) -> line.contains("commands wait for I/O buffers") &&
                line.contains("most by device "));
        });
    }

    private List<BufferHolder> holders()
    {
        return target.reactor(0).call(() -> target.reactor(0).pollGroup().bufferHolders());
    }

    private long complaints()
    {
        return target.log().stream().filter((line) -> line.contains("commands wait for I/O buffers") &&
            line.contains(TestHost.HOST_NQN)).count();
    }

    private TestHost otherHosts(final int number)
    {
        final TestHost queue = target.connection();
        final TestHost.ConnectChange name = (command, data) -> data.hostNqn(OTHER_NQN + number);
        assertEquals(NvmeStatus.SUCCESS,
            queue.connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC, name).status());
        assertEquals(NvmeStatus.SUCCESS, queue.enable().status());
        final TestHost io = target.connection();
        assertEquals(NvmeStatus.SUCCESS, io.connect(TestTarget.NQN, 1, queue.queuePair().association().id(),
            (command, data) ->
            {
                name.apply(command, data);
                command.queueSize(127);
            }).status());
        return io;
    }

    /** Connections that ask for their Connect data to be fetched, and never send it. */
    @Test
    void shouldConnectWhenConnectionsThatAreNotAdmittedHoldWhatTheyCan()
    {
        final List<TestHost> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++)
        {
            final TestHost fresh = target.connection();
            fresh.holdData(true);
            for (int k = 0; k < 31; k++)
            {
                fresh.submit((entry) -> entry.opcode(AdminOpcode.FABRICS).namespaceId(1), new byte[1024], false);
            }
            waiting.add(fresh);
        }
        assertEquals(0, usedBytes(), "takes buffers of I/O");
        assertEquals(NvmeStatus.SUCCESS,
            target.connection().connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC).status());
        assertEquals(PAGE, TestHost.await(admin.submit((entry) -> entry.opcode(AdminOpcode.IDENTIFY)
            .cdw10(IdentifyCns.CONTROLLER).sglLength(PAGE))).data().length);
        expectWorking(host, WORKING);
        waiting.forEach(TestHost::close);
    }

    @Test
    void shouldKeepTheOrderOfReadsThatWaitForAFullDevice()
    {
        final ManualDevice narrow = target.owned(ManualDevice.create(1));
        target.subsystem().addNamespace(new Namespace(9, narrow, UUID.randomUUID()));
        final TestHost queue = target.io(admin, 9);
        final List<CompletableFuture<Completion>> reads = new ArrayList<>();
        for (int i = 0; i < 20; i++)
        {
            reads.add(read(queue, 9, i, LARGE));
        }
        // Only the one at the device has a buffer.
        TestTarget.await("one buffer", () -> LARGE == usedBytes());
        final List<String> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++)
        {
            expected.add("READ " + i + "+" + LARGE / BLOCK);
            target.reactor(0).run(() -> narrow.completeFirst(BlockStatus.SUCCESS));
            assertEquals(LARGE, TestHost.await(reads.get(i)).data().length);
            final int next = i + 1;
            TestTarget.await("next", () -> 20 == next || 1 == target.reactor(0).call(narrow::waiting));
        }
        assertArrayEquals(expected.toArray(), narrow.asked().toArray());
    }
}
