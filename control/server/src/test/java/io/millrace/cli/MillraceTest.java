package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.device.DeviceTypes;
import io.millrace.console.ExitCode;
import io.millrace.console.Version;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MillraceTest
{
    private static final String CONFIG = """
        devices:
          - {name: mem0, type: memory, size: 1MiB}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:vol0
            allow-any-host: true
            namespaces: [{nsid: 1, device: mem0}]
        listeners:
          - {transport: tcp, address: 127.0.0.1, port: %d}
        discovery: false
        """;

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(final String... args)
    {
        final CommandLine commandLine = Millrace.commandLine(args);
        final PrintWriter outWriter = new PrintWriter(out, true);
        final PrintWriter errWriter = new PrintWriter(err, true);
        commandLine.setOut(outWriter).setErr(errWriter);
        return commandLine.execute(args);
    }

    private Path config(final String text) throws IOException
    {
        return Files.writeString(directory.resolve("test.yaml"), text);
    }

    private void assertOneLine(final String expected)
    {
        assertEquals(1, err.toString().lines().count(), err.toString());
        assertTrue(err.toString().startsWith(expected), err + "\nexpected: " + expected);
    }

    @Test
    void shouldShowHelpAndVersion()
    {
        assertEquals(ExitCode.OK, run("--help"));
        for (final String name : Millrace.commandLine().getSubcommands().keySet())
        {
            final boolean isHidden = "train".equals(name) || "complete".equals(name);
            assertEquals(!isHidden, out.toString().contains("\n  " + name + " "), out.toString());
        }
        assertEquals(ExitCode.OK, run("--version"));
        assertTrue(out.toString().contains("millrace 0."), out.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "help"})
    void shouldShowCommandsInGroupsWithoutACommand(final String line)
    {
        assertEquals(ExitCode.OK, run(line.isEmpty() ? new String[0] : line.split(" ")));
        assertEquals("", err.toString());
        final List<String> headings = List.of("\nServe:\n  quickstart ", "\nInspect:\n  get ",
            "\nDesired state:\n  apply ", "\nResources:\n  device ", "\nHosts:\n  perf ",
            "\nThis machine:\n  doctor ", "\nHelp:\n  help ", "\nExamples:\n");
        int position = 0;
        for (final String heading : headings)
        {
            final int found = out.toString().indexOf(heading, position);
            assertTrue(found > 0, heading + " is missing behind " + position + " in " + out);
            position = found;
        }
        assertFalse(out.toString().contains("\nOthers:"), out.toString());
        assertFalse(out.toString().contains("\u001b"), out.toString());
    }

    @ParameterizedTest
    @CsvSource({"help device create,device create --help", "help drive,drive --help", "device,device --help",
        "drive,drive --help", "qos,qos --help"})
    void shouldShowTheHelpOfACommand(final String line, final String same)
    {
        assertEquals(ExitCode.OK, run(line.split(" ")));
        final String printed = out.toString();
        out.getBuffer().setLength(0);
        assertEquals(ExitCode.OK, run(same.split(" ")));
        assertEquals(out.toString(), printed);
        assertEquals("", err.toString());
    }

    @Test
    void shouldPrintTheVersionAsCommandAndAsOption()
    {
        assertEquals(ExitCode.OK, run("--version"));
        final CommandRun command = CommandRun.of("version");
        assertEquals(ExitCode.OK, command.exitCode());
        assertEquals(out.toString(), command.out());
        assertTrue(command.out().startsWith("millrace " + Version.number() + " (Java "), command.out());
    }

    @Test
    void shouldSuggestTheSubcommandsOfAGroup()
    {
        assertEquals(ExitCode.USAGE, run("device", "lst"));
        final String text = err.toString();
        assertTrue(text.startsWith("millrace device: unknown command 'lst'; did you mean list?\nCommands:\n"), text);
        assertTrue(text.contains("\n  create "), text);
        assertTrue(text.endsWith("\nTry 'millrace device --help'.\n"), text);
        assertEquals(ExitCode.USAGE, run("help", "device", "lst"));
        assertTrue(err.toString().endsWith(
            "\nmillrace help: millrace device has no command 'lst'; did you mean list?\n"), err.toString());
    }

    /** kubectl and nvme-cli call the same commands otherwise, and so do our own groups. */
    @ParameterizedTest
    @CsvSource({"namespace delete, remove", "device remove, delete", "device ls, list", "subsystem rm, delete",
        "raid ls, list", "listener delete, remove", "host add, allow", "host rm, deny",
        "namespace create, add", "volume ls, list",
        "history 3, show 3"})
    void shouldSuggestTheCommandThatAnotherWordMeans(final String line, final String meant)
    {
        assertEquals(ExitCode.USAGE, run(line.split(" ")));
        assertTrue(err.toString().lines().findFirst().orElseThrow().endsWith("; did you mean " + meant + "?"),
            err.toString());
    }

    /** Before a process is looked for. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "audit --last -1 | millrace audit: --last = -1: below 1; give the number",
        "audit --last 0 | millrace audit: --last = 0: below 1; give the number",
        "events --count 0 | millrace events: --count = 0: below 1; give a number of lines",
        "watch --count 0 | millrace watch: --count = 0: below 1; give a number of lines",
        "watch devices pods | millrace watch: 'pods' is no kind of resource: use one of devices, ",
        "device resize k 2MB | millrace device resize: SIZE = 2MB: unit MB means different things to different " +
            "people; write MiB for powers of 1024, or plain bytes",
        "qos set nqn.2026-11.io.millrace:vol0 1 --iops 0 | millrace qos set: --iops = 0: out of range 1 to 1000000000;",
        "qos set nqn.2026-11.io.millrace:vol0 1 --iops 5 --bandwidth 0 | millrace qos set: --bandwidth = 0: out of " +
            "range ",
        "device create rem --address tcp://127.0.0.1:4421 --subsystem nqn.2026-11.io.millrace:vol0 | millrace device " +
            "create: --address = tcp://127.0.0.1:4421: is the PCI address of a drive",
    })
    void shouldRefuseValuesBeforeASession(final String line, final String expected)
    {
        assertEquals(ExitCode.USAGE, run(line.split(" ")));
        assertTrue(err.toString().startsWith(expected), err.toString());
        assertEquals("", out.toString());
    }

    @TestFactory
    Stream<DynamicTest> shouldShowExamplesInTheHelpOfEveryCommand()
    {
        return allCommands(Millrace.commandLine()).filter((each) -> !each.getCommandSpec().usageMessage().hidden())
            .map((each) -> DynamicTest.dynamicTest(each.getCommandSpec().qualifiedName(), () ->
            {
                final String name = each.getCommandSpec().qualifiedName();
                out.getBuffer().setLength(0);
                assertEquals(ExitCode.OK, run((name + " --help").split(" ", 2)[1].split(" ")));
                assertTrue(out.toString().startsWith("Usage: " + name + " "), out.toString());
                assertTrue(out.toString().contains("Examples:"), out.toString());
                assertEquals("", err.toString());
                for (final String line : each.getCommandSpec().usageMessage().footer())
                {
                    assertTrue(!line.startsWith("  ") || line.length() <= 80, "is folded in a terminal: " + line);
                }
                assertTrue(each.getCommandSpec().usageMessage().description().length > 0, name);
                Stream.of(each.getCommandSpec().usageMessage().description(),
                    each.getCommandSpec().usageMessage().footer()).flatMap(Arrays::stream).forEach((text) ->
                    assertTrue(text.isEmpty() || text.startsWith("  ") || text.matches(".*[.:]"),
                        "is folded here, and once more in a terminal or a manual page: " + text));
            }));
    }

    /** The first one of its help shows where versions are listed. */
    @Test
    void shouldShowAnExampleOfTheCommandItself()
    {
        assertEquals(ExitCode.USAGE, run("rollback"));
        assertTrue(err.toString().contains("\nExample: millrace rollback "), err::toString);
    }

    private static Stream<CommandLine> allCommands(final CommandLine root)
    {
        return root.getSubcommands().values().stream()
            .flatMap((each) -> Stream.concat(Stream.of(each), allCommands(each)));
    }

    /** Where nothing says what was meant. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "device resize k | Missing required parameter: 'SIZE'",
        "device resize k 2GiB now | Unmatched argument at index 4: 'now'"})
    void shouldShowAnExampleOfWhatIsWritten(final String line, final String problem)
    {
        assertEquals(ExitCode.USAGE, run(line.split(" ")));
        assertEquals("millrace device resize: " + problem + "\nExample: millrace device resize mem0 2GiB\nTry " +
            "'millrace device resize --help'.\n", err.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "srve | millrace: unknown command 'srve'; did you mean serve?",
        "devices | millrace: unknown command 'devices'; did you mean device?",
        "list | millrace: unknown command 'list'; it is a command of device, raid, volume, subsystem, ",
        "serve | millrace serve: Missing required option: '--config=FILE'",
        "serve --config | millrace serve: Missing required parameter for option '--config' (FILE)",
        "serve --nonsense | millrace serve: ",
        "quickstart --size lots | millrace quickstart: --size: 'lots' is no size",
        "quickstart extra | millrace quickstart: Unmatched argument at index 1: 'extra'",
        "completion fish | millrace completion: ",
        "serve millrace.yaml | millrace serve: Unmatched argument at index 1: 'millrace.yaml'; did you mean --config " +
            "millrace.yaml?",
        "apply state.yaml | millrace apply: Unmatched argument at index 1: 'state.yaml'; did you mean --file " +
            "state.yaml?",
        "rollback two | millrace rollback: VERSION = two: not a whole number",
        "apply -f x --if-version abc | millrace apply: --if-version = abc: not a whole number",
        "namespace remove nqn.2026-11.io.millrace:vol0 scratch | millrace namespace remove: NSID = scratch: not a " +
            "whole number",
        "--nonsense | millrace: Unknown option: '--nonsense'",
        "raid grow vol0 d4 | millrace raid grow: Unmatched argument at index 3: 'd4'; did you mean --add d4?",
        "raid grow vol0 16GiB | millrace raid grow: Unmatched argument at index 3: '16GiB'; did you mean --size 16GiB?",
        "namespace add nqn.2026-11.io.millrace:vol0 1 mem0 | millrace namespace add: Unmatched argument at index 4: " +
            "'mem0'; did you mean --nsid 1?",
        "namespace add nqn.2026-11.io.millrace:vol0 mem0 mem1 | millrace namespace add: Unmatched argument at index " +
            "4: 'mem1'",
    })
    void shouldSayWhatIsWrongAndWhereHelpIsWhenUsageIsWrong(final String line, final String expected)
    {
        assertEquals(ExitCode.USAGE, run(line.isEmpty() ? new String[0] : line.split(" ")));
        assertTrue(err.toString().startsWith(expected), err.toString());
        assertTrue(err.toString().stripTrailing().endsWith(" --help'."), err.toString());
        assertTrue(err.toString().lines().count() <= 3, err.toString());
        final boolean hasMeant = err.toString().lines().findFirst().orElseThrow().endsWith("?");
        assertEquals(expected.endsWith("?"), hasMeant, err.toString());
        assertFalse(hasMeant && err.toString().contains("Example: "), err.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "serve --config a.yaml | a.yaml",
        "serve -c ./a.yaml | ./a.yaml",
        "serve --config=/etc/a.yaml | /etc/a.yaml",
        "serve --config | ",
        "serve --config= | ",
        "serve --config --check | ",
        "serve --config a.yaml --check | ",
        "serve --config @arguments | ",
        "serve -h | ",
        "quickstart --config a.yaml | ",
    })
    void shouldReadThePlainLineOfAServiceAsTheParserDoes(final String line, final String file)
    {
        final String[] args = line.split(" ");
        assertEquals(null == file ? null : Path.of(file), Millrace.configToServe(args));
        if (null != file)
        {
            final CommandLine.ParseResult serve = Millrace.commandLine(args).parseArgs(args).subcommand();
            assertEquals(Path.of(file), serve.matchedOptionValue("--config", null));
            assertEquals(1, serve.matchedOptions().size());
        }
    }

    @Test
    void shouldNameFileLineKeyValueBoundAndRemedyWhenConfigurationIsWrong() throws IOException
    {
        final Path file = config(CONFIG.formatted(0).replace("size: 1MiB", "size: 1000"));
        assertEquals(ExitCode.USAGE, run("serve", "--config", file.toString()));
        assertOneLine("millrace serve: " + file + ":2: devices[0].size = 1000: not a positive multiple of block-size " +
            "4096; use 4096");
    }

    @Test
    void shouldNameFileWhenItIsMissing()
    {
        final Path file = directory.resolve("none.yaml");
        assertEquals(ExitCode.USAGE, run("serve", "-c", file.toString()));
        assertOneLine("millrace serve: " + file + ": no such file; name one with --config");
    }

    @Test
    void shouldNameLineWhenPortIsInUse() throws IOException
    {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            final Path file = config(CONFIG.formatted(taken.getLocalPort()));
            assertEquals(ExitCode.USAGE, run("serve", "--config", file.toString()));
            assertOneLine("millrace serve: " + file + ":8: listeners[0].port = 127.0.0.1:" + taken.getLocalPort() +
                ": already in use; stop what listens there or take another port");
        }
    }

    @Test
    void shouldNameLineWhenFileOfADeviceCannotBeHad() throws IOException
    {
        final Path file = config(CONFIG.formatted(0).replace("type: memory, size: 1MiB",
            "type: file, size: 1MiB, path: " + directory + "/none/vol.img"));
        assertEquals(ExitCode.USAGE, run("serve", "--config", file.toString()));
        assertOneLine("millrace serve: " + file + ":2: devices[0].path: path " + directory +
            "/none/vol.img cannot be opened: No such file or directory (errno 2): make its directory first");
    }

    @Test
    void shouldNameLineWhenCpuIsNotThere() throws IOException
    {
        final Path file = config(CONFIG.formatted(0) + "reactors: [{cpu: 8191}]\n");
        assertEquals(ExitCode.USAGE, run("serve", "--config", file.toString()));
        assertOneLine("millrace serve: " + file + ":10: reactors[0].cpu = 8191: not among the CPUs this process " +
            "may run on");
    }

    @Test
    void shouldCheckAFileWithoutStarting() throws IOException
    {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            final Path file = config(CONFIG.formatted(taken.getLocalPort()));
            assertEquals(ExitCode.OK, run("serve", "--config", file.toString(), "--check"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--port 70000 | --port 70000: out of range 0 to 65535",
        "--json | --json prints when all is over: add --exit",
        "--size 1000 | --size 1000: not a positive multiple of block-size 4096; use 4096",
    })
    void shouldNameTheOptionWhenQuickstartCannotStart(final String options, final String expected)
    {
        final String line = "quickstart --path " + directory.resolve("vol.img") + " " + options;
        assertEquals(ExitCode.USAGE, run(line.split(" ")));
        assertOneLine("millrace quickstart: " + expected);
        assertFalse(Files.exists(directory.resolve("vol.img")));
    }

    @Test
    void shouldNameTheOptionWhenQuickstartsPortOrFileCannotBeHad() throws IOException
    {
        final String path = directory.resolve("vol.img").toString();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            final String port = Integer.toString(taken.getLocalPort());
            assertEquals(ExitCode.USAGE, run("quickstart", "--path", path, "--port", port));
            assertOneLine("millrace quickstart: --port 127.0.0.1:" + port + ": already in use; choose another with " +
                "--port");
            err.getBuffer().setLength(0);
            assertEquals(ExitCode.USAGE,
                run("quickstart", "--path", path, "--port", "0", "--discovery-port", port));
            assertOneLine("millrace quickstart: --discovery-port 127.0.0.1:" + port + ": already in use; choose " +
                "another with --discovery-port");
        }
        err.getBuffer().setLength(0);
        final String absent = directory.resolve("none/vol.img").toString();
        assertEquals(ExitCode.USAGE, run("quickstart", "--path", absent, "--port", "0", "--discovery-port", "0"));
        assertOneLine("millrace quickstart: --path: path " + absent + " cannot be opened");
    }

    @Test
    void shouldStartAndStopWhenTrained()
    {
        assertEquals(ExitCode.OK, run("train"), err::toString);
        assertEquals("", err.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void shouldCompleteCommandsAndOptions(final String shell) throws IOException, InterruptedException
    {
        assertEquals(ExitCode.OK, run("completion", shell));
        final String script = out.toString();
        assertEquals("zsh".equals(shell), script.startsWith("autoload"), script.substring(0, 20));
        if ("bash".equals(shell))
        {
            final Path file = Files.writeString(directory.resolve("completion"), script + """

                compopt() { :; }
                COMP_WORDS=(millrace se); COMP_CWORD=1
                _complete_millrace; echo "${COMPREPLY[@]}"
                COMP_WORDS=(millrace serve --c); COMP_CWORD=2
                _complete_millrace; echo "${COMPREPLY[@]}"
                COMP_WORDS=(millrace device cr); COMP_CWORD=2
                _complete_millrace; echo "${COMPREPLY[@]}"
                COMP_WORDS=(millrace device create --type ""); COMP_CWORD=4
                _complete_millrace; echo "${COMPREPLY[@]}"
                COMP_WORDS=(millrace get name); COMP_CWORD=2
                _complete_millrace; echo "${COMPREPLY[@]}"
                """);
            final Process process = new ProcessBuilder("bash", file.toString()).redirectErrorStream(true).start();
            final String printed = new String(process.getInputStream().readAllBytes());
            assertTrue(process.waitFor(20, TimeUnit.SECONDS));
            assertEquals("serve\n--check --config\ncreate\n" + String.join(" ", DeviceTypes.names()) + "\nnamespaces\n",
                printed);
        }
    }

    /** It may be the missing option, and is what the user typed. */
    @Test
    void shouldNameAMistypedOptionBeforeAMissingOne()
    {
        final CommandRun run = CommandRun.of("serve", "--hlep");
        assertEquals(ExitCode.USAGE, run.exitCode());
        assertTrue(run.err().startsWith("millrace serve: Unknown option: '--hlep'\n"), run.err());
        assertTrue(run.err().contains("--help"), run.err());
        assertFalse(run.err().contains("--config"), run.err());
        assertTrue(CommandRun.of("serve").err().contains("--config"));
    }

    /** From the declared tables: bound, default and what a change takes. */
    @ParameterizedTest
    @ValueSource(strings = {"device create --help", "device create --type file --help", "device create file --help"})
    void shouldHelpWithTheSettingsOfDeviceTypes(final String line)
    {
        final CommandRun run = CommandRun.of(line.split(" "));
        assertEquals(ExitCode.OK, run.exitCode());
        final String help = run.out().replaceAll(" +", " ");
        DeviceTypes.of("file").settings().forEach((each) -> assertTrue(help.contains("\n --" + each.key() + " " +
            each.type().bound() + " " + (null != each.def() ? each.def() : each.required() ? "required" : "-") + " "),
            each.key() + " in " + help));
        assertTrue(help.contains(" --size 512 to 8PiB - device resize, while it serves\n"), help);
        assertTrue(help.contains(" --path "), help);
        // Options are shared by the types, their defaults are not.
        final String options = help.replaceAll("\\s+", " ");
        assertTrue(options.contains(" Default of nvme, spdk-nvme: 1. "), options);
        assertTrue(options.contains(" Default of file, nvme: 256; of remote: 128. "), options);
        DeviceTypes.names().forEach((each) -> assertEquals(!line.contains("file") || "file".equals(each),
            help.contains("Settings of type " + each + ":"), each));
    }
}
