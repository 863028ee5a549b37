package io.millrace.cli.control;

import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.codec.Role;
import io.millrace.control.message.AuditInfo;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace audit}: the audit log of a manager.
 */
@Command(
    name = "audit",
    description = "List the commands sent to a manager, with client and result.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace audit",
        "  millrace audit --last 100 --json | jq '.[] | select(.result != \"ok\")'"})
public final class AuditCommand implements Callable<Integer>
{
    @Mixin
    private ControlOptions control;

    @Mixin
    private OutputOptions output;

    @Option(names = {"-l", "--last"}, paramLabel = "N",
        description = "Only the last N entries. Default: all.")
    private Integer last;

    /**
     * Called by picocli.
     */
    public AuditCommand()
    {
    }

    @Override
    public Integer call()
    {
        if (null != last && last < 1)
        {
            throw new CommandException(ExitCode.USAGE,
                "--last = " + last + ": below 1; give the number of entries, or leave it out for all of them");
        }
        return control.run(Role.READ, (link) ->
        {
            final List<AuditInfo> entries = link.client().manager().audit("");
            return output.print(Views.AUDIT, null == last || last >= entries.size() ? entries :
                entries.subList(entries.size() - last, entries.size()));
        });
    }
}
