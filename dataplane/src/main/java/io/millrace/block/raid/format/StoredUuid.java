package io.millrace.block.raid.format;

import java.nio.ByteOrder;
import java.util.UUID;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * UUIDs as RFC 9562 stores them: 16 bytes in the order of the text, so that a hex dump shows what tools print. The nil
 * UUID stands for none.
 */
final class StoredUuid
{
    static final int BYTES = 16;

    private StoredUuid()
    {
    }

    static boolean isMissing(final UUID uuid)
    {
        return null == uuid || 0 == uuid.getMostSignificantBits() && 0 == uuid.getLeastSignificantBits();
    }

    /** {@return the UUID; null: all its bytes are zero} */
    static UUID get(final DirectBuffer buffer, final int index)
    {
        final UUID uuid = new UUID(
            buffer.getLong(index, ByteOrder.BIG_ENDIAN), buffer.getLong(index + Long.BYTES, ByteOrder.BIG_ENDIAN));
        return isMissing(uuid) ? null : uuid;
    }

    static void put(final MutableDirectBuffer buffer, final int index, final UUID uuid)
    {
        buffer.putLong(index, null == uuid ? 0 : uuid.getMostSignificantBits(), ByteOrder.BIG_ENDIAN);
        buffer.putLong(index + Long.BYTES, null == uuid ? 0 : uuid.getLeastSignificantBits(), ByteOrder.BIG_ENDIAN);
    }

    static boolean isEqual(final DirectBuffer buffer, final int index, final UUID uuid)
    {
        return uuid.getMostSignificantBits() == buffer.getLong(index, ByteOrder.BIG_ENDIAN) &&
            uuid.getLeastSignificantBits() == buffer.getLong(index + Long.BYTES, ByteOrder.BIG_ENDIAN);
    }
}
