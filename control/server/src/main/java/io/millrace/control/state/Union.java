package io.millrace.control.state;

import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;

/**
 * The union of two states. Resources of the second that conflict with the first (a namespace on a device that it uses,
 * a device over a file that it uses) are left out with their dependents. Set-up only.
 */
final class Union
{
    private final DesiredState first;
    private final StateEditor editor;

    private Union(final DesiredState first)
    {
        this.first = first;
        editor = first.edit();
    }

    static DesiredState of(final DesiredState first, final DesiredState second)
    {
        // An array by its former name would conflict, and its namespaces be left out.
        return new Union(first).with(Renames.between(second, first).of(second));
    }

    private DesiredState with(final DesiredState second)
    {
        for (final DeviceSpec device : second.devicesInOrder())
        {
            if (!first.devices().containsKey(device.name()))
            {
                offer(new Command.CreateDevice(device));
            }
        }
        for (final SubsystemState subsystem : second.subsystems().values())
        {
            if (!first.subsystems().containsKey(subsystem.nqn()))
            {
                offer(new Command.CreateSubsystem(subsystem.spec()));
            }
            for (final NamespaceSpec namespace : subsystem.namespaces().values())
            {
                offer(new Command.AddNamespace(namespace));
            }
            for (final String host : subsystem.hosts())
            {
                offer(new Command.AllowHost(subsystem.nqn(), host));
            }
            addAccess(subsystem);
        }
        for (final ListenerSpec listener : second.listeners().values())
        {
            offer(new Command.AddListener(listener));
        }
        return editor.state();
    }

    private void addAccess(final SubsystemState subsystem)
    {
        final SubsystemState named = first.subsystems().get(subsystem.nqn());
        if (null == named || AnaStates.OPTIMIZED.equals(named.ana()))
        {
            subsystem.ana().entries().forEach((each) -> offer(each.command(subsystem.nqn())));
        }
        subsystem.limits().forEach((key, limits) ->
        {
            if (null == named || !named.limits().containsKey(key))
            {
                offer(new Command.SetQos(limits));
            }
        });
    }

    private void offer(final Command command)
    {
        try
        {
            editor.apply(command);
        }
        catch (final ControlException _)
        {
            // Exists in the first state, or conflicts with it.
        }
    }
}
