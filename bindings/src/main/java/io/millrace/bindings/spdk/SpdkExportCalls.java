package io.millrace.bindings.spdk;

import io.millrace.bindings.Native;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.generated.spdk.millrace_spdk_limits;
import io.millrace.bindings.generated.spdk.spdk_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Calls of {@code native/spdk/millrace_spdk.h}: devices of a data plane as bdevs of SPDK. On the thread of the first
 * reactor, the one that is handed in.
 */
public final class SpdkExportCalls
{
    /** As many as DPDK has lists of segments, and more. */
    private static final int MEMORIES_MAX = 1024;

    private SpdkExportCalls()
    {
    }

    /**
     * What an exported device can do.
     *
     * @param blockCount       of the device.
     * @param blockBytes       of a block.
     * @param alignmentBytes   of memory; a power of two.
     * @param transferBytesMax of a request.
     * @param piecesMax        of a payload.
     * @param isReadOnly       whether nothing can be changed.
     * @param hasWriteCache    whether it has to be flushed.
     * @param writesZeroes     whether it does by itself; else SPDK writes them.
     * @param unmaps           whether blocks can be deallocated.
     * @param copies           whether it does by itself; else SPDK reads and writes.
     * @param compares         whether it does by itself; else SPDK reads and compares.
     * @param uuid             of the bdev.
     */
    public record Limits(
        long blockCount,
        int blockBytes,
        int alignmentBytes,
        int transferBytesMax,
        int piecesMax,
        boolean isReadOnly,
        boolean hasWriteCache,
        boolean writesZeroes,
        boolean unmaps,
        boolean copies,
        boolean compares,
        UUID uuid)
    {
        private MemorySegment write(final Arena arena)
        {
            final MemorySegment limits = millrace_spdk_limits.allocate(arena);
            millrace_spdk_limits.block_count(limits, blockCount);
            millrace_spdk_limits.block_bytes(limits, blockBytes);
            millrace_spdk_limits.alignment_bytes(limits, alignmentBytes);
            millrace_spdk_limits.transfer_bytes_max(limits, transferBytesMax);
            millrace_spdk_limits.vectors_max(limits, piecesMax);
            millrace_spdk_limits.unmap_blocks_max(limits, Integer.MAX_VALUE);
            millrace_spdk_limits.is_read_only(limits, number(isReadOnly));
            millrace_spdk_limits.has_write_cache(limits, number(hasWriteCache));
            millrace_spdk_limits.writes_zeroes(limits, number(writesZeroes));
            millrace_spdk_limits.unmaps(limits, number(unmaps));
            millrace_spdk_limits.copies(limits, number(copies));
            millrace_spdk_limits.compares(limits, number(compares));
            millrace_spdk_limits.uuid(limits).asByteBuffer()
                .put(ByteBuffer.allocate(2 * Long.BYTES).putLong(uuid.getMostSignificantBits())
                    .putLong(uuid.getLeastSignificantBits()).flip());
            return limits;
        }

        private static int number(final boolean value)
        {
            return value ? 1 : 0;
        }
    }

    /**
     * Makes a bdev of a device.
     *
     * @param reactor the first.
     * @param name    of the bdev.
     * @param number  that its requests have.
     * @param limits  of the device.
     * @return the export.
     * @throws NativeException with EEXIST where there is a bdev of that name.
     */
    public static MemorySegment add(
        final MemorySegment reactor, final String name, final int number, final Limits limits)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment error = arena.allocate(ValueLayout.JAVA_INT);
            final MemorySegment export = (MemorySegment)Handles.ADD.invokeExact(
                reactor, arena.allocateFrom(name), number, limits.write(arena), error);
            if (MemorySegment.NULL.equals(export))
            {
                throw new NativeException("spdk_bdev_register", -error.get(ValueLayout.JAVA_INT, 0));
            }
            return export;
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Changes the size.
     *
     * @param reactor    the first.
     * @param export     of the device.
     * @param blockCount of the device now.
     * @throws NativeException when SPDK refuses.
     */
    public static void resize(final MemorySegment reactor, final MemorySegment export, final long blockCount)
    {
        try
        {
            check("spdk_bdev_notify_blockcnt_change", (int)Handles.RESIZE.invokeExact(reactor, export, blockCount));
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Removes a bdev. A descriptor says when nobody has it open any more, and no request is left.
     *
     * @param reactor   the first.
     * @param export    to remove.
     * @param operation number that the descriptor has.
     */
    public static void remove(final MemorySegment reactor, final MemorySegment export, final int operation)
    {
        try
        {
            Handles.REMOVE.invokeExact(reactor, export, operation);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Calls a method of SPDK's JSON-RPC, which may change what the method of others may not: a subsystem of SPDK's
     * NVMe-oF target that a call made. A descriptor says when it has ended.
     *
     * @param reactor   the first.
     * @param method    of JSON-RPC.
     * @param params    members of a JSON object; empty: none.
     * @param operation number that the descriptor has.
     * @throws NativeException when there is no memory.
     */
    public static void call(
        final MemorySegment reactor, final String method, final String params, final int operation)
    {
        try (Arena arena = Arena.ofConfined())
        {
            check("millrace_spdk_call", (int)Handles.CALL.invokeExact(
                reactor, arena.allocateFrom(method), arena.allocateFrom(params), operation));
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Carries out the methods of a JSON configuration. A descriptor says when.
     *
     * @param reactor   the first.
     * @param json      SPDK's configuration.
     * @param operation number that the descriptor has.
     * @throws NativeException when there is no memory.
     */
    public static void configure(final MemorySegment reactor, final String json, final int operation)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
            check("millrace_spdk_configure", (int)Handles.CONFIGURE.invokeExact(
                reactor, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), (long)bytes.length, operation));
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Memory of SPDK's own.
     *
     * @param address     of its first byte.
     * @param lengthBytes of whole pages.
     */
    public record Memory(long address, long lengthBytes)
    {
    }

    /**
     * {@return the memory that SPDK has registered, in which its front ends have payload; any thread}
     *
     * @throws NativeException when there is no memory to find out.
     */
    public static List<Memory> memory()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment ranges = arena.allocate(ValueLayout.JAVA_LONG, 2L * MEMORIES_MAX);
            final int count = (int)Handles.MEMORY.invokeExact(ranges, MEMORIES_MAX);
            check("spdk_mem_map_alloc", count);
            final List<Memory> memories = new ArrayList<>();
            for (int i = 0; i < Math.min(count, MEMORIES_MAX); i++)
            {
                memories.add(new Memory(ranges.getAtIndex(ValueLayout.JAVA_LONG, 2L * i),
                    ranges.getAtIndex(ValueLayout.JAVA_LONG, 2L * i + 1)));
            }
            return memories;
        }
        catch (final NativeException e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static void check(final String call, final int result)
    {
        if (result < 0)
        {
            throw new NativeException(call, -result);
        }
    }

    private static final class Handles
    {
        private static final MethodHandle MEMORY =
            SpdkLibrary.link("millrace_spdk_memory", spdk_h.millrace_spdk_memory$descriptor());
        private static final MethodHandle ADD =
            SpdkLibrary.link("millrace_spdk_export_add", spdk_h.millrace_spdk_export_add$descriptor());
        private static final MethodHandle RESIZE =
            SpdkLibrary.link("millrace_spdk_export_resize", spdk_h.millrace_spdk_export_resize$descriptor());
        private static final MethodHandle REMOVE =
            SpdkLibrary.link("millrace_spdk_export_remove", spdk_h.millrace_spdk_export_remove$descriptor());
        private static final MethodHandle CONFIGURE =
            SpdkLibrary.link("millrace_spdk_configure", spdk_h.millrace_spdk_configure$descriptor());
        private static final MethodHandle CALL =
            SpdkLibrary.link("millrace_spdk_call", spdk_h.millrace_spdk_call$descriptor());
    }
}
