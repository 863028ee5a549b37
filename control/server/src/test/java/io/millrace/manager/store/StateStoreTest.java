package io.millrace.manager.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.message.Terms;
import io.millrace.control.message.VersionInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateEditor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateStoreTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String OPTION = "--use-version VERSION";
    private static final Instant TIME = Instant.parse("2026-11-21T10:11:12.123456Z");

    @TempDir
    private Path directory;

    private static DesiredState volume()
    {
        final StateEditor editor = DesiredState.EMPTY.edit();
        editor.apply(new Command.CreateDevice(DeviceSpec.memory("mem0", 64 << 20, 4096)));
        editor.apply(new Command.CreateSubsystem(new SubsystemSpec(NQN, false)));
        editor.apply(new Command.AddNamespace(new NamespaceSpec(NQN, 1, "mem0")));
        editor.apply(new Command.AllowHost(NQN, "nqn.2026-11.io.host:a"));
        editor.apply(new Command.AddListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 4420, false)));
        return editor.state();
    }

    private StateStore open(final int keep) throws IOException
    {
        return StateStore.open(FileDisk.of(directory.resolve("dp0")), keep, 0, OPTION);
    }

    private Path file(final int version)
    {
        return directory.resolve("dp0").resolve("state-0000000" + version + ".yaml");
    }

    /** The layout on disk: files of this version have to be read by later ones. */
    @Test
    void shouldWriteAFileThatPeopleCanRead() throws IOException
    {
        open(50).append(TIME, "alice (key ops)", "say \"hi\"\\", List.of(new CommandId(1, -1), new CommandId(2, 3)),
            List.of(new Refusal(new CommandId(4, 5), Code.NOT_FOUND, "no \"a\\b\"")), volume());
        final String body = """
            ---
            devices:
              - {name: mem0, type: memory, size: 64MiB}
            subsystems:
              - nqn: nqn.2026-11.io.millrace:vol0
                allow-any-host: false
                hosts:
                  - nqn.2026-11.io.host:a
                namespaces:
                  - {nsid: 1, device: mem0}
            listeners:
              - {transport: tcp, address: 127.0.0.1, port: 4420}
            discovery: false
            """;
        assertEquals("""
            # Desired state of a data plane, stored by its manager. An edited file is refused: change it with commands.
            version: 1
            lineage: "LINEAGE"
            term: 0
            time: 2026-11-21T10:11:12.123456Z
            author: "alice (key ops)"
            comment: "say \\"hi\\"\\\\"
            counts: {devices: 1, subsystems: 1, namespaces: 1, hosts: 1, listeners: 1}
            commands: ["0000000000000001ffffffffffffffff", "00000000000000020000000000000003"]
            refused: [["00000000000000040000000000000005", "NOT_FOUND", "no \\"a\\\\b\\""]]
            sha256: @
            """.replace("@", sha256()).replace("LINEAGE", lineage()) + body, Files.readString(file(1)));
        assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file(1))));
    }

    private String lineage() throws IOException
    {
        final String id = open(50).latest().header().lineage().toString().replace("-", "");
        assertEquals(32, id.length());
        return id;
    }

    /** As the documentation tells people to. */
    private String sha256() throws IOException
    {
        final Process process = new ProcessBuilder(
            "sh", "-c", "grep -v '^sha256: ' '" + file(1) + "' | sha256sum").start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).split(" ")[0];
    }

    @Test
    void shouldFindWhatItKept() throws IOException
    {
        final StateStore store = open(50);
        assertNull(store.latest());
        assertEquals(0, store.term());
        store.append(TIME, "alice", "", List.of(), List.of(), DesiredState.EMPTY);
        store.append(TIME, "bob", "a volume", List.of(new CommandId(1, 2)), List.of(), volume());
        store.term(9);
        final StateStore found = open(50);
        assertEquals(store.latest(), found.latest());
        assertEquals(store.history(), found.history());
        assertEquals(volume(), found.latest().state());
        assertEquals(DesiredState.EMPTY, found.read(1).state());
        assertEquals(9, found.term());
        assertEquals(new VersionInfo(2, 1795255872123456000L, 1, 1, 1, 1, 1, "dp0", "bob", "a volume"),
            found.history().getLast().info("dp0", false));
    }

    @Test
    void shouldKeepTheLastVersionsOnly() throws IOException
    {
        final StateStore store = open(3);
        for (int i = 1; i <= 5; i++)
        {
            store.append(TIME, "alice", "", List.of(), List.of(), volume());
        }
        assertEquals(List.of(3L, 4L, 5L), store.history().stream().map(VersionHeader::version).toList());
        assertFalse(Files.exists(file(2)));
        assertEquals(store.history(), open(3).history());
        assertThrows(IOException.class, () -> store.read(2));
    }

    @Test
    void shouldRefuseADamagedFileAndOfferTheVersionBefore() throws IOException
    {
        final StateStore store = open(50);
        store.append(TIME, "alice", "", List.of(), List.of(), volume());
        store.append(TIME, "alice", "", List.of(), List.of(), volume());
        store.append(TIME, "alice", "", List.of(), List.of(), DesiredState.EMPTY);
        Files.writeString(file(3), Files.readString(file(3)).replace("time: 2026", "time: 2027"));
        final String message = assertThrows(StoreException.class, () -> open(50)).getMessage();
        assertTrue(message.startsWith(file(3) + ":11: sha256 is "), message);
        assertTrue(message.endsWith("; restore it, or go on with version 2 of 2026-11-21T10:11:12.123456Z: start " +
            "with --use-version 2"), message);
        Files.writeString(file(2), "");
        final String other = assertThrows(StoreException.class, () -> open(50)).getMessage();
        assertTrue(other.endsWith("--use-version 1"), other);
        final StateStore used = StateStore.open(FileDisk.of(directory.resolve("dp0")), 50, 1, OPTION);
        assertEquals(4, used.latest().number());
        assertEquals(volume(), used.latest().state());
        assertEquals(4, open(50).latest().number());
        assertTrue(Files.exists(file(3).resolveSibling("state-00000003.yaml.damaged")));
        final String missing = assertThrows(StoreException.class,
            () -> StateStore.open(FileDisk.of(directory.resolve("dp0")), 50, 7, OPTION)).getMessage();
        assertTrue(missing.endsWith("there is no version 7; there are 1 to 4"), missing);
    }

    @Test
    void shouldSayWhichLineCannotBeRead() throws IOException
    {
        open(50).append(TIME, "alice", "", List.of(), List.of(), volume());
        final String sound = Files.readString(file(1));
        Files.writeString(file(1), sound.replace("time: 2026", "time: never"));
        assertTrue(assertThrows(StoreException.class, () -> open(50)).getMessage()
            .startsWith(file(1) + ":5: time is none; restore it: no version before it is sound"));
        Files.writeString(file(1), sound.replace("version: 1", "version: 2"));
        assertTrue(assertThrows(StoreException.class, () -> open(50)).getMessage().startsWith(file(1) + ":11: sha256"));
        Files.writeString(file(1), sound.substring(0, 150));
        assertTrue(assertThrows(StoreException.class, () -> open(50)).getMessage().startsWith(file(1) + ":"));
    }

    /** As someone does who goes back to a version by copying its file. */
    @Test
    void shouldRefuseAFileThatWasRenamed() throws IOException
    {
        final StateStore store = open(50);
        store.append(TIME, "a", "", List.of(), List.of(), volume());
        store.append(TIME, "a", "", List.of(), List.of(), DesiredState.EMPTY);
        Files.copy(file(1), file(3));
        final String message = assertThrows(StoreException.class, () -> open(50)).getMessage();
        assertTrue(message.startsWith(file(3) + ":2: version is 1, the file's name says 3: the file was renamed; ") &&
            message.contains("go on with version 2 "), message);
    }

    /** Versions of an earlier term would come before those that data planes have. */
    @Test
    void shouldHaveTheTermOfItsLastVersionWhenTheFileOfTheTermIsLost() throws IOException
    {
        final StateStore store = open(50);
        store.term(7);
        final Version last = store.append(TIME, "a", "", List.of(), List.of(), volume());
        Files.delete(directory.resolve("dp0/term"));
        final StateStore found = open(50);
        assertEquals(7, found.term());
        assertTrue(found.append(TIME, "a", "", List.of(), List.of(), DesiredState.EMPTY).header().position()
            .isAfter(last.header().position()));
    }

    /** The data plane knows which terms were taken: the file must not keep the manager from starting. */
    @Test
    void shouldPutATermAsideThatIsNone() throws IOException
    {
        open(50).term(7);
        final Path term = directory.resolve("dp0").resolve("term");
        for (final String damaged : List.of("many", "", "-1", "9223372036854775807", "9999999999999999999",
            "99999999999999999999", Long.toString(Terms.MAX + 1)))
        {
            Files.writeString(term, damaged + "\n");
            final StateStore found = open(50);
            assertEquals(0, found.term());
            assertEquals(List.of(term +
                ":1: is no term from 0 to 1000000000000, and was renamed to term.damaged; the " +
                "manager takes a term above the one that the data plane holds"), found.warnings());
            assertEquals(List.of(), open(50).warnings());
        }
        Files.writeString(term, Terms.MAX + "\n");
        final StateStore last = open(50);
        assertEquals(Terms.MAX, last.term());
        assertThrows(IOException.class, () -> last.term(Terms.MAX + 1));
        assertThrows(IOException.class, () -> last.term(Long.MAX_VALUE));
        assertEquals(Terms.MAX, open(50).term());
    }

    /** Versions of before there were lineages get one, at once and once. */
    @Test
    void shouldGiveVersionsOfBeforeALineage() throws IOException
    {
        open(50).append(TIME, "alice", "", List.of(), List.of(), volume());
        final String sound = Files.readString(file(1));
        final String old = sound.replaceAll("(?m)^(lineage|term|sha256): .*\n", "");
        Files.writeString(file(1), old.replace("---\n", "sha256: @\n---\n"));
        Files.writeString(file(1), Files.readString(file(1)).replace("@", sha256()));
        final Version begun = open(50).latest();
        assertEquals(2, begun.number());
        assertEquals(volume(), begun.state());
        assertTrue(begun.header().position().isKnown());
        assertEquals(begun, open(50).latest());
    }

    @Test
    void shouldGoOnBehindTheVersionOfADataPlane() throws IOException
    {
        final StateStore store = open(50);
        store.append(TIME, "alice", "", List.of(), List.of(), volume());
        final StatePosition held = new StatePosition(new UUID(8, 9), 5, 70);
        store.continueAfter(held);
        final StatePosition next =
            store.append(TIME, "alice", "", List.of(), List.of(), DesiredState.EMPTY).header().position();
        assertEquals(new StatePosition(new UUID(8, 9), 5, 71), next);
        assertTrue(next.isAfter(held) && next.isRelatedTo(held));
        assertEquals(next, open(50).latest().header().position());
    }

    /** Nothing is written that is not found again, and nothing overflows. */
    @Test
    void shouldKeepToTheBoundOfVersions() throws IOException
    {
        final StateStore store = open(50);
        final Version first = store.append(TIME, "alice", "", List.of(), List.of(), volume());
        for (final StatePosition beyond : List.of(
            new StatePosition(new UUID(8, 9), 5, Long.MAX_VALUE),
            new StatePosition(new UUID(8, 9), 5, 999_999_999_999_999_999L),
            new StatePosition(new UUID(8, 9), 5, StatePosition.VERSION_MAX + 1),
            new StatePosition(new UUID(8, 9), 5, StatePosition.VERSION_MAX),
            new StatePosition(new UUID(8, 9), 5, -1),
            new StatePosition(new UUID(8, 9), Terms.MAX + 1, 5),
            new StatePosition(new UUID(8, 9), -1, 5)))
        {
            final String message =
                assertThrows(IOException.class, () -> store.continueAfter(beyond), beyond::toString).getMessage();
            assertTrue(message.startsWith("no version can follow " + beyond + ": "), message);
        }
        final StatePosition second =
            store.append(TIME, "alice", "", List.of(), List.of(), DesiredState.EMPTY).header().position();
        assertEquals(new StatePosition(first.header().lineage(), 0, 2), second, "as if it had not been asked");
        store.continueAfter(new StatePosition(new UUID(8, 9), 5, StatePosition.VERSION_MAX - 1));
        final Version last = store.append(TIME, "alice", "", List.of(), List.of(), volume());
        assertEquals(StatePosition.VERSION_MAX, last.number());
        assertTrue(assertThrows(IOException.class,
            () -> store.append(TIME, "alice", "", List.of(), List.of(), volume())).getMessage()
            .startsWith("no version can follow "));
        assertEquals(last, open(50).latest());
        assertEquals(List.of(1L, 2L, last.number()), open(50).history().stream().map(VersionHeader::version).toList());
        assertEquals(last, open(50).read(last.number()));
        final VersionHeader beyond = new VersionHeader(StatePosition.VERSION_MAX + 1, new UUID(1, 2), 3, TIME, "alice",
            "", new VersionHeader.Counts(0, 0, 0, 0, 0), List.of(), List.of());
        assertTrue(assertThrows(StoreException.class,
            () -> VersionFile.read("f", VersionFile.write(beyond, DesiredState.EMPTY))).getMessage()
            .startsWith("f:2: version is no number from 0 to 1000000000000000"));
    }

    /** Which an earlier manager wrote, and could not read: people get over it with what they are told. */
    @Test
    void shouldGoOnBeforeAFileBeyondTheBound() throws IOException
    {
        open(50).append(TIME, "alice", "", List.of(), List.of(), volume());
        final Path beyond = file(1).resolveSibling("state-999999999999999999.yaml");
        Files.writeString(beyond, Files.readString(file(1)).replace("version: 1", "version: 999999999999999999"));
        final String message = assertThrows(StoreException.class, () -> open(50)).getMessage();
        assertTrue(message.startsWith(beyond + ":2: version is no number from 0 to 1000000000000000; restore it, or " +
            "go on with version 1 of ") && message.endsWith("--use-version 1"), message);
        final StateStore used = StateStore.open(FileDisk.of(directory.resolve("dp0")), 50, 1, OPTION);
        assertEquals(2, used.latest().number());
        assertEquals(used.latest(), open(50).latest());
    }

    private static List<Long> versions(final StateStore store)
    {
        return store.history().stream().map(VersionHeader::version).toList();
    }

    /** What was taken back leaves the others their places, and goes itself in time. */
    @Test
    void shouldNotCountWhatWasTakenBack() throws IOException
    {
        final StateStore store = open(3);
        store.append(TIME, "alice", "", List.of(), List.of(), volume());
        store.append(TIME, "alice", "", List.of(), List.of(), DesiredState.EMPTY);
        for (int i = 0; i < 5; i++)
        {
            final long wrong = store.append(TIME, "bob", "", List.of(), List.of(), volume()).number();
            store.revertFrom(wrong);
            store.append(TIME, "manager", "", List.of(), List.of(), DesiredState.EMPTY);
        }
        // Of those that count, one place is for what is not known yet to be taken back.
        assertEquals(List.of(1L, 2L, 10L, 11L, 12L), versions(store));
        assertEquals(List.of(11L, 12L), store.latest().header().reverted());
        assertEquals(store.history(), open(3).history());
        final StateStore found = open(3);
        // Several versions have what is taken back, and what comes of them is new.
        final long wrong = found.append(TIME, "bob", "", List.of(), List.of(), volume()).number();
        found.append(TIME, "bob", "", List.of(), List.of(), DesiredState.EMPTY);
        found.revertFrom(wrong + 1);
        found.revertFrom(wrong);
        found.append(TIME, "bob", "", List.of(), List.of(), volume());
        assertEquals(List.of(13L, 14L), found.latest().header().reverted());
        assertEquals(List.of(2L, 12L, 13L, 14L, 15L), versions(found));
        found.append(TIME, "bob", "", List.of(), List.of(), volume());
        assertEquals(List.of(2L, 12L, 13L, 14L, 15L, 16L), versions(found));
        // They do not outlive the version that took them back.
        found.append(TIME, "bob", "", List.of(), List.of(), volume());
        assertEquals(List.of(12L, 13L, 14L, 15L, 16L, 17L), versions(found));
        found.append(TIME, "bob", "", List.of(), List.of(), volume());
        assertEquals(List.of(16L, 17L, 18L), versions(found));
        assertEquals(found.history(), open(3).history());
        assertEquals(3, Files.list(directory.resolve("dp0")).filter((each) -> each.toString().endsWith(".yaml"))
            .count());
    }

    /** Whichever byte is another: refused, and never another state. */
    @Property(tries = 300)
    void shouldRefuseAFileOfWhichAByteIsAnother(@ForAll @IntRange(max = 9999) final int place, @ForAll final byte value)
    {
        final byte[] sound = VersionFile.write(new VersionHeader(7, new UUID(1, 2), 3, TIME, "alice",
            "ä \u2028 \ud83d\ude00 \n",
            VersionHeader.Counts.of(volume()), List.of(new CommandId(1, 2)),
            List.of(new Refusal(new CommandId(3, 4), Code.EXISTS, "it exists"))), volume());
        assertEquals("ä \u2028 \ud83d\ude00 \n", VersionFile.read("f", sound).header().comment());
        final byte[] other = sound.clone();
        other[place % sound.length] = value;
        if (value != sound[place % sound.length])
        {
            assertTrue(assertThrows(StoreException.class, () -> VersionFile.read("f", other)).getMessage()
                .matches("(?s)f:\\d+: .*"));
        }
    }

    @Property(tries = 300)
    void shouldKeepAnyComment(@ForAll final String comment)
    {
        final VersionHeader header = new VersionHeader(7, new UUID(1, 2), 3, TIME, "alice", comment,
            new VersionHeader.Counts(0, 0, 0, 0, 0), List.of(),
            List.of(new Refusal(new CommandId(1, 2), Code.IN_USE, comment),
                new Refusal(new CommandId(-1, -2), Code.FAILED, "then")));
        assertEquals(header, VersionFile.read("f", VersionFile.write(header, DesiredState.EMPTY)).header());
    }
}
