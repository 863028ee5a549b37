package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.refused;
import static io.millrace.dataplane.OperationsFixture.setFaults;
import static io.millrace.dataplane.OperationsFixture.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.GrowableDevice;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.raid.RaidDevice;
import io.millrace.dataplane.ManagedDevice.Transition;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.reactor.ReactorConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Operations beside a rename whose superblocks are not written yet, and what is told of its end. */
class ArrayRenamingTest
{
    private static final int BLOCK = 4096;
    private static final long MEMBER_BYTES = 4 << 20;
    private static final long SHORT_MS = 1100;
    private static final String RENAMED = "is the new name of array vol";
    private static final FaultPlan HUNG =
        FaultPlan.of(1, FaultRule.hang().withOperations(Set.of(BlockOperation.WRITE)));

    private final List<DataPlaneEvent> events = new CopyOnWriteArrayList<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private volatile Consumer<DataPlaneEvent> listener = (event) ->
    {
    };
    private final DataPlane dataPlane = DataPlane.start(DataPlaneConfig.managed(
        List.of(ReactorConfig.of("rename0", -1)), DataPlaneConfig.MEMORY_BYTES_MIN * 2),
        new TargetListener()
        {
            @Override
            public void onError(final String message)
            {
                errors.add(message);
            }
        },
        this::onEvent);
    private final Devices devices = dataPlane.devices();

    @AfterEach
    void close()
    {
        dataPlane.close();
    }

    private void onEvent(final DataPlaneEvent event)
    {
        listener.accept(event);
        events.add(event);
    }

    private void memory(final String name)
    {
        devices.create(DeviceConfig.memory(name, MEMBER_BYTES, BLOCK));
    }

    /** Array vol, one member of which may hang. */
    private void array(final String level, final int memberCount)
    {
        memory("base");
        devices.create(DeviceConfig.fault("bad", "base", FaultPlan.NONE));
        final StringBuilder members = new StringBuilder("bad");
        for (int i = 1; i < memberCount; i++)
        {
            memory("m" + i);
            members.append(" m").append(i);
        }
        devices.create(DeviceConfig.of("vol", "raid", "0".equals(level) ?
            Map.of("level", level, "members", List.of(members.toString().split(" "))) :
            Map.of("level", level, "members", List.of(members.toString().split(" ")), "assume-clean", true)));
        until("what a start writes is written", () -> null == devices.get("vol").progress());
    }

    private void hang()
    {
        OperationsFixture.get(setFaults(devices, "bad", HUNG));
    }

    /** What hangs ends with an error, so the member fails. */
    private void goOn()
    {
        OperationsFixture.get(setFaults(devices, "bad", FaultPlan.NONE));
    }

    private CompletableFuture<Void> rename()
    {
        final CompletableFuture<Void> done = CompletableFuture.runAsync(() -> dataPlane.arrays().rename("vol", "vol1"));
        until("superblocks are being written", this::isHung);
        assertEquals(Transition.RENAMING, devices.require("vol").transition());
        return done;
    }

    private boolean isHung()
    {
        return ((FaultDevice)devices.require("bad").device()).faultCount(0) > 0;
    }

    private void assertReserved()
    {
        refused(Reason.EXISTS, "device vol1: already exists; choose another name", () -> memory("vol1"));
        refused(Reason.EXISTS, "device vol1: already exists; choose another name for array other",
            () -> dataPlane.arrays().rename("other", "vol1"));
    }

    private void other()
    {
        memory("o1");
        memory("o2");
        devices.create(DeviceConfig.of("other", "raid",
            Map.of("level", "1", "members", List.of("o1", "o2"), "assume-clean", true)));
    }

    /** Another array may have a name, and so may another device then. */
    private void assertFree(final String name)
    {
        dataPlane.arrays().rename("other", name);
        assertEquals(name, dataPlane.arrays().get(name).name());
        devices.delete(name);
        memory(name);
    }

    private long told(final String name, final String text)
    {
        return events.stream().filter((event) -> ResourceKind.DEVICE == event.kind() &&
            ResourceChange.CHANGED == event.change() && name.equals(event.name()) && event.text().startsWith(text))
            .count();
    }

    @Test
    void shouldReserveTheNameUntilTheArrayHasIt()
    {
        array("1", 2);
        other();
        hang();
        final CompletableFuture<Void> done = rename();
        assertReserved();
        assertFalse(done.isDone());
        assertEquals("vol", devices.get("vol").config().name());
        goOn();
        OperationsFixture.get(done);
        assertReserved();
        assertEquals("vol1", devices.get("vol1").config().name());
        assertEquals(1, told("vol1", RENAMED));
        devices.delete("vol1");
        assertFree("vol1");
        memory("vol");
    }

    @Test
    void shouldFreeTheNameWhenSuperblocksCannotBeWritten()
    {
        array("0", 2);
        other();
        hang();
        final CompletableFuture<Void> done = rename();
        assertReserved();
        goOn();
        final Throwable failure = OperationsFixture.failure(done);
        assertTrue(failure.getMessage().startsWith("more members failed than RAID 0 tolerates"), failure.getMessage());
        assertEquals(Transition.NONE, devices.require("vol").transition());
        assertEquals("vol", dataPlane.arrays().get("vol").name());
        assertEquals(0, told("vol1", RENAMED));
        // Whoever asked has the reason.
        assertEquals(0, told("vol", "is not renamed"));
        assertFree("vol1");
    }

    /** The command has failed, so it has no effect, whenever members answer. */
    @Test
    void shouldKeepItsNameWhenMembersAnswerTooLate()
    {
        array("1", 2);
        other();
        hang();
        refused(Reason.FAILED, "device vol: its superblocks were not written within 1 s, so it keeps its name; " +
            "check its members, and the path to them", () -> devices.renaming().rename("vol", "vol1", SHORT_MS));
        assertTrue(isHung());
        assertEquals(Transition.RENAMING, devices.require("vol").transition());
        assertReserved();
        goOn();
        until("an event", () -> 1 == told("vol", "is not renamed to vol1: members had stored the name too late"));
        until("it can be used", () -> Transition.NONE == devices.require("vol").transition());
        assertEquals("vol", dataPlane.arrays().get("vol").name());
        assertEquals(0, told("vol1", RENAMED));
        final DeviceConfig config = devices.get("vol").config();
        devices.delete("vol");
        devices.create(config);
        dataPlane.arrays().rename("vol", "vol1");
        assertEquals("vol1", dataPlane.arrays().get("vol1").name());
        assertFree("vol");
    }

    /** Whoever asked has been told that it failed, so superblocks get the name before again. */
    @Test
    void shouldKeepItsNameWhenWhoAskedIsInterrupted() throws InterruptedException
    {
        array("1", 2);
        other();
        hang();
        final CompletableFuture<Boolean> isStillInterrupted = new CompletableFuture<>();
        final Thread asking = Thread.ofPlatform().start(() ->
        {
            try
            {
                refused(Reason.FAILED, "device vol: the rename was interrupted; look at its name",
                    () -> dataPlane.arrays().rename("vol", "vol1"));
                isStillInterrupted.complete(Thread.currentThread().isInterrupted());
            }
            catch (final Throwable t)
            {
                isStillInterrupted.completeExceptionally(t);
            }
        });
        until("superblocks are being written", this::isHung);
        asking.interrupt();
        assertTrue(OperationsFixture.get(isStillInterrupted));
        assertEquals(Transition.RENAMING, devices.require("vol").transition());
        assertReserved();
        goOn();
        until("it can be used", () -> Transition.NONE == devices.require("vol").transition());
        assertEquals("vol", dataPlane.arrays().get("vol").name());
        until("an event", () -> 1 == told("vol", "is not renamed to vol1: members had stored the name too late"));
        assertEquals(0, told("vol1", RENAMED));
        assertFree("vol1");
    }

    @Test
    void shouldTellOfAFailureThatNobodyWaitedFor()
    {
        array("0", 2);
        other();
        hang();
        refused(Reason.FAILED, "device vol: its superblocks were not written within 1 s, so it keeps its name; " +
            "check its members, and the path to them", () -> devices.renaming().rename("vol", "vol1", SHORT_MS));
        assertTrue(isHung());
        assertReserved();
        goOn();
        final String said = "is not renamed to vol1: more members failed than RAID 0 tolerates";
        until("an event", () -> 1 == told("vol", said));
        assertTrue(errors.stream().anyMatch((each) -> each.startsWith("array vol: " + said)), errors::toString);
        assertEquals("vol", dataPlane.arrays().get("vol").name());
        assertFree("vol1");
    }

    @Test
    void shouldRefuseOtherOperationsOnTheArrayMeanwhile()
    {
        array("1", 2);
        dataPlane.subsystems().create(OperationsFixture.settings(OperationsFixture.NQN, true));
        hang();
        final CompletableFuture<Void> done = rename();
        final String refusal = "device vol: is being renamed; wait until it has been";
        refused(Reason.IN_USE, refusal, () -> devices.delete("vol"));
        refused(Reason.IN_USE, refusal, () -> devices.resize("vol", MEMBER_BYTES));
        refused(Reason.IN_USE, refusal, () -> dataPlane.arrays().rename("vol", "vol2"));
        refused(Reason.IN_USE, refusal,
            () -> devices.modify("vol", devices.get("vol").config().properties().with("scrub-interval", 1)));
        refused(Reason.IN_USE, refusal, () -> devices.create(DeviceConfig.fault("over", "vol", FaultPlan.NONE)));
        refused(Reason.IN_USE, refusal, () -> dataPlane.namespaces().add(
            OperationsFixture.NQN, new SubsystemSettings.NamespaceSettings(1, "vol", null)));
        goOn();
        OperationsFixture.get(done);
        dataPlane.namespaces().add(
            OperationsFixture.NQN, new SubsystemSettings.NamespaceSettings(1, "vol1", null));
    }

    /** A size that was refused meanwhile, since the array had another one when nobody could set it. */
    @Test
    void shouldLookAtTheSizeAgainAtTheEnd()
    {
        array("5", 3);
        memory("m3");
        final ManagedDevice vol = devices.require("vol");
        final GrowableDevice array = (GrowableDevice)vol.device();
        final long sizeBytes = array.geometry().sizeBytes();
        // From now on nobody looks at its status.
        until("it is not announced", vol::announce);
        OperationsFixture.get(devices.modify("vol",
            devices.get("vol").config().properties().with("members", List.of("bad", "m1", "m2", "m3"))));
        until("it has room", () -> array.availableBytes() > sizeBytes && null == devices.get("vol").progress());
        assertEquals(sizeBytes, array.geometry().sizeBytes());
        listener = (event) ->
        {
            if (RENAMED.equals(event.text()))
            {
                vol.announced();
            }
        };
        dataPlane.arrays().rename("vol", "vol1");
        assertSame(vol, devices.require("vol1"));
        assertTrue(vol.device() instanceof RaidDevice);
        until("it is larger", () -> array.geometry().sizeBytes() == array.availableBytes());
        until("it is announced", () -> 1 == told("vol1", "has " + array.availableBytes() + " bytes"));
    }
}
