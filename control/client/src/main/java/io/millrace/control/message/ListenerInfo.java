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
 */
public record ListenerInfo(Transport transport, String address, int port, boolean discoveryOnly) implements Resource
{
    /**
     * Rejects null.
     */
    public ListenerInfo
    {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(address, "address");
    }
}
