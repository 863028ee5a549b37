package io.millrace.messaging;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;

/**
 * Whatever a peer sends as frames and bulk ends its connection or is handled, and another peer never notices. Runs
 * on the kept corpus with every build; {@code JAZZER_FUZZ=1} fuzzes, as {@code perf/fuzz} does.
 */
class FrameFuzzTest
{
    private static final int TIMEOUT_MS = 20_000;
    private static final int MESSAGE_BYTES = 100;
    private static final int PIECE_BYTES = 7;
    private static MessagingFixture fixture;
    private static long messages;

    /**
     * The first byte says whether the peer has proved itself before the bytes come (bit 0), and in what pieces they
     * come (bits 7:1, in units of 7 bytes; 0 for all at once).
     */
    @FuzzTest(maxDuration = "2m")
    void shouldSurviveAnyBytes(final byte[] input) throws IOException
    {
        if (input.length < 2)
        {
            return;
        }
        BugDetectors.allowNetworkConnections();
        if (null == fixture)
        {
            fixture = new MessagingFixture((context) -> context.rdma(context.rdma().withEnabled(false))).connect();
        }
        final InetSocketAddress address = fixture.listening.address();
        try (Arena arena = Arena.ofConfined(); Socket socket = 0 == (input[0] & 1) ?
            new Socket(address.getAddress(), address.getPort()) : BadPeerTest.proved(arena, address))
        {
            socket.setSoTimeout(TIMEOUT_MS);
            socket.setTcpNoDelay(true);
            send(socket, Arrays.copyOfRange(input, 1, input.length), (input[0] >>> 1 & 0x7F) * PIECE_BYTES);
            BadPeerTest.awaitEnd(socket);
        }
        BadPeerTest.checkOthersWork(fixture, ++messages, MESSAGE_BYTES);
        fixture.forget();
    }

    private static void send(final Socket socket, final byte[] bytes, final int pieceBytes) throws IOException
    {
        final int step = 0 == pieceBytes ? bytes.length : pieceBytes;
        try
        {
            for (int from = 0; from < bytes.length; from += step)
            {
                socket.getOutputStream().write(bytes, from, Math.min(step, bytes.length - from));
            }
            socket.shutdownOutput();
        }
        catch (final IOException e)
        {
            // The other side has ended the stream already.
            return;
        }
    }
}
