package io.millrace.cli.control;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.console.TimeSpan;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlListener;
import io.millrace.control.client.ControlSettingException;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.session.SecretException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Whom a command talks to, and as whom: what every control command takes.
 */
final class ControlOptions
{
    private static final String CONTROL_VARIABLE = "MILLRACE_CONTROL";
    private static final String DATA_PLANE_VARIABLE = "MILLRACE_DATA_PLANE";

    private static final long CONNECT_TIMEOUT_MAX_MS = 5_000;

    /** What is done in a session. */
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

    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    /** The options, in a group of their own in the help. */
    private static final class Values
    {
        @Option(names = "--control", paramLabel = "DIRECTORY|CHANNEL", description = {
            "Directory that a data plane or a manager takes commands in, or UDP channel, " +
                "aeron:udp?endpoint=ADDRESS:PORT. Default: $MILLRACE_CONTROL, else this user's manager when it runs, " +
                "else this user's data plane."})
        private String control;

        @Option(names = "--data-plane", paramLabel = "NAME", completionCandidates = LiveNames.DataPlanes.class,
            description = "Which of a manager's data planes. Default: $MILLRACE_DATA_PLANE, else the only one.")
        private String dataPlane;

        @Option(names = "--key-name", paramLabel = "NAME", description = "Name of the key that is proven over UDP.")
        private String keyName = "";

        @Option(names = "--key-file", paramLabel = "FILE", description = "File with the secret of that key.")
        private Path keyFile;

        @Option(names = "--direct", description = {
            "Change the data plane itself, past its manager, such as when that does not run. The manager reports it " +
                "as drift and takes nothing away for it that a person has not allowed; what is missing it makes " +
                "again."})
        private boolean direct;

        @Option(names = "--timeout", paramLabel = "TIME", converter = TimeSpan.class,
            description = "Give up on an answer after this. Default: 10s, and 10m for what may take long.")
        private Long timeoutMs;
    }

    /**
     * Opens a session, does something in it and closes it.
     *
     * @param role   that is needed.
     * @param action to do.
     * @return exit code.
     * @throws CommandException when it did not go well.
     */
    int run(final Role role, final Action action)
    {
        return run(role, Patience.SHORT, null, action);
    }

    /** How long an answer may take when nobody says. */
    enum Patience
    {
        /** What is done at once. */
        SHORT(10_000),
        /** What waits for a file system. */
        LONG(600_000);

        private final long timeoutMs;

        Patience(final long timeoutMs)
        {
            this.timeoutMs = timeoutMs;
        }
    }

    /**
     * Opens a session, does something in it and closes it.
     *
     * @param role     that is needed.
     * @param patience with answers.
     * @param listener told of events, or null.
     * @param action   to do.
     * @return exit code.
     * @throws CommandException when it did not go well.
     */
    int run(final Role role, final Patience patience, final ControlListener listener, final Action action)
    {
        final long timeoutMs = null == values.timeoutMs ? patience.timeoutMs : values.timeoutMs;
        try (ControlLink link = ControlLink.open(target(), timeoutMs,
            Math.min(timeoutMs, CONNECT_TIMEOUT_MAX_MS), role, mixee.qualifiedName(), listener))
        {
            if (values.direct)
            {
                link.client().term(CommandHeader.DIRECT);
            }
            else if (isFallback())
            {
                needManager(link, role);
            }
            return run(link, action);
        }
        catch (final ControlSettingException | SecretException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
        catch (final ControlException | IllegalArgumentException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getMessage(), e);
        }
    }

    /**
     * Does something in a session and says what was done.
     *
     * @param role   that is needed.
     * @param action answers with a sentence.
     * @return exit code.
     * @throws CommandException when it did not go well.
     */
    int say(final Role role, final Function<ControlClient, String> action)
    {
        return say(role, Patience.SHORT, action);
    }

    /**
     * Does something in a session and says what was done.
     *
     * @param role     that is needed.
     * @param patience with answers.
     * @param action   answers with a sentence.
     * @return exit code.
     * @throws CommandException when it did not go well.
     */
    int say(final Role role, final Patience patience, final Function<ControlClient, String> action)
    {
        return run(role, patience, null, (link) ->
        {
            Terminal.standard().line(link.said(action.apply(link.client())));
            return ExitCode.OK;
        });
    }

    /**
     * Asks about one after the other, then does something with them and says of each what was done, up to the first
     * that does not go well.
     *
     * @param role   that is needed.
     * @param items  to do it with.
     * @param ask    whether it is meant; throws when not.
     * @param action answers with a sentence.
     * @param <T>    of the items.
     * @return exit code.
     * @throws CommandException when it did not go well.
     */
    <T> int sayEach(
        final Role role,
        final List<T> items,
        final BiConsumer<ControlLink, T> ask,
        final BiFunction<ControlClient, T, String> action)
    {
        return run(role, Patience.LONG, null, (link) ->
        {
            items.forEach((item) -> ask.accept(link, item));
            items.forEach((item) -> Terminal.standard().line(link.said(action.apply(link.client(), item))));
            return ExitCode.OK;
        });
    }

    /**
     * Does something with one after the other, and says of each what was done, up to the first that does not go well.
     *
     * @param role   that is needed.
     * @param items  to do it with.
     * @param action answers with a sentence.
     * @param <T>    of the items.
     * @return exit code.
     * @throws CommandException when it did not go well.
     */
    <T> int sayEach(final Role role, final List<T> items, final BiFunction<ControlClient, T, String> action)
    {
        return run(role, (link) ->
        {
            items.forEach((item) -> Terminal.standard().line(link.said(action.apply(link.client(), item))));
            return ExitCode.OK;
        });
    }

    private static int run(final ControlLink link, final Action action)
    {
        try
        {
            return action.run(link);
        }
        catch (final ControlException e)
        {
            final boolean isUsage = Code.INVALID == e.code() && link.needsDataPlane();
            throw new CommandException(isUsage ? ExitCode.USAGE : ExitCode.FAILURE, e.getMessage(), e);
        }
    }

    /** Nothing was named, and no manager of this user was found. */
    private boolean isFallback()
    {
        return null == values.control && null == variable(CONTROL_VARIABLE) && target().isOwnDataPlane();
    }

    /** A data plane that has a manager is looked at when that does not run, and not changed by mistake. */
    private static void needManager(final ControlLink link, final Role role)
    {
        final LeadershipInfo leadership = link.leadership();
        if (!leadership.isManaged())
        {
            return;
        }
        final String name = "manager " + leadership.managerName() + " of this data plane does not run: nobody takes " +
            "commands in " + leadership.managerAddress();
        if (Role.READ == role)
        {
            Terminal.standardError().line("note: " + name + "; this is what the data plane has");
            return;
        }
        throw new CommandException(ExitCode.FAILURE, name +
            "; start it with 'millrace manager', or name another with " +
            "--control. With --direct the data plane itself is changed, which its manager reports as drift when it " +
            "is " +
            "back");
    }

    private ControlTarget target()
    {
        if (values.direct && null == values.control && null == variable(CONTROL_VARIABLE))
        {
            return ControlTarget.ownDataPlane(Objects.requireNonNullElse(values.dataPlane, ""));
        }
        return target(values.control, values.dataPlane, values.keyName, values.keyFile);
    }

    /** Where commands are sent, with what the environment says of what is null. */
    static ControlTarget target(
        final String control, final String dataPlane, final String keyName, final Path keyFile)
    {
        return ControlTarget.find(null == control ? variable(CONTROL_VARIABLE) : control,
            Objects.requireNonNullElse(null == dataPlane ? variable(DATA_PLANE_VARIABLE) : dataPlane, ""), keyName,
            keyFile);
    }

    private static String variable(final String name)
    {
        final String value = System.getenv(name);
        return null == value || value.isEmpty() ? null : value;
    }
}
