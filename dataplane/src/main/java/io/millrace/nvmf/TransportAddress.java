package io.millrace.nvmf;

import java.nio.charset.StandardCharsets;

/**
 * Address of a subsystem: transport, address and service, as in the discovery log (NVM Express Base 2.0, section
 * 5.16.1.23). Immutable.
 *
 * @param transportType    kind of transport.
 * @param addressFamily    of the address.
 * @param address          numeric (TRADDR); up to 256 bytes.
 * @param serviceId        port number as text (TRSVCID); up to 32 bytes.
 */
public record TransportAddress(Type transportType, Family addressFamily, String address, String serviceId)
{
    /** Most bytes of an address. */
    public static final int ADDRESS_BYTES_MAX = 256;
    /** Most bytes of a service id. */
    public static final int SERVICE_ID_BYTES_MAX = 32;

    /** Kinds of transport. */
    public enum Type
    {
        /** RDMA. */
        RDMA(1),
        /** TCP. */
        TCP(3);

        private final int code;

        Type(final int code)
        {
            this.code = code;
        }

        /**
         * {@return number of it in a discovery log entry (TRTYPE)}
         */
        public int code()
        {
            return code;
        }
    }

    /** Families of addresses. */
    public enum Family
    {
        /** IPv4. */
        IPV4(1),
        /** IPv6. */
        IPV6(2);

        private final int code;

        Family(final int code)
        {
            this.code = code;
        }

        /**
         * {@return number of it in a discovery log entry (ADRFAM)}
         */
        public int code()
        {
            return code;
        }
    }

    /**
     * Checks lengths.
     */
    public TransportAddress
    {
        if (address.getBytes(StandardCharsets.UTF_8).length > ADDRESS_BYTES_MAX)
        {
            throw new IllegalArgumentException("address '" + address + "' is longer than " + ADDRESS_BYTES_MAX +
                " bytes: write a numeric address");
        }
        if (serviceId.getBytes(StandardCharsets.UTF_8).length > SERVICE_ID_BYTES_MAX)
        {
            throw new IllegalArgumentException("service id '" + serviceId + "' is longer than " + SERVICE_ID_BYTES_MAX +
                " bytes: write a port number");
        }
    }

    /**
     * A TCP address. The IPv6 wildcard is written {@code ::}, however it is given.
     *
     * @param address numeric, IPv4 or IPv6.
     * @param port    number.
     * @return it.
     */
    public static TransportAddress tcp(final String address, final int port)
    {
        return new TransportAddress(Type.TCP, address.indexOf(':') >= 0 ? Family.IPV6 : Family.IPV4,
            "0:0:0:0:0:0:0:0".equals(address) ? "::" : address, Integer.toString(port));
    }

    /**
     * {@return whether it stands for every address of the machine}
     */
    public boolean isWildcard()
    {
        return "0.0.0.0".equals(address) || "::".equals(address);
    }

    /**
     * {@return address and service as people write them: {@code 127.0.0.1:4420}, {@code [::1]:4420}}
     */
    public String hostAndPort()
    {
        return (Family.IPV6 == addressFamily ? '[' + address + ']' : address) + ':' + serviceId;
    }

    @Override
    public String toString()
    {
        return transportType.name().toLowerCase(java.util.Locale.ROOT) + "://" + hostAndPort();
    }
}
