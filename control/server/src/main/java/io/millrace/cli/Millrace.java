package io.millrace.cli;

import io.millrace.cli.control.AnaCommand;
import io.millrace.cli.control.ApplyCommand;
import io.millrace.cli.control.AuditCommand;
import io.millrace.cli.control.ConnectionCommand;
import io.millrace.cli.control.DataPlaneCommand;
import io.millrace.cli.control.DeviceCommand;
import io.millrace.cli.control.EventsCommand;
import io.millrace.cli.control.GetCommand;
import io.millrace.cli.control.HistoryCommand;
import io.millrace.cli.control.HostCommand;
import io.millrace.cli.control.ListenerCommand;
import io.millrace.cli.control.NamespaceCommand;
import io.millrace.cli.control.QosCommand;
import io.millrace.cli.control.RaidCommand;
import io.millrace.cli.control.ReactorCommand;
import io.millrace.cli.control.RollbackCommand;
import io.millrace.cli.control.SubsystemCommand;
import io.millrace.cli.control.VolumeCommand;
import io.millrace.cli.control.WatchCommand;
import io.millrace.cli.control.top.TopCommand;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.ExitCode;
import io.millrace.console.FatalError;
import io.millrace.control.setting.Similar;
import io.millrace.console.Terminal;
import io.millrace.console.Version;
import io.millrace.cli.local.drive.DriveCommand;
import io.millrace.cli.local.parity.ParityCommand;
import io.millrace.cli.local.rdma.RdmaCommand;
import io.millrace.cli.local.spdk.SpdkCommand;
import io.millrace.cli.initiator.DiscoverCommand;
import io.millrace.cli.initiator.IdentifyCommand;
import io.millrace.cli.initiator.PerfCommand;
import io.millrace.manager.ManagerCommand;
import io.millrace.serve.QuickstartCommand;
import io.millrace.serve.ServeCommand;
import io.millrace.serve.TrainCommand;
import io.millrace.cli.local.doctor.DoctorCommand;
import io.millrace.cli.local.stat.StatCommand;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The {@code millrace} command. Exit codes: 0 done, 1 tried and failed, 2 wrong usage or configuration.
 */
@Command(
    name = "millrace",
    description = "NVMe-oF volumes served from the JVM.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    versionProvider = Millrace.VersionProvider.class,
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace quickstart                      serve a volume and measure it",
        "  millrace serve --config millrace.yaml    serve what a file declares",
        "  millrace apply --file state.yaml         change what a running process serves",
        "  millrace top                             show its current load",
        "",
        "'millrace COMMAND --help' says more. Exit codes: 0 done, 1 failed, 2 wrong usage or configuration."})
public final class Millrace extends CommandGroup
{
    private static final String CONFIG_OPTION = "--config=";
    /** Commands that print a log: a lost line does not make them fail. */
    private static final Set<String> LOGGING = Set.of("serve", "manager");
    /** The version needs no command's declarations. */
    private static final Set<String> NEED_NONE = Set.of("--version", "-V");
    /** Commands that need the declarations of all others. */
    private static final Set<String> NEED_ALL = Set.of("completion", "man", "help");

    private Millrace()
    {
    }

    /**
     * Runs a command and ends the process with its exit code.
     *
     * @param args command, options and parameters.
     */
    public static void main(final String[] args)
    {
        FatalError.haltOnUncaught();
        try
        {
            System.exit(run(args));
        }
        catch (final Error e)
        {
            // Other threads would keep a process that nothing stops any more.
            FatalError.halt("main", e);
        }
    }

    static int run(final String... args)
    {
        final String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        if (!"Linux amd64".equals(system) && !"Linux aarch64".equals(system))
        {
            System.err.println("millrace: runs on Linux on x86-64 and aarch64 only, this is " + system);
            return ExitCode.FAILURE;
        }
        final Path config = configToServe(args);
        if (null != config)
        {
            return serve(config);
        }
        final CommandLine commandLine = commandLine(args);
        final int exitCode = commandLine.execute(args);
        commandLine.getOut().flush();
        return args.length > 0 && LOGGING.contains(args[0]) ? exitCode :
            afterOutput(exitCode, "millrace" + (args.length > 0 && !args[0].startsWith("-") ? " " + args[0] : ""));
    }

    /** A pipe whose reader has ended is no failure; any other output that cannot be written is. */
    private static int afterOutput(final int exitCode, final String name)
    {
        if (!System.out.checkError() || Terminal.isOutputPiped())
        {
            return exitCode;
        }
        System.err.println(name + ": standard output cannot be written to, it may be full or closed: " +
            "what was printed is not complete");
        return ExitCode.OK == exitCode || ExitCode.CHANGES == exitCode ? ExitCode.FAILURE : exitCode;
    }

    /**
     * {@return the configuration file when the line is {@code serve --config FILE} and no more, or null}
     *
     * <p>A service starts with that line. Reading it here keeps picocli out of the start, a quarter of which it would
     * take, as the JVM's cache does not hold its classes.
     *
     * @param args of the command line.
     */
    static Path configToServe(final String... args)
    {
        if (args.length < 2 || !"serve".equals(args[0]))
        {
            return null;
        }
        final boolean isSeparate = 3 == args.length && ("--config".equals(args[1]) || "-c".equals(args[1]));
        final boolean isJoined = 2 == args.length && args[1].startsWith(CONFIG_OPTION);
        final String file = isSeparate ? args[2] : isJoined ? args[1].substring(CONFIG_OPTION.length()) : "";
        // An option in its place, or a file of arguments, is left to picocli.
        return file.isEmpty() || '-' == file.charAt(0) || '@' == file.charAt(0) ? null : Path.of(file);
    }

    private static int serve(final Path config)
    {
        try
        {
            return new ServeCommand(config).call();
        }
        catch (final Exception e)
        {
            return onFailure(e, "millrace serve", new PrintWriter(System.err, true));
        }
    }

    /**
     * A command line with the given subcommand alone, or with all if none is given: reading the annotations of all
     * takes longer than most commands.
     */
    static CommandLine commandLine(final String... args)
    {
        final CommandLine root = new CommandLine(new Millrace());
        final Supplier<Object> asked = args.length > 0 && !NEED_ALL.contains(args[0]) ?
            Commands.ALL.get(args[0]) : null;
        if (null != asked)
        {
            root.addSubcommand(args[0], new CommandLine(asked.get()));
        }
        else if (1 != args.length || !NEED_NONE.contains(args[0]))
        {
            Commands.ALL.forEach((name, command) -> root.addSubcommand(name, new CommandLine(command.get())));
        }
        root.getSubcommands().values().forEach(Millrace::addHelp);
        CommandList.install(root);
        root.setColorScheme(CommandLine.Help.defaultColorScheme(Terminal.standard().coloured() ? Ansi.ON : Ansi.OFF));
        root.setCaseInsensitiveEnumValuesAllowed(true);
        root.setUsageHelpAutoWidth(true);
        root.setParameterExceptionHandler(Millrace::onUsageError);
        root.setExecutionExceptionHandler((e, command, result) -> onFailure(e,
            command.getCommandSpec().qualifiedName(), command.getErr()));
        return root;
    }

    private static void addHelp(final CommandLine command)
    {
        if (!command.getCommandSpec().mixinStandardHelpOptions())
        {
            command.getCommandSpec().mixinStandardHelpOptions(true);
        }
        command.getCommandSpec().versionProvider(new VersionProvider());
        command.getSubcommands().values().forEach(Millrace::addHelp);
    }

    private static int onUsageError(final ParameterException e, final String[] args)
    {
        final CommandLine command = e.getCommandLine();
        final PrintWriter err = command.getErr();
        final String name = command.getCommandSpec().qualifiedName();
        final List<String> unknown = command.getUnmatchedArguments();
        if (e instanceof MissingParameterException && !unknown.isEmpty())
        {
            // An option that was mistyped comes before one that is missing, or may be the missing one.
            return onUsageError(new UnmatchedArgumentException(command, unknown), args);
        }
        if (e instanceof final UnmatchedArgumentException unmatched && !command.getSubcommands().isEmpty() &&
            !unmatched.getUnmatched().isEmpty() && !unmatched.getUnmatched().getFirst().startsWith("-"))
        {
            onUnknownCommand(command, unmatched.getUnmatched().getFirst(), err);
        }
        else
        {
            final String text = UsageText.of(e, command, args);
            err.println(name + ": " + text);
            UnmatchedArgumentException.printSuggestions(e, err);
            final String example = UsageText.example(command);
            final boolean isShape = e instanceof MissingParameterException ||
                e instanceof final UnmatchedArgumentException unmatched && !unmatched.isUnknownOption();
            if (isShape && null != example && !text.endsWith("?"))
            {
                err.println("Example: " + example);
            }
        }
        err.println("Try '" + name + " --help'.");
        return ExitCode.USAGE;
    }

    /** The subcommands of a group are few: they are listed. */
    private static void onUnknownCommand(final CommandLine command, final String given, final PrintWriter err)
    {
        final String name = command.getCommandSpec().qualifiedName();
        final String similar = Similar.nearest(given, visible(command));
        final String near = null != similar ? similar : UsageText.synonym(given, visible(command));
        final List<String> groups = CommandList.withSubcommand(command, given);
        err.println(name + ": unknown command '" + given + "'" + (null != near ? "; did you mean " + near + "?" :
            groups.isEmpty() ? "" : "; it is a command of " + String.join(", ", groups) + ": write '" + name + " " +
            groups.getFirst() + " " + given + "'"));
        if (null != command.getParent())
        {
            err.println("Commands:");
            // The colours of the help are those of standard output, which may be another place.
            err.print(new CommandLine.Help(command.getCommandSpec(),
                CommandLine.Help.defaultColorScheme(Ansi.OFF)).commandList());
        }
    }

    private static List<String> visible(final CommandLine command)
    {
        return command.getSubcommands().values().stream()
            .filter((each) -> !each.getCommandSpec().usageMessage().hidden()).map(CommandLine::getCommandName).toList();
    }

    private static int onFailure(final Exception e, final String name, final PrintWriter err)
    {
        final boolean debug = null != System.getenv("MILLRACE_DEBUG");
        if (e instanceof final CommandException expected)
        {
            err.println(name + ": " + expected.getMessage());
            if (debug)
            {
                e.printStackTrace(err);
            }
            return expected.exitCode();
        }
        err.println(name + ": " + e + (debug ? "" : " (MILLRACE_DEBUG=1 shows where)"));
        if (debug)
        {
            e.printStackTrace(err);
        }
        return ExitCode.FAILURE;
    }

    /** The subcommands in the order of the help, created on demand. */
    private static final class Commands
    {
        private static final Map<String, Supplier<Object>> ALL = new LinkedHashMap<>();

        static
        {
            ALL.put("quickstart", QuickstartCommand::new);
            ALL.put("serve", ServeCommand::new);
            ALL.put("stat", StatCommand::new);
            ALL.put("manager", ManagerCommand::new);
            ALL.put("perf", PerfCommand::new);
            ALL.put("discover", DiscoverCommand::new);
            ALL.put("identify", IdentifyCommand::new);
            ALL.put("device", DeviceCommand::new);
            ALL.put("raid", RaidCommand::new);
            ALL.put("volume", VolumeCommand::new);
            ALL.put("subsystem", SubsystemCommand::new);
            ALL.put("namespace", NamespaceCommand::new);
            ALL.put("host", HostCommand::new);
            ALL.put("listener", ListenerCommand::new);
            ALL.put("connection", ConnectionCommand::new);
            ALL.put("ana", AnaCommand::new);
            ALL.put("qos", QosCommand::new);
            ALL.put("reactor", ReactorCommand::new);
            ALL.put("dataplane", DataPlaneCommand::new);
            ALL.put("get", GetCommand::new);
            ALL.put("apply", ApplyCommand::new);
            ALL.put("top", TopCommand::new);
            ALL.put("watch", WatchCommand::new);
            ALL.put("events", EventsCommand::new);
            ALL.put("history", HistoryCommand::new);
            ALL.put("rollback", RollbackCommand::new);
            ALL.put("audit", AuditCommand::new);
            ALL.put("drive", DriveCommand::new);
            ALL.put("rdma", RdmaCommand::new);
            ALL.put("spdk", SpdkCommand::new);
            ALL.put("parity", ParityCommand::new);
            ALL.put("doctor", DoctorCommand::new);
            ALL.put("train", TrainCommand::new);
            ALL.put("completion", CompletionCommand::new);
            ALL.put("complete", CompleteCommand::new);
            ALL.put("man", ManCommand::new);
            ALL.put("help", HelpCommand::new);
            ALL.put("version", VersionCommand::new);
        }
    }

    /** Answers {@code --version}. */
    static final class VersionProvider implements IVersionProvider
    {
        @Override
        public String[] getVersion()
        {
            return new String[]{Version.line()};
        }
    }
}
