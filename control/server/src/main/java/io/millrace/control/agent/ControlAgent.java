package io.millrace.control.agent;

import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.service.ControlService;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.service.Reply;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StatePlan;
import io.millrace.control.state.StateStep;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.SettingException;
import io.millrace.manager.store.AppliedState;
import io.millrace.nvmf.config.ControllerIds;
import java.nio.file.Path;

/**
 * Exposes a data plane to clients over Aeron through {@link ControlService}. Created and closed by the owner's thread;
 * close it before the data plane.
 */
public final class ControlAgent implements AutoCloseable
{
    private final ControlService service;

    private ControlAgent(final ControlService service)
    {
        this.service = service;
    }

    /**
     * Starts driver and agent, or nothing.
     *
     * @param settings  of the control service.
     * @param dataPlane to control.
     * @param events    given to the data plane as its listener when it was started.
     * @param owner     notified when a client stops the data plane.
     * @param kept      initial state of the data plane and its file, which is closed with the agent.
     * @param bounds    within which the paths of file devices have to lie that commands create.
     * @return the running agent.
     * @throws SettingException naming the invalid setting; everything started was stopped again.
     */
    public static ControlAgent start(
        final ControlSettings settings,
        final DataPlane dataPlane,
        final ControlEvents events,
        final ControlOwner owner,
        final PersistedState kept,
        final FileBounds bounds)
    {
        try
        {
            return new ControlAgent(ControlService.start(settings,
                new DataPlaneBackend(settings.name(), dataPlane, events, owner, kept, bounds),
                owner::onNote, owner::onError));
        }
        catch (final InvalidSettingException e)
        {
            throw new SettingException(e.key(), e.value(), e.bound(), e.remedy(), e);
        }
    }

    /**
     * Restores a state on an empty data plane. Access and limits are set before listeners are opened. Resources that
     * cannot be restored, such as a device whose drive or file is missing, are skipped with their dependents; no file
     * is created.
     *
     * @param dataPlane that is empty.
     * @param applied   state to restore.
     * @param owner     of the process.
     * @param bounds    within which the paths of file devices have to lie: they may be narrower than when the device
     *                  was created.
     * @param records   of files that devices had; those of the state are added.
     * @return the state with the present names of arrays, and what could not be restored.
     */
    public static RestoredState restore(
        final DataPlane dataPlane,
        final AppliedState applied,
        final ControlOwner owner,
        final FileBounds bounds,
        final FileRecords records)
    {
        adopt(applied.state(), records);
        restoreIds(dataPlane, new ControllerIds(applied.ids().firstId(), applied.ids().lastId()));
        final Commands commands =
            new Commands(dataPlane, owner, bounds, Incarnations.of(dataPlane, applied.state()), records);
        final RestoredState restored = new RestoredState(dataPlane, applied);
        for (final StateStep step : StatePlan.between(DesiredState.EMPTY, applied.state()).steps())
        {
            final Reply reply = commands.carryOut(restored.named(returning(step.command()))).join();
            if (Code.OK != reply.code())
            {
                restored.onRefused("cannot " + step.sentence() + ": " + reply.text());
            }
        }
        return restored;
    }

    /** A logical volume that is there is the device's own, and not another one under the name of a new snapshot. */
    private static Command returning(final Command command)
    {
        return command instanceof final Command.CreateDevice create && !create.device().place().isEmpty() ?
            new Command.CreateDevice(create.device(), true) : command;
    }

    /**
     * Records the files of a state's devices, so that missing ones are not created again.
     *
     * @param state   that was served.
     * @param records that they are added to.
     */
    public static void adopt(final DesiredState state, final FileRecords records)
    {
        for (final DeviceSpec each : state.devices().values())
        {
            final Path path = RecordedPaths.of(each.path(), each.properties().getOrDefault("lvol", ""));
            if (null != path)
            {
                records.adopt(each.name(), path);
            }
        }
    }

    /** Before hosts can connect: two data planes must not assign the same ID to controllers of one subsystem. */
    private static void restoreIds(final DataPlane dataPlane, final ControllerIds ids)
    {
        if (ControllerIds.ALL.equals(dataPlane.controllers().ids()))
        {
            dataPlane.controllers().assignIds(ids);
        }
    }

    /**
     * {@return number of cycles of the control thread, which change as long as it works; any thread}
     */
    public long cycles()
    {
        return service.cycles();
    }

    /**
     * {@return number of dropped messages: malformed, or without a session; any thread}
     */
    public long droppedCount()
    {
        return service.droppedCount();
    }

    /**
     * {@return number of sessions, including unauthenticated ones; any thread}
     */
    public int sessionCount()
    {
        return service.sessionCount();
    }

    /**
     * {@return bytes of buffers for incomplete messages; any thread}
     */
    public long heldBytes()
    {
        return service.heldBytes();
    }

    /**
     * Closes all sessions and the driver, and removes its directory. Idempotent.
     */
    @Override
    public void close()
    {
        service.close();
    }
}
