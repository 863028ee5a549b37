package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;

/**
 * {@code struct epoll_event}: 32 bits of events and 64 bits of the caller's data. Packed to 12 bytes on x86-64 alone; 16
 * bytes with the data at offset 8 elsewhere.
 */
public final class EpollEvent
{
    private static final boolean PACKED = !"aarch64".equals(System.getProperty("os.arch"));
    /** Size of one record. */
    public static final int SIZE_BYTES = PACKED ? 12 : 16;
    private static final int DATA_OFFSET = PACKED ? 4 : 8;

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
