package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.device.DeviceTypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Holds docs/commands.md and the commands together: every command, option and parameter, and nothing else. */
class CommandsDocumentationTest
{
    private static final Path FILE = Path.of(System.getProperty("millrace.root"), "docs/commands.md");
    private static final String COMMON = "Options of control commands";
    private static final Pattern HEADING = Pattern.compile("#{2,3} (.*)");
    private static final Pattern ROW = Pattern.compile("\\| `([^`]*)`.*\\|");
    /** Names of an option, from a row of a table. */
    private static final Pattern ROW_NAMES = Pattern.compile("\\| `([^`]*)`.*");
    private static final Pattern SHORT = Pattern.compile("(?:^|[ ,])(-[A-Za-z0-9])(?=[ ,=]|$)");
    private static final Pattern OPTION = Pattern.compile("--(?:\\[no-])?([a-z0-9][a-z0-9-]*)");

    private static Map<String, CommandSpec> commands()
    {
        final Map<String, CommandSpec> commands = new TreeMap<>();
        collect(Millrace.commandLine(), commands);
        return commands;
    }

    private static void collect(final CommandLine command, final Map<String, CommandSpec> commands)
    {
        command.getSubcommands().values().stream()
            .filter((each) -> !each.getCommandSpec().usageMessage().hidden()).forEach((each) ->
            {
                commands.put(each.getCommandSpec().qualifiedName(), each.getCommandSpec());
                collect(each, commands);
            });
    }

    /** Text of each section, by heading. */
    private static Map<String, String> sections() throws IOException
    {
        final Map<String, StringBuilder> sections = new LinkedHashMap<>();
        StringBuilder current = new StringBuilder();
        for (final String line : Files.readAllLines(FILE))
        {
            final Matcher heading = HEADING.matcher(line);
            if (heading.matches())
            {
                current = new StringBuilder();
                final String name = heading.group(1);
                assertEquals(null, sections.put(name, current), () -> "twice: " + name);
            }
            current.append(line).append('\n');
        }
        final Map<String, String> texts = new TreeMap<>();
        sections.forEach((name, text) -> texts.put(name, text.toString()));
        return texts;
    }

    @Test
    void shouldDocumentEveryCommandAndNoOther() throws IOException
    {
        final TreeSet<String> documented = new TreeSet<>(sections().keySet());
        documented.removeIf((each) -> !each.startsWith("millrace "));
        assertEquals(commands().keySet(), documented);
    }

    @Test
    void shouldDocumentEveryOptionAndParameterOfACommandAndNoOther() throws IOException
    {
        final Map<String, String> sections = sections();
        final TreeSet<String> common = rows(sections.get(COMMON));
        for (final Map.Entry<String, CommandSpec> each : commands().entrySet())
        {
            final TreeSet<String> known = new TreeSet<>();
            for (final OptionSpec option : each.getValue().options())
            {
                if (!option.hidden())
                {
                    known.add(bare(option.longestName()));
                }
            }
            for (final PositionalParamSpec parameter : each.getValue().positionalParameters())
            {
                known.add(parameter.paramLabel());
            }
            final TreeSet<String> documented = rows(sections.get(each.getKey()));
            final TreeSet<String> unknown = new TreeSet<>(documented);
            unknown.removeAll(known);
            assertEquals(new TreeSet<>(), unknown, each.getKey() + " has no such option");
            known.removeAll(documented);
            if ("millrace device create".equals(each.getKey()))
            {
                // Of the tables of types, which docs/configuration.md has.
                known.removeIf((name) -> DeviceTypes.all().stream().anyMatch((type) -> null != type.find(name)));
            }
            known.removeAll(common);
            assertEquals(new TreeSet<>(), known, "not in the section of " + each.getKey());
        }
    }

    /** Of each option that has a row, exactly its own; nobody tries what no table has. */
    @Test
    void shouldDocumentTheShortNamesOfEveryOption() throws IOException
    {
        final Map<String, String> sections = sections();
        for (final Map.Entry<String, CommandSpec> each : commands().entrySet())
        {
            final Map<String, String> rows = new TreeMap<>();
            sections.get(each.getKey()).lines().filter((line) -> line.startsWith("| `")).forEach((line) ->
            {
                final String names = ROW_NAMES.matcher(line).replaceFirst("$1");
                final Matcher option = OPTION.matcher(names);
                if (option.find())
                {
                    rows.put(option.group(1).replaceFirst("^no-", ""), names);
                }
            });
            for (final OptionSpec option : each.getValue().options())
            {
                final String row = rows.get(bare(option.longestName()));
                if (null != row && !option.hidden())
                {
                    final TreeSet<String> documented = new TreeSet<>();
                    final Matcher name = SHORT.matcher(row);
                    while (name.find())
                    {
                        documented.add(name.group(1));
                    }
                    final TreeSet<String> known = new TreeSet<>(Arrays.asList(option.names()));
                    known.removeIf((any) -> any.startsWith("--"));
                    assertEquals(known, documented, each.getKey() + " " + option.longestName());
                }
            }
        }
    }

    private static String bare(final String option)
    {
        return option.replaceFirst("^--(no-)?", "");
    }

    /** Options by their long names without hyphens, parameters by their labels. */
    private static TreeSet<String> rows(final String section)
    {
        final TreeSet<String> names = new TreeSet<>();
        section.lines().map((line) -> ROW.matcher(line.replace("\\|", "/"))).filter(Matcher::matches).forEach((row) ->
        {
            final Matcher option = OPTION.matcher(row.group(1) + (row.group().contains("`--yes`") ? " --yes" : ""));
            String name = null;
            while (option.find())
            {
                name = option.group(1).replaceFirst("^no-", "");
            }
            names.add(null == name ? row.group(1).replace("/", "|") : name);
        });
        return names;
    }

    @Test
    void shouldShowWhatEveryCommandThatDoesSomethingPrints() throws IOException
    {
        final Map<String, String> sections = sections();
        for (final Map.Entry<String, CommandSpec> each : commands().entrySet())
        {
            final boolean isGroup = !each.getValue().subcommands().isEmpty();
            // Drives are bound on machines that have some to spare.
            if (!isGroup && !each.getKey().startsWith("millrace drive "))
            {
                final String section = sections.get(each.getKey());
                assertTrue(section.contains("\n```console\n$ ") && section.contains(each.getKey()), each.getKey());
            }
        }
    }

    @Test
    void shouldBeReferredToByTheReadme() throws IOException
    {
        final String readme = Files.readString(FILE.getParent().resolveSibling("README.md"));
        assertTrue(readme.contains("docs/commands.md"));
        Arrays.stream(Millrace.commandLine().getSubcommands().values().toArray(CommandLine[]::new))
            .filter((each) -> !each.getCommandSpec().usageMessage().hidden())
            .forEach((each) -> assertTrue(readme.contains('`' + each.getCommandName() + '`'), each.getCommandName()));
    }
}
