package io.millrace.rdma.endpoint;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A verbs provider in C that does nothing but complete, {@code native/verbs-provider/stub_provider.c}: what is left of
 * a measurement is the way there and back, with its calls by function pointers. One thread.
 */
final class StubProvider implements AutoCloseable
{
    private static final int QUEUE_BYTES = 1024;
    private static final int LINE_BYTES = 64;
    private static final int OFFSETS = 6;

    private final Arena arena = Arena.ofConfined();
    final long queuePair = arena.allocate(QUEUE_BYTES, Long.BYTES).address();
    final long completionQueue = arena.allocate(QUEUE_BYTES, Long.BYTES).address();
    /** In an extended queue pair: id and flags of a request, the calls that start, send, set a segment, complete. */
    final long[] extendedOffsets;
    final DeviceCounters counters =
        new DeviceCounters(arena.allocate(DeviceCounters.SIZE_BYTES, Long.BYTES).address());

    /** Compiles it, in the root of the repository or with that in {@code millrace.root}. */
    @SuppressWarnings("restricted")
    StubProvider() throws Throwable
    {
        final Path folder = Files.createTempDirectory("stub-provider");
        final Path file = folder.resolve("stub_provider.so");
        compile(file);
        final SymbolLookup library = SymbolLookup.libraryLookup(file, arena);
        Files.delete(file);
        Files.delete(folder);
        final long bytes = (long)Linker.nativeLinker().downcallHandle(
            library.findOrThrow("stub_bytes"), FunctionDescriptor.of(JAVA_LONG)).invokeExact();
        final long stub = arena.allocate(bytes, LINE_BYTES).address();
        Linker.nativeLinker().downcallHandle(library.findOrThrow("stub_open"),
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG))
            .invokeExact(stub, queuePair, completionQueue);
        final MemorySegment offsets = arena.allocate(JAVA_LONG, OFFSETS);
        Linker.nativeLinker().downcallHandle(library.findOrThrow("stub_offsets"), FunctionDescriptor.ofVoid(JAVA_LONG))
            .invokeExact(offsets.address());
        extendedOffsets = offsets.toArray(JAVA_LONG);
    }

    private static void compile(final Path file) throws IOException, InterruptedException
    {
        final Path source = Path.of(System.getProperty("millrace.root", "."), "native/verbs-provider/stub_provider.c");
        final Process process = new ProcessBuilder("cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared",
            "-fPIC", "-o", file.toString(), source.toString()).inheritIO().start();
        if (0 != process.waitFor())
        {
            throw new IllegalStateException(
                "cannot compile " + source + ": apt-get install gcc libc6-dev libibverbs-dev");
        }
    }

    @Override
    public void close()
    {
        arena.close();
    }
}
