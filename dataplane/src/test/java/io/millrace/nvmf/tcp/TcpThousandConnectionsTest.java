package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.dataplane.HostTransports;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thousand queues of our own initiator on one reactor of the target, among hosts that misbehave.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TcpThousandConnectionsTest
{
    private static final int CONTROLLERS = 10;
    private static final int QUEUES_PER_CONTROLLER = 100;
    private static final int QUEUES = CONTROLLERS * QUEUES_PER_CONTROLLER;
    private static final int ROUNDS = 12;
    /** A slot may see so many completions of every other one before it has its own. */
    private static final int UNFAIRNESS_MAX = 8;

    private static final long LONG_NS = 80_000_000_000L;
    /** Longer than any of this takes: hosts that say nothing are to be there all the time. */
    private static final long CONNECT_TIMEOUT_NS = 2 * LONG_NS;

    private final TargetFixture target = new TargetFixture(1, patient());
    private final Reactor reactor = new Reactor(ReactorConfig.of("host", -1));
    private final Arena arena = Arena.ofShared();
    private HostPollGroup host;

    private static TcpTransportConfig patient()
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        return new TcpTransportConfig(
            defaults.inCapsuleDataBytes(), defaults.maxH2cDataBytes(), defaults.receiveBufferBytes(),
            defaults.c2hSuccess(), CONNECT_TIMEOUT_NS, defaults.connectionsMax(), 0, 0);
    }

    @BeforeEach
    void start()
    {
        reactor.start();
        host = HostTransports.pollGroup(reactor);
    }

    @AfterEach
    void stop()
    {
        host.close();
        reactor.close();
        arena.close();
        target.close();
    }

    @Test
    void shouldServeAllFairlyAmongHostsThatMisbehave() throws IOException
    {
        final int descriptors = openDescriptors();
        final List<RemoteController> controllers = connect();
        final List<RemoteQueuePair> queues = openQueues(controllers);
        try (Misbehaving misbehaving = new Misbehaving(target))
        {
            assertEquals(QUEUES + CONTROLLERS + misbehaving.connections(), target.transport().connectionCount());
            final Swarm swarm = new Swarm(queues, 1, ROUNDS, arena);
            reactor.execute(swarm::start);
            TargetFixture.await("all rounds of " + QUEUES + " queues", LONG_NS, () ->
            {
                misbehaving.drip();
                return swarm.isOver();
            });
            assertEquals(0, swarm.failures());
            assertTrue(swarm.total() >= 2L * ROUNDS * QUEUES);
            assertTrue(swarm.longestWait() < (long)UNFAIRNESS_MAX * QUEUES,
                () -> "a queue waited for " + swarm.longestWait() + " completions of others");
            assertEquals(QUEUES + CONTROLLERS + misbehaving.connections(), target.transport().connectionCount());
        }
        CompletableFuture.allOf(controllers.stream().map(RemoteController::closeAsync)
            .toArray(CompletableFuture[]::new)).join();
        TargetFixture.await("no connection left", () -> 0 == target.transport().connectionCount());
        assertNothingIsLeft();
        assertTrue(openDescriptors() <= descriptors + 4,
            () -> descriptors + " descriptors before, " + openDescriptors() + " after");
    }

    @Test
    void shouldAllocateNothingPerIo()
    {
        final long thread = target.reactor(0).call(() -> Thread.currentThread().threadId()).join();
        final List<RemoteController> controllers = connect();
        final Swarm swarm = new Swarm(openQueues(controllers), 1, Long.MAX_VALUE, arena);
        reactor.execute(swarm::start);
        final AllocationWindows windows = new AllocationWindows(swarm, thread);
        // Interpreted native calls box, and so does what is rare; an allocation per I/O is of 16 bytes at least.
        TargetFixture.await("a window of I/O without an allocation for each sixteenth", LONG_NS, windows::sawFew);
        swarm.stop();
        TargetFixture.await("all answers", swarm::isOver);
        assertEquals(0, swarm.failures());
        controllers.forEach(RemoteController::close);
    }

    /** Bytes that a thread allocates while a swarm gets so many completions. */
    private static final class AllocationWindows
    {
        private static final long COMPLETIONS = 4L * QUEUES;

        private final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        private final Swarm swarm;
        private final long thread;
        private long completionsBefore;
        private long bytesBefore;

        private AllocationWindows(final Swarm swarm, final long thread)
        {
            this.swarm = swarm;
            this.thread = thread;
            bytesBefore = threads.getThreadAllocatedBytes(thread);
            assertTrue(bytesBefore > 0);
        }

        private boolean sawFew()
        {
            final long completions = swarm.total();
            if (completions - completionsBefore < COMPLETIONS)
            {
                return false;
            }
            final long bytes = threads.getThreadAllocatedBytes(thread);
            final boolean few = bytes - bytesBefore < completions - completionsBefore;
            bytesBefore = bytes;
            completionsBefore = completions;
            return few;
        }
    }

    private List<RemoteController> connect()
    {
        final HostConfig identity = HostConfig.random();
        final List<CompletableFuture<RemoteController>> connecting = new ArrayList<>();
        for (int i = 0; i < CONTROLLERS; i++)
        {
            connecting.add(RemoteController.connect(host, identity,
                ConnectionConfig.to(target.address(), TargetFixture.NQN).queueDepth(8).build(),
                ControllerListener.NONE));
        }
        return connecting.stream().map(CompletableFuture::join).toList();
    }

    private List<RemoteQueuePair> openQueues(final List<RemoteController> controllers)
    {
        final List<CompletableFuture<RemoteQueuePair>> opening = new ArrayList<>();
        for (int i = 0; i < QUEUES; i++)
        {
            opening.add(controllers.get(i % CONTROLLERS).openQueuePair(host));
        }
        return opening.stream().map(CompletableFuture::join).toList();
    }

    private void assertNothingIsLeft()
    {
        target.reactor(0).call(() ->
        {
            final TcpPollGroup group = target.transport().group(0);
            assertEquals(0, group.senderBlocks().usedCount());
            assertEquals(0, group.receiveBuffer().smallBlocks().usedCount());
            assertEquals(0, group.receiveBuffer().largeBlocks().usedCount());
            assertEquals(0, group.polledCount());
            assertEquals(0, target.group(0).requestsInUse());
            assertEquals(0, target.group(0).queuePairs());
            assertEquals(0, target.pool(0).usedBytes());
            assertEquals(0, target.pool(0).waiting());
            return null;
        }).join();
    }

    private static int openDescriptors()
    {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    /**
     * Hosts that say nothing, that say what they have to say byte by byte, that stop in the middle of a PDU, and that
     * never send what they were asked for.
     */
    private static final class Misbehaving implements AutoCloseable
    {
        private static final int EACH = 4;

        private final List<TestHost> hosts = new ArrayList<>();
        private final List<TestHost> dripping = new ArrayList<>();
        private final byte[] greeting = WirePdu.initializeRequest(0, Digests.HEADER_AND_DATA, 0);
        private int dripped;

        private Misbehaving(final TargetFixture target) throws IOException
        {
            final TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            hosts.add(admin);
            for (int i = 0; i < EACH; i++)
            {
                hosts.add(TestHost.open(target.address()));
                dripping.add(TestHost.open(target.address()));

                final TestHost cut = TestHost.io(
                    target.address(), TargetFixture.NQN, admin, 1 + i, 32, Digests.HEADER_AND_DATA);
                final byte[] capsule = WirePdu.capsule(cut.digests(),
                    WireCommand.writeInCapsule(1, 16_000, 1, TargetFixture.BLOCK_BYTES),
                    new byte[TargetFixture.BLOCK_BYTES]);
                cut.sendRaw(capsule, 0, capsule.length / 2);
                hosts.add(cut);

                final TestHost owing = TestHost.io(
                    target.address(), TargetFixture.NQN, admin, 1 + EACH + i, 32, Digests.NONE);
                owing.sendCapsule(
                    WireCommand.write(1, 16_000, 8, 8 * TargetFixture.BLOCK_BYTES), WirePdu.NOTHING);
                owing.expect(PduType.READY_TO_TRANSFER);
                hosts.add(owing);
            }
        }

        private int connections()
        {
            return hosts.size() + dripping.size();
        }

        private void drip()
        {
            if (dripped == greeting.length - 1)
            {
                return;
            }
            try
            {
                for (final TestHost host : dripping)
                {
                    host.sendRaw(greeting, dripped, dripped + 1);
                }
            }
            catch (final IOException e)
            {
                throw new AssertionError(e);
            }
            dripped++;
        }

        @Override
        public void close()
        {
            hosts.forEach(TestHost::close);
            dripping.forEach(TestHost::close);
        }
    }
}
