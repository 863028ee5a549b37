package io.millrace.bindings.spdk;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.spdk.millrace_spdk_io;

/**
 * A request to an exported device, {@code millrace_spdk_io} of {@code native/spdk/millrace_spdk.h}, by its address:
 * readable until it is done. Allocates nothing.
 */
public final class SpdkIo
{
    private static final long FIRST = millrace_spdk_io.first$offset();
    private static final long BLOCKS = millrace_spdk_io.blocks$offset();
    private static final long SOURCE = millrace_spdk_io.source$offset();
    private static final long VECTORS = millrace_spdk_io.vectors$offset();
    private static final long VECTOR_COUNT = millrace_spdk_io.vector_count$offset();
    private static final long TYPE = millrace_spdk_io.type$offset();
    private static final long FORCED = millrace_spdk_io.is_forced$offset();
    /** {@code struct iovec}. */
    private static final int VECTOR_BYTES = 16;
    private static final int VECTOR_LENGTH = 8;

    private SpdkIo()
    {
    }

    /**
     * {@return first block}
     *
     * @param io address of the request.
     */
    public static long first(final long io)
    {
        return NativeMemory.getLong(io + FIRST);
    }

    /**
     * {@return count of blocks}
     *
     * @param io address of the request.
     */
    public static long blocks(final long io)
    {
        return NativeMemory.getLong(io + BLOCKS);
    }

    /**
     * {@return first block of what is copied}
     *
     * @param io address of the request.
     */
    public static long source(final long io)
    {
        return NativeMemory.getLong(io + SOURCE);
    }

    /**
     * {@return one of {@code MILLRACE_SPDK_READV} and so on}
     *
     * @param io address of the request.
     */
    public static int type(final long io)
    {
        return NativeMemory.getInt(io + TYPE);
    }

    /**
     * {@return whether what is changed is to be stable when it is done}
     *
     * @param io address of the request.
     */
    public static boolean isForced(final long io)
    {
        return 0 != NativeMemory.getInt(io + FORCED);
    }

    /**
     * {@return count of pieces of the payload}
     *
     * @param io address of the request.
     */
    public static int pieces(final long io)
    {
        return NativeMemory.getInt(io + VECTOR_COUNT);
    }

    /**
     * {@return address of a piece of the payload}
     *
     * @param io    address of the request.
     * @param index of the piece.
     */
    public static long address(final long io, final int index)
    {
        return NativeMemory.getLong(vector(io, index));
    }

    /**
     * {@return length of a piece of the payload in bytes}
     *
     * @param io    address of the request.
     * @param index of the piece.
     */
    public static long lengthBytes(final long io, final int index)
    {
        return NativeMemory.getLong(vector(io, index) + VECTOR_LENGTH);
    }

    private static long vector(final long io, final int index)
    {
        return NativeMemory.getLong(io + VECTORS) + (long)index * VECTOR_BYTES;
    }
}
