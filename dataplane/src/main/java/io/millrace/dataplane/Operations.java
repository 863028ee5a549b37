package io.millrace.dataplane;

import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.jfr.FlightEvents;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.config.DeviceError;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.status.StatusFile;

/**
 * Shared state of the operations of one data plane: the lock that serializes them, and the listener of events. All
 * events are published here, those of the flight recorder too. Operations hold the lock; reactors never take it.
 */
final class Operations implements TargetListener
{
    private final TargetListener hosts;
    private final DataPlaneListener listener;
    private final Target target;
    private final DeviceErrorReports deviceErrors = new DeviceErrorReports(this);
    private final DeviceStatusReports deviceStatus = new DeviceStatusReports(this);
    private StatusFile status;
    private volatile boolean hadHosts;
    private volatile DataPlaneState state = DataPlaneState.SERVING;

    Operations(final DataPlaneConfig config, final TargetListener hosts, final DataPlaneListener listener)
    {
        this.hosts = hosts;
        this.listener = listener;
        target = new Target(config.limits(), this);
    }

    /** {@return whether a host was ever connected, which may have written} */
    boolean hadHosts()
    {
        return hadHosts;
    }

    Target target()
    {
        return target;
    }

    /**
     * Sets where errors are recorded, before a reactor starts.
     */
    void status(final StatusFile errors)
    {
        status = errors;
    }

    DataPlaneState state()
    {
        return state;
    }

    void state(final DataPlaneState next)
    {
        state = next;
    }

    /**
     * {@return reports of device errors}
     */
    DeviceErrorReports deviceErrors()
    {
        return deviceErrors;
    }

    /**
     * {@return reports of the status of devices}
     */
    DeviceStatusReports deviceStatus()
    {
        return deviceStatus;
    }

    /**
     * {@return whether the data plane is not being closed}
     */
    boolean isOpen()
    {
        return DataPlaneState.STOPPING != state;
    }

    /**
     * Refuses operations while the data plane is being closed.
     */
    void checkOpen()
    {
        if (!isOpen())
        {
            throw new OperationException(
                OperationException.Reason.FAILED, "data plane", "is stopping", "start another one");
        }
    }

    void publish(final ResourceKind kind, final ResourceChange change, final String name)
    {
        publish(kind, change, name, "");
    }

    void publish(final ResourceKind kind, final ResourceChange change, final String name, final String text)
    {
        FlightEvents.stateChange(kind, change, name, text);
        try
        {
            listener.onEvent(new DataPlaneEvent(System.currentTimeMillis(), kind, change, name, text));
        }
        catch (final RuntimeException e)
        {
            // Uncaught on a reactor it would end the process.
            final Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        }
    }

    @Override
    public void onConnected(
        final String hostNqn, final String remote, final String subsystemNqn, final int controllerId)
    {
        hadHosts = true;
        hosts.onConnected(hostNqn, remote, subsystemNqn, controllerId);
        publish(ResourceKind.CONTROLLER, ResourceChange.CONNECTED, subsystemNqn + '/' + controllerId,
            host(hostNqn, remote));
    }

    @Override
    public void onDisconnected(
        final String hostNqn,
        final String remote,
        final String subsystemNqn,
        final int controllerId,
        final String reason)
    {
        hosts.onDisconnected(hostNqn, remote, subsystemNqn, controllerId, reason);
        publish(ResourceKind.CONTROLLER, ResourceChange.DISCONNECTED, subsystemNqn + '/' + controllerId,
            host(hostNqn, remote) + ": " + reason);
    }

    @Override
    public void onRefused(
        final String hostNqn, final String remote, final String subsystemNqn, final String reason)
    {
        hosts.onRefused(hostNqn, remote, subsystemNqn, reason);
        publish(ResourceKind.CONTROLLER, ResourceChange.REFUSED, subsystemNqn, host(hostNqn, remote) + ": " + reason);
    }

    @Override
    public void onProtocolError(final String remote, final String reason)
    {
        FlightEvents.connectionFailed(remote, reason);
        hosts.onProtocolError(remote, reason);
    }

    @Override
    public void onConnectionRefused(final String remote, final String reason)
    {
        FlightEvents.connectionFailed(remote, reason);
        hosts.onConnectionRefused(remote, reason);
    }

    @Override
    public void onAnaTransitionExpired(
        final String subsystemNqn, final TransportAddress listener, final int group)
    {
        hosts.onAnaTransitionExpired(subsystemNqn, listener, group);
        publish(ResourceKind.ANA, ResourceChange.CHANGED, AnaStates.name(subsystemNqn, listener, group),
            "is INACCESSIBLE, as the transition took longer than " + target.config().anaTransitionSeconds() + " s");
    }

    @Override
    public void onDeviceError(final DeviceError error)
    {
        deviceErrors.add(error);
    }

    @Override
    public void onDeviceErrorRemoved(final DeviceError error)
    {
        deviceErrors.remove(error);
    }

    /**
     * A device has a new distinct error, or a recurring one after a minute.
     *
     * @param device that has it.
     * @param text   operation, cause, location and remedy.
     */
    void onDeviceErrorDue(final String device, final String text)
    {
        hosts.onError("device " + device + ": " + text);
        publish(ResourceKind.DEVICE, ResourceChange.FAILED, device, text);
    }

    /**
     * An array has changed on its own.
     *
     * @param device    of the array.
     * @param text      what has changed.
     * @param isFailure whether an operator should act.
     */
    void onArrayChanged(final String device, final String text, final boolean isFailure)
    {
        final String message = "array " + device + ": " + text;
        if (isFailure)
        {
            hosts.onError(message);
        }
        else
        {
            hosts.onNote(message);
        }
    }

    /**
     * A device has further errors that were reported before.
     *
     * @param message in one line.
     */
    void onDeviceErrorSummary(final String message)
    {
        hosts.onError(message);
    }

    @Override
    public void onNote(final String message)
    {
        hosts.onNote(message);
    }

    @Override
    public void onError(final String message)
    {
        status.onError(message);
        hosts.onError(message);
        publish(ResourceKind.DATA_PLANE, ResourceChange.CHANGED, "", message);
    }

    private static String host(final String hostNqn, final String remote)
    {
        return "host " + hostNqn + " at " + remote;
    }
}
