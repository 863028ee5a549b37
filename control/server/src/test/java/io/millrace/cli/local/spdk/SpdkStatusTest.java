package io.millrace.cli.local.spdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.rpc.RpcServer;
import io.millrace.rpc.SpdkRpc;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpdkStatusTest
{
    private static final int PIECE_BYTES = 64;
    private static final long TIMEOUT_MS = 60_000;

    @TempDir
    private Path directory;

    private static String result(final String result)
    {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + result + "}";
    }

    @Test
    void shouldShowBdevs() throws IOException
    {
        try (RpcServer server = new RpcServer(directory.resolve("s"), PIECE_BYTES,
            result("{\"version\": \"SPDK v26.05\", \"fields\": {}}"), result("[" +
            "{\"name\": \"Malloc0\", \"aliases\": [\"a\", \"lvs/b\\u001b[2J\"], \"product_name\": \"Malloc disk\", " +
            "\"block_size\": 4096, \"num_blocks\": 16384, \"claimed\": true}, {\"name\": \"odd\"}, 3]")))
        {
            final SpdkStatus status = SpdkStatus.ask(new SpdkRpc(directory.resolve("s"), TIMEOUT_MS));
            assertEquals(new SpdkStatus("SPDK v26.05", List.of(
                new SpdkStatus.Bdev("Malloc0", "Malloc disk", 4096, 16384, true, List.of("a", "lvs/b?[2J")),
                new SpdkStatus.Bdev("odd", "", 0, 0, false, List.of()))), status);
            assertTrue(status.json().contains("\"size_bytes\": 67108864"), status::json);
            assertEquals(2, server.requests().size());
        }
    }
}
