package io.millrace.cli.local.spdk;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.TimeSpan;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.client.DriverProcess;
import io.millrace.rpc.SpdkRpc;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/**
 * Which SPDK is called, and how long it may take.
 */
final class SpdkOptions
{
    private static final long TIMEOUT_MS_MAX = 86_400_000;

    @Option(names = "--socket", paramLabel = "PATH",
        description = "Unix domain socket of SPDK's JSON-RPC. Default: that of the data plane.")
    private Path socket;

    @Option(names = "--data-plane", paramLabel = "NAME",
        description = "Data plane of this user whose SPDK is called. Default: the one whose directory " +
            "$MILLRACE_CONTROL is, without that variable " + ControlDirectories.DATA_PLANE_NAME_DEFAULT + ".")
    private String dataPlane;

    @Option(names = "--timeout", paramLabel = "TIME", converter = TimeSpan.class, defaultValue = "60s",
        description = "How long an answer may take. Default: ${DEFAULT-VALUE}.")
    private long timeoutMs;

    /**
     * Called by picocli.
     */
    SpdkOptions()
    {
    }

    SpdkOptions(final Path socket, final long timeoutMs)
    {
        this.socket = socket;
        this.timeoutMs = timeoutMs;
    }

    /**
     * {@return a client}
     *
     * @throws CommandException if an option is wrong, there is no socket, or it may be another user's.
     */
    SpdkRpc client()
    {
        if (timeoutMs < 1 || timeoutMs > TIMEOUT_MS_MAX)
        {
            throw new CommandException(ExitCode.USAGE, "--timeout is not between 1 ms and 24 h: use 60s");
        }
        if (null != socket && ControlDirectories.isTooLong(socket))
        {
            throw new CommandException(ExitCode.USAGE, "--socket " + socket + " is longer than 107 bytes, the most " +
                "of a Unix domain socket: name it by a shorter path, such as one relative to this directory");
        }
        return new SpdkRpc(null == socket ? served(socket(dataPlane, System.getenv()),
            directory(dataPlane, System.getenv())) : socket, timeoutMs);
    }

    /**
     * {@return the socket of a data plane}
     *
     * @param dataPlane   name of it; null: none is named.
     * @param environment of this process.
     * @throws CommandException if its path is not known, or too long.
     */
    static Path socket(final String dataPlane, final Map<String, String> environment)
    {
        final String control = environment.getOrDefault(ControlDirectories.CONTROL_VARIABLE, "");
        if (null == dataPlane && !control.isEmpty())
        {
            final Path beside = ControlDirectories.spdkSocketOf(Path.of(control));
            if (null == beside)
            {
                throw new CommandException(ExitCode.USAGE, ControlDirectories.CONTROL_VARIABLE + '=' + control +
                    " does not say where the socket of SPDK is: name the data plane with --data-plane, or the " +
                    "socket (spdk.rpc-socket) with --socket");
            }
            if (ControlDirectories.isTooLong(beside))
            {
                throw new CommandException(ExitCode.USAGE, "the path of the socket beside " +
                    ControlDirectories.CONTROL_VARIABLE + '=' + control + " would be longer than 107 bytes: set " +
                    "spdk.rpc-socket, and name it with --socket");
            }
            return beside;
        }
        final String name = null == dataPlane ? ControlDirectories.DATA_PLANE_NAME_DEFAULT : dataPlane;
        final Path path = ControlDirectories.spdkSocket(name);
        if (null == path)
        {
            throw new CommandException(ExitCode.USAGE, "the path of the socket of data plane " + name +
                " would be too long: set spdk.rpc-socket, and name it with --socket");
        }
        return path;
    }

    private static Path directory(final String dataPlane, final Map<String, String> environment)
    {
        final String control = environment.getOrDefault(ControlDirectories.CONTROL_VARIABLE, "");
        return null != dataPlane ? ControlDirectories.dataPlane(dataPlane) :
            control.isEmpty() ? ControlDirectories.dataPlane() : Path.of(control);
    }

    /**
     * {@return the socket of a data plane that runs}
     *
     * @param path      of the socket, which a process that was killed may have left.
     * @param directory of the data plane, in which it accepts commands.
     * @throws CommandException if the data plane or its SPDK does not run, or the socket may be another user's.
     */
    static Path served(final Path path, final Path directory)
    {
        final boolean isThere = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
        if (!isThere && !Files.exists(directory, LinkOption.NOFOLLOW_LINKS) || DriverProcess.of(directory).hasEnded())
        {
            throw new CommandException(ExitCode.FAILURE, "no data plane runs in " + directory + ", and SPDK runs in " +
                "one: start it with 'millrace serve --config FILE', where FILE has a section spdk or a device of SPDK");
        }
        if (!isThere)
        {
            throw new CommandException(ExitCode.FAILURE, "SPDK does not run in the data plane: there is no " +
                path + "; it starts with the first device of SPDK, or with the data plane where its file has a " +
                "section spdk; spdk.rpc-socket may name another socket, then use --socket");
        }
        final String problem = ControlDirectories.trustProblem(path.getParent(), null);
        if (null != problem)
        {
            throw new CommandException(ExitCode.FAILURE, "directory " + path.getParent() + ' ' + problem +
                ", and is not used; name the socket with --socket");
        }
        return path;
    }
}
