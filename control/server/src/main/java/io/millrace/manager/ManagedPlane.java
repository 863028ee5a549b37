package io.millrace.manager;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.manager.store.StateStore;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * One data plane of a manager: brings it to what it should be and keeps it there, passes on what is asked of it. Never
 * waits; belongs to the manager's thread.
 *
 * <pre>
 *   DOWN --session--&gt; EXAMINING --lineage fits--&gt; TAKING --term taken--&gt; SERVING
 *                        |   ^                                          |   ^
 *        another lineage |   | a person decided      on connect, events |   |
 *                        v   |                                 and time v   |
 *                       FOREIGN                                       COMPARING
 *   any --session lost--&gt; DOWN        any --a later manager--&gt; SUPERSEDED
 * </pre>
 * A data plane that holds a later version of the same lineage than this manager is adopted: what it has becomes the
 * next version, and nothing is carried out before.
 * <p>
 * Changes go out while it is SERVING, see {@link ChangeSender}. A comparison begins when all are answered, and they
 * wait meanwhile.
 */
final class ManagedPlane implements ControlListener, AutoCloseable
{
    private enum Mode
    {
        /** There is no session. */
        DOWN,
        /** The data plane is asked who is in charge, and which version it has. */
        EXAMINING,
        /** It holds state of another lineage: it is looked at, and a person decides. */
        FOREIGN,
        /** A term above all others is brought to disk, and taken of the data plane. */
        TAKING,
        /** Changes go straight on. */
        SERVING,
        /** What is there is compared with what should be, and the difference is carried out. */
        COMPARING,
        /** Another manager is in charge: it is looked at, and not commanded. */
        SUPERSEDED
    }

    private final PlaneConfig config;
    private static final long LOOK_AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

    private final String managerName;
    private final Command.AssignControllerIds controllerIds;
    private final NanoClock clock;
    private final WorkThread work;
    private final PlaneOwner owner;
    private final Ledger ledger;
    private final RequestOrder order;
    private final PlaneLink link;
    private final Leadership leadership;
    private final VersionTeller versions;
    private final ServedFiles files;
    private final CompareSchedule schedule;
    private final Standing standing;
    private final ChangeSender sender;
    private final PlaneWatch watch;
    private Mode mode = Mode.DOWN;
    private Comparison comparison;
    private LeadershipInfo observed = LeadershipInfo.NONE;
    private long session;
    private long lookAgainNs = Long.MAX_VALUE;
    /** What a person decided, and what has to be done because of the version that the data plane has. */
    private Comparison.Purpose purpose = Comparison.Purpose.REPAIR;
    /** The data plane has a later version: what was not carried out is void. */
    private boolean isStale;
    /** A person said that this manager goes on with the data plane though it is of this lineage; null: of none. */
    private UUID allowedLineage;
    private List<CompletableFuture<Reply>> asked = new ArrayList<>();
    private List<CompletableFuture<Reply>> answering = new ArrayList<>();

    /**
     * Opens no session yet; throws ControlSettingException when a setting of the client cannot be had. Controller ids
     * may be null: any.
     */
    ManagedPlane(
        final PlaneConfig config,
        final Command.TakeTerm self,
        final Command.AssignControllerIds controllerIds,
        final long downAfterNs,
        final StateStore store,
        final WorkThread work,
        final NanoClock clock,
        final PlaneOwner owner)
    {
        this.config = config;
        this.clock = clock;
        managerName = self.managerName();
        this.controllerIds = controllerIds;
        this.work = work;
        this.owner = owner;
        files = new ServedFiles(store, work, this::log);
        ledger = new Ledger(store, work, this::onFinished, this::log);
        order = new RequestOrder(store, work, ledger);
        link = new PlaneLink(config, managerName, clock, this);
        leadership = new Leadership(config.name(), self, store, work, (command, then) ->
            link.submit(command).onDone((call) -> then.accept(StageRunner.replyOf(call))), clock, this::log);
        schedule = new CompareSchedule(clock);
        standing = new Standing(config.name(), owner, this::log);
        versions = new VersionTeller(link::submit, this::supersede, this::log);
        sender = new ChangeSender(ledger, link, work, schedule, standing, versions, files, this::supersede);
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

    private void onFinished(final ChangeRequest change, final Reply reply)
    {
        if (change.isConfirmed() && !change.isOne())
        {
            files.retain(ledger.keptState());
        }
        owner.onFinished(name(), change, reply);
    }

    /** Takes it as far as it goes now; answers how much was done. */
    int poll(final long nowNs)
    {
        int count = link.poll();
        count += ledger.poll(nowNs);
        count += files.poll();
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
                confirmAll("kept, and carried out when data plane " + name() + " is connected again");
                yield 0;
            }
            case SUPERSEDED ->
            {
                ledger.takeBackAll(leadership.refusal());
                yield 0;
            }
            case EXAMINING ->
            {
                if (nowNs - lookAgainNs >= 0)
                {
                    examine();
                }
                yield 0;
            }
            case FOREIGN ->
            {
                ledger.takeBackAll(foreignRefusal());
                yield 0;
            }
            case TAKING -> take(nowNs);
            case SERVING -> serve(nowNs);
            case COMPARING -> compare(nowNs);
        };
    }

    private void confirmAll(final String text)
    {
        ledger.unsent().forEach(files::onChange);
        ledger.confirmAll(text);
    }

    /** Asks who is in charge, and which version is there. */
    private void examine()
    {
        mode = Mode.EXAMINING;
        lookAgainNs = clock.nanoTime() + LOOK_AGAIN_NS;
        final long askedIn = session;
        link.submit(new Command.List(Kind.LEADERSHIP, "")).onDone((call) ->
        {
            if (askedIn == session && Mode.EXAMINING == mode)
            {
                onExamined(call);
            }
        });
    }

    private void onExamined(final Call call)
    {
        switch (call.code())
        {
            case OK ->
            {
                if (1 == call.resources().size() && call.resources().getFirst() instanceof final LeadershipInfo info)
                {
                    onExamined(info, false);
                }
            }
            case INVALID, UNSUPPORTED, MALFORMED, UNKNOWN_COMMAND -> onExamined(new LeadershipInfo(link.term(),
                leadership.managerId(), 0, StatePosition.NONE, 0, 0, "", ""), true);
            default ->
            {
                // It is asked again.
            }
        }
    }

    private void onExamined(final LeadershipInfo info, final boolean isOld)
    {
        observed = info;
        leadership.onObserved(info, isOld);
        versions.onObserved(info.position(), isOld);
        if (leadership.isOver())
        {
            supersede("term " + info.term() + " of manager " + info.managerName() + " is above " + leadership.term());
            return;
        }
        final StatePosition held = info.position();
        if (held.isKnown() && ledger.isKnown() && !held.isRelatedTo(ledger.position()) &&
            !held.lineage().equals(allowedLineage))
        {
            onForeign();
            return;
        }
        isStale = held.isKnown() && ledger.isKnown() && held.isRelatedTo(ledger.position()) &&
            held.isAfter(ledger.position());
        mode = Mode.TAKING;
        leadership.renew();
        if (leadership.isHeld())
        {
            beginServing();
        }
    }

    private void onForeign()
    {
        mode = Mode.FOREIGN;
        final String reason = foreignReason();
        standing.onRefused(reason);
        owner.onReconciled(name(), "found state of another lineage: nothing is carried out", ledger.version(),
            Reply.refused(Code.FAILED, reason));
        ledger.takeBackAll(foreignRefusal());
    }

    private String foreignReason()
    {
        return "it has " + observed.position() + ", this manager " + ledger.position() + (observed.isManaged() ?
            "; manager " + observed.managerName() + " was in charge of it" : "") +
            ": 'millrace dataplane adopt' makes what it has a version here, 'millrace dataplane reconcile " +
            "--take-over' " +
            "makes it what this manager has";
    }

    private Reply foreignRefusal()
    {
        return Reply.refused(Code.FAILED, "data plane " + name() + " holds state of another lineage and is not " +
            "commanded: " + foreignReason());
    }

    private int take(final long nowNs)
    {
        takeBackIfStale();
        leadership.poll(nowNs);
        if (leadership.needsLook(nowNs))
        {
            examine();
            return 1;
        }
        if (!leadership.isHeld())
        {
            return 0;
        }
        beginServing();
        return 1;
    }

    private void beginServing()
    {
        mode = Mode.SERVING;
        link.term(leadership.term());
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

    private void takeBackIfStale()
    {
        if (isStale)
        {
            ledger.takeBackAll(adoptingRefusal());
        }
    }

    private Reply adoptingRefusal()
    {
        return Reply.refused(Code.FAILED, "data plane " + name() + " has another state than this manager, which is " +
            "becoming its next version: look at it, then try again");
    }

    /** Whether what is there is to become what should be. */
    private boolean isToBeAdopted()
    {
        return isStale || !ledger.isKnown() || Comparison.Purpose.ADOPT == purpose;
    }

    private int serve(final long nowNs)
    {
        standing.follow(ledger);
        takeBackIfStale();
        if (ledger.isAdopting())
        {
            return 0;
        }
        final boolean isAdoption = isToBeAdopted();
        if (!schedule.isDue(nowNs) || isAdoption && ledger.isKnown() && !isStale && !ledger.isSettled())
        {
            return isStale ? 0 : sender.poll();
        }
        if (sender.isBusy())
        {
            return sender.drain();
        }
        if (isAdoption && !ledger.isSettled())
        {
            return 0;
        }
        mode = Mode.COMPARING;
        schedule.begin();
        comparison = new Comparison(ledger, link, work, order, leadership, versions, files,
            isAdoption ? Comparison.Purpose.ADOPT : purpose);
        answering = asked;
        asked = new ArrayList<>();
        purpose = Comparison.Purpose.REPAIR;
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
            case LISTING, REPAIRING ->
            {
                return count;
            }
            case FENCED ->
            {
                supersede(comparison.reason());
                return count + 1;
            }
            case INCOMPLETE ->
            {
                standing.onRefused("it does not tell what it is: " + comparison.reason());
                schedule.onRefused(nowNs);
                answer(Reply.refused(Code.FAILED, standing.refusal()));
            }
            case OBSERVED -> adopt(comparison.found(), comparison.observed().position());
            case REPAIRED -> onRepaired(nowNs);
        }
        endComparing();
        return count + 1;
    }

    private void onRepaired(final long nowNs)
    {
        final int steps = comparison.steps();
        final int left = comparison.left();
        standing.onCompared(left, comparison.drift(name()));
        files.onServed(comparison.found(), ledger.keptState());
        if (0 == left)
        {
            files.onServed(ledger.keptState(), ledger.keptState());
        }
        if (steps > 0 && !standing.isRefusedAgain(comparison.refusedCount() == steps ?
            comparison.words() + ": " + comparison.firstLeft() : ""))
        {
            schedule.onOwnChange();
            final String words = steps + " steps to be as version " + ledger.version() +
                (0 == comparison.refusedCount() ? "" : ", " + comparison.refusedCount() + " of them refused") + ": " +
                comparison.words();
            log(words);
            owner.onManaged(name(), Change.CHANGED, words);
            owner.onReconciled(name(), "reconcile: " + comparison.words(), ledger.version(),
                0 == comparison.refusedCount() ? Reply.OK : Reply.refused(Code.FAILED, comparison.firstLeft()));
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
        answer(new Reply(Code.OK, ledger.version(), 0 == left ?
            "data plane " + name() + " is in sync with version " + ledger.version() :
            left + " differences to version " + ledger.version() + " are left: " + comparison.firstLeft()));
    }

    /** Nothing is accepted and nothing compared until it is written. */
    private void adopt(final DesiredState found, final StatePosition held)
    {
        final long before = ledger.version();
        final String comment = 0 == before ? "initial import" : isStale ?
            "adopted: the data plane had " + held + ", this manager version " + before :
            "adopted: a person made the actual state the desired one";
        final List<CompletableFuture<Reply>> waiting = answering;
        answering = new ArrayList<>();
        // Behind another lineage the versions of this one go on as before.
        ledger.adopt(found, held, managerName, comment, (failure) ->
        {
            schedule.onAdopted(null == failure);
            final Reply reply;
            if (null == failure)
            {
                isStale = false;
                files.onServed(found, found);
                final String text = comment + "; it is version " + ledger.version() + " now (" + found + ")";
                log(text);
                if (0 != before)
                {
                    owner.onManaged(name(), Change.CHANGED, text);
                    owner.onReconciled(name(), comment, ledger.version(), Reply.OK);
                }
                reply = new Reply(Code.OK, ledger.version(), text);
            }
            else
            {
                reply = Reply.refused(Code.FAILED, "what it has cannot be kept: " + Ledger.reason(failure));
                log(reply.text());
            }
            waiting.forEach((each) -> each.complete(reply));
        });
    }

    private void answer(final Reply reply)
    {
        final List<CompletableFuture<Reply>> waiting = answering;
        answering = new ArrayList<>();
        waiting.forEach((each) -> each.complete(reply));
    }

    /** Compares as soon as can be, and settles differences as a person decided. */
    CompletableFuture<Reply> reconcile(final ReconcileMode wanted)
    {
        final Reply refused = refusalOfReconciling(wanted);
        if (null != refused)
        {
            return CompletableFuture.completedFuture(refused);
        }
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        asked.add(future);
        purpose = switch (wanted)
        {
            case ADOPT -> Comparison.Purpose.ADOPT;
            case ALLOW_DESTROY -> Comparison.Purpose.REPAIR_ALL;
            default -> purpose;
        };
        if (Mode.FOREIGN == mode)
        {
            allowedLineage = observed.position().lineage();
            examine();
        }
        schedule.forgetRefusals();
        schedule.want();
        return future;
    }

    private Reply refusalOfReconciling(final ReconcileMode wanted)
    {
        if (Mode.DOWN == mode)
        {
            return Reply.refused(Code.FAILED, "data plane " + name() + " is not connected" +
                (link.trouble().isEmpty() ? "" : ": " + link.trouble()));
        }
        if (Mode.SUPERSEDED == mode)
        {
            return leadership.refusal();
        }
        return switch (wanted)
        {
            case ADOPT -> null;
            case REPAIR, ALLOW_DESTROY -> Mode.FOREIGN == mode ? foreignRefusal() : null;
            case TAKE_OVER -> Mode.FOREIGN == mode ? null : Reply.refused(Code.INVALID,
                "data plane " + name() + " holds no state of another lineage: there is nothing to take over");
            default -> Reply.refused(Code.INVALID, "mode is none that this manager knows; use a client of its version");
        };
    }

    /** Differences that were not settled. */
    List<DriftInfo> drift()
    {
        return Mode.FOREIGN == mode ? List.of(new DriftInfo(true, false, name(),
            "make data plane " + name() + " what " + ledger.position() + " says", foreignReason())) : standing.drift();
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
        if (leadership.isLost())
        {
            return leadership.refusal();
        }
        if (Mode.FOREIGN == mode)
        {
            return foreignRefusal();
        }
        if (ledger.isKnown() && (isStale || ledger.isAdopting() || Mode.COMPARING == mode &&
            Comparison.Purpose.ADOPT == comparison.purpose()))
        {
            return adoptingRefusal();
        }
        return ledger.isKnown() ? null : Reply.refused(Code.FAILED,
            "data plane " + name() +
            " was never connected, so that what it has is not known; start it, then try again");
    }

    /** Passes a command on that is not kept, behind the changes before it. */
    CompletableFuture<Reply> carryOut(final Command command, final CommandId id)
    {
        return order.behindChanges(() -> leadership.isLost() ?
            CompletableFuture.completedFuture(leadership.refusal()) :
            link.carryOut(link.isConnected() ? files.fitting(command, link.peer()) : command, id));
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
        session++;
        link.session(info);
        if (leadership.isLost())
        {
            supersede("another manager is in charge");
        }
        else
        {
            examine();
        }
    }

    private void answerAll(final Reply reply)
    {
        answer(reply);
        answering = asked;
        asked = new ArrayList<>();
        answer(reply);
        purpose = Comparison.Purpose.REPAIR;
    }

    private void supersede(final String reason)
    {
        if (leadership.lose())
        {
            log("another manager is in charge (" + reason +
                "): commanding it no more; start this one again to take over");
            owner.onManaged(name(), Change.CHANGED, "another manager is in charge: " + reason);
        }
        mode = Mode.SUPERSEDED;
        // A session may look whatever the term, when it says none.
        link.term(0);
        ledger.takeBackAll(leadership.refusal());
        answerAll(leadership.refusal());
        endComparing();
    }

    @Override
    public void onDisconnected(final String reason)
    {
        mode = Mode.DOWN;
        sender.onSession();
        session++;
        isStale = false;
        // What it was decided for is told by then, or was not done.
        allowedLineage = null;
        leadership.onDisconnected();
        watch.onDisconnected();
        log("gone: " + reason);
        owner.onManaged(name(), Change.DISCONNECTED, reason);
        confirmAll("kept, but data plane " + name() + " went away meanwhile (" + reason +
            "); it is carried out when it is back");
        answerAll(Reply.refused(Code.FAILED, "data plane " + name() + " went away meanwhile: " + reason));
        endComparing();
    }

    @Override
    public void onEvent(final ControlEvent event)
    {
        link.touch();
        owner.onEvent(name(), event);
        if (Mode.SERVING == mode && !sender.isBusy() && Census.isKept(event.kind()) &&
            Change.FAILED != event.change())
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
            case FOREIGN -> Health.FOREIGN;
            default -> !watch.stall().isEmpty() ? Health.STALLED :
                standing.isWell(ledger) ? Health.WELL : Health.DIFFERENT;
        };
    }

    /** The record of it. */
    ManagedInfo info()
    {
        final Health health = health();
        return new ManagedInfo(name(), Mode.DOWN != mode, health,
            TimeUnit.SECONDS.toNanos(link.seen().getEpochSecond()) + link.seen().getNano(), leadership.term(),
            ledger.version(), standing.appliedVersion(), standing.differences(), config.address(),
            // What it refused is not what is to be said of one that is not there.
            isCommanded() ? standing.refusal() : "",
            switch (health)
            {
                case DOWN, UNSEEN -> link.trouble();
                case STALLED -> watch.stall();
                case SUPERSEDED -> "another manager is in charge";
                case FOREIGN -> foreignReason();
                default -> leadership.isHeld() ? "" : leadership.trouble();
            });
    }

    private boolean isCommanded()
    {
        return Mode.DOWN != mode && Mode.SUPERSEDED != mode;
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
