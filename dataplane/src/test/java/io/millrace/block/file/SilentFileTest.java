package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.testing.MeasuresTime;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A drive that does not answer: a pipe in the place of the file, which completes a read when somebody writes to it. */
@MeasuresTime
class SilentFileTest
{
    private static final int BLOCK = 4096;
    private static final int O_RDWR = 2;
    private static final byte LATE = 0x3C;

    private final DmaMemory arena = DmaMemory.map(1 << 20);
    private FileDevice device;
    private Initiator initiator;
    private Path pipe;

    @TempDir
    Path directory;

    @BeforeEach
    void open() throws Exception
    {
        pipe = directory.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        device = FileDevice.open(FileDeviceConfig.of("silent", directory.resolve("volume.img"), 1 << 20, BLOCK));
        try (Arena names = Arena.ofConfined())
        {
            final MemorySegment name = names.allocateFrom(pipe.toString());
            Files.close(device.acquireDescriptor());
            assertEquals(device.acquireDescriptor(), Files.open(name.address(), O_RDWR, 0));
        }
    }

    @AfterEach
    void close()
    {
        initiator.close();
        device.close();
        arena.close();
    }

    private Initiator.Io beginRead()
    {
        initiator = new Initiator("silent", device);
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), BlockOperation.READ, 0, 1, false, arena.address(), BLOCK);
        initiator.send(io);
        assertFalse(io.result().isDone());
        return io;
    }

    @Test
    void shouldCancelWhatIsInFlightWithoutHoldingUpTheReactor()
    {
        device.closeTimeouts(new CloseTimeouts(200_000_000L, 20_000_000_000L, 10_000_000L));
        final Initiator.Io io = beginRead();
        final long beginNs = System.nanoTime();
        final CompletableFuture<Void> closed = initiator.beginClosing();
        for (int i = 0; i < 10; i++)
        {
            initiator.call(() -> null);
        }
        assertTrue(System.nanoTime() - beginNs < 200_000_000L, "the reactor was held up");
        assertFalse(closed.isDone());
        initiator.get(closed);
        assertEquals(BlockStatus.ABORTED, initiator.await(io));
        assertNull(io.request().hold());
        assertEquals(0, initiator.quarantine().bytes());
    }

    @Test
    void shouldQuarantineMemoryUntilTheDriveHasCompletedLate() throws Exception
    {
        device.closeTimeouts(new CloseTimeouts(600_000_000_000L, 50_000_000L, 10_000_000L));
        final Initiator.Io io = beginRead();
        initiator.closeChannel();
        assertEquals(BlockStatus.ABORTED, initiator.await(io));
        assertNotNull(io.request().hold());
        assertEquals(BLOCK, initiator.quarantine().bytes());
        final CompletableFuture<Byte> released = new CompletableFuture<>();
        initiator.call(() ->
        {
            io.request().hold().whenReleased(() -> released.complete(NativeMemory.getByte(arena.address())));
            return null;
        });
        // Longer than 50 ms to give up and 10 ms to linger: neither releases the memory.
        TimeUnit.MILLISECONDS.sleep(100);
        assertFalse(released.isDone());
        assertEquals(0, NativeMemory.getByte(arena.address()));
        final byte[] late = new byte[BLOCK];
        Arrays.fill(late, LATE);
        try (OutputStream out = java.nio.file.Files.newOutputStream(pipe))
        {
            out.write(late);
        }
        // It was written to, and not before that was over is it anybody else's.
        assertEquals(LATE, initiator.get(released));
        assertEquals(0, initiator.quarantine().bytes());
        assertTrue(device.notes().stream().anyMatch((note) -> note.contains("given up")), device.notes().toString());
    }
}
