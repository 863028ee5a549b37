package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import io.millrace.lock.LockFile;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuickstartStateTest
{
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
        Files.write(volume, new byte[8192]);
        final Path document = Files.writeString(directory.resolve("state.yaml"), """
            devices:
              - {name: volume, type: file, path: %s, size: 8KiB, block-size: 4096}
            listeners:
              - {transport: tcp, address: 127.0.0.1, port: 4420}
              - {transport: tcp, address: 127.0.0.1, port: 8009, discovery-only: true}
            """.formatted(volume));
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
        final String end = " by the state in " + state + "; change it while it runs with 'millrace ";
        assertEquals("--port 4421: listeners are 127.0.0.1:4420" + end + "listener add 127.0.0.1:4421', or begin " +
            "anew with --fresh", refusal(null, 4421, null));
        assertEquals("--discovery-port 4420: listeners are 127.0.0.1:8009" + end + "listener add 127.0.0.1:4420 " +
            "--discovery-only', or begin anew with --fresh", refusal(null, null, 4420));
        assertEquals("--size 1MiB: the volume has 8KiB" + end + "device resize volume 1MiB', or begin anew with " +
            "--fresh", refusal(1L << 20, null, null));
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
            final String message = Pattern.quote("a quickstart of " + volume + " runs already") + "(, process " +
                ProcessHandle.current().pid() + " \\(java\\) of \\w+)?" +
                "; use that one, stop it with Ctrl-C, or serve another file with --path FILE";
            final String fresh =
                assertThrows(CommandException.class, () -> QuickstartState.delete(state, volume)).getMessage();
            assertTrue(fresh.matches("--fresh: " + message), fresh);
            assertTrue(Files.exists(state));
            final String again = refusal(null, null, null);
            assertTrue(again.matches(message), again);
        }
        QuickstartState.delete(state, volume);
        assertFalse(Files.exists(state));
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
