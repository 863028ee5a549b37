package io.millrace.control.wire;

import io.millrace.control.codec.AbandonChangeDecoder;
import io.millrace.control.codec.AddDocumentPartDecoder;
import io.millrace.control.codec.AddListenerDecoder;
import io.millrace.control.codec.AddNamespaceDecoder;
import io.millrace.control.codec.AllowHostDecoder;
import io.millrace.control.codec.ApplyVersionDecoder;
import io.millrace.control.codec.AssignControllerIdsDecoder;
import io.millrace.control.codec.BeginChangeDecoder;
import io.millrace.control.codec.Bool;
import io.millrace.control.codec.CommandDecoder;
import io.millrace.control.codec.CommitChangeDecoder;
import io.millrace.control.codec.CreateDeviceDecoder;
import io.millrace.control.codec.CreateSubsystemDecoder;
import io.millrace.control.codec.DeleteDeviceDecoder;
import io.millrace.control.codec.DeleteSubsystemDecoder;
import io.millrace.control.codec.DenyHostDecoder;
import io.millrace.control.codec.DisconnectDecoder;
import io.millrace.control.codec.ListDecoder;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.ModifyDeviceDecoder;
import io.millrace.control.codec.OperateArrayDecoder;
import io.millrace.control.codec.ReconcileDecoder;
import io.millrace.control.codec.RemoveListenerDecoder;
import io.millrace.control.codec.RemoveNamespaceDecoder;
import io.millrace.control.codec.ReplaceStateDecoder;
import io.millrace.control.codec.RenameDeviceDecoder;
import io.millrace.control.codec.ResizeDeviceDecoder;
import io.millrace.control.codec.RollbackDecoder;
import io.millrace.control.codec.SetAllowAnyHostDecoder;
import io.millrace.control.codec.SetAnaStateDecoder;
import io.millrace.control.codec.SetQosDecoder;
import io.millrace.control.codec.SetStateDecoder;
import io.millrace.control.codec.SubscribeDecoder;
import io.millrace.control.codec.TakeTermDecoder;
import io.millrace.control.codec.UuidDecoder;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.SubsystemSpec;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.agrona.DirectBuffer;

/**
 * Decodes commands that were found sound. Belongs to one thread; keeps nothing between calls but the ids of the last.
 */
final class CommandReader
{
    private final MessageCheck check = new MessageCheck();
    private final CommandDecoder ids = new CommandDecoder();
    private final CreateDeviceDecoder createDevice = check.add(new CreateDeviceDecoder(), "(KV)TT");
    private final DeleteDeviceDecoder deleteDevice = check.add(new DeleteDeviceDecoder(), "T");
    private final ResizeDeviceDecoder resizeDevice = check.add(new ResizeDeviceDecoder(), "T");
    private final RenameDeviceDecoder renameDevice = check.add(new RenameDeviceDecoder(), "TT");
    private final CreateSubsystemDecoder createSubsystem = check.add(new CreateSubsystemDecoder(), "TTT");
    private final DeleteSubsystemDecoder deleteSubsystem = check.add(new DeleteSubsystemDecoder(), "T");
    private final AddNamespaceDecoder addNamespace = check.add(new AddNamespaceDecoder(), "TT");
    private final RemoveNamespaceDecoder removeNamespace = check.add(new RemoveNamespaceDecoder(), "T");
    private final AllowHostDecoder allowHost = check.add(new AllowHostDecoder(), "TT");
    private final DenyHostDecoder denyHost = check.add(new DenyHostDecoder(), "TT");
    private final SetAllowAnyHostDecoder setAllowAnyHost = check.add(new SetAllowAnyHostDecoder(), "T");
    private final AddListenerDecoder addListener = check.add(new AddListenerDecoder(), "T");
    private final RemoveListenerDecoder removeListener = check.add(new RemoveListenerDecoder(), "T");
    private final SetStateDecoder setState = check.add(new SetStateDecoder(), "");
    private final DisconnectDecoder disconnect = check.add(new DisconnectDecoder(), "T");
    private final OperateArrayDecoder operateArray = check.add(new OperateArrayDecoder(), "TT");
    private final SetAnaStateDecoder setAnaState = check.add(new SetAnaStateDecoder(), "TT");
    private final SetQosDecoder setQos = check.add(new SetQosDecoder(), "TT");
    private final AssignControllerIdsDecoder assignControllerIds = check.add(new AssignControllerIdsDecoder(), "");
    private final ListDecoder lists = check.add(new ListDecoder(), "T");
    private final ModifyDeviceDecoder modifyDevice = check.add(new ModifyDeviceDecoder(), "(KV)T");
    private final BeginChangeDecoder beginChange = check.add(new BeginChangeDecoder(), "T");
    private final RollbackDecoder rollback = check.add(new RollbackDecoder(), "");
    private final AddDocumentPartDecoder documentPart = check.add(new AddDocumentPartDecoder(), "B");
    private final ReplaceStateDecoder replaceState = check.add(new ReplaceStateDecoder(), "TT");
    private final ApplyVersionDecoder applyVersion = check.add(new ApplyVersionDecoder(), "");
    private final TakeTermDecoder takeTerm = check.add(new TakeTermDecoder(), "TT");
    private final ReconcileDecoder reconcile = check.add(new ReconcileDecoder(), "");

    /** Adds messages without content of their own. */
    CommandReader()
    {
        check.add(new SubscribeDecoder(), "");
        check.add(new CommitChangeDecoder(), "");
        check.add(new AbandonChangeDecoder(), "");
    }

    /** Of the messages that are read here; more can be added. Decoders are wrapped by it. */
    MessageCheck check()
    {
        return check;
    }

    /** Which every command has at the same place, also one that this version does not know. */
    CommandHeader ids(final DirectBuffer buffer, final int offset)
    {
        ids.wrap(buffer, offset + MessageHeaderDecoder.ENCODED_LENGTH);
        return new CommandHeader(
            ids.sessionId(), ids.correlationId(), new CommandId(ids.commandIdHigh(), ids.commandIdLow()), ids.term());
    }

    /** Null when the template is that of no command. */
    Command read(final int templateId)
    {
        return switch (templateId)
        {
            case CreateDeviceDecoder.TEMPLATE_ID -> createDevice();
            case DeleteDeviceDecoder.TEMPLATE_ID -> deleteDevice();
            case ResizeDeviceDecoder.TEMPLATE_ID -> resizeDevice();
            case RenameDeviceDecoder.TEMPLATE_ID -> renameDevice();
            case CreateSubsystemDecoder.TEMPLATE_ID -> createSubsystem();
            case DeleteSubsystemDecoder.TEMPLATE_ID -> deleteSubsystem();
            case AddNamespaceDecoder.TEMPLATE_ID -> addNamespace();
            case RemoveNamespaceDecoder.TEMPLATE_ID -> removeNamespace();
            case AllowHostDecoder.TEMPLATE_ID -> allowHost();
            case DenyHostDecoder.TEMPLATE_ID -> denyHost();
            case SetAllowAnyHostDecoder.TEMPLATE_ID -> setAllowAnyHost();
            case AddListenerDecoder.TEMPLATE_ID -> addListener();
            case RemoveListenerDecoder.TEMPLATE_ID -> removeListener();
            case SetStateDecoder.TEMPLATE_ID -> setState();
            case DisconnectDecoder.TEMPLATE_ID -> disconnect();
            case OperateArrayDecoder.TEMPLATE_ID -> operateArray();
            case SetAnaStateDecoder.TEMPLATE_ID -> setAnaState();
            case AssignControllerIdsDecoder.TEMPLATE_ID -> assignControllerIds();
            case SetQosDecoder.TEMPLATE_ID -> setQos();
            case ListDecoder.TEMPLATE_ID -> list();
            case SubscribeDecoder.TEMPLATE_ID -> new Command.Subscribe();
            case ModifyDeviceDecoder.TEMPLATE_ID -> modifyDevice();
            case BeginChangeDecoder.TEMPLATE_ID -> beginChange();
            case CommitChangeDecoder.TEMPLATE_ID -> new Command.CommitChange();
            case AbandonChangeDecoder.TEMPLATE_ID -> new Command.AbandonChange();
            case RollbackDecoder.TEMPLATE_ID -> rollback();
            case AddDocumentPartDecoder.TEMPLATE_ID -> documentPart();
            case ReplaceStateDecoder.TEMPLATE_ID -> replaceState();
            case ApplyVersionDecoder.TEMPLATE_ID -> applyVersion();
            case TakeTermDecoder.TEMPLATE_ID -> takeTerm();
            case ReconcileDecoder.TEMPLATE_ID -> reconcile();
            default -> null;
        };
    }

    private Command createDevice()
    {
        final UUID incarnation = uuid(createDevice.incarnation());
        final boolean existingOnly = isTrue(createDevice.existingOnly());
        final Map<String, String> properties = new TreeMap<>();
        for (final CreateDeviceDecoder.PropertiesDecoder each : createDevice.properties())
        {
            properties.put(each.key(), each.value());
        }
        final String name = createDevice.name();
        return new Command.CreateDevice(
            new DeviceSpec(name, createDevice.deviceType(), properties, incarnation), existingOnly);
    }

    private Command modifyDevice()
    {
        final Map<String, String> properties = new TreeMap<>();
        for (final ModifyDeviceDecoder.PropertiesDecoder each : modifyDevice.properties())
        {
            properties.put(each.key(), each.value());
        }
        return new Command.ModifyDevice(modifyDevice.name(), properties);
    }

    private Command deleteDevice()
    {
        return new Command.DeleteDevice(deleteDevice.name());
    }

    private Command resizeDevice()
    {
        return new Command.ResizeDevice(resizeDevice.name(), resizeDevice.sizeBytes());
    }

    private Command renameDevice()
    {
        final String name = renameDevice.name();
        return new Command.RenameDevice(name, renameDevice.newName());
    }

    private Command createSubsystem()
    {
        return new Command.CreateSubsystem(
            new SubsystemSpec(
            createSubsystem.nqn(), isTrue(createSubsystem.allowAnyHost()), createSubsystem.serial(),
            createSubsystem.model()));
    }

    private Command deleteSubsystem()
    {
        return new Command.DeleteSubsystem(deleteSubsystem.nqn());
    }

    private Command addNamespace()
    {
        return new Command.AddNamespace(new NamespaceSpec(
            addNamespace.nqn(), addNamespace.nsid(), new UUID(addNamespace.uuid().high(), addNamespace.uuid().low()),
            addNamespace.device(), AddNamespaceDecoder.anaGroupNullValue() == addNamespace.anaGroup() ?
            NamespaceSpec.ANA_GROUP_DEFAULT : addNamespace.anaGroup()));
    }

    private Command removeNamespace()
    {
        return new Command.RemoveNamespace(removeNamespace.nqn(), removeNamespace.nsid());
    }

    private Command allowHost()
    {
        return new Command.AllowHost(allowHost.nqn(), allowHost.hostNqn());
    }

    private Command denyHost()
    {
        return new Command.DenyHost(denyHost.nqn(), denyHost.hostNqn());
    }

    private Command setAllowAnyHost()
    {
        return new Command.SetAllowAnyHost(setAllowAnyHost.nqn(), isTrue(setAllowAnyHost.allowAnyHost()));
    }

    private Command addListener()
    {
        return new Command.AddListener(
            new ListenerSpec(addListener.transport(), addListener.address(), addListener.port(),
            isTrue(addListener.discoveryOnly()), provider(addListener.provider())));
    }

    private Command removeListener()
    {
        return new Command.RemoveListener(removeListener.transport(), removeListener.address(), removeListener.port());
    }

    private Command setState()
    {
        return new Command.SetState(setState.state());
    }

    private Command disconnect()
    {
        return new Command.Disconnect(disconnect.nqn(), disconnect.controllerId());
    }

    private Command operateArray()
    {
        final String name = operateArray.name();
        return new Command.OperateArray(name, operateArray.operation(), operateArray.member());
    }

    private Command assignControllerIds()
    {
        return new Command.AssignControllerIds(assignControllerIds.firstId(), assignControllerIds.lastId());
    }

    private Command setAnaState()
    {
        return new Command.SetAnaState(
            setAnaState.nqn(), setAnaState.transport(), setAnaState.address(), setAnaState.port(), setAnaState.group(),
            setAnaState.state());
    }

    private Command setQos()
    {
        final String nqn = setQos.nqn();
        return new Command.SetQos(new QosSpec(nqn, setQos.nsid(), setQos.hostNqn(), setQos.readIops(),
            setQos.writeIops(), setQos.iops(), setQos.readBytesPerSecond(), setQos.writeBytesPerSecond(),
            setQos.bytesPerSecond(), setQos.burstMs()));
    }

    private Command list()
    {
        return new Command.List(lists.kind(), lists.name(),
            ListDecoder.versionNullValue() == lists.version() ? Command.List.ACTUAL : lists.version(),
            Bool.TRUE == lists.atOnce());
    }

    private Command beginChange()
    {
        return new Command.BeginChange(beginChange.comment());
    }

    private Command rollback()
    {
        return new Command.Rollback(rollback.version());
    }

    private Command applyVersion()
    {
        return new Command.ApplyVersion(
            new StatePosition(new UUID(applyVersion.lineage().high(), applyVersion.lineage().low()),
            applyVersion.versionTerm(), applyVersion.version()), isTrue(applyVersion.inSync()),
            applyVersion.directChanges());
    }

    private Command takeTerm()
    {
        return new Command.TakeTerm(takeTerm.newTerm(),
            new UUID(takeTerm.managerId().high(), takeTerm.managerId().low()), takeTerm.managerName(),
            takeTerm.managerAddress());
    }

    private Command reconcile()
    {
        return new Command.Reconcile(reconcile.mode());
    }

    private Command documentPart()
    {
        final byte[] content = new byte[documentPart.contentLength()];
        documentPart.getContent(content, 0, content.length);
        return new Command.AddDocumentPart(documentPart.position(), new String(content, StandardCharsets.UTF_8));
    }

    private Command replaceState()
    {
        return new Command.ReplaceState(replaceState.fromVersion(), replaceState.ifVersion(),
            isTrue(replaceState.dryRun()), isTrue(replaceState.allowDestroy()), isTrue(replaceState.prune()),
            replaceState.name(), replaceState.comment());
    }

    static UUID uuid(final UuidDecoder value)
    {
        return new UUID(value.high(), value.low());
    }

    /** {@return whose target serves a listener; peers that do not say have one} */
    static ListenerProvider provider(final ListenerProvider value)
    {
        return ListenerProvider.NULL_VAL == value ? ListenerProvider.MILLRACE : value;
    }

    private static boolean isTrue(final Bool value)
    {
        return Bool.TRUE == value;
    }
}
