package io.millrace.control.message;

import io.millrace.control.codec.Transport;
import java.util.Objects;

/**
 * An address that hosts connect to.
 *
 * @param transport     of NVMe-oF.
 * @param address       IPv4 or IPv6, numeric.
 * @param port          0 to 65535; 0: any that is free, told in the answer.
 * @param discoveryOnly no other subsystem is reached there.
 */
public record ListenerSpec(Transport transport, String address, int port, boolean discoveryOnly)
{
    /**
     * Rejects null.
     */
    public ListenerSpec
    {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(address, "address");
    }
}
