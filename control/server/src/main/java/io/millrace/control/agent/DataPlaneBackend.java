package io.millrace.control.agent;

import io.millrace.block.file.FileBounds;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.PeerType;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.service.Caller;
import io.millrace.control.service.ControlBackend;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.control.service.ServiceEvent;
import io.millrace.control.state.DesiredState;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.DataPlaneEvent;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Backend of one data plane. Without a manager every client may modify it; with a manager only that one.
 */
final class DataPlaneBackend implements ControlBackend
{
    private final String name;
    private final UUID id;
    private final ControlEvents events;
    private final Commands commands;
    private final Incarnations incarnations;
    private final Lists lists;
    private final PeerInfo peer;
    private final DataPlane dataPlane;
    private final ActiveManager manager;
    private final StatePersister keeper;

    DataPlaneBackend(
        final String name,
        final DataPlane dataPlane,
        final ControlEvents events,
        final ControlOwner owner,
        final PersistedState kept,
        final FileBounds bounds)
    {
        this.name = name;
        this.dataPlane = dataPlane;
        this.id = dataPlane.snapshot().id();
        this.events = events;
        this.incarnations = Incarnations.of(dataPlane, kept.state());
        this.commands = new Commands(dataPlane, owner, bounds, incarnations, kept.records());
        this.lists = new Lists(dataPlane, name, owner.version(), incarnations);
        this.peer = PeerInfo.own(PeerType.DATA_PLANE, owner.version());
        this.manager = new ActiveManager(name, kept.leadership());
        this.keeper = new StatePersister(kept.file(), manager, kept.state(), lists::state, dataPlane.controllers()::ids,
            SystemNanoClock.INSTANCE, owner::onError);
        if (kept.isImport())
        {
            manager.onDirectChange();
            keeper.requestWrite();
        }
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public UUID id()
    {
        return id;
    }

    @Override
    public PeerInfo peer()
    {
        return peer;
    }

    @Override
    public String dataPlane(final String wanted)
    {
        if (!wanted.isEmpty() && !wanted.equals(name))
        {
            throw new ControlException(
                Code.NOT_FOUND, "no data plane " + wanted + "; this data plane is " + name);
        }
        return name;
    }

    @Override
    public boolean mayTakeLong(final Command command)
    {
        return commands.mayTakeLong(command);
    }

    /** Any client may read the term, so it does not authenticate a manager. */
    @Override
    public boolean isManagerOnly(final long term, final Command command)
    {
        return switch (command)
        {
            case Command.TakeTerm _, Command.ApplyVersion _, Command.AssignControllerIds _ -> true;
            default -> term > 0 && Role.READ != command.role();
        };
    }

    @Override
    public CompletableFuture<Reply> carryOut(
        final Caller caller, final CommandId commandId, final long term, final Command command)
    {
        return switch (command)
        {
            case final Command.TakeTerm take -> keep(manager.take(take), take.newTerm());
            case final Command.ApplyVersion apply -> keep(manager.apply(term, apply), apply.position().version());
            default -> change(term, command);
        };
    }

    private CompletableFuture<Reply> keep(final Reply refused, final long value)
    {
        return null == refused ? keeper.keep(new Reply(Code.OK, value, "")) :
            CompletableFuture.completedFuture(refused);
    }

    private CompletableFuture<Reply> change(final long term, final Command asked)
    {
        final Reply refused = manager.refusal(term, asked);
        if (null != refused)
        {
            return CompletableFuture.completedFuture(refused);
        }
        final Command command = incarnations.named(asked);
        final boolean isDirect = manager.isDirect(term, command);
        if (isDirect)
        {
            manager.onDirectChange();
        }
        final CompletableFuture<Reply> carriedOut =
            commands.carryOut(command).thenApply((reply) -> incarnations.onDone(command, reply));
        if (manager.info().isManaged() && command instanceof Command.AssignControllerIds)
        {
            // Hosts may reconnect after a restart of this data plane before its manager does, so the controller ID
            // range is persisted.
            return carriedOut.thenCompose((reply) -> Code.OK == reply.code() ? keeper.keep(reply) :
                CompletableFuture.completedFuture(reply));
        }
        return manager.info().isManaged() && DesiredState.changesDesiredState(command) ?
            keeper.follow(command, isDirect, carriedOut) : carriedOut.exceptionally(Commands::refusal);
    }

    @Override
    public long term()
    {
        return manager.info().term();
    }

    @Override
    public void onFailed(final Command command, final Throwable error)
    {
        final StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        dataPlane.recordError("command " + command.getClass().getSimpleName() + " failed: " + trace);
    }

    @Override
    public int poll()
    {
        return keeper.poll();
    }

    @Override
    public void close()
    {
        keeper.close();
    }

    @Override
    public CompletableFuture<Listing<?>> list(final Caller caller, final Command.List list)
    {
        if (Kind.LEADERSHIP == list.kind())
        {
            return CompletableFuture.completedFuture(
                new Listing<>(List.of(manager.info()), Function.identity()));
        }
        try
        {
            return CompletableFuture.completedFuture(lists.of(list));
        }
        catch (final RuntimeException e)
        {
            final Reply refusal = Commands.refusal(e);
            return CompletableFuture.failedFuture(new ControlException(refusal.code(), refusal.text()));
        }
    }

    @Override
    public ServiceEvent pollEvent()
    {
        final DataPlaneEvent event = events.poll();
        return null == event ? null : new ServiceEvent("", TimeUnit.MILLISECONDS.toNanos(event.epochMs()),
            Kind.valueOf(event.kind().name()), Change.valueOf(event.change().name()), event.name(), event.text());
    }

    @Override
    public long takeLostEvents()
    {
        return events.takeLost();
    }
}
