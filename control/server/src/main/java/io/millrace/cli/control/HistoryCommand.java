package io.millrace.cli.control;

import io.millrace.cli.control.view.Format;
import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.console.TextDiff;
import io.millrace.console.Yaml;
import io.millrace.control.codec.Role;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace history}: versions of the desired state.
 */
@Command(
    name = "history",
    description = "List, show and compare the versions of a data plane's desired state.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace history",
        "  millrace history show 12",
        "  millrace history diff 12 14",
        "  millrace history --data-plane storage-1 --json"})
public final class HistoryCommand implements Callable<Integer>
{
    @Mixin
    private ControlOptions control;

    @Mixin
    private OutputOptions output;

    /**
     * Called by picocli.
     */
    public HistoryCommand()
    {
    }

    @Override
    public Integer call()
    {
        return control.run(Role.READ, (link) -> output.print(Views.VERSIONS, link.client().manager().versions("")));
    }

    @Command(name = "show", mixinStandardHelpOptions = true,
        description = "Print the desired state of a version, as a document that 'millrace apply' takes.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace history show 12 > state.yaml", "  millrace history show 12 --json"})
    int show(
        @Mixin final ControlOptions showControl,
        @Mixin final OutputOptions showOutput,
        @Parameters(paramLabel = "VERSION", completionCandidates = LiveNames.Versions.class,
            description = "Number of the version, as 'millrace history' lists it.") final long version)
    {
        return showControl.run(Role.READ, (link) ->
        {
            final StatePrinter printer = new StatePrinter(link, showOutput, checked(version));
            if (Format.json == showOutput.format())
            {
                return printer.all();
            }
            final String document = printer.document();
            link.client().manager().versions("").stream().filter((each) -> version == each.version())
                .forEach((each) -> Terminal.standard().line("# version " + each.version() + ", " +
                Views.local(each.epochNs()) + ", by " + each.author() +
                (each.comment().isEmpty() ? "" : ": " + each.comment())));
            Terminal.standard().text(document);
            return ExitCode.OK;
        });
    }

    @Command(name = "diff", mixinStandardHelpOptions = true,
        description = {
            "Compare the desired states of two versions, line by line as 'diff -u' does.",
            "Exit code 0: they are equal, 3: they differ."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace history diff 12 14", "  millrace history diff 12          with the current version",
            "  millrace history diff 12 14 --json"})
    int diff(
        @Mixin final ControlOptions diffControl,
        @Mixin final OutputOptions diffOutput,
        @Parameters(index = "0", paramLabel = "VERSION", completionCandidates = LiveNames.Versions.class,
            description = "The earlier version.") final long first,
        @Parameters(index = "1", arity = "0..1", paramLabel = "VERSION",
            completionCandidates = LiveNames.Versions.class,
            description = "The later version. Default: the latest.") final Long second)
    {
        return diffControl.run(Role.READ, (link) ->
        {
            final long last = null != second ? checked(second) :
                link.client().manager().versions("").getLast().version();
            final TextDiff diff = TextDiff.of(new StatePrinter(link, diffOutput, checked(first)).document(),
                new StatePrinter(link, diffOutput, last).document());
            print(diff, diffOutput.format(), first, last);
            return diff.changes().isEmpty() ? ExitCode.OK : ExitCode.CHANGES;
        });
    }

    private static void print(final TextDiff diff, final Format format, final long first, final long last)
    {
        final Terminal terminal = Terminal.standard();
        if (Format.table != format)
        {
            final Map<String, Object> map = new LinkedHashMap<>();
            map.put("from", first);
            map.put("to", last);
            map.put("changes", diff.changes().stream().map((each) ->
            {
                final Map<String, Object> change = new LinkedHashMap<>();
                change.put("change", '-' == each.mark() ? "removed" : "added");
                change.put("line", each.text().strip());
                return change;
            }).toList());
            terminal.text(Format.json == format ? Json.write(map) + '\n' : Yaml.write(map));
            return;
        }
        if (diff.changes().isEmpty())
        {
            terminal.line("no changes");
            return;
        }
        terminal.line("--- version " + first);
        terminal.line("+++ version " + last);
        diff.unified((line) -> line.startsWith("  - nqn: ")).forEach((line) -> terminal.line(switch (line.charAt(0))
        {
            case '-' -> terminal.bad(line);
            case '+' -> terminal.good(line);
            default -> line;
        }));
    }

    private static long checked(final long version)
    {
        if (version < 1)
        {
            throw new CommandException(ExitCode.USAGE,
                "version " + version + " is below 1: 'millrace history' lists the versions");
        }
        return version;
    }
}
