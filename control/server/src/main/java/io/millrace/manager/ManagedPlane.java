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
import io.millrace.control.state.StatePlan;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.manager.store.StateStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.agrona.concurrent.NanoClock;

/**
 * One data plane of a manager: brings it to what it should be and keeps it there, passes on what is asked of it. Never
 * waits; belongs to the manager's thread.
 *
 * <pre>
 *   DOWN --session--&gt; TAKING --term on disk--&gt; SERVING
 *                                              |   ^  ^
 *           on connect, on events, every 10 s  |   |  +--&gt; CHANGING  several commands as one
 *                                              v   |
 *                                            COMPARING
 *   any --session lost--&gt; DOWN        any --a later manager--&gt; SUPERSEDED
 * </pre>
 * Changes of one command go out one behind the other while it is SERVING. What must not meet them begins when all are
 * answered, and they wait meanwhile.
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
        /** A change of several commands is carried out. */
        CHANGING,
        /** Another manager is in charge: it is looked at, and not commanded. */
        SUPERSEDED
    }

    private static final long COMPARE_INTERVAL_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long COMPARE_SOON_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long OWN_EVENTS_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long BACKOFF_MIN_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long BACKOFF_MAX_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long WATCH_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    /** Something that is to be sent behind the changes that came before it. */
    private record Waiting(long accepted, Runnable task)
    {
    }

    private final PlaneConfig config;
    private final String managerName;
    private final long downAfterNs;
    private final StateStore store;
    private final WorkThread work;
    private final NanoClock clock;
    private final PlaneOwner owner;
    private final Ledger ledger;
    private final PlaneLink link;
    private final Progress progress = new Progress();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final ArrayDeque<Runnable> behindReading = new ArrayDeque<>();
    private boolean isReading;
    private List<Runnable> afterComparing = new ArrayList<>();
    private Mode mode = Mode.DOWN;
    private long session;
    private long term;
    private boolean isSuperseded;
    private int outstanding;
    private boolean wantsCompare;
    private boolean isAdopting;
    private boolean isInOrder;
    private long compareDueNs;
    private long backoffNs = BACKOFF_MIN_NS;
    private long ownChangeNs;
    private Census census;
    private PlanRun run;
    private long takeDueNs;
    private boolean isTaking;
    private long termSeen;
    private boolean wasSeen;
    private boolean isDeclaredDown;
    private long downSinceNs;
    private long watchDueNs;
    private long appliedVersion;
    private int differences;
    private String refusal = "";

    /** Opens no session yet; throws ControlSettingException when a setting of the client cannot be had. */
    ManagedPlane(
        final PlaneConfig config,
        final String managerName,
        final long downAfterNs,
        final StateStore store,
        final WorkThread work,
        final NanoClock clock,
        final PlaneOwner owner)
    {
        this.config = config;
        this.managerName = managerName;
        this.downAfterNs = downAfterNs;
        this.store = store;
        this.work = work;
        this.clock = clock;
        this.owner = owner;
        this.downSinceNs = clock.nanoTime();
        this.watchDueNs = downSinceNs;
        this.ledger = new Ledger(
            store, work, (change, reply) -> owner.onFinished(config.name(), change, reply), this::log);
        this.link = new PlaneLink(config, managerName, clock, this);
    }

    String name()
    {
        return config.name();
    }

    Ledger ledger()
    {
        return ledger;
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
        count += releaseWaiting();
        watch(nowNs);
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
                ledger.takeBackAll(superseded());
                yield 0;
            }
            case TAKING ->
            {
                if (!isTaking && nowNs - takeDueNs >= 0)
                {
                    take();
                }
                yield 0;
            }
            case SERVING -> serve(nowNs);
            case COMPARING -> advanceComparing(nowNs);
            case CHANGING -> advanceChanging();
        };
    }

    private int serve(final long nowNs)
    {
        if (isInOrder && appliedVersion != ledger.version() && ledger.isSettled())
        {
            appliedVersion = ledger.version();
        }
        wantsCompare = wantsCompare || nowNs - compareDueNs >= 0;
        if (!wantsCompare)
        {
            return pump();
        }
        if (0 != outstanding || isAdopting)
        {
            return 0;
        }
        wantsCompare = false;
        mode = Mode.COMPARING;
        census = new Census(link::submit);
        run = null;
        return 1;
    }

    /** Sends the changes that may go, one behind the other. */
    private int pump()
    {
        int count = 0;
        while (outstanding < PlaneLink.WINDOW)
        {
            final ChangeRequest change = ledger.peekReady();
            if (null == change || !change.isOne() && 0 != outstanding)
            {
                return count;
            }
            count++;
            if (!change.isOne())
            {
                final DesiredState before = ledger.keptState();
                mode = Mode.CHANGING;
                run = new PlanRun(work,
                    () -> StatePlan.between(before, change.applyTo(before.edit()).state()),
                    StageRunner.OnRefusal.STOP, link::submit, PlaneLink.WINDOW);
                return count;
            }
            ledger.onSent();
            outstanding++;
            final long sentIn = session;
            link.submit(change.request()).onDone((call) ->
            {
                if (sentIn == session)
                {
                    onAnswered(change, call);
                }
            });
        }
        return count;
    }

    private void onAnswered(final ChangeRequest change, final Call call)
    {
        link.touch();
        outstanding--;
        ownChangeNs = clock.nanoTime();
        if (change.isSettled())
        {
            // With all others, when one of them told of a later manager.
            return;
        }
        switch (call.code())
        {
            case OK -> ledger.confirm(change, new Reply(Code.OK, call.value(), call.text()));
            case STALE_TERM ->
            {
                ledger.takeBack(change, StageRunner.replyOf(call));
                supersede(call.text());
            }
            case NULL_VAL ->
            {
                ledger.confirm(change, change.ok("kept, but data plane " + name() + " did not say whether it is " +
                    "carried out (" + call.text() + "); it is being compared"));
                isInOrder = false;
                wantsCompare = true;
            }
            default -> ledger.takeBack(change, StageRunner.replyOf(call));
        }
    }

    private int advanceChanging()
    {
        final int count = run.poll();
        if (!run.isDone())
        {
            return count;
        }
        final Reply refused = run.refusal();
        final ChangeRequest change = ledger.peekReady();
        run = null;
        ledger.onSent();
        mode = Mode.SERVING;
        ownChangeNs = clock.nanoTime();
        if (null == refused)
        {
            ledger.confirm(change, change.ok(""));
            return count + 1;
        }
        if (Code.STALE_TERM == refused.code())
        {
            ledger.takeBack(change, refused);
            supersede(refused.text());
            return count + 1;
        }
        // Answered when no version has it any more, and what was done of it is undone.
        final int[] open = {2};
        final Runnable part = () ->
        {
            if (0 == --open[0])
            {
                owner.onFinished(name(), change, refused);
            }
        };
        ledger.takeBack(change, refused, part);
        afterComparing.add(part);
        isInOrder = false;
        wantsCompare = true;
        return count + 1;
    }

    private int advanceComparing(final long nowNs)
    {
        if (!census.isDone())
        {
            return 0;
        }
        link.touch();
        if (null != census.refusal())
        {
            onNotCompared(census.refusal(), nowNs);
            return 1;
        }
        if (!ledger.isKnown())
        {
            adopt(DesiredState.of(census.resources()));
            return 1;
        }
        if (null == run)
        {
            final Census taken = census;
            final DesiredState desired = ledger.keptState();
            run = new PlanRun(work, () -> Mending.plan(DesiredState.of(taken.resources()), desired),
                StageRunner.OnRefusal.GO_ON, link::submit, PlaneLink.WINDOW);
        }
        final int count = run.poll();
        if (run.isDone())
        {
            onCompared(nowNs);
            return count + 1;
        }
        return count;
    }

    private void onNotCompared(final Reply reply, final long nowNs)
    {
        if (Code.STALE_TERM == reply.code())
        {
            supersede(reply.text());
            return;
        }
        tellRefusal("it does not tell what it is: " + reply.text());
        backOff(nowNs);
        endComparing();
    }

    private void onCompared(final long nowNs)
    {
        final StatePlan plan = run.plan();
        final Reply refused = run.refusal();
        if (null != refused && Code.STALE_TERM == refused.code())
        {
            supersede(refused.text());
            return;
        }
        final List<String> obstacles = null == plan ? List.of() : plan.obstacles();
        differences = run.refusedCount() + obstacles.size();
        isInOrder = 0 == differences;
        final int steps = null == plan ? 0 : plan.steps().size();
        if (steps > 0)
        {
            ownChangeNs = nowNs;
            log(steps + " steps to be as version " + ledger.version() +
                (0 == run.refusedCount() ? "" : ", " + run.refusedCount() + " of them refused"));
            owner.onManaged(name(), Change.CHANGED, steps + " differences to version " + ledger.version() +
                " were found" + (0 == differences ? " and put right" : ", " + differences + " are left"));
        }
        if (0 == differences)
        {
            refusal = "";
            backoffNs = BACKOFF_MIN_NS;
            compareDueNs = nowNs + COMPARE_INTERVAL_NS;
        }
        else
        {
            tellRefusal(null != refused ? refused.text() : obstacles.getFirst());
            backOff(nowNs);
        }
        endComparing();
    }

    private void tellRefusal(final String text)
    {
        if (!text.equals(refusal))
        {
            log("refused: " + text);
            owner.onManaged(name(), Change.REFUSED, text);
        }
        refusal = text;
    }

    private void backOff(final long nowNs)
    {
        compareDueNs = nowNs + backoffNs;
        backoffNs = Math.min(BACKOFF_MAX_NS, 2 * backoffNs);
    }

    private void endComparing()
    {
        census = null;
        run = null;
        if (Mode.COMPARING == mode)
        {
            mode = Mode.SERVING;
        }
        final List<Runnable> tasks = afterComparing;
        afterComparing = new ArrayList<>();
        tasks.forEach(Runnable::run);
    }

    private void adopt(final DesiredState found)
    {
        // Nothing is accepted and nothing compared until it is written.
        isAdopting = true;
        endComparing();
        ledger.adopt(found, managerName, (failure) ->
        {
            isAdopting = false;
            compareDueNs = clock.nanoTime() + (null == failure ? 0 : BACKOFF_MIN_NS);
            log(null == failure ? "seen for the first time: what it has is version " + ledger.version() + " (" + found +
                ")" : "what it has cannot be kept: " + Ledger.reason(failure));
        });
    }

    /** Takes a change in; answers why not, or null. */
    Reply accept(final ChangeRequest change)
    {
        final Reply forbidden = refusalOfChanges();
        final Reply refused = null == forbidden ? ledger.accept(change) : forbidden;
        if (null == refused)
        {
            // What was refused may be different now.
            backoffNs = BACKOFF_MIN_NS;
        }
        return refused;
    }

    /** Why no change at all is taken in; null: they are. */
    Reply refusalOfChanges()
    {
        return isSuperseded ? superseded() : ledger.isKnown() ? null : Reply.refused(Code.FAILED, "data plane " +
            name() + " was never connected, so that what it has is not known; start it, then try again");
    }

    /** Reads what it should have been; what is to be {@link #inOrder} waits for it. */
    void read(final long version, final BiConsumer<DesiredState, Throwable> then)
    {
        isReading = true;
        work.run(() -> store.read(version).state(), (state, failure) ->
        {
            isReading = false;
            then.accept(state, failure);
            while (!isReading && !behindReading.isEmpty())
            {
                behindReading.removeFirst().run();
            }
        });
    }

    /** Does something behind what was asked for before it, though it is not known yet what that comes to. */
    <T> CompletableFuture<T> inOrder(final Supplier<CompletableFuture<T>> task)
    {
        if (!isReading)
        {
            return task.get();
        }
        final CompletableFuture<T> future = new CompletableFuture<>();
        behindReading.addLast(() -> complete(future, task.get()));
        return future;
    }

    private static <T> void complete(final CompletableFuture<T> future, final CompletableFuture<T> from)
    {
        from.whenComplete((value, failure) ->
        {
            if (null == failure)
            {
                future.complete(value);
            }
            else
            {
                future.completeExceptionally(failure);
            }
        });
    }

    private Reply superseded()
    {
        return Reply.refused(Code.STALE_TERM, "another manager is in charge of data plane " + name() +
            ": command that one, or start this one again to take over");
    }

    /** Passes a command on that is not kept, behind the changes before it. */
    CompletableFuture<Reply> carryOut(final Command command, final CommandId id)
    {
        return behindChanges(() -> isSuperseded ?
            CompletableFuture.completedFuture(superseded()) : link.carryOut(command, id));
    }

    /** Passes a List on, behind the changes before it. */
    CompletableFuture<Listing<?>> list(final Command.List list)
    {
        return behindChanges(() -> link.list(list));
    }

    /** Lists at once, whatever is on its way; there has to be a session. */
    Call look(final Kind kind)
    {
        return link.submit(new Command.List(kind, ""));
    }

    private <T> CompletableFuture<T> behindChanges(final Supplier<CompletableFuture<T>> ask)
    {
        if (ledger.accepted() == ledger.forwarded() && waiting.isEmpty())
        {
            return ask.get();
        }
        final CompletableFuture<T> future = new CompletableFuture<>();
        waiting.addLast(new Waiting(ledger.accepted(), () -> complete(future, ask.get())));
        return future;
    }

    private int releaseWaiting()
    {
        int count = 0;
        while (!waiting.isEmpty() && waiting.peekFirst().accepted() <= ledger.forwarded())
        {
            waiting.removeFirst().task().run();
            count++;
        }
        return count;
    }

    @Override
    public void onConnected(final SessionInfo info)
    {
        session++;
        outstanding = 0;
        wasSeen = true;
        isInOrder = false;
        link.touch();
        progress.clear();
        termSeen = info.term();
        log("connected to " + info.dataPlaneName() + " at " + config.address());
        owner.onManaged(name(), Change.CONNECTED, "");
        if (isDeclaredDown)
        {
            isDeclaredDown = false;
            owner.onDown(name(), false, "connected again");
        }
        if (isSuperseded || 0 != term && info.term() > term)
        {
            supersede("term " + info.term() + " is above " + term);
        }
        else if (0 == term)
        {
            mode = Mode.TAKING;
            takeDueNs = clock.nanoTime();
        }
        else
        {
            link.term(term);
            beginServing();
        }
    }

    private void beginServing()
    {
        mode = Mode.SERVING;
        wantsCompare = true;
        backoffNs = BACKOFF_MIN_NS;
    }

    /** A term above all that are known, on disk before it is used. */
    private void take()
    {
        isTaking = true;
        final long takenIn = session;
        final long wanted = Math.max(store.term(), termSeen) + 1;
        work.run(() ->
        {
            store.term(wanted);
            return wanted;
        }, (taken, failure) ->
        {
            isTaking = false;
            takeDueNs = clock.nanoTime() + (null == failure ? 0 : BACKOFF_MIN_NS);
            if (null != failure)
            {
                log("term cannot be kept, nothing is commanded: " + Ledger.reason(failure));
            }
            else if (takenIn == session && Mode.TAKING == mode)
            {
                term = taken;
                link.term(term);
                log("in charge with term " + term);
                beginServing();
            }
        });
    }

    private void supersede(final String reason)
    {
        if (!isSuperseded)
        {
            isSuperseded = true;
            log("another manager is in charge (" + reason +
                "): commanding it no more; start this one again to take over");
            owner.onManaged(name(), Change.CHANGED, "another manager is in charge: " + reason);
        }
        mode = Mode.SUPERSEDED;
        // A session may look whatever the term, when it says none.
        link.term(0);
        run = null;
        ledger.takeBackAll(superseded());
        endComparing();
    }

    @Override
    public void onDisconnected(final String reason)
    {
        session++;
        outstanding = 0;
        run = null;
        mode = Mode.DOWN;
        downSinceNs = clock.nanoTime();
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
        final long nowNs = clock.nanoTime();
        final boolean isOwn = 0 != outstanding || nowNs - ownChangeNs < OWN_EVENTS_NS;
        if (Mode.SERVING == mode && !isOwn && Census.isKept(event.kind()) &&
            compareDueNs - (nowNs + COMPARE_SOON_NS) > 0)
        {
            compareDueNs = nowNs + COMPARE_SOON_NS;
        }
    }

    @Override
    public void onEventsLost(final long count)
    {
        owner.onEventsLost(name());
        wantsCompare = true;
    }

    private void watch(final long nowNs)
    {
        if (Mode.DOWN == mode && !isDeclaredDown && nowNs - downSinceNs >= downAfterNs)
        {
            isDeclaredDown = true;
            owner.onDown(name(), true, link.trouble());
        }
        if (nowNs - watchDueNs >= 0)
        {
            watchDueNs = nowNs + WATCH_INTERVAL_NS;
            if (link.isConnected())
            {
                final long askedIn = session;
                link.submit(new Command.List(Kind.REACTOR, "")).onDone((call) ->
                {
                    if (askedIn == session && Code.OK == call.code())
                    {
                        link.touch();
                        watchReactors(call);
                    }
                });
            }
        }
    }

    private void watchReactors(final Call call)
    {
        final String before = progress.stall();
        progress.sample(call.resources(), clock.nanoTime());
        if (before.isEmpty() != progress.stall().isEmpty())
        {
            final String text = progress.stall().isEmpty() ? "all reactors make progress again" : progress.stall();
            log(text);
            owner.onManaged(name(), Change.CHANGED, text);
        }
    }

    private Health health()
    {
        return Mode.DOWN == mode ? wasSeen || ledger.isKnown() ? Health.DOWN : Health.UNSEEN :
            isSuperseded ? Health.SUPERSEDED :
            !progress.stall().isEmpty() ? Health.STALLED :
            0 == differences && appliedVersion == ledger.version() && ledger.isKnown() ? Health.WELL : Health.DIFFERENT;
    }

    /** The record of it. */
    ManagedInfo info()
    {
        final Health health = health();
        return new ManagedInfo(name(), Mode.DOWN != mode, health,
            TimeUnit.SECONDS.toNanos(link.seen().getEpochSecond()) + link.seen().getNano(), term, ledger.version(),
            appliedVersion, differences, config.address(), refusal,
            switch (health)
            {
                case DOWN, UNSEEN -> link.trouble();
                case STALLED -> progress.stall();
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
