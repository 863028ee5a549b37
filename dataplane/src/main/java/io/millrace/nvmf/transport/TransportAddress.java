package io.millrace.nvmf.transport;

import io.millrace.validation.AddressText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Address of a subsystem: transport, address and service, as in the discovery log (NVM Express Base 2.0, section
 * 5.16.1.23). Immutable.
 *
 * @param transportType    kind of transport.
 * @param addressFamily    of the address.
 * @param address          numeric, or a directory of vfio-user (TRADDR); up to 256 bytes.
 * @param serviceId        port number as text (TRSVCID), empty of vfio-user; up to 32 bytes.
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
        TCP(3),
        /** vfio-user: a PCI device of a virtual machine of this machine. No discovery log has it. */
        VFIO_USER(0);

        private final int code;

        Type(final int code)
        {
            this.code = code;
        }

        /**
         * {@return number of it in a discovery log entry (TRTYPE); 0: none}
         */
        public int code()
        {
            return code;
        }

        /**
         * {@return name of it in addresses, commands and configurations: {@code tcp}}
         */
        @Override
        public String toString()
        {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Families of addresses. */
    public enum Family
    {
        /** IPv4. */
        IPV4(1),
        /** IPv6. */
        IPV6(2),
        /** Within this machine. */
        INTRA_HOST(254);

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
     * A TCP address, as it is given.
     *
     * @param address numeric, IPv4 or IPv6.
     * @param port    number.
     * @return it.
     */
    public static TransportAddress tcp(final String address, final int port)
    {
        return of(Type.TCP, address, port);
    }

    /**
     * An address of a transport over IP, in canonical form (RFC 5952): hosts and people compare addresses as text.
     * Scopes of link-local addresses are left out, as the kernel does when it names a socket.
     *
     * @param type   of the transport.
     * @param socket resolved.
     * @return the address.
     */
    public static TransportAddress of(final Type type, final InetSocketAddress socket)
    {
        return of(type, AddressText.of(socket.getAddress()), socket.getPort());
    }

    /**
     * An address of vfio-user.
     *
     * @param directory in which each subsystem has the directory of its socket; absolute.
     * @return the address.
     */
    public static TransportAddress vfioUser(final String directory)
    {
        return new TransportAddress(Type.VFIO_USER, Family.INTRA_HOST, directory, "");
    }

    /**
     * A TCP address.
     *
     * @param socket resolved.
     * @return the address.
     */
    public static TransportAddress tcp(final InetSocketAddress socket)
    {
        return of(Type.TCP, socket);
    }

    private static TransportAddress of(final Type type, final String address, final int port)
    {
        return new TransportAddress(type, address.indexOf(':') >= 0 ? Family.IPV6 : Family.IPV4, address,
            Integer.toString(port));
    }

    /**
     * {@return the same address with another service}
     *
     * @param port number.
     */
    public TransportAddress withPort(final int port)
    {
        return new TransportAddress(transportType, addressFamily, address, Integer.toString(port));
    }

    /**
     * {@return whether hosts reach it over IP, at a port}
     */
    public boolean hasPort()
    {
        return Type.VFIO_USER != transportType;
    }

    /**
     * {@return the service as a port number; 0 of vfio-user}
     *
     * @throws NumberFormatException when it is none.
     */
    public int port()
    {
        return hasPort() ? Integer.parseInt(serviceId) : 0;
    }

    /**
     * {@return the address for a socket; addresses are numeric, so no name is looked up}
     *
     * @throws IllegalArgumentException when address or service is not numeric.
     */
    public InetSocketAddress socketAddress()
    {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port());
    }

    /**
     * {@return the same address as the kernel names a socket that is bound to it, or as a path without detours: two
     * addresses are the same when these are equal}
     *
     * @throws IllegalArgumentException with a remedy, when address or service is not numeric, or the directory no
     *     absolute path.
     */
    public TransportAddress canonical()
    {
        if (!hasPort())
        {
            return vfioUser(directory(address));
        }
        try
        {
            return of(transportType, socketAddress());
        }
        catch (final IllegalArgumentException e)
        {
            throw new IllegalArgumentException("address '" + hostAndPort() +
                "' is not numeric: write it as 192.0.2.1 or 2001:db8::1, with a port", e);
        }
    }

    private static String directory(final String text)
    {
        if (!text.startsWith("/") || text.indexOf('\0') >= 0)
        {
            throw new IllegalArgumentException("address '" + text +
                "' of vfio-user is no absolute path: write that of a directory, as /run/millrace/vfio-user");
        }
        return Path.of(text).normalize().toString();
    }

    /**
     * {@return whether it stands for every address of the machine}
     */
    public boolean isWildcard()
    {
        return "0.0.0.0".equals(address) || "::".equals(address);
    }

    /**
     * {@return address and service as people write them: {@code 127.0.0.1:4420}, {@code [::1]:4420}; the directory of
     *     vfio-user}
     */
    public String hostAndPort()
    {
        return !hasPort() ? address : (Family.IPV6 == addressFamily ? '[' + address + ']' : address) + ':' + serviceId;
    }

    /**
     * {@return the name of a listener in commands, messages and events: address and service, with {@code rdma://}
     * before those of RDMA, {@code vfio-user://} before directories}
     */
    public String listenerName()
    {
        return Type.TCP == transportType ? hostAndPort() : toString();
    }

    @Override
    public String toString()
    {
        return transportType + "://" + hostAndPort();
    }
}
