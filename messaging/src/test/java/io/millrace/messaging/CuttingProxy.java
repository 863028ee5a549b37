package io.millrace.messaging;

import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Passes bytes on in pieces of any size, and cuts all streams after a number of them. */
final class CuttingProxy implements AutoCloseable
{
    private final ServerSocket server;
    private final InetSocketAddress target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong leftBytes = new AtomicLong(Long.MAX_VALUE);
    private volatile boolean isClosed;

    CuttingProxy(final InetSocketAddress target) throws IOException
    {
        this.target = target;
        server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().start(this::accept);
    }

    InetSocketAddress address()
    {
        return (InetSocketAddress)server.getLocalSocketAddress();
    }

    /** Cuts after so many bytes of either direction. */
    void cutAfter(final long bytes)
    {
        leftBytes.set(bytes);
    }

    private void accept()
    {
        long part = 0;
        while (!isClosed)
        {
            try
            {
                final Socket from = server.accept();
                final Socket to = new Socket(target.getAddress(), target.getPort());
                sockets.add(from);
                sockets.add(to);
                final long seed = part += 2;
                Thread.ofPlatform().daemon().start(() -> pass(from, to, TestSeeds.random(seed)));
                Thread.ofPlatform().daemon().start(() -> pass(to, from, TestSeeds.random(seed + 1)));
            }
            catch (final IOException e)
            {
                // Closed, or the target does not listen now.
                continue;
            }
        }
    }

    private void pass(final Socket from, final Socket to, final Random random)
    {
        final byte[] bytes = new byte[70_000];
        try (from; to)
        {
            final InputStream in = from.getInputStream();
            final OutputStream out = to.getOutputStream();
            while (true)
            {
                final int count = in.read(bytes, 0, 1 + random.nextInt(0 == random.nextInt(4) ? 100 : bytes.length));
                if (count < 0)
                {
                    return;
                }
                if (leftBytes.addAndGet(-count) < 0)
                {
                    leftBytes.set(Long.MAX_VALUE);
                    cut();
                    return;
                }
                out.write(bytes, 0, count);
            }
        }
        catch (final IOException e)
        {
            // The other direction ended.
            return;
        }
        finally
        {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void cut() throws IOException
    {
        for (final Socket each : sockets)
        {
            each.close();
        }
    }

    @Override
    public void close() throws IOException
    {
        isClosed = true;
        server.close();
        cut();
    }
}
