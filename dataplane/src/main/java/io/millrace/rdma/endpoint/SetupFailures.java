package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.rdma.RdmaException;
import io.millrace.validation.AddressText;
import java.net.InetSocketAddress;

/**
 * Why RDMA cannot be used on this machine, by error numbers of librdmacm, with what to do. Stateless.
 */
final class SetupFailures
{
    private static final String FILE = "/dev/infiniband/rdma_cm";

    private SetupFailures()
    {
    }

    /**
     * The connection manager of the kernel cannot be reached.
     *
     * @param errno of {@code rdma_create_event_channel}, positive. It opens the file, and reports
     *              {@link Errno#ENODEV} when there is no device.
     * @return the reason and the remedy.
     */
    static RdmaException eventChannel(final int errno)
    {
        return switch (errno)
        {
            case Errno.ENODEV -> new RdmaException("", "no RDMA devices",
                "load the driver of the adapter, or rdma_rxe for a software device; 'millrace doctor' shows what is " +
                "missing", errno);
            case Errno.ENOENT, Errno.ENXIO -> new RdmaException("", "no RDMA connections: " + FILE + " is missing",
                "load the kernel's module, modprobe rdma_ucm; a container needs the file: --device " + FILE, errno);
            case Errno.EACCES, Errno.EPERM -> new RdmaException("", "no RDMA connections: " + FILE + ": " +
                Errno.describe(errno), "allow this user to read and write it, as the udev rules of rdma-core do; a " +
                "container needs it passed in: --device " + FILE, errno);
            default -> new RdmaException("", "no RDMA connections: " + Errno.describe(errno),
                "'millrace doctor' shows what is missing", errno);
        };
    }

    /**
     * An address cannot be listened at.
     *
     * @param local address and port.
     * @param errno of {@code rdma_bind_addr} or {@code rdma_listen}, positive.
     * @return the reason and the remedy.
     */
    static RdmaException listening(final InetSocketAddress local, final int errno)
    {
        final String tried = "cannot listen for RDMA at " + AddressText.of(local);
        return switch (errno)
        {
            case Errno.EADDRINUSE ->
                new RdmaException(tried, "already in use", "stop what listens there or take another port", errno);
            case Errno.EACCES -> new RdmaException(tried, "may not be listened on by this user",
                "use a port of 1024 or above", errno);
            case Errno.ENODEV, Errno.EADDRNOTAVAIL -> new RdmaException(tried, "no RDMA device has that address",
                "use one of a network interface that 'millrace rdma devices' lists, or 0.0.0.0", errno);
            default -> new RdmaException(tried, Errno.describe(errno), "", errno);
        };
    }
}
