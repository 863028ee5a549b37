package io.millrace.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Options that the launcher {@code millrace} gives the JVM, read from its text, so that a process of a test is what a
 * user starts.
 */
final class LauncherFlags
{
    private static final Pattern COMMON = Pattern.compile("^flags=\"([^\"]*)\"", Pattern.MULTILINE);
    private static final Pattern OF_COMMANDS =
        Pattern.compile("^ *([a-z |]+)\\) flags=\"\\$flags ([^\"]*)\"", Pattern.MULTILINE);

    private LauncherFlags()
    {
    }

    /**
     * {@return the options for a command}
     *
     * @param command such as {@code serve}.
     */
    static String[] of(final String command) throws IOException
    {
        final String launcher = Files.readString(Lab.root().resolve("millrace"));
        final List<String> flags = new ArrayList<>();
        final Matcher common = COMMON.matcher(launcher);
        if (!common.find())
        {
            throw new AssertionError("the launcher has no line flags=\"...\"");
        }
        flags.addAll(List.of(common.group(1).split(" +")));
        final Matcher ofCommands = OF_COMMANDS.matcher(launcher);
        while (ofCommands.find())
        {
            if (List.of(ofCommands.group(1).strip().split(" *\\| *")).contains(command))
            {
                flags.addAll(List.of(ofCommands.group(2).split(" +")));
            }
        }
        return flags.toArray(String[]::new);
    }
}
