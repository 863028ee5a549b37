package io.millrace.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.millrace.nvme.DiscoveryLogEntry;
import io.millrace.nvme.DiscoveryLogHeader;
import java.io.IOException;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whatever a controller answers is taken or refused, never thrown at. Runs on the kept corpus with every build; {@code
 * JAZZER_FUZZ=1} fuzzes one of the methods, named with {@code -Dtest=AnswersFuzzTest#...}.
 */
class AnswersFuzzTest
{
    private static final int IDENTIFY_BYTES = 4096;
    private static SocketLink link;

    /**
     * The stream of a connection. The first byte says whether digests were agreed on (bits 1:0), the second how the
     * bytes are cut.
     */
    @FuzzTest(maxDuration = "2m")
    void shouldTakeOrRefuseAnyStream(final byte[] input) throws IOException
    {
        if (input.length < 2)
        {
            return;
        }
        BugDetectors.allowNetworkConnections();
        if (null == link)
        {
            link = new SocketLink();
        }
        final int piece = 0 == input[1] ? ReceiveBuffer.WINDOW_BYTES : (input[1] & 0xFF) * 7;
        try (ReceiveBuffer buffer = new ReceiveBuffer(); PduRecorder recorder = new PduRecorder();
            PduReceiver receiver = new PduReceiver(buffer, recorder, recorder))
        {
            receiver.digests(0 != (input[0] & 1), 0 != (input[0] & 2));
            link.socket().getOutputStream().write(input, 2, input.length - 2);
            // What comes after a refusal is read as well: the socket serves the next input too.
            for (int outstanding = input.length - 2; outstanding > 0; )
            {
                final long received = receiver.receive(link.fd(), Math.min(piece, ReceiveBuffer.WINDOW_BYTES));
                if (received > 0)
                {
                    outstanding -= (int)received;
                    if (recorder.isReceiving())
                    {
                        receiver.process((int)received);
                    }
                }
            }
        }
    }

    /**
     * What commands of the discovery and the identify kind bring.
     */
    @FuzzTest(maxDuration = "1m")
    void shouldParseAnyData(final byte[] input)
    {
        final UnsafeBuffer entry = new UnsafeBuffer(Arrays.copyOf(input, DiscoveryLogEntry.SIZE_BYTES));
        DiscoveryEntry.parse(entry, 0).toString();
        final DiscoveryLogHeader header = new DiscoveryLogHeader();
        header.wrap(new UnsafeBuffer(Arrays.copyOf(input, DiscoveryLogHeader.SIZE_BYTES)), 0);
        header.records();
        final byte[] data = Arrays.copyOf(input, IDENTIFY_BYTES);
        final byte[] descriptors = Arrays.copyOfRange(input, input.length / 2, input.length / 2 + IDENTIFY_BYTES);
        try
        {
            ControllerInfo.parse(1, -1L, data).toString();
            String.valueOf(NamespaceInfo.parse(1, data, descriptors));
        }
        catch (final InitiatorException e)
        {
            // The caller is told in words what is wrong with the answer: that is how it is refused.
            assertFalse(e.getMessage().isBlank());
        }
    }
}
