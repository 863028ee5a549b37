package io.millrace.nvmf.initiator;

import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands between host and target: hands bytes on in pieces of random length, stops handing them on, or cuts all
 * connections.
 */
public final class TcpProxy implements AutoCloseable
{
    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final int pieceBytesMax;
    private final Random random;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Object gate = new Object();
    private boolean stalled;
    private volatile boolean refusing;

    public TcpProxy(final InetSocketAddress target, final int pieceBytesMax, final long seed)
    {
        this.target = target;
        this.pieceBytesMax = pieceBytesMax;
        random = TestSeeds.fixed(seed);
        try
        {
            listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        }
        catch (final IOException e)
        {
            throw new AssertionError(e);
        }
        start(this::accept);
    }

    public InetSocketAddress address()
    {
        return (InetSocketAddress)listener.getLocalSocketAddress();
    }

    private void start(final Runnable body)
    {
        final Thread thread = Thread.ofPlatform().daemon().name("test-proxy").unstarted(body);
        synchronized (threads)
        {
            threads.add(thread);
        }
        thread.start();
    }

    private void accept()
    {
        try
        {
            while (!listener.isClosed())
            {
                final Socket host = listener.accept();
                if (refusing)
                {
                    host.close();
                    continue;
                }
                final Socket other = new Socket();
                sockets.add(host);
                sockets.add(other);
                try
                {
                    other.connect(target);
                }
                catch (final IOException e)
                {
                    host.close();
                    continue;
                }
                host.setTcpNoDelay(true);
                other.setTcpNoDelay(true);
                start(() -> pump(host, other));
                start(() -> pump(other, host));
            }
        }
        catch (final IOException e)
        {
            cut();
        }
    }

    private void pump(final Socket from, final Socket to)
    {
        final byte[] bytes = new byte[pieceBytesMax];
        try (InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream())
        {
            int length = read(in, bytes);
            awaitGate();
            while (length > 0)
            {
                out.write(bytes, 0, length);
                out.flush();
                length = read(in, bytes);
                // Nor is an end handed on.
                awaitGate();
            }
        }
        catch (final IOException e)
        {
            close(from);
            close(to);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    private int read(final InputStream in, final byte[] bytes)
    {
        try
        {
            return in.read(bytes, 0, 1 + nextInt(pieceBytesMax));
        }
        catch (final IOException e)
        {
            return -1;
        }
    }

    private void awaitGate() throws InterruptedException
    {
        synchronized (gate)
        {
            while (stalled)
            {
                gate.wait();
            }
        }
    }

    private int nextInt(final int bound)
    {
        synchronized (random)
        {
            return random.nextInt(bound);
        }
    }

    /** Hands nothing on, but keeps the connections. */
    public void stall(final boolean on)
    {
        synchronized (gate)
        {
            stalled = on;
            gate.notifyAll();
        }
    }

    /** Closes what connects from now on. */
    public void refuse(final boolean on)
    {
        refusing = on;
    }

    public void cut()
    {
        sockets.forEach(TcpProxy::close);
        sockets.clear();
    }

    private static void close(final Socket socket)
    {
        try
        {
            socket.close();
        }
        catch (final IOException e)
        {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException
    {
        listener.close();
        stall(false);
        cut();
        for (final Thread thread : List.copyOf(threads))
        {
            try
            {
                thread.join(5_000);
            }
            catch (final InterruptedException e)
            {
                Thread.currentThread().interrupt();
            }
        }
    }
}
