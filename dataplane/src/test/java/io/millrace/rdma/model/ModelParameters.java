package io.millrace.rdma.model;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.rdmacm.rdma_conn_param;

/**
 * What a side said when it connected or accepted. Immutable.
 */
record ModelParameters(byte[] data, int served, int initiated, int retries, int notReadyRetries)
{
    static ModelParameters read(final long parameters)
    {
        final int count =
            Byte.toUnsignedInt(NativeMemory.getByte(parameters + rdma_conn_param.private_data_len$offset()));
        return new ModelParameters(
            data(NativeMemory.getLong(parameters + rdma_conn_param.private_data$offset()), count),
            Byte.toUnsignedInt(NativeMemory.getByte(parameters + rdma_conn_param.responder_resources$offset())),
            Byte.toUnsignedInt(NativeMemory.getByte(parameters + rdma_conn_param.initiator_depth$offset())),
            Byte.toUnsignedInt(NativeMemory.getByte(parameters + rdma_conn_param.retry_count$offset())),
            Byte.toUnsignedInt(NativeMemory.getByte(parameters + rdma_conn_param.rnr_retry_count$offset())));
    }

    static byte[] data(final long address, final int count)
    {
        final byte[] data = new byte[0L == address ? 0 : count];
        for (int i = 0; i < data.length; i++)
        {
            data[i] = NativeMemory.getByte(address + i);
        }
        return data;
    }

    /** Writes them as the other side's event has them: each number is about that side then. */
    void write(final long parameters, final long dataAddress, final int dataBytes)
    {
        NativeMemory.fill(dataAddress, dataBytes, (byte)0);
        for (int i = 0; i < data.length; i++)
        {
            NativeMemory.putByte(dataAddress + i, data[i]);
        }
        NativeMemory.putLong(parameters + rdma_conn_param.private_data$offset(), dataAddress);
        NativeMemory.putByte(parameters + rdma_conn_param.private_data_len$offset(), (byte)dataBytes);
        NativeMemory.putByte(parameters + rdma_conn_param.responder_resources$offset(), (byte)initiated);
        NativeMemory.putByte(parameters + rdma_conn_param.initiator_depth$offset(), (byte)served);
    }
}
