package io.millrace.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * TCP ports of the loopback address.
 */
final class Ports
{
    private Ports()
    {
    }

    /** A port that nobody listens on now. */
    static int free() throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return socket.getLocalPort();
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
