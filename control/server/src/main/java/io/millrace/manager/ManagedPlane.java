package io.millrace.manager;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.manager.store.StateStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * One data plane of a manager: brings it to what it should be and keeps it there, passes on what is asked of it. Never
 * waits; belongs to the manager's thread.
 *
 * <pre>
 *   DOWN --session--&gt; TAKING --term on disk--&gt; SERVING
 *                                              |   ^
 *           on connect, on events, every 10 s  |   |
 *                                              v   |
 *                                            COMPARING
 *   any --session lost--&gt; DOWN        any --a later manager--&gt; SUPERSEDED
 * </pre>
 * Changes go out while it is SERVING, see {@link ChangeSender}. A comparison begins when all are answered, and they
 * wait meanwhile.
 */
final class ManagedPlane implements ControlListener, AutoCloseable
{
    private enum Mode
    {
        /** There is no session. */
        DOWN,
        /** A term above all others is brought to disk. */
        TAKING,
        /** Changes go straight on. */
        SERVING,
        /** What is there is compared with what should be, and the difference is carried out. */
        COMPARING,
        /** Another manager is in charge: it is looked at, and not commanded. */
        SUPERSEDED
    }

    private final PlaneConfig config;
    private final String managerName;
    private final Command.AssignControllerIds controllerIds;
    private final WorkThread work;
    private final PlaneOwner owner;
    private final Ledger ledger;
    private final RequestOrder order;
    private final PlaneLink link;
    private final Tenure tenure;
    private final CompareSchedule schedule;
    private final Standing standing;
    private final ChangeSender sender;
    private final PlaneWatch watch;
    private Mode mode = Mode.DOWN;
    private Comparison comparison;

    /**
     * Opens no session yet; throws ControlSettingException when a setting of the client cannot be had. Controller ids
     * may be null: any.
     */
    ManagedPlane(
        final PlaneConfig config,
        final String managerName,
        final Command.AssignControllerIds controllerIds,
        final long downAfterNs,
        final StateStore store,
        final WorkThread work,
        final NanoClock clock,
        final PlaneOwner owner)
    {
        this.config = config;
        this.managerName = managerName;
        this.controllerIds = controllerIds;
        this.work = work;
        this.owner = owner;
        ledger = new Ledger(store, work, (change, reply) -> owner.onFinished(config.name(), change, reply), this::log);
        order = new RequestOrder(store, work, ledger);
        link = new PlaneLink(config, managerName, clock, this);
        tenure = new Tenure(config.name(), store, work, clock, this::log);
        schedule = new CompareSchedule(clock);
        standing = new Standing(config.name(), owner, this::log);
        sender = new ChangeSender(ledger, link, work, schedule, standing, this::supersede);
        watch = new PlaneWatch(config.name(), downAfterNs, link, clock, owner, this::log);
    }

    String name()
    {
        return config.name();
    }

    Ledger ledger()
    {
        return ledger;
    }

    RequestOrder order()
    {
        return order;
    }

    boolean isConnected()
    {
        return link.isConnected();
    }

    /** Takes it as far as it goes now; answers how much was done. */
    int poll(final long nowNs)
    {
        int count = link.poll();
        count += ledger.poll(nowNs);
        count += advance(nowNs);
        count += order.poll();
        watch.poll(nowNs);
        return count;
    }

    private int advance(final long nowNs)
    {
        return switch (mode)
        {
            case DOWN ->
            {
                ledger.confirmAll("kept, and carried out when data plane " + name() + " is connected again");
                yield 0;
            }
            case SUPERSEDED ->
            {
                ledger.takeBackAll(tenure.refusal());
                yield 0;
            }
            case TAKING -> take(nowNs);
            case SERVING -> serve(nowNs);
            case COMPARING -> compare(nowNs);
        };
    }

    private int take(final long nowNs)
    {
        tenure.poll(nowNs);
        if (!tenure.isHeld())
        {
            return 0;
        }
        beginServing();
        return 1;
    }

    private void beginServing()
    {
        mode = Mode.SERVING;
        link.term(tenure.term());
        assignControllerIds();
        schedule.forgetRefusals();
        schedule.want();
    }

    /** First of all: hosts that reconnect to a data plane that has just started need ids of their own at once. */
    private void assignControllerIds()
    {
        if (null != controllerIds)
        {
            link.submit(controllerIds).onDone((call) ->
            {
                log("controller ids " + controllerIds.firstId() + " to " + controllerIds.lastId() +
                    (Code.OK == call.code() ? "" : " are not assigned: " + StageRunner.replyOf(call).text()));
            });
        }
    }

    private int serve(final long nowNs)
    {
        standing.follow(ledger);
        if (ledger.isAdopting())
        {
            return 0;
        }
        if (!schedule.isDue(nowNs))
        {
            return sender.poll();
        }
        if (sender.isBusy())
        {
            return sender.drain();
        }
        mode = Mode.COMPARING;
        schedule.begin();
        comparison = new Comparison(ledger, link, work);
        return 1;
    }

    private int compare(final long nowNs)
    {
        final int count = comparison.poll();
        if (Comparison.State.LISTING != comparison.state())
        {
            link.touch();
        }
        switch (comparison.state())
        {
            case LISTING, MENDING ->
            {
                return count;
            }
            case OVERRULED ->
            {
                supersede(comparison.refusal().text());
                return count + 1;
            }
            case UNTOLD ->
            {
                standing.onRefused("it does not tell what it is: " + comparison.refusal().text());
                schedule.onRefused(nowNs);
            }
            case FOUND -> adopt(comparison.found());
            case MENDED -> onMended(nowNs);
        }
        endComparing();
        return count + 1;
    }

    private void onMended(final long nowNs)
    {
        final int steps = comparison.steps();
        final int left = comparison.left();
        standing.onCompared(left);
        if (steps > 0)
        {
            schedule.onOwnChange();
            log(steps + " steps to be as version " + ledger.version() +
                (0 == comparison.refusedCount() ? "" : ", " + comparison.refusedCount() + " of them refused"));
            owner.onManaged(name(), Change.CHANGED, steps + " differences to version " + ledger.version() +
                " were found" + (0 == left ? " and put right" : ", " + left + " are left"));
        }
        if (0 == left)
        {
            schedule.onEqual(nowNs);
        }
        else
        {
            standing.onRefused(comparison.firstLeft());
            schedule.onRefused(nowNs);
        }
    }

    /** Nothing is accepted and nothing compared until it is written. */
    private void adopt(final DesiredState found)
    {
        ledger.adopt(found, managerName, (failure) ->
        {
            schedule.onAdopted(null == failure);
            log(null == failure ? "seen for the first time: what it has is version " + ledger.version() + " (" + found +
                ")" : "what it has cannot be kept: " + Ledger.reason(failure));
        });
    }

    private void endComparing()
    {
        comparison = null;
        if (Mode.COMPARING == mode)
        {
            mode = Mode.SERVING;
        }
        schedule.end();
    }

    /** Takes a change in; answers why not, or null. */
    Reply accept(final ChangeRequest change)
    {
        final Reply forbidden = refusalOfChanges();
        final Reply refused = null == forbidden ? ledger.accept(change) : forbidden;
        if (null == refused)
        {
            schedule.forgetRefusals();
        }
        return refused;
    }

    /** Why no change at all is taken in; null: they are. */
    Reply refusalOfChanges()
    {
        return tenure.isLost() ? tenure.refusal() : ledger.isKnown() ? null : Reply.refused(Code.FAILED,
            "data plane " + name() +
            " was never connected, so that what it has is not known; start it, then try again");
    }

    /** Passes a command on that is not kept, behind the changes before it. */
    CompletableFuture<Reply> carryOut(final Command command, final CommandId id)
    {
        return order.behindChanges(() -> tenure.isLost() ?
            CompletableFuture.completedFuture(tenure.refusal()) : link.carryOut(command, id));
    }

    /** Passes a List on, behind the changes before it. */
    CompletableFuture<Listing<?>> list(final Command.List list)
    {
        return order.behindChanges(() -> link.list(list));
    }

    /** Lists at once, whatever is on its way; there has to be a session. */
    Call look(final Kind kind)
    {
        return link.submit(new Command.List(kind, ""));
    }

    @Override
    public void onConnected(final SessionInfo info)
    {
        sender.onSession();
        standing.doubt();
        link.touch();
        log("connected to " + info.dataPlaneName() + " at " + config.address());
        owner.onManaged(name(), Change.CONNECTED, "");
        watch.onConnected();
        tenure.onConnected(info.term());
        if (tenure.isOver())
        {
            supersede("term " + info.term() + " is above " + tenure.term());
        }
        else if (tenure.isHeld())
        {
            beginServing();
        }
        else
        {
            mode = Mode.TAKING;
        }
    }

    private void supersede(final String reason)
    {
        if (tenure.lose())
        {
            log("another manager is in charge (" + reason +
                "): commanding it no more; start this one again to take over");
            owner.onManaged(name(), Change.CHANGED, "another manager is in charge: " + reason);
        }
        mode = Mode.SUPERSEDED;
        // A session may look whatever the term, when it says none.
        link.term(0);
        ledger.takeBackAll(tenure.refusal());
        endComparing();
    }

    @Override
    public void onDisconnected(final String reason)
    {
        mode = Mode.DOWN;
        sender.onSession();
        tenure.onDisconnected();
        watch.onDisconnected();
        log("gone: " + reason);
        owner.onManaged(name(), Change.DISCONNECTED, reason);
        ledger.confirmAll("kept, but data plane " + name() + " went away meanwhile (" + reason +
            "); it is carried out when it is back");
        endComparing();
    }

    @Override
    public void onEvent(final ControlEvent event)
    {
        link.touch();
        owner.onEvent(name(), event);
        if (Mode.SERVING == mode && !sender.isBusy() && Census.isKept(event.kind()))
        {
            schedule.onEvent();
        }
    }

    @Override
    public void onEventsLost(final long count)
    {
        owner.onEventsLost(name());
        schedule.want();
    }

    private Health health()
    {
        return switch (mode)
        {
            case DOWN -> link.wasSeen() || ledger.isKnown() ? Health.DOWN : Health.UNSEEN;
            case SUPERSEDED -> Health.SUPERSEDED;
            default -> !watch.stall().isEmpty() ? Health.STALLED :
                standing.isWell(ledger) ? Health.WELL : Health.DIFFERENT;
        };
    }

    /** The record of it. */
    ManagedInfo info()
    {
        final Health health = health();
        return new ManagedInfo(name(), Mode.DOWN != mode, health,
            TimeUnit.SECONDS.toNanos(link.seen().getEpochSecond()) + link.seen().getNano(), tenure.term(),
            ledger.version(), standing.appliedVersion(), standing.differences(), config.address(), standing.refusal(),
            switch (health)
            {
                case DOWN, UNSEEN -> link.trouble();
                case STALLED -> watch.stall();
                case SUPERSEDED -> "another manager is in charge";
                default -> "";
            });
    }

    private void log(final String line)
    {
        owner.log(name() + ": " + line);
    }

    @Override
    public void close()
    {
        link.close();
    }
}
