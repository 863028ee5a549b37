package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.AnswerTimeout;
import io.millrace.cli.control.view.OutputOptions;
import io.millrace.console.Confirmation;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command.ReplaceState;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace rollback}: returns to an earlier version.
 */
@Command(
    name = "rollback",
    description = {
        "Roll the desired state back to an earlier version.",
        "Shows the plan first, as 'millrace apply' does: + creates, ~ changes, - removes, ! destroys data or " +
            "takes a resource from hosts that use it. The rollback is a new version, and the versions in between are " +
            "kept. The data of memory devices is not restored."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace history",
        "  millrace history diff 12 14",
        "  millrace rollback 12 --dry-run",
        "  millrace rollback 12"})
public final class RollbackCommand implements Callable<Integer>
{
    @Mixin
    private ControlOptions control;

    @Mixin
    private Confirmation confirmation;

    @Mixin
    private OutputOptions output;

    @Parameters(paramLabel = "VERSION", completionCandidates = LiveNames.Versions.class,
        description = "Number of the version, as 'millrace history' lists it.")
    private long version;

    @Option(names = {"-n", "--dry-run"},
        description = "Show the plan without applying it. Exit code 0: no changes, 3: changes.")
    private boolean dryRun;

    @Option(names = "--allow-destroy", description = "Allow steps that destroy data or take a resource from hosts " +
        "that use it.")
    private boolean allowDestroy;

    @Option(names = "--if-version", paramLabel = "VERSION", defaultValue = "0",
        completionCandidates = LiveNames.Versions.class,
        description = "Roll back only if the desired state has this version.")
    private long ifVersion;

    @Option(names = {"-m", "--comment"}, paramLabel = "TEXT", defaultValue = "",
        description = "Comment of the new version of the desired state.")
    private String comment;

    @Option(names = {"-v", "--verbose"}, description = "Show all steps of a long plan.")
    private boolean verbose;

    /**
     * Called by picocli.
     */
    public RollbackCommand()
    {
    }

    @Override
    public Integer call()
    {
        return control.run(dryRun ? Role.READ : Role.ADMIN, AnswerTimeout.LONG, null, (link) ->
            new StateReplacement(link, new PlanPrinter(Terminal.standard(), output.format(), verbose),
                confirmation).run(
            null, new ReplaceState(version, ifVersion, dryRun, allowDestroy, true, "", comment)));
    }
}
