package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.BLOCK;
import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.DeviceProperties;
import io.millrace.block.ForwardingDevice;
import io.millrace.block.ReactorContext;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.device.DeviceDependencies;
import io.millrace.dataplane.device.DeviceFactory;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What other operations find while an array is being renamed, and after that. */
class ArrayRenamingUsersTest
{
    private static final int MEMBER_BLOCKS = 1024;
    private static final long CLOSE_WAIT_MS = 1_000;
    private static final long TIME_OUT_MS = 2_000;

    /** A memory device whose writes wait while a test wants it. */
    private static final class SlowDevice extends ForwardingDevice
    {
        private volatile boolean isHolding;
        private volatile int held;

        private SlowDevice(final String name)
        {
            super(MemoryDevice.create(name, (long)MEMBER_BLOCKS * BLOCK, BLOCK));
        }

        @Override
        protected BlockChannel forward(final BlockChannel below, final ReactorContext context)
        {
            return new SlowChannel(below);
        }

        private final class SlowChannel extends Channel
        {
            private final Queue<BlockRequest> waiting = new ArrayDeque<>();

            private SlowChannel(final BlockChannel below)
            {
                super(below);
            }

            @Override
            public boolean submit(final BlockRequest request)
            {
                if (isHolding && BlockOperation.WRITE == request.operation())
                {
                    waiting.add(request);
                    held++;
                    return true;
                }
                return super.submit(request);
            }

            @Override
            public int poll()
            {
                int count = 0;
                while (!isHolding && !waiting.isEmpty() && below.submit(waiting.peek()))
                {
                    waiting.remove();
                    count++;
                }
                return count + super.poll();
            }

            @Override
            public boolean canSleep()
            {
                return waiting.isEmpty() && super.canSleep();
            }

            @Override
            public int inFlight()
            {
                return waiting.size() + super.inFlight();
            }

            @Override
            public void close(final CloseListener listener)
            {
                while (!waiting.isEmpty())
                {
                    waiting.remove().complete(BlockStatus.ABORTED);
                }
                super.close(listener);
            }
        }
    }

    private record SlowFactory(SlowDevice device) implements DeviceFactory
    {
        @Override
        public String type()
        {
            return "slow";
        }

        @Override
        public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies context)
        {
            return device;
        }
    }

    private final SlowDevice slow = new SlowDevice("slow");

    /** Two arrays, of which the first, with the slow member and a namespace, is renamed. */
    private OperationsFixture open()
    {
        final OperationsFixture fixture = new OperationsFixture(1, CLOSE_WAIT_MS);
        final Devices devices = fixture.dataPlane.devices();
        fixture.memory("mem0", MEMBER_BLOCKS);
        devices.create(DeviceConfig.of("slow", "slow", Map.of()), new SlowFactory(slow));
        devices.create(array("vol0", "1", "mem0", "slow"));
        fixture.memory("mem1", MEMBER_BLOCKS);
        fixture.memory("mem2", MEMBER_BLOCKS);
        devices.create(DeviceConfig.fault("faulty", "mem2", FaultPlan.NONE));
        devices.create(array("other", "0", "mem1", "faulty"));
        fixture.subsystem(NQN);
        fixture.namespace(NQN, 1, "vol0");
        return fixture;
    }

    private static DeviceConfig array(final String name, final String level, final String... members)
    {
        return DeviceConfig.of(name, "raid",
            Map.of("level", level, "members", List.of(members), "assume-clean", true));
    }

    private static List<String> names(final OperationsFixture fixture)
    {
        return fixture.dataPlane.devices().list().stream().map(DeviceSnapshot::name).toList();
    }

    private CompletableFuture<Void> begin(final DataPlane dataPlane, final String name)
    {
        slow.isHolding = true;
        final int before = slow.held;
        final CompletableFuture<Void> done =
            CompletableFuture.runAsync(() -> dataPlane.arrays().rename("vol0", name));
        OperationsFixture.until("superblocks are written", () -> slow.held > before);
        return done;
    }

    @Test
    void shouldHaveBothNamesUntilSuperblocksAreWritten()
    {
        try (OperationsFixture fixture = open())
        {
            final Devices devices = fixture.dataPlane.devices();
            refused(Reason.INVALID, "device name 'a b': is not a name of 1 to 64 letters, digits, '.', '_' or '-', a " +
                "letter or digit first; choose another", () -> fixture.dataPlane.arrays().rename("vol0", "a b"));
            final CompletableFuture<Void> done = begin(fixture.dataPlane, "vol1");
            final String busy = "device vol0: is being renamed; wait until it has been";
            refused(Reason.IN_USE, busy, () -> devices.delete("vol0"));
            refused(Reason.IN_USE, busy, () -> devices.resize("vol0", BLOCK));
            refused(Reason.IN_USE, busy, () -> devices.modify("vol0", devices.get("vol0").config().properties()));
            refused(Reason.IN_USE, busy, () -> fixture.dataPlane.arrays().rename("vol0", "vol2"));
            refused(Reason.EXISTS, "device vol1: already exists; choose another name",
                () -> fixture.memory("vol1", 1));
            refused(Reason.EXISTS, "device vol1: already exists; choose another name for array other",
                () -> fixture.dataPlane.arrays().rename("other", "vol1"));
            assertEquals(List.of("mem0", "slow", "vol0", "mem1", "mem2", "faulty", "other"), names(fixture));
            assertFalse(done.isDone());
            slow.isHolding = false;
            OperationsFixture.get(done);
            assertEquals(List.of("mem0", "slow", "vol1", "mem1", "mem2", "faulty", "other"), names(fixture));
            assertEquals("vol1", fixture.dataPlane.namespaces().list(NQN).getFirst().device());
            assertTrue(fixture.events.stream().anyMatch((event) -> ResourceChange.CHANGED == event.change() &&
                "vol1".equals(event.name()) && "is the new name of array vol0".equals(event.text())));
            fixture.memory("vol0", 1);
            fixture.dataPlane.namespaces().remove(NQN, 1);
            OperationsFixture.until("not used", () -> null == devices.get("vol1").user());
            devices.delete("vol1");
            fixture.memory("vol1", 1);
        }
    }

    @Test
    void shouldHaveItsNameAloneAfterARefusal()
    {
        try (OperationsFixture fixture = open())
        {
            final Devices devices = fixture.dataPlane.devices();
            OperationsFixture.get(OperationsFixture.setFaults(devices, "faulty", FaultPlan.of(1,
                FaultRule.error(BlockStatus.DEVICE_ERROR).withOperations(Set.of(BlockOperation.WRITE)))));
            final OperationException e = assertThrows(OperationException.class,
                () -> fixture.dataPlane.arrays().rename("other", "vol1"));
            assertEquals(Reason.INVALID, e.reason());
            assertTrue(e.getMessage().startsWith("more members failed than RAID 0 tolerates"), e.getMessage());
            assertEquals(List.of("mem0", "slow", "vol0", "mem1", "mem2", "faulty", "other"), names(fixture));
            fixture.memory("vol1", 1);
            devices.delete("other");
        }
    }

    /** The next start has the name of the superblocks; nobody is left to be told. */
    @Test
    void shouldEndAfterTheDataPlane()
    {
        final List<String> changed = new CopyOnWriteArrayList<>();
        final CompletableFuture<Void> done;
        final DataPlaneConfig config = DataPlaneConfig.managed(
            List.of(ReactorConfig.of("renaming", -1)), DataPlaneConfig.MEMORY_BYTES_MIN);
        final DataPlaneListener listener = (event) ->
        {
            changed.add(event.name());
            if (ResourceKind.DATA_PLANE == event.kind() && "is stopping".equals(event.text()))
            {
                slow.isHolding = false;
                OperationsFixture.until("superblocks are written", ArrayRenamingUsersTest::isRenameBlocked);
            }
        };
        try (DataPlane dataPlane = DataPlane.start(config, TargetListener.NONE, listener))
        {
            dataPlane.devices().create(DeviceConfig.memory("mem0", (long)MEMBER_BLOCKS * BLOCK, BLOCK));
            dataPlane.devices().create(DeviceConfig.of("slow", "slow", Map.of()), new SlowFactory(slow));
            dataPlane.devices().create(array("vol0", "1", "mem0", "slow"));
            done = begin(dataPlane, "vol1");
        }
        OperationsFixture.get(done);
        assertFalse(changed.contains("vol1"), changed::toString);
    }

    /** Superblocks have the name in time, and then the lock is held beyond it: the answer is what the array is. */
    @Test
    void shouldAnswerWhenItHasTheNameThoughThatWasDecidedBeforeTheTimeOut()
    {
        final CompletableFuture<Thread.State> asked = new CompletableFuture<>();
        final CompletableFuture<Boolean> hasName = new CompletableFuture<>();
        final List<Thread> asking = new CopyOnWriteArrayList<>();
        final DataPlaneListener listener = (event) ->
        {
            if ("blocker".equals(event.name()))
            {
                slow.isHolding = false;
                OperationsFixture.until("superblocks are written", ArrayRenamingUsersTest::isRenameBlocked);
                // Between the time-out and what it does then it runs.
                OperationsFixture.until("the time is over", () -> EnumSet.of(
                    Thread.State.WAITING, Thread.State.TERMINATED).contains(asking.getFirst().getState()));
                asked.complete(asking.getFirst().getState());
            }
        };
        final DataPlaneConfig config = DataPlaneConfig.managed(
            List.of(ReactorConfig.of("renaming", -1)), DataPlaneConfig.MEMORY_BYTES_MIN);
        try (DataPlane dataPlane = DataPlane.start(config, TargetListener.NONE, listener))
        {
            final Devices devices = dataPlane.devices();
            devices.create(DeviceConfig.memory("mem0", (long)MEMBER_BLOCKS * BLOCK, BLOCK));
            devices.create(DeviceConfig.of("slow", "slow", Map.of()), new SlowFactory(slow));
            devices.create(array("vol0", "1", "mem0", "slow"));
            slow.isHolding = true;
            final int before = slow.held;
            asking.add(Thread.ofPlatform().unstarted(() ->
            {
                try
                {
                    devices.renaming().rename("vol0", "vol1", TIME_OUT_MS);
                    hasName.complete("vol1".equals(devices.get("vol1").config().name()));
                }
                catch (final RuntimeException e)
                {
                    hasName.completeExceptionally(e);
                }
            }));
            asking.getFirst().start();
            OperationsFixture.until("superblocks are written", () -> slow.held > before);
            devices.create(DeviceConfig.memory("blocker", BLOCK, BLOCK));
            assertEquals(Thread.State.WAITING, OperationsFixture.get(asked), "answered before it has the name");
            assertTrue(OperationsFixture.get(hasName));
        }
    }

    private static boolean isRenameBlocked()
    {
        return Thread.getAllStackTraces().keySet().stream().anyMatch((each) ->
            "millrace-rename".equals(each.getName()) && Thread.State.BLOCKED == each.getState());
    }
}
