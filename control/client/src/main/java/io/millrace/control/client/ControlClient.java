package io.millrace.control.client;

import io.millrace.control.codec.ArrayOperation;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.SessionInfo;
import java.util.Collection;
import org.agrona.concurrent.IdleStrategy;

/**
 * Controls one data plane or manager, from a thread that polls it. Services use {@link AsyncControlClient}.
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
public final class ControlClient extends DataPlaneCalls implements AutoCloseable
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
        keeper = new ReconnectingSession(
            ctx, change, factory, new NotificationQueue(ctx.listener(), Runnable::run, ctx.eventsMax()));
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
        return sent(factory.newCall(command, factory.newDeadline()));
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
        return sent(factory.newCall(command, commandId, factory.newDeadline()));
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

    @Override
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

    /**
     * {@return what a device holds that is in no array which is in use, as a noun; empty: nothing that is known}
     *
     * @param device name of the device.
     * @throws ControlException if it was not executed, or no answer came in time.
     */
    public String examineDevice(final String device)
    {
        return await(submit(new Command.OperateArray(device, ArrayOperation.EXAMINE_DEVICE, ""))).orThrow().text();
    }

    private Call reportWarning(final Call call)
    {
        if (!call.text().isEmpty())
        {
            ctx.onWarning().accept(call.text());
        }
        ctx.onExecuted().accept(call.command());
        return call;
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
