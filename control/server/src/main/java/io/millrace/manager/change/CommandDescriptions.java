package io.millrace.manager.change;

import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import io.millrace.control.state.NetworkAddress;
import io.millrace.control.state.QosLimits;
import java.util.List;

/**
 * Descriptions of commands for the audit log and the history. Stateless.
 */
public final class CommandDescriptions
{
    private static final int LISTED_MAX = 5;

    private CommandDescriptions()
    {
    }

    /**
     * Describes a command for logs and audit.
     *
     * @param command any.
     * @return one line.
     */
    public static String of(final Command command)
    {
        return switch (command)
        {
            case final Command.CreateDevice c -> "create device " + device(c.device());
            case final Command.DeleteDevice c -> "delete device " + c.name();
            case final Command.ResizeDevice c -> "resize device " + c.name() + " to " + Units.size(c.sizeBytes());
            case final Command.RenameDevice c -> "rename array " + c.name() + " to " + c.newName();
            case final Command.ModifyDevice c ->
                "set " + String.join(", ", c.properties().keySet()) + " of device " + c.name();
            case final Command.CreateSubsystem c -> "create subsystem " + c.subsystem().nqn() +
                (c.subsystem().allowAnyHost() ? " for any host" : "");
            case final Command.DeleteSubsystem c -> "delete subsystem " + c.nqn();
            case final Command.AddNamespace c -> "add namespace " + c.namespace().nqn() + '/' + c.namespace().nsid() +
                " of device " + c.namespace().device();
            case final Command.RemoveNamespace c -> "remove namespace " + c.nqn() + '/' + c.nsid();
            case final Command.AllowHost c -> "allow host " + c.hostNqn() + " on " + c.nqn();
            case final Command.DenyHost c -> "deny host " + c.hostNqn() + " on " + c.nqn();
            case final Command.SetAllowAnyHost c ->
                (c.allowAnyHost() ? "allow any host on " : "allow listed hosts only on ") + c.nqn();
            case final Command.AddListener c -> "add listener " +
                NetworkAddress.text(c.listener().transport(), c.listener().address(), c.listener().port()) +
                (c.listener().discoveryOnly() ? " for discovery" : "") +
                (ListenerProvider.SPDK == c.listener().provider() ? " of provider spdk" : "");
            case final Command.RemoveListener c -> "remove listener " +
                NetworkAddress.text(c.transport(), c.address(), c.port());
            case final Command.SetAnaState c -> "make " + (0 == c.group() ? "every ANA group" : "ANA group " +
                c.group()) + " of " + c.nqn() + ' ' + SettingType.word(c.state()) + " at " +
                (c.address().isEmpty() ? "every listener" : NetworkAddress.text(c.transport(), c.address(), c.port()));
            case final Command.SetQos c -> "limit " + QosLimits.subject(c.qos()) +
                (QosLimits.isNone(c.qos()) ? ": none" : " to " + QosLimits.text(c.qos()));
            case final Command.SetState c -> "set state " + c.state();
            case final Command.Disconnect c -> "disconnect controller " + c.controllerId() + " of " + c.nqn();
            case final Command.OperateArray c -> switch (c.operation())
            {
                case SCRUB_CHECK -> "begin a scrub of array " + c.name();
                case SCRUB_REPAIR -> "begin a scrub with repair of array " + c.name();
                case SCRUB_STOP -> "stop the scrub of array " + c.name();
                case FAIL_MEMBER -> "fail member " + c.member() + " of array " + c.name();
                case RESIZE_MEMBERS -> "grow array " + c.name() + " to " +
                    (Command.OperateArray.SIZE_MAX.equals(c.member()) ? "all" : c.member()) + " bytes of each member";
                case MOVE_Q -> "move Q of array " + c.name() + " to its last member";
                case EXAMINE_DEVICE -> "examine device " + c.name();
                case ERASE_DEVICE -> "erase device " + c.name() + ", which held " + c.member();
                case SBE_UNKNOWN, NULL_VAL -> "operate array " + c.name();
            };
            case final Command.AssignControllerIds c -> "assign controller ids " + c.firstId() + " to " + c.lastId();
            case final Command.Rollback c -> "roll back to version " + c.version();
            case final Command.ReplaceState c -> (c.isDryRun() ? "plan to " : "") + (0 == c.fromVersion() ?
                "replace the desired state by " + (c.name().isEmpty() ? "a document" : c.name()) :
                "roll back to version " + c.fromVersion());
            case final Command.AddDocumentPart c -> "document part at byte " + c.position();
            case Command.CommitChange _ -> "commit change";
            case final Command.Reconcile c -> switch (c.mode())
            {
                case REPAIR -> "reconcile";
                case ALLOW_DESTROY -> "reconcile, destructive steps allowed";
                case ADOPT -> "adopt the actual state";
                case TAKE_OVER -> "take over from another lineage";
                default -> "reconcile in an unknown mode";
            };
            default -> command.toString();
        };
    }

    /**
     * Describes the commands of one change.
     *
     * @param commands in order.
     * @return one line.
     */
    public static String of(final List<Command> commands)
    {
        final StringBuilder words = new StringBuilder();
        for (int i = 0; i < Math.min(LISTED_MAX, commands.size()); i++)
        {
            words.append(0 == i ? "" : ", ").append(of(commands.get(i)));
        }
        if (commands.size() > LISTED_MAX)
        {
            words.append(" and ").append(commands.size() - LISTED_MAX).append(" more");
        }
        return words.toString();
    }

    private static String device(final DeviceSpec device)
    {
        final String level = device.properties().get("level");
        final String journal = device.properties().getOrDefault("journal-device", "");
        final List<String> bases = device.bases().stream().filter((each) -> !each.equals(journal)).toList();
        return device.name() + " (" + device.type() + (null == level ? "" : " level " + level) +
            (device.location().isEmpty() ? "" : " " +
            (device.path().isEmpty() ? device.location() : device.path())) +
            (bases.isEmpty() ? "" : " over " + String.join(", ", bases)) +
            (journal.isEmpty() ? "" : " with its journal on " + journal) +
            (0 == device.sizeBytes() ? "" : " of " + Units.size(device.sizeBytes())) + ')';
    }
}
