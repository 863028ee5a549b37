package io.millrace.control.agent;

import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.PeerType;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.PeerInfo;
import io.millrace.control.service.Caller;
import io.millrace.control.service.ControlBackend;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.control.service.ServiceEvent;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.DataPlaneEvent;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One data plane, commanded.
 */
final class DataPlaneBackend implements ControlBackend
{
    private final String name;
    private final UUID id;
    private final ControlEvents events;
    private final Commands commands;
    private final Lists lists;
    private final PeerInfo peer;

    DataPlaneBackend(
        final String name, final DataPlane dataPlane, final ControlEvents events, final ControlOwner owner)
    {
        this.name = name;
        this.id = dataPlane.snapshot().id();
        this.events = events;
        this.commands = new Commands(dataPlane, owner);
        this.lists = new Lists(dataPlane, name, owner.version());
        this.peer = PeerInfo.own(PeerType.DATA_PLANE, owner.version());
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
                Code.NOT_FOUND, "no data plane " + wanted + " here, this one is called " + name);
        }
        return name;
    }

    @Override
    public boolean mayTakeLong(final Command command)
    {
        return commands.mayTakeLong(command);
    }

    @Override
    public CompletableFuture<Reply> carryOut(final Caller caller, final CommandId commandId, final Command command)
    {
        return commands.carryOut(command);
    }

    @Override
    public CompletableFuture<Listing<?>> list(final Caller caller, final Command.List list)
    {
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
