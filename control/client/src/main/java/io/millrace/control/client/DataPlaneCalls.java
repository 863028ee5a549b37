package io.millrace.control.client;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.ArrayOperation;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.State;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.CounterInfo;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.DeviceErrorInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.LatencyInfo;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.ListenerInfo;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosInfo;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.QueuePairInfo;
import io.millrace.control.message.ReactorInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.message.SubsystemSpec;
import java.util.List;
import java.util.Map;

/**
 * A method for each command and each kind of resource: it sends the command, waits for its answer and returns the value
 * or the records of it. Confined to the thread of the client.
 */
abstract class DataPlaneCalls
{
    /**
     * Sends a command and waits for its answer.
     *
     * @param command to execute.
     * @return the call, which succeeded.
     * @throws ControlTimeoutException  when no answer came in time.
     * @throws ControlException         when it was not executed.
     * @throws IllegalArgumentException when it has a text or a number of rules that cannot be sent.
     * @throws IllegalStateException    when the client is closed.
     */
    public abstract Call execute(Command command);

    /**
     * Creates a device.
     *
     * @param device to create.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void createDevice(final DeviceSpec device)
    {
        execute(new Command.CreateDevice(device));
    }

    /**
     * Deletes a device that nothing depends on. What it holds in memory is lost, files stay.
     *
     * @param name of the device.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void deleteDevice(final String name)
    {
        execute(new Command.DeleteDevice(name));
    }

    /**
     * Grows a device.
     *
     * @param name      of the device.
     * @param sizeBytes new size, a multiple of the block size.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void resizeDevice(final String name, final long sizeBytes)
    {
        execute(new Command.ResizeDevice(name, sizeBytes));
    }

    /**
     * Gives an array another name while it serves.
     *
     * @param name    of the device.
     * @param newName that no device has.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void renameDevice(final String name, final String newName)
    {
        execute(new Command.RenameDevice(name, newName));
    }

    /**
     * Applies settings of a device while it serves, such as {@code Map.of("rules", "effect=error,operations=read")} of
     * a fault device.
     *
     * @param name       of the device.
     * @param properties texts by key of setting, for those that change; an empty text restores the default.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void modifyDevice(final String name, final Map<String, String> properties)
    {
        execute(new Command.ModifyDevice(name, properties));
    }

    /**
     * Creates a subsystem.
     *
     * @param subsystem to create.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void createSubsystem(final SubsystemSpec subsystem)
    {
        execute(new Command.CreateSubsystem(subsystem));
    }

    /**
     * Deletes a subsystem; its hosts are disconnected.
     *
     * @param nqn its name.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void deleteSubsystem(final String nqn)
    {
        execute(new Command.DeleteSubsystem(nqn));
    }

    /**
     * Adds a namespace.
     *
     * @param namespace to add.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void addNamespace(final NamespaceSpec namespace)
    {
        execute(new Command.AddNamespace(namespace));
    }

    /**
     * Removes a namespace; returns when no reactor uses its device for it any more.
     *
     * @param nqn  of the subsystem.
     * @param nsid of the namespace.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void removeNamespace(final String nqn, final int nsid)
    {
        execute(new Command.RemoveNamespace(nqn, nsid));
    }

    /**
     * Allows a host.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void allowHost(final String nqn, final String hostNqn)
    {
        execute(new Command.AllowHost(nqn, hostNqn));
    }

    /**
     * Revokes the access of a host and disconnects it.
     *
     * @param nqn     of the subsystem.
     * @param hostNqn of the host.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void denyHost(final String nqn, final String hostNqn)
    {
        execute(new Command.DenyHost(nqn, hostNqn));
    }

    /**
     * Sets whether any host may connect.
     *
     * @param nqn          of the subsystem.
     * @param allowAnyHost whether any host may connect; if not, hosts that are not allowed are disconnected.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void setAllowAnyHost(final String nqn, final boolean allowAnyHost)
    {
        execute(new Command.SetAllowAnyHost(nqn, allowAnyHost));
    }

    /**
     * Stops listening on an address; connections stay.
     *
     * @param transport of NVMe-oF.
     * @param address   numeric.
     * @param port      1 to 65535.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void removeListener(final Transport transport, final String address, final int port)
    {
        execute(new Command.RemoveListener(transport, address, port));
    }

    /**
     * Drains, pauses, resumes or stops the data plane.
     *
     * @param state wanted.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void setState(final State state)
    {
        execute(new Command.SetState(state));
    }

    /**
     * {@return arrays with their members}
     *
     * @param name of the device; empty: all.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public List<ArrayInfo> arrays(final String name)
    {
        return list(ArrayInfo.class, name);
    }

    /**
     * Begins or ends something that an array does on its own.
     *
     * @param name      of the device.
     * @param operation what to do.
     * @param member    device that {@link ArrayOperation#FAIL_MEMBER} is about; for
     *                  {@link ArrayOperation#ERASE_DEVICE} what {@link ControlClient#examineDevice} said; bytes of data
     *                  on each member, or {@code max}, of {@link ArrayOperation#RESIZE_MEMBERS}; else empty.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void operateArray(final String name, final ArrayOperation operation, final String member)
    {
        execute(new Command.OperateArray(name, operation, member));
    }

    /**
     * Disconnects a controller; the host may reconnect.
     *
     * @param nqn          of the subsystem.
     * @param controllerId of {@link ControllerInfo}.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void disconnect(final String nqn, final int controllerId)
    {
        execute(new Command.Disconnect(nqn, controllerId));
    }

    /**
     * Sets the ANA state of a group at a listener; returns when no command that came before uses a namespace any more
     * to which commands are refused now.
     *
     * @param nqn       of the subsystem.
     * @param transport of the listener.
     * @param address   of the listener, numeric, whether something listens there or not; empty: all listeners.
     * @param port      of the listener; 0 with an empty address.
     * @param group     1 to 128; 0: all groups.
     * @param state     wanted.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void setAnaState(
        final String nqn,
        final Transport transport,
        final String address,
        final int port,
        final int group,
        final AnaState state)
    {
        execute(new Command.SetAnaState(nqn, transport, address, port, group, state));
    }

    /**
     * Sets or removes the limits of a namespace or a host; returns when every reactor applies them.
     *
     * @param qos limits; none to remove them.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void setQos(final QosSpec qos)
    {
        execute(new Command.SetQos(qos));
    }

    /**
     * Listens on an address.
     *
     * @param listener to add.
     * @return the port taken.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public int addListener(final ListenerSpec listener)
    {
        return (int)execute(new Command.AddListener(listener)).value();
    }

    /**
     * Reads the status of the data plane.
     *
     * @return what it is.
     * @throws ControlException when it did not tell, or no answer came in time.
     */
    public DataPlaneInfo dataPlane()
    {
        final List<DataPlaneInfo> found = list(DataPlaneInfo.class, "");
        if (1 != found.size())
        {
            throw new ControlException(Code.MALFORMED, "the data plane told of " + found.size() + " data planes");
        }
        return found.getFirst();
    }

    /**
     * Lists reactors.
     *
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<ReactorInfo> reactors()
    {
        return list(ReactorInfo.class, "");
    }

    /**
     * Lists block devices.
     *
     * @param name name of one; empty: all.
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<DeviceInfo> devices(final String name)
    {
        return list(DeviceInfo.class, name);
    }

    /**
     * Lists subsystems.
     *
     * @param nqn name of one; empty: all.
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<SubsystemInfo> subsystems(final String nqn)
    {
        return list(SubsystemInfo.class, nqn);
    }

    /**
     * Lists namespaces.
     *
     * @param nqn of one subsystem; empty: of all.
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<NamespaceInfo> namespaces(final String nqn)
    {
        return list(NamespaceInfo.class, nqn);
    }

    /**
     * Lists the allowed hosts of subsystems.
     *
     * @param nqn of one subsystem; empty: of all.
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<HostInfo> hosts(final String nqn)
    {
        return list(HostInfo.class, nqn);
    }

    /**
     * Lists listeners.
     *
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<ListenerInfo> listeners()
    {
        return list(ListenerInfo.class, "");
    }

    /**
     * Lists associations of hosts.
     *
     * @param nqn of one subsystem; empty: of all.
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<ControllerInfo> controllers(final String nqn)
    {
        return list(ControllerInfo.class, nqn);
    }

    /**
     * Lists ANA states by listener and group; what is not listed is optimized.
     *
     * @param nqn of one subsystem; empty: of all.
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<AnaInfo> anaStates(final String nqn)
    {
        return list(AnaInfo.class, nqn);
    }

    /**
     * Lists what was done to namespaces and by hosts, with latencies, by kind of command. Only what has counted
     * something is there.
     *
     * @param name NQN of one subsystem or host; empty: of all.
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<LatencyInfo> latencies(final String name)
    {
        return list(LatencyInfo.class, name);
    }

    /**
     * Lists limits.
     *
     * @param nqn of one subsystem; empty: of all.
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<QosInfo> qos(final String nqn)
    {
        return list(QosInfo.class, nqn);
    }

    /**
     * Lists connections of hosts, with their reactors.
     *
     * @param nqn of one subsystem; empty: of all.
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<QueuePairInfo> queuePairs(final String nqn)
    {
        return list(QueuePairInfo.class, nqn);
    }

    <T extends Resource> List<T> list(final Class<T> type, final String name)
    {
        return execute(new Command.List(Resource.kindOf(type), name)).answer().resources(type);
    }

    /**
     * Begins a change of several commands at a manager: commands are only checked until {@link #commitChange()}. If the
     * session is lost the change is abandoned, and its calls fail.
     *
     * @param comment kept with the version; may be empty.
     * @throws ControlException when it was refused, or no answer came in time.
     */
    public void beginChange(final String comment)
    {
        execute(new Command.BeginChange(comment));
    }

    /**
     * Commits the change as a whole.
     *
     * @return the new version.
     * @throws ControlException when nothing of it was carried out, or no answer came in time.
     */
    public long commitChange()
    {
        return execute(new Command.CommitChange()).value();
    }

    /**
     * Abandons the change.
     *
     * @throws ControlException when it was refused, or no answer came in time.
     */
    public void abandonChange()
    {
        execute(new Command.AbandonChange());
    }

    /**
     * Reads the active manager of a data plane.
     *
     * @return the manager, and what it applied.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public LeadershipInfo leadership()
    {
        return list(LeadershipInfo.class, "").getFirst();
    }

    /**
     * Lists the distinct errors of devices in use.
     *
     * @param name of the device; empty: of all.
     * @return one for each distinct error.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<DeviceErrorInfo> deviceErrors(final String name)
    {
        return list(DeviceErrorInfo.class, name);
    }

    /**
     * Lists what the status file of the data plane counts, and who holds buffers while commands wait for some.
     *
     * @return one for each value.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<CounterInfo> counters()
    {
        return list(CounterInfo.class, "");
    }
}
