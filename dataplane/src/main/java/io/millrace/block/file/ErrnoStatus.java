package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.block.BlockStatus;

/**
 * Maps an I/O's {@code errno} to a block status. Stateless.
 */
final class ErrnoStatus
{
    private ErrnoStatus()
    {
    }

    /**
     * {@return status of a request whose I/O failed}
     *
     * @param errno positive.
     */
    static BlockStatus of(final int errno)
    {
        return switch (errno)
        {
            case Errno.ENOSPC, Errno.EDQUOT, Errno.EFBIG -> BlockStatus.CAPACITY_EXCEEDED;
            case Errno.EIO, Errno.ENODATA, Errno.EREMOTEIO, Errno.EILSEQ -> BlockStatus.MEDIA_ERROR;
            case Errno.EROFS, Errno.EPERM -> BlockStatus.WRITE_PROTECTED;
            case Errno.EOPNOTSUPP -> BlockStatus.NOT_SUPPORTED;
            case Errno.ECANCELED -> BlockStatus.ABORTED;
            default -> BlockStatus.DEVICE_ERROR;
        };
    }

    /**
     * {@return whether the same I/O is to be tried again at once}
     *
     * @param errno positive.
     */
    static boolean isTransient(final int errno)
    {
        return Errno.EAGAIN == errno || Errno.EINTR == errno;
    }
}
