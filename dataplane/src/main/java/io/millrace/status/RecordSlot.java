package io.millrace.status;

import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Storage of a record, reused by records of one type. Written by its part's thread.
 */
final class RecordSlot
{
    private final RecordType type;
    private final UnsafeBuffer buffer;

    RecordSlot(final RecordType type, final UnsafeBuffer buffer)
    {
        this.type = type;
        this.buffer = buffer;
    }

    RecordType type()
    {
        return type;
    }

    /**
     * {@return address of its first byte}
     */
    long address()
    {
        return buffer.addressOffset();
    }

    UnsafeBuffer buffer()
    {
        return buffer;
    }

    /**
     * Begins a new record, with everything 0. Readers find it when this returns.
     *
     * @param sinceEpochMs now.
     * @param number0      as the type says.
     * @param number1      as the type says.
     * @param text0        as the type says; cut to its room.
     * @param text1        as the type says; cut to its room.
     */
    void begin(final long sinceEpochMs, final int number0, final int number1, final String text0, final String text1)
    {
        final int generation = buffer.getInt(StatusLayout.RECORD_GENERATION_OFFSET);
        buffer.putIntRelease(StatusLayout.RECORD_STATE_OFFSET, StatusLayout.STATE_FREE);
        buffer.putIntRelease(StatusLayout.RECORD_GENERATION_OFFSET, generation + 1);
        // A reader that sees one of the stores below sees afterwards that the record has changed.
        VarHandle.storeStoreFence();
        buffer.setMemory(StatusLayout.RECORD_SINCE_OFFSET, type.lengthBytes() - StatusLayout.RECORD_SINCE_OFFSET,
            (byte)0);
        buffer.putInt(StatusLayout.RECORD_BYTES_OFFSET, type.lengthBytes());
        buffer.putInt(StatusLayout.RECORD_TYPE_OFFSET, type.code());
        buffer.putLong(StatusLayout.RECORD_SINCE_OFFSET, sinceEpochMs);
        buffer.putInt(StatusLayout.RECORD_NUMBER_0_OFFSET, number0);
        buffer.putInt(StatusLayout.RECORD_NUMBER_1_OFFSET, number1);
        buffer.putInt(StatusLayout.RECORD_TEXT_0_BYTES_OFFSET, text(text0, 0));
        buffer.putInt(StatusLayout.RECORD_TEXT_1_BYTES_OFFSET, text(text1, StatusLayout.TEXT_BYTES_MAX));
        buffer.putInt(StatusLayout.RECORD_TEXTS_OFFSET, type.textsOffset());
        buffer.putInt(StatusLayout.RECORD_VALUES_OFFSET, type.valuesOffset());
        buffer.putInt(StatusLayout.RECORD_VALUE_COUNT_OFFSET, type.valueCount());
        buffer.putInt(StatusLayout.RECORD_HISTOGRAMS_OFFSET, type.histogramsOffset());
        buffer.putInt(StatusLayout.RECORD_HISTOGRAM_COUNT_OFFSET, type.histogramCount());
        buffer.putIntRelease(StatusLayout.RECORD_STATE_OFFSET, StatusLayout.STATE_LIVE);
    }

    /** Ends the record: readers skip it. */
    void end()
    {
        buffer.putIntRelease(StatusLayout.RECORD_STATE_OFFSET, StatusLayout.STATE_FREE);
    }

    private int text(final String text, final int offset)
    {
        if (text.isEmpty())
        {
            return 0;
        }
        final byte[] bytes = fit(text, StatusLayout.TEXT_BYTES_MAX);
        buffer.putBytes(type.textsOffset() + offset, bytes);
        return bytes.length;
    }

    /**
     * {@return a text as UTF-8, cut between characters when it is too long}
     *
     * @param text     of any length.
     * @param bytesMax room there is.
     */
    static byte[] fit(final String text, final int bytesMax)
    {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= bytesMax)
        {
            return bytes;
        }
        int end = bytesMax;
        while (end > 0 && 0x80 == (bytes[end] & 0xC0))
        {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }
}
