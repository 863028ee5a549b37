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
import io.millrace.control.codec.MessageHeaderDecoder;
import io.millrace.control.codec.ModifyDeviceDecoder;
import io.millrace.control.codec.ReconcileDecoder;
import io.millrace.control.codec.RemoveListenerDecoder;
import io.millrace.control.codec.RemoveNamespaceDecoder;
import io.millrace.control.codec.ReplaceStateDecoder;
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
    private final CommandDecoder ids = new CommandDecoder();
    private final CreateDeviceDecoder createDevice = new CreateDeviceDecoder();
    private final DeleteDeviceDecoder deleteDevice = new DeleteDeviceDecoder();
    private final ResizeDeviceDecoder resizeDevice = new ResizeDeviceDecoder();
    private final CreateSubsystemDecoder createSubsystem = new CreateSubsystemDecoder();
    private final DeleteSubsystemDecoder deleteSubsystem = new DeleteSubsystemDecoder();
    private final AddNamespaceDecoder addNamespace = new AddNamespaceDecoder();
    private final RemoveNamespaceDecoder removeNamespace = new RemoveNamespaceDecoder();
    private final AllowHostDecoder allowHost = new AllowHostDecoder();
    private final DenyHostDecoder denyHost = new DenyHostDecoder();
    private final SetAllowAnyHostDecoder setAllowAnyHost = new SetAllowAnyHostDecoder();
    private final AddListenerDecoder addListener = new AddListenerDecoder();
    private final RemoveListenerDecoder removeListener = new RemoveListenerDecoder();
    private final SetStateDecoder setState = new SetStateDecoder();
    private final DisconnectDecoder disconnect = new DisconnectDecoder();
    private final SetAnaStateDecoder setAnaState = new SetAnaStateDecoder();
    private final SetQosDecoder setQos = new SetQosDecoder();
    private final AssignControllerIdsDecoder assignControllerIds = new AssignControllerIdsDecoder();
    private final ListDecoder lists = new ListDecoder();
    private final ModifyDeviceDecoder modifyDevice = new ModifyDeviceDecoder();
    private final BeginChangeDecoder beginChange = new BeginChangeDecoder();
    private final RollbackDecoder rollback = new RollbackDecoder();
    private final AddDocumentPartDecoder documentPart = new AddDocumentPartDecoder();
    private final ReplaceStateDecoder replaceState = new ReplaceStateDecoder();
    private final ApplyVersionDecoder applyVersion = new ApplyVersionDecoder();
    private final TakeTermDecoder takeTerm = new TakeTermDecoder();
    private final ReconcileDecoder reconcile = new ReconcileDecoder();

    /** Which every command has at the same place, also one that this version does not know. */
    CommandHeader ids(final DirectBuffer buffer, final int offset)
    {
        ids.wrap(buffer, offset + MessageHeaderDecoder.ENCODED_LENGTH);
        return new CommandHeader(
            ids.sessionId(), ids.correlationId(), new CommandId(ids.commandIdHigh(), ids.commandIdLow()), ids.term());
    }

    /** Null when the template is that of no command. */
    Command read(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        return switch (header.templateId())
        {
            case CreateDeviceDecoder.TEMPLATE_ID -> createDevice(buffer, offset, header);
            case DeleteDeviceDecoder.TEMPLATE_ID -> deleteDevice(buffer, offset, header);
            case ResizeDeviceDecoder.TEMPLATE_ID -> resizeDevice(buffer, offset, header);
            case CreateSubsystemDecoder.TEMPLATE_ID -> createSubsystem(buffer, offset, header);
            case DeleteSubsystemDecoder.TEMPLATE_ID -> deleteSubsystem(buffer, offset, header);
            case AddNamespaceDecoder.TEMPLATE_ID -> addNamespace(buffer, offset, header);
            case RemoveNamespaceDecoder.TEMPLATE_ID -> removeNamespace(buffer, offset, header);
            case AllowHostDecoder.TEMPLATE_ID -> allowHost(buffer, offset, header);
            case DenyHostDecoder.TEMPLATE_ID -> denyHost(buffer, offset, header);
            case SetAllowAnyHostDecoder.TEMPLATE_ID -> setAllowAnyHost(buffer, offset, header);
            case AddListenerDecoder.TEMPLATE_ID -> addListener(buffer, offset, header);
            case RemoveListenerDecoder.TEMPLATE_ID -> removeListener(buffer, offset, header);
            case SetStateDecoder.TEMPLATE_ID -> setState(buffer, offset, header);
            case DisconnectDecoder.TEMPLATE_ID -> disconnect(buffer, offset, header);
            case SetAnaStateDecoder.TEMPLATE_ID -> setAnaState(buffer, offset, header);
            case AssignControllerIdsDecoder.TEMPLATE_ID -> assignControllerIds(buffer, offset, header);
            case SetQosDecoder.TEMPLATE_ID -> setQos(buffer, offset, header);
            case ListDecoder.TEMPLATE_ID -> list(buffer, offset, header);
            case SubscribeDecoder.TEMPLATE_ID -> new Command.Subscribe();
            case ModifyDeviceDecoder.TEMPLATE_ID -> modifyDevice(buffer, offset, header);
            case BeginChangeDecoder.TEMPLATE_ID -> beginChange(buffer, offset, header);
            case CommitChangeDecoder.TEMPLATE_ID -> new Command.CommitChange();
            case AbandonChangeDecoder.TEMPLATE_ID -> new Command.AbandonChange();
            case RollbackDecoder.TEMPLATE_ID -> rollback(buffer, offset, header);
            case AddDocumentPartDecoder.TEMPLATE_ID -> documentPart(buffer, offset, header);
            case ReplaceStateDecoder.TEMPLATE_ID -> replaceState(buffer, offset, header);
            case ApplyVersionDecoder.TEMPLATE_ID -> applyVersion(buffer, offset, header);
            case TakeTermDecoder.TEMPLATE_ID -> takeTerm(buffer, offset, header);
            case ReconcileDecoder.TEMPLATE_ID -> reconcile(buffer, offset, header);
            default -> null;
        };
    }

    private Command createDevice(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        createDevice.wrapAndApplyHeader(buffer, offset, header);
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

    private Command modifyDevice(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        modifyDevice.wrapAndApplyHeader(buffer, offset, header);
        final Map<String, String> properties = new TreeMap<>();
        for (final ModifyDeviceDecoder.PropertiesDecoder each : modifyDevice.properties())
        {
            properties.put(each.key(), each.value());
        }
        return new Command.ModifyDevice(modifyDevice.name(), properties);
    }

    private Command deleteDevice(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        deleteDevice.wrapAndApplyHeader(buffer, offset, header);
        return new Command.DeleteDevice(deleteDevice.name());
    }

    private Command resizeDevice(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        resizeDevice.wrapAndApplyHeader(buffer, offset, header);
        return new Command.ResizeDevice(resizeDevice.name(), resizeDevice.sizeBytes());
    }

    private Command createSubsystem(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        createSubsystem.wrapAndApplyHeader(buffer, offset, header);
        return new Command.CreateSubsystem(
            new SubsystemSpec(
            createSubsystem.nqn(), isTrue(createSubsystem.allowAnyHost()), createSubsystem.serial(),
            createSubsystem.model()));
    }

    private Command deleteSubsystem(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        deleteSubsystem.wrapAndApplyHeader(buffer, offset, header);
        return new Command.DeleteSubsystem(deleteSubsystem.nqn());
    }

    private Command addNamespace(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        addNamespace.wrapAndApplyHeader(buffer, offset, header);
        return new Command.AddNamespace(new NamespaceSpec(
            addNamespace.nqn(), addNamespace.nsid(), new UUID(addNamespace.uuid().high(), addNamespace.uuid().low()),
            addNamespace.device(), AddNamespaceDecoder.anaGroupNullValue() == addNamespace.anaGroup() ?
            NamespaceSpec.ANA_GROUP_DEFAULT : addNamespace.anaGroup()));
    }

    private Command removeNamespace(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        removeNamespace.wrapAndApplyHeader(buffer, offset, header);
        return new Command.RemoveNamespace(removeNamespace.nqn(), removeNamespace.nsid());
    }

    private Command allowHost(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        allowHost.wrapAndApplyHeader(buffer, offset, header);
        return new Command.AllowHost(allowHost.nqn(), allowHost.hostNqn());
    }

    private Command denyHost(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        denyHost.wrapAndApplyHeader(buffer, offset, header);
        return new Command.DenyHost(denyHost.nqn(), denyHost.hostNqn());
    }

    private Command setAllowAnyHost(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        setAllowAnyHost.wrapAndApplyHeader(buffer, offset, header);
        return new Command.SetAllowAnyHost(setAllowAnyHost.nqn(), isTrue(setAllowAnyHost.allowAnyHost()));
    }

    private Command addListener(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        addListener.wrapAndApplyHeader(buffer, offset, header);
        return new Command.AddListener(
            new ListenerSpec(addListener.transport(), addListener.address(), addListener.port(),
            isTrue(addListener.discoveryOnly())));
    }

    private Command removeListener(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        removeListener.wrapAndApplyHeader(buffer, offset, header);
        return new Command.RemoveListener(removeListener.transport(), removeListener.address(), removeListener.port());
    }

    private Command setState(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        setState.wrapAndApplyHeader(buffer, offset, header);
        return new Command.SetState(setState.state());
    }

    private Command disconnect(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        disconnect.wrapAndApplyHeader(buffer, offset, header);
        return new Command.Disconnect(disconnect.nqn(), disconnect.controllerId());
    }

    private Command assignControllerIds(
        final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        assignControllerIds.wrapAndApplyHeader(buffer, offset, header);
        return new Command.AssignControllerIds(assignControllerIds.firstId(), assignControllerIds.lastId());
    }

    private Command setAnaState(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        setAnaState.wrapAndApplyHeader(buffer, offset, header);
        return new Command.SetAnaState(
            setAnaState.nqn(), setAnaState.transport(), setAnaState.address(), setAnaState.port(), setAnaState.group(),
            setAnaState.state());
    }

    private Command setQos(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        setQos.wrapAndApplyHeader(buffer, offset, header);
        final String nqn = setQos.nqn();
        return new Command.SetQos(new QosSpec(nqn, setQos.nsid(), setQos.hostNqn(), setQos.readIops(),
            setQos.writeIops(), setQos.iops(), setQos.readBytesPerSecond(), setQos.writeBytesPerSecond(),
            setQos.bytesPerSecond(), setQos.burstMs()));
    }

    private Command list(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        lists.wrapAndApplyHeader(buffer, offset, header);
        return new Command.List(lists.kind(), lists.name(),
            ListDecoder.versionNullValue() == lists.version() ? Command.List.ACTUAL : lists.version());
    }

    private Command beginChange(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        beginChange.wrapAndApplyHeader(buffer, offset, header);
        return new Command.BeginChange(beginChange.comment());
    }

    private Command rollback(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        rollback.wrapAndApplyHeader(buffer, offset, header);
        return new Command.Rollback(rollback.version());
    }

    private Command applyVersion(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        applyVersion.wrapAndApplyHeader(buffer, offset, header);
        return new Command.ApplyVersion(
            new StatePosition(new UUID(applyVersion.lineage().high(), applyVersion.lineage().low()),
            applyVersion.versionTerm(), applyVersion.version()), isTrue(applyVersion.inSync()),
            applyVersion.directChanges());
    }

    private Command takeTerm(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        takeTerm.wrapAndApplyHeader(buffer, offset, header);
        return new Command.TakeTerm(takeTerm.newTerm(),
            new UUID(takeTerm.managerId().high(), takeTerm.managerId().low()), takeTerm.managerName(),
            takeTerm.managerAddress());
    }

    private Command reconcile(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        reconcile.wrapAndApplyHeader(buffer, offset, header);
        return new Command.Reconcile(reconcile.mode());
    }

    private Command documentPart(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        documentPart.wrapAndApplyHeader(buffer, offset, header);
        final byte[] content = new byte[documentPart.contentLength()];
        documentPart.getContent(content, 0, content.length);
        return new Command.AddDocumentPart(documentPart.position(), new String(content, StandardCharsets.UTF_8));
    }

    private Command replaceState(final DirectBuffer buffer, final int offset, final MessageHeaderDecoder header)
    {
        replaceState.wrapAndApplyHeader(buffer, offset, header);
        return new Command.ReplaceState(replaceState.fromVersion(), replaceState.ifVersion(),
            isTrue(replaceState.dryRun()), isTrue(replaceState.allowDestroy()), isTrue(replaceState.prune()),
            replaceState.name(), replaceState.comment());
    }

    static UUID uuid(final UuidDecoder value)
    {
        return new UUID(value.high(), value.low());
    }

    private static boolean isTrue(final Bool value)
    {
        return Bool.TRUE == value;
    }
}
