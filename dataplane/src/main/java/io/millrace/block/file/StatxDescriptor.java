package io.millrace.block.file;

/**
 * What is used of {@code struct statx} ({@code linux/stat.h}); the same on x86-64 and aarch64.
 */
final class StatxDescriptor
{
    static final int SIZE_BYTES = 256;
    /** 32 bits: which fields the kernel filled. */
    static final int MASK_OFFSET = 0;
    /** 16 bits: kind of file and permissions. */
    static final int MODE_OFFSET = 28;
    /** 64 bits: length in bytes. */
    static final int SIZE_OFFSET = 40;
    /** 32 bits: major number of the block device that this is. */
    static final int RDEV_MAJOR_OFFSET = 128;
    /** 32 bits: minor number of the block device that this is. */
    static final int RDEV_MINOR_OFFSET = 132;
    /** 32 bits: major number of the device that the file lies on. */
    static final int DEV_MAJOR_OFFSET = 136;
    /** 32 bits: minor number of the device that the file lies on. */
    static final int DEV_MINOR_OFFSET = 140;
    /** 32 bits: what memory addresses of direct I/O must be a multiple of; 0 when there is no direct I/O. */
    static final int DIO_MEM_ALIGN_OFFSET = 152;
    /** 32 bits: what offsets and lengths of direct I/O must be a multiple of; 0 when there is no direct I/O. */
    static final int DIO_OFFSET_ALIGN_OFFSET = 156;

    /** Asks for kind, permissions, length and numbers. */
    static final int STATX_BASIC_STATS = 0x7ff;
    /** Asks for the alignment of direct I/O. Linux 6.1. */
    static final int STATX_DIOALIGN = 0x2000;

    static final int MODE_KIND_MASK = 0xf000;
    static final int MODE_REGULAR = 0x8000;
    static final int MODE_BLOCK_DEVICE = 0x6000;
    /** Paths are relative to the working directory. */
    static final int AT_FDCWD = -100;
    /** The descriptor itself is meant, the path is empty. */
    static final int AT_EMPTY_PATH = 0x1000;

    private StatxDescriptor()
    {
    }
}
