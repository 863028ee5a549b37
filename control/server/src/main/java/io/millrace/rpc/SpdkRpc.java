package io.millrace.rpc;

import io.millrace.console.Json;
import io.millrace.console.JsonException;
import io.millrace.console.JsonReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A client of SPDK's JSON-RPC 2.0 over a Unix domain socket, one connection a call. Any thread that may
 * wait, which a reactor's may not.
 */
public final class SpdkRpc
{
    /** Longest response, in bytes. */
    public static final int RESPONSE_BYTES_MAX = 64 << 20;
    private static final int RESPONSE_BYTES_INITIAL = 64 << 10;
    private static final long METHOD_NOT_FOUND = -32_601;
    private static final long INVALID_PARAMETERS = -32_602;
    private static final Long ID = 1L;

    private final Path socket;
    private final long timeoutMs;

    /**
     * Connects to nothing yet.
     *
     * @param socket    of SPDK.
     * @param timeoutMs of a call, in milliseconds.
     */
    public SpdkRpc(final Path socket, final long timeoutMs)
    {
        this.socket = socket;
        this.timeoutMs = timeoutMs;
    }

    /**
     * Calls a method.
     *
     * @param method of SPDK.
     * @param params a map or list; null: none.
     * @return its result.
     * @throws RpcException if SPDK is not there, refuses, or does not answer in time.
     */
    public Object call(final String method, final Object params)
    {
        final Map<String, Object> request = new LinkedHashMap<>();
        request.put("jsonrpc", "2.0");
        request.put("method", method);
        request.put("id", ID);
        if (null != params)
        {
            request.put("params", params);
        }
        return result(method, exchange(Json.line(request).getBytes(StandardCharsets.UTF_8)));
    }

    private static Object result(final String method, final String text)
    {
        final Map<?, ?> response;
        try
        {
            response = (Map<?, ?>)JsonReader.read(text);
        }
        catch (final JsonException e)
        {
            throw new RpcException("the answer is no JSON: " + e.getMessage(), e);
        }
        if (response.get("error") instanceof final Map<?, ?> error)
        {
            throw new RpcException(refusal(method, error));
        }
        if (!ID.equals(response.get("id")) || !response.containsKey("result"))
        {
            throw new RpcException("the answer is no JSON-RPC 2.0 response to this call: is the socket SPDK's?");
        }
        return response.get("result");
    }

    private static String refusal(final String method, final Map<?, ?> error)
    {
        final Object code = error.get("code");
        return "SPDK refused " + method + ": " + error.get("message") + " (error " + code + ')' +
            (Long.valueOf(METHOD_NOT_FOUND).equals(code) ? "; rpc_get_methods lists the methods" :
            Long.valueOf(INVALID_PARAMETERS).equals(code) ? "; SPDK's documentation of JSON-RPC has the parameters" :
            "");
    }

    /** The channel is closed when the time is up, which ends whatever call of it is waiting. */
    private String exchange(final byte[] request)
    {
        final CountDownLatch done = new CountDownLatch(1);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX))
        {
            Thread.ofPlatform().daemon(true).name("spdk-rpc-timeout").start(() -> closeLate(channel, done));
            channel.connect(UnixDomainSocketAddress.of(socket));
            final ByteBuffer out = ByteBuffer.wrap(request);
            while (out.hasRemaining())
            {
                channel.write(out);
            }
            return response(channel);
        }
        catch (final ClosedChannelException e)
        {
            throw late(e);
        }
        catch (final IOException e)
        {
            throw new RpcException("SPDK cannot be reached at " + socket + " (" + e.getMessage() + "): it runs in a " +
                "data plane with a device of SPDK or a section spdk", e);
        }
        finally
        {
            done.countDown();
        }
    }

    private RpcException late(final IOException cause)
    {
        return new RpcException("SPDK did not answer within " + timeoutMs + " ms at " + socket +
            "; what was asked may still be done", cause);
    }

    private void closeLate(final SocketChannel channel, final CountDownLatch done)
    {
        try
        {
            if (!done.await(timeoutMs, TimeUnit.MILLISECONDS))
            {
                channel.close();
            }
        }
        catch (final InterruptedException | IOException e)
        {
            // Nobody interrupts it, and a channel that cannot be closed is not waiting.
            Thread.currentThread().interrupt();
        }
    }

    private String response(final SocketChannel channel) throws IOException
    {
        final JsonEnd end = new JsonEnd();
        byte[] bytes = new byte[RESPONSE_BYTES_INITIAL];
        int length = 0;
        while (true)
        {
            if (length == bytes.length)
            {
                if (length == RESPONSE_BYTES_MAX)
                {
                    throw new RpcException("the answer is longer than " + (RESPONSE_BYTES_MAX >> 20) +
                        " MiB: ask for less");
                }
                bytes = Arrays.copyOf(bytes, Math.min(RESPONSE_BYTES_MAX, 2 * length));
            }
            final int count = channel.read(ByteBuffer.wrap(bytes, length, bytes.length - length));
            if (count < 0)
            {
                throw new RpcException("the connection to " + socket + " was closed after " + length +
                    " bytes of an answer: has the data plane ended?");
            }
            final int behind = end.find(bytes, length, count);
            if (behind >= 0)
            {
                return new String(bytes, 0, behind, StandardCharsets.UTF_8);
            }
            length += count;
        }
    }
}
