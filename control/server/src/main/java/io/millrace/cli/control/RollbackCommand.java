package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.Patience;
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
 * {@code millrace rollback}: back to an earlier version.
 */
@Command(
    name = "rollback",
    description = {
        "Make the desired state that of an earlier version.",
        "Shows the steps first, as 'millrace apply' does: + creates, ~ changes, - removes, ! destroys data or " +
            "replaces what hosts use. The manager makes a new version of it and keeps those since; what volumes in " +
            "memory held does not come back."},
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
        description = "Show the steps and do nothing. Exit code 0: none is needed, 3: some are.")
    private boolean dryRun;

    @Option(names = "--allow-destroy", description = "Do steps that destroy data or replace what hosts use.")
    private boolean allowDestroy;

    @Option(names = "--if-version", paramLabel = "VERSION", defaultValue = "0",
        completionCandidates = LiveNames.Versions.class,
        description = "Only if this is the version of the desired state.")
    private long ifVersion;

    @Option(names = {"-m", "--comment"}, paramLabel = "TEXT", defaultValue = "",
        description = "Kept with the version that comes of it.")
    private String comment;

    @Option(names = {"-v", "--verbose"}, description = "Show every step, however many.")
    private boolean verbose;

    /**
     * Made by the command line.
     */
    public RollbackCommand()
    {
    }

    @Override
    public Integer call()
    {
        return control.run(dryRun ? Role.READ : Role.ADMINISTER, Patience.LONG, null, (link) ->
            new ReplaceRun(link, new PlanPrinter(Terminal.standard(), output.format(), verbose), confirmation).run(
            null, new ReplaceState(version, ifVersion, dryRun, allowDestroy, true, "", comment)));
    }
}
