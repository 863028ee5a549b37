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
import io.millrace.control.message.PeerInfo;
import io.millrace.control.service.Caller;
import io.millrace.control.service.ControlBackend;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.control.service.ServiceEvent;
import io.millrace.manager.change.AuditWriter;
import io.millrace.manager.change.ChangeRequest;
import io.millrace.manager.change.CommandDescriptions;
import io.millrace.manager.change.RecentCommands;
import io.millrace.manager.change.WorkThread;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.manager.hook.HookRunner;
import io.millrace.manager.metrics.PlaneRecords;
import io.millrace.manager.plane.ManagedPlane;
import io.millrace.manager.plane.ManagedPlanes;
import io.millrace.manager.plane.PlaneListener;
import io.millrace.manager.store.AuditLog;
import io.millrace.manager.store.StateStore;
import java.time.Instant;
import java.util.ArrayDeque;
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
 * Backend of a manager of several data planes: its threads, logs, hooks and events. All on the thread of the service.
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
    private final ManagedPlanes planes = new ManagedPlanes();
    private final ManagerCommands commands;
    private final ManagerLists lists;
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
        final RecentCommands recent = new RecentCommands();
        commands = new ManagerCommands(planes, audit, recent, clock);
        lists = new ManagerLists(planes, audit, commands.replacements());
        hooks = new HookRunner(config.hooks(), config.control().directory());
        self = new Caller(0, Role.ADMIN, config.name(), "", "");
        for (final PlaneConfig each : config.dataPlanes())
        {
            final StateStore store = stores.get(each.name());
            recent.add(store.history());
            planes.add(new ManagedPlane(each, self(config), controllerIds.of(each.name()),
                config.hooks().downAfterNs(), store, work, clock, this));
        }
        records = new MetricsCache(planes.all(), clock);
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
        return planes.all().stream().map(ManagedPlane::unreachable).filter(Objects::nonNull).toList();
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
        return planes.resolve(wanted);
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
        return commands.carryOut(caller, commandId, command);
    }

    @Override
    public CompletableFuture<Listing<?>> list(final Caller caller, final Command.List list)
    {
        return lists.of(caller, list);
    }

    @Override
    public void onFinished(final String dataPlane, final ChangeRequest change, final Reply reply)
    {
        commands.finish(dataPlane, change, reply);
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
        int count = work.poll() + commands.poll();
        for (final ManagedPlane each : planes.all())
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
        commands.onSessionClosed(caller);
    }

    /** A write in progress is completed. */
    @Override
    public void close()
    {
        hooks.close();
        audit.poll();
        commands.close();
        work.close();
        CloseHelper.quietCloseAll(planes.all());
    }
}
