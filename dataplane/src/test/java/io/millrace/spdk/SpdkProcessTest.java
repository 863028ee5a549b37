package io.millrace.spdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What SPDK does to the process, and its settings that are not the user's.
 */
@Tag("spdk")
class SpdkProcessTest
{
    private static final int FILE_BYTES = 1 << 16;
    private static final int TIMES = 3;
    private static final long PATIENCE_S = 30;

    @TempDir
    private Path directory;

    @Test
    void shouldLeaveTheJvmItsBusErrors() throws IOException, InterruptedException, TimeoutException
    {
        SpdkTesting.runtime();
        final Path file = directory.resolve("truncated");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
            StandardOpenOption.WRITE))
        {
            final MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, FILE_BYTES);
            channel.truncate(0);
            for (int i = 0; i < TIMES; i++)
            {
                assertInstanceOf(InternalError.class, failureOfWrite(mapped));
            }
        }
    }

    /** On a thread of its own: with the handler of SPDK it would try for ever. */
    private static Throwable failureOfWrite(final MappedByteBuffer mapped) throws InterruptedException, TimeoutException
    {
        final CompletableFuture<Void> written = new CompletableFuture<>();
        final Thread writer = new Thread(() ->
        {
            try
            {
                mapped.put(FILE_BYTES / 2, (byte)1);
                written.complete(null);
            }
            catch (final InternalError e)
            {
                written.completeExceptionally(e);
            }
        }, "truncated");
        writer.setDaemon(true);
        writer.start();
        try
        {
            written.get(PATIENCE_S, TimeUnit.SECONDS);
            return Assertions.fail("a write to what was truncated succeeded");
        }
        catch (final ExecutionException e)
        {
            return e.getCause();
        }
    }

    @Test
    void shouldHaveDrivesFlushWhateverTheConfigurationSays()
    {
        final String config = SpdkTesting.rpc("framework_get_config", "{'name':'bdev'}").replace(" ", "");
        assertTrue(config.contains("\"enable_flush\":true"), config);
    }

    @Test
    void shouldServeNoMethodsForReactorsOfSpdk()
    {
        final String response = SpdkTesting.rpcResponse("framework_get_reactors", "");
        assertTrue(response.contains("Method not found"), response);
        assertEquals(SpdkTesting.runtime(), SpdkRuntime.running());
    }
}
