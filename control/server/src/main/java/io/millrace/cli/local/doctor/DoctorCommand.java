package io.millrace.cli.local.doctor;

import io.millrace.bindings.Capability;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code millrace doctor}: each capability on or off, why, and what to do.
 */
@Command(
    name = "doctor",
    description = "Show what this machine offers, why the rest is off, and how to turn it on.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace doctor",
        "  millrace doctor --json | jq '.[] | select(.on | not)'"})
public final class DoctorCommand implements Runnable
{
    private static final int NAME_WIDTH = 28;
    private static final int INDENT = 2 + 5 + NAME_WIDTH;
    private static final int WIDTH = 80;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /**
     * Called by picocli.
     */
    public DoctorCommand()
    {
    }

    @Override
    public void run()
    {
        final List<Finding> findings = new MachineProbe(new SystemFiles(Path.of("/")), System.getenv()).run();
        final Terminal terminal = Terminal.standard();
        if (json)
        {
            terminal.line(Json.write(findings.stream().map(DoctorCommand::json).toList()));
        }
        else
        {
            print(terminal, findings);
        }
    }

    private static Map<String, Object> json(final Finding finding)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("group", finding.group());
        map.put("name", finding.capability().name());
        map.put("on", finding.capability().isAvailable());
        map.put("reason", finding.capability().reason());
        map.put("remedy", finding.capability().remedy());
        map.put("use", finding.use());
        return map;
    }

    private static void print(final Terminal terminal, final List<Finding> findings)
    {
        String group = "";
        for (final Finding finding : findings)
        {
            if (!group.equals(finding.group()))
            {
                group = finding.group();
                terminal.line(terminal.bold(group));
            }
            lines(terminal, finding).forEach(terminal::line);
        }
    }

    /** Piped output keeps a line for each thing, to search in; a person gets lines that fit the narrowest terminal. */
    static List<String> lines(final Terminal terminal, final Finding finding)
    {
        final Capability capability = finding.capability();
        final int width = terminal.interactive() ? WIDTH : Integer.MAX_VALUE;
        final String name = capability.name() + " ".repeat(Math.max(0, NAME_WIDTH - capability.name().length()));
        final String indent = " ".repeat(INDENT);
        final List<String> lines = new ArrayList<>();
        final List<String> reason = wrap(capability.reason(), width - INDENT);
        lines.add("  " + (capability.isAvailable() ? terminal.good("on ") : terminal.warn("off")) + "  " + name +
            reason.getFirst());
        reason.subList(1, reason.size()).forEach((line) -> lines.add(indent + line));
        if (!capability.isAvailable())
        {
            add(lines, indent + "for: ", finding.use(), width);
            add(lines, indent + "do:  ", capability.remedy(), width);
        }
        return lines;
    }

    private static void add(final List<String> lines, final String label, final String text, final int width)
    {
        String prefix = label;
        for (final String line : wrap(text, width - label.length()))
        {
            lines.add(prefix + line);
            prefix = " ".repeat(label.length());
        }
    }

    /** Breaks at blanks; a word that is wider stays whole. */
    static List<String> wrap(final String text, final int width)
    {
        final List<String> lines = new ArrayList<>();
        String rest = text;
        while (rest.length() > width)
        {
            int end = rest.lastIndexOf(' ', width);
            if (end <= 0)
            {
                end = rest.indexOf(' ');
            }
            if (end <= 0)
            {
                break;
            }
            lines.add(rest.substring(0, end));
            rest = rest.substring(end + 1);
        }
        lines.add(rest);
        return lines;
    }
}
