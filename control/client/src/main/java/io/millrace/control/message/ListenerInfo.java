package io.millrace.control.message;

import io.millrace.control.codec.ListenerProvider;
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
 * @param provider      whose target serves it.
 */
public record ListenerInfo(
    Transport transport,
    String address,
    int port,
    boolean discoveryOnly,
    boolean listening,
    ListenerProvider provider) implements Resource
{
    /**
     * One of Millrace's own target that hosts reach.
     *
     * @param transport     of NVMe-oF.
     * @param address       numeric.
     * @param port          as taken.
     * @param discoveryOnly no other subsystem is reached there.
     */
    public ListenerInfo(
        final Transport transport, final String address, final int port, final boolean discoveryOnly)
    {
        this(transport, address, port, discoveryOnly, true, ListenerProvider.MILLRACE);
    }

    /**
     * Rejects null.
     */
    public ListenerInfo
    {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(provider, "provider");
    }
}
