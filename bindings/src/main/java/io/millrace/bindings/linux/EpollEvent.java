package io.millrace.bindings.linux;

import io.millrace.bindings.Architecture;
import io.millrace.bindings.NativeMemory;

/**
 * {@code struct epoll_event}: 32 bits of events and 64 bits of the caller's data. The only structure that differs
 * between x86-64, where it is packed, and aarch64.
 */
public final class EpollEvent
{
    /** Size of one record. */
    public static final int SIZE_BYTES = Architecture.current().epollEventSizeBytes();
    private static final int DATA_OFFSET = Architecture.current().epollEventDataOffset();

    private EpollEvent()
    {
    }

    /**
     * {@return the events of a record}
     *
     * @param address of the record.
     */
    public static int events(final long address)
    {
        return NativeMemory.getInt(address);
    }

    /**
     * {@return the caller's data of a record}
     *
     * @param address of the record.
     */
    public static long data(final long address)
    {
        return NativeMemory.getLong(address + DATA_OFFSET);
    }

    /**
     * Fills a record.
     *
     * @param address of the record.
     * @param events  to wait for.
     * @param data    handed back with them.
     */
    public static void set(final long address, final int events, final long data)
    {
        NativeMemory.putInt(address, events);
        NativeMemory.putLong(address + DATA_OFFSET, data);
    }
}
