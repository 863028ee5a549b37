package io.millrace.cli.control;

import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.ExitCode;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.setting.Addresses;
import io.millrace.control.setting.SettingType;
import io.millrace.control.state.NetworkAddress;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace listener}: addresses that hosts connect to.
 */
@Command(
    name = "listener",
    description = "List, add and remove the addresses that hosts connect to.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace listener add 192.0.2.7",
        "  millrace listener list"})
public final class ListenerCommand extends CommandGroup
{
    private static final Pattern ADDRESS = Pattern.compile(
        "(?:(tcp|rdma)://)?(?:\\[([^\\]]+)]|([^:\\[\\]]+))(?::(\\d{1,5}))?|([0-9a-fA-F:]+:[0-9a-fA-F:.]*)");
    private static final int PORT_DEFAULT = 4420;
    private static final List<Transport> TRANSPORTS = List.of(Transport.TCP, Transport.RDMA, Transport.VFIO_USER);
    private static final List<ListenerProvider> PROVIDERS = List.of(ListenerProvider.MILLRACE, ListenerProvider.SPDK);

    /** Candidates for completion in a shell. */
    static final class TransportNames implements Iterable<String>
    {
        /**
         * Called by picocli.
         */
        TransportNames()
        {
        }

        @Override
        public Iterator<String> iterator()
        {
            return TRANSPORTS.stream().map(SettingType::word).iterator();
        }
    }

    /** Candidates for completion in a shell. */
    static final class ProviderNames implements Iterable<String>
    {
        /**
         * Called by picocli.
         */
        ProviderNames()
        {
        }

        @Override
        public Iterator<String> iterator()
        {
            return PROVIDERS.stream().map(SettingType::word).iterator();
        }
    }

    /** Transport, address and port as they are typed. */
    record Endpoint(Transport transport, String address, int port)
    {
        static Endpoint of(final String text)
        {
            if (text.startsWith(NetworkAddress.VFIO_USER))
            {
                return directory(text.substring(NetworkAddress.VFIO_USER.length()));
            }
            if (NetworkAddress.isDirectory(text))
            {
                return directory(text);
            }
            final Matcher matcher = ADDRESS.matcher(text);
            if (!matcher.matches())
            {
                throw new CommandException(ExitCode.USAGE, "'" + text +
                    "' is no address: write 192.0.2.7, 192.0.2.7:4420 or [2001:db8::7]:4420");
            }
            final String address = null != matcher.group(2) ? matcher.group(2) :
                null != matcher.group(3) ? matcher.group(3) : matcher.group(5);
            return new Endpoint(null == matcher.group(1) ? Transport.TCP : transport(matcher.group(1)),
                resolved(text, address),
                null == matcher.group(4) ? PORT_DEFAULT : Integer.parseInt(matcher.group(4)));
        }

        /** Of an argument, and of an option that says the transport too; null: it is not given. */
        static Endpoint of(final String text, final String transport)
        {
            if (SettingType.word(Transport.VFIO_USER).equals(transport) && !text.contains("://"))
            {
                return directory(text);
            }
            final Endpoint endpoint = of(text);
            if (null == transport)
            {
                return endpoint;
            }
            final Transport given = transport(transport);
            if ((text.contains("://") || NetworkAddress.isDirectory(text)) && given != endpoint.transport())
            {
                throw new CommandException(ExitCode.USAGE, "'" + text + "' and --transport " + transport +
                    " exclude each other: give one of them");
            }
            return new Endpoint(given, endpoint.address(), endpoint.port());
        }

        private static Endpoint directory(final String text)
        {
            if (!NetworkAddress.isDirectory(text))
            {
                throw new CommandException(ExitCode.USAGE, "'" + text + "' is no absolute path: write that of the " +
                    "directory of a vfio-user listener, as /run/millrace/vfio-user");
            }
            return new Endpoint(Transport.VFIO_USER, NetworkAddress.canonical(text), 0);
        }

        private static Transport transport(final String name)
        {
            return TRANSPORTS.stream().filter((each) -> SettingType.word(each).equals(name)).findFirst().orElseThrow(
                () -> new CommandException(
                    ExitCode.USAGE, "transport '" + name + "' is unknown: use tcp, rdma or vfio-user"));
        }

        /** Listeners have numeric addresses; names are resolved here, where blocking holds up nobody. */
        private static String resolved(final String text, final String address)
        {
            try
            {
                return NetworkAddress.canonical(Addresses.resolve(address).getHostAddress());
            }
            catch (final SettingType.BadValue e)
            {
                throw new CommandException(ExitCode.USAGE, "'" + text + "' is " + e.bound() + ": " + e.remedy(), e);
            }
        }

        @Override
        public String toString()
        {
            return NetworkAddress.text(transport, address, port);
        }
    }

    private static ListenerProvider provider(final String name)
    {
        return PROVIDERS.stream().filter((each) -> SettingType.word(each).equals(name)).findFirst().orElseThrow(() ->
            new CommandException(ExitCode.USAGE, "provider '" + name + "' is unknown: use millrace or spdk"));
    }

    /**
     * Called by picocli.
     */
    public ListenerCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List listeners.", footerHeading = "%nExamples:%n", footer = {
            "  millrace listener list"})
    int list(@Mixin final ControlOptions control, @Mixin final OutputOptions output)
    {
        return control.run(Role.READ, (link) -> output.print(Views.LISTENERS, link.client().listeners()));
    }

    @Command(name = "add", mixinStandardHelpOptions = true,
        description = "Listen on an address.", footerHeading = "%nExamples:%n", footer = {
            "  millrace listener add 192.0.2.7          on port 4420",
            "  millrace listener add 0.0.0.0:4421       on every IPv4 address",
            "  millrace listener add '[::1]:0'          on any free port, which is printed",
            "  millrace listener add storage.example    on the first address of a host name",
            "  millrace listener add 192.0.2.7:8009 --discovery-only",
            "  millrace listener add 192.0.2.7 --transport rdma",
            "  millrace listener add 192.0.2.7:4430 --provider spdk",
            "  millrace listener add /run/vm --transport vfio-user --provider spdk"})
    int add(
        @Mixin final ControlOptions control,
        @Parameters(paramLabel = "ADDRESS[:PORT]", description =
            "Address or host name, and port. Default port: 4420. Of vfio-user, the directory of its sockets.")
        final String address,
        @Option(names = "--transport", paramLabel = "TRANSPORT", completionCandidates = TransportNames.class,
            description = "tcp, rdma or vfio-user. Default: that of the address, as in rdma://192.0.2.7, or tcp.")
        final String transport,
        @Option(names = "--discovery-only", description = "Serve only the discovery subsystem on this address.")
        final boolean discoveryOnly,
        @Option(names = "--provider", paramLabel = "PROVIDER", completionCandidates = ProviderNames.class,
            defaultValue = "millrace", description = "Whose target serves it: millrace, its own, or spdk, SPDK's in " +
            "the same process. Default: millrace.")
        final String provider)
    {
        final Endpoint endpoint = Endpoint.of(address, transport);
        final ListenerProvider target = provider(provider);
        return control.report(Role.ADMIN, (client) ->
        {
            final int port = client.addListener(
                new ListenerSpec(endpoint.transport(), endpoint.address(), endpoint.port(), discoveryOnly, target));
            // An older data plane or a manager does not report the port.
            final Endpoint taken = new Endpoint(endpoint.transport(), endpoint.address(),
                0 == port ? endpoint.port() : port);
            return "listening on " + taken + (discoveryOnly ? " for discovery" : "") +
                (ListenerProvider.SPDK == target ? " by SPDK's target" : "") +
                (Transport.VFIO_USER == endpoint.transport() ? withoutSocket(client.subsystems("")) : "");
        });
    }

    /** Virtual machines have no NQN that could be allowed. */
    static String withoutSocket(final List<SubsystemInfo> subsystems)
    {
        final String closed = subsystems.stream().filter((each) -> !each.allowAnyHost()).map(SubsystemInfo::nqn)
            .collect(Collectors.joining(", "));
        return closed.isEmpty() ? "" : "; no socket yet for " + closed + ": set allow-any-host first " +
            "('millrace subsystem allow-any NQN')";
    }

    @Command(name = "remove", mixinStandardHelpOptions = true,
        description = {
            "Stop listening on an address.", "Connected hosts stay connected, except those of provider spdk."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace listener remove 192.0.2.7:4420",
            "  millrace listener remove rdma://192.0.2.7:4420",
            "  millrace listener remove /run/vm"})
    int remove(
        @Mixin final ControlOptions control,
        @Mixin final Removal removal,
        @Parameters(paramLabel = "ADDRESS[:PORT]", completionCandidates = LiveNames.Listeners.class,
            description = "As 'listener list' shows it, rdma:// before those of RDMA. Default port: 4420.")
        final String address)
    {
        final Endpoint endpoint = Endpoint.of(address);
        return removal.run(control, Views.LISTENERS, "", List.of(endpoint),
            (listener) -> new Endpoint(
                listener.transport(), NetworkAddress.canonical(listener.address()), listener.port()),
            (check, each) -> check.confirmRemoveListener(each),
            (client, each) ->
            {
                client.removeListener(each.transport(), each.address(), each.port());
                return "stopped listening on " + each;
            });
    }
}
