package io.millrace.cli.control;

import io.millrace.cli.control.view.KindConverter;
import io.millrace.console.CommandException;
import io.millrace.control.client.ControlSettingException;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.ListenerInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.session.SecretException;
import io.millrace.control.state.NetworkAddress;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Values of options and parameters that only a running data plane or manager knows, for their
 * {@code completionCandidates}. A completion script contains none of them; it runs {@code millrace complete} to get
 * them. Stateless.
 */
public abstract class LiveNames implements Iterable<String>
{
    private static final long TIMEOUT_MS = timeoutMs(System.getenv("MILLRACE_COMPLETION_TIMEOUT"));

    LiveNames()
    {
    }

    /**
     * {@return how long a process may take to answer, in milliseconds: less than the script waits for this command}
     *
     * @param seconds that the script waits; null or no number: its default of one second.
     */
    static long timeoutMs(final String seconds)
    {
        try
        {
            final double value = null == seconds ? 1 : Double.parseDouble(seconds);
            return value > 0 ? Math.max(1, (long)(Math.min(value, 3600) * 800)) : 800;
        }
        catch (final NumberFormatException _)
        {
            return 800;
        }
    }

    /**
     * Target that the command line names.
     *
     * @param control   directory or channel, or null.
     * @param dataPlane of a manager's, or null.
     * @param keyName   of the secret; empty without.
     * @param keyFile   with the secret, or null.
     */
    public record Place(String control, String dataPlane, String keyName, Path keyFile)
    {
    }

    @Override
    public final Iterator<String> iterator()
    {
        return Collections.emptyIterator();
    }

    /**
     * Asks for the names, for {@code MILLRACE_COMPLETION_TIMEOUT} seconds at most, one by default.
     *
     * @param place to ask.
     * @param first parameter of the command, mostly a subsystem's NQN; empty: none.
     * @return the names; empty if no process answers.
     */
    public final List<String> ask(final Place place, final String first)
    {
        try (ControlLink link = ControlLink.open(
            ControlOptions.target(place.control(), place.dataPlane(), place.keyName(), place.keyFile()), TIMEOUT_MS,
            TIMEOUT_MS, Role.READ, "millrace complete", null))
        {
            return of(link, first).distinct().toList();
        }
        catch (final CommandException | ControlException | ControlSettingException | SecretException |
            IllegalArgumentException _)
        {
            return List.of();
        }
    }

    abstract Stream<String> of(ControlLink link, String first);

    /** Of devices. */
    static final class Devices extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return link.client().devices("").stream().map(DeviceInfo::name);
        }
    }

    /** Of arrays. */
    static final class Arrays extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return link.client().arrays("").stream().map(ArrayInfo::name);
        }
    }

    /** NQNs of subsystems. */
    static final class Subsystems extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return link.client().subsystems("").stream().map(SubsystemInfo::nqn);
        }
    }

    /** NQNs of the allowed hosts of a subsystem. */
    static final class AllowedHosts extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return link.client().hosts(first).stream().map(HostInfo::hostNqn);
        }
    }

    /** NQNs of hosts that are connected. */
    static final class ConnectedHosts extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return link.client().controllers(first).stream().map(ControllerInfo::hostNqn);
        }
    }

    /** NQNs of connected hosts and of allowed hosts of any subsystem. */
    static final class Hosts extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return Stream.concat(new ConnectedHosts().of(link, ""), new AllowedHosts().of(link, ""));
        }
    }

    /** IDs of the controllers of a subsystem. */
    static final class Controllers extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return link.client().controllers(first).stream().map((each) -> Integer.toString(each.controllerId()));
        }
    }

    /** Numbers of the namespaces of a subsystem. */
    static final class Namespaces extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return link.client().namespaces(first).stream().map(NamespaceInfo::nsid).map(Object::toString);
        }
    }

    /** Namespaces of a subsystem, and hosts. */
    static final class NamespacesAndHosts extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return Stream.concat(new Namespaces().of(link, first), new Hosts().of(link, first));
        }
    }

    /** Addresses and ports of listeners. */
    static final class Listeners extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return link.client().listeners().stream().map(Listeners::text);
        }

        private static String text(final ListenerInfo listener)
        {
            return NetworkAddress.text(
                listener.transport(), NetworkAddress.canonical(listener.address()), listener.port());
        }
    }

    /** Of a manager's data planes. */
    static final class DataPlanes extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return link.client().manager().managed("").stream().map(ManagedInfo::name);
        }
    }

    /** Numbers of a manager's versions, newest first. */
    static final class Versions extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            return link.client().manager().versions("").reversed().stream().map((each) ->
                Long.toString(each.version()));
        }
    }

    /** Names that select resources of a kind: devices, data planes or subsystems. */
    static final class OfKind extends LiveNames
    {
        @Override
        Stream<String> of(final ControlLink link, final String first)
        {
            final Kind kind = new KindConverter().convert(first).kind();
            return switch (kind)
            {
                case DEVICE, ERROR -> new Devices().of(link, "");
                case ARRAY -> new Arrays().of(link, "");
                case SUBSYSTEM, NAMESPACE, HOST, CONTROLLER, QUEUE_PAIR, ANA, QOS -> new Subsystems().of(link, "");
                case MANAGED, VERSION, AUDIT -> new DataPlanes().of(link, "");
                default -> Stream.empty();
            };
        }
    }
}
