package io.millrace.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpdkRpcTest
{
    private static final long TIMEOUT_MS = 60_000;

    @TempDir
    private Path directory;

    private RpcServer server(final int pieceBytes, final String... answers) throws IOException
    {
        return new RpcServer(directory.resolve("s"), pieceBytes, answers);
    }

    private SpdkRpc client()
    {
        return new SpdkRpc(directory.resolve("s"), TIMEOUT_MS);
    }

    private static String result(final String result)
    {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + result + "}";
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 1 << 20})
    void shouldReadAnAnswerInPieces(final int pieceBytes) throws IOException
    {
        final String text = "}]\\\" \u00e9\u20ac {[";
        try (RpcServer server = server(
            pieceBytes, " \n" + result("{\"a\": [1, {\"}\": \"}]\\\\\\\" é€ {[\"}]}") + "\n"))
        {
            assertEquals(Map.of("a", List.of(1L, Map.of("}", text))), client().call("get", Map.of("name", "Malloc0")));
            assertEquals(List.of("{\"jsonrpc\": \"2.0\", \"method\": \"get\", \"id\": 1, \"params\": " +
                "{\"name\": \"Malloc0\"}}"), server.requests());
        }
    }

    /** SPDK leaves the connection open. */
    @Test
    void shouldNotWaitForTheEndOfTheConnection() throws IOException
    {
        try (RpcServer server = server(1 << 20, result("true") + "{"))
        {
            assertEquals(true, client().call("framework_wait_init", null));
            assertEquals(List.of("{\"jsonrpc\": \"2.0\", \"method\": \"framework_wait_init\", \"id\": 1}"),
                server.requests());
        }
    }

    @Test
    void shouldReadALongAnswer() throws IOException
    {
        final String name = "x".repeat(3 << 20);
        try (RpcServer server = server(1 << 20, result("[\"" + name + "\"]"), result("null")))
        {
            assertEquals(List.of(name), client().call("a", null));
            assertNull(client().call("b", List.of()));
            assertTrue(server.requests().getLast().contains("\"params\": []"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}} | " +
            "SPDK refused x: Method not found (error -32601); rpc_get_methods lists the methods",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"Invalid parameters\"}} | " +
            "SPDK refused x: Invalid parameters (error -32602); SPDK's documentation of JSON-RPC has the parameters",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-17,\"message\":\"File exists\"}} | " +
            "SPDK refused x: File exists (error -17)",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":true} | the answer is no JSON-RPC 2.0 response to this call: is " +
            "the socket SPDK's?",
        "{\"jsonrpc\":\"2.0\",\"id\":1} | the answer is no JSON-RPC 2.0 response to this call: is the socket SPDK's?",
        "{\"id\":1,\"result\":tru} | the answer is no JSON: no value at character 18",
        "HTTP/1.1 400 | the answer is no JSON object: is the socket SPDK's?",
        "[] | the answer is no JSON object: is the socket SPDK's?",
        "{\"id\":1,\"result\":{ | the connection to SOCKET was closed after 18 bytes of an answer: has the data " +
            "plane ended?",
        "`` | the connection to SOCKET was closed after 0 bytes of an answer: has the data plane ended?"})
    void shouldSayWhatIsWrongWithAnAnswer(final String answer, final String message) throws IOException
    {
        try (RpcServer server = server(5, answer))
        {
            assertEquals(message.replace("SOCKET", directory.resolve("s").toString()),
                assertThrows(RpcException.class, () -> client().call("x", null)).getMessage());
            assertEquals(1, server.requests().size());
        }
    }

    @Test
    void shouldGiveUpWithoutAnAnswer() throws IOException
    {
        try (RpcServer server = server(1, RpcServer.SILENCE))
        {
            final SpdkRpc client = new SpdkRpc(directory.resolve("s"), 100);
            assertEquals("SPDK did not answer within 100 ms at " + directory.resolve("s") +
                "; what was asked may still be done",
                assertThrows(RpcException.class, () -> client.call("x", null)).getMessage());
            assertTrue(server.requests().size() <= 1);
        }
    }

    @Test
    void shouldBoundTheAnswer() throws IOException
    {
        final String answer = result("\"" + "x".repeat(SpdkRpc.RESPONSE_BYTES_MAX) + "\"");
        try (RpcServer server = server(1 << 20, answer))
        {
            assertEquals("the answer is longer than 64 MiB: ask for less",
                assertThrows(RpcException.class, () -> client().call("x", null)).getMessage());
            assertEquals(1, server.requests().size());
        }
    }

    @Test
    void shouldSayThatNobodyIsThere()
    {
        final String message = assertThrows(RpcException.class, () -> client().call("x", null)).getMessage();
        assertTrue(message.startsWith("SPDK cannot be reached at " + directory.resolve("s") + " ("), message);
        assertTrue(message.endsWith("it runs in a data plane with a device of SPDK or a section spdk"), message);
    }

    @Test
    void shouldFindTheEndOfAnObjectWhereverItIsCut()
    {
        final byte[] bytes = " {\"a\\\\\": \"}\\\"{\", \"b\": [{}, []]} {".getBytes(StandardCharsets.UTF_8);
        final int wanted = bytes.length - 2;
        for (int cut = 0; cut <= bytes.length; cut++)
        {
            final JsonEnd end = new JsonEnd();
            final int first = end.find(bytes, 0, cut);
            assertEquals(wanted, first >= 0 ? first : end.find(bytes, cut, bytes.length - cut));
        }
    }
}
