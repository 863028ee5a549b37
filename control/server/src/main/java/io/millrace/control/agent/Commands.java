package io.millrace.control.agent;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.block.raid.ScrubMode;
import io.millrace.control.codec.ArrayOperation;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.State;
import io.millrace.control.codec.Transport;
import io.millrace.control.device.DeviceContent;
import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.service.Reply;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.state.NetworkAddress;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.OperationException;
import io.millrace.dataplane.RaidArrays;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.device.FileAccess;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.transport.TransportAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Maps commands to operations of a data plane. Any thread but a reactor's, one at a time.
 */
final class Commands
{
    private static final int PORT_MAX = 0xFFFF;
    private static final long LEAVING_TIMEOUT_MS = 1_000;
    private static final UUID NO_UUID = new UUID(0, 0);
    private static final CompletableFuture<Reply> DONE = CompletableFuture.completedFuture(Reply.OK);

    private final DataPlane dataPlane;
    private final ControlOwner owner;
    private final FileBounds bounds;
    private final FileRecords records;
    private final UnchangedReplies unchanged;

    /**
     * @param bounds       within which the paths of new file devices have to lie.
     * @param incarnations of the devices.
     * @param records      of files that devices had.
     */
    Commands(
        final DataPlane dataPlane,
        final ControlOwner owner,
        final FileBounds bounds,
        final Incarnations incarnations,
        final FileRecords records)
    {
        this.dataPlane = dataPlane;
        this.owner = owner;
        this.bounds = bounds;
        this.records = records;
        unchanged = new UnchangedReplies(dataPlane, incarnations);
    }

    /**
     * Whether the operation may wait for a file system, for the release of much memory, or for the removal of a
     * namespace.
     */
    boolean mayTakeLong(final Command command)
    {
        return switch (command)
        {
            case Command.CreateDevice create -> isPersistent(create.device()) || create.device().isSharedSpare() ||
                create.device().bases().stream().anyMatch(this::isBeingLeft);
            case Command.DeleteDevice _, Command.ResizeDevice _, Command.RenameDevice _ -> true;
            case Command.ModifyDevice modify -> namesDevices(modify) ||
                modify.properties().containsKey(DeviceSpec.SHARED_SPARE);
            case Command.OperateArray operate -> ArrayOperation.EXAMINE_DEVICE == operate.operation() ||
                ArrayOperation.ERASE_DEVICE == operate.operation();
            case Command.AddNamespace add -> isBeingLeft(add.namespace().device());
            default -> false;
        };
    }

    /** Whether other devices are opened or released for it. */
    private static boolean namesDevices(final Command.ModifyDevice modify)
    {
        return DeviceTypes.names().stream().map(DeviceTypes::of).flatMap((type) -> type.settings().stream())
            .anyMatch((each) -> each.namesDevices() && modify.properties().containsKey(each.key()));
    }

    /** Executes a command; the reply may be completed later, on a reactor. Never throws. */
    CompletableFuture<Reply> carryOut(final Command command)
    {
        try
        {
            return begin(command).exceptionally((failure) -> unchanged.replyTo(command, refusal(failure)));
        }
        catch (final RuntimeException e)
        {
            return CompletableFuture.completedFuture(unchanged.replyTo(command, refusal(e)));
        }
    }

    /** Reply to a failure. */
    static Reply refusal(final Throwable failure)
    {
        return switch (failure)
        {
            case final ControlException e -> Reply.refused(e.code(), e.getMessage());
            case final OperationException e -> Reply.refused(codeOf(e.reason()), e.getMessage());
            case final BlockDeviceException e -> Reply.refused(Code.INVALID, e.getMessage());
            case final IllegalArgumentException e -> Reply.refused(Code.INVALID, e.getMessage());
            case final CompletionException e when null != e.getCause() -> refusal(e.getCause());
            default -> Reply.refused(Code.FAILED, "the data plane failed: " + failure);
        };
    }

    private static Code codeOf(final OperationException.Reason reason)
    {
        return switch (reason)
        {
            case NOT_FOUND -> Code.NOT_FOUND;
            case EXISTS -> Code.EXISTS;
            case IN_USE -> Code.IN_USE;
            case INVALID -> Code.INVALID;
            case UNSUPPORTED -> Code.UNSUPPORTED;
            case FAILED -> Code.FAILED;
        };
    }

    private CompletableFuture<Reply> begin(final Command command)
    {
        switch (command)
        {
            case final Command.CreateDevice create:
                create.device().bases().forEach(this::awaitLeft);
                dataPlane.devices().create(bounded(device(create.device()), create.existingOnly()));
                return CompletableFuture.completedFuture(noted(create.device().name(), ""));
            case final Command.DeleteDevice delete:
                awaitLeft(delete.name());
                dataPlane.devices().delete(delete.name());
                return DONE;
            case final Command.ResizeDevice resize:
                return ok(dataPlane.devices().resize(resize.name(), resize.sizeBytes()));
            case final Command.RenameDevice rename:
                dataPlane.arrays().rename(rename.name(), rename.newName());
                return DONE;
            case final Command.ModifyDevice modify:
                return modify(modify);
            case final Command.CreateSubsystem create:
                createSubsystem(create.subsystem());
                return DONE;
            case final Command.DeleteSubsystem delete:
                return ok(dataPlane.subsystems().delete(delete.nqn()));
            case final Command.AddNamespace add:
                addNamespace(add.namespace());
                return DONE;
            case final Command.RemoveNamespace remove:
                return ok(dataPlane.namespaces().remove(remove.nqn(), remove.nsid()));
            case final Command.AllowHost allow:
                dataPlane.hosts().allow(allow.nqn(), allow.hostNqn());
                return DONE;
            case final Command.DenyHost deny:
                return ok(dataPlane.hosts().deny(deny.nqn(), deny.hostNqn()));
            case final Command.SetAllowAnyHost any:
                return dataPlane.hosts().allowAny(any.nqn(), any.allowAnyHost()).thenApply(Commands::done);
            case final Command.AddListener add:
                return addListener(add);
            case final Command.RemoveListener remove:
                return CompletableFuture.completedFuture(done(dataPlane.listeners().remove(
                    address(remove.transport(), remove.address(), remove.port()))));
            case final Command.SetState set:
                return setState(set.state());
            case final Command.Disconnect disconnect:
                return ok(dataPlane.controllers().disconnect(disconnect.nqn(), disconnect.controllerId()));
            case final Command.OperateArray operate:
                return operate(operate);
            case final Command.SetAnaState ana:
                // The state is set even if devices still have commands that came before: that is a remark, no refusal.
                return dataPlane.anaStates().set(ana.nqn(), anaListener(ana), ana.group(), anaState(ana.state()))
                    .thenApply(Commands::done);
            case final Command.AssignControllerIds assign:
                dataPlane.controllers().assignIds(new ControllerIds(assign.firstId(), assign.lastId()));
                return DONE;
            case final Command.SetQos set:
                return setQos(set.qos());
            case final Command.BeginChange _:
            case final Command.CommitChange _:
            case final Command.AbandonChange _:
            case final Command.Rollback _:
            case final Command.AddDocumentPart _:
            case final Command.ReplaceState _:
            case final Command.Reconcile _:
                return CompletableFuture.completedFuture(Reply.refused(Code.UNSUPPORTED,
                    "a data plane" + Lists.LACKING.formatted("versions of a desired state")));
            case final Command.List _:
            case final Command.Subscribe _:
            case final Command.TakeTerm _:
            case final Command.ApplyVersion _:
                throw new IllegalArgumentException("not a command that modifies resources");
        }
    }

    private CompletableFuture<Reply> operate(final Command.OperateArray command)
    {
        final RaidArrays arrays = dataPlane.arrays();
        return switch (command.operation())
        {
            case SCRUB_CHECK -> done(() -> arrays.scrub(command.name(), ScrubMode.CHECK));
            case SCRUB_REPAIR -> done(() -> arrays.scrub(command.name(), ScrubMode.REPAIR));
            case SCRUB_STOP -> done(() -> arrays.stopScrub(command.name()));
            case FAIL_MEMBER -> ok(arrays.fail(command.name(), command.member()));
            case RESIZE_MEMBERS -> ok(arrays.resizeMembers(command.name(), memberBytes(command.member())));
            case MOVE_Q -> ok(arrays.moveQ(command.name()));
            case EXAMINE_DEVICE -> CompletableFuture.completedFuture(
                new Reply(Code.OK, 0, arrays.examine(command.name())));
            case ERASE_DEVICE -> done(() -> arrays.erase(command.name(), command.member()));
            case SBE_UNKNOWN, NULL_VAL -> throw new IllegalArgumentException(
                "operation is unknown to this data plane; use a client of its version");
        };
    }

    /** {@return bytes of data on each member; 0: as much as all have room for} */
    private static long memberBytes(final String text)
    {
        if (Command.OperateArray.SIZE_MAX.equals(text))
        {
            return 0;
        }
        if (!text.matches("[1-9][0-9]{0,17}"))
        {
            throw new IllegalArgumentException("size '" + text + "' of the members is no positive number of bytes, " +
                "nor " + Command.OperateArray.SIZE_MAX + ": use one of these");
        }
        return Long.parseLong(text);
    }

    private static CompletableFuture<Reply> done(final Runnable action)
    {
        action.run();
        return DONE;
    }

    private static Reply done(final String left)
    {
        return left.isEmpty() ? Reply.OK : new Reply(Code.OK, 0, left);
    }

    private static CompletableFuture<Reply> ok(final CompletableFuture<Void> done)
    {
        return done.thenApply((nothing) -> Reply.OK);
    }

    /** Opens a file or a drive, which may take a while. */
    private static boolean isPersistent(final DeviceSpec device)
    {
        final DeviceType type = DeviceTypes.find(device.type());
        return null != type && DeviceContent.PERSISTENT == type.content();
    }

    private DeviceConfig bounded(final DeviceConfig config, final boolean existingOnly)
    {
        final Path path = RecordedPaths.of(config.properties().text("path", ""), config.properties().text("lvol", ""));
        return config.with(new FileAccess(bounds, existingOnly && null != path ?
            records.expecting(config.name(), path) : records));
    }

    /** Refuses settings that are unknown or out of bounds. */
    static DeviceConfig device(final DeviceSpec spec)
    {
        try
        {
            return DeviceConfig.of(spec.name(), spec.type(),
                DeviceTypes.of(spec.type()).values(spec.properties()));
        }
        catch (final InvalidSettingException e)
        {
            throw new IllegalArgumentException("device " + spec.name() + ": " + e.getMessage(), e);
        }
    }

    private CompletableFuture<Reply> modify(final Command.ModifyDevice command)
    {
        final DeviceSpec was = Lists.device(dataPlane.devices().get(command.name())).spec();
        try
        {
            final Map<String, String> wanted =
                DeviceTypes.of(was.type()).applied(was.properties(), command.properties());
            final String before = dataPlane.arrays().note(command.name());
            return dataPlane.devices().modify(command.name(), device(new DeviceSpec(
                was.name(), was.type(), wanted)).properties()).thenApply((_) -> noted(command.name(), before));
        }
        catch (final InvalidSettingException e)
        {
            throw new IllegalArgumentException("device " + was.name() + ": " + e.getMessage(), e);
        }
    }

    /** Reply to a command that has created or changed a device, with what an operator should know and did not. */
    private Reply noted(final String device, final String before)
    {
        final String now = dataPlane.arrays().note(device);
        return new Reply(Code.OK, 0, now.equals(before) ? "" : now);
    }

    private void createSubsystem(final SubsystemSpec spec)
    {
        dataPlane.subsystems().create(new SubsystemSettings(spec.nqn(), spec.serial().isEmpty() ? null : spec.serial(),
            spec.model().isEmpty() ? null : spec.model(), spec.allowAnyHost(), List.of(), List.of()));
    }

    private boolean isBeingLeft(final String device)
    {
        return !dataPlane.devices().free(device).isDone();
    }

    /**
     * A client may reuse a device before the removal of its namespace has completed. If outstanding commands delay the
     * removal for too long, this is an error, so that later commands, which may end them, are not blocked.
     */
    private void awaitLeft(final String device)
    {
        try
        {
            dataPlane.devices().free(device).get(LEAVING_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        catch (final ExecutionException | TimeoutException e)
        {
            // The operation reports the user.
        }
    }

    private void addNamespace(final NamespaceSpec spec)
    {
        awaitLeft(spec.device());
        dataPlane.namespaces().add(spec.nqn(), new SubsystemSettings.NamespaceSettings(
            spec.nsid(), spec.device(), NO_UUID.equals(spec.uuid()) ? null : spec.uuid(), spec.anaGroup()));
    }

    /** Null stands for all listeners. */
    private static TransportAddress anaListener(final Command.SetAnaState command)
    {
        if (command.address().isEmpty() && 0 == command.port())
        {
            return null;
        }
        return address(command.transport(), command.address(), command.port());
    }

    private static AnaState anaState(final io.millrace.control.codec.AnaState state)
    {
        return switch (state)
        {
            case OPTIMIZED, NON_OPTIMIZED, INACCESSIBLE, PERSISTENT_LOSS, CHANGE -> AnaState.valueOf(state.name());
            case SBE_UNKNOWN, NULL_VAL -> throw new IllegalArgumentException(
                "ANA state is unknown to this data plane; use a client of its version");
        };
    }

    private CompletableFuture<Reply> setQos(final QosSpec qos)
    {
        if ((0 == qos.nsid()) == qos.hostNqn().isEmpty())
        {
            throw new IllegalArgumentException("limits on " + qos.nqn() + ": " + (qos.hostNqn().isEmpty() ?
                "neither namespace nor host" : "both namespace and host") + " is named; name one of them");
        }
        final QosLimits limits = new QosLimits(qos.readIops(), qos.writeIops(), qos.iops(), qos.readBytesPerSecond(),
            qos.writeBytesPerSecond(), qos.bytesPerSecond(),
            0 == qos.burstMs() ? QosLimits.BURST_MS_DEFAULT : qos.burstMs());
        return ok(qos.hostNqn().isEmpty() ? dataPlane.qos().setNamespace(qos.nqn(), qos.nsid(), limits) :
            dataPlane.qos().setHost(qos.nqn(), qos.hostNqn(), limits));
    }

    private CompletableFuture<Reply> addListener(final Command.AddListener add)
    {
        final TransportAddress taken = dataPlane.listeners().add(
            address(add.listener().transport(), add.listener().address(), add.listener().port()),
            add.listener().discoveryOnly(), provider(add.listener()));
        return CompletableFuture.completedFuture(new Reply(Code.OK, taken.port(), ""));
    }

    private static ListenerProvider provider(final ListenerSpec listener)
    {
        return switch (listener.provider())
        {
            case MILLRACE -> ListenerProvider.MILLRACE;
            case SPDK -> ListenerProvider.SPDK;
            default -> throw new IllegalArgumentException("listener " + listener.address() + ':' + listener.port() +
                ": provider is unknown; use millrace or spdk");
        };
    }

    static TransportAddress address(final Transport transport, final String address, final int port)
    {
        final String subject = "listener " + NetworkAddress.text(transport, address, port);
        final TransportAddress.Type type = type(subject, transport);
        if (TransportAddress.Type.VFIO_USER == type)
        {
            return TransportAddress.vfioUser(address).canonical();
        }
        if (port < 0 || port > PORT_MAX)
        {
            throw new IllegalArgumentException(subject + ": port is not within 0 to " + PORT_MAX + "; choose another");
        }
        try
        {
            return TransportAddress.of(type, new InetSocketAddress(InetAddress.ofLiteral(address), port));
        }
        catch (final IllegalArgumentException e)
        {
            throw new IllegalArgumentException(
                subject + ": is not a numeric address; write it as 192.0.2.1 or 2001:db8::1", e);
        }
    }

    private static TransportAddress.Type type(final String subject, final Transport transport)
    {
        final List<TransportAddress.Type> types = DataPlaneConfig.transportTypes();
        return types.stream().filter((each) -> each.name().equals(transport.name())).findFirst().orElseThrow(() ->
            new IllegalArgumentException(subject + ": transport is none that this data plane has; use " +
                types.stream().map(TransportAddress.Type::name).collect(Collectors.joining(" or "))));
    }

    private CompletableFuture<Reply> setState(final State state)
    {
        return switch (state)
        {
            case SERVING, DRAINING, PAUSED -> ok(dataPlane.state(DataPlaneState.valueOf(state.name())));
            case STOPPING ->
            {
                owner.onStop();
                yield DONE;
            }
            case SBE_UNKNOWN, NULL_VAL -> throw new IllegalArgumentException(
                "state is unknown to this data plane; use a client of its version");
        };
    }
}
