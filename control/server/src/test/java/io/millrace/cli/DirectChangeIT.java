package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With all defaults: a command that finds no manager does not go to the data plane instead. */
class DirectChangeIT
{
    @TempDir
    private Path directory;

    /** As somebody of another name, so that directories by default are its own. */
    private MillraceProcess asUser(final String... args) throws IOException
    {
        final List<String> command = new ArrayList<>(List.of(MillraceProcess.ROOT.resolve("millrace").toString()));
        command.addAll(List.of(args));
        return MillraceProcess.start(command, Map.of("MILLRACE_NO_BUILD", "1",
            "MILLRACE_JAVA_OPTS", "-Duser.name=it-" + ProcessHandle.current().pid(),
            "XDG_STATE_HOME", directory.resolve("xdg-state").toString()));
    }

    private void run(final int exitCode, final String output, final String... args)
        throws IOException, InterruptedException
    {
        try (MillraceProcess command = asUser(args))
        {
            assertEquals(exitCode, command.exitCode(), command::outputOrReason);
            assertTrue(command.output().contains(output), () -> output + " is not in: " + command.outputOrReason());
        }
    }

    @Test
    void shouldChangeADataPlaneOfADeadManagerOnPurposeOnly() throws IOException, InterruptedException
    {
        final Path config = Files.writeString(directory.resolve("default.yaml"),
            "control: {}\nwarm-up: false\nstatus: {file: none}\n");
        try (MillraceProcess plane = asUser("serve", "--config", config.toString()))
        {
            plane.await("^ready");
            try (MillraceProcess manager = asUser("manager"))
            {
                manager.await("^ready");
                manager.await("it is version 1 now");
                run(ExitCode.OK, "created", "device", "create", "kept", "--type", "memory", "--size", "1MiB");
                manager.signal("KILL");
                manager.exitCode();
            }
            // Its driver's directory is left, and does not count from the first moment on.
            run(ExitCode.FAILURE,
                "of this data plane does not run: no process accepts commands in /dev/shm/millrace-it",
                "device", "create", "mem1", "--type", "memory", "--size", "1MiB");
            run(ExitCode.FAILURE, "With --direct the data plane itself is modified", "device", "delete", "kept",
                "--yes");
            run(ExitCode.OK, "does not run: no process accepts commands in ", "device", "list");
            run(ExitCode.OK, "created", "device", "create", "mem1", "--type", "memory", "--size", "1MiB", "--direct");
            try (MillraceProcess manager = asUser("manager"))
            {
                manager.await("^ready");
                manager.await("not resolved: 1 step needs confirmation: ");
                run(ExitCode.OK, "mem1", "device", "list");
                run(ExitCode.OK, "delete memory device mem1; its data is lost", "dataplane", "drift");
                run(ExitCode.USAGE, "1 withheld step is applied", "dataplane", "reconcile", "--allow-destroy");
                run(ExitCode.OK, "is in sync with version 2", "dataplane", "reconcile", "--allow-destroy", "--yes");
                run(ExitCode.OK, "reconcile: delete device mem1", "audit");
            }
        }
    }
}
