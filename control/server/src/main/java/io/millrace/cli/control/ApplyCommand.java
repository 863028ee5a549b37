package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.AnswerTimeout;
import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command.ReplaceState;
import io.millrace.control.message.PlanStepInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.HostImpact;
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
 * {@code millrace apply}: applies a desired state.
 */
@Command(
    name = "apply",
    description = {
        "Apply the desired state of a file.",
        "Shows the plan first: + creates, ~ changes, - removes, ! destroys data or takes a resource from hosts " +
            "that use it. The file has the sections devices, subsystems, listeners and discovery of millrace.yaml; " +
            "other sections are skipped."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace apply --file state.yaml",
        "  millrace apply --file state.yaml --dry-run    exit code 3: there are changes",
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
        description = "File with the desired state; - for standard input.")
    private String file;

    @Option(names = {"-n", "--dry-run"},
        description = "Show the plan without applying it. Exit code 0: no changes, 3: changes.")
    private boolean dryRun;

    @Option(names = "--allow-destroy",
        description = "Allow steps that destroy data or take a resource from hosts that use it.")
    private boolean allowDestroy;

    @Option(names = "--no-prune", description = "Keep resources that the file does not name.")
    private boolean noPrune;

    @Option(names = "--if-version", paramLabel = "VERSION", defaultValue = "0",
        completionCandidates = LiveNames.Versions.class,
        description = "Apply only if the manager's desired state has this version.")
    private long ifVersion;

    @Option(names = {"-m", "--comment"}, paramLabel = "TEXT", defaultValue = "",
        description = "Comment of the new version of the desired state.")
    private String comment;

    @Option(names = {"-v", "--verbose"}, description = "Show all steps of a long plan.")
    private boolean verbose;

    /**
     * Called by picocli.
     */
    public ApplyCommand()
    {
    }

    @Override
    public Integer call()
    {
        final StateDocument declared = read(text());
        return control.run(dryRun ? Role.READ : Role.ADMIN, AnswerTimeout.LONG, null,
            (link) -> link.isManager() ? applyToManager(link, declared) : apply(link, declared));
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

    private StateDocument read(final String text)
    {
        try
        {
            return StateDocument.readResolving(name(), text);
        }
        catch (final ConfigException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    /** Host names were resolved here: a manager serves other clients and never waits for a name server. */
    private int applyToManager(final ControlLink link, final StateDocument document)
    {
        final List<Resource> before = document.missing().isEmpty() || noPrune ? List.of() :
            Reports.state(link, Reports.shown(link, false));
        printNotes(document, DesiredState.of(before));
        return new StateReplacement(link, printer(), confirmation).run(StateDocument.write(document.state()),
            new ReplaceState(0, ifVersion, dryRun, allowDestroy, !noPrune, name(), comment));
    }

    private void printNotes(final StateDocument document, final DesiredState before)
    {
        document.notes(before, !noPrune).forEach((note) -> Terminal.standardError().line("note: " + note));
    }

    private PlanPrinter printer()
    {
        return new PlanPrinter(Terminal.standard(), output.format(), verbose);
    }

    private int apply(final ControlLink link, final StateDocument document)
    {
        if (0 != ifVersion)
        {
            throw new CommandException(ExitCode.USAGE,
                "--if-version " + ifVersion + " needs a manager, as a data plane has no versions: leave it out");
        }
        final DesiredState actual = DesiredState.of(Reports.state(link));
        printNotes(document, actual);
        final DesiredState desired = noPrune ? document.state().including(actual) : document.state();
        final StatePlan plan = HostImpact.mark(StatePlan.between(actual, desired), desired,
            HostImpact.hosts(Views.CONTROLLERS.cast(link.client().execute(
                new io.millrace.control.message.Command.List(Kind.CONTROLLER, "")).resources())));
        final List<PlanStepInfo> steps = plan.records();
        printer().print(steps);
        if (!StateReplacement.mayGoOn(steps, dryRun, allowDestroy))
        {
            return steps.isEmpty() ? ExitCode.OK : ExitCode.CHANGES;
        }
        confirmation.require(Terminal.standard(), PlanPrinter.summary(steps));
        new PlanRun(link, plan, Terminal.standardError()).run();
        Terminal.standardError().line("done");
        return ExitCode.OK;
    }
}
