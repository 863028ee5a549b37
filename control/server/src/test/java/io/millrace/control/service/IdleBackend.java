package io.millrace.control.service;

import io.millrace.control.codec.PeerType;
import io.millrace.control.message.Command;
import io.millrace.control.message.PeerInfo;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A data plane that has nothing, whose deletions of devices take long. What commands do is the test's. */
abstract class IdleBackend implements ControlBackend
{
    @Override
    public final String name()
    {
        return "test";
    }

    @Override
    public final UUID id()
    {
        return new UUID(1, 2);
    }

    @Override
    public final PeerInfo peer()
    {
        return PeerInfo.own(PeerType.DATA_PLANE, "test");
    }

    @Override
    public final String dataPlane(final String wanted)
    {
        return "test";
    }

    @Override
    public final boolean mayTakeLong(final Command command)
    {
        return command instanceof Command.DeleteDevice;
    }

    @Override
    public CompletableFuture<Listing<?>> list(final Caller caller, final Command.List list)
    {
        return CompletableFuture.completedFuture(new Listing<>(List.of(), (each) -> null));
    }

    @Override
    public final ServiceEvent pollEvent()
    {
        return null;
    }

    @Override
    public final long takeLostEvents()
    {
        return 0;
    }
}
