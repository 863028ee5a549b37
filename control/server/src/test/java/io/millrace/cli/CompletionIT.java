package io.millrace.cli;

import static io.millrace.testing.Requirement.requireProgram;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Role;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The scripts of {@code millrace completion} in the shells that they are for, with a data plane that runs. */
@Timeout(180)
class CompletionIT
{
    private static final String NQN = "nqn.2026-11.io.example:vol0";
    private static final String HOST = "nqn.2026-11.io.example:client";

    @TempDir
    private Path directory;

    private Path control;

    @BeforeEach
    void prepare()
    {
        control = directory.resolve("plane");
    }

    private MillraceProcess serve() throws IOException, InterruptedException
    {
        final MillraceProcess process = MillraceProcess.start("serve", "--config",
            Files.writeString(directory.resolve("plane.yaml"),
            "control: {directory: " + control + "}\nstatus: {file: none}\nwarm-up: false\n").toString());
        process.await("^ready");
        try (ControlClient client = ControlClient.connect(new ControlClientContext()
            .aeronDirectoryName(control.toString()).role(Role.ADMIN).clientName("test")))
        {
            client.createDevice(DeviceSpec.memory("scratch", 1 << 20, 4096));
            client.createDevice(DeviceSpec.memory("spare", 1 << 20, 4096));
            client.createDevice(DeviceSpec.memory("odd.name_2", 1 << 20, 4096));
            client.createSubsystem(new SubsystemSpec(NQN, false));
            client.addNamespace(new NamespaceSpec(NQN, 17, "scratch"));
            client.allowHost(NQN, HOST);
        }
        return process;
    }

    private Path script(final String shell) throws IOException, InterruptedException
    {
        try (MillraceProcess process = MillraceProcess.start("completion", shell))
        {
            return Files.writeString(directory.resolve("completion." + shell), process.output() + "\n");
        }
    }

    private String run(final String... command) throws IOException, InterruptedException
    {
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(Map.of("MILLRACE_CONTROL", control.toString(), "MILLRACE_COMPLETION_TIMEOUT", "60",
            "HOME", directory.toString(), "PATH", MillraceProcess.ROOT + ":" + System.getenv("PATH")));
        final Process process = builder.start();
        process.getOutputStream().close();
        final String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return printed;
    }

    /** What bash hands to the function for a line, and what comes back. */
    private String completedByBash(final Path script, final String... lines) throws IOException, InterruptedException
    {
        final StringBuilder text = new StringBuilder("source " + script + "\ncompopt() { :; }\n");
        for (final String line : lines)
        {
            // As bash does, a colon is a word of its own.
            final String words = line.replace(":", " : ") + (line.endsWith(" ") ? "''" : "");
            text.append("COMP_LINE='").append(line).append("'; COMP_POINT=").append(line.length())
                .append("; COMP_WORDS=(").append(words).append("); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n")
                .append("_complete_millrace_live; echo \"${COMPREPLY[*]}\"\n");
        }
        return run("bash", Files.writeString(directory.resolve("lines"), text).toString());
    }

    @Test
    void shouldCompleteNamesOfWhatRunsInBash() throws IOException, InterruptedException
    {
        final Path script = script("bash");
        try (MillraceProcess process = serve())
        {
            assertEquals("""
                resize
                scratch spare odd.name_2
                odd.name_2
                spare
                vol0
                nqn.2026-11.io.example:vol0
                scratch spare odd.name_2
                17 nqn.2026-11.io.example:client
                client
                scratch

                optimized
                """, completedByBash(script,
                "millrace device resi", "millrace device resize ", "millrace device list odd",
                "millrace device delete scratch sp",
                "millrace subsystem delete nqn.2026-11.io.example:v", "millrace ana list ",
                "millrace device create x --base ", "millrace qos clear " + NQN + " ",
                "millrace host deny " + NQN + " nqn.2026-11.io.example:", "millrace get devices scr",
                "millrace device create s", "millrace ana set " + NQN + " opt"));
            process.signal("TERM");
            process.exitCode();
        }
        // Nobody is there: nothing is found and nothing is said.
        assertEquals("\n\n", completedByBash(script, "millrace device resize ", "millrace get devices x"));
    }

    @Test
    void shouldCompleteNamesOfWhatRunsInZsh() throws IOException, InterruptedException
    {
        final Path script = script("zsh");
        requireProgram("zsh", "zsh");
        final Path driver = Files.writeString(directory.resolve("driver"), """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "PS1= RPS1= ; source %1$s; dump() { print -r -- \\"\\$BUFFER\\" >> %2$s; BUFFER= }"
            zpty -w shell "zle -N dump; bindkey '^X' dump; print loaded"
            until [[ $seen == *loaded*loaded* ]]; do zpty -r shell line && seen+=$line; done
            for line in "$@"; do
              count=$(wc -l < %2$s)
              zpty -w -n shell "$line"$'\\t\\x18'
              until (( $(wc -l < %2$s) > count )); do zpty -r -t shell line || sleep 0.05; done
            done
            zpty -d shell
            """.formatted(script, Files.createFile(directory.resolve("buffers"))));
        try (MillraceProcess process = serve())
        {
            final String said = run("timeout", "120", "zsh", "-f", driver.toString(), "millrace device resi",
                "millrace device resize sp", "millrace subsystem delete nqn.2026-11.io.example:v",
                "millrace qos clear " + NQN + " 1", "millrace device create x --base sc");
            assertEquals(List.of("millrace device resize ", "millrace device resize spare ",
                "millrace subsystem delete " + NQN + " ", "millrace qos clear " + NQN + " 17 ",
                "millrace device create x --base scratch "),
                Files.readAllLines(directory.resolve("buffers")), said);
            process.signal("TERM");
            process.exitCode();
        }
    }
}
