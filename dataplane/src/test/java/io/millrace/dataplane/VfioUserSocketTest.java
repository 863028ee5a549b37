package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.nvmf.transport.TransportAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VfioUserSocketTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vm";
    private static final long LATE_MS = 300;

    @TempDir
    private Path listener;
    private VfioUserSocket socket;
    private Path path;

    @BeforeEach
    void prepare() throws IOException
    {
        socket = VfioUserSocket.of(TransportAddress.vfioUser(listener.toString()), NQN);
        socket.prepare();
        path = Files.createFile(socket.directory().resolve(VfioUserSocket.NAME));
    }

    /** As SPDK does when a virtual machine was connected. */
    @Test
    void shouldWaitUntilTheSocketIsClosed()
    {
        final CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> delete(path),
            CompletableFuture.delayedExecutor(LATE_MS, TimeUnit.MILLISECONDS));
        socket.remove();
        assertTrue(closed.isDone());
        assertFalse(Files.exists(socket.directory()));
    }

    @Test
    void shouldWaitWhenInterrupted()
    {
        final CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> delete(path),
            CompletableFuture.delayedExecutor(LATE_MS, TimeUnit.MILLISECONDS));
        Thread.currentThread().interrupt();
        socket.remove();
        assertTrue(Thread.interrupted());
        assertTrue(closed.isDone());
    }

    @Test
    void shouldNotWaitForeverForASocketThatStays()
    {
        final OperationException left = assertThrows(OperationException.class, socket::remove);
        assertEquals(Reason.FAILED, left.reason());
        assertTrue(left.getMessage().contains(socket.directory() + " of a socket is not removed"), left.getMessage());
        assertTrue(Files.exists(path));
    }

    private static void delete(final Path path)
    {
        try
        {
            Files.delete(path);
        }
        catch (final IOException e)
        {
            throw new IllegalStateException(e);
        }
    }
}
