package io.millrace.manager.plane;

import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StatePlan;
import io.millrace.control.state.StateStep;
import io.millrace.control.state.SubsystemState;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Changes requested from a manager since the version of the data plane, for example while it was disconnected. They are
 * applied in spite of direct changes of other resources; conflicting changes wait for an operator. Immutable.
 */
final class RequestedChanges
{
    /** No known changes. */
    static final RequestedChanges NONE = new RequestedChanges(DesiredState.EMPTY, Set.of());

    private final DesiredState base;
    private final Set<Command> commands;

    private RequestedChanges(final DesiredState base, final Set<Command> commands)
    {
        this.base = base;
        this.commands = commands;
    }

    /**
     * Changes between two versions.
     *
     * @param base    of the data plane.
     * @param desired now.
     */
    static RequestedChanges between(final DesiredState base, final DesiredState desired)
    {
        final Set<Command> commands = new HashSet<>();
        StatePlan.between(base, desired).steps().forEach((step) -> commands.add(step.command()));
        return new RequestedChanges(base, commands);
    }

    /** Whether a step was requested, and the resource is still in the state known to the client. */
    boolean contain(final StateStep step, final DesiredState actual)
    {
        return commands.contains(step.command()) && switch (step.command())
        {
            case final Command.DeleteDevice delete ->
                isSame(base.devices().get(delete.name()), actual.devices().get(delete.name()));
            case final Command.ModifyDevice rules ->
                isSame(base.devices().get(rules.name()), actual.devices().get(rules.name()));
            case final Command.RenameDevice rename ->
                isSame(base.devices().get(rename.name()), actual.devices().get(rename.name()));
            case final Command.DeleteSubsystem delete ->
                Objects.equals(base.subsystems().get(delete.nqn()), actual.subsystems().get(delete.nqn()));
            case final Command.RemoveNamespace remove -> Objects.equals(
                namespace(base, remove.nqn(), remove.nsid()), namespace(actual, remove.nqn(), remove.nsid()));
            case final Command.SetAnaState ana -> Objects.equals(
                null == subsystem(base, ana.nqn()) ? null : subsystem(base, ana.nqn()).ana(),
                null == subsystem(actual, ana.nqn()) ? null : subsystem(actual, ana.nqn()).ana());
            case final Command.SetQos set -> Objects.equals(limits(base, set), limits(actual, set));
            default -> true;
        };
    }

    private static boolean isSame(final DeviceSpec was, final DeviceSpec is)
    {
        return null != was && null != is && !was.isOtherIncarnation(is) &&
            was.with(DeviceSpec.NO_INCARNATION).equals(is.with(DeviceSpec.NO_INCARNATION));
    }

    private static SubsystemState subsystem(final DesiredState state, final String nqn)
    {
        return state.subsystems().get(nqn);
    }

    private static NamespaceSpec namespace(final DesiredState state, final String nqn, final int nsid)
    {
        final SubsystemState subsystem = subsystem(state, nqn);
        return null == subsystem ? null : subsystem.namespaces().get(nsid);
    }

    private static List<QosSpec> limits(final DesiredState state, final Command.SetQos set)
    {
        final SubsystemState subsystem = subsystem(state, set.qos().nqn());
        return null == subsystem ? List.of() : subsystem.qos().stream().filter((each) ->
            each.nsid() == set.qos().nsid() && each.hostNqn().equals(set.qos().hostNqn())).toList();
    }
}
