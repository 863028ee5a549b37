package io.millrace.control.message;

import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.Transport;
import java.util.Objects;

/**
 * An address that hosts connect to.
 *
 * @param transport     of NVMe-oF.
 * @param address       IPv4 or IPv6, numeric; of vfio-user the path of a directory.
 * @param port          0 to 65535; 0: any that is free, told in the answer, or of vfio-user.
 * @param discoveryOnly no other subsystem is reached there.
 * @param provider      whose target serves it.
 */
public record ListenerSpec(
    Transport transport, String address, int port, boolean discoveryOnly, ListenerProvider provider)
{
    /**
     * One of Millrace's own target.
     *
     * @param transport     of NVMe-oF.
     * @param address       IPv4 or IPv6, numeric.
     * @param port          0 to 65535; 0: any that is free, told in the answer.
     * @param discoveryOnly no other subsystem is reached there.
     */
    public ListenerSpec(
        final Transport transport, final String address, final int port, final boolean discoveryOnly)
    {
        this(transport, address, port, discoveryOnly, ListenerProvider.MILLRACE);
    }

    /**
     * Rejects null.
     */
    public ListenerSpec
    {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(provider, "provider");
    }
}
