package io.millrace.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The list of commands in the help of {@code millrace}, in groups. Stateless.
 */
final class CommandList
{
    private static final String OTHERS = "Others";
    private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

    static
    {
        GROUPS.put("Serve", List.of("quickstart", "serve", "manager"));
        GROUPS.put("Inspect", List.of("get", "top", "watch", "events", "stat"));
        GROUPS.put("Desired state", List.of("apply", "history", "rollback", "audit"));
        GROUPS.put("Resources", List.of("device", "raid", "volume", "subsystem", "namespace", "host", "listener", "ana",
            "qos", "connection", "reactor", "dataplane"));
        GROUPS.put("Hosts", List.of("perf", "discover", "identify"));
        GROUPS.put("This machine", List.of("doctor", "drive", "rdma", "spdk", "parity"));
        GROUPS.put("Help", List.of("help", "version", "man", "completion"));
    }

    private CommandList()
    {
    }

    /**
     * Replaces the list of commands in the help of a command.
     *
     * @param root that has the commands.
     */
    static void install(final CommandLine root)
    {
        root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, (help) -> "");
        root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandList::text);
    }

    private static String text(final Help help)
    {
        final Map<String, Help> left = new LinkedHashMap<>(help.subcommands());
        final StringBuilder text = new StringBuilder();
        GROUPS.forEach((heading, names) ->
        {
            final Map<String, Help> group = new LinkedHashMap<>();
            names.forEach((name) ->
            {
                final Help command = left.remove(name);
                if (null != command)
                {
                    group.put(name, command);
                }
            });
            append(text, help, heading, group);
        });
        append(text, help, OTHERS, left);
        return text.toString();
    }

    private static void append(
        final StringBuilder text, final Help help, final String heading, final Map<String, Help> commands)
    {
        if (!commands.isEmpty())
        {
            text.append(System.lineSeparator())
                .append(help.colorScheme().text("@|bold " + heading + ":|@").toString())
                .append(System.lineSeparator())
                .append(help.commandList(commands));
        }
    }

    /**
     * {@return the commands that have a subcommand of a name, in the order of the help}
     *
     * @param root       that has the commands.
     * @param subcommand name to look for.
     */
    static List<String> withSubcommand(final CommandLine root, final String subcommand)
    {
        final List<String> names = new ArrayList<>();
        root.getSubcommands().forEach((name, command) ->
        {
            if (command.getSubcommands().containsKey(subcommand))
            {
                names.add(name);
            }
        });
        return names;
    }
}
