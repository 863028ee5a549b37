package io.millrace.control.agent;

import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.DeviceType;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.service.ControlService;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.service.Reply;
import io.millrace.control.service.ServiceSettingException;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StatePlan;
import io.millrace.control.state.StateStep;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.SettingException;
import io.millrace.manager.store.AppliedState;
import io.millrace.nvmf.ControllerIds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets clients command a data plane over Aeron, as {@link ControlService} says. Made and closed by the owner's thread;
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
     * @param settings  where commands are taken.
     * @param dataPlane that is commanded.
     * @param events    given to the data plane as its listener when it was started.
     * @param owner     told when a client wants the data plane to stop.
     * @param kept      what the data plane began with, and where its state is kept; its file is closed with the agent.
     * @param bounds    within which the paths of file devices have to lie that commands create.
     * @return an agent that takes commands.
     * @throws SettingException naming the setting that could not be had; everything begun has been undone.
     */
    public static ControlAgent start(
        final ControlSettings settings,
        final DataPlane dataPlane,
        final ControlEvents events,
        final ControlOwner owner,
        final KeptState kept,
        final FileBounds bounds)
    {
        try
        {
            return new ControlAgent(ControlService.start(settings,
                new DataPlaneBackend(settings.name(), dataPlane, events, owner, kept, bounds), owner::onError));
        }
        catch (final ServiceSettingException e)
        {
            throw new SettingException(e.key(), e.value(), e.bound(), e.remedy(), e);
        }
    }

    /**
     * Serves a state on a data plane that serves nothing. What a host may see and do is said before the listeners are
     * opened that it comes through. What cannot be served, such as a device whose drive or file is missing, is left out
     * with what builds on it; no file is created.
     *
     * @param dataPlane with nothing in it.
     * @param applied   to serve.
     * @param owner     of the process.
     * @param bounds    within which the paths of file devices have to lie: they may be narrower than when the device
     *                  was created.
     * @param records   of files that devices had; those of the state are added.
     * @return what cannot be served, a sentence each.
     */
    public static List<String> restore(
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
        final List<String> problems = new ArrayList<>();
        for (final StateStep step : StatePlan.between(DesiredState.EMPTY, applied.state()).steps())
        {
            final Reply reply = commands.carryOut(step.command()).join();
            if (Code.OK != reply.code())
            {
                problems.add("cannot " + step.sentence() + ": " + reply.text());
            }
        }
        return problems;
    }

    /**
     * Takes over the files of a state's devices, which are not created again when they are missing.
     *
     * @param state   that was served.
     * @param records that they are added to.
     */
    public static void adopt(final DesiredState state, final FileRecords records)
    {
        for (final DeviceSpec each : state.devices().values())
        {
            if (DeviceType.FILE == each.type())
            {
                records.adopt(each.name(), Path.of(each.target()));
            }
        }
    }

    /** Before hosts can connect: two data planes must not give controllers of one subsystem the same id. */
    private static void restoreIds(final DataPlane dataPlane, final ControllerIds ids)
    {
        if (ControllerIds.ALL.equals(dataPlane.controllers().ids()))
        {
            dataPlane.controllers().assignIds(ids);
        }
    }

    /**
     * {@return how many messages were dropped, since they could not be read or were of no session; any thread}
     */
    public long droppedCount()
    {
        return service.droppedCount();
    }

    /**
     * {@return how many clients are talked to, those included that have not proven themselves; any thread}
     */
    public int sessionCount()
    {
        return service.sessionCount();
    }

    /**
     * {@return bytes held for messages that are not whole yet; any thread}
     */
    public long heldBytes()
    {
        return service.heldBytes();
    }

    /**
     * Closes all sessions, then the driver, and removes its directory. Again does nothing.
     */
    @Override
    public void close()
    {
        service.close();
    }
}
