package io.millrace.rdma.model;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.Files;
import io.millrace.reactor.LinuxKernel;
import java.lang.foreign.Arena;

/**
 * {@code eventfd(2)}. Any thread.
 */
public final class LinuxDescriptors implements ModelDescriptors
{
    private final Arena arena = Arena.ofAuto();
    private final long scratchAddress = arena.allocate(Long.BYTES, Long.BYTES).address();

    @Override
    public int open()
    {
        return NativeException.check("eventfd", LinuxKernel.INSTANCE.eventDescriptor());
    }

    @Override
    public void raise(final int fd)
    {
        LinuxKernel.INSTANCE.signal(fd);
    }

    @Override
    public void lower(final int fd)
    {
        Files.read(fd, scratchAddress, Long.BYTES);
    }

    @Override
    public void close(final int fd)
    {
        LinuxKernel.INSTANCE.close(fd);
    }
}
