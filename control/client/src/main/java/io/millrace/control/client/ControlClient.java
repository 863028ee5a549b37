package io.millrace.control.client;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.State;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.CounterInfo;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.DeviceErrorInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.FaultRuleSpec;
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
import io.millrace.control.message.SessionInfo;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.message.SubsystemSpec;
import java.util.Collection;
import java.util.List;
import org.agrona.concurrent.IdleStrategy;

/**
 * Controls one data plane.
 *
 * <p>A call is made at once, such as {@link #createDevice(DeviceSpec)}, which waits for the answer; or with {@link
 * #submit(Command)}, which does not, so that thousands are under way at a time, and {@link #await(Collection)} later.
 * Either way the calls are carried out in the order they were made.
 *
 * <p>The client holds a session. When it is lost, because the data plane was started again, say, the client opens
 * another and sends again what was not answered, with the same command ids, so that nothing is done twice; a call
 * fails only when its time is up. The listener is told, since events may have been lost.
 *
 * <p>Belongs to one thread, and has none of its own: {@link #poll()} has to be called at least each second while no
 * call waits, or the data plane may close the session.
 */
public final class ControlClient implements AutoCloseable
{
    private final ControlClientContext ctx;
    private final IdleStrategy idle;
    private final CallFactory factory;
    private final ReconnectingSession keeper;
    private final ManagerCalls manager = new ManagerCalls(this);
    private boolean isClosed;

    private ControlClient(final ControlClientContext ctx)
    {
        final ChangeGuard change = new ChangeGuard();
        this.ctx = ctx;
        idle = ctx.idleStrategy();
        factory = new CallFactory(ctx, change);
        keeper = new ReconnectingSession(ctx, change, factory);
    }

    /**
     * Opens a session.
     *
     * @param ctx settings; concluded here.
     * @return the client; to be closed.
     * @throws ControlSettingException when a setting is unavailable.
     * @throws ControlTimeoutException when no session could be opened in time; says why.
     * @throws ControlException        when the data plane refuses the session.
     */
    public static ControlClient connect(final ControlClientContext ctx)
    {
        final ControlClient client = new ControlClient(ctx.conclude());
        try
        {
            client.keeper.awaitSession();
            return client;
        }
        catch (final RuntimeException e)
        {
            client.close();
            throw e;
        }
    }

    /**
     * Makes a client that opens its session later, while it is polled, and again and again when that fails. Calls wait
     * for it until their time is up.
     *
     * @param ctx settings; concluded here.
     * @return the client; to be polled and closed.
     * @throws ControlSettingException when a setting is unavailable.
     */
    public static ControlClient open(final ControlClientContext ctx)
    {
        return new ControlClient(ctx.conclude());
    }

    /**
     * Does what is due: reads answers and events, tells the listener, sends what waits, keeps the session alive, opens
     * another when it was lost. Never waits, but for what the listener does.
     *
     * @return how much was done; 0 when the caller may idle.
     * @throws IllegalStateException when the client is closed.
     */
    public int poll()
    {
        ensureOpen();
        return keeper.poll();
    }

    /**
     * Sends a command with an id of its own, as soon as there is room, and does not wait for the answer.
     *
     * @param command to send.
     * @return to await.
     * @throws IllegalArgumentException when it has a text or a number of rules that cannot be sent.
     * @throws IllegalStateException    when the client is closed.
     */
    public Call submit(final Command command)
    {
        ensureOpen();
        return sent(factory.newCall(command));
    }

    /**
     * Sends a command with a given id. A command that was given before with this id, by this client or another, is
     * answered as it was then, as long as the data plane remembers it.
     *
     * @param command   to send.
     * @param commandId its id, or {@link CommandId#NONE}: then it is not repeated when the session is lost.
     * @return to await.
     * @throws IllegalArgumentException when it has a text or a number of rules that cannot be sent.
     * @throws IllegalStateException    when the client is closed.
     */
    public Call submit(final Command command, final CommandId commandId)
    {
        ensureOpen();
        return sent(factory.newCall(command, commandId));
    }

    private Call sent(final Call call)
    {
        keeper.send(call);
        return call;
    }

    /**
     * Waits until a call is done, well or not.
     *
     * @param call to wait for.
     * @return the call.
     */
    public Call await(final Call call)
    {
        idle.reset();
        while (!call.isDone())
        {
            idle.idle(poll());
        }
        return call;
    }

    /**
     * Waits until all calls are done, well or not: {@link Call#orThrow()} tells.
     *
     * @param submitted to wait for.
     */
    public void await(final Collection<Call> submitted)
    {
        for (final Call call : submitted)
        {
            await(call);
        }
    }

    /**
     * Sends a command and waits for its answer.
     *
     * @param command to carry out.
     * @return the call, which went well.
     * @throws ControlTimeoutException  when no answer came in time.
     * @throws ControlException         when it was not carried out.
     * @throws IllegalArgumentException when it has a text or a number of rules that cannot be sent.
     * @throws IllegalStateException    when the client is closed.
     */
    public Call execute(final Command command)
    {
        return reportWarning(await(submit(command)).orThrow());
    }

    /**
     * Sends a command with a given id and waits for its answer.
     *
     * @param command   to carry out.
     * @param commandId its id.
     * @return the call, which went well.
     * @throws ControlTimeoutException  when no answer came in time.
     * @throws ControlException         when it was not carried out.
     * @throws IllegalArgumentException when it has a text or a number of rules that cannot be sent.
     * @throws IllegalStateException    when the client is closed.
     */
    public Call execute(final Command command, final CommandId commandId)
    {
        return reportWarning(await(submit(command, commandId)).orThrow());
    }

    private Call reportWarning(final Call call)
    {
        if (!call.text().isEmpty())
        {
            ctx.onWarning().accept(call.text());
        }
        return call;
    }

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
     * Replaces the rules of a fault device.
     *
     * @param name  of the device.
     * @param rules at most 128; the first that fits decides.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public void setFaultRules(final String name, final List<FaultRuleSpec> rules)
    {
        execute(new Command.SetFaultRules(name, rules));
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
        final List<DataPlaneInfo> found = list(Kind.DATA_PLANE, "", DataPlaneInfo.class);
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
        return list(Kind.REACTOR, "", ReactorInfo.class);
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
        return list(Kind.DEVICE, name, DeviceInfo.class);
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
        return list(Kind.SUBSYSTEM, nqn, SubsystemInfo.class);
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
        return list(Kind.NAMESPACE, nqn, NamespaceInfo.class);
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
        return list(Kind.HOST, nqn, HostInfo.class);
    }

    /**
     * Lists listeners.
     *
     * @return all, in the order of the data plane.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<ListenerInfo> listeners()
    {
        return list(Kind.LISTENER, "", ListenerInfo.class);
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
        return list(Kind.CONTROLLER, nqn, ControllerInfo.class);
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
        return list(Kind.ANA, nqn, AnaInfo.class);
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
        return list(Kind.LATENCY, name, LatencyInfo.class);
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
        return list(Kind.QOS, nqn, QosInfo.class);
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
        return list(Kind.QUEUE_PAIR, nqn, QueuePairInfo.class);
    }

    <T extends Resource> List<T> list(final Kind kind, final String name, final Class<T> type)
    {
        return execute(new Command.List(kind, name)).resources(type);
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
        return list(Kind.LEADERSHIP, "", LeadershipInfo.class).getFirst();
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
        return list(Kind.ERROR, name, DeviceErrorInfo.class);
    }

    /**
     * Lists what the status file of the data plane counts, and who holds buffers while commands wait for some.
     *
     * @return one for each value.
     * @throws ControlException if the data plane did not answer with it, or not in time.
     */
    public List<CounterInfo> counters()
    {
        return list(Kind.COUNTER, "", CounterInfo.class);
    }

    /**
     * {@return calls to a manager: versions, documents, drift; a view of this client}
     */
    public ManagerCalls manager()
    {
        return manager;
    }

    /**
     * Sets the term of commands, for a manager that takes over.
     *
     * @param value of the manager; 0: none; {@link io.millrace.control.message.CommandHeader#DIRECT}: past it.
     */
    public void term(final long value)
    {
        keeper.term(value);
    }

    /**
     * {@return the session, or the one before when it was lost and no other is open}
     */
    public SessionInfo session()
    {
        return keeper.session();
    }

    /**
     * {@return the last connection error, in one sentence; empty: none}
     */
    public String lastError()
    {
        return keeper.lastError();
    }

    /**
     * {@return whether a session is open, as far as is known}
     */
    public boolean isConnected()
    {
        return keeper.isConnected();
    }

    /**
     * {@return number of answers and records without a call, mostly after a time-out}
     */
    public long unmatchedCount()
    {
        return keeper.unmatchedCount();
    }

    /**
     * {@return number of malformed or forged messages in this session}
     */
    public long refusedCount()
    {
        return keeper.refusedCount();
    }

    private void ensureOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the client is closed: connect another");
        }
    }

    /**
     * Ends the session. Calls that are not answered fail; what was sent may still be carried out. May be called again.
     */
    @Override
    public void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            keeper.close();
        }
    }
}
