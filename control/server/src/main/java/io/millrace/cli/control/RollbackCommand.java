package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.Patience;
import io.millrace.console.Confirmation;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Role;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace rollback}: back to an earlier version.
 */
@Command(
    name = "rollback",
    description = {
        "Make a data plane again what it was to be in an earlier version.",
        "The manager makes a new version of it; what came since is not lost, and what volumes in memory held does " +
            "not come back."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace history",
        "  millrace rollback 12"})
public final class RollbackCommand implements Callable<Integer>
{
    @Mixin
    private ControlOptions control;

    @Mixin
    private Confirmation confirmation;

    @Parameters(paramLabel = "VERSION", completionCandidates = LiveNames.Versions.class,
        description = "Number of the version, as 'millrace history' lists it.")
    private long version;

    /**
     * Made by the command line.
     */
    public RollbackCommand()
    {
    }

    @Override
    public Integer call()
    {
        return control.say(Role.ADMINISTER, Patience.LONG, (client) ->
        {
            confirmation.need(Terminal.standard(), "what came after version " + version +
                " would be taken back: devices in memory that are deleted or made smaller lose what they hold");
            return "version " + client.rollback(version) + " is as version " + version;
        });
    }
}
