package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.service.Caller;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.manager.store.AppliedStateFile;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a data plane keeps of commands that end in another order than they were taken in, or badly. */
class StatePersisterTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String HOST = "nqn.2026-11.io.millrace:host0";
    private static final String OTHER = "nqn.2026-11.io.millrace:host1";
    private static final String LAST = "nqn.2026-11.io.millrace:host2";
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final LeadershipInfo MANAGED = new LeadershipInfo(
        1, new UUID(1, 2), 0, new StatePosition(new UUID(3, 4), 1, 1), 0, 0, "test", "/dev/shm/test");
    private static final DesiredState KEPT = DesiredState.EMPTY
        .with(new Command.CreateSubsystem(new SubsystemSpec(NQN, false)))
        .with(new Command.AllowHost(NQN, HOST));

    @TempDir
    private Path directory;
    private DesiredState actual = KEPT;

    private StatePersister keeper()
    {
        return keeper(KEPT);
    }

    private StatePersister keeper(final DesiredState kept)
    {
        return new StatePersister(AppliedStateFile.in(directory), new ActiveManager("dp0", MANAGED), kept, () -> actual,
            () -> ControllerIds.ALL, SystemNanoClock.INSTANCE, (line) ->
            {
            });
    }

    private static void until(final StatePersister keeper, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "waited for 10 s");
            keeper.poll();
            LockSupport.parkNanos(100_000);
        }
    }

    private Set<String> keptHosts() throws IOException
    {
        try (AppliedStateFile file = AppliedStateFile.in(directory))
        {
            return file.read().state().subsystems().get(NQN).hosts();
        }
    }

    private static CompletableFuture<Reply> done()
    {
        return CompletableFuture.completedFuture(Reply.OK);
    }

    /** A host that is denied, which takes a while, and allowed again meanwhile, is allowed. */
    @Test
    void shouldKeepChangesInTheOrderInWhichTheyWereTaken() throws IOException
    {
        final CompletableFuture<Reply> denied = new CompletableFuture<>();
        try (StatePersister keeper = keeper())
        {
            final CompletableFuture<Reply> first = keeper.follow(new Command.DenyHost(NQN, HOST), false, denied);
            final CompletableFuture<Reply> second = keeper.follow(new Command.AllowHost(NQN, HOST), false, done());
            until(keeper, second::isDone);
            assertFalse(first.isDone());
            denied.complete(Reply.OK);
            until(keeper, first::isDone);
            assertEquals(Code.OK, first.join().code());
        }
        assertEquals(Set.of(HOST), keptHosts());
    }

    /** What takes long holds nothing up that came behind it. */
    @Test
    void shouldKeepWhatEndedBeforeWhatCameBeforeIt() throws IOException
    {
        final CompletableFuture<Reply> denied = new CompletableFuture<>();
        try (StatePersister keeper = keeper())
        {
            keeper.follow(new Command.AllowHost(NQN, OTHER), false, done());
            keeper.follow(new Command.DenyHost(NQN, HOST), false, denied);
            final CompletableFuture<Reply> behind = keeper.follow(new Command.DenyHost(NQN, OTHER), false, done());
            until(keeper, behind::isDone);
            assertEquals(Code.OK, behind.join().code());
        }
        assertEquals(Set.of(HOST), keptHosts());
    }

    @Test
    void shouldAnswerWhatFailedAndKeepWhatIsThere() throws IOException
    {
        try (StatePersister keeper = keeper())
        {
            actual = KEPT.with(new Command.DenyHost(NQN, HOST)).with(new Command.AllowHost(NQN, OTHER));
            final CompletableFuture<Reply> failed = keeper.follow(new Command.DenyHost(NQN, HOST), false,
                CompletableFuture.failedFuture(new IllegalStateException("broken")));
            until(keeper, failed::isDone);
            assertEquals(Code.FAILED, failed.join().code());
            assertTrue(failed.join().text().contains("broken"), failed.join().text());
            until(keeper, keeper.follow(new Command.AllowHost(NQN, OTHER), false, done())::isDone);
        }
        assertEquals(Set.of(OTHER), keptHosts());
    }

    /** An addition is answered before it is kept, and may wait for a while. */
    @Test
    void shouldKeepTheLastChangesWhenItCloses() throws IOException
    {
        // No time passes, so that no second write is due.
        try (StatePersister keeper = new StatePersister(AppliedStateFile.in(directory),
            new ActiveManager("dp0", MANAGED), KEPT, () -> actual, () -> ControllerIds.ALL, () -> 0, (line) ->
            {
            }))
        {
            until(keeper, keeper.follow(new Command.AllowHost(NQN, OTHER), true, done())::isDone);
            until(keeper, keeper.follow(new Command.AllowHost(NQN, LAST), false, done())::isDone);
            assertEquals(0, keeper.poll());
            assertFalse(Files.readString(directory.resolve("applied-state.yaml")).contains(LAST));
        }
        assertEquals(Set.of(HOST, OTHER, LAST), keptHosts());
    }

    /** Its manager does not have it. */
    @Test
    void shouldAnswerADirectChangeWhenItIsKept() throws IOException
    {
        try (StatePersister keeper = keeper())
        {
            final CompletableFuture<Reply> answer = keeper.follow(new Command.AllowHost(NQN, OTHER), true, done());
            until(keeper, answer::isDone);
            assertTrue(Files.exists(directory.resolve("applied-state.yaml")), "answered before anything was kept");
            assertTrue(Files.readString(directory.resolve("applied-state.yaml")).contains(OTHER));
        }
    }

    /** Else a host that was revoked would be back with the next start. */
    @Test
    void shouldAnswerWhatTakesSomethingAwayWhenItIsKept() throws IOException
    {
        final DesiredState full = KEPT.with(new Command.CreateDevice(DeviceSpec.memory("mem0", 1 << 20, 4096)))
            .with(new Command.CreateDevice(DeviceSpec.memory("mem1", 1 << 20, 4096)))
            .with(new Command.AddNamespace(new NamespaceSpec(NQN, 1, "mem0")))
            .with(new Command.AddListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 4420, false)));
        final DesiredState open = full.with(new Command.SetAllowAnyHost(NQN, true));
        assertAnsweredWhenKept(full, new Command.DenyHost(NQN, HOST));
        assertAnsweredWhenKept(full, new Command.DeleteSubsystem(NQN));
        assertAnsweredWhenKept(full, new Command.RemoveNamespace(NQN, 1));
        assertAnsweredWhenKept(full, new Command.DeleteDevice("mem1"));
        assertAnsweredWhenKept(full, new Command.RemoveListener(Transport.TCP, "127.0.0.1", 4420));
        assertAnsweredWhenKept(full, new Command.SetAnaState(NQN, Transport.TCP, "127.0.0.1", 4420, 1,
            AnaState.INACCESSIBLE));
        assertAnsweredWhenKept(open, new Command.SetAllowAnyHost(NQN, false));
    }

    /** Else an array would take back at the next start what it has let go of, and that is in use by then. */
    @Test
    void shouldAnswerWhatFreesADeviceWhenItIsKept() throws IOException
    {
        DesiredState state = KEPT;
        for (final String each : List.of("a", "b", "c", "d"))
        {
            state = state.with(new Command.CreateDevice(DeviceSpec.memory(each, 4 << 20, 4096)));
        }
        assertAnsweredWhenKept(state.with(new Command.CreateDevice(new DeviceSpec("vol", "raid",
            Map.of("level", "6", "members", "a b c d")))),
            new Command.ModifyDevice("vol", Map.of("level", "5", "members", "a b c")));
    }

    private void assertAnsweredWhenKept(final DesiredState before, final Command command) throws IOException
    {
        final Command addition = new Command.AllowHost(NQN, OTHER);
        try (StatePersister keeper = keeper(before))
        {
            final CompletableFuture<Reply> added = keeper.follow(addition, false, done());
            final CompletableFuture<Reply> answer = keeper.follow(command, false, done());
            keeper.poll();
            assertTrue(added.isDone(), "its manager has it");
            assertFalse(answer.isDone(), "nothing was kept yet: " + command);
            until(keeper, answer::isDone);
        }
        try (AppliedStateFile file = AppliedStateFile.in(directory))
        {
            assertEquals(before.with(addition).with(command), file.read().state(), command::toString);
        }
    }

    /** A manager that looks when the change is made, and not yet answered, knows that it is not its own. */
    @Test
    void shouldCountADirectChangeBeforeItIsMade()
    {
        final ControlEvents events = new ControlEvents();
        final FileBounds bounds = FileBounds.below("control.device-directories", List.of(directory), List.of());
        try (DataPlane dataPlane = DataPlane.start(DataPlaneConfig.managed(
            List.of(ReactorConfig.of("test-0", -1)), 32 << 20), TargetListener.NONE, events);
            DataPlaneBackend backend = new DataPlaneBackend("dp0", dataPlane, events, new SilentOwner(),
                new PersistedState(null, MANAGED, null, false, FileRecords.NONE), bounds))
        {
            final Caller caller = new Caller(1, Role.ADMIN, "test", "", "dp0");
            backend.carryOut(caller, CommandId.NONE, CommandHeader.DIRECT,
                new Command.CreateSubsystem(new SubsystemSpec(NQN, false)));
            final LeadershipInfo seen = (LeadershipInfo)backend.list(caller, new Command.List(Kind.LEADERSHIP, ""))
                .join().resources().getFirst();
            assertEquals(1, dataPlane.subsystems().list().size());
            assertEquals(1, seen.directChanges());
        }
    }

    /** Also a change that takes long: a manager may look before it ends. */
    @Test
    void shouldCountADirectChangeBeforeItEnds() throws Exception
    {
        final ControlEvents events = new ControlEvents();
        final FileBounds bounds = FileBounds.below("control.device-directories", List.of(directory), List.of());
        try (DataPlane dataPlane = DataPlane.start(DataPlaneConfig.managed(
            List.of(ReactorConfig.of("test-0", -1)), 32 << 20), TargetListener.NONE, events);
            DataPlaneBackend backend = new DataPlaneBackend("dp0", dataPlane, events, new SilentOwner(),
                new PersistedState(null, MANAGED, null, false, FileRecords.NONE), bounds))
        {
            final Caller caller = new Caller(1, Role.ADMIN, "test", "", "dp0");
            for (final Command command : List.of(new Command.CreateSubsystem(new SubsystemSpec(NQN, false)),
                new Command.CreateDevice(DeviceSpec.memory("mem0", 1 << 20, 4096)),
                new Command.AddNamespace(new NamespaceSpec(NQN, 1, "mem0"))))
            {
                assertEquals(Code.OK, answer(backend, backend.carryOut(caller, CommandId.NONE, 1, command)).code());
            }
            final CountDownLatch gate = new CountDownLatch(1);
            final CompletableFuture<Boolean> held =
                dataPlane.reactors().getFirst().call(() -> gate.await(10, TimeUnit.SECONDS));
            final CompletableFuture<Reply> removed = backend.carryOut(
                caller, CommandId.NONE, CommandHeader.DIRECT, new Command.RemoveNamespace(NQN, 1));
            final LeadershipInfo seen = (LeadershipInfo)backend.list(caller, new Command.List(Kind.LEADERSHIP, ""))
                .join().resources().getFirst();
            backend.poll();
            assertFalse(removed.isDone(), "the reactor, which has to take part, stands still");
            assertEquals(1, seen.directChanges());
            gate.countDown();
            assertTrue(held.get(10, TimeUnit.SECONDS));
            assertEquals(Code.OK, answer(backend, removed).code());
        }
    }

    private static Reply answer(final DataPlaneBackend backend, final CompletableFuture<Reply> reply)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (!reply.isDone())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "waited for 10 s");
            backend.poll();
            LockSupport.parkNanos(100_000);
        }
        return reply.join();
    }

    /** A disk that was full has room again: what could not be kept is, without another command, and that is said. */
    @Test
    void shouldTryAgainEachSecondUntilTheStateIsKept() throws IOException
    {
        final Path state = Files.createFile(directory.resolve("state"));
        final List<String> lines = new ArrayList<>();
        final AtomicLong nowNs = new AtomicLong();
        try (StatePersister keeper = new StatePersister(AppliedStateFile.in(state), new ActiveManager("dp0", MANAGED),
            KEPT,
            () -> actual, () -> ControllerIds.ALL, nowNs::get, lines::add))
        {
            final CompletableFuture<Reply> answer = keeper.follow(new Command.DenyHost(NQN, HOST), false, done());
            until(keeper, answer::isDone);
            assertEquals(Code.OK, answer.join().code());
            assertTrue(answer.join().text().startsWith("done, but the data plane cannot persist it in " + state),
                answer.join().text());
            assertEquals(1, lines.size(), lines::toString);
            nowNs.addAndGet(SECOND_NS - 1);
            assertEquals(0, keeper.poll(), "tried again before a second has passed");
            nowNs.addAndGet(1);
            assertEquals(1, keeper.poll(), "not tried again");
            until(keeper, () -> keeper.poll() > 0);
            assertEquals(1, lines.size(), lines::toString);
            assertEquals(0, keeper.poll(), "tried again at once");
            Files.delete(state);
            nowNs.addAndGet(SECOND_NS);
            until(keeper, () -> 2 == lines.size());
            assertTrue(lines.getLast().startsWith("state is persisted again in " + state), lines::toString);
            final String kept = Files.readString(state.resolve("applied-state.yaml"));
            assertTrue(kept.contains(NQN) && !kept.contains(HOST), kept);
            nowNs.addAndGet(10 * SECOND_NS);
            assertEquals(0, keeper.poll(), "there is nothing to keep");
        }
    }

    static final class SilentOwner implements ControlOwner
    {
        @Override
        public String version()
        {
            return "9.9";
        }

        @Override
        public void onStop()
        {
        }

        @Override
        public void onNote(final String message)
        {
        }

        @Override
        public void onError(final String message)
        {
        }
    }
}
