package io.millrace.nvmf.initiator.tcp;

import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ConnectionListener;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.Waits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.UnaryOperator;

/**
 * One {@link HostConnection} to a {@link ScriptedPeer}, and what becomes of it.
 */
final class ConnectionFixture implements AutoCloseable
{
    static final String NQN = "nqn.2026-11.io.millrace:scripted";
    static final int SLOTS = 64;
    static final int IN_CAPSULE_BYTES = 8192;

    final HostFixture host = new HostFixture();
    final CompletableFuture<Void> ready = new CompletableFuture<>();
    final CompletableFuture<String> closed = new CompletableFuture<>();
    final LinkedBlockingQueue<HostRequest> lost = new LinkedBlockingQueue<>();
    final ScriptedPeer peer;
    private final ReceiveBuffer receiveBuffer = new ReceiveBuffer();
    private HostConnection connection;

    ConnectionFixture(final ScriptedPeer.Script script)
    {
        peer = new ScriptedPeer(script);
    }

    ConnectionFixture open(final UnaryOperator<ConnectionConfig.Builder> settings)
    {
        final ConnectionConfig config = settings.apply(ConnectionConfig.to(peer.address(), NQN)).build();
        connection = host.call(() ->
        {
            final HostConnection opened = new HostConnection(host.group, receiveBuffer, SLOTS, new Events());
            opened.open(config, HostFixture.HOST, 1, 7, SLOTS + 1,
                CapsuleLimits.ofAdmin(IN_CAPSULE_BYTES));
            return opened;
        });
        return this;
    }

    ConnectionFixture openReady(final UnaryOperator<ConnectionConfig.Builder> settings)
    {
        open(settings);
        Waits.get(ready);
        return this;
    }

    HostConnection connection()
    {
        return connection;
    }

    CompletableFuture<HostRequest> submit(final HostFixture.Fill fill)
    {
        final CompletableFuture<HostRequest> done = new CompletableFuture<>();
        final HostRequest request = fill.apply(new HostRequest(null, done::complete));
        if (!host.call(() -> connection.submit(request)))
        {
            throw new AssertionError("no room for " + request);
        }
        return done;
    }

    /** Submits so many at once. */
    List<CompletableFuture<HostRequest>> submit(final int count, final HostFixture.Fill fill)
    {
        return host.call(() ->
        {
            final List<CompletableFuture<HostRequest>> all = new ArrayList<>();
            for (int i = 0; i < count; i++)
            {
                final CompletableFuture<HostRequest> done = new CompletableFuture<>();
                if (!connection.submit(fill.apply(new HostRequest(null, done::complete))))
                {
                    throw new AssertionError("no room for request " + i);
                }
                all.add(done);
            }
            return all;
        });
    }

    String closeReason()
    {
        return Waits.get(closed);
    }

    @Override
    public void close() throws IOException
    {
        peer.close();
        if (null != connection)
        {
            host.call(() ->
            {
                connection.close("test is over");
                return null;
            });
            Waits.until("connection is closed", () -> ConnectionState.CLOSED == host.call(connection::state));
            connection.free();
        }
        host.close();
        receiveBuffer.close();
    }

    private final class Events implements ConnectionListener
    {
        @Override
        public void onReady()
        {
            ready.complete(null);
        }

        @Override
        public void onLost(final HostRequest request)
        {
            lost.add(request);
        }

        @Override
        public void onClosed(final String reason)
        {
            ready.completeExceptionally(new AssertionError(reason));
            closed.complete(reason);
        }
    }
}
