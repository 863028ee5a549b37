package io.millrace.nvmf.initiator;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.Mappings;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory of a connection: mapped when it is made, unmapped when it is closed, so that many connects leave nothing
 * behind and no other thread is affected. Used on the owner's reactor alone.
 */
public final class HostMemory implements AutoCloseable
{
    private static final int PAGE_BYTES = 4096;

    private final long address;
    private final int lengthBytes;
    private final UnsafeBuffer buffer;

    /**
     * Maps memory, zeroed.
     *
     * @param wantedBytes rounded up to whole pages.
     */
    public HostMemory(final int wantedBytes)
    {
        lengthBytes = (wantedBytes + PAGE_BYTES - 1) & -PAGE_BYTES;
        address = NativeException.check("mmap of " + lengthBytes + " bytes", Mappings.mmap(0, lengthBytes,
            Mappings.PROT_READ | Mappings.PROT_WRITE, Mappings.MAP_PRIVATE | Mappings.MAP_ANONYMOUS, -1, 0));
        buffer = new UnsafeBuffer(address, lengthBytes);
    }

    /**
     * {@return its address}
     */
    public long address()
    {
        return address;
    }

    /**
     * {@return its length in bytes, whole pages}
     */
    public int lengthBytes()
    {
        return lengthBytes;
    }

    /**
     * {@return a view of all of it}
     */
    public UnsafeBuffer buffer()
    {
        return buffer;
    }

    @Override
    public void close()
    {
        Mappings.munmap(address, lengthBytes);
    }
}
