package io.millrace.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
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
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final List<String> REMOVALS = List.of("remove", "delete");
    private static final List<String> ADDITIONS = List.of("create", "add");
    private static final List<String> REPORTS = List.of("list", "status", "show");
    /** Commands that do what a word of other tools says; the first that a group has is meant. */
    private static final Map<String, List<String>> SYNONYMS = Map.ofEntries(
        Map.entry("rm", REMOVALS), Map.entry("del", REMOVALS), Map.entry("delete", REMOVALS),
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
            fileOption(unmatched.getUnmatched(), command, List.of(args)) : "");
    }

    /** The required option that a file was given without; else empty. */
    private static String fileOption(
        final List<String> unmatched, final CommandLine command, final List<String> args)
    {
        if (1 != unmatched.size() || unmatched.getFirst().startsWith("-"))
        {
            return "";
        }
        return command.getCommandSpec().options().stream()
            .filter((each) -> each.required() && "FILE".equals(each.paramLabel()))
            .filter((each) -> Arrays.stream(each.names()).noneMatch((name) ->
                args.stream().anyMatch((arg) -> arg.startsWith(name))))
            .findFirst().map((each) -> "; did you mean " + each.longestName() + ' ' + unmatched.getFirst() + '?')
            .orElse("");
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
