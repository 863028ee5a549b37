package io.millrace.nvmf.queue;

/**
 * Use of a reactor's I/O buffers by one connection, host or device. Immutable.
 *
 * @param kind          what it is.
 * @param name          name: where the connection is and which queue it is, the NQN of the host, name of the device.
 * @param heldBytes     of buffers that it has; what is at a device counts there and not for connection and host.
 * @param waiting       commands that wait for a buffer, or for the device to take more.
 * @param longestHoldNs since the oldest command came that has a buffer; 0 when none has.
 */
public record BufferHolder(Kind kind, String name, long heldBytes, int waiting, long longestHoldNs)
{
    /** What holds buffers. */
    public enum Kind
    {
        /** A connection. */
        CONNECTION,
        /** All connections of a host on the reactor. */
        HOST,
        /** A device. */
        DEVICE
    }
}
