package io.millrace.nvmf.transport;

/**
 * The RDMA device of this machine that a connection uses. Immutable.
 *
 * @param name     as the kernel has it; empty over TCP.
 * @param port     of the device, from 1; -1 over TCP.
 * @param gidIndex in the port's table of the GID that is the connection's local address; -1 for none.
 */
public record LocalDevice(String name, int port, int gidIndex)
{
    /** Of connections over TCP. */
    public static final LocalDevice NONE = new LocalDevice("", -1, -1);
}
