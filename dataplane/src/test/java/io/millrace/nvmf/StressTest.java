package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.ControllerStatus;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Hosts that come, work, reset and go on two reactors at once, while namespaces come and go: nothing hangs and nothing
 * is left.
 */
class StressTest
{
    private static final int HOSTS = 4;
    private static final int ROUNDS = 60;
    /** Two connections each. */
    private static final int CONNECTIONS = 5000;

    private final TestTarget target = new TestTarget(2);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @Test
    void shouldLeaveNothingBehindWhenHostsComeAndGoTenThousandTimes()
    {
        final TestReactor reactor = target.reactor(0);
        for (int i = 0; i < CONNECTIONS; i++)
        {
            final TestHost admin = new TestHost(reactor, TestTarget.LOCAL);
            admin.connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC,
                (command, data) -> command.keepAliveTimeoutMs(5000));
            assertEquals(NvmeStatus.SUCCESS, admin.enable().status());
            admin.submit((entry) -> entry.opcode(AdminOpcode.ASYNC_EVENT_REQUEST));
            final TestHost io = new TestHost(reactor, TestTarget.LOCAL);
            io.connect(TestTarget.NQN, 1, admin.queuePair().association().id());
            assertEquals(NvmeStatus.SUCCESS, io.execute((entry) ->
                entry.opcode(IoOpcode.READ).namespaceId(1).sglLength(512)).status());
            io.close();
            admin.close();
            io.freeMemory();
            admin.freeMemory();
        }
        assertEquals(0, target.subsystem().controllers().count());
        assertEquals(0, reactor.call(() -> reactor.pollGroup().queuePairs()));
        assertEquals(0, reactor.call(() -> reactor.pollGroup().requestsInUse()));
        assertEquals(64, reactor.call(() -> reactor.pollGroup().resources().requests().size()));
        assertEquals(0L, reactor.call(() -> reactor.buffers().usedBytes()));
        assertEquals(CONNECTIONS, target.subsystem().totals().readCommands());
        target.close();
    }

    @Test
    void shouldStandHostsThatComeAndGoOnSeveralReactors() throws InterruptedException
    {
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < HOSTS; i++)
        {
            final int part = i;
            threads.add(start(() -> host(TestSeeds.random(part), part & 1)));
        }
        threads.add(start(this::namespaces));
        for (final Thread thread : threads)
        {
            thread.join(60_000);
            assertTrue(!thread.isAlive(), "hangs: " + thread.getName());
        }
        if (null != failure.get())
        {
            throw new AssertionError(failure.get());
        }
        TestTarget.await("controllers are gone", () -> 0 == target.subsystem().controllers().count());
        target.close();
    }

    private Thread start(final Runnable task)
    {
        final Thread thread = Thread.ofPlatform().start(task);
        thread.setUncaughtExceptionHandler((t, e) -> failure.compareAndSet(null, e));
        return thread;
    }

    private void namespaces()
    {
        for (int i = 0; i < ROUNDS; i++)
        {
            target.subsystem().addNamespace(new Namespace(2, target.subsystem().namespace(1).device(),
                UUID.randomUUID()));
            target.subsystem().removeNamespace(2).orTimeout(20, TimeUnit.SECONDS).join();
        }
    }

    private void host(final Random random, final int home)
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            final TestHost admin = new TestHost(target.reactor(home), TestTarget.LOCAL);
            final Completion connected = admin.connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC);
            assertEquals(NvmeStatus.SUCCESS, connected.status());
            assertEquals(NvmeStatus.SUCCESS, admin.enable().status());
            // All are one host, whose former queues have to be gone.
            TestTarget.await("ready", () -> ControllerStatus.READY == admin.status());
            admin.submit((entry) -> entry.opcode(AdminOpcode.ASYNC_EVENT_REQUEST));
            final List<TestHost> queues = new ArrayList<>();
            final List<CompletableFuture<Completion>> answers = new ArrayList<>();
            for (int queueId = 1; queueId <= 3; queueId++)
            {
                final TestHost io = new TestHost(target.reactor(queueId & 1), TestTarget.LOCAL);
                assertEquals(NvmeStatus.SUCCESS,
                    io.connect(TestTarget.NQN, queueId, connected.result0()).status());
                queues.add(io);
            }
            for (int i = 0; i < 20; i++)
            {
                final TestHost io = queues.get(random.nextInt(queues.size()));
                final int lba = random.nextInt(64);
                if (null == io.disconnectReason())
                {
                    answers.add(random.nextBoolean() ?
                        io.submit((entry) -> entry.opcode(IoOpcode.WRITE).namespaceId(1).startingLba(lba).cdw12(7),
                            new byte[4096], random.nextBoolean()) :
                        io.submit((entry) -> entry.opcode(IoOpcode.READ).namespaceId(1 + random.nextInt(2))
                            .startingLba(lba).cdw12(7).sglLength(4096)));
                }
                if (0 == random.nextInt(30))
                {
                    admin.configure(0);
                }
            }
            if (random.nextBoolean())
            {
                admin.close();
                queues.forEach(TestHost::close);
            }
            else
            {
                queues.forEach(TestHost::close);
                admin.close();
            }
            for (final CompletableFuture<Completion> answer : answers)
            {
                TestTarget.await("answer or end", answer::isDone);
            }
            admin.freeMemory();
            queues.forEach(TestHost::freeMemory);
        }
    }
}
