package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.rdma.RdmaException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Each cause has its own remedy: no device, no module, no permission. */
class SetupFailuresTest
{
    private static final InetSocketAddress LOCAL = new InetSocketAddress("192.0.2.7", 4420);

    @Test
    void shouldTellMissingDevicesFromAMissingModuleAndFromMissingPermission()
    {
        final RdmaException none = SetupFailures.eventChannel(Errno.ENODEV);
        assertEquals("no RDMA devices; load the driver of the adapter, or rdma_rxe for a software device; " +
            "'millrace doctor' shows what is missing", none.getMessage());
        assertEquals("no RDMA devices", none.reason());
        assertEquals(Errno.ENODEV, none.errno());
        final String missing = SetupFailures.eventChannel(Errno.ENOENT).getMessage();
        assertTrue(missing.contains("modprobe rdma_ucm") && missing.contains("--device /dev/infiniband/rdma_cm"),
            missing);
        for (final int errno : new int[]{Errno.EACCES, Errno.EPERM})
        {
            final String refused = SetupFailures.eventChannel(errno).getMessage();
            assertTrue(refused.contains("allow this user to read and write it") && !refused.contains("modprobe"),
                refused);
        }
        assertEquals("no RDMA connections: Too many open files (errno 24); 'millrace doctor' shows what is missing",
            SetupFailures.eventChannel(Errno.EMFILE).getMessage());
    }

    @Test
    void shouldSayWhyAnAddressCannotBeListenedAt()
    {
        assertEquals("cannot listen for RDMA at 192.0.2.7:4420: already in use; stop what listens there or take " +
            "another port", SetupFailures.listening(LOCAL, Errno.EADDRINUSE).getMessage());
        assertEquals("cannot listen for RDMA at [2001:db8::1]:1: may not be listened on by this user; use a port of " +
            "1024 or above", SetupFailures.listening(new InetSocketAddress("2001:db8::1", 1), Errno.EACCES)
            .getMessage());
        for (final int errno : new int[]{Errno.ENODEV, Errno.EADDRNOTAVAIL})
        {
            final RdmaException unknown = SetupFailures.listening(LOCAL, errno);
            assertEquals("no RDMA device has that address", unknown.reason());
            assertEquals(errno, unknown.errno());
        }
    }
}
