package io.millrace.control.message;

import io.millrace.control.codec.Transport;
import java.util.Objects;

/**
 * An address that hosts connect to.
 *
 * @param transport     of NVMe-oF.
 * @param address       numeric.
 * @param port          as taken.
 * @param discoveryOnly no other subsystem is reached there.
 * @param listening     hosts reach it; not while it waits for a device that was removed.
 */
public record ListenerInfo(Transport transport, String address, int port, boolean discoveryOnly, boolean listening)
    implements Resource
{
    /**
     * One that hosts reach.
     *
     * @param transport     of NVMe-oF.
     * @param address       numeric.
     * @param port          as taken.
     * @param discoveryOnly no other subsystem is reached there.
     */
    public ListenerInfo(
        final Transport transport, final String address, final int port, final boolean discoveryOnly)
    {
        this(transport, address, port, discoveryOnly, true);
    }

    /**
     * Rejects null.
     */
    public ListenerInfo
    {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(address, "address");
    }
}
