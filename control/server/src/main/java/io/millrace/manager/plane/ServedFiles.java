package io.millrace.manager.plane;

import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.change.ChangeRequest;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.change.WorkThread;
import io.millrace.manager.store.StateStore;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Files and logical volumes that devices of a data plane are known to have had. A data plane keeps that, too, and may
 * have lost it: it is told when it is to create such a device again, and does not make an empty one in the place of one
 * that is missing. What was accepted and never carried out has none yet. The manager's thread; kept on disk beside it.
 */
final class ServedFiles
{
    private final StateStore store;
    private final WorkThread work;
    private final Consumer<String> log;
    /** Path of a file, or a logical volume, by name of the device. */
    private final Map<String, String> paths;
    private boolean isChanged;
    private boolean isWriting;
    /** What is on disk is of before, or nothing. */
    private boolean isUnwritten = true;
    private boolean isTold;

    ServedFiles(final StateStore store, final WorkThread work, final Consumer<String> log)
    {
        this.store = store;
        this.work = work;
        this.log = log;
        paths = new HashMap<>(store.servedFiles());
        // At once: what is accepted from now on has no file before it was carried out.
        isChanged = null != store.latest();
    }

    /** A data plane has, or had, these devices; those that are not desired need not come back. */
    void onServed(final DesiredState actual, final DesiredState desired)
    {
        for (final DeviceSpec each : actual.devices().values())
        {
            final DeviceSpec wanted = desired.devices().get(each.name());
            if (!each.place().isEmpty() && null != wanted && each.place().equals(wanted.place()))
            {
                isChanged |= !each.place().equals(paths.put(each.name(), each.place()));
            }
        }
        retain(desired);
        isChanged |= isUnwritten;
    }

    /** A device was created. */
    void onCreated(final DeviceSpec device)
    {
        if (!device.place().isEmpty())
        {
            isChanged |= !device.place().equals(paths.put(device.name(), device.place()));
        }
    }

    /** A change is carried out, or kept until it can be: what it deletes by name begins anew after that. */
    void onChange(final ChangeRequest change)
    {
        for (final Command each : change.commands())
        {
            if (each instanceof final Command.DeleteDevice delete)
            {
                isChanged |= null != paths.remove(delete.name());
            }
        }
    }

    /** Forgets devices that are not to be any more. */
    void retain(final DesiredState desired)
    {
        isChanged |= paths.keySet().removeIf((each) -> !desired.devices().containsKey(each));
    }

    /** A command as a data plane gets it that lacks what is desired: it makes no file anew that a device had. */
    Command fitting(final Command command)
    {
        return command instanceof final Command.CreateDevice create && paths.containsValue(create.device().place()) ?
            new Command.CreateDevice(create.device(), true) : command;
    }

    /** Writes what changed; answers how much was done. */
    int poll()
    {
        if (!isChanged || isWriting)
        {
            return 0;
        }
        isChanged = false;
        isWriting = true;
        final Map<String, String> now = Map.copyOf(paths);
        work.run(() ->
        {
            store.servedFiles(now);
            return null;
        }, (nothing, failure) ->
        {
            isWriting = false;
            // Tried again with the next comparison: until then this process knows it.
            isUnwritten = null != failure;
            if (isUnwritten && !isTold)
            {
                log.accept("files of devices cannot be kept: " + Ledger.reason(failure));
            }
            isTold = isUnwritten;
        });
        return 1;
    }
}
