package io.millrace.manager.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.service.Caller;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.store.FileDisk;
import io.millrace.manager.store.FullDisk;
import io.millrace.manager.store.StateStore;
import io.millrace.manager.store.VersionHeader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The line of changes, with a disk that can be full. */
class LedgerTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final Caller CALLER = new Caller(1, Role.ADMIN, "test", "", "dp0");

    @TempDir
    private Path directory;
    private final WorkThread work = new WorkThread("test");
    private final List<String> finished = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private FullDisk disk;
    private StateStore store;
    private Ledger ledger;
    private long nowNs;

    @BeforeEach
    void open() throws IOException
    {
        disk = new FullDisk(FileDisk.of(directory));
        store = StateStore.open(disk, 50, 0, "--use-version VERSION");
        store.append(Instant.EPOCH, "test", "", List.of(), List.of(), DesiredState.EMPTY);
        ledger = new Ledger(store, work, (change, reply) ->
            finished.add(CommandDescriptions.of(change.request()) + ": " + reply.code()), lines::add);
    }

    @AfterEach
    void close()
    {
        work.close();
    }

    private static Command device(final String name)
    {
        return new Command.CreateDevice(DeviceSpec.memory(name, 1 << 20, 4096));
    }

    private static ChangeRequest create(final String name)
    {
        return of(device(name));
    }

    private static ChangeRequest of(final Command command)
    {
        return of(0, command);
    }

    private static ChangeRequest of(final long id, final Command command)
    {
        return ChangeRequest.ofOne(CALLER, 0 == id ? CommandId.NONE : new CommandId(1, id), command);
    }

    private void until(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean())
        {
            ledger.poll(nowNs += 10_000_000);
            work.poll();
            assertTrue(System.nanoTime() - deadlineNs < 0, finished::toString);
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldRefuseWhatCannotBeKeptAndGoOn() throws IOException
    {
        disk.isFull(true);
        assertNull(ledger.accept(create("a")));
        assertNull(ledger.accept(create("b")));
        until(() -> 2 == finished.size());
        assertEquals(List.of("create device a (memory of 1MiB): FAILED", "create device b (memory of 1MiB): FAILED"),
            finished);
        assertEquals(DesiredState.EMPTY, ledger.tipState());
        assertEquals(DesiredState.EMPTY, open2().latest().state());
        disk.isFull(false);
        assertNull(ledger.accept(create("a")));
        until(() -> null != ledger.peekReady());
        assertEquals(2, ledger.version());
        assertEquals(1, open2().latest().state().devices().size());
    }

    /** Whoever asks again and again on a full disk fills another one with lines, else. */
    @Test
    void shouldSayOnceThatNothingCanBeKept()
    {
        disk.isFull(true);
        for (int i = 1; i <= 100; i++)
        {
            final int all = i;
            assertNull(ledger.accept(create("a")));
            until(() -> all == finished.size());
        }
        assertEquals(1, lines.size(), lines::toString);
    }

    /** The version with it is on disk: after the next start it would be carried out, though it had failed. */
    @Test
    void shouldNotAnswerARefusalBeforeNoVersionHasTheChange() throws IOException
    {
        final ChangeRequest refused = sent(create("a"));
        final ChangeRequest confirmed = sent(create("b"));
        disk.isFull(true);
        ledger.revert(refused, Reply.refused(Code.INVALID, "no memory"));
        ledger.confirm(confirmed, Reply.OK);
        // Twice it is tried to write a version without it.
        for (int i = 1; i <= 2; i++)
        {
            final int failures = disk.failures() + 1;
            until(() -> failures == disk.failures());
        }
        assertNull(ledger.accept(create("c")));
        until(() -> 2 == finished.size());
        assertEquals(List.of("create device b (memory of 1MiB): OK", "create device c (memory of 1MiB): FAILED"),
            finished);
        assertEquals(Set.of("a", "b"), open2().latest().state().devices().keySet(), "not answered as failed");
        disk.isFull(false);
        until(() -> 3 == finished.size());
        assertEquals("create device a (memory of 1MiB): INVALID", finished.getLast());
        assertEquals(Set.of("b"), open2().latest().state().devices().keySet());
    }

    private ChangeRequest sent(final ChangeRequest change)
    {
        assertNull(ledger.accept(change));
        until(() -> change == ledger.peekReady());
        ledger.onSent();
        return change;
    }

    private void revert(final ChangeRequest change)
    {
        final int before = finished.size();
        ledger.revert(change, Reply.refused(Code.FAILED, "no such file"));
        until(() -> before < finished.size() && ledger.isSettled());
    }

    private static List<Long> versions(final StateStore store)
    {
        return store.history().stream().map(VersionHeader::version).toList();
    }

    /** A script that tries the same again and again takes no version away that somebody may want to go back to. */
    @Test
    void shouldKeepVersionsWhenTheDataPlaneRefusesOneChangeAfterTheOther() throws IOException
    {
        for (final String name : List.of("a", "b"))
        {
            ledger.confirm(sent(create(name)), Reply.OK);
        }
        until(() -> ledger.isSettled());
        for (int i = 1; i <= 60; i++)
        {
            revert(sent(of(i, device("wrong"))));
        }
        for (final StateStore each : List.of(store, open2()))
        {
            assertTrue(versions(each).containsAll(List.of(1L, 2L, 3L)), () -> "kept: " + versions(each));
            assertTrue(each.history().size() <= 100, () -> "kept: " + versions(each));
            assertEquals(List.of("a"), List.copyOf(each.read(2).state().devices().keySet()));
        }
        // What is repeated is answered as before.
        assertEquals(Code.FAILED, again(60, device("wrong")));
        // Changes beside them count: what becomes of them is a state that was there.
        final ChangeRequest wrong = sent(create("wrong"));
        ledger.confirm(sent(create("c")), Reply.OK);
        revert(wrong);
        final long withC = ledger.version();
        for (int i = 0; i < 60; i++)
        {
            revert(sent(create("wrong")));
        }
        final StateStore found = open2();
        assertTrue(versions(found).containsAll(List.of(1L, 2L, 3L, withC)), () -> "kept: " + versions(found));
        assertEquals(List.of("a", "b", "c"), List.copyOf(found.read(withC).state().devices().keySet()));
        assertEquals(found.read(withC).state(), found.latest().state());
    }

    private StateStore open2() throws IOException
    {
        return StateStore.open(FileDisk.of(directory), 50, 0, "--use-version VERSION");
    }

    @Test
    void shouldTakeOutWhatIsRefusedAndWhatCannotBeWithoutIt() throws IOException
    {
        final ChangeRequest device = create("a");
        final ChangeRequest subsystem = of(new Command.CreateSubsystem(new SubsystemSpec(NQN, true)));
        final ChangeRequest namespace = of(new Command.AddNamespace(new NamespaceSpec(NQN, 1, "a")));
        assertNull(ledger.accept(device));
        assertNull(ledger.accept(subsystem));
        assertNull(ledger.accept(namespace));
        until(() -> device == ledger.peekReady());
        ledger.onSent();
        // What comes now is written, and what comes then waits, while the first is refused.
        assertNull(ledger.accept(create("b")));
        ledger.revert(device, Reply.refused(Code.FAILED, "no memory"));
        assertEquals(Code.NOT_FOUND, ledger.accept(of(new Command.ResizeDevice("a", 2 << 20))).code());
        until(() -> 2 == finished.size());
        assertEquals(List.of("create device a (memory of 1MiB): FAILED",
            "add namespace " + NQN + "/1 of device a: NOT_FOUND"), finished);
        assertEquals(subsystem, ledger.peekReady());
        ledger.onSent();
        ledger.confirm(subsystem, Reply.OK);
        until(() -> null != ledger.peekReady());
        final ChangeRequest last = ledger.peekReady();
        ledger.onSent();
        ledger.confirm(last, Reply.OK);
        until(() -> ledger.isSettled());
        assertEquals(ledger.keptState(), ledger.tipState());
        assertEquals(List.of("b"), List.copyOf(ledger.keptState().devices().keySet()));
        assertEquals(ledger.keptState(), open2().latest().state());
    }

    /** The answer that a repeated command gets after a new start; null: it is carried out. */
    private Code again(final long id, final Command command) throws IOException
    {
        final RecentCommands recent = new RecentCommands();
        recent.add(open2().history());
        final Reply reply = recent.replyTo(new CommandId(1, id), command);
        return null == reply ? null : reply.code();
    }

    /** Else it would be done behind what came behind it. */
    @Test
    void shouldKnowWhatItRefusedBeforeWhatItKept() throws IOException
    {
        final Command resize = new Command.ResizeDevice("b", 2 << 20);
        assertNull(ledger.accept(of(1, device("a"))));
        assertEquals(Code.NOT_FOUND, ledger.accept(of(2, resize)).code());
        assertNull(ledger.accept(of(3, device("b"))));
        until(() -> 2 == ledger.version());
        assertEquals(Code.NOT_FOUND, ledger.accept(of(4, new Command.ResizeDevice("c", 2 << 20))).code());
        assertEquals(Code.OK, again(1, device("a")));
        assertEquals(Code.NOT_FOUND, again(2, resize));
        assertEquals(Code.OK, again(3, device("b")));
        assertNull(again(4, new Command.ResizeDevice("c", 2 << 20)), "nothing came behind it");
        assertNull(ledger.accept(of(5, device("c"))));
        until(() -> 3 == ledger.version());
        assertEquals(Code.NOT_FOUND, again(4, new Command.ResizeDevice("c", 2 << 20)));
    }

    @Test
    void shouldKnowWhatTheDataPlaneRefusedAndWhatCouldNotBeKept() throws IOException
    {
        final ChangeRequest refused = of(1, device("a"));
        final Command other = new Command.CreateDevice(DeviceSpec.memory("b", 2 << 20, 4096));
        assertNull(ledger.accept(refused));
        until(() -> refused == ledger.peekReady());
        ledger.onSent();
        disk.isFull(true);
        assertNull(ledger.accept(of(2, device("b"))));
        assertEquals(Code.EXISTS, ledger.accept(of(3, other)).code());
        until(() -> 1 == finished.size());
        ledger.revert(refused, Reply.refused(Code.INVALID, "no memory"));
        assertEquals(Code.NOT_FOUND, ledger.accept(of(4, new Command.ResizeDevice("b", 2 << 20))).code());
        disk.isFull(false);
        assertNull(ledger.accept(of(5, device("c"))));
        until(() -> 3 == ledger.version());
        assertEquals(Code.INVALID, again(1, device("a")));
        assertEquals(Code.FAILED, again(2, device("b")));
        assertEquals(Code.EXISTS, again(3, other));
        assertEquals(Code.NOT_FOUND, again(4, new Command.ResizeDevice("b", 2 << 20)));
        assertEquals(Code.OK, again(5, device("c")));
    }

    @Test
    void shouldWriteChangesThatComeTogetherOnce() throws IOException
    {
        for (int i = 0; i < 100; i++)
        {
            assertNull(ledger.accept(create("mem" + i)));
        }
        until(() -> 100 == ledger.accepted() && null != ledger.peekReady());
        assertEquals(2, ledger.version());
        assertEquals(100, open2().latest().state().devices().size());
        assertEquals(0, ledger.forwarded());
        ledger.confirmAll("kept");
        assertEquals(100, ledger.forwarded());
        assertEquals(100, finished.size());
    }
}
