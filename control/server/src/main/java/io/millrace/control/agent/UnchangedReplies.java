package io.millrace.control.agent;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.message.Command;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.service.Reply;
import io.millrace.control.state.NoChange;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.OperationException;
import io.millrace.dataplane.snapshot.SubsystemSnapshot;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.nvmf.transport.TransportAddress;

/**
 * Turns refusals into success for commands that would change nothing: the resource exists with the same settings, or
 * was removed already. If it exists with other settings, the refusal names the differences. Any thread but a reactor's.
 */
final class UnchangedReplies
{
    private final DataPlane dataPlane;
    private final Incarnations incarnations;

    UnchangedReplies(final DataPlane dataPlane, final Incarnations incarnations)
    {
        this.dataPlane = dataPlane;
        this.incarnations = incarnations;
    }

    /** The reply to a command whose operation was refused with this one. */
    Reply replyTo(final Command command, final Reply refusal)
    {
        try
        {
            return switch (refusal.code())
            {
                case NOT_FOUND -> removed(command, refusal);
                case EXISTS -> created(command, refusal);
                default -> refusal;
            };
        }
        catch (final OperationException e)
        {
            // It was removed in between.
            return refusal;
        }
    }

    private static Reply removed(final Command command, final Reply refusal)
    {
        return switch (command)
        {
            case final Command.DeleteDevice c -> isNotThere("device " + c.name());
            case final Command.DeleteSubsystem c -> isNotThere("subsystem " + c.nqn());
            case final Command.RemoveNamespace c -> isNotThere("namespace " + c.nqn() + '/' + c.nsid());
            case final Command.DenyHost c -> new Reply(Code.OK, 0,
                "host " + c.hostNqn() + " of subsystem " + c.nqn() + ": is not allowed, no change");
            case final Command.RemoveListener c -> isNotThere("listener " + c.address() + ':' + c.port());
            default -> refusal;
        };
    }

    private static Reply isNotThere(final String subject)
    {
        return new Reply(Code.OK, 0, subject + ": " + NoChange.IS_NOT_THERE);
    }

    private Reply created(final Command command, final Reply refusal)
    {
        return switch (command)
        {
            case final Command.CreateDevice c -> compared("device " + c.device().name(), NoChange.differences(
                incarnations.of(Lists.device(dataPlane.devices().get(c.device().name()))).spec(), c.device()), 0);
            case final Command.CreateSubsystem c ->
            {
                final SubsystemSnapshot was = dataPlane.subsystems().get(c.subsystem().nqn());
                yield compared("subsystem " + was.nqn(), NoChange.differences(
                    new SubsystemSpec(was.nqn(), was.allowAnyHost(), was.serial(), was.model()), c.subsystem()), 0);
            }
            case final Command.AddNamespace c -> namespace(c.namespace(), refusal);
            case final Command.AllowHost c -> new Reply(Code.OK, 0,
                "host " + c.hostNqn() + " of subsystem " + c.nqn() + ": is allowed already, no change");
            case final Command.AddListener c -> listener(c.listener(), refusal);
            default -> refusal;
        };
    }

    private Reply namespace(final NamespaceSpec wanted, final Reply refusal)
    {
        for (final NamespaceSnapshot was : dataPlane.namespaces().list(wanted.nqn()))
        {
            if (wanted.nsid() == was.nsid())
            {
                return compared("namespace " + wanted.nqn() + '/' + wanted.nsid(), NoChange.differences(
                    new NamespaceSpec(wanted.nqn(), was.nsid(), was.uuid(), was.device(), was.anaGroup()), wanted), 0);
            }
        }
        // Its UUID belongs to another namespace.
        return refusal;
    }

    private Reply listener(final ListenerSpec wanted, final Reply refusal)
    {
        final TransportAddress address = Commands.address(wanted.transport(), wanted.address(), wanted.port());
        return dataPlane.listeners().list().stream().filter((each) -> each.address().equals(address)).findFirst()
            .map((was) -> compared("listener " + address.listenerName(), NoChange.differences(
                new ListenerSpec(wanted.transport(), wanted.address(), wanted.port(), was.discoveryOnly(),
                    ListenerProvider.valueOf(was.provider().name())), wanted),
                wanted.port())).orElse(refusal);
    }

    private static Reply compared(final String subject, final String differences, final long value)
    {
        return differences.isEmpty() ? new Reply(Code.OK, value, subject + ": " + NoChange.IS_THERE) :
            Reply.refused(Code.EXISTS, subject + ": already exists, but " + differences +
                "; choose another name, or remove it first");
    }
}
