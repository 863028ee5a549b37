package io.millrace.control.agent;

import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.state.DesiredState;
import io.millrace.dataplane.DataPlane;
import io.millrace.manager.store.AppliedState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A state that was restored on a data plane, and what could not be. An array whose superblocks have got another name
 * since the state was written, as the process was killed in between, is restored by that name. Set-up thread.
 */
public final class RestoredState
{
    private final DataPlane dataPlane;
    private final AppliedState applied;
    private DesiredState state;
    private final Map<String, String> names = new HashMap<>();
    private final List<String> problems = new ArrayList<>();

    /** Of a data plane that is empty. */
    RestoredState(final DataPlane dataPlane, final AppliedState applied)
    {
        this.dataPlane = dataPlane;
        this.applied = applied;
        state = applied.state();
    }

    /** {@return a command that restores a part, by the present names of arrays; bases of a device are there already} */
    Command named(final Command command)
    {
        if (command instanceof final Command.CreateDevice create && isArray(create.device()))
        {
            final String name = create.device().name();
            final String present = dataPlane.arrays().currentName(name, create.device().bases());
            if (!present.equals(name) && rename(name, present))
            {
                return new Command.CreateDevice(state.devices().get(present));
            }
        }
        return command instanceof final Command.AddNamespace add && names.containsKey(add.namespace().device()) ?
            new Command.AddNamespace(state.subsystems().get(add.namespace().nqn()).namespaces()
                .get(add.namespace().nsid())) : command;
    }

    /** A type that is unknown here is refused when it is created. */
    private static boolean isArray(final DeviceSpec device)
    {
        final DeviceType type = DeviceTypes.find(device.type());
        return null != type && type.hasMembers();
    }

    /** {@return whether the state has the present name; else the array is refused by the one of the state} */
    private boolean rename(final String name, final String present)
    {
        try
        {
            state = state.with(new Command.RenameDevice(name, present));
            names.put(name, present);
            return true;
        }
        catch (final ControlException _)
        {
            // Another device has that name, or one is over the array: the state is older than that.
            return false;
        }
    }

    void onRefused(final String sentence)
    {
        problems.add(sentence);
    }

    /**
     * {@return the state as it is desired to be restored, with the present names of arrays}
     */
    public AppliedState state()
    {
        return new AppliedState(applied.leadership(), state, applied.ids());
    }

    /**
     * {@return one sentence for each resource that could not be restored}
     */
    public List<String> problems()
    {
        return List.copyOf(problems);
    }
}
