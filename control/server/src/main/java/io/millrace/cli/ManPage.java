package io.millrace.cli;

import io.millrace.console.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A manual page of a command in roff, generated from the declarations of its help. One thread, used once.
 */
final class ManPage
{
    private static final int SECTION = 1;

    private final CommandSpec spec;
    private final StringBuilder out = new StringBuilder();

    ManPage(final CommandLine command)
    {
        spec = command.getCommandSpec();
    }

    /**
     * {@return name of the page of a command: its words joined by hyphens}
     *
     * @param command of the page.
     */
    static String nameOf(final CommandLine command)
    {
        return command.getCommandSpec().qualifiedName("-");
    }

    /**
     * {@return name of the file that the page of a command belongs in}
     *
     * @param command of the page.
     */
    static String fileOf(final CommandLine command)
    {
        return nameOf(command) + '.' + SECTION;
    }

    String text()
    {
        final String name = nameOf(spec.commandLine());
        final String[] description = spec.usageMessage().description();
        macro("TH", quoted(name.toUpperCase(Locale.ROOT)), Integer.toString(SECTION), "\"\"",
            quoted("Millrace " + Version.number()), quoted("Millrace manual"));
        macro("SH", "NAME");
        line(escaped(name) + " \\- " + escaped(summary(description)));
        synopsis();
        macro("SH", "DESCRIPTION");
        for (int i = 0; i < description.length; i++)
        {
            if (i > 0)
            {
                macro("PP");
            }
            text(description[i]);
        }
        positionals();
        options();
        commands();
        footer();
        seeAlso();
        return out.toString();
    }

    private static String summary(final String[] description)
    {
        final String first = plain(description[0]);
        return first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
    }

    private void synopsis()
    {
        macro("SH", "SYNOPSIS");
        final StringBuilder line = new StringBuilder("\\fB").append(escaped(spec.qualifiedName())).append("\\fR");
        if (!visible().isEmpty())
        {
            line.append(" [\\fIOPTION\\fR ...]");
        }
        for (final PositionalParamSpec each : spec.positionalParameters())
        {
            final String label = "\\fI" + escaped(each.paramLabel()) + "\\fR" + (each.arity().max() > 1 ? " ..." : "");
            line.append(' ').append(0 == each.arity().min() ? '[' + label + ']' : label);
        }
        if (!subcommands().isEmpty())
        {
            line.append(" \\fICOMMAND\\fR");
        }
        line(line.toString());
    }

    private void positionals()
    {
        if (spec.positionalParameters().isEmpty())
        {
            return;
        }
        macro("SH", "PARAMETERS");
        for (final PositionalParamSpec each : spec.positionalParameters())
        {
            macro("TP");
            line("\\fI" + escaped(each.paramLabel()) + "\\fR");
            Arrays.stream(each.description()).forEach(this::text);
        }
    }

    private List<OptionSpec> visible()
    {
        return spec.options().stream().filter((each) -> !each.hidden())
            .sorted((a, b) -> bare(a).compareToIgnoreCase(bare(b))).toList();
    }

    private static String bare(final OptionSpec option)
    {
        return option.longestName().replaceFirst("^-+", "");
    }

    private void options()
    {
        if (visible().isEmpty())
        {
            return;
        }
        macro("SH", "OPTIONS");
        for (final OptionSpec each : visible())
        {
            macro("TP");
            final List<String> names = new ArrayList<>();
            for (final String name : each.names())
            {
                final String shown = each.negatable() && name.startsWith("--") ? "--[no-]" + name.substring(2) : name;
                final boolean hasValue = each.arity().max() > 0;
                final String value = (name.startsWith("--") ? "=" : " ") + "\\fI" + escaped(each.paramLabel()) + "\\fR";
                names.add("\\fB" + escaped(shown) + "\\fR" + (hasValue ? value : ""));
            }
            line(String.join(", ", names));
            Arrays.stream(each.description()).forEach(this::text);
        }
    }

    private List<CommandLine> subcommands()
    {
        return spec.subcommands().values().stream()
            .filter((each) -> !each.getCommandSpec().usageMessage().hidden()).toList();
    }

    private void commands()
    {
        if (subcommands().isEmpty())
        {
            return;
        }
        macro("SH", "COMMANDS");
        for (final CommandLine each : subcommands())
        {
            macro("TP");
            line("\\fB" + escaped(each.getCommandName()) + "\\fR");
            text(each.getCommandSpec().usageMessage().description()[0]);
        }
    }

    private void footer()
    {
        final String[] lines = spec.usageMessage().footer();
        if (0 == lines.length)
        {
            return;
        }
        macro("SH", "EXAMPLES");
        boolean isExample = false;
        for (final String each : lines)
        {
            if (isExample != each.startsWith("  "))
            {
                isExample = !isExample;
                macro(isExample ? "EX" : "EE");
            }
            if (isExample)
            {
                line(escaped(plain(each.substring(2))));
            }
            else if (!each.isEmpty())
            {
                macro("PP");
                text(each);
            }
        }
        if (isExample)
        {
            macro("EE");
        }
        macro("SH", "EXIT STATUS");
        text("0: done, 1: tried and failed, 2: wrong usage or configuration.");
    }

    private void seeAlso()
    {
        final List<CommandLine> others = new ArrayList<>();
        if (null != spec.parent())
        {
            others.add(spec.parent().commandLine());
        }
        others.addAll(subcommands());
        if (others.isEmpty())
        {
            return;
        }
        macro("SH", "SEE ALSO");
        for (int i = 0; i < others.size(); i++)
        {
            macro("BR", escaped(nameOf(others.get(i))), "(" + SECTION + ")" + (i < others.size() - 1 ? "," : ""));
        }
    }

    private void macro(final String name, final String... arguments)
    {
        out.append('.').append(name);
        Arrays.stream(arguments).forEach((each) -> out.append(' ').append(each));
        out.append('\n');
    }

    private void text(final String text)
    {
        plain(text).lines().map(String::strip).filter((each) -> !each.isEmpty())
            .forEach((each) -> line(escaped(each)));
    }

    /** A line that begins with a dot or a quote would be read as a macro. */
    private void line(final String escaped)
    {
        out.append(escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" : "").append(escaped).append('\n');
    }

    /** As the help shows it, which is a format. */
    private static String plain(final String text)
    {
        return text.replace("%n", "\n").replace("%%", "%");
    }

    private static String quoted(final String text)
    {
        return '"' + escaped(text) + '"';
    }

    private static String escaped(final String text)
    {
        return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
            .replace("^", "\\(ha").replace("~", "\\(ti").replace("\"", "\\(dq");
    }
}
