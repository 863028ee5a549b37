package io.millrace.status;

/**
 * Use of a reactor's buffers by one connection, host or device, while commands wait for some. Immutable.
 *
 * @param reactor       index of the reactor.
 * @param kind          connection, host or device.
 * @param name          name.
 * @param heldBytes     of buffers.
 * @param waiting       commands of it that wait.
 * @param longestHoldNs age of the oldest command that has one.
 */
public record BufferHolderStatus(
    int reactor, String kind, String name, long heldBytes, long waiting, long longestHoldNs)
{
    private static final String[] KINDS = {"unknown", "connection", "host", "device"};

    static String kind(final int number)
    {
        return KINDS[number > 0 && number < KINDS.length ? number : 0];
    }
}
