package io.millrace.nvmf.initiator.tcp;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.millrace.reactor.LinuxKernel;
import java.io.IOException;

/**
 * Whatever bytes a controller sends are taken or refused, never thrown at. Runs on the kept corpus with every build;
 * {@code JAZZER_FUZZ=1} with {@code -Dtest=AnswerStreamFuzzTest} fuzzes.
 */
class AnswerStreamFuzzTest
{
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
            PduReceiver receiver = new PduReceiver(LinuxKernel.INSTANCE, buffer, recorder, recorder))
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
}
