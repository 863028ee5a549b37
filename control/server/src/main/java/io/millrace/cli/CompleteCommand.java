package io.millrace.cli;

import io.millrace.cli.control.LiveNames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code millrace complete}: prints the names that complete a command line, for the scripts of
 * {@code millrace completion}. It asks the running data plane or manager; without one it prints nothing.
 */
@Command(name = "complete", hidden = true, description = "Print the names that complete a line.")
final class CompleteCommand implements Runnable
{
    private static final Pattern SPECIAL = Pattern.compile("[^\\p{L}\\p{N}_.:/@%+,=-]");

    @Parameters(index = "0", paramLabel = "LINE", description = "The command line up to the cursor.")
    private String line;

    @Parameters(index = "1", arity = "0..1", paramLabel = "BREAKS", defaultValue = "",
        description = "Characters that separate words in the shell.")
    private String wordBreaks;

    @Spec
    private CommandSpec spec;

    @Override
    public void run()
    {
        final List<String> words = words(line);
        final String typed = words.removeLast();
        if (words.size() < 2)
        {
            return;
        }
        final Walk walk = new Walk(Millrace.commandLine(words.get(1)));
        words.subList(1, words.size()).forEach(walk::take);
        final int equals = typed.startsWith("--") ? typed.indexOf('=') : -1;
        final String value = typed.substring(equals + 1);
        final int shown = completionStart(typed);
        walk.words(equals < 0 ? walk.next() : walk.option(typed.substring(0, equals))).stream()
            .filter((each) -> each.startsWith(value))
            .forEach((each) -> spec.commandLine().getOut()
                .println(escaped((typed.substring(0, equals + 1) + each).substring(shown))));
    }

    /** The shell replaces only the last word, so the words before it are not repeated. */
    private int completionStart(final String typed)
    {
        int from = 0;
        for (int i = 0; i < typed.length(); i++)
        {
            from = (':' == typed.charAt(i) || '=' == typed.charAt(i)) && wordBreaks.indexOf(typed.charAt(i)) >= 0 ?
                i + 1 : from;
        }
        return from;
    }

    /** Escaped for the shell: names of devices may contain blanks and special characters. */
    private static String escaped(final String name)
    {
        return SPECIAL.matcher(name).replaceAll("\\\\$0");
    }

    /** Blanks end a word, unless they are quoted; the last word may be empty. */
    static List<String> words(final String line)
    {
        final List<String> words = new ArrayList<>();
        final StringBuilder word = new StringBuilder();
        char quote = 0;
        for (int i = 0; i < line.length(); i++)
        {
            final char c = line.charAt(i);
            if (0 == quote && ' ' == c)
            {
                if (!word.isEmpty())
                {
                    words.add(word.toString());
                    word.setLength(0);
                }
            }
            else if (0 == quote && ('\'' == c || '"' == c))
            {
                quote = c;
            }
            else if (quote == c)
            {
                quote = 0;
            }
            else if ('\\' == c && '\'' != quote && i + 1 < line.length())
            {
                i++;
                word.append(line.charAt(i));
            }
            else
            {
                word.append(c);
            }
        }
        words.add(word.toString());
        return words;
    }

    /** Parses a line word by word to find the option or parameter that the next word belongs to. */
    private static final class Walk
    {
        private final Map<String, String> values = new HashMap<>();
        private final List<String> positionals = new ArrayList<>();
        private CommandSpec command;
        private OptionSpec awaiting;

        Walk(final CommandLine root)
        {
            command = root.getCommandSpec();
        }

        void take(final String word)
        {
            if (null != awaiting)
            {
                values.put(awaiting.longestName(), word);
                awaiting = null;
                return;
            }
            if (word.startsWith("-") && word.length() > 1)
            {
                final int equals = word.indexOf('=');
                final OptionSpec option = command.findOption(equals < 0 ? word : word.substring(0, equals));
                if (null != option && equals > 0)
                {
                    values.put(option.longestName(), word.substring(equals + 1));
                }
                else if (null != option && option.arity().min() > 0)
                {
                    awaiting = option;
                }
                return;
            }
            final CommandLine next = positionals.isEmpty() ? command.subcommands().get(word) : null;
            if (null == next)
            {
                positionals.add(word);
            }
            else
            {
                command = next.getCommandSpec();
            }
        }

        /** The option or parameter that the next word belongs to, or null. */
        ArgSpec next()
        {
            if (null != awaiting)
            {
                return awaiting;
            }
            return command.positionalParameters().stream()
                .filter((each) -> each.index().contains(positionals.size())).findFirst().orElse(null);
        }

        ArgSpec option(final String name)
        {
            return command.findOption(name);
        }

        List<String> words(final ArgSpec argument)
        {
            final List<String> words = new ArrayList<>();
            if (null != argument && argument.completionCandidates() instanceof final LiveNames names)
            {
                words.addAll(names.ask(place(), positionals.isEmpty() ? "" : positionals.getFirst()));
            }
            else if (null != argument && null != argument.completionCandidates())
            {
                argument.completionCandidates().forEach(words::add);
            }
            return words;
        }

        private LiveNames.Place place()
        {
            final String keyFile = values.get("--key-file");
            return new LiveNames.Place(values.get("--control"), values.get("--data-plane"),
                values.getOrDefault("--key-name", ""), null == keyFile ? null : Path.of(keyFile));
        }
    }
}
