package io.millrace.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * What is wrong with a command line, as other messages say it: without types of Java, and with the words of other
 * tools. Stateless.
 */
final class UsageText
{
    private static final Pattern BAD_VALUE = Pattern.compile(
        "Invalid value for (?:option '([^']+)'|positional parameter at index \\S+)(?: \\(<?([^)>]+)>?\\))?: (.*)");
    private static final Pattern NO_NUMBER = Pattern.compile("'(.*)' is not an? (?:int|long)");
    private static final String NSID = "--nsid";
    private static final Pattern SIZE = Pattern.compile("[+]?\\d+[kKMGTPE]?(?:i?B)?|max");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final List<String> REMOVALS = List.of("remove", "delete", "deny");
    private static final List<String> ADDITIONS = List.of("create", "add", "allow");
    private static final List<String> REPORTS = List.of("list", "status", "show");
    /** Commands that do what a word of other tools says; the first that a group has is meant. */
    private static final Map<String, List<String>> SYNONYMS = Map.ofEntries(
        Map.entry("rm", REMOVALS), Map.entry("del", REMOVALS),
        Map.entry("destroy", REMOVALS), Map.entry("delete", REMOVALS),
        Map.entry("remove", REMOVALS), Map.entry("add", ADDITIONS), Map.entry("create", ADDITIONS),
        Map.entry("new", ADDITIONS), Map.entry("ls", REPORTS), Map.entry("show", REPORTS), Map.entry("get", REPORTS),
        Map.entry("describe", REPORTS));

    private UsageText()
    {
    }

    /**
     * {@return one line}
     *
     * @param e       as the parser found it.
     * @param command whose line it is.
     * @param args    of the line.
     */
    static String of(final ParameterException e, final CommandLine command, final String[] args)
    {
        final String text = e.getMessage().lines().findFirst().orElse("wrong usage");
        final Matcher bad = BAD_VALUE.matcher(text);
        if (bad.matches())
        {
            final String name = null == bad.group(1) ? bad.group(2) : bad.group(1);
            final Matcher number = NO_NUMBER.matcher(bad.group(3));
            return number.matches() ? name + " = " + number.group(1) + ": not a whole number" :
                name + ": " + bad.group(3);
        }
        return text + (e instanceof final UnmatchedArgumentException unmatched ?
            meant(unmatched.getUnmatched(), command, List.of(args)) : "");
    }

    /** The option that a value was given without, where that is plain; else empty. */
    private static String meant(
        final List<String> unmatched, final CommandLine command, final List<String> args)
    {
        if (1 != unmatched.size() || unmatched.getFirst().startsWith("-"))
        {
            return "";
        }
        final String value = unmatched.getFirst();
        final List<OptionSpec> options = command.getCommandSpec().options().stream()
            .filter((each) -> Arrays.stream(each.names()).noneMatch((name) ->
                args.stream().anyMatch((arg) -> arg.startsWith(name)))).toList();
        final String number = args.stream().filter((each) -> NUMBER.matcher(each).matches()).findFirst().orElse("");
        if (!number.isEmpty() && options.stream().anyMatch((each) -> NSID.equals(each.longestName())))
        {
            return "; did you mean " + NSID + ' ' + number + '?';
        }
        final String label = SIZE.matcher(value).matches() ? "SIZE" : "DEVICE";
        return options.stream()
            .filter((each) -> each.required() ? "FILE".equals(each.paramLabel()) : label.equals(each.paramLabel()))
            .findFirst().map((each) -> "; did you mean " + each.longestName() + ' ' + value + '?').orElse("");
    }

    /**
     * {@return the first example of a command that begins with its name; null where there is none, or the command is
     * a group, which lists its commands}
     *
     * @param command whose line is wrong.
     */
    static String example(final CommandLine command)
    {
        final String name = command.getCommandSpec().qualifiedName() + " ";
        return command.getSubcommands().isEmpty() ?
            Arrays.stream(command.getCommandSpec().usageMessage().footer()).map(String::strip)
                .filter((each) -> each.startsWith(name)).map((each) -> each.split(" {2,}", 2)[0]).findFirst()
                .orElse(null) : null;
    }

    /**
     * {@return the command that a word of another tool stands for; null: none}
     *
     * @param word     as given.
     * @param commands of the group.
     */
    static String synonym(final String word, final List<String> commands)
    {
        if (NUMBER.matcher(word).matches() && commands.contains("show"))
        {
            return "show " + word;
        }
        return SYNONYMS.getOrDefault(word, List.of()).stream().filter(commands::contains).findFirst().orElse(null);
    }
}
