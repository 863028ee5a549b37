package io.millrace.server.doctor;

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

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /**
     * Made by the command line.
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

    static List<String> lines(final Terminal terminal, final Finding finding)
    {
        final Capability capability = finding.capability();
        final String name = capability.name() + " ".repeat(Math.max(0, NAME_WIDTH - capability.name().length()));
        final String indent = " ".repeat(2 + 5 + NAME_WIDTH);
        final List<String> lines = new ArrayList<>();
        lines.add("  " + (capability.isAvailable() ? terminal.good("on ") : terminal.warn("off")) + "  " + name +
            capability.reason());
        if (!capability.isAvailable())
        {
            lines.add(indent + "for: " + finding.use());
            lines.add(indent + "do:  " + capability.remedy());
        }
        return lines;
    }
}
