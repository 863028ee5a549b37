package io.millrace.memory;

import io.millrace.bindings.NativeMemory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.zip.CRC32C;

/**
 * CRC32C (Castagnoli) over absolute addresses, as digests of NVMe/TCP (RFC 3385) and journals of arrays have it. Chosen
 * once at class load: the JDK's intrinsic on raw addresses where {@code java.util.zip} is open to this module
 * ({@code --add-opens java.base/java.util.zip=ALL-UNNAMED}), else eight tables in Java, several times slower.
 * Stateless; any thread; allocates nothing.
 * <p>
 * A digest is {@code finish(update(INITIAL, ...))}; several updates in a row continue it.
 */
public final class Crc32c
{
    /** What the first update takes. */
    public static final int INITIAL = 0xFFFF_FFFF;

    /** The polynomial of CRC32C, bits reversed. */
    private static final int POLYNOMIAL_REVERSED = 0x82F63B78;
    private static final int[][] TABLES = tables();
    private static final MethodHandle UPDATE_DIRECT = findIntrinsic();

    private Crc32c()
    {
    }

    /**
     * {@return whether the JDK's intrinsic is used}
     */
    public static boolean isIntrinsic()
    {
        return null != UPDATE_DIRECT;
    }

    /**
     * The finished digest of one range.
     *
     * @param address     of the first byte.
     * @param lengthBytes how many.
     * @return the digest.
     */
    public static int digest(final long address, final int lengthBytes)
    {
        return finish(update(INITIAL, address, lengthBytes));
    }

    /**
     * The finished digest of a payload.
     *
     * @param payload whose bytes are taken in order.
     * @return the digest.
     */
    public static int digest(final Segments payload)
    {
        int crc = INITIAL;
        for (int i = 0; i < payload.count(); i++)
        {
            crc = update(crc, payload.address(i), payload.lengthBytes(i));
        }
        return finish(crc);
    }

    /**
     * The finished digest of a part of a payload.
     *
     * @param payload     that has the part.
     * @param offset      of the part's first byte.
     * @param lengthBytes of the part, all of it within the payload.
     * @return the digest.
     */
    public static int digest(final Segments payload, final int offset, final int lengthBytes)
    {
        int crc = INITIAL;
        int skip = offset;
        int left = lengthBytes;
        for (int i = 0; left > 0; i++)
        {
            final int skipped = Math.min(skip, payload.lengthBytes(i));
            final int length = Math.min(left, payload.lengthBytes(i) - skipped);
            crc = update(crc, payload.address(i) + skipped, length);
            skip -= skipped;
            left -= length;
        }
        return finish(crc);
    }

    /**
     * Turns the running value into the digest.
     *
     * @param crc after the last update.
     * @return the digest.
     */
    public static int finish(final int crc)
    {
        return ~crc;
    }

    /**
     * Goes on over more bytes.
     *
     * @param crc         so far, {@link #INITIAL} at the beginning.
     * @param address     of the first byte.
     * @param lengthBytes how many; may be 0.
     * @return the running value after them.
     */
    public static int update(final int crc, final long address, final int lengthBytes)
    {
        if (null == UPDATE_DIRECT)
        {
            return updateTables(crc, address, lengthBytes);
        }
        try
        {
            return (int)UPDATE_DIRECT.invokeExact(crc, address, 0, lengthBytes);
        }
        catch (final Throwable t)
        {
            throw new AssertionError("CRC32C.updateDirectByteBuffer cannot throw", t);
        }
    }

    static int updateTables(final int crc, final long address, final int lengthBytes)
    {
        int value = crc;
        long position = address;
        final long end = address + lengthBytes;
        for (; end - position >= 8; position += 8)
        {
            final long word = NativeMemory.getLong(position) ^ value & 0xFFFF_FFFFL;
            final int low = (int)word;
            final int high = (int)(word >>> 32);
            value = TABLES[7][low & 0xFF] ^ TABLES[6][low >>> 8 & 0xFF] ^
                TABLES[5][low >>> 16 & 0xFF] ^ TABLES[4][low >>> 24] ^
                TABLES[3][high & 0xFF] ^ TABLES[2][high >>> 8 & 0xFF] ^
                TABLES[1][high >>> 16 & 0xFF] ^ TABLES[0][high >>> 24];
        }
        for (; position < end; position++)
        {
            value = value >>> 8 ^ TABLES[0][(value ^ NativeMemory.getByte(position)) & 0xFF];
        }
        return value;
    }

    private static int[][] tables()
    {
        final int[][] tables = new int[8][256];
        for (int index = 0; index < 256; index++)
        {
            int value = index;
            for (int bit = 0; bit < 8; bit++)
            {
                value = 0 == (value & 1) ? value >>> 1 : value >>> 1 ^ POLYNOMIAL_REVERSED;
            }
            tables[0][index] = value;
        }
        for (int index = 0; index < 256; index++)
        {
            for (int table = 1; table < 8; table++)
            {
                final int shorter = tables[table - 1][index];
                tables[table][index] = shorter >>> 8 ^ tables[0][shorter & 0xFF];
            }
        }
        return tables;
    }

    private static MethodHandle findIntrinsic()
    {
        try
        {
            return MethodHandles.privateLookupIn(CRC32C.class, MethodHandles.lookup()).findStatic(
                CRC32C.class,
                "updateDirectByteBuffer",
                MethodType.methodType(int.class, int.class, long.class, int.class, int.class));
        }
        catch (final ReflectiveOperationException e)
        {
            return null;
        }
    }
}
