package io.millrace.rpc;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * Stands for SPDK's JSON-RPC: a connection a call, answered by the next of the given texts, in pieces.
 */
public final class RpcServer implements AutoCloseable
{
    private static final int REQUEST_BYTES = 1 << 16;

    /** What an answer is instead of a text: the connection stays open without one. */
    public static final String SILENCE = "silence";

    private final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<SocketChannel> open = Collections.synchronizedList(new ArrayList<>());
    private final Path socket;
    private final int pieceBytes;
    private final Thread thread;

    public RpcServer(final Path socket, final int pieceBytes, final String... answers) throws IOException
    {
        this.socket = socket;
        this.pieceBytes = pieceBytes;
        server.bind(UnixDomainSocketAddress.of(socket));
        thread = Thread.ofPlatform().daemon(true).start(() -> run(new ArrayDeque<>(List.of(answers))));
    }

    private void run(final Deque<String> answers)
    {
        try
        {
            while (!answers.isEmpty())
            {
                final SocketChannel channel = server.accept();
                open.add(channel);
                requests.add(request(channel));
                final String answer = answers.removeFirst();
                if (!SILENCE.equals(answer))
                {
                    answer(channel, answer.getBytes(StandardCharsets.UTF_8));
                    channel.shutdownOutput();
                }
            }
        }
        catch (final IOException e)
        {
            // Closed by the test, or by a client that has read enough.
        }
    }

    private static String request(final SocketChannel channel) throws IOException
    {
        final JsonEnd end = new JsonEnd();
        final ByteBuffer bytes = ByteBuffer.allocate(REQUEST_BYTES);
        int from = 0;
        while (true)
        {
            final int count = channel.read(bytes);
            if (count < 0 || end.find(bytes.array(), from, count) >= 0)
            {
                return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
            }
            from += count;
        }
    }

    private void answer(final SocketChannel channel, final byte[] bytes) throws IOException
    {
        for (int i = 0; i < bytes.length; i += pieceBytes)
        {
            final ByteBuffer piece = ByteBuffer.wrap(bytes, i, Math.min(pieceBytes, bytes.length - i));
            while (piece.hasRemaining())
            {
                channel.write(piece);
            }
        }
    }

    /** {@return the requests so far, as they came} */
    public List<String> requests()
    {
        return List.copyOf(requests);
    }

    @Override
    public void close() throws IOException
    {
        server.close();
        synchronized (open)
        {
            for (final SocketChannel each : open)
            {
                each.close();
            }
        }
        Files.deleteIfExists(socket);
        try
        {
            thread.join();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
