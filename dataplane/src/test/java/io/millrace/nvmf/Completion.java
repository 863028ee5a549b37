package io.millrace.nvmf;

import io.millrace.nvme.NvmeStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a host got as answer to a command.
 */
record Completion(int commandId, int status, int result0, int result1, int sqHead, int sqId, byte[] data)
{
    int code()
    {
        return NvmeStatus.code(status);
    }

    boolean isRetryable()
    {
        return NvmeStatus.isRetryable(status);
    }

    long result()
    {
        return (long)result1 << 32 | result0 & 0xFFFFFFFFL;
    }

    UnsafeBuffer buffer()
    {
        return new UnsafeBuffer(data);
    }

    int dword(final int index)
    {
        return ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).getInt(4 * index);
    }

    @Override
    public String toString()
    {
        return "command " + commandId + ": " + NvmeStatus.name(status) +
            " (" + Integer.toHexString(status) + "h) result " +
            Long.toHexString(result()) + "h, " + data.length + " bytes";
    }
}
