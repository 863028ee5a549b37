package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.linux.statx;

/**
 * {@code struct statx}, by address: what {@link Files#statx} answers. Set-up only. A field is valid when its bit is in
 * {@link #mask}.
 */
public final class FileStatus
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)statx.sizeof();
    private static final long MASK_OFFSET = statx.stx_mask$offset();
    private static final long MODE_OFFSET = statx.stx_mode$offset();
    private static final long SIZE_OFFSET = statx.stx_size$offset();
    private static final long RDEV_MAJOR_OFFSET = statx.stx_rdev_major$offset();
    private static final long RDEV_MINOR_OFFSET = statx.stx_rdev_minor$offset();
    private static final long DEV_MAJOR_OFFSET = statx.stx_dev_major$offset();
    private static final long DEV_MINOR_OFFSET = statx.stx_dev_minor$offset();
    private static final long DIO_MEM_ALIGN_OFFSET = statx.stx_dio_mem_align$offset();
    private static final long DIO_OFFSET_ALIGN_OFFSET = statx.stx_dio_offset_align$offset();
    private static final int FORMAT_MASK = 0xF000;
    private static final int REGULAR_FILE = 0x8000;
    private static final int BLOCK_DEVICE = 0x6000;

    private FileStatus()
    {
    }

    /**
     * {@return which fields the kernel filled, {@code STATX_*}}
     *
     * @param address of the structure.
     */
    public static int mask(final long address)
    {
        return NativeMemory.getInt(address + MASK_OFFSET);
    }

    /**
     * {@return whether it is a regular file}
     *
     * @param address of the structure.
     */
    public static boolean isRegularFile(final long address)
    {
        return REGULAR_FILE == (NativeMemory.getShort(address + MODE_OFFSET) & FORMAT_MASK);
    }

    /**
     * {@return whether it is a block device}
     *
     * @param address of the structure.
     */
    public static boolean isBlockDevice(final long address)
    {
        return BLOCK_DEVICE == (NativeMemory.getShort(address + MODE_OFFSET) & FORMAT_MASK);
    }

    /**
     * {@return the size of a regular file in bytes}
     *
     * @param address of the structure.
     */
    public static long sizeBytes(final long address)
    {
        return NativeMemory.getLong(address + SIZE_OFFSET);
    }

    /**
     * {@return the numbers of a block device itself, of another file those of the device that it lies on, as
     * {@code major:minor}}
     *
     * @param address of the structure.
     */
    public static String deviceNumbers(final long address)
    {
        final boolean itself = isBlockDevice(address);
        return NativeMemory.getInt(address + (itself ? RDEV_MAJOR_OFFSET : DEV_MAJOR_OFFSET)) + ":" +
            NativeMemory.getInt(address + (itself ? RDEV_MINOR_OFFSET : DEV_MINOR_OFFSET));
    }

    /**
     * {@return to what direct I/O wants memory aligned, in bytes; 0 when there is no direct I/O on this file}
     *
     * @param address of the structure.
     */
    public static int directMemoryAlignment(final long address)
    {
        return NativeMemory.getInt(address + DIO_MEM_ALIGN_OFFSET);
    }

    /**
     * {@return to what direct I/O wants offset and length aligned, in bytes; 0 when there is no direct I/O on this
     * file}
     *
     * @param address of the structure.
     */
    public static int directOffsetAlignment(final long address)
    {
        return NativeMemory.getInt(address + DIO_OFFSET_ALIGN_OFFSET);
    }
}
