package io.millrace.cli.control;

import io.millrace.control.codec.Role;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code millrace history}: what should have been, version by version.
 */
@Command(
    name = "history",
    description = "List the versions of what a data plane should be, as its manager keeps them.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace history",
        "  millrace history --data-plane storage-1 --json"})
public final class HistoryCommand implements Callable<Integer>
{
    @Mixin
    private ControlOptions control;

    @Mixin
    private OutputOptions output;

    /**
     * Made by the command line.
     */
    public HistoryCommand()
    {
    }

    @Override
    public Integer call()
    {
        return control.run(Role.READ, (link) -> output.print(Views.VERSIONS, link.client().versions("")));
    }
}
