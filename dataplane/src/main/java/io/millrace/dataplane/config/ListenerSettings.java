package io.millrace.dataplane.config;

import io.millrace.nvmf.transport.TransportAddress;

/**
 * Where hosts reach the data plane over NVMe-oF. Immutable.
 *
 * @param address       to listen on; port 0 takes any free one.
 * @param discoveryOnly whether no other subsystem than discovery is reached there.
 * @param provider      whose target serves it.
 */
public record ListenerSettings(TransportAddress address, boolean discoveryOnly, ListenerProvider provider)
{
    /** IANA's port of NVMe over Fabrics. */
    public static final int PORT_DEFAULT = 4420;
    /** IANA's port of NVMe discovery. */
    public static final int DISCOVERY_PORT = 8009;

    /**
     * Takes the address in its canonical form.
     *
     * @throws IllegalArgumentException when it is not numeric.
     */
    public ListenerSettings
    {
        address = address.canonical();
    }

    /**
     * A listener of Millrace's own target.
     *
     * @param address       to listen on; port 0 takes any free one.
     * @param discoveryOnly whether no other subsystem than discovery is reached there.
     */
    public ListenerSettings(final TransportAddress address, final boolean discoveryOnly)
    {
        this(address, discoveryOnly, ListenerProvider.MILLRACE);
    }

    /**
     * A listener of Millrace's own target where every subsystem is reached.
     *
     * @param address to listen on; port 0 takes any free one.
     */
    public ListenerSettings(final TransportAddress address)
    {
        this(address, false);
    }
}
