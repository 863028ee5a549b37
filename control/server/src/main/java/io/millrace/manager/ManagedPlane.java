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
import io.millrace.control.setting.Units;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.ManagerName;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.manager.store.StateStore;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * One data plane of a manager: reconciles it with its desired state and forwards commands. Never blocks; confined to
 * the manager's thread.
 *
 * <pre>
 *   DOWN --session--&gt; EXAMINING --lineage fits--&gt; TAKING --term taken--&gt; SERVING
 *                        |   ^                                          |   ^
 *        another lineage |   | a person decided      on connect, events |   |
 *                        v   |                                 and time v   |
 *                       FOREIGN                                       COMPARING
 *   any --session lost--&gt; DOWN        any --a later manager--&gt; FENCED
 * </pre>
 * If the data plane holds a later version of the same lineage than this manager, its state is adopted as the next
 * version before any step is applied.
 * <p>
 * Changes are sent while it is SERVING, see {@link ChangeSender}. A comparison begins when all are answered, and delays
 * further ones.
 */
final class ManagedPlane implements ControlListener, AutoCloseable
{
    private enum Mode
    {
        /** There is no session. */
        DOWN,
        /** Leadership and version of the data plane are read. */
        EXAMINING,
        /** It holds state of another lineage: it is only inspected until an operator decides. */
        FOREIGN,
        /** A term above all others is persisted and taken on the data plane. */
        TAKING,
        /** Changes are sent as they arrive. */
        SERVING,
        /** The actual state is compared with the desired state, and the difference is applied. */
        COMPARING,
        /** Another manager is active: the data plane is only inspected. */
        FENCED
    }

    private final PlaneConfig config;
    private static final long RECHECK_NS = TimeUnit.SECONDS.toNanos(1);

    private final String managerName;
    private final Command.AssignControllerIds controllerIds;
    private final NanoClock clock;
    private final WorkThread work;
    private final PlaneListener owner;
    private final Ledger ledger;
    private final RequestOrder order;
    private final PlaneLink link;
    private final Leadership leadership;
    private final VersionReporter versions;
    private final ServedFiles files;
    private final CompareSchedule schedule;
    private final SyncStatus syncStatus;
    private final ChangeSender sender;
    private final PlaneWatch watch;
    private volatile Mode mode = Mode.DOWN;
    private Comparison comparison;
    private LeadershipInfo observed = LeadershipInfo.NONE;
    private long session;
    private long recheckNs = Long.MAX_VALUE;
    /** Purpose of the next comparison, by the operator's decision and the version of the data plane. */
    private Comparison.Purpose purpose = Comparison.Purpose.REPAIR;
    /** The data plane has a later version: pending changes are void. */
    private boolean isStale;
    /** Lineage whose data plane an operator allowed this manager to take over; null: none. */
    private UUID allowedLineage;
    private List<CompletableFuture<Reply>> asked = new ArrayList<>();
    private List<CompletableFuture<Reply>> answering = new ArrayList<>();

    /**
     * Opens no session yet; throws ControlSettingException if a setting of the client is invalid. Controller ids may be
     * null: any.
     */
    ManagedPlane(
        final PlaneConfig config,
        final Command.TakeTerm self,
        final Command.AssignControllerIds controllerIds,
        final long downAfterNs,
        final StateStore store,
        final WorkThread work,
        final NanoClock clock,
        final PlaneListener owner)
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
        syncStatus = new SyncStatus(config.name(), owner, this::log);
        versions = new VersionReporter(link::submit, this::fence, this::log);
        sender = new ChangeSender(ledger, link, work, schedule, syncStatus, versions, files, this::fence);
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

    /** Advances as far as possible; returns the work count. */
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
                confirmAll("saved, and applied when data plane " + name() + " is connected again");
                yield 0;
            }
            case FENCED ->
            {
                ledger.revertAll(leadership.refusal());
                yield 0;
            }
            case EXAMINING ->
            {
                if (nowNs - recheckNs >= 0)
                {
                    examine();
                }
                yield 0;
            }
            case FOREIGN ->
            {
                ledger.revertAll(foreignRefusal());
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

    /** Reads leadership and version. */
    private void examine()
    {
        mode = Mode.EXAMINING;
        recheckNs = clock.nanoTime() + RECHECK_NS;
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
                // It is read again.
            }
        }
    }

    private void onExamined(final LeadershipInfo info, final boolean isOld)
    {
        observed = info;
        leadership.onObserved(info, isOld);
        versions.onObserved(info.position(), isOld);
        if (leadership.hasLostTerm())
        {
            fence("term " + info.term() + " of " +
                ManagerName.phrase(info.managerName()) + " is above " + leadership.term());
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
        syncStatus.onRefused(reason);
        owner.onReconciled(name(), "found state of another lineage: no steps are applied", ledger.version(),
            Reply.refused(Code.FAILED, reason));
        ledger.revertAll(foreignRefusal());
    }

    private String foreignReason()
    {
        return "it has " + observed.position() + ", this manager " + ledger.position() + (observed.isManaged() ?
            "; " + ManagerName.phrase(observed.managerName()) + " managed it before" : "") +
            ": 'millrace dataplane adopt' makes the actual state a version of this manager, 'millrace dataplane " +
            "reconcile --take-over' applies this manager's desired state";
    }

    private Reply foreignRefusal()
    {
        return Reply.refused(Code.FAILED, "data plane " + name() + " holds state of another lineage and is not " +
            "managed: " + foreignReason());
    }

    private int take(final long nowNs)
    {
        revertIfStale();
        leadership.poll(nowNs);
        if (leadership.needsRecheck(nowNs))
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
        schedule.request();
    }

    /** First of all: hosts may reconnect at once to a data plane that has just started. */
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

    private void revertIfStale()
    {
        if (isStale)
        {
            ledger.revertAll(adoptingRefusal());
        }
    }

    private Reply adoptingRefusal()
    {
        return Reply.refused(Code.FAILED, "data plane " + name() + " has another state than this manager, which is " +
            "being adopted as its next version: inspect it, then try again");
    }

    /** Whether the actual state is to be adopted. */
    private boolean isToBeAdopted()
    {
        return isStale || !ledger.isKnown() || Comparison.Purpose.ADOPT == purpose;
    }

    private int serve(final long nowNs)
    {
        if (!versions.isConfirming())
        {
            syncStatus.follow(ledger);
        }
        revertIfStale();
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
                fence(comparison.reason());
                return count + 1;
            }
            case INCOMPLETE ->
            {
                syncStatus.onRefused("its state cannot be read: " + comparison.reason());
                schedule.onRefused(nowNs);
                answer(Reply.refused(Code.FAILED, syncStatus.refusal()));
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
        syncStatus.onCompared(left, comparison.drift(name()));
        files.onServed(comparison.found(), ledger.keptState());
        if (0 == left)
        {
            files.onServed(ledger.keptState(), ledger.keptState());
        }
        if (steps > 0 && !syncStatus.isRefusedAgain(comparison.refusedCount() == steps ?
            comparison.words() + ": " + comparison.firstLeft() : ""))
        {
            schedule.onOwnChange();
            final String words = "reconciled with version " + ledger.version() + " in " + Units.count(steps, "step") +
                (0 == comparison.refusedCount() ? "" : ", " + comparison.refusedCount() + " refused") + ": " +
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
            syncStatus.onRefused(comparison.firstLeft());
            schedule.onRefused(nowNs);
        }
        answer(new Reply(Code.OK, ledger.version(), 0 == left ?
            "data plane " + name() + " is in sync with version " + ledger.version() :
            left + " differences to version " + ledger.version() + " are left: " + comparison.firstLeft()));
    }

    /** No changes are accepted and no comparison begins until it is written. */
    private void adopt(final DesiredState found, final StatePosition held)
    {
        final long before = ledger.version();
        final String comment = 0 == before ? "initial import" : isStale ?
            "adopted: the data plane had " + held + ", this manager version " + before :
            "adopted: an operator made the actual state the desired state";
        final List<CompletableFuture<Reply>> waiting = answering;
        answering = new ArrayList<>();
        // After another lineage the versions of this one continue.
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
                reply = Reply.refused(Code.FAILED, "its state cannot be saved: " + Ledger.reason(failure));
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

    /** Compares as soon as possible, and resolves differences in the given mode. */
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
        schedule.request();
        return future;
    }

    private Reply refusalOfReconciling(final ReconcileMode wanted)
    {
        if (Mode.DOWN == mode)
        {
            return Reply.refused(Code.FAILED, "data plane " + name() + " is not connected" +
                (link.lastError().isEmpty() ? "" : ": " + link.lastError()));
        }
        if (Mode.FENCED == mode)
        {
            return leadership.refusal();
        }
        return switch (wanted)
        {
            case ADOPT -> null;
            case REPAIR, ALLOW_DESTROY -> Mode.FOREIGN == mode ? foreignRefusal() : null;
            case TAKE_OVER -> Mode.FOREIGN == mode ? null : Reply.refused(Code.INVALID,
                "data plane " + name() + " holds no state of another lineage: nothing to take over");
            default -> Reply.refused(Code.INVALID, "mode is unknown to this manager; use a client of its version");
        };
    }

    /** Unresolved differences. */
    List<DriftInfo> drift()
    {
        return Mode.FOREIGN == mode ? List.of(new DriftInfo(true, false, name(),
            "apply " + ledger.position() + " to data plane " + name(), foreignReason())) : syncStatus.drift();
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

    /** Accepts a change; returns the reason of a refusal, or null. */
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

    /** Reason why no changes are accepted; null: they are. */
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
            " was never connected, so its state is unknown; start it, then try again");
    }

    /** Forwards a transient command after earlier changes. */
    CompletableFuture<Reply> carryOut(final Command command, final CommandId id)
    {
        return order.behindChanges(() -> leadership.isLost() ?
            CompletableFuture.completedFuture(leadership.refusal()) :
            link.carryOut(link.isConnected() ? files.fitting(command) : command, id));
    }

    /** Forwards a List after earlier changes. */
    CompletableFuture<Listing<?>> list(final Command.List list)
    {
        return order.behindChanges(() -> link.list(list));
    }

    /** Sends a List at once, before pending changes; requires a session. */
    Call listNow(final Kind kind)
    {
        return link.submit(new Command.List(kind, ""));
    }

    @Override
    public void onConnected(final SessionInfo info)
    {
        sender.onSession();
        syncStatus.invalidate();
        link.touch();
        log("connected to " + info.dataPlaneName() + " at " + config.address());
        owner.onManaged(name(), Change.CONNECTED, "");
        watch.onConnected();
        session++;
        link.session(info);
        if (leadership.isLost())
        {
            fence("another manager is active");
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

    private void fence(final String reason)
    {
        if (leadership.lose())
        {
            log("another manager is active (" + reason +
                "): no more commands are sent; restart this one to take over");
            owner.onManaged(name(), Change.CHANGED, "another manager is active: " + reason);
        }
        mode = Mode.FENCED;
        // Without a term a session may inspect.
        link.term(0);
        ledger.revertAll(leadership.refusal());
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
        // Decisions for the former session are answered or void.
        allowedLineage = null;
        leadership.onDisconnected();
        watch.onDisconnected();
        log("disconnected: " + reason);
        owner.onManaged(name(), Change.DISCONNECTED, reason);
        confirmAll("saved, but data plane " + name() + " disconnected (" + reason + "); it is applied when the data " +
            "plane is back");
        answerAll(Reply.refused(Code.FAILED, "data plane " + name() + " disconnected: " + reason));
        endComparing();
    }

    @Override
    public void onEvent(final ControlEvent event)
    {
        link.touch();
        owner.onEvent(name(), event);
        if (Mode.SERVING == mode && !sender.isBusy() && ObservedState.isPersisted(event.kind()) &&
            Change.FAILED != event.change())
        {
            schedule.onEvent();
        }
    }

    @Override
    public void onEventsLost(final long count)
    {
        owner.onEventsLost(name());
        schedule.request();
    }

    private Health health()
    {
        return switch (mode)
        {
            case DOWN -> link.wasSeen() || ledger.isKnown() ? Health.DOWN : Health.UNKNOWN;
            case FENCED -> Health.FENCED;
            case FOREIGN -> Health.FOREIGN;
            default -> !watch.stall().isEmpty() ? Health.STALLED :
                syncStatus.isInSync(ledger) ? Health.IN_SYNC : Health.DRIFTED;
        };
    }

    /** Its name with the reason, while it is not connected or another manager is active; else null. Any thread. */
    String unreachable()
    {
        return switch (mode)
        {
            case DOWN -> name();
            case FENCED -> name() + " (another manager is active)";
            default -> null;
        };
    }

    /** The record of it. */
    ManagedInfo info()
    {
        final Health health = health();
        return new ManagedInfo(name(), Mode.DOWN != mode, health,
            TimeUnit.SECONDS.toNanos(link.seen().getEpochSecond()) + link.seen().getNano(), leadership.term(),
            ledger.version(), syncStatus.appliedVersion(), syncStatus.driftSteps(), config.address(),
            // While it is disconnected, its refusals are not reported.
            isCommanded() ? syncStatus.refusal() : "",
            switch (health)
            {
                case DOWN, UNKNOWN -> link.lastError();
                case STALLED -> watch.stall();
                case FENCED -> "another manager is active";
                case FOREIGN -> foreignReason();
                default -> leadership.isHeld() ? "" : leadership.lastError();
            });
    }

    private boolean isCommanded()
    {
        return Mode.DOWN != mode && Mode.FENCED != mode;
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
