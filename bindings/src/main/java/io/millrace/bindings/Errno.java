package io.millrace.bindings;

/**
 * Linux error numbers that the data plane tells apart ({@code asm-generic/errno-base.h}, {@code asm-generic/errno.h};
 * the same on x86-64 and aarch64). Positive, as in C.
 */
public final class Errno
{
    /** Operation not permitted. */
    public static final int EPERM = 1;
    /** No such file or directory. */
    public static final int ENOENT = 2;
    /** Interrupted system call. */
    public static final int EINTR = 4;
    /** Input/output error. */
    public static final int EIO = 5;
    /** No such device or address; the block layer reports an absent device with it. */
    public static final int ENXIO = 6;
    /** Bad file descriptor. */
    public static final int EBADF = 9;
    /** Try again; the same number as {@code EWOULDBLOCK}. */
    public static final int EAGAIN = 11;
    /** Out of memory. */
    public static final int ENOMEM = 12;
    /** Permission denied. */
    public static final int EACCES = 13;
    /** Bad address. */
    public static final int EFAULT = 14;
    /** Device or resource busy. */
    public static final int EBUSY = 16;
    /** File exists. */
    public static final int EEXIST = 17;
    /** No such device. */
    public static final int ENODEV = 19;
    /** Invalid argument. */
    public static final int EINVAL = 22;
    /** Too many open files in this process. */
    public static final int EMFILE = 24;
    /** File too large. */
    public static final int EFBIG = 27;
    /** No space left on device. */
    public static final int ENOSPC = 28;
    /** Read-only file system. */
    public static final int EROFS = 30;
    /** Broken pipe. */
    public static final int EPIPE = 32;
    /** Function not implemented. */
    public static final int ENOSYS = 38;
    /** No data available; a block device's medium error is reported with it. */
    public static final int ENODATA = 61;
    /** Timer expired. */
    public static final int ETIME = 62;
    /** Link has been severed; the block layer reports a lost path to the drive with it. */
    public static final int ENOLINK = 67;
    /** Bad message; native/spdk returns it for a configuration of SPDK that is not JSON. */
    public static final int EBADMSG = 74;
    /** Illegal byte sequence; the block layer reports a protection error with it. */
    public static final int EILSEQ = 84;
    /** Operation not supported. */
    public static final int EOPNOTSUPP = 95;
    /** Address already in use. */
    public static final int EADDRINUSE = 98;
    /** Cannot assign requested address. */
    public static final int EADDRNOTAVAIL = 99;
    /** Connection reset by peer. */
    public static final int ECONNRESET = 104;
    /** Connection timed out; the block layer reports a drive that does not answer with it. */
    public static final int ETIMEDOUT = 110;
    /** Connection refused. */
    public static final int ECONNREFUSED = 111;
    /** Operation now in progress. */
    public static final int EINPROGRESS = 115;
    /** Remote I/O error; the block layer reports an error of the drive itself with it. */
    public static final int EREMOTEIO = 121;
    /** Disk quota exceeded. */
    public static final int EDQUOT = 122;
    /** Operation cancelled. */
    public static final int ECANCELED = 125;

    private Errno()
    {
    }

    /**
     * {@return the symbol of an error number, such as {@code ENOSPC}; {@code errno 77} for one that has none here}
     *
     * @param errno positive error number.
     */
    public static String name(final int errno)
    {
        return switch (errno)
        {
            case EPERM -> "EPERM";
            case ENOENT -> "ENOENT";
            case EINTR -> "EINTR";
            case EIO -> "EIO";
            case ENXIO -> "ENXIO";
            case EBADF -> "EBADF";
            case EAGAIN -> "EAGAIN";
            case ENOMEM -> "ENOMEM";
            case EACCES -> "EACCES";
            case EFAULT -> "EFAULT";
            case EBUSY -> "EBUSY";
            case ENODEV -> "ENODEV";
            case EINVAL -> "EINVAL";
            case EFBIG -> "EFBIG";
            case ENOSPC -> "ENOSPC";
            case EROFS -> "EROFS";
            case ENODATA -> "ENODATA";
            case ETIME -> "ETIME";
            case ENOLINK -> "ENOLINK";
            case EBADMSG -> "EBADMSG";
            case EILSEQ -> "EILSEQ";
            case EOPNOTSUPP -> "EOPNOTSUPP";
            case ETIMEDOUT -> "ETIMEDOUT";
            case EREMOTEIO -> "EREMOTEIO";
            case EDQUOT -> "EDQUOT";
            case ECANCELED -> "ECANCELED";
            default -> "errno " + errno;
        };
    }

    /**
     * Text of the C library for an error number, with the number.
     *
     * @param errno positive error number.
     * @return for example {@code "Address already in use (errno 98)"}.
     */
    public static String describe(final int errno)
    {
        return Native.strerror(errno) + " (errno " + errno + ")";
    }
}
