package io.millrace.serve;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.NetworkAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Listeners of a {@code quickstart}'s kept state that {@code --port} and {@code --discovery-port} move. The data plane
 * begins with the new ones; its manager is sent the same change, so that it has a version and is no drift. Immutable.
 *
 * @param added   listeners in place of the others.
 * @param removed listeners of the kept state.
 */
record ListenerMove(List<ListenerSpec> added, List<ListenerSpec> removed)
{
    static final ListenerMove NONE = new ListenerMove(List.of(), List.of());
    private static final String ADDRESS_DEFAULT = "127.0.0.1";

    /**
     * Compares the options with the listeners of the kept state.
     *
     * @param kept          the state.
     * @param port          asked for; null or 0: as kept.
     * @param discoveryPort asked for; null or 0: as kept.
     * @return what to move; {@link #isNone} when all are as asked for.
     * @throws CommandException when it is not clear which listener to move, or the new address is another's.
     */
    static ListenerMove of(final DesiredState kept, final Integer port, final Integer discoveryPort)
    {
        final List<ListenerSpec> added = new ArrayList<>();
        final List<ListenerSpec> removed = new ArrayList<>();
        move(kept, "--port", port, false, added, removed);
        move(kept, "--discovery-port", discoveryPort, true, added, removed);
        for (final ListenerSpec each : added)
        {
            final boolean isTaken = kept.listeners().values().stream().anyMatch((other) ->
                !removed.contains(other) && name(other).equals(name(each))) ||
                added.stream().anyMatch((other) -> other != each && name(other).equals(name(each)));
            if (isTaken)
            {
                throw new CommandException(ExitCode.USAGE, option(each.discoveryOnly()) + ' ' + each.port() +
                    ": another listener of the kept state has " + name(each) + "; choose another port");
            }
        }
        return new ListenerMove(added, removed);
    }

    private static void move(
        final DesiredState kept,
        final String option,
        final Integer port,
        final boolean isDiscovery,
        final List<ListenerSpec> added,
        final List<ListenerSpec> removed)
    {
        final List<ListenerSpec> listeners =
            kept.listeners().values().stream().filter((each) -> isDiscovery == each.discoveryOnly())
                .filter((each) -> Transport.VFIO_USER != each.transport()).toList();
        if (null == port || 0 == port || listeners.stream().anyMatch((each) -> port == each.port()))
        {
            return;
        }
        if (listeners.size() > 1)
        {
            throw new CommandException(ExitCode.USAGE, option + ' ' + port + ": the kept state has " +
                listeners.size() + " such listeners, " +
                listeners.stream().map(ListenerMove::name).collect(Collectors.joining(" and ")) +
                ", and it is not clear which one to move; leave out " + option +
                ", or serve the volume alone with 'millrace quickstart --no-manager " + option + ' ' + port + "'");
        }
        added.add(listeners.isEmpty() ? new ListenerSpec(Transport.TCP, ADDRESS_DEFAULT, port, isDiscovery) :
            new ListenerSpec(listeners.getFirst().transport(), listeners.getFirst().address(), port, isDiscovery,
                listeners.getFirst().provider()));
        removed.addAll(listeners);
    }

    boolean isNone()
    {
        return added.isEmpty();
    }

    /** {@return the kept state with the new listeners} */
    DesiredState applyTo(final DesiredState kept)
    {
        DesiredState state = kept;
        for (final ListenerSpec each : removed)
        {
            state = state.with(new Command.RemoveListener(each.transport(), each.address(), each.port()));
        }
        for (final ListenerSpec each : added)
        {
            state = state.with(new Command.AddListener(each));
        }
        return state;
    }

    /**
     * Makes the same change in the desired state of the manager. The new listeners first: a manager that ends between
     * the two never has none.
     *
     * @param manager client of the manager.
     */
    void send(final ControlClient manager)
    {
        added.forEach(manager::addListener);
        removed.forEach((each) -> manager.removeListener(each.transport(), each.address(), each.port()));
    }

    /** {@return commands that do what {@link #send} does, for a message} */
    String commands()
    {
        final List<String> commands = new ArrayList<>();
        added.forEach((each) -> commands.add("'millrace listener add " + name(each) +
            (each.discoveryOnly() ? " --discovery-only'" : "'")));
        removed.forEach((each) -> commands.add("'millrace listener remove " + name(each) + "'"));
        return String.join(" and ", commands);
    }

    static String option(final boolean isDiscovery)
    {
        return isDiscovery ? "--discovery-port" : "--port";
    }

    static String name(final ListenerSpec listener)
    {
        return NetworkAddress.text(listener.transport(), listener.address(), listener.port());
    }
}
