package io.millrace;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.SplittableRandom;

/**
 * Ports of the loopback address that nobody has now. They are below those that the kernel gives to whoever asks for any
 * (32768 and up unless told otherwise), so that no connection of this machine takes one before the test does; no two
 * answers are the same, nor are those of JVMs that run tests beside each other. Any thread.
 */
public final class FreePorts
{
    private static final int COUNT = 3_000;
    /** Of Maven's JVMs, which are numbered from 1. */
    private static final int FIRST = 20_000 + COUNT * (Integer.getInteger("millrace.fork", 1) % 4);

    private static int next = new SplittableRandom().nextInt(COUNT);

    private FreePorts()
    {
    }

    /** Tries a port. */
    @FunctionalInterface
    private interface Trial
    {
        void bind(InetSocketAddress address) throws IOException;
    }

    /**
     * {@return a port to listen on}
     */
    public static int tcp()
    {
        return find((address) -> new ServerSocket(address.getPort(), 1, address.getAddress()).close());
    }

    /**
     * {@return a port to receive datagrams on}
     */
    public static int udp()
    {
        return find((address) -> new DatagramSocket(address).close());
    }

    private static synchronized int find(final Trial trial)
    {
        for (int i = 0; i < COUNT; i++)
        {
            final int port = FIRST + next;
            next = (next + 1) % COUNT;
            try
            {
                trial.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            }
            catch (final IOException _)
            {
                // Somebody has it.
                Thread.onSpinWait();
            }
        }
        throw new IllegalStateException("no free port from " + FIRST + " to " + (FIRST + COUNT - 1));
    }
}
