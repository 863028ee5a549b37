package io.millrace.cli.initiator;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.TimeSpan;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.nvmf.transport.TransportAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Target options of every host command: address, subsystem and host identity. A subclass has the options of port and
 * transport, whose short names differ.
 */
class TargetOptions
{
    private static final Pattern TARGET =
        Pattern.compile("(?:(tcp|rdma)://)?(\\[[^\\]]+\\]|[^:/\\[\\]]+)(?::(\\d{1,5}))?(?:/(.*))?");
    private static final int PORT_MAX = 65_535;
    private static final String ADDRESS_DEFAULT = "127.0.0.1";

    @Parameters(index = "0", arity = "0..1", paramLabel = "TARGET",
        description = "Target as one argument: tcp://ADDRESS[:PORT][/NQN], or rdma:// with the same.")
    private String target;

    @Option(names = {"-a", "--address"}, paramLabel = "ADDRESS",
        description = "Address of the target. Default: 127.0.0.1.")
    private String address;

    private Integer port;

    @Option(names = {"-n", "--nqn"}, paramLabel = "NQN", description = "Name of the subsystem.")
    private String nqn;

    @Option(names = "--host-nqn", paramLabel = "NQN",
        description = "Connect as this host. Default: /etc/nvme/hostnqn, or a name of its own.")
    private String hostNqn;

    @Option(names = "--host-id", paramLabel = "UUID",
        description = "Identifier of this host. Default: /etc/nvme/hostid, or one made from its name.")
    private String hostId;

    @Option(names = "--connect-timeout", paramLabel = "TIME", converter = TimeSpan.class, defaultValue = "5s",
        description = "Give up connecting after this. Default: ${DEFAULT-VALUE}.")
    private long connectTimeoutMs;

    private String transport;

    private TransportAddress.Type parsedTransport;
    private String parsedHost;
    private Integer parsedPort;
    private String parsedNqn;

    final void port(final Integer value)
    {
        port = value;
    }

    final void transport(final String value)
    {
        transport = value;
    }

    private void parse()
    {
        if (null == target)
        {
            return;
        }
        final Matcher matcher = TARGET.matcher(target);
        if (!matcher.matches())
        {
            throw usage("target '" + target + "' is not understood: write tcp://ADDRESS[:PORT][/NQN], " +
                "or rdma:// with the same");
        }
        parsedTransport = null == matcher.group(1) ? null : typeOf(matcher.group(1));
        parsedHost = matcher.group(2);
        parsedPort = null == matcher.group(3) ? null : Integer.valueOf(matcher.group(3));
        parsedNqn = null == matcher.group(4) || matcher.group(4).isEmpty() ? null : matcher.group(4);
        if (null != address || null != port && null != parsedPort || null != nqn && null != parsedNqn)
        {
            throw usage("target '" + target + "' and --address, --port or --nqn exclude each other: give one of them");
        }
    }

    private static TransportAddress.Type typeOf(final String name)
    {
        for (final TransportAddress.Type type : TransportAddress.Type.values())
        {
            if (type.toString().equals(name))
            {
                return type;
            }
        }
        throw usage("transport '" + name + "' is unknown: use tcp or rdma");
    }

    /**
     * {@return what the target is reached by}
     */
    TransportAddress.Type transport()
    {
        parse();
        final TransportAddress.Type given = null == transport ? null : typeOf(transport);
        if (null != given && null != parsedTransport && given != parsedTransport)
        {
            throw usage("target '" + target + "' and --transport " + transport + " exclude each other: give one of " +
                "them");
        }
        return null != given ? given : null != parsedTransport ? parsedTransport : TransportAddress.Type.TCP;
    }

    /**
     * {@return the target's address, resolved}
     *
     * @param portDefault when none is given.
     */
    InetSocketAddress address(final int portDefault)
    {
        parse();
        final Integer given = null != port ? port : parsedPort;
        final int number = null == given ? portDefault : given;
        if (number < 1 || number > PORT_MAX)
        {
            throw usage("port " + number + " is out of range: use 1 to " + PORT_MAX);
        }
        final String name = null != address ? address : null != parsedHost ? parsedHost : ADDRESS_DEFAULT;
        final InetSocketAddress resolved = new InetSocketAddress(name, number);
        if (resolved.isUnresolved())
        {
            throw new CommandException(ExitCode.FAILURE,
                "address " + name + " cannot be resolved: check the name or give an IP address");
        }
        return resolved;
    }

    /**
     * {@return the subsystem's name}
     */
    String nqn()
    {
        parse();
        final String name = null != nqn ? nqn : parsedNqn;
        if (null == name)
        {
            throw usage("no subsystem given: add --nqn NQN or /NQN to the target; 'millrace discover' lists them");
        }
        return name;
    }

    /**
     * {@return whether a subsystem was named}
     */
    boolean hasNqn()
    {
        parse();
        return null != nqn || null != parsedNqn;
    }

    int connectTimeoutMs()
    {
        return Math.clamp(connectTimeoutMs, 1, Integer.MAX_VALUE);
    }

    /**
     * {@return who this host is}
     */
    HostConfig host()
    {
        final String name = null != hostNqn ? hostNqn : firstLine(Path.of("/etc/nvme/hostnqn"));
        final String id = null != hostId ? hostId : null != hostNqn ? null : firstLine(Path.of("/etc/nvme/hostid"));
        try
        {
            if (null == name)
            {
                return null == id ? HostConfig.random() : HostConfig.of(UUID.fromString(id));
            }
            return new HostConfig(name, null == id ?
                UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)) : UUID.fromString(id));
        }
        catch (final IllegalArgumentException e)
        {
            throw new CommandException(ExitCode.USAGE,
                "host id '" + id + "' is no UUID: write 8-4-4-4-12 hexadecimal digits, as uuidgen prints them", e);
        }
        catch (final InitiatorException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private static String firstLine(final Path file)
    {
        try
        {
            return Files.readString(file).lines().map(String::strip).filter((line) -> !line.isEmpty()).findFirst()
                .orElse(null);
        }
        catch (final IOException e)
        {
            return null;
        }
    }

    /**
     * {@return settings to connect to the named subsystem once}
     */
    ConnectionConfig connection()
    {
        final InetSocketAddress resolved = address(ConnectionConfig.PORT_DEFAULT);
        try
        {
            return ConnectionConfig.to(transport(), resolved, nqn()).connectTimeoutMs(connectTimeoutMs())
                .controllerLossTimeoutMs(0).build();
        }
        catch (final InitiatorException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private static CommandException usage(final String message)
    {
        return new CommandException(ExitCode.USAGE, message);
    }
}
