package io.millrace.nvmf.initiator.tcp;

import io.millrace.memory.RandomSegments;
import io.millrace.memory.Segments;
import io.millrace.nvmf.tcp.pdu.CapsuleResponse;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.ReadyToTransfer;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Writes down what a receiver tells it, for tests.
 */
final class PduRecorder implements PduHandler, TransferHandler, AutoCloseable
{
    private static final int MEMORY_BYTES = 1 << 20;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(MEMORY_BYTES + RandomSegments.SPREAD_BYTES);
    private final List<String> events = new ArrayList<>();
    private final Random random;
    private final int segmentsMax;
    private final Segments data = new Segments();
    private boolean refused;
    private int dataId;

    /** Receives data into one piece of memory. */
    PduRecorder()
    {
        this(TestSeeds.fixed(0), 1);
    }

    /** Receives data into random pieces of memory. */
    PduRecorder(final Random random, final int segmentsMax)
    {
        this.random = random;
        this.segmentsMax = segmentsMax;
    }

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
    public boolean onData(final DataPdu pdu, final Segments into)
    {
        dataId = pdu.commandId();
        final int length = pdu.dataLength();
        if (length < 1 || length > MEMORY_BYTES)
        {
            refused = true;
            return false;
        }
        data.copyFrom(RandomSegments.spread(random, segmentsMax, memory.address(), length));
        into.copyFrom(data);
        return true;
    }

    @Override
    public void onDataReceived()
    {
        events.add("data " + dataId + " " + Arrays.hashCode(RandomSegments.bytes(data)));
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
