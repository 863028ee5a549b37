package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.get;
import static io.millrace.dataplane.OperationsFixture.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.AdminCommand;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Queues on three reactors under verified I/O with many commands in flight, while commands are aborted, I/O is paused
 * and limited, namespaces come and go, and hosts are disconnected.
 */
class ConnectionsPropertyTest
{
    private static final int REACTORS = 3;
    private static final int QUEUES = 3;
    private static final int SLOTS = 6;
    private static final int BLOCK = OperationsFixture.BLOCK;
    private static final int SLOT_BLOCKS = 16;
    private static final int STEPS = 30;

    /** A host with some queues, and on each some who write and read blocks of their own. */
    private static final class Host implements AutoCloseable
    {
        private final OperationsFixture fixture;
        private final Random random;
        private final boolean mayBeLost;
        private final List<Slot> slots = new ArrayList<>();
        private final AtomicBoolean isOver = new AtomicBoolean();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicLong stamps = new AtomicLong();
        private final AtomicLong reads = new AtomicLong();
        private final AtomicLong writes = new AtomicLong();
        private RemoteController controller;
        private List<RemoteQueuePair> queues;

        Host(final OperationsFixture fixture, final Random random, final boolean mayBeLost)
        {
            this.fixture = fixture;
            this.random = random;
            this.mayBeLost = mayBeLost;
            for (int i = 0; i < QUEUES * SLOTS; i++)
            {
                slots.add(new Slot(i, TestSeeds.fixed(random.nextLong())));
            }
        }

        void connect(final TransportAddress address)
        {
            controller = fixture.connect(address);
            queues = new ArrayList<>();
            for (int i = 0; i < QUEUES; i++)
            {
                queues.add(fixture.queue(controller));
            }
            running.set(slots.size());
            slots.forEach(Slot::next);
        }

        /** Whoever has lost its connection has stopped; all others do when their commands have ended. */
        void awaitStop()
        {
            until("hosts to stop", () -> 0 == running.get() || null != failure.get());
            check();
        }

        void check()
        {
            if (null != failure.get())
            {
                throw new AssertionError("verified I/O failed: " + failure.get(), failure.get());
            }
        }

        void disconnect()
        {
            controller.close();
        }

        @Override
        public void close()
        {
            disconnect();
        }

        /** Someone with blocks of his own. Its reactor's thread, after the first call. */
        private final class Slot
        {
            private final int index;
            private final Random dice;
            private final MemorySegment memory = fixture.arena.allocate((long)SLOT_BLOCKS * BLOCK, BLOCK);
            /** What each block may hold: one stamp, or more when a connection was lost with a write under way. */
            private final List<Set<Long>> allowed = new ArrayList<>();

            Slot(final int index, final Random dice)
            {
                this.index = index;
                this.dice = dice;
                for (int i = 0; i < SLOT_BLOCKS; i++)
                {
                    allowed.add(new HashSet<>(Set.of(0L)));
                }
            }

            void next()
            {
                if (isOver.get() || null != failure.get())
                {
                    running.decrementAndGet();
                    return;
                }
                final int first = dice.nextInt(SLOT_BLOCKS);
                final int count = 1 + dice.nextInt(SLOT_BLOCKS - first);
                final boolean isWrite = dice.nextBoolean();
                final long stamp = isWrite ? stamps.incrementAndGet() : 0;
                final MemorySegment blocks = memory.asSlice(0, (long)count * BLOCK);
                fill(blocks, isWrite ? stamp : -1);
                final long lba = (long)index * SLOT_BLOCKS + first;
                fixture.submit(queues.get(index % QUEUES), (request) -> isWrite ?
                    request.write(1, lba, count, blocks.address(), count * BLOCK) :
                    request.read(1, lba, count, blocks.address(), count * BLOCK)).whenComplete((status, problem) ->
                    {
                        try
                        {
                            onDone(isWrite, stamp, first, count, null == problem ? status : -1);
                        }
                        catch (final Throwable t)
                        {
                            failure.compareAndSet(null, t);
                            running.decrementAndGet();
                        }
                    });
            }

            private void onDone(
                final boolean isWrite, final long stamp, final int first, final int count, final int status)
            {
                if (NvmeStatus.SUCCESS == status)
                {
                    (isWrite ? writes : reads).incrementAndGet();
                    for (int i = 0; i < count; i++)
                    {
                        final long seen = isWrite ? stamp : stampOf(memory.asSlice((long)i * BLOCK, BLOCK));
                        final Set<Long> may = allowed.get(first + i);
                        assertTrue(isWrite || may.contains(seen), () ->
                            "stamp " + seen + " instead of one of " + may);
                        // Nothing that was under way when a connection was lost may come to be after this.
                        may.clear();
                        may.add(seen);
                    }
                    next();
                }
                else if (NvmeStatus.ABORT_REQUESTED == NvmeStatus.code(status))
                {
                    next();
                }
                else
                {
                    assertTrue(mayBeLost, () -> "status " + Integer.toHexString(status));
                    for (int i = 0; isWrite && i < count; i++)
                    {
                        allowed.get(first + i).add(stamp);
                    }
                    running.decrementAndGet();
                }
            }

            private static void fill(final MemorySegment blocks, final long stamp)
            {
                for (long offset = 0; offset < blocks.byteSize(); offset += Long.BYTES)
                {
                    blocks.set(ValueLayout.JAVA_LONG, offset, stamp);
                }
            }

            private static long stampOf(final MemorySegment block)
            {
                final long stamp = block.get(ValueLayout.JAVA_LONG, 0);
                for (long offset = 0; offset < BLOCK; offset += Long.BYTES)
                {
                    assertEquals(stamp, block.get(ValueLayout.JAVA_LONG, offset), "a block of two writes");
                }
                return stamp;
            }
        }
    }

    @Property(tries = 8)
    void shouldLoseAndDoubleNothing(@ForAll final long seed)
    {
        run(seed, false);
    }

    @Property(tries = 8)
    void shouldEndWellWhenHostsAreDisconnectedOnTheWay(@ForAll final long seed)
    {
        run(seed, true);
    }

    private static void run(final long seed, final boolean mayBeLost)
    {
        new OperationsFixture().close();
        final long before = OperationsFixture.descriptors();
        final Random random = TestSeeds.fixed(seed);
        try (OperationsFixture fixture = new OperationsFixture(REACTORS))
        {
            final TransportAddress address = serve(fixture);
            final DataPlane dataPlane = fixture.dataPlane;
            try (Host host = new Host(fixture, TestSeeds.fixed(random.nextLong()), mayBeLost))
            {
                host.connect(address);
                for (int step = 0; step < STEPS; step++)
                {
                    LockSupport.parkNanos(random.nextInt(2_000_000));
                    final int choice = random.nextInt(mayBeLost ? 6 : 4);
                    switch (choice)
                    {
                        case 0 -> abort(host, random);
                        case 1 -> pause(dataPlane, random);
                        case 2 -> toggleNamespace(fixture);
                        case 3 -> limit(fixture, random);
                        case 4, 5 ->
                        {
                            lose(fixture, host, 4 == choice);
                            host.awaitStop();
                            host.disconnect();
                            host.connect(address);
                        }
                        default -> throw new AssertionError(choice);
                    }
                    host.check();
                }
                get(dataPlane.state(DataPlaneState.SERVING));
                host.isOver.set(true);
                host.awaitStop();
                if (!mayBeLost)
                {
                    until("what has left to be counted", () ->
                        host.writes.get() == served(dataPlane).writes() &&
                        host.reads.get() == served(dataPlane).reads());
                }
            }
            until("the reactors to hold nothing", () -> dataPlane.reactorSnapshots().stream()
                .allMatch((each) -> 0 == each.requests() && 0 == each.poolUsedBytes() && 0 == each.connections()));
            assertEquals(0, dataPlane.statusSnapshot().queuePairs().size());
            // A reactor has one connection less before the controller has.
            until("controllers to be gone", () -> dataPlane.connections().list(null).isEmpty());
        }
        until("descriptors to be closed", () -> OperationsFixture.descriptors() <= before);
    }

    private static NamespaceSnapshot served(final DataPlane dataPlane)
    {
        return dataPlane.namespaces().list(NQN).getFirst();
    }

    private static TransportAddress serve(final OperationsFixture fixture)
    {
        fixture.memory("mem0", QUEUES * SLOTS * SLOT_BLOCKS);
        fixture.dataPlane.devices().create(DeviceConfig.fault("slow0", "mem0", FaultPlan.of(5,
            FaultRule.delay(1_000_000).withProbability(0.2))));
        fixture.memory("mem1", 16);
        fixture.subsystem(NQN);
        fixture.namespace(NQN, 1, "slow0");
        return fixture.dataPlane.listeners().add(OperationsFixture.anyPort(), false);
    }


    private static void abort(final Host host, final Random random)
    {
        for (int i = 0; i < 8; i++)
        {
            final int queueId = host.queues.get(random.nextInt(QUEUES)).queueId();
            host.controller.admin(new AdminCommand(
                AdminOpcode.ABORT, 0, random.nextInt(2 * SLOTS) << 16 | queueId, 0, 0, 0, 0, 0, 0));
        }
    }

    private static void pause(final DataPlane dataPlane, final Random random)
    {
        final DataPlaneState now = dataPlane.snapshot().state();
        get(dataPlane.state(DataPlaneState.SERVING == now ? DataPlaneState.PAUSED : DataPlaneState.SERVING));
        if (random.nextBoolean())
        {
            get(dataPlane.state(DataPlaneState.SERVING));
        }
    }

    private static void toggleNamespace(final OperationsFixture fixture)
    {
        final Namespaces namespaces = fixture.dataPlane.namespaces();
        if (1 == namespaces.list(NQN).size())
        {
            fixture.namespace(NQN, 2, "mem1");
        }
        else
        {
            get(namespaces.remove(NQN, 2));
        }
    }

    private static void limit(final OperationsFixture fixture, final Random random)
    {
        final QosLimits limits = random.nextBoolean() ? QosLimits.NONE : QosLimits.ofIops(2_000);
        final Qos qos = fixture.dataPlane.qos();
        get(random.nextBoolean() ? qos.setNamespace(NQN, 1, limits) :
            qos.setHost(NQN, fixture.host.hostNqn(), limits));
    }

    private static void lose(final OperationsFixture fixture, final Host host, final boolean isReset)
    {
        get(fixture.dataPlane.state(DataPlaneState.SERVING));
        if (isReset)
        {
            host.controller.admin(AdminCommand.setProperty(ControllerProperty.CONFIGURATION, 0));
        }
        else
        {
            final int id = fixture.dataPlane.controllers().list(NQN).getFirst().controllerId();
            assertNull(get(fixture.dataPlane.controllers().disconnect(NQN, id)));
        }
    }
}
