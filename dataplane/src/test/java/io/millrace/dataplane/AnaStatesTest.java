package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.get;
import static io.millrace.dataplane.OperationsFixture.refused;
import static io.millrace.dataplane.OperationsFixture.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.ana.AnaSnapshot;
import io.millrace.nvmf.initiator.ControllerState;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AnaStatesTest
{
    private static final int FLIPS = 300;

    private final OperationsFixture fixture = new OperationsFixture();
    private final DataPlane dataPlane = fixture.dataPlane;
    private final AnaStates ana = dataPlane.anaStates();

    @AfterEach
    void close()
    {
        fixture.close();
    }

    private static TransportAddress loopback(final int port)
    {
        return TransportAddress.tcp("127.0.0.1", port);
    }

    private AnaState state(final TransportAddress listener, final int group)
    {
        return ana.list(NQN).stream()
            .filter((each) -> null != each.listener() && group == each.group() &&
                listener.hostAndPort().equals(each.listener().hostAndPort()))
            .map(AnaSnapshot::state).findFirst().orElseThrow();
    }

    @Test
    void shouldBeThereBeforeTheFirstHostAndAfterTheListenerCameBack()
    {
        final TransportAddress address = fixture.serveVolume();
        dataPlane.listeners().remove(address);
        get(ana.set(NQN, address, 1, AnaState.INACCESSIBLE));
        for (int i = 0; i < 2; i++)
        {
            assertEquals(address, dataPlane.listeners().add(address, false));
            try (RemoteController controller = fixture.connect(address))
            {
                assertEquals(NvmeStatus.ASYMMETRIC_ACCESS_INACCESSIBLE,
                    fixture.write(fixture.queue(controller), 1, 0));
            }
            dataPlane.listeners().remove(address);
        }
        final TransportAddress other = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        assertEquals(AnaState.INACCESSIBLE, state(address, 1));
        assertEquals(AnaState.OPTIMIZED, state(other, 1));
        get(dataPlane.subsystems().delete(NQN));
        fixture.subsystem(NQN);
        fixture.namespace(NQN, 1, "mem0");
        assertEquals(1, ana.list(NQN).size());
        assertEquals(AnaState.OPTIMIZED, state(other, 1));
    }

    @Test
    void shouldCoverEveryAddressOfAWildcard()
    {
        fixture.serveVolume();
        final TransportAddress wildcard =
            dataPlane.listeners().add(TransportAddress.tcp("0.0.0.0", 0), false);
        get(ana.set(NQN, wildcard, 0, AnaState.INACCESSIBLE));
        final TransportAddress first = TransportAddress.tcp("127.0.0.1", wildcard.port());
        final TransportAddress second = TransportAddress.tcp("127.0.0.2", wildcard.port());
        get(ana.set(NQN, second, 1, AnaState.NON_OPTIMIZED));
        try (RemoteController one = fixture.connect(first);
            RemoteController two = fixture.connect(second))
        {
            final RemoteQueuePair queueOne = fixture.queue(one);
            final RemoteQueuePair queueTwo = fixture.queue(two);
            assertEquals(NvmeStatus.ASYMMETRIC_ACCESS_INACCESSIBLE, fixture.write(queueOne, 1, 0));
            assertEquals(NvmeStatus.SUCCESS, fixture.write(queueTwo, 1, 0));
            get(ana.set(NQN, wildcard, 1, AnaState.CHANGE));
            assertEquals(NvmeStatus.ASYMMETRIC_ACCESS_TRANSITION, fixture.write(queueTwo, 1, 0));
            get(ana.set(NQN, null, 1, AnaState.OPTIMIZED));
            assertEquals(NvmeStatus.SUCCESS, fixture.write(queueOne, 1, 0));
            assertEquals(NvmeStatus.SUCCESS, fixture.write(queueTwo, 1, 0));
        }
    }

    @Test
    void shouldGiveANamespaceTheStatesOfItsGroup()
    {
        final TransportAddress address = fixture.serveVolume();
        fixture.memory("mem1", 8);
        dataPlane.namespaces().add(NQN, new SubsystemSettings.NamespaceSettings(2, "mem1", null, 128));
        assertEquals(128, dataPlane.namespaces().list(NQN).getLast().anaGroup());
        get(ana.set(NQN, null, 128, AnaState.INACCESSIBLE));
        try (RemoteController controller = fixture.connect(address))
        {
            final RemoteQueuePair queue = fixture.queue(controller);
            assertEquals(NvmeStatus.SUCCESS, fixture.write(queue, 1, 0));
            assertEquals(NvmeStatus.ASYMMETRIC_ACCESS_INACCESSIBLE, fixture.write(queue, 2, 0));
        }
    }

    @Test
    void shouldBeginAsASubsystemIsDeclared()
    {
        fixture.memory("mem0", 8);
        final TransportAddress address = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        final SubsystemSettings.NamespaceSettings namespace =
            new SubsystemSettings.NamespaceSettings(1, "mem0", null, 3);
        final SubsystemSettings.AnaSettings state =
            new SubsystemSettings.AnaSettings(address, 3, AnaState.NON_OPTIMIZED);
        refused(Reason.INVALID, "ANA group 129 is not within 1 to 128: choose another, or 0 for all",
            () -> dataPlane.subsystems().create(new SubsystemSettings(NQN, null, null, true, List.of(),
                List.of(namespace), List.of(state, new SubsystemSettings.AnaSettings(null, 129, AnaState.CHANGE)))));
        assertEquals(List.of(), dataPlane.subsystems().list());
        dataPlane.subsystems().create(new SubsystemSettings(NQN, null, null, true, List.of(),
            List.of(namespace), List.of(state)));
        assertEquals(AnaState.NON_OPTIMIZED, state(address, 3));
    }

    @Test
    void shouldTellEventsOfWhatChanges()
    {
        final TransportAddress address = fixture.serveVolume();
        get(ana.set(NQN, address, 1, AnaState.NON_OPTIMIZED));
        get(ana.set(NQN, address, 1, AnaState.NON_OPTIMIZED));
        get(ana.set(NQN, null, 0, AnaState.INACCESSIBLE));
        final List<String> told = fixture.events.stream().filter((each) -> ResourceKind.ANA == each.kind())
            .map((each) -> each.change() + " " + each.name() + " " + each.text()).toList();
        assertEquals(List.of(
            "CHANGED " + NQN + '/' + address.hostAndPort() + "/1 is NON_OPTIMIZED",
            "CHANGED " + NQN + "/*/* is INACCESSIBLE"), told);
    }

    @Test
    void shouldRefuseWhatCannotBe()
    {
        final TransportAddress address = fixture.serveVolume();
        final String missing = "nqn.2026-11.io.millrace:missing";
        refused(Reason.NOT_FOUND, "subsystem " + missing + ": does not exist; existing subsystems: " + NQN,
            () -> ana.set(missing, null, 1, AnaState.OPTIMIZED));
        refused(Reason.NOT_FOUND, "subsystem " + missing + ": does not exist; existing subsystems: " + NQN,
            () -> ana.list(missing));
        refused(Reason.INVALID, "subsystem " + NQN + ": ANA group 129 is not within 1 to 128: choose another, or 0 " +
            "for all", () -> ana.set(NQN, address, 129, AnaState.OPTIMIZED));
        refused(Reason.INVALID, "subsystem " + NQN + ": ANA group -1 is not within 1 to 128: choose another, or 0 " +
            "for all", () -> ana.set(NQN, address, -1, AnaState.OPTIMIZED));
        refused(Reason.INVALID, "ANA of subsystem " + NQN + " at host.example:4420: is not a numeric address; write " +
            "it as 192.0.2.1 or 2001:db8::1", () -> ana.set(NQN, TransportAddress.tcp("host.example", 4420),
            1, AnaState.OPTIMIZED));
        refused(Reason.INVALID, "ANA of subsystem " + NQN + " at 127.0.0.1:0: has no port; give the port of the " +
            "listener, or no address for all listeners", () -> ana.set(NQN, loopback(0), 1, AnaState.OPTIMIZED));
        refused(Reason.INVALID, "namespace " + NQN + "/2: ANA group 0 is not within 1 to 128; choose another",
            () -> dataPlane.namespaces().add(NQN, new SubsystemSettings.NamespaceSettings(2, "mem0", null, 0)));
        for (int port = 1; port <= 256; port++)
        {
            get(ana.set(NQN, loopback(port), 1, AnaState.INACCESSIBLE));
        }
        refused(Reason.INVALID, "subsystem " + NQN + ": more than 256 listeners have ANA states of their own: set " +
            "the state of a group for all listeners first", () -> ana.set(NQN, loopback(257), 1, AnaState.CHANGE));
        get(ana.set(NQN, null, 1, AnaState.OPTIMIZED));
        get(ana.set(NQN, loopback(257), 1, AnaState.CHANGE));
    }

    @Test
    void shouldDisconnectHostsWhenAPersistentLossIsOver()
    {
        final TransportAddress address = fixture.serveVolume();
        get(ana.set(NQN, address, 1, AnaState.PERSISTENT_LOSS));
        try (RemoteController controller = fixture.connect(address))
        {
            assertEquals(NvmeStatus.ASYMMETRIC_ACCESS_PERSISTENT_LOSS,
                fixture.write(fixture.queue(controller), 1, 0));
            get(ana.set(NQN, address, 1, AnaState.OPTIMIZED));
            until("the host to lose its controller", () -> ControllerState.LIVE != controller.state());
        }
        try (RemoteController controller = fixture.connect(address))
        {
            assertEquals(NvmeStatus.SUCCESS, fixture.write(fixture.queue(controller), 1, 0));
        }
    }

    /** Success would say that no write of this path comes any more. */
    @Test
    void shouldSayWhichDeviceHasNotCompletedCommandsThatCameBefore()
    {
        fixture.memory("mem0", 16);
        dataPlane.devices().create(DeviceConfig.fault("bad0", "mem0",
            FaultPlan.of(1, FaultRule.hang().withCount(1))));
        fixture.subsystem(NQN);
        fixture.namespace(NQN, 1, "bad0");
        final TransportAddress address = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        try (RemoteController controller = fixture.connect(address))
        {
            final RemoteQueuePair queue = fixture.queue(controller);
            final MemorySegment block = fixture.arena.allocate(OperationsFixture.BLOCK, OperationsFixture.BLOCK);
            final CompletableFuture<Integer> hung = fixture.submit(
                queue, (r) -> r.write(1, 0, 1, block.address(), OperationsFixture.BLOCK));
            until("it to hang", () -> 1 == dataPlane.connections().list(NQN).stream()
                .filter((each) -> 1 == each.queueId()).findFirst().orElseThrow().openCommands());
            final String told = "ANA states of " + NQN + " are set, but device bad0 has not completed 1 commands to " +
                "namespace 1 that came before, within 5 s: a write among them may still replace what is written by " +
                "another path; set the state again to wait for them, or remove the namespace here, which ends them";
            assertEquals(told, get(ana.set(NQN, null, 0, AnaState.INACCESSIBLE)));
            assertEquals(AnaState.INACCESSIBLE, state(address, 1));
            final CompletableFuture<String> again = ana.set(NQN, null, 0, AnaState.INACCESSIBLE);
            assertFalse(hung.isDone());
            get(OperationsFixture.setFaults(dataPlane.devices(), "bad0", FaultPlan.NONE));
            assertEquals("", get(again));
            assertTrue(0 != get(hung), "the device has aborted it");
        }
    }

    /** What a host with two paths does: it takes the other one when this one refuses. */
    private static final class Paths
    {
        final List<RemoteQueuePair> queues;
        final long[] commands = new long[2];
        int current;

        Paths(final List<RemoteQueuePair> queues)
        {
            this.queues = queues;
        }
    }

    /**
     * A host writes and verifies over two paths while their states change: nothing is lost, nothing is refused while a
     * path has access, and when none has it waits.
     */
    @Test
    void shouldCarryVerifiedIoFromPathToPath() throws Exception
    {
        final TransportAddress first = fixture.serveVolume();
        final TransportAddress second = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        get(ana.set(NQN, second, 0, AnaState.INACCESSIBLE));
        final AtomicBoolean isOver = new AtomicBoolean();
        final AtomicLong rounds = new AtomicLong();
        final CompletableFuture<long[]> host = new CompletableFuture<>();
        final Thread thread = Thread.ofPlatform().name("verifier").start(() ->
        {
            try (RemoteController one = fixture.connect(first);
                RemoteController two = fixture.connect(second))
            {
                final Paths paths = new Paths(List.of(fixture.queue(one), fixture.queue(two)));
                verify(paths, isOver, rounds);
                host.complete(paths.commands);
            }
            catch (final Throwable t)
            {
                host.completeExceptionally(t);
            }
        });
        try
        {
            until("I/O to begin", () -> rounds.get() > 0 || host.isDone());
            flip(List.of(first, second), rounds, host);
        }
        finally
        {
            isOver.set(true);
            thread.join();
        }
        final long[] commands = get(host);
        assertTrue(commands[0] > FLIPS && commands[1] > FLIPS, commands[0] + " and " + commands[1] + " commands");
    }

    private void flip(
        final List<TransportAddress> listeners, final AtomicLong rounds, final CompletableFuture<long[]> host)
    {
        final Random random = TestSeeds.random(11);
        for (int i = 0; i < FLIPS; i++)
        {
            final TransportAddress from = listeners.get(i % 2);
            final TransportAddress to = listeners.get((i + 1) % 2);
            if (0 == random.nextInt(3))
            {
                // First from, so that nothing may go anywhere for a moment.
                get(ana.set(NQN, from, 1, random.nextBoolean() ? AnaState.CHANGE : AnaState.INACCESSIBLE));
                final long stopped = rounds.get();
                LockSupport.parkNanos(random.nextInt(2_000_000));
                // The round whose read had come before may have ended.
                assertTrue(rounds.get() <= stopped + 1, "I/O went on without a path");
                get(ana.set(NQN, to, 0, AnaState.NON_OPTIMIZED));
                get(ana.set(NQN, from, 0, AnaState.INACCESSIBLE));
            }
            else
            {
                get(ana.set(NQN, to, 1, AnaState.OPTIMIZED));
                get(ana.set(NQN, from, 0 == random.nextInt(2) ? 0 : 1, AnaState.INACCESSIBLE));
            }
            final long before = rounds.get();
            until("I/O to go on over the other path", () -> rounds.get() > before + 1 || host.isDone());
            assertFalse(host.isDone(), () -> host.exceptionNow().toString());
        }
    }

    private void verify(final Paths paths, final AtomicBoolean isOver, final AtomicLong rounds)
    {
        final int blockBytes = OperationsFixture.BLOCK;
        final MemorySegment written = fixture.arena.allocate(blockBytes, blockBytes);
        final MemorySegment read = fixture.arena.allocate(blockBytes, blockBytes);
        final Random random = TestSeeds.random(7);
        while (!isOver.get())
        {
            final long lba = random.nextInt(256);
            for (int offset = 0; offset < blockBytes; offset += Long.BYTES)
            {
                written.set(ValueLayout.JAVA_LONG, offset, random.nextLong());
            }
            run(paths, isOver, true, lba, written);
            run(paths, isOver, false, lba, read);
            if (!isOver.get())
            {
                assertEquals(-1, written.mismatch(read), "block " + lba);
                rounds.incrementAndGet();
            }
        }
    }

    private void run(
        final Paths paths,
        final AtomicBoolean isOver,
        final boolean isWrite,
        final long lba,
        final MemorySegment memory)
    {
        final List<String> refusals = new ArrayList<>();
        while (!isOver.get())
        {
            final int status = fixture.run(paths.queues.get(paths.current), (request) -> isWrite ?
                request.write(1, lba, 1, memory.address(), OperationsFixture.BLOCK) :
                request.read(1, lba, 1, memory.address(), OperationsFixture.BLOCK));
            if (NvmeStatus.SUCCESS == status)
            {
                paths.commands[paths.current]++;
                return;
            }
            refusals.add(NvmeStatus.name(status));
            assertTrue(NvmeStatus.isPathRelated(status) && NvmeStatus.isRetryable(status), refusals::toString);
            paths.current = 1 - paths.current;
        }
    }
}
