package io.millrace.manager.plane;

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
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.control.state.HostImpact;
import io.millrace.control.state.ManagerName;
import io.millrace.manager.change.ChangeRequest;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.change.WorkThread;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.manager.store.StateStore;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * One data plane of a manager: reconciles it with its desired state and forwards commands. Never blocks; confined to
 * the manager's thread. See {@link PlaneMode} for its states.
 * <p>
 * If the data plane holds a later version of the same lineage than this manager, its state is adopted as the next
 * version before any step is applied.
 * <p>
 * Changes are sent while it is SERVING, see {@link ChangeSender}. A comparison begins when all are answered, and delays
 * further ones.
 */
public final class ManagedPlane implements ControlListener, AutoCloseable
{
    private static final long RECHECK_NS = TimeUnit.SECONDS.toNanos(1);

    private final PlaneConfig config;
    private final Command.AssignControllerIds controllerIds;
    private final NanoClock clock;
    private final WorkThread work;
    private final PlaneListener owner;
    private final Ledger ledger;
    private final HeldVersion held;
    private final RequestOrder order;
    private final PlaneLink link;
    private final Leadership leadership;
    private final VersionReporter versions;
    private final ServedFiles files;
    private final CompareSchedule schedule;
    private final SyncStatus syncStatus;
    private final AbsentDevices absent;
    private final ChangeSender sender;
    private final PlaneWatch watch;
    private final Reconciliation reconciliation;
    private volatile PlaneMode mode = PlaneMode.DOWN;
    private long session;
    private long recheckNs = Long.MAX_VALUE;

    /**
     * Opens no session yet.
     *
     * @param config        of the data plane.
     * @param self          the manager, with the term that it takes.
     * @param controllerIds range of the data plane; null: any.
     * @param downAfterNs   time without a session after which it counts as down, in nanoseconds.
     * @param store         of its desired state.
     * @param work          thread for files and plans.
     * @param clock         of time-outs.
     * @param owner         gets events and results.
     * @throws io.millrace.control.client.ControlSettingException if a setting of the client is invalid.
     */
    public ManagedPlane(
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
        this.controllerIds = controllerIds;
        this.work = work;
        this.owner = owner;
        files = new ServedFiles(store, work, this::log);
        ledger = new Ledger(store, work, this::onFinished, this::log);
        held = new HeldVersion(config.name(), ledger);
        order = new RequestOrder(store, work, ledger);
        link = new PlaneLink(config, self.managerName(), clock, this);
        leadership = new Leadership(config.name(), self, store, work, (command, then) ->
            link.submit(command).onDone((call) -> then.accept(StageRunner.replyOf(call))), clock, this::log);
        schedule = new CompareSchedule(clock);
        syncStatus = new SyncStatus(config.name(), owner, this::log);
        absent = new AbsentDevices(ledger, syncStatus);
        versions = new VersionReporter(link::submit, this::fence, this::log);
        sender = new ChangeSender(ledger, link, work, schedule, syncStatus, versions, files, this::fence);
        reconciliation = new Reconciliation(config.name(), self.managerName(), ledger, link, schedule, syncStatus,
            files, owner, (purpose) -> new Comparison(ledger, link, work, order, leadership, versions, files, purpose),
            held::onAdopted, this::log);
        watch = new PlaneWatch(config.name(), downAfterNs, link, clock, owner, this::log);
    }

    /** {@return name of the data plane} */
    public String name()
    {
        return config.name();
    }

    /** {@return its desired state, with changes in progress} */
    public Ledger ledger()
    {
        return ledger;
    }

    /** {@return the order of its requests} */
    public RequestOrder order()
    {
        return order;
    }

    /** {@return whether there is a session} */
    public boolean isConnected()
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

    /**
     * Advances as far as possible.
     *
     * @param nowNs time of the clock, in nanoseconds.
     * @return work count.
     */
    public int poll(final long nowNs)
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
                ledger.revertAll(held.foreignRefusal());
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
        mode = PlaneMode.EXAMINING;
        recheckNs = clock.nanoTime() + RECHECK_NS;
        final long askedIn = session;
        link.submit(new Command.List(Kind.LEADERSHIP, "")).onDone((call) ->
        {
            if (askedIn == session && PlaneMode.EXAMINING == mode)
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
        held.onObserved(info);
        leadership.onObserved(info, isOld);
        versions.onObserved(info.position(), isOld);
        if (leadership.hasLostTerm())
        {
            fence("term " + info.term() + " of " +
                ManagerName.phrase(info.managerName()) + " is above " + leadership.term());
            return;
        }
        if (held.isForeign())
        {
            onForeign();
            return;
        }
        mode = PlaneMode.TAKING;
        leadership.renew();
        if (leadership.isHeld())
        {
            beginServing();
        }
    }

    private void onForeign()
    {
        mode = PlaneMode.FOREIGN;
        final String reason = held.foreignReason();
        syncStatus.onRefused(reason);
        owner.onReconciled(name(), "found state of another lineage: no steps are applied", ledger.version(),
            Reply.refused(Code.FAILED, reason));
        ledger.revertAll(held.foreignRefusal());
    }

    private int take(final long nowNs)
    {
        revertIfLater();
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
        mode = PlaneMode.SERVING;
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

    private void revertIfLater()
    {
        if (held.isLater())
        {
            ledger.revertAll(held.adoptingRefusal());
        }
    }

    private int serve(final long nowNs)
    {
        syncStatus.follow(ledger);
        revertIfLater();
        if (ledger.isAdopting())
        {
            return 0;
        }
        final boolean isAdoption = held.isLater() || reconciliation.isAdoptionNext();
        if (!schedule.isDue(nowNs) || isAdoption && ledger.isKnown() && !held.isLater() && !ledger.isSettled())
        {
            return held.isLater() ? 0 : sender.poll();
        }
        if (sender.isBusy())
        {
            return sender.drain();
        }
        if (isAdoption && !ledger.isSettled())
        {
            return 0;
        }
        mode = PlaneMode.COMPARING;
        reconciliation.begin(isAdoption, held.isLater());
        return 1;
    }

    private int compare(final long nowNs)
    {
        final int count = reconciliation.poll(nowNs);
        if (reconciliation.isDone())
        {
            final String fencedBy = reconciliation.fencedBy();
            if (null != fencedBy)
            {
                fence(fencedBy);
            }
            else
            {
                endComparing();
            }
        }
        return count;
    }


    /**
     * Compares as soon as possible, and resolves differences.
     *
     * @param wanted how to resolve them.
     * @return the outcome in words, or a refusal.
     */
    public CompletableFuture<Reply> reconcile(final ReconcileMode wanted)
    {
        final Reply refused = refusalOfReconciling(wanted);
        if (null != refused)
        {
            return CompletableFuture.completedFuture(refused);
        }
        final CompletableFuture<Reply> future = reconciliation.request(wanted);
        if (PlaneMode.FOREIGN == mode)
        {
            held.allow();
            examine();
        }
        schedule.forgetRefusals();
        schedule.request();
        return future;
    }

    private Reply refusalOfReconciling(final ReconcileMode wanted)
    {
        if (PlaneMode.DOWN == mode)
        {
            return Reply.refused(Code.FAILED, "data plane " + name() + " is not connected" +
                (link.lastError().isEmpty() ? "" : ": " + link.lastError()));
        }
        if (PlaneMode.FENCED == mode)
        {
            return leadership.refusal();
        }
        return switch (wanted)
        {
            case ADOPT -> null;
            case REPAIR, ALLOW_DESTROY -> PlaneMode.FOREIGN == mode ? held.foreignRefusal() : null;
            case TAKE_OVER -> PlaneMode.FOREIGN == mode ? null : Reply.refused(Code.INVALID,
                "data plane " + name() + " holds no state of another lineage: nothing to take over");
            default -> Reply.refused(Code.INVALID, "mode is unknown to this manager; use a client of its version");
        };
    }

    /** {@return unresolved differences} */
    public List<DriftInfo> drift()
    {
        return PlaneMode.FOREIGN == mode ? List.of(held.foreignDrift()) : syncStatus.drift();
    }

    private void endComparing()
    {
        reconciliation.end();
        if (PlaneMode.COMPARING == mode)
        {
            mode = PlaneMode.SERVING;
        }
    }

    /**
     * Accepts a change.
     *
     * @param change to apply.
     * @return the reason of a refusal; null: it was accepted.
     */
    public Reply accept(final ChangeRequest change)
    {
        final Reply forbidden = refusalOfChanges();
        final Reply refused = null == forbidden ? ledger.accept(change) : forbidden;
        if (null == refused)
        {
            schedule.forgetRefusals();
        }
        return refused;
    }

    /** {@return the reason why no changes are accepted; null: they are} */
    public Reply refusalOfChanges()
    {
        if (leadership.isLost())
        {
            return leadership.refusal();
        }
        if (PlaneMode.FOREIGN == mode)
        {
            return held.foreignRefusal();
        }
        if (ledger.isKnown() && (held.isLater() || ledger.isAdopting() || PlaneMode.COMPARING == mode &&
            reconciliation.isAdopting()))
        {
            return held.adoptingRefusal();
        }
        return ledger.isKnown() ? null : Reply.refused(Code.FAILED,
            "data plane " + name() +
            " was never connected, so its state is unknown; start it, then try again");
    }

    /**
     * Forwards a transient command after earlier changes.
     *
     * @param command that is not part of the desired state.
     * @param id      of the command.
     * @return the reply.
     */
    public CompletableFuture<Reply> carryOut(final Command command, final CommandId id)
    {
        return order.behindChanges(() ->
        {
            if (leadership.isLost())
            {
                return CompletableFuture.completedFuture(leadership.refusal());
            }
            // No stage that depends on the answer, which would wrap its failure.
            final CompletableFuture<Reply> future = new CompletableFuture<>();
            link.carryOut(link.isConnected() ? files.fitting(command) : command, id).whenComplete((reply, failure) ->
            {
                if (null == failure)
                {
                    future.complete(absent.explained(command, reply));
                }
                else
                {
                    future.completeExceptionally(failure);
                }
            });
            return future;
        });
    }

    /**
     * Forwards a List, after earlier changes unless it is to be answered at once.
     *
     * @param list what to list.
     * @return the resources.
     */
    public CompletableFuture<Listing<?>> list(final Command.List list)
    {
        return list.atOnce() ? forward(list) : order.behindChanges(() -> forward(list));
    }

    private CompletableFuture<Listing<?>> forward(final Command.List list)
    {
        final CompletableFuture<Listing<?>> future = new CompletableFuture<>();
        link.list(list).whenComplete((listing, failure) ->
        {
            if (null == failure)
            {
                future.complete(listing);
            }
            else
            {
                future.completeExceptionally(absent.explained(list, failure));
            }
        });
        return future;
    }

    /** {@return connected hosts by subsystem; none while there is no session} */
    public CompletableFuture<Map<String, Set<String>>> connectedHosts()
    {
        return !link.isConnected() ? CompletableFuture.completedFuture(HostImpact.NONE) :
            link.list(new Command.List(Kind.CONTROLLER, "").now()).thenApply((listing) -> HostImpact.hosts(
            listing.resources().stream().map(ControllerInfo.class::cast).toList()));
    }

    /**
     * Sends a List that waits for no change; requires a session.
     *
     * @param kind what to list.
     * @return the call.
     */
    public Call listNow(final Kind kind)
    {
        return link.submit(new Command.List(kind, "").now());
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

    private void fence(final String reason)
    {
        if (leadership.lose())
        {
            log("another manager is active (" + reason +
                "): no more commands are sent; restart this one to take over");
            owner.onManaged(name(), Change.CHANGED, "another manager is active: " + reason);
        }
        mode = PlaneMode.FENCED;
        // Without a term a session may inspect.
        link.term(0);
        ledger.revertAll(leadership.refusal());
        reconciliation.answerAll(leadership.refusal());
        endComparing();
    }

    @Override
    public void onDisconnected(final String reason)
    {
        mode = PlaneMode.DOWN;
        sender.onSession();
        session++;
        held.onDisconnected();
        leadership.onDisconnected();
        watch.onDisconnected();
        log("disconnected: " + reason);
        owner.onManaged(name(), Change.DISCONNECTED, reason);
        confirmAll("saved, but data plane " + name() + " disconnected (" + reason + "); it is applied when the data " +
            "plane is back");
        reconciliation.answerAll(Reply.refused(Code.FAILED, "data plane " + name() + " disconnected: " + reason));
        endComparing();
    }

    @Override
    public void onEvent(final ControlEvent event)
    {
        link.touch();
        owner.onEvent(name(), event);
        if (PlaneMode.SERVING == mode && !sender.isBusy() && ObservedState.isPersisted(event.kind()) &&
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
                syncStatus.isInSync(ledger) && versions.isPersisted() ? Health.IN_SYNC : Health.DRIFTED;
        };
    }

    /** {@return its name with the reason, while not connected or another manager is active; else null. Any thread} */
    public String unreachable()
    {
        return switch (mode)
        {
            case DOWN -> name();
            case FENCED -> name() + " (another manager is active)";
            default -> null;
        };
    }

    /** {@return its status as a record} */
    public ManagedInfo info()
    {
        final Health health = health();
        return new ManagedInfo(name(), PlaneMode.DOWN != mode, health,
            TimeUnit.SECONDS.toNanos(link.seen().getEpochSecond()) + link.seen().getNano(), leadership.term(),
            ledger.version(), syncStatus.appliedVersion(), syncStatus.driftSteps(), config.address(),
            // While it is disconnected, its refusals are not reported.
            isCommanded() ? syncStatus.refusal() : "",
            switch (health)
            {
                case DOWN, UNKNOWN -> link.lastError();
                case STALLED -> watch.stall();
                case FENCED -> "another manager is active";
                case FOREIGN -> held.foreignReason();
                default -> leadership.isHeld() ? versions.lastError() : leadership.lastError();
            });
    }

    private boolean isCommanded()
    {
        return PlaneMode.DOWN != mode && PlaneMode.FENCED != mode;
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
