package io.millrace.manager;

import io.millrace.console.Version;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.PeerType;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.service.Caller;
import io.millrace.control.service.ControlBackend;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.control.service.ServiceEvent;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateRecords;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.manager.metrics.PlaneRecords;
import io.millrace.manager.store.AuditEntry;
import io.millrace.manager.store.AuditLog;
import io.millrace.manager.store.StateStore;
import io.millrace.manager.store.VersionHeader;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.CloseHelper;
import org.agrona.concurrent.NanoClock;

/**
 * Backend of a manager of several data planes: changes of the desired state go through the ledger of the data plane,
 * transient commands are forwarded. All on the thread of the service.
 */
final class ManagerBackend implements ControlBackend, PlaneListener
{
    private static final int EVENTS_MAX = 32 * 1024;

    private final ManagerConfig config;
    private final UUID id = UUID.randomUUID();
    private final PeerInfo peer = PeerInfo.own(PeerType.MANAGER, Version.number());
    private final WorkThread work = new WorkThread("millrace-state");
    private final NanoClock clock;
    private final Consumer<String> log;
    private final AuditWriter audit;
    private final HookRunner hooks;
    private final Caller self;
    private final MetricsCache records;
    private final RecentCommands recent = new RecentCommands();
    private final Map<String, ManagedPlane> planes = new LinkedHashMap<>();
    private final Map<Long, StagedChange> staged = new HashMap<>();
    private final StateReplacements replacements;
    private final ArrayDeque<ServiceEvent> events = new ArrayDeque<>();
    private long lostEvents;

    /** Throws ControlSettingException if the settings of a data plane are invalid. */
    ManagerBackend(
        final ManagerConfig config,
        final Map<String, StateStore> stores,
        final ControllerIdRanges controllerIds,
        final AuditLog auditLog,
        final NanoClock clock,
        final Consumer<String> log)
    {
        this.config = config;
        this.clock = clock;
        this.log = log;
        audit = new AuditWriter(auditLog, work, log);
        replacements = new StateReplacements(this::accept, this::refuse, clock);
        hooks = new HookRunner(config.hooks(), config.control().directory());
        self = new Caller(0, Role.ADMIN, config.name(), "", "");
        for (final PlaneConfig each : config.dataPlanes())
        {
            final StateStore store = stores.get(each.name());
            recent.add(store.history());
            planes.put(each.name(),
                new ManagedPlane(each, self(config), controllerIds.of(each.name()),
                    config.hooks().downAfterNs(), store, work, clock, this));
        }
        records = new MetricsCache(planes.values(), clock);
    }

    /** Identity of this manager for data planes. */
    private Command.TakeTerm self(final ManagerConfig of)
    {
        return new Command.TakeTerm(0, id, of.name(), of.control().directory().toString());
    }

    int dataPlaneCount()
    {
        return planes.size();
    }

    /** Data planes that are not connected now, each with the reason; any thread. */
    List<String> unreachable()
    {
        return planes.values().stream().map(ManagedPlane::unreachable).filter(Objects::nonNull).toList();
    }

    /** Records of all data planes, for any other thread. */
    Supplier<List<PlaneRecords>> records()
    {
        return records;
    }

    @Override
    public String name()
    {
        return config.name();
    }

    @Override
    public PeerInfo peer()
    {
        return peer;
    }

    @Override
    public UUID id()
    {
        return id;
    }

    @Override
    public String dataPlane(final String wanted)
    {
        if (wanted.isEmpty())
        {
            return 1 == planes.size() ? planes.keySet().iterator().next() : "";
        }
        if (!planes.containsKey(wanted))
        {
            throw new ControlException(Code.NOT_FOUND,
                "no data plane " + wanted + " here; this manager has " + String.join(", ", planes.keySet()));
        }
        return wanted;
    }

    @Override
    public boolean mayTakeLong(final Command command)
    {
        return false;
    }

    @Override
    public CompletableFuture<Reply> carryOut(
        final Caller caller, final CommandId commandId, final long term, final Command command)
    {
        final Reply known = recent.replyTo(commandId, command);
        if (null != known)
        {
            return CompletableFuture.completedFuture(known);
        }
        final ManagedPlane plane = planes.get(caller.dataPlane());
        if (null == plane)
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.INVALID,
                "which data plane? name one with --data-plane: " + String.join(", ", planes.keySet())));
        }
        return plane.order().inOrder(() -> carryOut(caller, commandId, plane, command));
    }

    private CompletableFuture<Reply> carryOut(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command command)
    {
        return switch (command)
        {
            case final Command.BeginChange begin -> begin(caller, plane, begin);
            case final Command.CommitChange commit -> commit(caller, commandId, plane, commit);
            case Command.AbandonChange _ -> CompletableFuture.completedFuture(
                null == staged.remove(caller.sessionId()) ? notBegun() : Reply.OK);
            case final Command.Reconcile reconcile -> reconcile(caller, plane, reconcile);
            case final Command.Rollback rollback -> rollback(caller, commandId, plane, rollback);
            case final Command.AddDocumentPart part ->
                CompletableFuture.completedFuture(replacements.add(caller, part));
            case final Command.ReplaceState replace -> replace(caller, commandId, plane, replace);
            default -> DesiredState.changesDesiredState(command) ?
                keep(caller, commandId, plane, command) : passOn(caller, commandId, plane, command);
        };
    }

    private CompletableFuture<Reply> replace(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command.ReplaceState replace)
    {
        if (staged.containsKey(caller.sessionId()))
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.INVALID,
                "a change was begun in this session: commit or abandon it first"));
        }
        final Reply unknown = 0 == replace.fromVersion() ? null : unknownVersion(plane, replace.fromVersion());
        if (null != unknown)
        {
            plane.ledger().refusals().add(commandId, unknown);
            return CompletableFuture.completedFuture(unknown);
        }
        return replacements.replace(caller, commandId, plane, replace);
    }

    /** Null when the version is kept. */
    private static Reply unknownVersion(final ManagedPlane plane, final long version)
    {
        final List<VersionHeader> history = plane.ledger().history();
        return history.stream().anyMatch((each) -> each.version() == version) ? null :
            Reply.refused(Code.NOT_FOUND, "no version " + version +
                (history.isEmpty() ? " of data plane " + plane.name() : "; there are " + history.getFirst().version() +
                    " to " + history.getLast().version()));
    }

    private CompletableFuture<Reply> refuse(final ManagedPlane plane, final ChangeRequest change, final Reply reply)
    {
        onFinished(plane.name(), change, reply);
        return change.future();
    }

    private static Reply notBegun()
    {
        return Reply.refused(Code.INVALID, "no change was begun in this session: begin one first");
    }

    private CompletableFuture<Reply> begin(
        final Caller caller, final ManagedPlane plane, final Command.BeginChange begin)
    {
        if (staged.containsKey(caller.sessionId()))
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.INVALID,
                "a change was begun in this session already: commit or abandon it first"));
        }
        final Reply refused = plane.refusalOfChanges();
        if (null != refused)
        {
            return CompletableFuture.completedFuture(refused);
        }
        staged.put(caller.sessionId(), new StagedChange(begin.comment(), plane.ledger().tipState().edit()));
        return CompletableFuture.completedFuture(Reply.OK);
    }

    private CompletableFuture<Reply> keep(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command command)
    {
        final StagedChange change = staged.get(caller.sessionId());
        if (null == change)
        {
            final String noChange = plane.ledger().isKnown() && null == plane.refusalOfChanges() ?
                plane.ledger().noChange(command) : "";
            if (!noChange.isEmpty())
            {
                return unchanged(caller, commandId, plane, command, noChange);
            }
            return accept(plane, ChangeRequest.ofOne(caller, commandId, command));
        }
        if (change.isFull())
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.OVERLOADED,
                change.commands().size() + " commands in one change are too many: commit it and begin another"));
        }
        try
        {
            return CompletableFuture.completedFuture(new Reply(Code.OK, 0, change.add(command)));
        }
        catch (final ControlException e)
        {
            return CompletableFuture.completedFuture(Reply.refused(e.code(), e.getMessage()));
        }
    }

    /**
     * The command does not change the desired state. It is sent to the data plane nevertheless, since that may have
     * drifted. If the data plane does not answer, the next session compares it.
     */
    private CompletableFuture<Reply> unchanged(
        final Caller caller,
        final CommandId commandId,
        final ManagedPlane plane,
        final Command command,
        final String noChange)
    {
        final Reply same = new Reply(Code.OK, ChangeRequest.valueOf(command, 0), noChange);
        // Recorded, so that a repetition after a restart is not applied to a later state.
        plane.ledger().refusals().add(commandId, same);
        // Not after unsent changes: a later one could be sent with them and be reverted by it.
        final boolean isNext = plane.ledger().accepted() == plane.ledger().forwarded();
        final CompletableFuture<Reply> asked = isNext && plane.isConnected() ?
            plane.carryOut(plane.ledger().asDesired(command), commandId) : CompletableFuture.completedFuture(same);
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        asked.whenComplete((answer, failure) ->
        {
            final Reply reply = null == failure ? unchanged(plane, same, command, answer) : same;
            audit.add(caller, plane.name(), CommandDescriptions.of(command), 0, reply, () -> future.complete(reply));
        });
        return future;
    }

    /** A refusal does not affect the desired state: the data plane has drifted and is reconciled. */
    private static Reply unchanged(
        final ManagedPlane plane, final Reply same, final Command command, final Reply answer)
    {
        if (Code.STALE_TERM == answer.code())
        {
            // A term of another manager, or a later one of this manager in a new session.
            final Reply refusal = plane.refusalOfChanges();
            return null == refusal ? same : refusal;
        }
        if (Code.OK == answer.code())
        {
            return answer.text().isEmpty() ?
                new Reply(Code.OK, answer.value(), "drift of the data plane was repaired") :
                same;
        }
        return StageRunner.isGone(command, answer.code()) ? same :
            new Reply(Code.OK, same.value(), same.text() + "; the data plane has drifted: " + answer.text());
    }

    private CompletableFuture<Reply> commit(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command.CommitChange commit)
    {
        final StagedChange change = staged.remove(caller.sessionId());
        if (null == change)
        {
            return CompletableFuture.completedFuture(notBegun());
        }
        if (change.commands().isEmpty())
        {
            return CompletableFuture.completedFuture(
                new Reply(Code.OK, plane.ledger().version(), "no changes"));
        }
        return accept(plane,
            ChangeRequest.ofMany(caller, commandId, commit, change.commands(), change.comment()));
    }

    private CompletableFuture<Reply> reconcile(
        final Caller caller, final ManagedPlane plane, final Command.Reconcile reconcile)
    {
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        plane.reconcile(reconcile.mode()).thenAccept((reply) -> audit.add(caller, plane.name(),
            CommandDescriptions.of(reconcile), plane.ledger().version(), reply, () -> future.complete(reply)));
        return future;
    }

    private CompletableFuture<Reply> rollback(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command.Rollback rollback)
    {
        if (staged.containsKey(caller.sessionId()))
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.INVALID,
                "a change was begun in this session: commit or abandon it first"));
        }
        final Reply refused = unknownVersion(plane, rollback.version());
        if (null != refused)
        {
            plane.ledger().refusals().add(commandId, refused);
            return CompletableFuture.completedFuture(refused);
        }
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        plane.order().read(rollback.version(), (state, failure) ->
        {
            final CompletableFuture<Reply> done = null == failure ?
                accept(plane, ChangeRequest.toState(
                    caller, commandId, rollback, state, "rolled back to version " + rollback.version())) :
                CompletableFuture.completedFuture(Reply.refused(Code.FAILED,
                    "version " + rollback.version() + " cannot be read: " + Ledger.reason(failure)));
            done.thenAccept(future::complete);
        });
        return future;
    }

    private CompletableFuture<Reply> accept(final ManagedPlane plane, final ChangeRequest change)
    {
        final Reply refused = plane.accept(change);
        return null == refused ? change.future() : refuse(plane, change, refused);
    }

    @Override
    public void onFinished(final String dataPlane, final ChangeRequest change, final Reply reply)
    {
        final String words = change.isOne() ? CommandDescriptions.of(change.request()) :
            CommandDescriptions.of(change.request()) + ": " + change.comment();
        audit.add(change.caller(), dataPlane, words, change.version(), reply, () -> change.future().complete(reply));
    }

    private CompletableFuture<Reply> passOn(
        final Caller caller, final CommandId commandId, final ManagedPlane plane, final Command command)
    {
        if (staged.containsKey(caller.sessionId()))
        {
            return CompletableFuture.completedFuture(Reply.refused(Code.INVALID, "'" + CommandDescriptions.of(command) +
                "' is transient and cannot be part of a change: commit or abandon the change first"));
        }
        final CompletableFuture<Reply> future = new CompletableFuture<>();
        plane.carryOut(command, commandId).whenComplete((answer, failure) ->
        {
            final Reply reply = null == failure ? answer :
                failure instanceof final ControlException e ? Reply.refused(e.code(), e.getMessage()) :
                Reply.refused(Code.FAILED, Ledger.reason(failure));
            audit.add(caller, plane.name(), CommandDescriptions.of(command), 0, reply, () -> future.complete(reply));
        });
        return future;
    }

    @Override
    public CompletableFuture<Listing<?>> list(final Caller caller, final Command.List list)
    {
        final Kind kind = list.kind();
        final String name = Kind.VERSION == kind || Kind.AUDIT == kind || Kind.MANAGED == kind || Kind.DRIFT == kind ?
            list.name() : "";
        if (!name.isEmpty() && !planes.containsKey(name))
        {
            return CompletableFuture.failedFuture(new ControlException(Code.NOT_FOUND,
                "no data plane " + name + " here; this manager has " + String.join(", ", planes.keySet())));
        }
        final String only = name.isEmpty() ? caller.dataPlane() : name;
        if (Command.List.ACTUAL != list.version() && StateRecords.KINDS.contains(kind))
        {
            return only.isEmpty() ? whichDataPlane() :
                planes.get(only).order().inOrder(() -> desired(planes.get(only), list));
        }
        return switch (kind)
        {
            case MANAGED -> CompletableFuture.completedFuture(new Listing<>(
                planes.values().stream().filter((each) -> only.isEmpty() || only.equals(each.name())).toList(),
                ManagedPlane::info));
            case DRIFT -> CompletableFuture.completedFuture(new Listing<>(
                planes.values().stream().filter((each) -> only.isEmpty() || only.equals(each.name()))
                    .flatMap((each) -> each.drift().stream()).toList(), (each) -> each));
            case AUDIT -> CompletableFuture.completedFuture(new Listing<>(
                audit.recent().stream().filter((each) -> only.isEmpty() || only.equals(each.dataPlane())).toList(),
                AuditEntry::info));
            case PLAN -> only.isEmpty() ? whichDataPlane() : planes.get(only).order().inOrder(() ->
                replacements.steps(caller).thenApply((steps) -> new Listing<>(steps, (step) -> step)));
            case VERSION -> only.isEmpty() ? whichDataPlane() : CompletableFuture.completedFuture(new Listing<>(
                planes.get(only).ledger().history(), (header) -> header.info(only)));
            default -> only.isEmpty() ? whichDataPlane() :
                planes.get(only).order().inOrder(() -> planes.get(only).list(list));
        };
    }

    /** Of the desired state, that of now or an earlier one. */
    private static CompletableFuture<Listing<?>> desired(final ManagedPlane plane, final Command.List list)
    {
        if (Command.List.DESIRED == list.version())
        {
            return plane.ledger().isKnown() ? listing(plane.ledger().keptState(), list) :
                CompletableFuture.failedFuture(new ControlException(Code.FAILED, "data plane " + plane.name() +
                    " was never connected, so its desired state is unknown; start it, then try again"));
        }
        final Reply unknown = unknownVersion(plane, list.version());
        if (null != unknown)
        {
            return CompletableFuture.failedFuture(new ControlException(unknown.code(), unknown.text()));
        }
        final CompletableFuture<Listing<?>> future = new CompletableFuture<>();
        plane.order().read(list.version(), (state, failure) ->
        {
            if (null == failure)
            {
                listing(state, list).whenComplete((listing, refusal) -> complete(future, listing, refusal));
            }
            else
            {
                future.completeExceptionally(new ControlException(Code.FAILED,
                    "version " + list.version() + " cannot be read: " + Ledger.reason(failure)));
            }
        });
        return future;
    }

    private static <T> void complete(final CompletableFuture<T> future, final T value, final Throwable failure)
    {
        if (null == failure)
        {
            future.complete(value);
        }
        else
        {
            future.completeExceptionally(failure);
        }
    }

    private static CompletableFuture<Listing<?>> listing(final DesiredState state, final Command.List list)
    {
        final List<Resource> records = StateRecords.of(state, list.kind(), list.name());
        return null == records ? CompletableFuture.failedFuture(new ControlException(Code.NOT_FOUND,
            (Kind.DEVICE == list.kind() ? "device " : "subsystem ") + list.name() +
            ": is not in the desired state; 'millrace get' lists it")) :
            CompletableFuture.completedFuture(new Listing<>(records, (record) -> record));
    }

    private CompletableFuture<Listing<?>> whichDataPlane()
    {
        return CompletableFuture.failedFuture(new ControlException(Code.INVALID,
            "which data plane? name one with --data-plane: " + String.join(", ", planes.keySet())));
    }

    @Override
    public ServiceEvent pollEvent()
    {
        return events.pollFirst();
    }

    @Override
    public long takeLostEvents()
    {
        final long lost = lostEvents;
        lostEvents = 0;
        return lost;
    }

    private void publish(final ServiceEvent event)
    {
        if (events.size() >= EVENTS_MAX)
        {
            lostEvents++;
        }
        else
        {
            events.addLast(event);
        }
    }

    @Override
    public void onEvent(final String dataPlane, final ControlEvent event)
    {
        publish(new ServiceEvent(dataPlane, event.epochNs(), event.kind(), event.change(), event.name(), event.text()));
    }

    @Override
    public void onEventsLost(final String dataPlane)
    {
        lostEvents++;
    }

    @Override
    public void onManaged(final String dataPlane, final Change change, final String text)
    {
        final Instant now = Instant.now();
        publish(new ServiceEvent("", TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano(), Kind.MANAGED,
            change,
            dataPlane, text));
    }

    @Override
    public void onReconciled(final String dataPlane, final String words, final long version, final Reply reply)
    {
        audit.add(self, dataPlane, words, version, reply, () ->
        {
        });
    }

    @Override
    public void onDown(final String dataPlane, final boolean isDown, final String reason)
    {
        log.accept(dataPlane + ": " + (isDown ? "down: " + reason : "up: " + reason));
        if (!hooks.run(dataPlane, isDown, reason))
        {
            log.accept(dataPlane + ": hook not run, " + HookRunner.WAITING_MAX + " wait already");
        }
    }

    @Override
    public void log(final String line)
    {
        log.accept(line);
    }

    @Override
    public int poll()
    {
        final long nowNs = clock.nanoTime();
        int count = work.poll() + replacements.poll();
        for (final ManagedPlane each : planes.values())
        {
            count += each.poll(nowNs);
        }
        pollHooks();
        records.poll();
        return count + audit.poll();
    }

    private void pollHooks()
    {
        for (String line = hooks.pollOutput(); null != line; line = hooks.pollOutput())
        {
            log.accept(line);
        }
        for (HookRunner.Result result = hooks.poll(); null != result; result = hooks.poll())
        {
            log.accept(result.dataPlane() + ": hook " + result.hook() + " (" + result.program() + "): " +
                result.text());
            audit.add(self, result.dataPlane(), "hook " + result.hook() + ' ' + result.program(), 0,
                new Reply(0 == result.exitCode() ? Code.OK : Code.FAILED, 0, result.text()), () ->
                {
                });
        }
    }

    @Override
    public void onRefused(final Caller caller, final Command command, final Reply reply)
    {
        audit.add(caller, caller.dataPlane(), CommandDescriptions.of(command), 0, reply, () ->
        {
        });
    }

    @Override
    public void onSessionClosed(final Caller caller)
    {
        final ManagedPlane plane = planes.get(caller.dataPlane());
        if (null != plane)
        {
            // After its pending requests, which may begin a change.
            plane.order().inOrder(() ->
            {
                replacements.onSessionClosed(caller);
                return CompletableFuture.completedFuture(staged.remove(caller.sessionId()));
            });
        }
    }

    /** A write in progress is completed. */
    @Override
    public void close()
    {
        hooks.close();
        audit.poll();
        replacements.close();
        work.close();
        CloseHelper.quietCloseAll(planes.values());
    }
}
