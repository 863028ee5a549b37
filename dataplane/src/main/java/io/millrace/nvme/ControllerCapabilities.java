package io.millrace.nvme;

/**
 * Bits of the controller capabilities property (NVM Express Base 2.0, section 3.1.3.1), kept in a long. Stateless.
 */
public final class ControllerCapabilities
{
    /** Queues are contiguous (CQR); fabrics demand it. */
    public static final long CONTIGUOUS_QUEUES = 1L << 16;
    /** NVM command set (CSS bit 0). */
    public static final long COMMAND_SET_NVM = 1L << 37;
    /** One or more I/O command sets can be selected (CSS bit 6). */
    public static final long COMMAND_SETS_SELECTABLE = 1L << 43;
    /** Ready means ready with media (CRMS bit 0). */
    public static final long READY_WITH_MEDIA = 1L << 59;

    private ControllerCapabilities()
    {
    }

    /**
     * {@return most entries of a queue}
     *
     * @param capabilities of the controller.
     */
    public static int queueEntriesMax(final long capabilities)
    {
        return (int)(capabilities & 0xFFFF) + 1;
    }

    /**
     * {@return bits for the most entries of a queue (MQES)}
     *
     * @param entries from 2 to 65536.
     */
    public static long ofQueueEntriesMax(final int entries)
    {
        return (entries - 1) & 0xFFFFL;
    }

    /**
     * {@return the longest time to wait for ready, in milliseconds}
     *
     * @param capabilities of the controller.
     */
    public static int timeoutMs(final long capabilities)
    {
        return (int)(capabilities >>> 24 & 0xFF) * 500;
    }

    /**
     * {@return bits for the longest time to wait for ready (TO)}
     *
     * @param timeoutMs a multiple of 500 up to 127,500.
     */
    public static long ofTimeoutMs(final int timeoutMs)
    {
        return (long)(timeoutMs / 500) << 24;
    }

    /**
     * {@return bytes from one doorbell to the next (DSTRD), from 4 up}
     *
     * @param capabilities of the controller.
     */
    public static int doorbellStrideBytes(final long capabilities)
    {
        return 4 << (capabilities >>> 32 & 0xF);
    }

    /**
     * {@return bits for the distance of doorbells (DSTRD)}
     *
     * @param strideBytes a power of two, at least 4.
     */
    public static long ofDoorbellStrideBytes(final int strideBytes)
    {
        return (long)(Integer.numberOfTrailingZeros(strideBytes) - 2) << 32;
    }

    /**
     * {@return bits for the smallest memory page (MPSMIN)}
     *
     * @param pageShift log2 of the page, at least 12.
     */
    public static long ofMemoryPageShiftMin(final int pageShift)
    {
        return (long)(pageShift - 12) << 48;
    }

    /**
     * {@return log2 of the smallest memory page, at least 12 (MPSMIN)}
     *
     * @param capabilities of the controller.
     */
    public static int memoryPageShiftMin(final long capabilities)
    {
        return 12 + (int)(capabilities >>> 48 & 0xF);
    }
}
