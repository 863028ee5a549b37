package io.millrace.spdk;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * SPDK for the tests of a JVM, which start it once, and its JSON-RPC.
 */
public final class SpdkTesting
{
    private static final int RESPONSE_BYTES = 1 << 20;
    private static final Path SOCKET = Path.of("/tmp", "millrace-spdk-" + ProcessHandle.current().pid() + ".sock");
    /** So few requests of SPDK's own that some of ours have to wait, and what its save_config writes of drives. */
    private static final String JSON = """
        {"subsystems": [{"subsystem": "bdev", "config": [{"method": "bdev_set_options",
        "params": {"bdev_io_pool_size": 640, "bdev_io_cache_size": 32}},
        {"method": "bdev_nvme_set_options", "params": {"enable_flush": false}}]}]}
        """;
    private static final Path CONFIG = writeConfig();
    private static final ConcurrentLinkedQueue<String> MESSAGES = new ConcurrentLinkedQueue<>();
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private SpdkTesting()
    {
    }

    private static Path writeConfig()
    {
        SOCKET.toFile().deleteOnExit();
        try
        {
            final Path file = Files.createTempFile("spdk", ".json");
            file.toFile().deleteOnExit();
            return Files.writeString(file, JSON);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * {@return SPDK, which runs}
     */
    public static SpdkRuntime runtime()
    {
        return SpdkRuntime.start(config(), MESSAGES::add);
    }

    /**
     * {@return what it is started with}
     */
    public static SpdkConfig config()
    {
        return new SpdkConfig(CONFIG, SpdkConfig.MEMORY_MIB_DEFAULT, false, List.of(), SOCKET);
    }

    /**
     * {@return a name that no other bdev has}
     *
     * @param prefix of it.
     */
    public static String name(final String prefix)
    {
        return prefix + NUMBERS.incrementAndGet();
    }

    /**
     * {@return messages of SPDK so far}
     */
    public static List<String> messages()
    {
        return List.copyOf(MESSAGES);
    }

    /**
     * Calls a method of SPDK's JSON-RPC.
     *
     * @param method of it.
     * @param params as a JSON object with single quotes; empty: none.
     * @return the response, which is none of an error.
     */
    public static String rpc(final String method, final String params)
    {
        final String response = rpcResponse(method, params);
        if (response.contains("\"error\""))
        {
            throw new IllegalStateException(method + ' ' + params + ": " + response + ", " + messages());
        }
        return response;
    }

    /**
     * {@return the response to a call, which may be an error}
     *
     * @param method of SPDK's JSON-RPC.
     * @param params as a JSON object with single quotes; empty: none.
     */
    static String rpcResponse(final String method, final String params)
    {
        runtime();
        final String request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\"" +
            (params.isEmpty() ? "" : ",\"params\":" + params.replace('\'', '"')) + "}";
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX))
        {
            channel.connect(UnixDomainSocketAddress.of(SOCKET));
            channel.write(ByteBuffer.wrap(request.getBytes(UTF_8)));
            final ByteBuffer response = ByteBuffer.allocate(RESPONSE_BYTES);
            String text = "";
            while (!isWhole(text) && channel.read(response) > 0)
            {
                text = new String(response.array(), 0, response.position(), UTF_8);
            }
            return text;
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isWhole(final String text)
    {
        return !text.isBlank() && text.chars().filter((c) -> '{' == c).count() ==
            text.chars().filter((c) -> '}' == c).count();
    }
}
