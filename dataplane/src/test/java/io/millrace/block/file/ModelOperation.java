package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.IoUring;
import io.millrace.bindings.linux.MessageHeader;
import io.millrace.bindings.linux.SubmissionEntry;

/**
 * An entry that a {@link ModelRing} was handed, and what it does to the {@link ModelFile}.
 */
final class ModelOperation
{
    private static final int RWF_DSYNC = 2;

    private final ModelRing ring;
    private final ModelFile file;
    private final int opcode;
    private final int flags;
    private final long cookie;
    private final long offset;
    private final long address;
    private final int length;
    private final int operationFlags;
    private final int bufferIndex;
    private final long lastAddress;
    private final int fd;
    private final long sequence;
    /** Pairs of address and length. */
    private final long[] segments;
    private int executeIn;
    private int completeIn;
    private boolean isExecuted;
    private int result;

    ModelOperation(final ModelRing ring, final ModelFile file, final long entry)
    {
        this.ring = ring;
        this.file = file;
        opcode = NativeMemory.getByte(entry + SubmissionEntry.OPCODE_OFFSET) & 0xFF;
        flags = NativeMemory.getByte(entry + SubmissionEntry.FLAGS_OFFSET) & 0xFF;
        cookie = NativeMemory.getLong(entry + SubmissionEntry.USER_DATA_OFFSET);
        offset = NativeMemory.getLong(entry + SubmissionEntry.OFF_OFFSET);
        address = NativeMemory.getLong(entry + SubmissionEntry.ADDR_OFFSET);
        length = NativeMemory.getInt(entry + SubmissionEntry.LEN_OFFSET);
        operationFlags = NativeMemory.getInt(entry + SubmissionEntry.OPERATION_FLAGS_OFFSET);
        bufferIndex = NativeMemory.getShort(entry + SubmissionEntry.BUF_INDEX_OFFSET) & 0xFFFF;
        lastAddress = NativeMemory.getLong(entry + SubmissionEntry.ADDR3_OFFSET);
        fd = 0 == (flags & IoUring.IOSQE_FIXED_FILE) ?
            NativeMemory.getInt(entry + SubmissionEntry.FD_OFFSET) : ring.registeredFd();
        sequence = file.sequence();
        segments = segments();
        executeIn = file.upTo(file.faults().latenessMax());
        completeIn = file.upTo(file.faults().latenessMax());
    }

    private long[] segments()
    {
        final boolean isVector = IoUring.IORING_OP_READV == opcode || IoUring.IORING_OP_WRITEV == opcode;
        if (!isVector)
        {
            return new long[]{address, length};
        }
        final long[] pairs = new long[2 * length];
        for (int i = 0; i < length; i++)
        {
            final long vector = address + (long)i * MessageHeader.IOVEC_SIZE_BYTES;
            pairs[2 * i] = NativeMemory.getLong(vector);
            pairs[2 * i + 1] = NativeMemory.getLong(vector + Long.BYTES);
        }
        return pairs;
    }

    private int totalBytes()
    {
        long bytes = 0;
        for (int i = 1; i < segments.length; i += 2)
        {
            bytes += segments[i];
        }
        return Math.toIntExact(bytes);
    }

    private boolean isWrite()
    {
        return IoUring.IORING_OP_WRITE == opcode || IoUring.IORING_OP_WRITEV == opcode ||
            IoUring.IORING_OP_WRITE_FIXED == opcode;
    }

    private boolean isRead()
    {
        return IoUring.IORING_OP_READ == opcode || IoUring.IORING_OP_READV == opcode ||
            IoUring.IORING_OP_READ_FIXED == opcode;
    }

    private boolean isFixed()
    {
        return IoUring.IORING_OP_WRITE_FIXED == opcode || IoUring.IORING_OP_READ_FIXED == opcode;
    }

    private byte[] payload()
    {
        final byte[] data = new byte[totalBytes()];
        int done = 0;
        for (int i = 0; i < segments.length; i += 2)
        {
            NativeMemory.asByteBuffer(segments[i], (int)segments[i + 1]).get(data, done, (int)segments[i + 1]);
            done += (int)segments[i + 1];
        }
        return data;
    }

    boolean isExecuted()
    {
        return isExecuted;
    }

    boolean isCancel()
    {
        return IoUring.IORING_OP_ASYNC_CANCEL == opcode;
    }

    long cookie()
    {
        return cookie;
    }

    int result()
    {
        return result;
    }

    /**
     * Goes a step.
     *
     * @return whether it is complete.
     */
    boolean step()
    {
        if (!isExecuted && executeIn-- <= 0)
        {
            execute();
        }
        return isExecuted && completeIn-- <= 0;
    }

    /** Does it. */
    void execute()
    {
        result = ring.isWithoutPower() ? -Errno.EIO : outcome();
        isExecuted = true;
    }

    private int outcome()
    {
        if (ModelRing.NO_FILE == fd)
        {
            return -Errno.EBADF;
        }
        if (file.isChosen(file.faults().retryMille()))
        {
            return 0 == file.upTo(1) ? -Errno.EAGAIN : -Errno.EINTR;
        }
        if (isWrite() || isRead())
        {
            return transfer();
        }
        if (IoUring.IORING_OP_FSYNC == opcode)
        {
            return sync();
        }
        // The length travels in the address field, for a discard the range in the two address fields.
        if (IoUring.IORING_OP_FALLOCATE == opcode)
        {
            return zero(offset, address);
        }
        return IoUring.IORING_OP_URING_CMD == opcode ? zero(address, lastAddress) : -Errno.EINVAL;
    }

    private int transfer()
    {
        int bytes = totalBytes();
        if (!file.contains(offset, bytes))
        {
            return 0;
        }
        if (isFixed() && (!ring.isRegistered(bufferIndex, address, length)))
        {
            return -Errno.EFAULT;
        }
        // The page cache takes any write.
        if (file.isChosen(file.faults().failMille()) && !(file.isBuffered() && isWrite()))
        {
            if (isWrite())
            {
                file.writeSome(offset, payload());
            }
            return -Errno.EIO;
        }
        if (isWrite() && file.isChosen(file.faults().fullMille()))
        {
            return -Errno.ENOSPC;
        }
        final int blocks = bytes / file.blockBytes();
        if (blocks > 1 && file.isChosen(file.faults().shortMille()))
        {
            bytes = (1 + file.upTo(blocks - 2)) * file.blockBytes();
        }
        if (isWrite())
        {
            file.write(offset, payload(), bytes);
            if (0 != (operationFlags & RWF_DSYNC))
            {
                assertFalse(file.isBuffered(), "the error of a range is reported to it alone");
                file.syncRange(offset, bytes);
            }
        }
        else
        {
            readInto(file.read(offset, bytes));
        }
        return bytes;
    }

    private void readInto(final byte[] data)
    {
        int done = 0;
        for (int i = 0; i < segments.length && done < data.length; i += 2)
        {
            final int part = Math.min((int)segments[i + 1], data.length - done);
            NativeMemory.asByteBuffer(segments[i], part).put(data, done, part);
            done += part;
        }
    }

    private int sync()
    {
        if (file.isChosen(file.faults().failMille()))
        {
            file.failSync(sequence);
            if (!file.isBuffered())
            {
                return -Errno.EIO;
            }
        }
        if (file.isBuffered() && file.reportsLostWrites(fd))
        {
            return -Errno.EIO;
        }
        file.sync(sequence);
        return 0;
    }

    private int zero(final long from, final long lengthBytes)
    {
        if (!file.contains(from, lengthBytes))
        {
            return -Errno.EINVAL;
        }
        final byte[] zeroes = new byte[Math.toIntExact(lengthBytes)];
        if (file.isChosen(file.faults().failMille()))
        {
            file.writeSome(from, zeroes);
            return -Errno.EIO;
        }
        if (file.isChosen(file.faults().fullMille()))
        {
            return -Errno.ENOSPC;
        }
        file.write(from, zeroes, zeroes.length);
        return 0;
    }

    /** Power is lost: a drive may have taken some of it. */
    void executeSome()
    {
        if (!isExecuted && isWrite() && file.contains(offset, totalBytes()))
        {
            file.writeSome(offset, payload());
        }
        else if (!isExecuted && IoUring.IORING_OP_FALLOCATE == opcode && file.contains(offset, address))
        {
            file.writeSome(offset, new byte[Math.toIntExact(address)]);
        }
    }
}
