package io.millrace.block.raid.format;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** The names in a superblock that an array had before, each filled up with zeroes. Stateless. */
final class FormerNames
{
    private FormerNames()
    {
    }

    static void put(final List<String> names, final MutableDirectBuffer buffer, final int index)
    {
        buffer.putInt(index + SuperblockLayout.FORMER_NAME_COUNT_OFFSET, names.size(), LITTLE_ENDIAN);
        for (int i = 0; i < names.size(); i++)
        {
            buffer.putBytes(index + offset(i), names.get(i).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Names are checked by the superblock that has them. */
    static List<String> get(final DirectBuffer buffer, final int index)
    {
        final int count = buffer.getInt(index + SuperblockLayout.FORMER_NAME_COUNT_OFFSET, LITTLE_ENDIAN);
        if (count < 0 || count > Superblock.FORMER_NAMES_MAX)
        {
            throw SuperblockCodec.invalid("count " + count + " of former names is outside 0 to " +
                Superblock.FORMER_NAMES_MAX);
        }
        final List<String> names = new ArrayList<>(count);
        for (int i = 0; i < count; i++)
        {
            int length = 0;
            while (length < SuperblockLayout.NAME_LENGTH && 0 != buffer.getByte(index + offset(i) + length))
            {
                length++;
            }
            final byte[] bytes = new byte[length];
            buffer.getBytes(index + offset(i), bytes);
            names.add(new String(bytes, StandardCharsets.ISO_8859_1));
            SuperblockCodec.checkZero(buffer, index, offset(i) + length, SuperblockLayout.NAME_LENGTH - length);
        }
        SuperblockCodec.checkZero(
            buffer, index, offset(count), SuperblockLayout.FORMER_NAMES_LENGTH - count * SuperblockLayout.NAME_LENGTH);
        return names;
    }

    private static int offset(final int name)
    {
        return SuperblockLayout.FORMER_NAMES_OFFSET + name * SuperblockLayout.NAME_LENGTH;
    }
}
