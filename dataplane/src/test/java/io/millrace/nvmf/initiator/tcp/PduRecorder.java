package io.millrace.nvmf.initiator.tcp;

import io.millrace.nvmf.tcp.pdu.CapsuleResponse;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.ReadyToTransfer;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Writes down what a receiver tells it, for tests.
 */
final class PduRecorder implements PduHandler, TransferHandler, AutoCloseable
{
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(1 << 20);
    private final List<String> events = new ArrayList<>();
    private boolean refused;
    private int dataId;
    private int dataLength;

    List<String> events()
    {
        return events;
    }

    @Override
    public boolean isReceiving()
    {
        return !refused;
    }

    @Override
    public boolean accepts(final int type)
    {
        return 1 == type || 3 == type || 5 == type || 7 == type || 9 == type;
    }

    @Override
    public void onICResp(final ICPdu pdu)
    {
        events.add("greeting");
    }

    @Override
    public void onResponse(final CapsuleResponse pdu)
    {
        events.add("response " + (pdu.buffer().getShort(pdu.offset() + 20) & 0xFFFF));
    }

    @Override
    public long onData(final DataPdu pdu)
    {
        dataId = pdu.commandId();
        dataLength = pdu.dataLength();
        if (dataLength < 1 || dataLength > memory.byteSize())
        {
            refused = true;
            return 0;
        }
        return memory.address();
    }

    @Override
    public void onDataReceived()
    {
        events.add("data " + dataId + " " +
            Arrays.hashCode(memory.asSlice(0, dataLength).toArray(ValueLayout.JAVA_BYTE)));
    }

    @Override
    public void onReadyToTransfer(final ReadyToTransfer pdu)
    {
        events.add("grant " + pdu.commandId());
    }

    @Override
    public void onTermination(final TerminationRequest pdu)
    {
        events.add("termination");
    }

    @Override
    public void onProtocolError(
        final FatalErrorStatus status,
        final int information,
        final int headerOffset,
        final int headerBytes,
        final String reason)
    {
        refused = true;
    }

    @Override
    public void close()
    {
        arena.close();
    }
}
