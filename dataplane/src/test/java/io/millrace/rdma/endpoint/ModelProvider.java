package io.millrace.rdma.endpoint;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_sge;
import io.millrace.bindings.generated.verbs.ibv_wc;
import io.millrace.bindings.generated.verbs.verbs_h;
import io.millrace.testing.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Functions of a verbs provider in C as a queue pair calls them, by pointers: requests that were posted, and
 * completions
 * that a test makes. Critical calls cannot come back to Java.
 */
final class ModelProvider implements AutoCloseable
{
    private static final int RECORDS = 1024;

    /** A piece of memory of a request. */
    record Segment(long address, int bytes, int key)
    {
    }

    /** A request as it was posted; of a receive request the fields behind segments are 0. */
    record Posted(
        long id, List<Segment> segments, int opcode, int flags, int immediate, long remoteAddress, int remoteKey)
    {
    }

    private final Arena arena = Arena.ofConfined();
    final long queuePair = arena.allocate(1024, Long.BYTES).address();
    final long completionQueue = arena.allocate(1024, Long.BYTES).address();
    final DeviceCounters counters =
        new DeviceCounters(arena.allocate(DeviceCounters.SIZE_BYTES, Long.BYTES).address());
    private final long record;
    private final long counts;
    private final long sent;
    private final long received;
    private final long completions;
    private final long postedBytes;
    private final long segmentsOffset;

    /** With the functions of native/verbs-provider, compiled into a folder. */
    @SuppressWarnings("restricted")
    ModelProvider(final Path folder) throws Throwable
    {
        final SymbolLookup library = SymbolLookup.libraryLookup(compile(folder), arena);
        final long layout = arena.allocate(7L * Long.BYTES, Long.BYTES).address();
        final MethodHandle describe = Linker.nativeLinker().downcallHandle(
            library.findOrThrow("model_layout"), FunctionDescriptor.ofVoid(JAVA_LONG));
        describe.invokeExact(layout);
        record = arena.allocate(value(layout, 0), 64).address();
        counts = record + value(layout, 1);
        sent = record + value(layout, 2);
        received = record + value(layout, 3);
        completions = record + value(layout, 4);
        postedBytes = value(layout, 5);
        segmentsOffset = value(layout, 6);
        final MethodHandle open = Linker.nativeLinker().downcallHandle(
            library.findOrThrow("model_open"), FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG));
        open.invokeExact(record, queuePair, completionQueue);
    }

    private static Path compile(final Path folder) throws Exception
    {
        Requirement.requireProgram("cc", "gcc");
        final Path library = folder.resolve("model_provider.so");
        final Process process = new ProcessBuilder("cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared",
            "-fPIC", "-o", library.toString(),
            Path.of(System.getProperty("millrace.root"), "native/verbs-provider/model_provider.c").toString())
            .inheritIO().start();
        if (0 != process.waitFor())
        {
            throw new AssertionError("native/verbs-provider does not compile: apt-get install libibverbs-dev");
        }
        return library;
    }

    private static long value(final long address, final int index)
    {
        return NativeMemory.getLong(address + (long)index * Long.BYTES);
    }

    int sentCount()
    {
        return (int)value(counts, 0);
    }

    int receivedCount()
    {
        return (int)value(counts, 1);
    }

    /** {@return how many lists of send requests were posted} */
    int doorbells()
    {
        return (int)value(counts, 7);
    }

    /** {@return how many lists of receive requests were posted} */
    int receiveDoorbells()
    {
        return (int)value(counts, 8);
    }

    /** {@return how many send requests had been posted when the last receive requests were} */
    int sentBeforeReceives()
    {
        return (int)value(counts, 9);
    }

    int notifications()
    {
        return (int)value(counts, 4);
    }

    void postStatus(final int status)
    {
        NativeMemory.putLong(counts + 5L * Long.BYTES, status);
    }

    void pollStatus(final int status)
    {
        NativeMemory.putLong(counts + 6L * Long.BYTES, status);
    }

    /** {@return a send request by the order of posting} */
    Posted sent(final int index)
    {
        return posted(sent + index % RECORDS * postedBytes);
    }

    Posted lastSent()
    {
        return sent(sentCount() - 1);
    }

    Posted received(final int index)
    {
        return posted(received + index % RECORDS * postedBytes);
    }

    private Posted posted(final long request)
    {
        return new Posted(
            NativeMemory.getLong(request + verbs_h.IBV_SEND_WR_WR_ID()),
            segments(request + segmentsOffset, NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_NUM_SGE())),
            NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_OPCODE()),
            NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_SEND_FLAGS()),
            NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_IMM_DATA()),
            NativeMemory.getLong(request + verbs_h.IBV_SEND_WR_REMOTE_ADDR()),
            NativeMemory.getInt(request + verbs_h.IBV_SEND_WR_RKEY()));
    }

    private static List<Segment> segments(final long address, final int count)
    {
        final List<Segment> segments = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final long at = address + i * ibv_sge.sizeof();
            segments.add(new Segment(NativeMemory.getLong(at + ibv_sge.addr$offset()),
                NativeMemory.getInt(at + ibv_sge.length$offset()), NativeMemory.getInt(at + ibv_sge.lkey$offset())));
        }
        return segments;
    }

    void complete(final Posted request, final int status)
    {
        complete(request.id, status, 0, 0, 0);
    }

    void complete(final long id, final int status, final int bytes, final int flags, final int immediate)
    {
        final long count = value(counts, 2);
        final long entry = completions + count % RECORDS * ibv_wc.sizeof();
        NativeMemory.putLong(entry + ibv_wc.wr_id$offset(), id);
        NativeMemory.putInt(entry + ibv_wc.status$offset(), status);
        NativeMemory.putInt(entry + ibv_wc.byte_len$offset(), bytes);
        NativeMemory.putInt(entry + ibv_wc.wc_flags$offset(), flags);
        NativeMemory.putInt(entry + ibv_wc.imm_data$offset(), immediate);
        NativeMemory.putLong(counts + 2L * Long.BYTES, count + 1);
    }

    @Override
    public void close()
    {
        arena.close();
    }
}
