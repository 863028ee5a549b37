package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.agent.SteeredPlane;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.FaultAction;
import io.millrace.control.codec.Polling;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSettings;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.FaultRuleSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.service.Caller;
import io.millrace.control.service.ControlBackend;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.manager.config.PlaneConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A manager of today over a data plane that speaks an earlier version of the schema. */
class ManagerVersionSkewTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String HOST = "nqn.2026-11.io.millrace:host0";
    private static final long MIB = 1L << 20;

    @TempDir
    private Path directory;

    /**
     * Knows what a version of the schema has: tells nothing else, finds nothing else in what is sent to it, and refuses
     * the commands of later ones. What the messages themselves look like is tested with frozen schemas.
     */
    private static final class Old extends SteeredPlane.Steering
    {
        private final int version;
        private long termSeen;

        private Old(final ControlBackend plane, final int version)
        {
            super(plane);
            this.version = version;
        }

        @Override
        public PeerInfo peer()
        {
            return PeerInfo.ofVersion(version);
        }

        @Override
        public CompletableFuture<Reply> carryOut(
            final Caller caller, final CommandId id, final long term, final Command command)
        {
            switch (command)
            {
                case Command.TakeTerm _, Command.ApplyVersion _, Command.AssignControllerIds _ ->
                {
                    return CompletableFuture.completedFuture(
                        Reply.refused(Code.UNKNOWN_COMMAND, "template is none of version " + version));
                }
                default ->
                {
                }
            }
            if (0 != term && term < termSeen)
            {
                return CompletableFuture.completedFuture(Reply.refused(Code.STALE_TERM, "seen " + termSeen));
            }
            termSeen = Math.max(term, termSeen);
            return super.carryOut(caller, id, 0, command instanceof final Command.CreateDevice create ?
                new Command.CreateDevice(create.device().with(DeviceSettings.DEFAULT)
                    .with(DeviceSpec.NO_INCARNATION)) : command);
        }

        @Override
        public long term()
        {
            return termSeen;
        }

        @Override
        public CompletableFuture<Listing<?>> list(final Caller caller, final Command.List list)
        {
            if (!peer().kinds().contains(list.kind()))
            {
                return CompletableFuture.failedFuture(new ControlException(Code.INVALID, "kind is none"));
            }
            return super.list(caller, list).thenApply((listing) ->
            {
                final List<Resource> told = new ArrayList<>();
                listing.resources().forEach((each) -> told.add(each instanceof final DeviceInfo d ?
                    new DeviceInfo(d.name(), d.type(), d.sizeBytes(), d.blockSizeBytes(), d.queueDepth(), d.readOnly(),
                        d.preallocate(), d.seed(), d.users(), d.target(), DeviceSettings.UNKNOWN) : each));
                return new Listing<>(told, Function.identity());
            });
        }
    }

    private static PlaneConfig config(final SteeredPlane plane)
    {
        return new PlaneConfig("dp0", plane.aeronDirectory(), ControlSettings.IPC_CHANNEL, 4420, "", null,
            ControlSettings.IPC_CHANNEL);
    }

    private static long repairs(final ControlClient client)
    {
        return client.manager().audit("").stream().filter((each) -> each.command().startsWith("reconcile:")).count();
    }

    @Test
    void shouldManageADataPlaneOfVersion1()
    {
        final AtomicBoolean isOld = new AtomicBoolean(true);
        try (SteeredPlane plane = new SteeredPlane(directory,
            (backend) -> isOld.get() ? new Old(backend, 1) : backend);
            ManagerFixture fixture = ManagerFixture.of(directory, config(plane)))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            client.createDevice(DeviceSpec.file("file0", directory.resolve("file0.img").toString(), MIB));
            client.createSubsystem(new SubsystemSpec(NQN, false));
            client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
            client.addNamespace(new NamespaceSpec(NQN, 2, "file0"));
            client.allowHost(NQN, HOST);
            client.setAnaState(NQN, Transport.TCP, "192.0.2.7", 4420, 1, AnaState.NON_OPTIMIZED);
            client.setQos(new QosSpec(NQN, 1, "", 0, 0, 20_000, 0, 0, 0, 10));
            // What it does not know is said, and not taken for done.
            final ControlException e = assertThrows(ControlException.class, () -> client.createDevice(
                DeviceSpec.file("polled", directory.resolve("polled.img").toString(), MIB)
                    .with(DeviceSettings.file(Polling.OFF))));
            assertEquals(Code.UNSUPPORTED, e.code());
            assertTrue(e.getMessage().contains("device.settings"), e.getMessage());
            ManagerFixture.untilWell(client);
            // While it is away nobody can know.
            plane.stop();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            client.createDevice(DeviceSpec.file("polled", directory.resolve("polled.img").toString(), MIB)
                .with(DeviceSettings.file(Polling.OFF)));
            client.addNamespace(new NamespaceSpec(NQN, 3, "polled"));
            client.createDevice(DeviceSpec.memory("mem1", MIB, 4096));
            client.createDevice(DeviceSpec.fault("bad", "mem1", 7).with(DeviceSettings.fault(List.of(
                new FaultRuleSpec(FaultAction.ERROR, Set.of(), 0, 0, 1, 0, 0, 0x281, 1)))));
            plane.start();
            ManagerFixture.until(client, (info) -> info.isConnected() && 2 == info.driftSteps());
            assertEquals(List.of("bad", "file0", "mem0", "mem1", "polled"),
                client.devices("").stream().map(DeviceInfo::name).sorted().toList());
            assertEquals(3, client.namespaces(NQN).size());
            assertEquals(1, client.hosts(NQN).size());
            assertEquals(1, client.qos(NQN).size());
            assertEquals(Set.of(
                "device bad: the data plane does not support its settings: upgrade it",
                "device polled: the data plane does not support its settings: upgrade it"),
                Set.copyOf(client.manager().drift("").stream().map(DriftInfo::step).toList()));
            // Looked at again and again, there is nothing to do.
            final long repairs = repairs(client);
            for (int i = 0; i < 3; i++)
            {
                assertTrue(client.manager().reconcile(ReconcileMode.REPAIR).startsWith("2 differences"));
            }
            assertEquals(repairs, repairs(client));
            // Several as one go as well, and a manager that is started again finds the same.
            client.beginChange("");
            client.createDevice(DeviceSpec.memory("mem2", MIB, 4096));
            client.deleteDevice("bad");
            client.commitChange();
            fixture.stop();
            fixture.start();
            final ControlClient again = fixture.connect();
            ManagerFixture.until(again, (info) -> info.isConnected() && 1 == info.driftSteps());
            assertEquals(List.of("file0", "mem0", "mem1", "mem2", "polled"),
                again.devices("").stream().map(DeviceInfo::name).sorted().toList());

            // Updated, it becomes all of it.
            plane.stop();
            ManagerFixture.until(again, (info) -> !info.isConnected());
            isOld.set(false);
            plane.start();
            ManagerFixture.untilWell(again);
            assertEquals(Polling.OFF, again.devices("polled").getFirst().settings().polling());
            assertEquals(List.of(), again.manager().drift(""));
        }
    }
}
