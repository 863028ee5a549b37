package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.Patience;
import io.millrace.console.CommandException;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command.ReplaceState;
import io.millrace.control.message.PlanStepInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import io.millrace.control.state.StatePlan;
import io.millrace.settings.ConfigException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace apply}: makes what is there what a file says.
 */
@Command(
    name = "apply",
    description = {
        "Make what is there what a file says.",
        "Shows the steps first: + creates, ~ changes, - removes, ! destroys data or replaces what hosts use. The " +
            "file has the sections devices, subsystems, listeners and discovery of millrace.yaml; others are skipped."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace apply --file state.yaml",
        "  millrace apply --file state.yaml --dry-run    exit code 3: it would change",
        "  millrace get -o yaml | sed 's/64MiB/1GiB/' | millrace apply -f - --yes"})
public final class ApplyCommand implements Callable<Integer>
{
    private static final String STANDARD_INPUT = "-";

    @Mixin
    private ControlOptions control;

    @Mixin
    private Confirmation confirmation;

    @Mixin
    private OutputOptions output;

    @Option(names = {"-f", "--file"}, required = true, paramLabel = "FILE",
        description = "What should be; - for standard input.")
    private String file;

    @Option(names = {"-n", "--dry-run"},
        description = "Show the steps and do nothing. Exit code 0: none is needed, 3: some are.")
    private boolean dryRun;

    @Option(names = "--allow-destroy",
        description = "Do steps that destroy data or replace what hosts use.")
    private boolean allowDestroy;

    @Option(names = "--no-prune", description = "Leave what the file does not name as it is.")
    private boolean noPrune;

    @Option(names = "--if-version", paramLabel = "VERSION", defaultValue = "0",
        completionCandidates = LiveNames.Versions.class,
        description = "Only if this is the version of a manager's desired state.")
    private long ifVersion;

    @Option(names = {"-m", "--comment"}, paramLabel = "TEXT", defaultValue = "",
        description = "Kept with the version that a manager makes.")
    private String comment;

    @Option(names = {"-v", "--verbose"}, description = "Show every step, however many.")
    private boolean verbose;

    /**
     * Made by the command line.
     */
    public ApplyCommand()
    {
    }

    @Override
    public Integer call()
    {
        final String text = text();
        return control.run(dryRun ? Role.READ : Role.ADMINISTER, Patience.LONG, null,
            (link) -> link.isManager() ? applyToManager(link, text) : apply(link, read(text)));
    }

    private String text()
    {
        try
        {
            return STANDARD_INPUT.equals(file) ? StateDocument.text(name(), System.in) :
                StateDocument.text(Path.of(file));
        }
        catch (final ConfigException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private String name()
    {
        return STANDARD_INPUT.equals(file) ? "standard input" : file;
    }

    private DesiredState read(final String text)
    {
        try
        {
            final StateDocument document = StateDocument.read(name(), text);
            if (!document.skipped().isEmpty())
            {
                Terminal.standardError().line("skipped, since they belong to a process: " +
                    String.join(", ", document.skipped()));
            }
            return document.state();
        }
        catch (final ConfigException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private int applyToManager(final ControlLink link, final String text)
    {
        return new ReplaceRun(link, printer(), confirmation).run(text,
            new ReplaceState(0, ifVersion, dryRun, allowDestroy, !noPrune, name(), comment));
    }

    private PlanPrinter printer()
    {
        return new PlanPrinter(Terminal.standard(), output.format(), verbose);
    }

    private int apply(final ControlLink link, final DesiredState declared)
    {
        if (0 != ifVersion)
        {
            throw new CommandException(ExitCode.USAGE,
                "--if-version " + ifVersion + " needs a manager, a data plane keeps no versions: leave it out");
        }
        final DesiredState actual = DesiredState.of(Reports.state(link));
        final StatePlan plan = StatePlan.between(actual, noPrune ? declared.including(actual) : declared);
        final List<PlanStepInfo> steps = plan.records();
        printer().print(steps);
        if (!ReplaceRun.mayGoOn(steps, dryRun, allowDestroy))
        {
            return steps.isEmpty() ? ExitCode.OK : ExitCode.DIFFERENT;
        }
        confirmation.need(Terminal.standard(), PlanPrinter.summary(steps));
        new PlanRun(link, plan, Terminal.standardError()).run();
        Terminal.standardError().line("done");
        return ExitCode.OK;
    }
}
