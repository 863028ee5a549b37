package io.millrace.control.service;

import java.net.InetAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Validates the response channel of a client before it is used. Over IPC only IPC is accepted; over UDP only a numeric
 * unicast address and port: a name would need a lookup, and other parameters would let an unauthenticated client choose
 * buffer sizes and receivers. Stateless.
 */
final class ResponseChannel
{
    private static final Pattern UDP = Pattern.compile(
        "aeron:udp\\?(?:[^|]+\\|)*?" +
        "endpoint=((\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-fA-F:]{2,39}]):(\\d{1,5}))(?:\\|.*)?");
    private static final int PORT_MAX = 0xFFFF;

    private ResponseChannel()
    {
    }

    /** The response channel, or null if it is refused. */
    static String of(final String wanted, final boolean isRemote)
    {
        if (!isRemote)
        {
            return ControlSettings.IPC_CHANNEL.equals(wanted) ? wanted : null;
        }
        final Matcher matcher = UDP.matcher(wanted);
        return matcher.matches() && isOneReceiver(matcher.group(2), Integer.parseInt(matcher.group(3))) ?
            "aeron:udp?endpoint=" + matcher.group(1) : null;
    }

    private static boolean isOneReceiver(final String address, final int port)
    {
        try
        {
            final InetAddress receiver = InetAddress.ofLiteral('[' == address.charAt(0) ?
                address.substring(1, address.length() - 1) : address);
            return !receiver.isMulticastAddress() && !receiver.isAnyLocalAddress() && port >= 1 && port <= PORT_MAX;
        }
        catch (final IllegalArgumentException _)
        {
            return false;
        }
    }
}
