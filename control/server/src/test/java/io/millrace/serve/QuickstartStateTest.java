package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.file.FileBounds;
import io.millrace.console.CommandException;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.LineLog;
import io.millrace.console.Terminal;
import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.lock.LockFile;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import io.millrace.status.StatusSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuickstartStateTest
{
    private static final ServeOwner OWNER =
        new ServeOwner(new EventLog(new LineLog(Terminal.standardError())), null);

    @TempDir
    private Path directory;
    private Path volume;
    private Path state;

    @BeforeEach
    void name()
    {
        volume = directory.resolve("vol.img");
        state = QuickstartState.directory(volume, Map.of());
    }

    /** What an earlier run left. */
    private void keep() throws IOException
    {
        keep(4420, 8009);
    }

    private void keep(final int port, final int discoveryPort) throws IOException
    {
        Files.write(volume, new byte[8192]);
        final Path document = Files.writeString(directory.resolve("state.yaml"), """
            devices:
              - {name: volume, type: file, path: %s, size: 8KiB, block-size: 4096}
            discovery: false
            listeners:
              - {transport: tcp, address: 127.0.0.1, port: %d}
              - {transport: tcp, address: 127.0.0.1, port: %d, discovery-only: true}
            """.formatted(volume, port, discoveryPort));
        final DesiredState kept = StateDocument.read("test", Files.readString(document)).state();
        try (AppliedStateFile file = AppliedStateFile.in(state.resolve("data-plane")))
        {
            file.write(new AppliedState(LeadershipInfo.NONE, kept, new Command.AssignControllerIds(1, 9)));
        }
    }

    private void check(final Long sizeBytes, final Integer port, final Integer discoveryPort)
    {
        final QuickstartState opened = QuickstartState.open(state, volume);
        try
        {
            opened.check(sizeBytes, port, discoveryPort);
        }
        finally
        {
            opened.kept().file().close();
        }
    }

    private String refusal(final Long sizeBytes, final Integer port, final Integer discoveryPort)
    {
        final CommandException e =
            assertThrows(CommandException.class, () -> check(sizeBytes, port, discoveryPort));
        assertEquals(ExitCode.USAGE, e.exitCode());
        return e.getMessage();
    }

    @Test
    void shouldLieBesideTheVolumeOrWithTheUsersState()
    {
        assertEquals(directory.resolve("vol.img.state"), state);
        assertEquals(Path.of("/s/millrace/quickstart-dev-null.state"),
            QuickstartState.directory(Path.of("/dev/null"), Map.of("XDG_STATE_HOME", "/s")));
    }

    @Test
    void shouldBeNewWithoutAnEarlierRun()
    {
        final QuickstartState opened = QuickstartState.open(state, volume);
        assertTrue(opened.isNew());
        opened.check(4096L, 1, 2);
        assertFalse(Files.exists(state));
    }

    @Test
    void shouldRefuseOptionsThatTheStateContradicts() throws IOException
    {
        keep();
        check(null, null, null);
        check(8192L, 4420, 8009);
        check(8192L, 0, 0);
        assertEquals("--size 1MiB: the volume has 8KiB by the state in " + state + "; leave out --size, and enlarge " +
            "it while it runs with 'millrace device resize volume 1MiB'", refusal(1L << 20, null, null));
        assertEquals("--size 4KiB: the volume has 8KiB by the state in " + state + "; it is never truncated: leave " +
            "out --size, or serve another file with --path FILE", refusal(4096L, null, null));
    }

    @Test
    void shouldReleaseTheStateWhenItRefusesAPort() throws IOException
    {
        keep();
        assertEquals("--port 8009: another listener of the kept state has 127.0.0.1:8009; choose another port",
            refusal(null, 8009, null));
        check(null, 4500, 8010);
    }

    private static void tryIn(final DataPlane dataPlane, final QuickstartState opened) throws IOException
    {
        opened.restore(dataPlane, OWNER, FileBounds.ANYWHERE);
    }

    private static DataPlane empty()
    {
        return DataPlane.start(new DataPlaneConfig(List.of(ReactorConfig.of("reactor-0", -1)), 16 << 20, List.of(),
            List.of(), List.of(), DataPlaneConfig.NO_DISCOVERY_PORT, TargetConfig.defaults(),
            List.of(TcpTransportConfig.defaults()), true, StatusSettings.NONE));
    }

    private static ServerSocket listen() throws IOException
    {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @Test
    void shouldSayWhichOptionsMoveTakenListeners() throws IOException
    {
        try (ServerSocket other = listen(); ServerSocket another = listen())
        {
            keep(other.getLocalPort(), another.getLocalPort());
            final QuickstartState opened = QuickstartState.open(state, volume);
            try (AppliedStateFile _ = opened.kept().file(); DataPlane dataPlane = empty())
            {
                opened.check(null, null, null);
                final String message =
                    assertThrows(CommandException.class, () -> tryIn(dataPlane, opened)).getMessage();
                assertTrue(message.startsWith("cannot listen on 127.0.0.1:"), message);
                assertTrue(message.contains("on 127.0.0.1:" + other.getLocalPort() + ": already in use"), message);
                assertTrue(message.contains("on 127.0.0.1:" + another.getLocalPort() + ": already in use"), message);
                assertTrue(message.endsWith("; stop what listens there, or move the listeners with " +
                    "'millrace quickstart --port PORT --discovery-port PORT'"), message);
            }
        }
    }

    @Test
    void shouldRestoreWithMovedListeners() throws IOException
    {
        try (ServerSocket other = listen(); ServerSocket another = listen())
        {
            final int free;
            final int freeForDiscovery;
            try (ServerSocket first = listen(); ServerSocket second = listen())
            {
                free = first.getLocalPort();
                freeForDiscovery = second.getLocalPort();
            }
            keep(other.getLocalPort(), another.getLocalPort());
            final QuickstartState opened = QuickstartState.open(state, volume);
            try (AppliedStateFile _ = opened.kept().file(); DataPlane dataPlane = empty())
            {
                opened.check(null, free, freeForDiscovery);
                assertEquals(List.of(), opened.restore(dataPlane, OWNER, FileBounds.ANYWHERE));
                assertEquals(List.of(TransportAddress.tcp("127.0.0.1", free)), dataPlane.addresses());
                assertEquals(List.of(TransportAddress.tcp("127.0.0.1", freeForDiscovery)),
                    dataPlane.discoveryAddresses());
                assertEquals(Set.of("127.0.0.1:" + free, "127.0.0.1:" + freeForDiscovery),
                    opened.kept().state().listeners().keySet());
            }
        }
    }

    @Test
    void shouldNotBeginWithAnEmptyVolumeInPlaceOfALostOne() throws IOException
    {
        keep();
        Files.delete(volume);
        assertEquals("--path " + volume + ": does not exist, but its state in " + state + " does: restore the file, " +
            "or begin anew with --fresh", refusal(null, null, null));
    }

    @Test
    void shouldDeleteTheStateUnlessAProcessUsesIt() throws IOException
    {
        keep();
        try (AppliedStateFile file = AppliedStateFile.in(state.resolve("data-plane")))
        {
            file.lock();
            // Overlay file systems do not tell the process.
            final String holder = "(, process " + ProcessHandle.current().pid() + " \\(java\\) of \\w+)?";
            final ByteArrayOutputStream said = new ByteArrayOutputStream();
            final Terminal terminal = new Terminal(new PrintStream(said, true), false, false);
            // Without a terminal and --yes, a question would be refused with another message.
            final String fresh = assertThrows(CommandException.class, () ->
                QuickstartVolume.locate(volume, null, Map.of()).delete(terminal, new Confirmation(), Map.of()))
                .getMessage();
            assertTrue(fresh.matches(Pattern.quote("--fresh: a quickstart of " + volume + " runs") + holder +
                ": stop it first; nothing was deleted"), fresh);
            assertEquals("", said.toString());
            assertTrue(Files.exists(state));
            assertTrue(Files.exists(volume));
            final String again = refusal(null, null, null);
            assertTrue(again.matches(Pattern.quote("a quickstart of " + volume + " runs already") + holder +
                "; use that one, stop it with Ctrl-C, or serve another file with --path FILE"), again);
        }
    }

    @Test
    void shouldRemoveControlDirectoriesOfProcessesThatHaveEnded() throws IOException
    {
        for (final String each : new String[]{"data-plane-17", "manager-17", "manager-18", "data-plane-rack-7",
            "data-plane-19"})
        {
            Files.createFile(Files.createDirectory(directory.resolve(each)).resolve("cnc.dat"));
        }
        Files.createFile(directory.resolve("data-plane-17.lock"));
        Files.createFile(directory.resolve("manager-17.lock"));
        Files.createFile(directory.resolve("data-plane-rack-7.lock"));
        try (LockFile held = LockFile.take(directory.resolve("manager-18.lock")))
        {
            LeftoverDirectories.remove(directory);
            assertTrue(Files.exists(directory.resolve("manager-18/cnc.dat")), held::toString);
        }
        assertFalse(Files.exists(directory.resolve("data-plane-17")));
        assertFalse(Files.exists(directory.resolve("manager-17")));
        assertFalse(Files.exists(directory.resolve("manager-17.lock")));
        assertTrue(Files.exists(directory.resolve("data-plane-rack-7")));
        assertTrue(Files.exists(directory.resolve("data-plane-19")), "nobody's control directory");
        LeftoverDirectories.remove(directory.resolve("none"));
    }
}
