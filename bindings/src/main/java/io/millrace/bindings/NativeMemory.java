package io.millrace.bindings;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.UnsafeApi;

/**
 * Memory by absolute address: kernel rings, DMA buffers, structures handed to system calls. Nothing is checked, so
 * callers check before they come here. Values are little-endian, as both supported processors, NVMe and the kernel
 * rings are. Stateless; any thread. Accesses compile to plain loads and stores: those of a memory segment are calls of
 * calls, which the compiler gives up to inline in what is inlined deep already, as most of a request is.
 */
public final class NativeMemory
{
    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final int FILL_SEED_BYTES = 64;
    /** Stays in the first-level cache while it is copied on. */
    private static final int FILL_PIECE_BYTES = 16 << 10;

    private NativeMemory()
    {
    }

    /**
     * {@return the byte at an address}
     *
     * @param address to read.
     */
    public static byte getByte(final long address)
    {
        return UnsafeApi.getByte(address);
    }

    /**
     * Stores a 8-bit value.
     *
     * @param address to write.
     * @param value   to store.
     */
    public static void putByte(final long address, final byte value)
    {
        UnsafeApi.putByte(address, value);
    }

    /**
     * {@return the 16-bit value at an address}
     *
     * @param address to read; any alignment.
     */
    public static short getShort(final long address)
    {
        return UnsafeApi.getShort(address);
    }

    /**
     * Stores a 16-bit value.
     *
     * @param address to write; any alignment.
     * @param value   to store.
     */
    public static void putShort(final long address, final short value)
    {
        UnsafeApi.putShort(address, value);
    }

    /**
     * {@return the 32-bit value at an address}
     *
     * @param address to read; any alignment.
     */
    public static int getInt(final long address)
    {
        return UnsafeApi.getInt(address);
    }

    /**
     * Stores a 32-bit value.
     *
     * @param address to write; any alignment.
     * @param value   to store.
     */
    public static void putInt(final long address, final int value)
    {
        UnsafeApi.putInt(address, value);
    }

    /**
     * {@return the 64-bit value at an address}
     *
     * @param address to read; any alignment.
     */
    public static long getLong(final long address)
    {
        return UnsafeApi.getLong(address);
    }

    /**
     * Stores a 64-bit value.
     *
     * @param address to write; any alignment.
     * @param value   to store.
     */
    public static void putLong(final long address, final long value)
    {
        UnsafeApi.putLong(address, value);
    }

    /**
     * {@return the 32-bit value at an address, read with acquire order}
     *
     * @param address to read; aligned to 4.
     */
    public static int getIntAcquire(final long address)
    {
        return UnsafeApi.getIntAcquire(null, address);
    }

    /**
     * Stores with release order.
     *
     * @param address to write; aligned to 4.
     * @param value   to store.
     */
    public static void putIntRelease(final long address, final int value)
    {
        UnsafeApi.putIntRelease(null, address, value);
    }

    /**
     * {@return the 64-bit value at an address, read at once and with acquire order}
     *
     * @param address to read; aligned to 8.
     */
    public static long getLongAcquire(final long address)
    {
        return UnsafeApi.getLongAcquire(null, address);
    }

    /**
     * Stores 64 bits at once and with release order.
     *
     * @param address to write; aligned to 8.
     * @param value   to store.
     */
    public static void putLongRelease(final long address, final long value)
    {
        UnsafeApi.putLongRelease(null, address, value);
    }

    /**
     * Stores a 16-bit value with release order.
     *
     * @param address to write; aligned to 2.
     * @param value   to store.
     */
    public static void putShortRelease(final long address, final short value)
    {
        UnsafeApi.putShortRelease(null, address, value);
    }

    /**
     * Atomically replaces a 32-bit value when it is as expected.
     *
     * @param address  aligned to 4.
     * @param expected value.
     * @param value    to store.
     * @return true when it was replaced.
     */
    public static boolean compareAndSetInt(final long address, final int expected, final int value)
    {
        return UnsafeApi.compareAndSetInt(null, address, expected, value);
    }

    /**
     * Copies bytes; the ranges may overlap.
     *
     * @param source      address.
     * @param destination address.
     * @param lengthBytes how many.
     */
    public static void copy(final long source, final long destination, final long lengthBytes)
    {
        MemorySegment.copy(ALL, source, ALL, destination, lengthBytes);
    }

    /**
     * Sets bytes to one value.
     *
     * @param address     of the first.
     * @param lengthBytes how many.
     * @param value       of each.
     */
    public static void fill(final long address, final long lengthBytes, final byte value)
    {
        // The filled part is copied: a slice to call fill on would be allocated each time.
        long done = 0;
        while (done < lengthBytes && done < FILL_SEED_BYTES)
        {
            putByte(address + done, value);
            done++;
        }
        while (done < lengthBytes)
        {
            final long piece = Math.min(Math.min(done, FILL_PIECE_BYTES), lengthBytes - done);
            copy(address, address + done, piece);
            done += piece;
        }
    }

    /**
     * Where two ranges differ first.
     *
     * @param a           address of one.
     * @param b           address of the other.
     * @param lengthBytes of both.
     * @return offset of the first different byte, or -1 when they are equal.
     */
    public static long mismatch(final long a, final long b, final long lengthBytes)
    {
        return MemorySegment.mismatch(ALL, a, a + lengthBytes, ALL, b, b + lengthBytes);
    }

    /**
     * A C string in an array of bytes. Set-up only: allocates.
     *
     * @param address     of the array.
     * @param lengthBytes of the array.
     * @return its bytes up to the first 0, or all of them, as UTF-8.
     */
    public static String getString(final long address, final int lengthBytes)
    {
        int length = 0;
        while (length < lengthBytes && 0 != getByte(address + length))
        {
            length++;
        }
        final byte[] bytes = new byte[length];
        MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, address, bytes, 0, length);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * A byte buffer over memory that outlives it. Set-up only: allocates.
     *
     * @param address     of the first byte.
     * @param lengthBytes up to 2 GiB - 1.
     * @return a direct, little-endian buffer.
     */
    public static ByteBuffer asByteBuffer(final long address, final int lengthBytes)
    {
        return ALL.asSlice(address, lengthBytes).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * {@return a copy of memory}
     *
     * @param address     of the memory.
     * @param lengthBytes of the memory.
     */
    public static byte[] bytes(final long address, final int lengthBytes)
    {
        final byte[] copy = new byte[lengthBytes];
        MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, address, copy, 0, lengthBytes);
        return copy;
    }
}
