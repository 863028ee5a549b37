package io.millrace.cli.control;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.console.TimeSpan;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.client.ControlListener;
import io.millrace.control.client.ControlSettingException;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.session.SecretException;
import io.millrace.control.state.ManagerName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Connection options of every control command: target, identity and time-out.
 */
public final class ControlOptions
{
    private static final long CONNECT_TIMEOUT_MAX_MS = 5_000;

    /** An action in a session. */
    @FunctionalInterface
    interface Action
    {
        /**
         * {@return exit code}
         *
         * @param link that is open.
         */
        int run(ControlLink link);
    }

    @ArgGroup(validate = false, heading = "%nConnection:%n")
    private Values values = new Values();

    /** That the manager does not run was said, in the first of several sessions. */
    private boolean isNoted;

    private CommandSpec command;

    /**
     * Called by picocli.
     */
    ControlOptions()
    {
    }

    /**
     * Called by picocli, and by options that these are part of, as picocli does not know the command through them.
     *
     * @param mixee that the sessions are of.
     */
    @Spec(Spec.Target.MIXEE)
    void command(final CommandSpec mixee)
    {
        command = mixee;
    }

    /** The options, which form a group in the help. */
    private static final class Values
    {
        @Option(names = "--control", paramLabel = "DIRECTORY|CHANNEL", description = {
            "Control directory of a data plane or manager, or UDP channel, aeron:udp?endpoint=ADDRESS:PORT. Default: " +
                "$MILLRACE_CONTROL, else that of the client file, else this user's manager if it runs, else this " +
                "user's data plane."})
        private String control;

        @Option(names = "--data-plane", paramLabel = "NAME", completionCandidates = LiveNames.DataPlanes.class,
            description = "Data plane of a manager. Default: $MILLRACE_DATA_PLANE, else that of the client file, " +
                "else the only one.")
        private String dataPlane;

        @Option(names = "--key-name", paramLabel = "NAME", description = {
            "Name of the key for authentication over UDP. Default: $MILLRACE_KEY, else that of the client file,",
            "~/.config/millrace/client.yaml."})
        private String keyName = "";

        @Option(names = "--key-file", paramLabel = "FILE", description = "File with the secret of that key. " +
            "Default: $MILLRACE_KEY_FILE, else that of the client file.")
        private Path keyFile;

        @Option(names = "--direct", description = {
            "Use the data plane directly, bypassing its manager, for example while the manager is down. The " +
                "manager reports changes as drift: it recreates missing resources, and removes nothing without " +
                "'reconcile --allow-destroy'."})
        private boolean direct;

        @Option(names = "--timeout", paramLabel = "TIME", converter = TimeSpan.class,
            description = "Time to wait for an answer. Default: 10s, and 10m for commands that may take long.")
        private Long timeoutMs;
    }

    /**
     * Runs an action in a new session.
     *
     * @param role   that is needed.
     * @param action to do.
     * @return exit code.
     * @throws CommandException when the command failed.
     */
    int run(final Role role, final Action action)
    {
        return run(role, AnswerTimeout.SHORT, null, action);
    }

    /** Default time-outs of an answer. */
    enum AnswerTimeout
    {
        /** For commands that complete at once. */
        SHORT(10_000),
        /** For commands that may wait for a file system. */
        LONG(600_000);

        private final long timeoutMs;

        AnswerTimeout(final long timeoutMs)
        {
            this.timeoutMs = timeoutMs;
        }
    }

    /**
     * Runs an action in a new session.
     *
     * @param role     that is needed.
     * @param timeout  of an answer.
     * @param listener told of events, or null.
     * @param action   to do.
     * @return exit code.
     * @throws CommandException when the command failed.
     */
    int run(final Role role, final AnswerTimeout timeout, final ControlListener listener, final Action action)
    {
        final long timeoutMs = null == values.timeoutMs ? timeout.timeoutMs : values.timeoutMs;
        try (ControlLink link = ControlLink.open(target(), timeoutMs,
            Math.min(timeoutMs, CONNECT_TIMEOUT_MAX_MS), role, command.qualifiedName(), listener))
        {
            if (values.direct)
            {
                link.client().term(CommandHeader.DIRECT);
            }
            else if (isFallback())
            {
                requireManager(link, role);
            }
            return run(link, action);
        }
        catch (final ControlSettingException | SecretException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
        catch (final ControlException e)
        {
            throw new CommandException(ExitCode.FAILURE,
                e.getMessage() + (Code.NOT_FOUND == e.code() ? unmanagedDataPlane() : ""), e);
        }
        catch (final IllegalArgumentException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getMessage(), e);
        }
    }

    /**
     * Runs an action in a session for one data plane of the manager that the options name.
     *
     * @param dataPlane name at the manager.
     * @param role      that is needed.
     * @param action    to do.
     * @return exit code.
     * @throws CommandException when the command failed.
     */
    int runOn(final String dataPlane, final Role role, final Action action)
    {
        final String before = values.dataPlane;
        values.dataPlane = dataPlane;
        try
        {
            return run(role, action);
        }
        finally
        {
            values.dataPlane = before;
        }
    }

    /**
     * Runs an action with a session for each data plane of a manager, when it has several and none was chosen; else
     * with one session.
     *
     * @param role     that is needed.
     * @param listener told of the events of a session, by the name of its data plane; empty: the only one.
     * @param action   to do with the open sessions, by name.
     * @return exit code.
     * @throws CommandException when the command failed.
     */
    public int runOnAll(
        final Role role,
        final Function<String, ControlListener> listener,
        final ToIntFunction<Map<String, ControlLink>> action)
    {
        final List<String> names = new ArrayList<>();
        run(role, (link) ->
        {
            if (link.isManager() && link.needsDataPlane())
            {
                link.client().manager().managed("").forEach((each) -> names.add(each.name()));
            }
            return ExitCode.OK;
        });
        if (names.isEmpty())
        {
            return run(role, AnswerTimeout.SHORT, listener.apply(""), (link) -> action.applyAsInt(Map.of("", link)));
        }
        final String before = values.dataPlane;
        try
        {
            return runOnRest(role, listener, action, names, new LinkedHashMap<>());
        }
        finally
        {
            values.dataPlane = before;
        }
    }

    /** Opens a session for the first name without one, around the rest. */
    private int runOnRest(
        final Role role,
        final Function<String, ControlListener> listener,
        final ToIntFunction<Map<String, ControlLink>> action,
        final List<String> names,
        final Map<String, ControlLink> links)
    {
        if (links.size() == names.size())
        {
            return action.applyAsInt(links);
        }
        final String name = names.get(links.size());
        values.dataPlane = name;
        return run(role, AnswerTimeout.SHORT, listener.apply(name), (link) ->
        {
            links.put(name, link);
            return runOnRest(role, listener, action, names, links);
        });
    }

    /**
     * Runs an action in a session and prints its result.
     *
     * @param role   that is needed.
     * @param action returns the line to print.
     * @return exit code.
     * @throws CommandException when the command failed.
     */
    int report(final Role role, final Function<ControlClient, String> action)
    {
        return report(role, AnswerTimeout.SHORT, action);
    }

    /**
     * Runs an action in a session and prints its result.
     *
     * @param role     that is needed.
     * @param timeout  of an answer.
     * @param action   answers with a sentence.
     * @return exit code.
     * @throws CommandException when the command failed.
     */
    int report(final Role role, final AnswerTimeout timeout, final Function<ControlClient, String> action)
    {
        return run(role, timeout, null, (link) ->
        {
            Terminal.standard().line(link.outcome(action.apply(link.client())));
            return ExitCode.OK;
        });
    }

    /**
     * Asks for confirmation of each item, then runs an action on each and prints its result, up to the first failure.
     *
     * @param role   that is needed.
     * @param items  that the action is for.
     * @param ask    asks for confirmation; throws unless confirmed.
     * @param action returns the line to print.
     * @param <T>    of the items.
     * @return exit code.
     * @throws CommandException when the command failed.
     */
    <T> int reportEach(
        final Role role,
        final List<T> items,
        final BiConsumer<ControlLink, T> ask,
        final BiFunction<ControlClient, T, String> action)
    {
        return run(role, AnswerTimeout.LONG, null, (link) ->
        {
            items.forEach((item) -> ask.accept(link, item));
            items.forEach((item) -> Terminal.standard().line(link.outcome(action.apply(link.client(), item))));
            return ExitCode.OK;
        });
    }

    /**
     * Runs an action on each item and prints its result, up to the first failure.
     *
     * @param role   that is needed.
     * @param items  that the action is for.
     * @param action returns the line to print.
     * @param <T>    of the items.
     * @return exit code.
     * @throws CommandException when the command failed.
     */
    <T> int reportEach(final Role role, final List<T> items, final BiFunction<ControlClient, T, String> action)
    {
        return run(role, (link) ->
        {
            items.forEach((item) -> Terminal.standard().line(link.outcome(action.apply(link.client(), item))));
            return ExitCode.OK;
        });
    }

    private static int run(final ControlLink link, final Action action)
    {
        try
        {
            final int code = action.run(link);
            link.noteUnstored();
            return code;
        }
        catch (final ControlException e)
        {
            final boolean isUsage = Code.INVALID == e.code() && link.needsDataPlane();
            throw new CommandException(isUsage ? ExitCode.USAGE : ExitCode.FAILURE, e.getMessage(), e);
        }
    }

    /** No target was named, and no manager of this user was found. */
    private boolean isFallback()
    {
        return null == values.control && null == defaults().control() && target().isOwnDataPlane();
    }

    /** While its manager is down, a data plane may be inspected, and modified only with --direct. */
    private void requireManager(final ControlLink link, final Role role)
    {
        final LeadershipInfo leadership = link.leadership();
        if (!leadership.isManaged())
        {
            return;
        }
        final String name = ManagerName.phrase(leadership.managerName()) + " of this data plane does not run: no " +
            "process accepts commands in " + leadership.managerAddress();
        if (Role.READ == role)
        {
            if (!isNoted)
            {
                isNoted = true;
                Terminal.standardError().line("note: " + name + "; this is the actual state of the data plane");
            }
            return;
        }
        throw new CommandException(ExitCode.FAILURE, name +
            "; start it with 'millrace manager', or name another with " +
            "--control. With --direct the data plane itself is modified, which its manager reports as drift when it " +
            "is back");
    }

    /** A data plane that was named and runs, and that the manager does not have; else empty. */
    private String unmanagedDataPlane()
    {
        final String name = null == values.dataPlane ? defaults().dataPlane() : values.dataPlane;
        final Path directory = null == name ? null : ControlDirectories.dataPlane(name);
        return null == directory || !ControlDirectory.of(directory).isAlive() ? "" : "; data plane " + name +
            " of this user runs without this manager: use --control " + directory +
            ", or add it to data-planes of the manager's file";
    }

    private ControlTarget target()
    {
        if (values.direct && null == values.control && null == defaults().control())
        {
            return ControlTarget.ownDataPlane(Objects.requireNonNullElse(values.dataPlane, ""));
        }
        return target(values.control, values.dataPlane, values.keyName, values.keyFile);
    }

    private static ClientSettings defaults()
    {
        return ClientSettings.read(System.getenv());
    }

    /** Target of commands; environment variables and the client file replace null values. */
    static ControlTarget target(
        final String control, final String dataPlane, final String keyName, final Path keyFile)
    {
        return target(control, dataPlane, keyName, keyFile, defaults());
    }

    static ControlTarget target(
        final String control,
        final String dataPlane,
        final String keyName,
        final Path keyFile,
        final ClientSettings defaults)
    {
        final String place = null == control ? defaults.control() : control;
        // Over IPC the user of the process is enough, and the process may not know the key that is meant for UDP.
        final boolean isKeyGiven = !keyName.isEmpty() || null != keyFile || null == place ||
            !place.startsWith(ControlTarget.CHANNEL_PREFIX);
        return ControlTarget.find(
            place,
            Objects.requireNonNullElse(null == dataPlane ? defaults.dataPlane() : dataPlane, ""),
            isKeyGiven ? keyName : defaults.keyName(),
            isKeyGiven ? keyFile : defaults.keyFile());
    }
}
