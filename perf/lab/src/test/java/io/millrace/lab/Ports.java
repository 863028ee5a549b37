package io.millrace.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * TCP ports of the loopback address.
 */
final class Ports
{
    private Ports()
    {
    }

    /**
     * A port that nobody listens on now, below those that the kernel gives to whoever asks for any (32768 and up unless
     * told otherwise): a target that is killed finds it free when it is started again.
     */
    static int free()
    {
        while (true)
        {
            final int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress()))
            {
                return socket.getLocalPort();
            }
            catch (final IOException _)
            {
                // Somebody has it.
                Thread.onSpinWait();
            }
        }
    }

    /** Whether somebody listens on a port. */
    static boolean isOpen(final int port)
    {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port))
        {
            return socket.isConnected();
        }
        catch (final IOException ex)
        {
            return false;
        }
    }
}
