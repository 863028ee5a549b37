package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.rdmacm.rdma_conn_param;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class PeerParametersTest
{
    private static final byte READS_SERVED_HERE = 3;
    private static final byte READS_SERVED_BY_THE_PEER = 7;

    /** As in rdma_get_cm_event(3). The initiator of Linux sets one of the two only, so a mix-up allows no reads. */
    @Test
    void shouldTakeReadsOfAnEventAsThoseOfThisSide()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long parameters = arena.allocate(rdma_conn_param.layout()).address();
            NativeMemory.putByte(parameters + rdma_conn_param.responder_resources$offset(), READS_SERVED_HERE);
            NativeMemory.putByte(parameters + rdma_conn_param.initiator_depth$offset(), READS_SERVED_BY_THE_PEER);
            final long data = arena.allocate(256).address();
            NativeMemory.putByte(data + 254, (byte)5);
            NativeMemory.putLong(parameters + rdma_conn_param.private_data$offset(), data);
            NativeMemory.putByte(parameters + rdma_conn_param.private_data_len$offset(), (byte)255);
            final PeerParameters peer = ConnectionManager.peer(parameters);
            assertEquals(READS_SERVED_BY_THE_PEER, peer.reads());
            assertEquals(READS_SERVED_HERE, peer.readDepth());
            final byte[] expected = new byte[255];
            expected[254] = 5;
            assertArrayEquals(expected, peer.data());
        }
    }
}
