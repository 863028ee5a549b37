package io.millrace.cli.control;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.session.SharedSecret;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.NoChange;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.CloseHelper;

/**
 * A session with a data plane or a manager. Over UDP it starts an embedded media driver. One thread.
 */
public final class ControlLink implements AutoCloseable
{
    private static final Pattern ENDPOINT =
        Pattern.compile("aeron:udp\\?(?:.*\\|)?endpoint=(?:\\[([0-9a-fA-F:]+)]|([0-9.]+)):(\\d{1,5})(?:\\|.*)?");
    private static final int PORT_MAX = 0xFFFF;

    private final MediaDriver driver;
    private final ControlClient client;
    private final WarningPrinter warnings;
    private Boolean isManager;

    private ControlLink(final MediaDriver driver, final ControlClient client, final WarningPrinter warnings)
    {
        this.driver = driver;
        this.client = client;
        this.warnings = warnings;
    }

    /** The note that changes are not stored. */
    private enum StorageNote
    {
        /** No command has changed what a manager would store. */
        NOT_DUE,
        DUE,
        PRINTED
    }

    /**
     * Prints warnings of successful commands to standard error; the reason why a command changed nothing is kept
     * instead.
     */
    private static final class WarningPrinter implements Consumer<String>
    {
        private String unchanged;
        private StorageNote storageNote = StorageNote.NOT_DUE;

        void onExecuted(final Command command)
        {
            if (StorageNote.NOT_DUE == storageNote && null == unchanged && DesiredState.changesDesiredState(command))
            {
                storageNote = StorageNote.DUE;
            }
        }

        @Override
        public void accept(final String warning)
        {
            if (warning.endsWith(NoChange.ENDING))
            {
                unchanged = warning;
            }
            else
            {
                Terminal.standardError().line("note: " + warning);
            }
        }
    }

    /**
     * Opens a session.
     *
     * @param target           of it.
     * @param timeoutMs        of each answer.
     * @param connectTimeoutMs of the session.
     * @param role             that is needed.
     * @param program          for logs and audit.
     * @param listener         told of events, or null.
     * @return the session.
     */
    static ControlLink open(
        final ControlTarget target,
        final long timeoutMs,
        final long connectTimeoutMs,
        final Role role,
        final String program,
        final ControlListener listener)
    {
        final WarningPrinter warnings = new WarningPrinter();
        final ControlClientContext context = new ControlClientContext()
            .role(role)
            .clientName(program + " of " + System.getProperty("user.name"))
            .dataPlaneName(target.dataPlane())
            .group(ControlTarget.group())
            .callTimeoutNs(TimeUnit.MILLISECONDS.toNanos(timeoutMs))
            .connectTimeoutNs(TimeUnit.MILLISECONDS.toNanos(connectTimeoutMs))
            .onWarning(warnings)
            .onExecuted(warnings::onExecuted)
            .listener(listener);
        if (null != target.keyFile())
        {
            context.keyName(target.keyName()).secret(SharedSecret.read(target.keyFile()));
        }
        if (null == target.channel())
        {
            return new ControlLink(null, ControlClient.connect(
                context.aeronDirectoryName(target.directory().toString())), warnings);
        }
        context.requestChannel(target.channel()).responseChannel(responseChannel(target.channel()));
        final MediaDriver driver = MediaDriver.launchEmbedded(new MediaDriver.Context()
            .threadingMode(ThreadingMode.SHARED).termBufferSparseFile(false)
            .dirDeleteOnShutdown(true).warnIfDirectoryExists(false));
        try
        {
            return new ControlLink(driver, ControlClient.connect(
                context.aeronDirectoryName(driver.aeronDirectoryName())), warnings);
        }
        catch (final RuntimeException e)
        {
            CloseHelper.quietClose(driver);
            throw e;
        }
    }

    /** Answers come to the local address from which the peer is reached. */
    private static String responseChannel(final String channel)
    {
        final Matcher matcher = ENDPOINT.matcher(channel);
        final int port = matcher.matches() ? Integer.parseInt(matcher.group(3)) : 0;
        if (port < 1 || port > PORT_MAX)
        {
            throw new CommandException(ExitCode.USAGE, "--control " + channel +
                ": has no numeric endpoint; write aeron:udp?endpoint=192.0.2.1:4421 or endpoint=[2001:db8::1]:4421");
        }
        try (DatagramSocket socket = new DatagramSocket())
        {
            final String host = null == matcher.group(1) ? matcher.group(2) : matcher.group(1);
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral(host), port));
            final String local = socket.getLocalAddress().getHostAddress();
            return "aeron:udp?endpoint=" + (local.indexOf(':') < 0 ? local : '[' + local + ']') + ":0";
        }
        catch (final IOException | IllegalArgumentException e)
        {
            throw new CommandException(ExitCode.FAILURE, "--control " + channel + " cannot be reached: " +
                e.getMessage(), e);
        }
    }

    /**
     * {@return the client of the session, on which commands are submitted and events polled}
     */
    public ControlClient client()
    {
        return client;
    }

    /**
     * {@return the line to print for a command that succeeded: that it was done, or why it changed nothing}
     *
     * @param done sentence when something was done.
     */
    String outcome(final String done)
    {
        final String unchanged = warnings.unchanged;
        warnings.unchanged = null;
        return null == unchanged ? done : unchanged;
    }

    /**
     * {@return the active manager of the data plane; none if the data plane is too old to report it}
     */
    LeadershipInfo leadership()
    {
        final Call call = client.await(client.submit(new Command.List(Kind.LEADERSHIP, "")));
        return Code.OK == call.code() && !call.resources().isEmpty() ?
            (LeadershipInfo)call.resources().getFirst() : LeadershipInfo.NONE;
    }

    /**
     * {@return whether no manager stores what is changed}
     */
    boolean isUnstored()
    {
        return !isManager() && !leadership().isManaged();
    }

    /**
     * Prints what to do about a change that no manager stores, in place of what {@link #noteUnstored} prints.
     *
     * @param remedy sentence.
     */
    void note(final String remedy)
    {
        warnings.storageNote = StorageNote.PRINTED;
        Terminal.standard().line(remedy);
    }

    /** Says once that what commands have changed is not stored, where no manager does. */
    void noteUnstored()
    {
        if (StorageNote.DUE == warnings.storageNote && isUnstored())
        {
            warnings.storageNote = StorageNote.PRINTED;
            Terminal.standardError().line("note: not stored, as there is no manager: it lasts until the data plane " +
                "ends; put it into its configuration file, or run 'millrace manager'");
        }
    }

    /**
     * {@return whether the peer is a manager}
     */
    boolean isManager()
    {
        if (null == isManager)
        {
            final Call call = client.await(client.submit(new Command.List(Kind.MANAGED, "")));
            final boolean isNone = Code.UNSUPPORTED == call.code() || Code.INVALID == call.code() ||
                Code.MALFORMED == call.code();
            isManager = !isNone;
            if (!isNone)
            {
                call.orThrow();
            }
        }
        return isManager;
    }

    /**
     * {@return whether the peer is a manager of several data planes, of which none was named}
     */
    boolean needsDataPlane()
    {
        // A session for one of them lists that one alone.
        return client.await(client.submit(new Command.List(Kind.MANAGED, ""))).resources().size() > 1;
    }

    /**
     * {@return the completed calls of commands that were sent without waiting for each other; each may have failed}
     *
     * @param commands to send.
     */
    List<Call> all(final Command... commands)
    {
        final List<Call> calls = new ArrayList<>(commands.length);
        Arrays.stream(commands).forEach((command) -> calls.add(client.submit(command)));
        client.await(calls);
        return calls;
    }

    @Override
    public void close()
    {
        CloseHelper.quietCloseAll(client, driver);
    }
}
