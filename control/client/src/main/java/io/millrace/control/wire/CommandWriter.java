package io.millrace.control.wire;

import io.millrace.control.codec.AbandonChangeEncoder;
import io.millrace.control.codec.AddDocumentPartEncoder;
import io.millrace.control.codec.AddListenerEncoder;
import io.millrace.control.codec.AddNamespaceEncoder;
import io.millrace.control.codec.AllowHostEncoder;
import io.millrace.control.codec.ApplyVersionEncoder;
import io.millrace.control.codec.AssignControllerIdsEncoder;
import io.millrace.control.codec.BeginChangeEncoder;
import io.millrace.control.codec.Bool;
import io.millrace.control.codec.CommandEncoder;
import io.millrace.control.codec.CommitChangeEncoder;
import io.millrace.control.codec.CreateDeviceEncoder;
import io.millrace.control.codec.CreateSubsystemEncoder;
import io.millrace.control.codec.DeleteDeviceEncoder;
import io.millrace.control.codec.DeleteSubsystemEncoder;
import io.millrace.control.codec.DenyHostEncoder;
import io.millrace.control.codec.DisconnectEncoder;
import io.millrace.control.codec.ListEncoder;
import io.millrace.control.codec.MessageHeaderEncoder;
import io.millrace.control.codec.ModifyDeviceEncoder;
import io.millrace.control.codec.OperateArrayEncoder;
import io.millrace.control.codec.ReconcileEncoder;
import io.millrace.control.codec.RemoveListenerEncoder;
import io.millrace.control.codec.RemoveNamespaceEncoder;
import io.millrace.control.codec.ReplaceStateEncoder;
import io.millrace.control.codec.RenameDeviceEncoder;
import io.millrace.control.codec.ResizeDeviceEncoder;
import io.millrace.control.codec.RollbackEncoder;
import io.millrace.control.codec.SetAllowAnyHostEncoder;
import io.millrace.control.codec.SetAnaStateEncoder;
import io.millrace.control.codec.SetQosEncoder;
import io.millrace.control.codec.SetStateEncoder;
import io.millrace.control.codec.SubscribeEncoder;
import io.millrace.control.codec.TakeTermEncoder;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.agrona.MutableDirectBuffer;

/**
 * Encodes commands. Belongs to one thread; keeps nothing between calls.
 */
final class CommandWriter
{
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final CreateDeviceEncoder createDevice = new CreateDeviceEncoder();
    private final DeleteDeviceEncoder deleteDevice = new DeleteDeviceEncoder();
    private final RenameDeviceEncoder renameDevice = new RenameDeviceEncoder();
    private final ResizeDeviceEncoder resizeDevice = new ResizeDeviceEncoder();
    private final CreateSubsystemEncoder createSubsystem = new CreateSubsystemEncoder();
    private final DeleteSubsystemEncoder deleteSubsystem = new DeleteSubsystemEncoder();
    private final AddNamespaceEncoder addNamespace = new AddNamespaceEncoder();
    private final RemoveNamespaceEncoder removeNamespace = new RemoveNamespaceEncoder();
    private final AllowHostEncoder allowHost = new AllowHostEncoder();
    private final DenyHostEncoder denyHost = new DenyHostEncoder();
    private final SetAllowAnyHostEncoder setAllowAnyHost = new SetAllowAnyHostEncoder();
    private final AddListenerEncoder addListener = new AddListenerEncoder();
    private final RemoveListenerEncoder removeListener = new RemoveListenerEncoder();
    private final SetStateEncoder setState = new SetStateEncoder();
    private final DisconnectEncoder disconnect = new DisconnectEncoder();
    private final OperateArrayEncoder operateArray = new OperateArrayEncoder();
    private final SetAnaStateEncoder setAnaState = new SetAnaStateEncoder();
    private final SetQosEncoder setQos = new SetQosEncoder();
    private final AssignControllerIdsEncoder assignControllerIds = new AssignControllerIdsEncoder();
    private final ListEncoder lists = new ListEncoder();
    private final SubscribeEncoder subscribe = new SubscribeEncoder();
    private final ModifyDeviceEncoder modifyDevice = new ModifyDeviceEncoder();
    private final BeginChangeEncoder beginChange = new BeginChangeEncoder();
    private final CommitChangeEncoder commitChange = new CommitChangeEncoder();
    private final AbandonChangeEncoder abandonChange = new AbandonChangeEncoder();
    private final RollbackEncoder rollback = new RollbackEncoder();
    private final AddDocumentPartEncoder documentPart = new AddDocumentPartEncoder();
    private final ReplaceStateEncoder replaceState = new ReplaceStateEncoder();
    private final ApplyVersionEncoder applyVersion = new ApplyVersionEncoder();
    private final TakeTermEncoder takeTerm = new TakeTermEncoder();
    private final ReconcileEncoder reconcile = new ReconcileEncoder();

    /** Writes the command with its header at the offset; answers its length in bytes. */
    int write(final MutableDirectBuffer buffer, final int offset, final CommandHeader ids, final Command value)
    {
        return MessageHeaderEncoder.ENCODED_LENGTH + switch (value)
        {
            case Command.CreateDevice command -> createDevice(buffer, offset, ids, command);
            case Command.DeleteDevice command -> deleteDevice(buffer, offset, ids, command);
            case Command.ResizeDevice command -> resizeDevice(buffer, offset, ids, command);
            case Command.RenameDevice command -> renameDevice(buffer, offset, ids, command);
            case Command.CreateSubsystem command -> createSubsystem(buffer, offset, ids, command);
            case Command.DeleteSubsystem command -> deleteSubsystem(buffer, offset, ids, command);
            case Command.AddNamespace command -> addNamespace(buffer, offset, ids, command);
            case Command.RemoveNamespace command -> removeNamespace(buffer, offset, ids, command);
            case Command.AllowHost command -> allowHost(buffer, offset, ids, command);
            case Command.DenyHost command -> denyHost(buffer, offset, ids, command);
            case Command.SetAllowAnyHost command -> setAllowAnyHost(buffer, offset, ids, command);
            case Command.AddListener command -> addListener(buffer, offset, ids, command);
            case Command.RemoveListener command -> removeListener(buffer, offset, ids, command);
            case Command.SetState command -> setState(buffer, offset, ids, command);
            case Command.Disconnect command -> disconnect(buffer, offset, ids, command);
            case Command.OperateArray command -> operateArray(buffer, offset, ids, command);
            case Command.SetAnaState command -> setAnaState(buffer, offset, ids, command);
            case Command.AssignControllerIds command -> assignControllerIds(buffer, offset, ids, command);
            case Command.SetQos command -> setQos(buffer, offset, ids, command.qos());
            case Command.List command -> list(buffer, offset, ids, command);
            case Command.Subscribe _ -> subscribe(buffer, offset, ids);
            case Command.ModifyDevice command -> modifyDevice(buffer, offset, ids, command);
            case Command.BeginChange command -> beginChange(buffer, offset, ids, command);
            case Command.CommitChange _ -> commitChange(buffer, offset, ids);
            case Command.AbandonChange _ -> abandonChange(buffer, offset, ids);
            case Command.Rollback command -> rollback(buffer, offset, ids, command);
            case Command.AddDocumentPart command -> documentPart(buffer, offset, ids, command);
            case Command.ReplaceState command -> replaceState(buffer, offset, ids, command);
            case Command.ApplyVersion command -> applyVersion(buffer, offset, ids, command);
            case Command.TakeTerm command -> takeTerm(buffer, offset, ids, command);
            case Command.Reconcile command -> reconcile(buffer, offset, ids, command);
        };
    }

    private int createDevice(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.CreateDevice command)
    {
        final DeviceSpec device = command.device();
        createDevice.wrapAndApplyHeader(buffer, offset, header);
        ids(createDevice.command(), ids);
        createDevice.incarnation().high(device.incarnation().getMostSignificantBits())
            .low(device.incarnation().getLeastSignificantBits());
        createDevice.existingOnly(bool(command.existingOnly()));
        checkProperties(device.name(), device.properties());
        final CreateDeviceEncoder.PropertiesEncoder properties =
            createDevice.propertiesCount(device.properties().size());
        device.properties().forEach((key, value) -> properties.next().key(key).value(value));
        createDevice.name(Text.check("device name", device.name(), Text.NAME_LENGTH_MAX_BYTES));
        createDevice.deviceType(Text.check("device type", device.type(), Text.NAME_LENGTH_MAX_BYTES));
        return createDevice.encodedLength();
    }

    private int modifyDevice(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.ModifyDevice command)
    {
        modifyDevice.wrapAndApplyHeader(buffer, offset, header);
        ids(modifyDevice.command(), ids);
        checkProperties(command.name(), command.properties());
        final ModifyDeviceEncoder.PropertiesEncoder properties =
            modifyDevice.propertiesCount(command.properties().size());
        command.properties().forEach((key, value) -> properties.next().key(key).value(value));
        modifyDevice.name(Text.check("device name", command.name(), Text.NAME_LENGTH_MAX_BYTES));
        return modifyDevice.encodedLength();
    }

    /** Throws IllegalArgumentException when the settings of a device cannot be sent. */
    private static void checkProperties(final String device, final Map<String, String> properties)
    {
        if (properties.size() > MessageCheck.GROUP_MAX)
        {
            throw new IllegalArgumentException(properties.size() + " settings of device " + device +
                " are more than " + MessageCheck.GROUP_MAX + ": leave some out");
        }
        final int[] lengthBytes = new int[1];
        properties.forEach((key, value) ->
        {
            Text.check("key of a setting of device " + device, key);
            Text.check(key + " of device " + device, value, Text.VALUE_LENGTH_MAX_BYTES);
            lengthBytes[0] += key.length() + value.getBytes(StandardCharsets.UTF_8).length;
        });
        if (lengthBytes[0] > Text.VALUE_LENGTH_MAX_BYTES)
        {
            throw new IllegalArgumentException("settings of device " + device + " have " + lengthBytes[0] +
                " bytes in UTF-8, more than " + Text.VALUE_LENGTH_MAX_BYTES + ": shorten or join some");
        }
    }

    private int deleteDevice(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.DeleteDevice command)
    {
        deleteDevice.wrapAndApplyHeader(buffer, offset, header);
        ids(deleteDevice.command(), ids);
        deleteDevice.name(Text.check("device name", command.name()));
        return deleteDevice.encodedLength();
    }

    private int resizeDevice(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.ResizeDevice command)
    {
        resizeDevice.wrapAndApplyHeader(buffer, offset, header);
        ids(resizeDevice.command(), ids);
        resizeDevice.sizeBytes(command.sizeBytes());
        resizeDevice.name(Text.check("device name", command.name()));
        return resizeDevice.encodedLength();
    }

    private int renameDevice(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.RenameDevice command)
    {
        renameDevice.wrapAndApplyHeader(buffer, offset, header);
        ids(renameDevice.command(), ids);
        renameDevice.name(Text.check("device name", command.name()));
        renameDevice.newName(Text.check("device name", command.newName(), Text.NAME_LENGTH_MAX_BYTES));
        return renameDevice.encodedLength();
    }

    private int createSubsystem(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.CreateSubsystem command)
    {
        final SubsystemSpec subsystem = command.subsystem();
        createSubsystem.wrapAndApplyHeader(buffer, offset, header);
        ids(createSubsystem.command(), ids);
        createSubsystem.allowAnyHost(bool(subsystem.allowAnyHost()));
        createSubsystem.nqn(Text.check("subsystem NQN", subsystem.nqn()));
        createSubsystem.serial(Text.check("serial number", subsystem.serial()));
        createSubsystem.model(Text.check("model number", subsystem.model()));
        return createSubsystem.encodedLength();
    }

    private int deleteSubsystem(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.DeleteSubsystem command)
    {
        deleteSubsystem.wrapAndApplyHeader(buffer, offset, header);
        ids(deleteSubsystem.command(), ids);
        deleteSubsystem.nqn(Text.check("subsystem NQN", command.nqn()));
        return deleteSubsystem.encodedLength();
    }

    private int addNamespace(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.AddNamespace command)
    {
        final NamespaceSpec namespace = command.namespace();
        addNamespace.wrapAndApplyHeader(buffer, offset, header);
        ids(addNamespace.command(), ids);
        addNamespace.nsid(namespace.nsid());
        addNamespace.uuid()
            .high(namespace.uuid().getMostSignificantBits())
            .low(namespace.uuid().getLeastSignificantBits());
        addNamespace.anaGroup(namespace.anaGroup());
        addNamespace.nqn(Text.check("subsystem NQN", namespace.nqn()));
        addNamespace.device(Text.check("device name", namespace.device()));
        return addNamespace.encodedLength();
    }

    private int removeNamespace(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.RemoveNamespace command)
    {
        removeNamespace.wrapAndApplyHeader(buffer, offset, header);
        ids(removeNamespace.command(), ids);
        removeNamespace.nsid(command.nsid());
        removeNamespace.nqn(Text.check("subsystem NQN", command.nqn()));
        return removeNamespace.encodedLength();
    }

    private int allowHost(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.AllowHost command)
    {
        allowHost.wrapAndApplyHeader(buffer, offset, header);
        ids(allowHost.command(), ids);
        allowHost.nqn(Text.check("subsystem NQN", command.nqn()));
        allowHost.hostNqn(Text.check("host NQN", command.hostNqn()));
        return allowHost.encodedLength();
    }

    private int denyHost(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.DenyHost command)
    {
        denyHost.wrapAndApplyHeader(buffer, offset, header);
        ids(denyHost.command(), ids);
        denyHost.nqn(Text.check("subsystem NQN", command.nqn()));
        denyHost.hostNqn(Text.check("host NQN", command.hostNqn()));
        return denyHost.encodedLength();
    }

    private int setAllowAnyHost(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.SetAllowAnyHost command)
    {
        setAllowAnyHost.wrapAndApplyHeader(buffer, offset, header);
        ids(setAllowAnyHost.command(), ids);
        setAllowAnyHost.allowAnyHost(bool(command.allowAnyHost()));
        setAllowAnyHost.nqn(Text.check("subsystem NQN", command.nqn()));
        return setAllowAnyHost.encodedLength();
    }

    private int addListener(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.AddListener command)
    {
        final ListenerSpec listener = command.listener();
        addListener.wrapAndApplyHeader(buffer, offset, header);
        ids(addListener.command(), ids);
        addListener.transport(listener.transport());
        addListener.port(listener.port());
        addListener.discoveryOnly(bool(listener.discoveryOnly()));
        addListener.provider(listener.provider());
        addListener.address(Text.check("listener address", listener.address()));
        return addListener.encodedLength();
    }

    private int removeListener(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.RemoveListener command)
    {
        removeListener.wrapAndApplyHeader(buffer, offset, header);
        ids(removeListener.command(), ids);
        removeListener.transport(command.transport());
        removeListener.port(command.port());
        removeListener.address(Text.check("listener address", command.address()));
        return removeListener.encodedLength();
    }

    private int setState(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.SetState command)
    {
        setState.wrapAndApplyHeader(buffer, offset, header);
        ids(setState.command(), ids);
        setState.state(command.state());
        return setState.encodedLength();
    }

    private int disconnect(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.Disconnect command)
    {
        disconnect.wrapAndApplyHeader(buffer, offset, header);
        ids(disconnect.command(), ids);
        disconnect.controllerId(command.controllerId());
        disconnect.nqn(Text.check("subsystem NQN", command.nqn()));
        return disconnect.encodedLength();
    }

    private int operateArray(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.OperateArray command)
    {
        operateArray.wrapAndApplyHeader(buffer, offset, header);
        ids(operateArray.command(), ids);
        operateArray.operation(command.operation())
            .name(Text.check("device name", command.name(), Text.NAME_LENGTH_MAX_BYTES))
            .member(Text.check("member", command.member(), Text.NAME_LENGTH_MAX_BYTES));
        return operateArray.encodedLength();
    }

    private int assignControllerIds(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.AssignControllerIds command)
    {
        assignControllerIds.wrapAndApplyHeader(buffer, offset, header);
        ids(assignControllerIds.command(), ids);
        assignControllerIds.firstId(command.firstId()).lastId(command.lastId());
        return assignControllerIds.encodedLength();
    }

    private int setAnaState(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.SetAnaState command)
    {
        setAnaState.wrapAndApplyHeader(buffer, offset, header);
        ids(setAnaState.command(), ids);
        setAnaState.transport(command.transport());
        setAnaState.port(command.port());
        setAnaState.group(command.group());
        setAnaState.state(command.state());
        setAnaState.nqn(Text.check("subsystem NQN", command.nqn()));
        setAnaState.address(Text.check("listener address", command.address()));
        return setAnaState.encodedLength();
    }

    private int list(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.List command)
    {
        lists.wrapAndApplyHeader(buffer, offset, header);
        ids(lists.command(), ids);
        lists.kind(command.kind());
        lists.version(Command.List.ACTUAL == command.version() ? ListEncoder.versionNullValue() : command.version())
            .atOnce(bool(command.atOnce()));
        lists.name(Text.check("name", command.name()));
        return lists.encodedLength();
    }

    private int subscribe(
        final MutableDirectBuffer buffer, final int offset, final CommandHeader ids)
    {
        subscribe.wrapAndApplyHeader(buffer, offset, header);
        ids(subscribe.command(), ids);
        return subscribe.encodedLength();
    }

    private int beginChange(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.BeginChange command)
    {
        beginChange.wrapAndApplyHeader(buffer, offset, header);
        ids(beginChange.command(), ids);
        beginChange.comment(Text.check("comment", command.comment()));
        return beginChange.encodedLength();
    }

    private int commitChange(final MutableDirectBuffer buffer, final int offset, final CommandHeader ids)
    {
        commitChange.wrapAndApplyHeader(buffer, offset, header);
        ids(commitChange.command(), ids);
        return commitChange.encodedLength();
    }

    private int abandonChange(final MutableDirectBuffer buffer, final int offset, final CommandHeader ids)
    {
        abandonChange.wrapAndApplyHeader(buffer, offset, header);
        ids(abandonChange.command(), ids);
        return abandonChange.encodedLength();
    }

    private int rollback(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.Rollback command)
    {
        rollback.wrapAndApplyHeader(buffer, offset, header);
        ids(rollback.command(), ids);
        rollback.version(command.version());
        return rollback.encodedLength();
    }

    private int setQos(
        final MutableDirectBuffer buffer, final int offset, final CommandHeader ids, final QosSpec qos)
    {
        setQos.wrapAndApplyHeader(buffer, offset, header);
        ids(setQos.command(), ids);
        setQos
            .nsid(qos.nsid())
            .readIops(qos.readIops())
            .writeIops(qos.writeIops())
            .iops(qos.iops())
            .readBytesPerSecond(qos.readBytesPerSecond())
            .writeBytesPerSecond(qos.writeBytesPerSecond())
            .bytesPerSecond(qos.bytesPerSecond())
            .burstMs(qos.burstMs())
            .nqn(Text.check("NQN", qos.nqn()))
            .hostNqn(Text.check("host NQN", qos.hostNqn()));
        return setQos.encodedLength();
    }

    private int applyVersion(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.ApplyVersion command)
    {
        applyVersion.wrapAndApplyHeader(buffer, offset, header);
        ids(applyVersion.command(), ids);
        applyVersion.lineage()
            .high(command.position().lineage().getMostSignificantBits())
            .low(command.position().lineage().getLeastSignificantBits());
        applyVersion
            .versionTerm(command.position().term())
            .version(command.position().version())
            .inSync(bool(command.inSync()))
            .directChanges(command.directChanges());
        return applyVersion.encodedLength();
    }

    private int takeTerm(
        final MutableDirectBuffer buffer, final int offset, final CommandHeader ids, final Command.TakeTerm command)
    {
        takeTerm.wrapAndApplyHeader(buffer, offset, header);
        ids(takeTerm.command(), ids);
        takeTerm.newTerm(command.newTerm());
        takeTerm.managerId()
            .high(command.managerId().getMostSignificantBits())
            .low(command.managerId().getLeastSignificantBits());
        takeTerm.managerName(Text.check("name of the manager", command.managerName()));
        takeTerm.managerAddress(Text.check("address of the manager", command.managerAddress()));
        return takeTerm.encodedLength();
    }

    private int reconcile(
        final MutableDirectBuffer buffer, final int offset, final CommandHeader ids, final Command.Reconcile command)
    {
        reconcile.wrapAndApplyHeader(buffer, offset, header);
        ids(reconcile.command(), ids);
        reconcile.mode(command.mode());
        return reconcile.encodedLength();
    }

    private int documentPart(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.AddDocumentPart command)
    {
        final byte[] content = command.content().getBytes(StandardCharsets.UTF_8);
        if (content.length > Command.AddDocumentPart.CONTENT_MAX_BYTES)
        {
            throw new IllegalArgumentException("document part of " + content.length + " bytes is longer than " +
                Command.AddDocumentPart.CONTENT_MAX_BYTES + ": cut it");
        }
        documentPart.wrapAndApplyHeader(buffer, offset, header);
        ids(documentPart.command(), ids);
        documentPart.position(command.position()).putContent(content, 0, content.length);
        return documentPart.encodedLength();
    }

    private int replaceState(
        final MutableDirectBuffer buffer,
        final int offset,
        final CommandHeader ids,
        final Command.ReplaceState command)
    {
        replaceState.wrapAndApplyHeader(buffer, offset, header);
        ids(replaceState.command(), ids);
        replaceState.fromVersion(command.fromVersion())
            .ifVersion(command.ifVersion())
            .dryRun(bool(command.isDryRun()))
            .allowDestroy(bool(command.allowsDestroy()))
            .prune(bool(command.prunes()))
            .name(Text.check("document name", command.name()))
            .comment(Text.check("comment", command.comment()));
        return replaceState.encodedLength();
    }

    private static void ids(final CommandEncoder encoder, final CommandHeader ids)
    {
        encoder
            .sessionId(ids.sessionId())
            .correlationId(ids.correlationId())
            .commandIdHigh(ids.commandId().high())
            .commandIdLow(ids.commandId().low())
            .term(ids.term());
    }

    private static Bool bool(final boolean value)
    {
        return value ? Bool.TRUE : Bool.FALSE;
    }
}
