package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.file.FileRecords;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import io.millrace.serve.config.ConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * State that was applied belongs to the configuration file that the data plane was started with.
 */
class InitialStateTest
{
    @TempDir
    private Path directory;
    private Path first;
    private Path second;
    private Path state;

    @BeforeEach
    void keepStateOfTheFirst() throws IOException
    {
        first = Files.writeString(directory.resolve("first.yaml"), "control: {}\n");
        second = Files.writeString(directory.resolve("second.yaml"), "control: {}\n");
        state = directory.resolve("state");
        try (AppliedStateFile file = AppliedStateFile.in(state, first))
        {
            file.write(new AppliedState(
                LeadershipInfo.NONE, DesiredState.EMPTY, new Command.AssignControllerIds(1, 9)));
        }
    }

    /** A start with a file, whose state directory is the default one of its user and name, or named in it. */
    private InitialState start(final Path config, final boolean isNamed, final boolean isImport)
    {
        final ConfigReader.Result read = ConfigReader.read(config);
        final InitialState start = InitialState.read(new ConfigReader.Result(read.file(), read.config(),
            read.control(), read.bounds(), state, isNamed, read.metrics(), read.warmUp(), read.lines()), isImport,
            FileRecords.NONE);
        start.kept().file().close();
        return start;
    }

    @Test
    void shouldNotBeginWithTheStateOfAnotherConfiguration()
    {
        for (int i = 0; i < 2; i++)
        {
            final CommandException e = assertThrows(CommandException.class, () -> start(second, false, false));
            assertEquals(ExitCode.USAGE, e.exitCode());
            assertEquals(second + ": " + state +
                "/applied-state.yaml has the state that a manager applied to the data plane of " + first +
                "; give this one another control.name or a state.directory of its own, or write " +
                "'state: {directory: " + state + "}' into it to continue with that state, or start once with " +
                "--import to use this file", e.getMessage());
        }
        assertTrue(start(first, false, false).isRestored(), "refused to its own");
    }

    @Test
    void shouldTakeTheStateWhenAPersonSaysSo()
    {
        assertTrue(start(second, true, false).isRestored());
        assertFalse(start(second, false, true).isRestored());
    }

    @Test
    void shouldKnowItsConfigurationByAnotherPath() throws IOException
    {
        final Path link = Files.createSymbolicLink(directory.resolve("link.yaml"), first);
        assertTrue(start(link, false, false).isRestored());
        assertTrue(start(directory.resolve("state/../first.yaml"), false, false).isRestored());
        // Moved: nothing tells that it is the same.
        Files.move(first, directory.resolve("moved.yaml"));
        assertThrows(CommandException.class, () -> start(directory.resolve("moved.yaml"), false, false));
    }

    @Test
    void shouldSayHowTheConfigurationDiffersFromTheAppliedState() throws IOException
    {
        assertEquals("", start(first, false, false).difference());
        Files.writeString(first, """
            control: {}
            metrics: {port: 9999}
            state: {directory: %s}
            devices: [{name: mem0, type: memory, size: 1MiB}]
            """.formatted(state));
        assertEquals("differs in 1 step", start(first, false, false).difference());
        // Good at a start, not as a desired state.
        final InitialState start = start(first, false, false);
        Files.writeString(first, "devices: [{name: a, type: file, path: relative}]\n");
        final String difference = start.difference();
        assertTrue(difference.startsWith("cannot be compared with it (" + first + ":1: "), difference);
    }
}
